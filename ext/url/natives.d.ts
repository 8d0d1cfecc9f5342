// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  url: {
    /**
     * Finds the places in a URL that is written as the parser would write it. The answer is what `scan::pack` makes of
     * them; its negative, if the input still lacks the "/" after the host; or 0, if the parser has to look at it.
     */
    scan(input: string): number;
    /** The href of a plain relative URL on a plain base; undefined, if the parser has to look at them. */
    join(input: string, base: string): string | undefined;
    /** Whether a setter would write `value` as it is. `part`: 0 path, 1 query without "?", 2 fragment without "#". */
    isPlain(value: string, part: number): boolean;
    /** Parses an absolute URL. `out`: see `layout::write`. */
    parse(input: string, out: Native.Bytes): string | true | undefined;
    /** Parses a URL against a base URL. */
    parseWithBase(input: string, base: string, out: Native.Bytes): string | true | undefined;
    /** Whether `parse` would succeed. */
    canParse(input: string): boolean;
    /** Whether `parseWithBase` would succeed. */
    canParseWithBase(input: string, base: string): boolean;
    /**
     * Runs a setter on a URL. `part` is the index of the setter in `Part`; the answer is `undefined` if the setter
     * leaves the URL as it is.
     */
    update(href: string, part: number, value: string, out: Native.Bytes): string | true | undefined;
    /** The domain in ASCII, as the host of a URL would have it; "" if it is not valid. */
    domainToAscii(domain: string): string;
    /** The domain in Unicode; "" if it is not valid. */
    domainToUnicode(domain: string): string;
    /** UTS 46 ToASCII alone, without the host parser; "" if it fails. */
    idnaToAscii(domain: string): string;
  };
}
