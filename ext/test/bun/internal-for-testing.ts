/**
 * `bun:internal-for-testing`: figures from inside for Bun's own tests, as far as bao has what they count. It exists if the environment has
 * BUN_FEATURE_FLAG_INTERNAL_FOR_TESTING=1.
 */

const fetchH3Internals = {
  /** Connections of fetch over HTTP/3 that are not over. */
  liveCounts(): { sessions: number; streams: number } {
    return require("internal/fetch/http3").liveCounts();
  },
};

/** How many development servers have been closed. */
const getDevServerDeinitCount = (): number => require("internal/bundle/dev/server").closedCount();

export default { fetchH3Internals, getDevServerDeinitCount };
