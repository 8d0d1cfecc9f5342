// The domains HeapProfiler and Runtime (of which the heap's part) of the inspector: the size of the heap, collections, snapshots.
// https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/
import type { Domain } from "internal/inspector/domains";

/** Characters of a snapshot that one `HeapProfiler.addHeapSnapshotChunk` event carries. */
const SNAPSHOT_CHUNK = 102400;

export const Runtime: Domain = {
  getHeapUsage() {
    const heap = require("node:v8").getHeapStatistics() as Record<string, number>;
    return {
      usedSize: heap.used_heap_size,
      totalSize: heap.total_heap_size,
      embedderHeapUsedSize: 0,
      backingStorageSize: heap.external_memory,
    };
  },
};

export const HeapProfiler: Domain = {
  enable: () => ({}),
  disable: () => ({}),
  collectGarbage() {
    native("loop").gc();
    return {};
  },
  takeHeapSnapshot(session, params) {
    const { takeSnapshot } = require("internal/v8/heap_snapshot");
    const text = takeSnapshot({ exposeInternals: params.exposeInternals === true });
    // The snapshot is made at once.
    if (params.reportProgress === true) {
      const progress = { done: text.length, total: text.length, finished: true };
      session.notify("HeapProfiler.reportHeapSnapshotProgress", progress);
    }
    for (let at = 0; at < text.length; at += SNAPSHOT_CHUNK) {
      session.notify("HeapProfiler.addHeapSnapshotChunk", { chunk: text.slice(at, at + SNAPSHOT_CHUNK) });
    }
    return {};
  },
};
