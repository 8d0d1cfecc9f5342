// The names of chai.ts, to know whether it is wanted.

const WORDS = new Set((
  "to be been is that which and has have with at of same but does still also deep nested own ordered any all itself equal equals eq eql " +
  "eqls above gt greaterThan least gte greaterThanOrEqual below lt lessThan most lte lessThanOrEqual within instanceof instanceOf property " +
  "ownProperty haveOwnProperty ownPropertyDescriptor haveOwnPropertyDescriptor match matches string keys key throw throws Throw respondTo " +
  "respondsTo satisfy satisfies closeTo approximately members oneOf containSubset change changes increase increases decrease decreases " +
  "callCount calledWith calledOnceWith ok true false callable null undefined NaN exist exists numeric iterable empty arguments Arguments " +
  "extensible sealed frozen finite called calledOnce calledTwice calledThrice a an include includes contain contains length lengthOf"
).split(" "));

export const isWord = (name: string): boolean => WORDS.has(name);
