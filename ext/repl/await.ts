/** Rewriting what is typed into a REPL: top-level await, import declarations, and declarations that may come again. */
import { ParseError, boundNames, parse, walk, type Node } from "internal/repl/parser";

/** Insertions and replacements in a text, made in any order. */
class Edits {
  source: string;
  list: { at: number; end: number; text: string; order: number }[] = [];
  constructor(source: string) {
    this.source = source;
  }

  insert(at: number, text: string): void {
    this.list.push({ at, end: at, text, order: this.list.length });
  }

  replace(at: number, end: number, text: string): void {
    this.list.push({ at, end, text, order: this.list.length });
  }

  apply(): string {
    // A replacement comes after what is inserted where it begins.
    this.list.sort((a, b) => a.at - b.at || a.end - a.at - (b.end - b.at) || a.order - b.order);
    let out = "";
    let from = 0;
    for (const { at, end, text } of this.list) {
      out += this.source.slice(from, at) + text;
      from = end;
    }
    return out + this.source.slice(from);
  }
}

/** A SyntaxError that shows where, as the REPL prints it. */
function awaitError(source: string, error: ParseError): SyntaxError {
  const lineStart = source.lastIndexOf("\n", error.pos - 1) + 1;
  const lineEnd = source.indexOf("\n", error.pos);
  const line = source.slice(lineStart, lineEnd === -1 ? source.length : lineEnd);
  const caret = " ".repeat(error.pos - lineStart) + "^";
  return new SyntaxError(`\n${line}\n${caret}\n\n${error.message}`);
}

/**
 * Code with `await` at the top level as a script: declarations come first, the rest is in an async function whose promise
 * is the script's value and gives `{ value }` where the last statement is an expression. null where there is no such
 * `await`, or a `return`, which makes it no script. Throws a SyntaxError.
 */
export function processTopLevelAwait(source: string): string | null {
  let program: Node;
  try {
    program = parse(source, { await: true });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const converted: any = awaitError(source, error);
    converted.incomplete = error.incomplete;
    throw converted;
  }

  let awaits = false;
  let returns = false;
  const edits = new Edits(source);
  const hoisted: string[] = [];

  const declaration = (node: Node, parent: Node) => {
    const { kind, declarations } = node;
    if (kind !== "var" && parent !== program) return;
    if (kind === "using" || kind === "await using") return;
    const names: string[] = [];
    for (const { id } of declarations) boundNames(id, names);
    // Assigned later than it is declared, so it cannot be const.
    hoisted.push(`${kind === "const" ? "let" : kind} ${names.join(", ")}; `);
    if ((parent.type === "ForInStatement" || parent.type === "ForOfStatement") && parent.left === node) {
      edits.replace(node.start, declarations[0].start, "");
      return;
    }
    const several = declarations.length > 1;
    edits.replace(node.start, node.start + kind.length, several ? "void (" : "void");
    for (const { start, end, init } of declarations) {
      edits.insert(start, "(");
      edits.insert(end, init === null ? "=undefined)" : ")");
    }
    if (several) edits.insert(declarations[declarations.length - 1].end, ")");
  };

  walk(program, (node, parent) => {
    switch (node.type) {
      case "AwaitExpression":
        awaits = true;
        break;
      case "ForOfStatement":
        if (node.await) awaits = true;
        break;
      case "ReturnStatement":
        returns = true;
        break;
      case "VariableDeclaration":
        if (node.kind === "await using") awaits = true;
        declaration(node, parent);
        break;
      case "FunctionDeclaration":
        hoisted.push(`var ${node.id.name}; `);
        edits.insert(node.start, `this.${node.id.name} = ${node.id.name}; `);
        break;
      case "ClassDeclaration":
        if (parent === program) {
          hoisted.push(`let ${node.id.name}; `);
          edits.insert(node.start, `${node.id.name}=`);
        }
        break;
    }
  });
  if (!awaits || returns) return null;

  let last = program.body.length - 1;
  while (last >= 0 && program.body[last].type === "EmptyStatement") last--;
  const statement = program.body[last];
  if (statement?.type === "ExpressionStatement") {
    // `{ value }`, because a promise as the value must not be awaited.
    edits.insert(statement.expression.start, "{ value: (");
    edits.insert(statement.expression.end, ") }");
    edits.list.push({ at: statement.start, end: statement.start, text: "return ", order: -1 });
  }
  return `${hoisted.join("")}(async () => { ${edits.apply()} })()`;
}

/** An import declaration as a statement with `import()`. */
function dynamicImport({ specifiers, source, attributes }: Node, keyword: string): string {
  const load = `await import(${source}${attributes ? `, { with: ${attributes} }` : ""})`;
  if (specifiers.length === 0) return `${load};`;
  const namespace = specifiers.find((entry: { imported?: string }) => entry.imported === "*");
  const names = specifiers
    .filter((entry: { imported?: string }) => entry.imported !== "*")
    .map(({ imported, local }: any) => (imported === local ? local : `${imported}: ${local}`));
  if (namespace === undefined) return `${keyword} { ${names.join(", ")} } = ${load};`;
  const rest = names.length > 0 ? ` ${keyword} { ${names.join(", ")} } = ${namespace.local};` : "";
  return `${keyword} ${namespace.local} = ${load};${rest}`;
}

/** What Node's REPL proposes instead of import declarations. */
export function toDynamicImport(source: string): string {
  const program = parse(source, { imports: true, await: true });
  return program.body
    .filter((node: Node) => node.type === "ImportDeclaration")
    .map((node: Node) => dynamicImport(node, "const").replace(/\bimport\('([^'"\\]*)'/, 'import("$1"'))
    .join("");
}

/**
 * For `bao repl`: import declarations become `import()`, and what is declared at the top level may be declared again.
 * Throws ParseError.
 */
export function rewriteForSession(source: string): string {
  const program = parse(source, { imports: true, await: true });
  const edits = new Edits(source);
  for (const node of program.body) {
    switch (node.type) {
      case "ImportDeclaration":
        edits.replace(node.start, node.end, dynamicImport(node, "var"));
        break;
      case "VariableDeclaration":
        if (node.kind === "let" || node.kind === "const") {
          edits.replace(node.start, node.start + node.kind.length, "var");
          // A declaration without a value gives the name a new start.
          for (const { id, init } of node.declarations) if (init === null) edits.insert(id.end, " = undefined");
        }
        break;
      case "ClassDeclaration":
        edits.insert(node.start, `var ${node.id.name} = `);
        edits.insert(node.end, ";");
        break;
    }
  }
  return edits.list.length === 0 ? source : edits.apply();
}
