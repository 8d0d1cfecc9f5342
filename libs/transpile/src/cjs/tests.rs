use super::*;

fn names(source: &str) -> String {
    cjs_exports(source, "a.cjs").names.join()
}

fn reexports(source: &str) -> String {
    cjs_exports(source, "a.cjs").reexports.join()
}

trait Join {
    fn join(&self) -> String;
}

impl Join for Vec<String> {
    fn join(&self) -> String {
        self.as_slice().join(",")
    }
}

#[test]
fn assignments() {
    assert_eq!(
        names("exports.a = 1; module.exports.b = 2; exports['c d'] = 3; exports[x] = 4; foo.exports.e = 5"),
        "a,b,c d"
    );
    assert_eq!(
        names("(function (exports) { if (0) exports.a = exports.b = void 0 })(e); exports.a = 2; exports.c += 1"),
        "a,b"
    );
    assert_eq!(names("exports['\\ud800'] = 1; exports.x.y = 2; exports.z"), "");
    assert_eq!(names("exports['\\u{D83C}\\u{DF10}'] = 1; exports['a\\u{D83C}'] = 2"), "\u{1F310}");
    assert_eq!(names("#!/usr/bin/env node\nexports.a = 1; return; await = 1"), "a");
}

#[test]
fn object_literals() {
    assert_eq!(names("module.exports = { a, b: c, 'd': e, ...f, g }"), "a,b,d,g");
    assert_eq!(names("module.exports = { a, b: require('c'), c: 'x' }"), "a,b");
    assert_eq!(names("module.exports = { a: 1, b }"), "");
    assert_eq!(names("module.exports = { a: b , c }"), "a", "the comma must follow the name");
    assert_eq!(names("module.exports = { a, b() {}, c }"), "a,b");
    assert_eq!(names("module.exports = { a, get b() {}, c }"), "a,get");
    assert_eq!(names("module.exports = { a: function () {}, b }"), "a");
    assert_eq!(names("module.exports = { a, [b]: c, d }"), "a");
    assert_eq!(names("module.exports = exports = { a }"), "");
    assert_eq!(names("0 && (module.exports = { a, b, c });"), "a,b,c");
    assert_eq!(
        reexports("module.exports = require('ignored'); module.exports = { ...require('a'), b: c, ...require('d') }"),
        "a,d"
    );
}

#[test]
fn define_property() {
    assert_eq!(names("Object.defineProperty(exports, '__esModule', { value: true })"), "__esModule");
    assert_eq!(names("Object.defineProperty(module.exports, 'a', { enumerable: true, value: f() })"), "a");
    for getter in ["get: function () { return q.p; }", "get: function get() { return q['p'] },", "get() { return q }"] {
        assert_eq!(
            names(&format!("Object.defineProperty(exports, 'a', {{ enumerable: true, {getter} }})")),
            "a",
            "{getter}"
        );
    }
    for descriptor in [
        "{ enumerable: false, get() { return p } }",
        "{ configurable: true, value: 1 }",
        "{ get: () => p }",
        "{ get() { return f() } }",
        "{ get() { return 'x' } }",
        "{ get() { return p }, set(v) {} }",
        "d",
    ] {
        assert_eq!(
            names(&format!("exports.a = 1; Object.defineProperty(exports, 'a', {descriptor})")),
            "",
            "{descriptor}"
        );
    }
}

#[test]
fn reexport_calls() {
    assert_eq!(reexports("module.exports = require('a').b"), "a");
    assert_eq!(reexports("module.exports = require('a')(exports)"), "a");
    assert_eq!(reexports("module.exports = f(require('a'))"), "");
    assert_eq!(reexports("module.exports = require('a'); if (x) module.exports = require('b')"), "b");
    assert_eq!(
        reexports(
            "__export(require('a')); tslib_1.__exportStar(require('b'), exports); { __exportStar(require('c')) }"
        ),
        "a,b"
    );
    assert_eq!(reexports("0 && (module.exports = {a}) && __exportStar(require('fs'));"), "fs");
}

#[test]
fn keys_loops() {
    let looped = |declaration: &str, body: &str| {
        reexports(&format!("{declaration}; Object.keys(m).forEach(function (k) {{ {body} }});"))
    };
    let skip = "if (k === 'default' || k === \"__esModule\") return;";
    let own = "if (Object.prototype.hasOwnProperty.call(_exportNames, k)) return;";
    let same = "if (k in exports && exports[k] === m[k]) return;";
    let getter = "Object.defineProperty(exports, k, { enumerable: true, get: function () { return m[k]; } });";
    let plain = "exports[k] = m[k];";
    for body in [
        format!("{skip} {plain}"),
        format!("{skip} {getter}"),
        format!("{skip} {same} {plain}"),
        format!("{skip} {own} {same} {getter}"),
        format!("{skip} {own} {getter}"),
        format!("if (k !== 'default') {plain}"),
        format!("if (k !== 'default' && !exports.hasOwnProperty(k)) {plain}"),
        format!("if (k !== 'default' && !Object.hasOwnProperty.call(exports, k)) {getter}"),
    ] {
        assert_eq!(looped("var m = require('x')", &body), "x", "{body}");
        assert_eq!(looped("const m = _interopRequireWildcard(require('x'))", &body), "x", "{body}");
    }
    for body in [
        plain.to_owned(),
        format!("{skip} {plain} extra;"),
        format!("{skip} exports[k] = other[k];"),
        format!("{skip} {same} {own} {plain}"),
        format!("if (k !== 'default' && !a().hasOwnProperty(k)) {plain}"),
    ] {
        assert_eq!(looped("var m = require('x')", &body), "", "{body}");
    }
    assert_eq!(looped("var m = f('x')", &format!("{skip} {plain}")), "");
}

#[test]
fn typescript_and_broken_texts() {
    assert_eq!(cjs_exports("export = { a, b }", "a.cts").names.join(), "a,b");
    assert_eq!(cjs_exports("exports.a = = 1", "a.js"), CjsExports::default());
    assert_eq!(cjs_exports("let x = 1", "a.js"), CjsExports::default());
}
