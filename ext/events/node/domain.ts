// node:domain, https://nodejs.org/api/domain.html (deprecated, but express-session, mongoose and others still look for it).
//
// The active domain is a value of the async context, so callbacks, promises and timers find the domain they were made in. `stack`
// is what enter() has nested in the running callback; it is stale as soon as the context says something else.

import asyncHooks from "node:async_hooks";
import EventEmitter from "node:events";
import type { EventEmitter as Emitter } from "internal/events/types";
import { tracking } from "internal/events/async_context";
import { codes } from "internal/core/errors";
import { addUncaughtExceptionCaptureCallback, guardCaptureCallback } from "internal/process/execution";

const { defineProperty } = Object;
const emitAny = EventEmitter.prototype.emit;
const initAny = EventEmitter.init;
const storage = new asyncHooks.AsyncLocalStorage<Domain | undefined>();

let stack: Domain[] = [];
// What `active` is where no domain is: null at first and after an uncaught error, undefined after exit(). As in Node.
let idle: null | undefined = null;

function freshStack(): Domain[] {
  const active = storage.getStore() ?? undefined;
  if (stack.at(-1) !== active) stack = active === undefined ? [] : [active];
  return stack;
}

function activate(domain: Domain | null | undefined) {
  if (domain === null || domain === undefined) idle = domain;
  storage.enterWith(domain ?? undefined);
}

// What is left when an uncaught error was handled: no domain.
function clear() {
  stack = [];
  activate(null);
}

// Where `domain` was entered last, the first time if that was several times in a row.
function entryOf(list: Domain[], domain: Domain): number {
  let at = list.lastIndexOf(domain);
  while (at > 0 && list[at - 1] === domain) at--;
  return at;
}

/** Marks what an error came with, without showing in enumerations. */
function decorate(error: unknown, properties: { [key: string]: unknown }) {
  if (error === null || (typeof error !== "object" && typeof error !== "function")) return;
  for (const key in properties) {
    defineProperty(error, key, {
      __proto__: null,
      configurable: true,
      enumerable: false,
      value: properties[key],
      writable: true,
    } as PropertyDescriptor);
  }
}

/** What can belong to a domain: an emitter. */ type Member = { domain?: Domain | null };
class Domain extends EventEmitter {
  declare members: Member[];
  declare domain: Domain | null | undefined;
  declare _errorHandler: unknown;

  constructor() {
    super();
    this.members = [];
  }

  /** Makes this the active domain. */
  enter() {
    freshStack().push(this);
    activate(this);
  }

  /** Undoes enter(), and all that was entered since. */
  exit() {
    const list = freshStack();
    const at = list.lastIndexOf(this);
    if (at < 0) return;
    list.splice(at);
    activate(list.at(-1));
  }

  /** Errors of `emitter` are this domain's. */
  add(emitter: Member) {
    if (emitter.domain === this) return;
    if (emitter.domain) emitter.domain.remove(emitter);
    // A domain within itself would emit its errors in a circle.
    if (this.domain && emitter instanceof Domain) {
      for (let above: Domain | null | undefined = this.domain; above; above = above.domain)
        if (emitter === above) return;
    }
    defineProperty(emitter, "domain", {
      __proto__: null,
      configurable: true,
      enumerable: false,
      value: this,
      writable: true,
    } as PropertyDescriptor);
    this.members.push(emitter);
  }

  remove(emitter: Member) {
    defineProperty(emitter, "domain", {
      __proto__: null,
      configurable: true,
      enumerable: false,
      value: null,
      writable: true,
    } as PropertyDescriptor);
    const at = this.members.indexOf(emitter);
    if (at !== -1) this.members.splice(at, 1);
  }

  run(fn: Function, ...args: unknown[]): unknown {
    this.enter();
    const result = Reflect.apply(fn, this, args);
    this.exit();
    return result;
  }

  /** A callback whose first argument is an error, which goes to the domain. */
  intercept(callback: Function): Function {
    const domain = this;
    return function (this: unknown, error: NodeError | null | undefined, ...args: unknown[]) {
      if (error && Error.isError(error)) {
        decorate(error, { domainBound: callback, domainThrown: false, domain });
        domain.emit("error", error);
        return undefined;
      }
      return within(domain, this, callback, args);
    };
  }

  /** `callback` within this domain. */
  bind(callback: Function): Function {
    const domain = this;
    const bound = function (this: unknown, ...args: unknown[]) {
      return within(domain, this, callback, args);
    };
    defineProperty(bound, "domain", {
      __proto__: null,
      configurable: true,
      enumerable: false,
      value: domain,
      writable: true,
    } as PropertyDescriptor);
    return bound;
  }
}
// As Node has it, for those who look for it there.
(Domain.prototype as { members: unknown }).members = undefined;

function within(domain: Domain, self: unknown, callback: Function, args: unknown[]): unknown {
  domain.enter();
  const result = Reflect.apply(callback, self, args);
  domain.exit();
  return result;
}

/** Gives an uncaught error to the domain that was active; false where nobody wants it. */
function handle(domain: Domain, error: unknown): boolean {
  const list = freshStack();
  let handler: Domain | undefined = domain;
  while (handler) {
    if (!Reflect.apply(EventEmitter.prototype.listenerCount, handler, ["error"])) {
      // The domain around it, if there is one.
      const at = list.lastIndexOf(handler);
      handler = at > 0 ? list[at - 1] : undefined;
      continue;
    }
    decorate(error, { domain: handler, domainThrown: true });
    const at = entryOf(list, handler);
    const outer = at > 0 ? list[at - 1] : undefined;
    // While the handler runs its own domain is not active: what it throws is the business of the one around it.
    list.splice(Math.max(at, 0));
    activate(outer);
    try {
      const caught = Reflect.apply(emitAny, handler, ["error", error]) as boolean;
      clear();
      return caught;
    } catch (thrown) {
      if (outer === undefined) throw thrown;
      error = thrown;
      handler = outer;
    }
  }
  return false;
}

guardCaptureCallback(new Error("require(`domain`) at this point").stack!);
addUncaughtExceptionCaptureCallback((error: unknown) => {
  const active = storage.getStore();
  if (active && handle(active, error)) return true;
  // Listeners of 'uncaughtException' are outside of all domains.
  clear();
  return false;
});

native("napi").useDomains();

// So that AsyncResource objects made within a domain have the property too.
tracking.made = (resource) => {
  const active = storage.getStore();
  if (active) decorate(resource, { domain: active });
};

// Emitters belong to the domain that is active when they are made.
EventEmitter.usingDomains = true;
EventEmitter.init = function (this: Member, options) {
  defineProperty(this, "domain", {
    __proto__: null,
    configurable: true,
    enumerable: false,
    value: null,
    writable: true,
  } as PropertyDescriptor);
  const active = storage.getStore();
  if (active) this.domain = active;
  return Reflect.apply(initAny, this, [options]);
};

// No spreading: programs in a REPL may break the iteration of arrays.
EventEmitter.prototype.emit = function emit(this: Emitter & Member, type, first?: unknown) {
  const domain = this.domain;
  if (domain === null || domain === undefined || this === process) return Reflect.apply(emitAny, this, arguments);
  if (type === "error" && this.listenerCount("error") === 0) {
    const error = first ? first : new codes.ERR_UNHANDLED_ERROR(first);
    decorate(error, { domainEmitter: this, domain, domainThrown: false });
    // Without the emitter's domain, and those within it, being active.
    const list = freshStack();
    const saved = [...list];
    const at = entryOf(list, domain);
    if (at >= 0) list.splice(at);
    activate(list.at(-1) ?? null);
    Reflect.apply(EventEmitter.prototype.emit, domain, ["error", error]);
    stack = saved;
    activate(saved.at(-1));
    return false;
  }
  domain.enter();
  const result = Reflect.apply(emitAny, this, arguments);
  domain.exit();
  return result;
};

const active = {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get: () => storage.getStore() ?? idle,
  set: (domain: Domain | null | undefined) => activate(domain),
};
defineProperty(process, "domain", active);

/** A new Domain. */
function create() {
  return new Domain();
}

const domainModule = {
  get _stack() {
    return freshStack();
  },
  set _stack(list: Domain[]) {
    stack = list;
  },
  Domain,
  createDomain: create,
  create,
};
defineProperty(domainModule, "active", { ...active, __proto__: null } as PropertyDescriptor);

export default domainModule;
