// The chain of the hooks of `module.register`, on their own thread: https://nodejs.org/api/module.html#asynchronous-version. A hook may
// answer with a promise, and it is named by errors about what it has passed on or returned.

import { codes } from "internal/core/errors";
import { basis } from "internal/module/loader_hooks";
import { begin, kSelf, loadSelf, pathOfUrl, resolveSelf } from "internal/module/node_hooks";
import { validateObject, validateString } from "internal/core/validators";

import type { Asking, LoadResult } from "internal/module/node_hooks";
import type { Hook, HookContext, HookResult, Later, LoadedThere, SyncHooks } from "internal/module/types";

const loader = native("loader");

interface AsyncHooks {
  /** What was registered, as errors name it. */
  url: string;
  resolve: Hook | undefined;
  load: Hook | undefined;
}

/** In the order of their registration: the last one is asked first. */
const chain: AsyncHooks[] = [];

type Name = "resolve" | "load";
/** What the loader does where no hook has answered. */
type Last = (subject: string, context: HookContext) => Later<HookResult>;

/** Whether there is a hook of that name. */
export function has(name: Name): boolean {
  return chain.some((entry) => entry[name] !== undefined);
}

/** The old name of `importAttributes`. */
function withAssertions(context: HookContext): HookContext {
  const warn = () =>
    require("node:process").emitWarning("Use `importAttributes` instead of `importAssertions`", "ExperimentalWarning");
  return Object.defineProperty(context, "importAssertions", {
    configurable: true,
    get(this: HookContext) {
      warn();
      return this.importAttributes;
    },
    set(this: HookContext, value: Record<string, string>) {
      warn();
      this.importAttributes = value;
    },
  });
}

function checkPassed(name: Name, who: string, subject: unknown, changes: unknown): void {
  const next = `${who} hook's next${name === "resolve" ? "Resolve" : "Load"}()`;
  if (name === "resolve") {
    (validateString as Check)(subject, `${next} specifier`);
  } else if (typeof subject !== "string") {
    throw new codes.ERR_INVALID_ARG_TYPE(`${next} url`, "a URL string", subject);
  } else if (!URL.canParse(subject)) {
    throw new codes.ERR_INVALID_ARG_VALUE(`${next} url`, subject, "should be a URL string");
  }
  if (changes) (validateObject as Check)(changes, `${next} context`);
}

/** Asks the hooks of a name, then checks what they gave together; `who` is the hook that was asked last. */
async function run(
  name: Name,
  subject: string,
  context: HookContext,
  last: Last,
): Promise<{ result: LoadResult; who: string }> {
  const nextName = name === "resolve" ? "nextResolve" : "nextLoad";
  let isFinished = false;
  let isShort = false;
  let who = "";
  const call = async (from: number, given: string, above: HookContext): Promise<HookResult> => {
    let index = from;
    while (index >= 0 && chain[index]![name] === undefined) index--;
    if (index < 0) {
      isFinished = true;
      return last(given, above);
    }
    const { url, [name]: hook } = chain[index]!;
    const me = `${url} '${name}'`;
    who = me;
    const next = async (subject: unknown, changes?: Partial<HookContext>): Promise<HookResult> => {
      checkPassed(name, me, subject, changes);
      return call(index - 1, subject as string, { ...above, ...changes });
    };
    Object.defineProperty(next, "name", { value: nextName });
    const output: unknown = await hook!(given, withAssertions({ ...above }), next as Parameters<Hook>[2]);
    if (output === null || typeof output !== "object")
      throw new codes.ERR_INVALID_RETURN_VALUE("an object", `${me} hook's ${nextName}()`, output);
    isShort ||= (output as HookResult).shortCircuit === true;
    return output;
  };
  const result = (await call(chain.length - 1, subject, context)) as LoadResult;
  if (!isFinished && !isShort) throw new codes.ERR_LOADER_CHAIN_INCOMPLETE(who);
  const { format } = result;
  if (format != null && typeof format !== "string")
    throw new codes.ERR_INVALID_RETURN_PROPERTY_VALUE("a string", who, "format", format);
  return { result, who };
}

/** The URL of a specifier, with what `load` is told of it. */
export async function resolve(asking: Asking, specifier: string, context: HookContext): Promise<HookResult> {
  const { result, who } = await run("resolve", specifier, context, resolveSelf(asking));
  const { url, format, importAttributes } = result;
  if (typeof url !== "string" || !URL.canParse(url))
    throw new codes.ERR_INVALID_RETURN_PROPERTY_VALUE("a URL string", who, "url", url);
  if (importAttributes == null) return { url, format };
  if (typeof importAttributes !== "object")
    throw new codes.ERR_INVALID_RETURN_PROPERTY_VALUE("an object", who, "importAttributes", importAttributes);
  return { url, format, importAttributes };
}

/** The format and the source of a URL; {@link kSelf} says whether they are the loader's own. */
export async function load(kind: string, url: string, context: HookContext): Promise<LoadResult> {
  const { conditions: _, ...rest } = context;
  const { result, who } = await run("load", url, rest as HookContext, loadSelf(kind, url, true, true));
  const { source } = result;
  if (source != null && typeof source !== "string" && !ArrayBuffer.isView(source) && !isBuffer(source)) {
    const expected = "a string, an ArrayBuffer, or a TypedArray";
    throw new codes.ERR_INVALID_RETURN_PROPERTY_VALUE(expected, who, "source", source);
  }
  return result;
}

function isBuffer(value: unknown): boolean {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

/** The same for another thread. `isWanted`: the text of an unchanged file as well. */
export async function loadThere(
  kind: string,
  url: string,
  context: HookContext,
  isWanted: boolean,
): Promise<LoadedThere> {
  const { format, source, [kSelf]: self } = await load(kind, url, context);
  if (self === undefined || self.source !== source) return { format, source };
  return { format, source: isWanted ? source : null, self: self.url };
}

/** What a module of hooks exports. */
interface HooksModule extends SyncHooks {
  initialize?: (data: unknown) => unknown;
  globalPreload?: unknown;
}

let hasWarned = false;

/** `register`: settled when `initialize` has ended. */
export async function register(specifier: string, parent: string, data: unknown): Promise<void> {
  const path = parent.startsWith("file:") ? pathOfUrl(parent)! : parent;
  // `import` of a module that stands there.
  const from: { exports?: (specifier: string) => Promise<HooksModule> } = {};
  loader.compileText("module.exports = (specifier) => import(specifier);", basis(path)).call(from, from, null, from);
  const { initialize, resolve, load, globalPreload } = await from.exports!(specifier);
  if (globalPreload !== undefined && initialize === undefined && !hasWarned) {
    hasWarned = true;
    require("node:process").emitWarning(
      "`globalPreload` has been removed; use `initialize` instead.",
      "UnsupportedWarning",
    );
  }
  chain.push({ url: specifier, resolve, load });
  const { noteHook } = require("internal/module/hooks_worker");
  if (resolve !== undefined) noteHook("resolve");
  if (load !== undefined) noteHook("load");
  begin();
  await initialize?.(data);
}
