// What the parser of the shell makes of a script: commands, words and redirections.

/** A piece of a word. */
type Part =
  /** Text without quotes: `*`, `?` and `[` are patterns in it, `~` at the start of a word is the home directory. */
  | { kind: "text"; text: string }
  /** Text that stands for itself: quoted, escaped, or a value of the template. */
  | { kind: "quoted"; text: string }
  /** An array of the template: several words. */
  | { kind: "list"; items: Word[] }
  /** An object of the template, which can only be the target of a redirection. */
  | { kind: "object"; value: object }
  | { kind: "parameter"; name: string; quoted: boolean; operator?: string; word?: Word }
  | { kind: "command"; body: List; quoted: boolean }
  | { kind: "arithmetic"; word: Word; quoted: boolean };

interface Word {
  parts: Part[];
  /** What the word is if it is nothing but text without patterns. */
  plain?: string;
  /** Whether it becomes arguments without other commands and without the file system, unless the option posix is set. */
  still?: boolean;
  /** The words that its braces make; undefined where there are none. */
  braces?: Word[];
}

interface Redirection {
  operator: "<" | ">" | ">>" | ">|" | "<>" | "<&" | ">&" | "<<" | "<<<" | "&>" | "&>>";
  fd: number;
  target: Word;
}

interface Assignment {
  name: string;
  append: boolean;
  value: Word;
}

interface List {
  kind: "list";
  items: Array<{ command: Command; background: boolean }>;
}

interface Simple {
  kind: "simple";
  assignments: Assignment[];
  words: Word[];
  redirections: Redirection[];
  /** Whether its words are expanded without waiting, and there are neither redirections nor variables for it alone. */
  still: boolean;
}

interface Pipeline {
  kind: "pipeline";
  negated: boolean;
  commands: Command[];
  /** For each `|` whether it is `|&`. */
  both: boolean[];
}

interface CaseItem {
  patterns: Word[];
  body: List;
  /** `;;`, or `;&`, which goes on with the next body. */
  falls: boolean;
}

type Compound =
  | { kind: "subshell"; body: List }
  | { kind: "group"; body: List }
  | { kind: "if"; branches: Array<{ condition: List; body: List }>; otherwise: List | undefined }
  | { kind: "while"; until: boolean; condition: List; body: List }
  | { kind: "for"; name: string; words: Word[] | undefined; body: List }
  | { kind: "case"; word: Word; items: CaseItem[] }
  | { kind: "condition"; expression: Condition };

type Condition =
  | { kind: "not"; operand: Condition }
  | { kind: "and" | "or"; left: Condition; right: Condition }
  | { kind: "unary"; operator: string; operand: Word }
  | { kind: "binary"; operator: string; left: Word; right: Word };

type Command =
  | List
  | Simple
  | Pipeline
  | { kind: "and" | "or"; left: Command; right: Command }
  | (Compound & { redirections: Redirection[] })
  | { kind: "function"; name: string; body: Command };

export type { Assignment, CaseItem, Command, Compound, Condition, List, Part, Pipeline, Redirection, Simple, Word };
