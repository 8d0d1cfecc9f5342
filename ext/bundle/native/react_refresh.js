// React Fast Refresh for pages of the development server whose project has React, but not its package `react-refresh`: the same
// functions, on what React's renderers offer to DevTools (`scheduleRefresh`, `setRefreshHandler`, `scheduleRoot`).
// How it is to behave: https://github.com/facebook/react/issues/16604
"use strict";

/** A component over its versions: `current` is the last one. */
const families = new Map();
const familyOf = new WeakMap();
/** What hooks a function has called: key, whether its state is to go, and the hooks of its own that it uses. */
const signatures = new WeakMap();
/** Renderers by number. */
const renderers = new Map();
/** Roots that are mounted, with their renderer; and those whose last render has thrown, with what they were to show. */
const mounted = new Map();
const broken = new Map();
/** What each root was last told to show: a root that has thrown has forgotten it. */
const elements = new WeakMap();
let pending = [];
let isRefreshing = false;

const MEMO = Symbol.for("react.memo");
const FORWARD_REF = Symbol.for("react.forward_ref");

const isObject = (value) => typeof value === "object" && value !== null;

function register(type, id) {
  if ((typeof type !== "function" && !isObject(type)) || familyOf.has(type)) return;
  let family = families.get(id);
  if (family === undefined) families.set(id, (family = { current: type }));
  else pending.push([family, type]);
  familyOf.set(type, family);
  // What a wrapper renders is a component of its own.
  if (!isObject(type)) return;
  if (type.$$typeof === FORWARD_REF) register(type.render, `${id}$render`);
  else if (type.$$typeof === MEMO) register(type.type, `${id}$type`);
}

function setSignature(type, key, forceReset = false, getCustomHooks = () => []) {
  if (!signatures.has(type)) signatures.set(type, { key, forceReset, getCustomHooks, full: undefined });
  if (isObject(type)) {
    if (type.$$typeof === FORWARD_REF) setSignature(type.render, key, forceReset, getCustomHooks);
    else if (type.$$typeof === MEMO) setSignature(type.type, key, forceReset, getCustomHooks);
  }
}

/** The keys of a function and of the hooks that it uses, in one text. */
function fullKey(signature) {
  if (signature.full !== undefined) return signature.full;
  let full = signature.key;
  let hooks;
  try {
    hooks = signature.getCustomHooks();
  } catch {
    signature.forceReset = true;
    return (signature.full = full);
  }
  for (const hook of hooks) {
    const inner = typeof hook === "function" ? signatures.get(hook) : undefined;
    if (inner === undefined) {
      if (typeof hook !== "function") signature.forceReset = true;
      continue;
    }
    full += `\n---\n${fullKey(inner)}`;
    if (inner.forceReset) signature.forceReset = true;
  }
  return (signature.full = full);
}

/** Whether the state of a component may stay when its function changes. */
function keepsState(before, after) {
  const isClass = (type) => typeof type === "function" && type.prototype?.isReactComponent !== undefined;
  if (isClass(before) || isClass(after)) return false;
  if (isObject(before) !== isObject(after) || (isObject(before) && before.$$typeof !== after.$$typeof)) return false;
  const old = signatures.get(before);
  const next = signatures.get(after);
  if (old === undefined && next === undefined) return true;
  return old !== undefined && next !== undefined && fullKey(old) === fullKey(next) && !next.forceReset;
}

function performReactRefresh() {
  if (pending.length === 0 || isRefreshing) return null;
  isRefreshing = true;
  try {
    const updatedFamilies = new Set();
    const staleFamilies = new Set();
    for (const [family, type] of pending.splice(0)) {
      const before = family.current;
      // Old elements still have the old type: React finds the family by it.
      familyOf.set(before, family);
      familyOf.set(type, family);
      family.current = type;
      (keepsState(before, type) ? updatedFamilies : staleFamilies).add(family);
    }
    const update = { updatedFamilies, staleFamilies };
    for (const renderer of renderers.values()) renderer.setRefreshHandler((type) => familyOf.get(type));
    let problem;
    const attempt = (act) => {
      try {
        act();
      } catch (error) {
        problem ??= { error };
      }
    };
    for (const [root, renderer] of [...broken]) {
      const element = elements.get(root);
      if (element !== undefined) attempt(() => renderer.scheduleRoot(root, element));
    }
    for (const [root, renderer] of [...mounted]) attempt(() => renderer.scheduleRefresh(root, update));
    if (problem !== undefined) throw problem.error;
    return update;
  } finally {
    isRefreshing = false;
  }
}

function injectIntoGlobalHook(scope) {
  let count = 0;
  const hook = (scope.__REACT_DEVTOOLS_GLOBAL_HOOK__ ??= {
    renderers: new Map(),
    supportsFiber: true,
    inject: () => count++,
    onScheduleFiberRoot() {},
    onCommitFiberRoot() {},
    onCommitFiberUnmount() {},
  });
  // DevTools may have turned itself off.
  if (hook.isDisabled) return;
  const take = (id, renderer) => {
    if (typeof renderer.scheduleRefresh === "function" && typeof renderer.setRefreshHandler === "function")
      renderers.set(id, renderer);
  };
  const { inject, onScheduleFiberRoot, onCommitFiberRoot } = hook;
  hook.inject = function (renderer) {
    const id = inject.apply(this, arguments);
    take(id, renderer);
    return id;
  };
  hook.renderers?.forEach((renderer, id) => take(id, renderer));
  hook.onScheduleFiberRoot = function (id, root, children) {
    if (!isRefreshing) {
      broken.delete(root);
      elements.set(root, children);
    }
    return onScheduleFiberRoot?.apply(this, arguments);
  };
  hook.onCommitFiberRoot = function (id, root, _priority, didError) {
    const renderer = renderers.get(id);
    if (renderer !== undefined) {
      const { current } = root;
      const isMounted = isObject(current.memoizedState) && current.memoizedState.element !== null;
      const wasMounted = mounted.has(root);
      if (isMounted) {
        mounted.set(root, renderer);
        broken.delete(root);
      } else {
        mounted.delete(root);
        // A root that its program has emptied is none that has failed.
        if (wasMounted && didError) broken.set(root, renderer);
      }
    }
    return onCommitFiberRoot?.apply(this, arguments);
  };
}

/** What the transform of a function calls: with the function and its key where it is made, with nothing where it runs. */
function createSignatureFunctionForTransform() {
  let saved;
  let hasCustomHooks = false;
  let hasCollected = false;
  return (type, key, forceReset, getCustomHooks) => {
    if (typeof key === "string") {
      if (saved === undefined) {
        saved = type;
        hasCustomHooks = typeof getCustomHooks === "function";
      }
      if (type !== undefined && type !== null) setSignature(type, key, forceReset, getCustomHooks);
      return type;
    }
    // The first run: the hooks that it uses are all declared by now.
    if (!hasCollected && hasCustomHooks && saved !== undefined) {
      hasCollected = true;
      const signature = signatures.get(saved);
      if (signature !== undefined) fullKey(signature);
    }
    return undefined;
  };
}

function isLikelyComponentType(type) {
  if (isObject(type)) return type.$$typeof === MEMO || type.$$typeof === FORWARD_REF;
  if (typeof type !== "function") return false;
  const { prototype } = type;
  if (prototype !== undefined && prototype !== null) {
    if (prototype.isReactComponent) return true;
    // A class of something else, or a function that is used as one.
    const names = Object.getOwnPropertyNames(prototype);
    if (names.length > 1 || names[0] !== "constructor" || Object.getPrototypeOf(prototype) !== Object.prototype)
      return false;
  }
  return /^[A-Z]/.test(type.displayName ?? type.name);
}

Object.assign(exports, {
  createSignatureFunctionForTransform,
  injectIntoGlobalHook,
  isLikelyComponentType,
  performReactRefresh,
  register,
  setSignature,
});
