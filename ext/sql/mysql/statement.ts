/** A statement: the server's number of it, the columns of its results, and the functions that make their rows. */

import type { RowMode } from "internal/sql/adapter";
import type { Column, RowMaker } from "internal/sql/mysql/columns";
import { rowMaker } from "internal/sql/mysql/rows";

/** Most ways of making rows that a statement keeps: of modes, and of changes of names. */
const MAX_MAKERS = 8;

interface Maker {
  mode: RowMode;
  change: ((name: string) => string) | undefined;
  make: RowMaker;
}

/** Columns of a result, with the functions that make rows of them. */
export class Columns {
  readonly list: readonly Column[];
  /** The packets of the definitions as they came: results with the same have these columns. */
  readonly packets: Buffer | undefined;
  readonly #isBinary: boolean;
  readonly #bigint: boolean;
  #makers: Maker[] = [];

  constructor(list: readonly Column[], packets: Buffer | undefined, isBinary: boolean, bigint: boolean) {
    this.list = list;
    this.packets = packets;
    this.#isBinary = isBinary;
    this.#bigint = bigint;
  }

  maker(mode: RowMode, change: Maker["change"]): RowMaker {
    for (const maker of this.#makers) if (maker.mode === mode && maker.change === change) return maker.make;
    const names = this.list.map(({ name }) => (change === undefined ? name : String(change(name))));
    const make = rowMaker({ columns: this.list, mode, isBinary: this.#isBinary, bigint: this.#bigint, names });
    if (this.#makers.length >= MAX_MAKERS) this.#makers.shift();
    this.#makers.push({ mode, change, make });
    return make;
  }
}

export class Statement {
  readonly text: string;
  /** The server's number. */
  id = 0;
  parameters = 0;
  /** Of the last result, or as the server told when it prepared. */
  columns: Columns | undefined = undefined;
  /** Why the server does not take it: a mistake of syntax, which stays one. */
  error: Error | undefined = undefined;

  constructor(text: string) {
    this.text = text;
  }
}
