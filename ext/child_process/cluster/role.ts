// Whether this process is a worker of node:cluster: for node:net, which need not load cluster to know.

export const role = {
  /** Set by internal/cluster/child when the worker has taken over its channel. */
  isWorker: false,
};
