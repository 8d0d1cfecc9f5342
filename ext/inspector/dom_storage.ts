// The domain DOMStorage (https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/) as Node has it: items of `localStorage` and
// `sessionStorage`, or of what a program has registered in their place, and events that a program tells of.
import type { Domain, Fields, ProtocolSession } from "internal/inspector/domains";
import { ProtocolError } from "internal/inspector/domains";
import { validateBoolean, validateObject } from "internal/core/validators";

const INVALID_PARAMS = -32602;
const EVENTS = "domStorageItemAdded domStorageItemRemoved domStorageItemUpdated domStorageItemsCleared";

const sessions = new Set<ProtocolSession>();
/** What `registerStorage` was given, by `isLocalStorage`. */
const registered = new Map<boolean, Map<string, string>>();

/** `inspector.DOMStorage`. */
export const domStorage: Record<string, (params: unknown) => void> = {
  registerStorage(params) {
    validateObject(params, "params");
    const { isLocalStorage, storageMap } = params as { isLocalStorage: unknown; storageMap: unknown };
    validateBoolean(isLocalStorage, "params.isLocalStorage");
    validateObject(storageMap, "params.storageMap");
    const items = Object.entries(storageMap as Record<string, unknown>).map(
      ([key, value]) => [key, String(value)] as const,
    );
    registered.set(isLocalStorage as boolean, new Map(items));
  },
};
for (const event of EVENTS.split(" ")) {
  domStorage[event] = (params) => {
    validateObject(params, "params");
    for (const session of sessions) session.notify(`DOMStorage.${event}`, params as Fields);
  };
}

function itemsOf(isLocalStorage: boolean): [string, string][] {
  const own = registered.get(isLocalStorage);
  if (own !== undefined) return [...own];
  const storage = isLocalStorage ? globalThis.localStorage : globalThis.sessionStorage;
  if (storage === undefined) return [];
  return Array.from({ length: storage.length }, (_, index) => {
    const key = storage.key(index)!;
    return [key, storage.getItem(key)!];
  });
}

export const DOMStorage: Domain = {
  enable(session) {
    sessions.add(session);
    return {};
  },
  disable(session) {
    sessions.delete(session);
    return {};
  },
  getDOMStorageItems(_session, params) {
    const storageId = params.storageId as Fields | undefined;
    if (typeof storageId?.isLocalStorage !== "boolean") {
      throw new ProtocolError(INVALID_PARAMS, "Invalid parameters: storageId.isLocalStorage: bool value expected");
    }
    return { entries: itemsOf(storageId.isLocalStorage) };
  },
  disconnect(session) {
    sessions.delete(session);
    return {};
  },
};

export const Storage: Domain = {
  getStorageKey() {
    const file = native("process").cliOption("--localstorage-file");
    if (typeof file !== "string") return { storageKey: "node-inspector://default-dom-storage" };
    return { storageKey: require("node:url").pathToFileURL(file).href };
  },
};
