// What kind of object a value is, by the engine's internal class and not by what its properties say. Functions as in
// `node:util/types` (https://nodejs.org/api/util.html#utiltypes).

const ops = native("inspect");

/**
 * The internal class of an object, as a number of this list:
 *
 * 0 none of the below (and primitives); 1 Map; 2 Set; 3 Map iterator; 4 Set iterator; 5 WeakMap; 6 WeakSet; 7 Promise;
 * 8 Date; 9 RegExp; 10 Error (any of the engine's error classes); 11 ArrayBuffer; 12 SharedArrayBuffer; 13 arguments;
 * 14 Boolean; 15 Number; 16 String; 17 Symbol; 18 BigInt (these: boxed); 19 module namespace; 20 generator object (async
 * or not); 21 Proxy (made by `new Proxy`, revoked or not; never looked through); 22 external pointer; 23 WeakRef.
 */
export const classOf: (value: unknown) => number = ops.classOf;

export const kMap = 1;
export const kSet = 2;
export const kMapIterator = 3;
export const kSetIterator = 4;
export const kWeakMap = 5;
export const kWeakSet = 6;
export const kPromise = 7;
export const kDate = 8;
export const kRegExp = 9;
export const kError = 10;
export const kArrayBuffer = 11;
export const kSharedArrayBuffer = 12;
export const kArguments = 13;
export const kBoolean = 14;
export const kNumber = 15;
export const kString = 16;
export const kSymbol = 17;
export const kBigInt = 18;
export const kModule = 19;
export const kGenerator = 20;
export const kProxy = 21;
export const kExternal = 22;
export const kWeakRef = 23;

const { isView } = ArrayBuffer;
const { toString: functionToString } = Function.prototype;
const { getPrototypeOf, hasOwn } = Object;
const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
const tagOfTypedArray: () => string | undefined = Object.getOwnPropertyDescriptor(
  typedArrayPrototype,
  Symbol.toStringTag,
)!.get!;
/** Any of the classes that inherit from %TypedArray%. */
export type TypedArray =
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float16Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

const { call } = Function.prototype;
// `typedArrayTag(v)`: the class name of a typed array, undefined for anything else.
export const typedArrayTag: (value: unknown) => string | undefined = call.bind(tagOfTypedArray);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

export const isMap = (value: unknown): value is Map<unknown, unknown> => isObject(value) && classOf(value) === kMap;
export const isSet = (value: unknown): value is Set<unknown> => isObject(value) && classOf(value) === kSet;
export const isMapIterator = (value: unknown) => isObject(value) && classOf(value) === kMapIterator;
export const isSetIterator = (value: unknown) => isObject(value) && classOf(value) === kSetIterator;
export const isWeakMap = (value: unknown): value is WeakMap<WeakKey, unknown> =>
  isObject(value) && classOf(value) === kWeakMap;
export const isWeakSet = (value: unknown): value is WeakSet<WeakKey> => isObject(value) && classOf(value) === kWeakSet;
export const isPromise = (value: unknown): value is Promise<unknown> => isObject(value) && classOf(value) === kPromise;
export const isDate = (value: unknown): value is Date => isObject(value) && classOf(value) === kDate;
export const isRegExp = (value: unknown): value is RegExp => isObject(value) && classOf(value) === kRegExp;
export const isNativeError = (value: unknown): value is Error => isObject(value) && classOf(value) === kError;
export const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  isObject(value) && classOf(value) === kArrayBuffer;
export const isSharedArrayBuffer = (value: unknown): value is SharedArrayBuffer =>
  isObject(value) && classOf(value) === kSharedArrayBuffer;
export const isArgumentsObject = (value: unknown) => isObject(value) && classOf(value) === kArguments;
export const isBooleanObject = (value: unknown): value is Boolean => isObject(value) && classOf(value) === kBoolean;
export const isNumberObject = (value: unknown): value is Number => isObject(value) && classOf(value) === kNumber;
export const isStringObject = (value: unknown): value is String => isObject(value) && classOf(value) === kString;
export const isSymbolObject = (value: unknown): value is Symbol => isObject(value) && classOf(value) === kSymbol;
export const isBigIntObject = (value: unknown) => isObject(value) && classOf(value) === kBigInt;
export const isModuleNamespaceObject = (value: unknown) => isObject(value) && classOf(value) === kModule;
export const isGeneratorObject = (value: unknown) => isObject(value) && classOf(value) === kGenerator;
export const isExternal = (value: unknown) => isObject(value) && classOf(value) === kExternal;

export function isProxy(value: unknown): boolean {
  return ((typeof value === "object" && value !== null) || typeof value === "function") && classOf(value) === kProxy;
}

export function isAnyArrayBuffer(value: unknown): value is ArrayBufferLike {
  if (!isObject(value)) return false;
  const kind = classOf(value);
  return kind === kArrayBuffer || kind === kSharedArrayBuffer;
}

export function isBoxedPrimitive(value: unknown): boolean {
  if (!isObject(value)) return false;
  const kind = classOf(value);
  return kind >= kBoolean && kind <= kBigInt;
}

export const isArrayBufferView: (value: unknown) => value is ArrayBufferView = isView;
export const isTypedArray = (value: unknown): value is TypedArray => typedArrayTag(value) !== undefined;
export const isDataView = (value: unknown): value is DataView => isView(value) && typedArrayTag(value) === undefined;
export const isUint8Array = (value: unknown): value is Uint8Array => typedArrayTag(value) === "Uint8Array";
export const isUint8ClampedArray = (value: unknown): value is Uint8ClampedArray =>
  typedArrayTag(value) === "Uint8ClampedArray";
export const isUint16Array = (value: unknown): value is Uint16Array => typedArrayTag(value) === "Uint16Array";
export const isUint32Array = (value: unknown): value is Uint32Array => typedArrayTag(value) === "Uint32Array";
export const isInt8Array = (value: unknown): value is Int8Array => typedArrayTag(value) === "Int8Array";
export const isInt16Array = (value: unknown): value is Int16Array => typedArrayTag(value) === "Int16Array";
export const isInt32Array = (value: unknown): value is Int32Array => typedArrayTag(value) === "Int32Array";
export const isFloat16Array = (value: unknown): value is Float16Array => typedArrayTag(value) === "Float16Array";
export const isFloat32Array = (value: unknown): value is Float32Array => typedArrayTag(value) === "Float32Array";
export const isFloat64Array = (value: unknown): value is Float64Array => typedArrayTag(value) === "Float64Array";
export const isBigInt64Array = (value: unknown): value is BigInt64Array => typedArrayTag(value) === "BigInt64Array";
export const isBigUint64Array = (value: unknown): value is BigUint64Array => typedArrayTag(value) === "BigUint64Array";

// The engine keeps the kind of a function in its script, which has no public reader; the function's first prototype
// says it, and where that was set by hand, the source text.
const asyncSource = /^async\b/;
const generatorSource = /^(?:async\b\s*)?(?:function\s*)?\*/;

let asyncPrototype: object | undefined;
let generatorPrototype: object | undefined;
let asyncGeneratorPrototype: object | undefined;

function functionPrototypes() {
  asyncPrototype = getPrototypeOf(async () => {});
  generatorPrototype = getPrototypeOf(function* () {});
  asyncGeneratorPrototype = getPrototypeOf(async function* () {});
}

function sourceOf(value: Function): string {
  const source = functionToString.call(value);
  return source.includes("/*") || source.includes("//") ? source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*\n/g, " ") : source;
}

/** Async functions and async generator functions. */
export function isAsyncFunction(value: unknown): boolean {
  if (typeof value !== "function" || classOf(value) === kProxy) return false;
  const prototype = getPrototypeOf(value);
  if (prototype === Function.prototype) return false;
  if (asyncPrototype === undefined) functionPrototypes();
  // A bound function has the prototype of what it calls and is not one itself.
  if (prototype === asyncPrototype && !hasOwn(value, "prototype"))
    return !(`${value.name}`.startsWith("bound ") && functionToString.call(value).endsWith("[native code]\n}"));
  const source = sourceOf(value);
  return asyncSource.test(source) || (prototype === asyncGeneratorPrototype && source.endsWith("[native code] }"));
}

/** Generator functions and async generator functions. */
export function isGeneratorFunction(value: unknown): boolean {
  if (typeof value !== "function" || classOf(value) === kProxy) return false;
  const prototype = getPrototypeOf(value);
  if (prototype === Function.prototype || !hasOwn(value, "prototype")) return false;
  if (asyncPrototype === undefined) functionPrototypes();
  const source = sourceOf(value);
  return (
    generatorSource.test(source) ||
    ((prototype === generatorPrototype || prototype === asyncGeneratorPrototype) && source.endsWith("[native code] }"))
  );
}

function inheritsFromClassNamed(value: unknown, name: string): boolean {
  if (!isObject(value) || classOf(value) === kProxy) return false;
  for (let object = getPrototypeOf(value); object !== null; object = getPrototypeOf(object)) {
    if (classOf(object) === kProxy) return false;
    const constructor = Object.getOwnPropertyDescriptor(object, "constructor");
    if (constructor !== undefined && constructor.value?.name === name) return true;
  }
  return false;
}

/** Instances of `KeyObject` of node:crypto; that module is loaded only for values that look like one. */
export function isKeyObject(value: unknown): boolean {
  return inheritsFromClassNamed(value, "KeyObject") && value instanceof require("node:crypto").KeyObject;
}

/** Instances of the global `CryptoKey`. */
export function isCryptoKey(value: unknown): boolean {
  return inheritsFromClassNamed(value, "CryptoKey") && value instanceof globalThis.CryptoKey;
}
