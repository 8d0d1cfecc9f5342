// The names of matchers and of chai's words: what an expectation has before the file that implements them is loaded.
//
// A method of a class costs less than a function made at start, and most runs need few of them: the first call of one loads its file,
// which puts its own onto the prototype of `Expectation`, before what is here.

/** What every expectation inherits from. */
export class LazyMatchers {
  // matchers_values.ts
  toEqual(): unknown {
    return loaded(this, "values", "toEqual", arguments);
  }
  toStrictEqual(): unknown {
    return loaded(this, "values", "toStrictEqual", arguments);
  }
  toMatchObject(): unknown {
    return loaded(this, "values", "toMatchObject", arguments);
  }
  toBeInstanceOf(): unknown {
    return loaded(this, "values", "toBeInstanceOf", arguments);
  }
  toSatisfy(): unknown {
    return loaded(this, "values", "toSatisfy", arguments);
  }
  toBeTruthy(): unknown {
    return loaded(this, "values", "toBeTruthy", arguments);
  }
  toBeFalsy(): unknown {
    return loaded(this, "values", "toBeFalsy", arguments);
  }
  toBeDefined(): unknown {
    return loaded(this, "values", "toBeDefined", arguments);
  }
  toBeUndefined(): unknown {
    return loaded(this, "values", "toBeUndefined", arguments);
  }
  toBeNull(): unknown {
    return loaded(this, "values", "toBeNull", arguments);
  }
  toBeNullable(): unknown {
    return loaded(this, "values", "toBeNullable", arguments);
  }
  toBeNil(): unknown {
    return loaded(this, "values", "toBeNil", arguments);
  }
  toBeNaN(): unknown {
    return loaded(this, "values", "toBeNaN", arguments);
  }
  toBeOdd(): unknown {
    return loaded(this, "values", "toBeOdd", arguments);
  }
  toBeEven(): unknown {
    return loaded(this, "values", "toBeEven", arguments);
  }
  toBeArray(): unknown {
    return loaded(this, "values", "toBeArray", arguments);
  }
  toBeBoolean(): unknown {
    return loaded(this, "values", "toBeBoolean", arguments);
  }
  toBeTrue(): unknown {
    return loaded(this, "values", "toBeTrue", arguments);
  }
  toBeFalse(): unknown {
    return loaded(this, "values", "toBeFalse", arguments);
  }
  toBeNumber(): unknown {
    return loaded(this, "values", "toBeNumber", arguments);
  }
  toBeInteger(): unknown {
    return loaded(this, "values", "toBeInteger", arguments);
  }
  toBeFinite(): unknown {
    return loaded(this, "values", "toBeFinite", arguments);
  }
  toBePositive(): unknown {
    return loaded(this, "values", "toBePositive", arguments);
  }
  toBeNegative(): unknown {
    return loaded(this, "values", "toBeNegative", arguments);
  }
  toBeSymbol(): unknown {
    return loaded(this, "values", "toBeSymbol", arguments);
  }
  toBeFunction(): unknown {
    return loaded(this, "values", "toBeFunction", arguments);
  }
  toBeString(): unknown {
    return loaded(this, "values", "toBeString", arguments);
  }
  toBeDate(): unknown {
    return loaded(this, "values", "toBeDate", arguments);
  }
  toBeValidDate(): unknown {
    return loaded(this, "values", "toBeValidDate", arguments);
  }
  toBeEmptyObject(): unknown {
    return loaded(this, "values", "toBeEmptyObject", arguments);
  }
  toBeObject(): unknown {
    return loaded(this, "values", "toBeObject", arguments);
  }
  toBeEmpty(): unknown {
    return loaded(this, "values", "toBeEmpty", arguments);
  }
  toBeArrayOfSize(): unknown {
    return loaded(this, "values", "toBeArrayOfSize", arguments);
  }
  toBeTypeOf(): unknown {
    return loaded(this, "values", "toBeTypeOf", arguments);
  }
  pass(): unknown {
    return loaded(this, "values", "pass", arguments);
  }
  fail(): unknown {
    return loaded(this, "values", "fail", arguments);
  }
  toBeGreaterThan(): unknown {
    return loaded(this, "values", "toBeGreaterThan", arguments);
  }
  toBeGreaterThanOrEqual(): unknown {
    return loaded(this, "values", "toBeGreaterThanOrEqual", arguments);
  }
  toBeLessThan(): unknown {
    return loaded(this, "values", "toBeLessThan", arguments);
  }
  toBeLessThanOrEqual(): unknown {
    return loaded(this, "values", "toBeLessThanOrEqual", arguments);
  }
  toBeCloseTo(): unknown {
    return loaded(this, "values", "toBeCloseTo", arguments);
  }
  toBeWithin(): unknown {
    return loaded(this, "values", "toBeWithin", arguments);
  }

  // matchers_containers.ts
  toContain(): unknown {
    return loaded(this, "containers", "toContain", arguments);
  }
  toContainEqual(): unknown {
    return loaded(this, "containers", "toContainEqual", arguments);
  }
  toBeOneOf(): unknown {
    return loaded(this, "containers", "toBeOneOf", arguments);
  }
  toContainKey(): unknown {
    return loaded(this, "containers", "toContainKey", arguments);
  }
  toContainValue(): unknown {
    return loaded(this, "containers", "toContainValue", arguments);
  }
  toHaveLength(): unknown {
    return loaded(this, "containers", "toHaveLength", arguments);
  }
  toContainKeys(): unknown {
    return loaded(this, "containers", "toContainKeys", arguments);
  }
  toContainAllKeys(): unknown {
    return loaded(this, "containers", "toContainAllKeys", arguments);
  }
  toContainAnyKeys(): unknown {
    return loaded(this, "containers", "toContainAnyKeys", arguments);
  }
  toContainValues(): unknown {
    return loaded(this, "containers", "toContainValues", arguments);
  }
  toContainAllValues(): unknown {
    return loaded(this, "containers", "toContainAllValues", arguments);
  }
  toContainAnyValues(): unknown {
    return loaded(this, "containers", "toContainAnyValues", arguments);
  }
  toHaveProperty(): unknown {
    return loaded(this, "containers", "toHaveProperty", arguments);
  }

  // matchers_texts.ts
  toInclude(): unknown {
    return loaded(this, "texts", "toInclude", arguments);
  }
  toStartWith(): unknown {
    return loaded(this, "texts", "toStartWith", arguments);
  }
  toEndWith(): unknown {
    return loaded(this, "texts", "toEndWith", arguments);
  }
  toMatch(): unknown {
    return loaded(this, "texts", "toMatch", arguments);
  }
  toEqualIgnoringWhitespace(): unknown {
    return loaded(this, "texts", "toEqualIgnoringWhitespace", arguments);
  }
  toIncludeRepeated(): unknown {
    return loaded(this, "texts", "toIncludeRepeated", arguments);
  }

  // matchers_errors.ts
  toThrow(): unknown {
    return loaded(this, "errors", "toThrow", arguments);
  }
  toThrowError(): unknown {
    return loaded(this, "errors", "toThrowError", arguments);
  }

  // matchers_calls.ts
  toHaveBeenCalled(): unknown {
    return loaded(this, "calls", "toHaveBeenCalled", arguments);
  }
  toBeCalled(): unknown {
    return loaded(this, "calls", "toBeCalled", arguments);
  }
  toHaveBeenCalledOnce(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledOnce", arguments);
  }
  toHaveBeenCalledTimes(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledTimes", arguments);
  }
  toBeCalledTimes(): unknown {
    return loaded(this, "calls", "toBeCalledTimes", arguments);
  }
  toHaveBeenCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledWith", arguments);
  }
  toBeCalledWith(): unknown {
    return loaded(this, "calls", "toBeCalledWith", arguments);
  }
  toHaveBeenCalledExactlyOnceWith(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledExactlyOnceWith", arguments);
  }
  toHaveBeenLastCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenLastCalledWith", arguments);
  }
  lastCalledWith(): unknown {
    return loaded(this, "calls", "lastCalledWith", arguments);
  }
  toHaveBeenNthCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenNthCalledWith", arguments);
  }
  nthCalledWith(): unknown {
    return loaded(this, "calls", "nthCalledWith", arguments);
  }
  toHaveBeenCalledBefore(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledBefore", arguments);
  }
  toHaveBeenCalledAfter(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledAfter", arguments);
  }
  toHaveReturned(): unknown {
    return loaded(this, "calls", "toHaveReturned", arguments);
  }
  toReturn(): unknown {
    return loaded(this, "calls", "toReturn", arguments);
  }
  toHaveReturnedTimes(): unknown {
    return loaded(this, "calls", "toHaveReturnedTimes", arguments);
  }
  toReturnTimes(): unknown {
    return loaded(this, "calls", "toReturnTimes", arguments);
  }
  toHaveReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveReturnedWith", arguments);
  }
  toReturnWith(): unknown {
    return loaded(this, "calls", "toReturnWith", arguments);
  }
  toHaveLastReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveLastReturnedWith", arguments);
  }
  lastReturnedWith(): unknown {
    return loaded(this, "calls", "lastReturnedWith", arguments);
  }
  toHaveNthReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveNthReturnedWith", arguments);
  }
  nthReturnedWith(): unknown {
    return loaded(this, "calls", "nthReturnedWith", arguments);
  }
  toHaveResolved(): unknown {
    return loaded(this, "calls", "toHaveResolved", arguments);
  }
  toHaveResolvedTimes(): unknown {
    return loaded(this, "calls", "toHaveResolvedTimes", arguments);
  }
  toHaveResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveResolvedWith", arguments);
  }
  toHaveLastResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveLastResolvedWith", arguments);
  }
  toHaveNthResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveNthResolvedWith", arguments);
  }

  // matchers_snapshots.ts
  toMatchSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchSnapshot", arguments);
  }
  toMatchInlineSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchInlineSnapshot", arguments);
  }
  toThrowErrorMatchingSnapshot(): unknown {
    return loaded(this, "snapshots", "toThrowErrorMatchingSnapshot", arguments);
  }
  toThrowErrorMatchingInlineSnapshot(): unknown {
    return loaded(this, "snapshots", "toThrowErrorMatchingInlineSnapshot", arguments);
  }
  toMatchFileSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchFileSnapshot", arguments);
  }

  // chai's words, which vitest's `expect` has too (chai.ts). Not a proxy behind the prototype: every field of a new object asks it.
  get to(): unknown {
    return word(this, "to");
  }
  get be(): unknown {
    return word(this, "be");
  }
  get been(): unknown {
    return word(this, "been");
  }
  get is(): unknown {
    return word(this, "is");
  }
  get that(): unknown {
    return word(this, "that");
  }
  get which(): unknown {
    return word(this, "which");
  }
  get and(): unknown {
    return word(this, "and");
  }
  get has(): unknown {
    return word(this, "has");
  }
  get have(): unknown {
    return word(this, "have");
  }
  get with(): unknown {
    return word(this, "with");
  }
  get at(): unknown {
    return word(this, "at");
  }
  get of(): unknown {
    return word(this, "of");
  }
  get same(): unknown {
    return word(this, "same");
  }
  get but(): unknown {
    return word(this, "but");
  }
  get does(): unknown {
    return word(this, "does");
  }
  get still(): unknown {
    return word(this, "still");
  }
  get also(): unknown {
    return word(this, "also");
  }
  get deep(): unknown {
    return word(this, "deep");
  }
  get nested(): unknown {
    return word(this, "nested");
  }
  get own(): unknown {
    return word(this, "own");
  }
  get ordered(): unknown {
    return word(this, "ordered");
  }
  get any(): unknown {
    return word(this, "any");
  }
  get all(): unknown {
    return word(this, "all");
  }
  get itself(): unknown {
    return word(this, "itself");
  }
  get equal(): unknown {
    return word(this, "equal");
  }
  get equals(): unknown {
    return word(this, "equals");
  }
  get eq(): unknown {
    return word(this, "eq");
  }
  get eql(): unknown {
    return word(this, "eql");
  }
  get eqls(): unknown {
    return word(this, "eqls");
  }
  get above(): unknown {
    return word(this, "above");
  }
  get gt(): unknown {
    return word(this, "gt");
  }
  get greaterThan(): unknown {
    return word(this, "greaterThan");
  }
  get least(): unknown {
    return word(this, "least");
  }
  get gte(): unknown {
    return word(this, "gte");
  }
  get greaterThanOrEqual(): unknown {
    return word(this, "greaterThanOrEqual");
  }
  get below(): unknown {
    return word(this, "below");
  }
  get lt(): unknown {
    return word(this, "lt");
  }
  get lessThan(): unknown {
    return word(this, "lessThan");
  }
  get most(): unknown {
    return word(this, "most");
  }
  get lte(): unknown {
    return word(this, "lte");
  }
  get lessThanOrEqual(): unknown {
    return word(this, "lessThanOrEqual");
  }
  get within(): unknown {
    return word(this, "within");
  }
  get instanceof(): unknown {
    return word(this, "instanceof");
  }
  get instanceOf(): unknown {
    return word(this, "instanceOf");
  }
  get property(): unknown {
    return word(this, "property");
  }
  get ownProperty(): unknown {
    return word(this, "ownProperty");
  }
  get haveOwnProperty(): unknown {
    return word(this, "haveOwnProperty");
  }
  get ownPropertyDescriptor(): unknown {
    return word(this, "ownPropertyDescriptor");
  }
  get haveOwnPropertyDescriptor(): unknown {
    return word(this, "haveOwnPropertyDescriptor");
  }
  get match(): unknown {
    return word(this, "match");
  }
  get matches(): unknown {
    return word(this, "matches");
  }
  get string(): unknown {
    return word(this, "string");
  }
  get keys(): unknown {
    return word(this, "keys");
  }
  get key(): unknown {
    return word(this, "key");
  }
  get throw(): unknown {
    return word(this, "throw");
  }
  get throws(): unknown {
    return word(this, "throws");
  }
  get Throw(): unknown {
    return word(this, "Throw");
  }
  get respondTo(): unknown {
    return word(this, "respondTo");
  }
  get respondsTo(): unknown {
    return word(this, "respondsTo");
  }
  get satisfy(): unknown {
    return word(this, "satisfy");
  }
  get satisfies(): unknown {
    return word(this, "satisfies");
  }
  get closeTo(): unknown {
    return word(this, "closeTo");
  }
  get approximately(): unknown {
    return word(this, "approximately");
  }
  get members(): unknown {
    return word(this, "members");
  }
  get oneOf(): unknown {
    return word(this, "oneOf");
  }
  get containSubset(): unknown {
    return word(this, "containSubset");
  }
  get change(): unknown {
    return word(this, "change");
  }
  get changes(): unknown {
    return word(this, "changes");
  }
  get increase(): unknown {
    return word(this, "increase");
  }
  get increases(): unknown {
    return word(this, "increases");
  }
  get decrease(): unknown {
    return word(this, "decrease");
  }
  get decreases(): unknown {
    return word(this, "decreases");
  }
  get callCount(): unknown {
    return word(this, "callCount");
  }
  get calledWith(): unknown {
    return word(this, "calledWith");
  }
  get calledOnceWith(): unknown {
    return word(this, "calledOnceWith");
  }
  get ok(): unknown {
    return word(this, "ok");
  }
  get true(): unknown {
    return word(this, "true");
  }
  get false(): unknown {
    return word(this, "false");
  }
  get callable(): unknown {
    return word(this, "callable");
  }
  get null(): unknown {
    return word(this, "null");
  }
  get undefined(): unknown {
    return word(this, "undefined");
  }
  get NaN(): unknown {
    return word(this, "NaN");
  }
  get exist(): unknown {
    return word(this, "exist");
  }
  get exists(): unknown {
    return word(this, "exists");
  }
  get numeric(): unknown {
    return word(this, "numeric");
  }
  get iterable(): unknown {
    return word(this, "iterable");
  }
  get empty(): unknown {
    return word(this, "empty");
  }
  get arguments(): unknown {
    return word(this, "arguments");
  }
  get Arguments(): unknown {
    return word(this, "Arguments");
  }
  get extensible(): unknown {
    return word(this, "extensible");
  }
  get sealed(): unknown {
    return word(this, "sealed");
  }
  get frozen(): unknown {
    return word(this, "frozen");
  }
  get finite(): unknown {
    return word(this, "finite");
  }
  get called(): unknown {
    return word(this, "called");
  }
  get calledOnce(): unknown {
    return word(this, "calledOnce");
  }
  get calledTwice(): unknown {
    return word(this, "calledTwice");
  }
  get calledThrice(): unknown {
    return word(this, "calledThrice");
  }
  get a(): unknown {
    return word(this, "a");
  }
  get an(): unknown {
    return word(this, "an");
  }
  get include(): unknown {
    return word(this, "include");
  }
  get includes(): unknown {
    return word(this, "includes");
  }
  get contain(): unknown {
    return word(this, "contain");
  }
  get contains(): unknown {
    return word(this, "contains");
  }
  get length(): unknown {
    return word(this, "length");
  }
  get lengthOf(): unknown {
    return word(this, "lengthOf");
  }
}

/** A matcher's `this` has to be what `expect` gave. */
export function checkReceiver(value: unknown): void {
  if (value instanceof LazyMatchers && (value as { settling?: unknown }).settling !== undefined) return;
  throw require("internal/test/bun_test/receiver").invalidThis("Expect", value);
}

/** Loads the file of a matcher, which puts its own in the place of what is in the class, and calls it. */
function loaded(expectation: LazyMatchers, file: string, name: string, args: IArguments): unknown {
  checkReceiver(expectation);
  (require(`internal/test/bun_test/matchers_${file}` as BuiltinId) as { install(): void }).install();
  return (expectation as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
}

/** Loads chai's words, which put themselves in the place of what is in the class, and gives the one that was asked for. */
function word(expectation: LazyMatchers, name: string): unknown {
  require("internal/test/bun_test/chai").install();
  return expectation[name as keyof LazyMatchers];
}
