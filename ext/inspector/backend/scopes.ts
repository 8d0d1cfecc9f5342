// The scopes of a frame as the protocol has them (https://chromedevtools.github.io/devtools-protocol/v8/Debugger/#type-Scope).
import { displayName } from "internal/inspector/backend/scripts";

/** A scope of a frame. */
interface Scope {
  type: string;
  variables: Map<string, Debug.Environment>;
  /** The object that it is, of a global one. */
  object?: Debug.Obj;
  name?: string;
}

/** The engine's kinds of scopes that hold a part of what a function declares. */
const PARTS_OF_FUNCTIONS = ["function lexical", "function body var", "function"];

/** The scopes of a frame, the innermost first. */
export function scopesOf(frame: Debug.Frame): Scope[] {
  const scopes: Scope[] = [];
  let isLocal = frame.type === "call";
  /** The scope of the function whose parts come. */
  let functionScope: Scope | undefined;
  for (
    let environment: Debug.Environment | null = frame.environment;
    environment !== null;
    environment = environment.parent
  ) {
    if (!environment.inspectable || environment.optimizedOut) continue;
    const { type: form, parent } = environment;
    if (form === "object" && parent === null) {
      scopes.push({ type: "global", variables: new Map(), object: environment.object });
      continue;
    }
    const variables = new Map<string, Debug.Environment>();
    for (const name of environment.names()) {
      if (name !== "arguments" && !name.startsWith(".")) variables.set(name, environment);
    }
    const kind = environment.scopeKind ?? "";
    if (PARTS_OF_FUNCTIONS.includes(kind)) {
      if (functionScope === undefined) {
        functionScope = { type: isLocal ? "local" : "closure", variables };
        scopes.push(functionScope);
        isLocal = false;
      } else
        for (const [name, holder] of variables)
          if (!functionScope.variables.has(name)) functionScope.variables.set(name, holder);
      if (kind === "function") {
        const name = displayName(environment.calleeScript?.displayName);
        if (name !== "") functionScope.name = name;
        functionScope = undefined;
      }
      continue;
    }
    // The name that a function expression has inside of itself.
    if (variables.size === 0 || kind.endsWith("named lambda")) continue;
    let type = "block";
    if (form !== "declarative") type = "with";
    else if (kind.endsWith("catch")) type = "catch";
    else if (kind === "module") type = "module";
    else if (kind.endsWith("eval")) type = "eval";
    else if (kind === "global" || parent?.type === "object") type = "script";
    scopes.push({ type, variables });
  }
  return scopes.filter(({ type, variables }) => type !== "closure" || variables.size > 0);
}
