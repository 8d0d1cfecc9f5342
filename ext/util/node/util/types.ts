// node:util/types, see internal/util/types.

import * as types from "internal/util/types";

/** Whether a value is an EventTarget, as in Bun. */
function isEventTarget(value: unknown): boolean {
  return value instanceof require("web/event_target").EventTarget;
}

export default {
  isEventTarget,
  isExternal: types.isExternal,
  isDate: types.isDate,
  isArgumentsObject: types.isArgumentsObject,
  isBigIntObject: types.isBigIntObject,
  isBooleanObject: types.isBooleanObject,
  isNumberObject: types.isNumberObject,
  isStringObject: types.isStringObject,
  isSymbolObject: types.isSymbolObject,
  isBoxedPrimitive: types.isBoxedPrimitive,
  isNativeError: types.isNativeError,
  isRegExp: types.isRegExp,
  isAsyncFunction: types.isAsyncFunction,
  isGeneratorFunction: types.isGeneratorFunction,
  isGeneratorObject: types.isGeneratorObject,
  isPromise: types.isPromise,
  isMap: types.isMap,
  isSet: types.isSet,
  isMapIterator: types.isMapIterator,
  isSetIterator: types.isSetIterator,
  isWeakMap: types.isWeakMap,
  isWeakSet: types.isWeakSet,
  isArrayBuffer: types.isArrayBuffer,
  isDataView: types.isDataView,
  isSharedArrayBuffer: types.isSharedArrayBuffer,
  isProxy: types.isProxy,
  isModuleNamespaceObject: types.isModuleNamespaceObject,
  isAnyArrayBuffer: types.isAnyArrayBuffer,
  isArrayBufferView: types.isArrayBufferView,
  isTypedArray: types.isTypedArray,
  isUint8Array: types.isUint8Array,
  isUint8ClampedArray: types.isUint8ClampedArray,
  isUint16Array: types.isUint16Array,
  isUint32Array: types.isUint32Array,
  isInt8Array: types.isInt8Array,
  isInt16Array: types.isInt16Array,
  isInt32Array: types.isInt32Array,
  isFloat16Array: types.isFloat16Array,
  isFloat32Array: types.isFloat32Array,
  isFloat64Array: types.isFloat64Array,
  isBigInt64Array: types.isBigInt64Array,
  isBigUint64Array: types.isBigUint64Array,
  isKeyObject: types.isKeyObject,
  isCryptoKey: types.isCryptoKey,
};
