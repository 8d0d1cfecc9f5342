use super::*;

fn instrumented(source: &str) -> Instrumented {
    instrument(source, "a.ts", Loader::Ts, ModuleHint::Unknown, "c").expect("parsed")
}

fn code(source: &str) -> String {
    instrumented(source).code
}

#[test]
fn statements_count_once() {
    assert_eq!(code("a()\nb();"), "c[0]++;a()\nc[1]++;b();");
    // What follows at once shares its counter.
    assert_eq!(code("function f() { return 1; }"), "function f() {c[0]++; return 1; }");
    assert_eq!(code("l: for (let i = 0, j = k;;) x"), "c[0]++;l: for (let i = 0, j = (c[1]++,k);;) {c[2]++;x}");
    assert_eq!(code("try { a } catch (e) { b }"), "c[0]++;try { a } catch (e) { c[1]++;b }");
    assert_eq!(code("switch (a) { case 1: b; default: }"), "c[0]++;switch (a) { case 1: c[1]++;b; default:c[2]++; }");
    assert_eq!(code("'use strict'\nf()"), "'use strict'\nc[0]++;f()");
    assert_eq!(code("function g() { 'use strict' }"), "function g() { 'use strict';c[0]++; }");
    assert_eq!(code("enum E { A = 1 | 2 }"), "c[0]++;enum E { A = 1 | 2 }");
    assert_eq!(code("declare const a: string; interface B {}"), "declare const a: string; interface B {}");
}

#[test]
fn branches() {
    assert_eq!(
        code("if (a) b\nelse if (c) d"),
        "c_[0]++;if (a) {c_[1]++;b}\nelse {c_[2]++;if (c) {c_[3]++;d} else{c_[4]++}}".replace("c_", "c")
    );
    assert_eq!(
        code("x = a && (b || d) ? 1 : 2"),
        "c[0]++;x = (c[1]++,a) && ((c[2]++,b) || (c[3]++,d)) ? (c[4]++,1) : (c[5]++,2)"
    );
    let one = instrumented("const f = (a = 1) => a ?? b;");
    assert_eq!(one.code, "c[0]++;const f = (a = (c[2]++,1)) => (c[1]++,a ?? (c[3]++,b));");
    // What follows a way out is the other way, and what cannot fail needs no counter of its own.
    assert_eq!(code("function f() { if (a) return; b }"), "function f() {c[0]++; if (a) {c[1]++;return;} c[2]++;b }");
    assert_eq!(
        code("while (a) { if (b && d) { break } }"),
        "c[0]++;while (a) { c[1]++;if (b && (c[2]++,d)) {c[3]++; break } else{c[4]++} }"
    );
    assert_eq!(code("let a = 1; let b = a; e"), "c[0]++;let a = 1; let b = a; c[1]++;e");
    let kinds: Vec<_> = one.shape.branches.iter().map(|branch| (branch.kind, branch.ways.len())).collect();
    assert_eq!(kinds, [(BranchKind::Default, 1), (BranchKind::Logical, 2)]);
    assert_eq!(one.shape.functions[0].name, "(anonymous_0)");
}

#[test]
fn the_body_of_an_if_has_a_place() {
    let one = instrumented("if (a) {\n  b\n}\nif (d) e; else f\n/* v8 ignore if */ if (g) h");
    let bodies: Vec<_> = one.shape.branches.iter().map(|branch| branch.body).collect();
    let place = |line, column| Place { line, column };
    assert_eq!(bodies, [Some((place(1, 7), place(3, 1))), Some((place(4, 7), place(4, 9))), None]);
}

#[test]
fn functions_keep_their_names() {
    assert_eq!(code("export const f = () => {}"), "c[0]++;export const f = () => {c[1]++;}");
    assert_eq!(
        code("class A { #f = () => {}; g = 1; h() {} }"),
        r##"class A { #f = (c[0]++,{["#f"]:() => {c[1]++;}}["#f"]); g = (c[2]++,1); h() {c[3]++;} }"##
    );
    assert_eq!(
        code("function f(g = () => {}) {}"),
        r#"function f(g = (c[1]++,{["g"]:() => {c[2]++;}}["g"])) {c[0]++;}"#
    );
    assert!(code("f((a = () => b && d) => 1)").contains(r#"{["a"]:() => (c[3]++,b && (c[4]++,d))}["a"])"#));
    let names = instrumented("({ a() {}, b: function () {} }); class C { a() {} }").shape.functions;
    assert_eq!(names.iter().map(|function| &*function.name).collect::<Vec<_>>(), ["a", "b", "a_2"]);
}

#[test]
fn comments_take_out() {
    assert_eq!(
        code("/* istanbul ignore next */\nif (a) { b }\nd"),
        "/* istanbul ignore next */\nif (a) { b }\nc[0]++;d"
    );
    assert_eq!(
        code("/* v8 ignore else */ if (a) b"),
        "c[0]++;/* v8 ignore else */ if (a) {c[1]++;b}"
            .replace("c[0]++;/* v8 ignore else */ ", "/* v8 ignore else */ c[0]++;")
    );
    assert_eq!(
        code("a\n// c8 ignore start\nb\n// c8 ignore stop\nd"),
        "c[0]++;a\n// c8 ignore start\nb\n// c8 ignore stop\nc[1]++;d"
    );
    assert_eq!(
        code("// node:coverage ignore next 2 -- why\na\nb\nd"),
        "// node:coverage ignore next 2 -- why\na\nb\nc[0]++;d"
    );
    assert_eq!(
        code("const a = b || /* istanbul ignore next */ d"),
        "c[0]++;const a = b || /* istanbul ignore next */ d"
    );
    assert!(instrument("// v8 ignore file\na", "a.js", Loader::Js, ModuleHint::Unknown, "c").is_none());
}

#[test]
fn positions() {
    let one = instrumented("let s = 'ä😀'; f(a && b)\n  throw x");
    let at = |needle: &str| {
        let offset = one.code.find(needle).expect("there");
        let line = one.code[..offset].matches('\n').count() as u32;
        let start = one.code[..offset].rfind('\n').map_or(0, |at| at + 1);
        let position = one.map.lookup(line, utf16_len(&one.code[start..offset])).expect("mapped");
        (position.line, position.column)
    };
    assert_eq!(at("f("), (0, 15));
    assert_eq!(at("b)"), (0, 22));
    assert_eq!(at("throw"), (1, 2));
    let statement = one.shape.statements[2];
    assert_eq!((statement.start, statement.end), (Place { line: 2, column: 2 }, Place { line: 2, column: 9 }));
}
