// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  html: {
    /** A rewriter without handlers. */
    newTemplate(): Native.Template;
    /**
     * Registers handlers for elements that `selector` matches; `kinds`: 1 element, 2 comments, 4 text. An Error says what
     * is wrong with the selector.
     */
    addElement(template: Native.Template, selector: string, kinds: number): void;
    /** Registers handlers of the document; `kinds`: 2 comments, 4 text, 8 doctype, 16 end. */
    addDocument(template: Native.Template, kinds: number): void;
    /** Begins a document. */
    start(template: Native.Template): Native.Rewriter;
    /**
     * Parses bytes, which are copied. 0: all are taken; 0xffffffff: `takeFailure` says what is wrong; else a handler is to
     * be called and `proceed` after it: 1 + kind + 8 * place. Kinds: 0 element, 1 comment, 2 text, 3 doctype, 4 end of the
     * document, whose place is that of the registration; 5 end tag, whose place is the number given to `onEndTag`.
     */
    write(rewriter: Native.Rewriter, bytes: Native.Bytes): number;
    /** Parses what is left at the end of the document. As `write`. */
    end(rewriter: Native.Rewriter): number;
    /** Goes on after a handler. As `write`. */
    proceed(rewriter: Native.Rewriter): number;
    /** Gives the rest of the document up. */
    stop(rewriter: Native.Rewriter): void;
    /** The bytes that have come out since the last call. */
    takeOutput(rewriter: Native.Rewriter): Uint8Array<ArrayBuffer>;
    /** The message of what has gone wrong. */
    takeFailure(rewriter: Native.Rewriter): string | undefined;
    /** Inserts content. `place`: 0 before, 1 after, 2 prepend, 3 append, 4 replace, 5 set inner content. */
    insert(rewriter: Native.Rewriter, place: number, content: string, html: boolean): void;
    /** Removes an element with its content, a text chunk, a comment, a doctype or an end tag. */
    remove(rewriter: Native.Rewriter): void;
    /** Removes the tags of an element. */
    removeAndKeepContent(rewriter: Native.Rewriter): void;
    /** Whether it is removed or replaced. */
    isRemoved(rewriter: Native.Rewriter): boolean | undefined;
    /** The name of an element or an end tag in lower case. */
    name(rewriter: Native.Rewriter): string | undefined;
    /** Renames an element or an end tag. A string says what is wrong with the name. */
    setName(rewriter: Native.Rewriter, name: string): string | undefined;
    /** The text of a chunk or a comment. */
    text(rewriter: Native.Rewriter): string | undefined;
    /** Changes the text of a comment. A string says what is wrong with it. */
    setText(rewriter: Native.Rewriter, text: string): string | undefined;
    /** Whether a chunk is the last one of its text node. */
    isLastInTextNode(rewriter: Native.Rewriter): boolean | undefined;
    /** Name, public id and system id of a doctype. */
    doctype(rewriter: Native.Rewriter): [string | undefined, string | undefined, string | undefined] | undefined;
    /** The namespace of an element. */
    namespaceUri(rewriter: Native.Rewriter): string | undefined;
    /** Whether the tag of an element ends with `/>`. */
    isSelfClosing(rewriter: Native.Rewriter): boolean | undefined;
    /** Whether an element is not void and has an end tag. */
    canHaveContent(rewriter: Native.Rewriter): boolean | undefined;
    /** Names and values of an element's attributes, by turns. */
    attributes(rewriter: Native.Rewriter): string[] | undefined;
    /** The value of an attribute. */
    getAttribute(rewriter: Native.Rewriter, name: string): string | undefined;
    /** Whether an element has an attribute. */
    hasAttribute(rewriter: Native.Rewriter, name: string): boolean | undefined;
    /** Sets an attribute. A string says what is wrong with its name. */
    setAttribute(rewriter: Native.Rewriter, name: string, value: string): string | undefined;
    /** Removes an attribute. */
    removeAttribute(rewriter: Native.Rewriter, name: string): void;
    /**
     * Has the rewriter stop at the end tag of the element as well; one of the same element before that is forgotten. Gives
     * the place of that event, or undefined if the element has no end tag.
     */
    onEndTag(rewriter: Native.Rewriter): number | undefined;
  };
}
