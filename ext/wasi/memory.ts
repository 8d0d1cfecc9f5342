/** The memory of a program: numbers and bytes at its addresses, little-endian. */

import { Refusal } from "internal/wasi/errno";
import type { WasmMemory } from "internal/wasi/types";

const decoder = new TextDecoder();

/** Scattered buffers of the program: addresses and lengths. */
type Pieces = Uint8Array[];

export class Memory {
  #memory: WasmMemory;
  #view: DataView;
  #bytes: Uint8Array;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer);
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /** The views are those of today's buffer: memory grows. */
  #renew(): void {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer === buffer) return;
    this.#view = new DataView(buffer);
    this.#bytes = new Uint8Array(buffer);
  }

  get view(): DataView {
    this.#renew();
    return this.#view;
  }

  get isShared(): boolean {
    return !(this.#memory.buffer instanceof ArrayBuffer);
  }

  /** Throws EOVERFLOW for what lies outside. */
  bytes(address: number, length: number): Uint8Array {
    this.#renew();
    const all = this.#bytes;
    if (address + length > all.length) throw new Refusal("EOVERFLOW");
    return all.subarray(address, address + length);
  }

  text(address: number, length: number): string {
    const bytes = this.bytes(address, length);
    return decoder.decode(this.isShared ? bytes.slice() : bytes);
  }

  pieces(address: number, count: number): Pieces {
    const { view } = this;
    const pieces: Pieces = [];
    for (let i = 0; i < count; i++)
      pieces.push(this.bytes(view.getUint32(address + 8 * i, true), view.getUint32(address + 8 * i + 4, true)));
    return pieces;
  }

  setUint16(address: number, value: number): void {
    this.view.setUint16(address, value, true);
  }
  setUint32(address: number, value: number): void {
    this.view.setUint32(address, value, true);
  }
  setUint64(address: number, value: bigint): void {
    this.view.setBigUint64(address, value, true);
  }
}
