// A binary min-heap whose entries know their own place, so that one can be moved or removed in O(log n).

/** Entries have a writable `heapIndex`; 0 means "not in a heap" (the heap is 1-based). */
export class PriorityQueue<T extends { heapIndex: number }> {
  // The first place is empty.
  #heap = [undefined] as unknown as T[];
  #less: (a: T, b: T) => boolean;

  constructor(less: (a: T, b: T) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#heap.length - 1;
  }

  /** The smallest entry, or undefined. */
  peek(): T | undefined {
    return this.#heap[1];
  }

  insert(entry: T): void {
    const heap = this.#heap;
    heap.push(entry);
    this.#up(heap.length - 1, entry);
  }

  /** Restores the order after the key of `entry`, which is in the heap, has changed. */
  update(entry: T): void {
    const at = entry.heapIndex;
    if (at > 1 && this.#less(entry, this.#heap[at >> 1]!)) this.#up(at, entry);
    else this.#down(at, entry);
  }

  remove(entry: T): void {
    const heap = this.#heap;
    const at = entry.heapIndex;
    if (at === 0) return;
    entry.heapIndex = 0;
    const last = heap.pop()!;
    if (last === entry) return;
    heap[at] = last;
    last.heapIndex = at;
    this.update(last);
  }

  #up(at: number, entry: T): void {
    const heap = this.#heap;
    const less = this.#less;
    while (at > 1) {
      const parentAt = at >> 1;
      const parent = heap[parentAt]!;
      if (!less(entry, parent)) break;
      heap[at] = parent;
      parent.heapIndex = at;
      at = parentAt;
    }
    heap[at] = entry;
    entry.heapIndex = at;
  }

  #down(at: number, entry: T): void {
    const heap = this.#heap;
    const less = this.#less;
    const size = heap.length - 1;
    for (;;) {
      let childAt = at << 1;
      if (childAt > size) break;
      if (childAt < size && less(heap[childAt + 1]!, heap[childAt]!)) childAt++;
      const child = heap[childAt]!;
      if (!less(child, entry)) break;
      heap[at] = child;
      child.heapIndex = at;
      at = childAt;
    }
    heap[at] = entry;
    entry.heapIndex = at;
  }
}
