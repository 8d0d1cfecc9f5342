globalThis.endGraph();
