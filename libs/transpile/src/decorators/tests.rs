use super::mentions_decorators;

#[test]
fn comments_behind_code_are_no_decorators() {
    assert!(!mentions_decorators("const a = /* @__PURE__ */ make();"));
    assert!(!mentions_decorators("const a = /** @type {b} */ (c);"));
    assert!(!mentions_decorators("const a = /*\n  @__PURE__ */ make();"));
    assert!(mentions_decorators("const a = /* @__PURE__ */ @seen class {}"));
    assert!(mentions_decorators("export /* a */ @seen class A {}"));
    assert!(mentions_decorators("class A { /* b */ accessor c = 1 }"));
}

#[test]
fn decorators_behind_comments_are_seen() {
    assert!(mentions_decorators("// src/**\n@seen class A {}"));
    assert!(mentions_decorators("//*\n\n@seen class A {}"));
    assert!(mentions_decorators("/* a */ @seen class A {}"));
    assert!(mentions_decorators("/** a\n * b */ @seen class A {}"));
    assert!(mentions_decorators("class A {\n  /** b */ accessor c = 1\n}"));
    assert!(!mentions_decorators("/** a\n * b @c\n * {@link d}\n */"));
    assert!(!mentions_decorators("// @a */\n/* @b\n */"));
}
