use super::*;

fn error(code: &str) -> SyntaxError {
    check(code, Goal::Script).expect_err(code)
}

#[test]
fn more_input_could_make_it_valid() {
    let texts = [
        "foo(",
        "[1,",
        "{ a",
        "`x",
        "`a${",
        "`a${b} c",
        "/* a",
        "'a\\\n",
        "function f(a) {",
        "x =",
        "a.",
        "a?.",
        "if (x)",
        "if (x) {} else",
        "class A {",
        "class A { m() {",
        "(a, b) =>",
        "for (;;)",
        "const x",
        "try {}",
        "do {} while (",
        "x ? 1 :",
        "({ a = 1",
        "async () => {",
        "switch (x) { case 1:",
        "new Foo(",
        "label:",
        "var",
        "throw",
        "++1",
        "()",
        "function f()",
        "f((a) =>",
        "(a) => b +",
        "f((a) => b(",
        "a = async (b) =>",
    ];
    for code in texts {
        assert!(error(code).incomplete, "{code}: {:?}", error(code));
        let with_end = format!("{code}\n");
        assert!(error(&with_end).incomplete || code.starts_with('\''), "{code} and a line end");
    }
    for code in [
        "var 1",
        "let x y",
        "a..b",
        "}",
        "return",
        "return f(",
        "2e",
        "'a",
        "/a",
        "a b (",
        "1 = 2",
        "1++",
        "import { a",
        "foo(a b",
        "@",
        "\\",
    ] {
        assert!(!error(code).incomplete, "{code}: {:?}", error(code));
    }
}

#[test]
fn messages_are_those_of_v8() {
    for (code, message, start, end) in [
        ("var 1", "Unexpected number", 4, 5),
        ("let x y", "Unexpected identifier 'y'", 6, 7),
        ("let x  /* é😀 */ y", "Unexpected identifier 'y'", 17, 18),
        ("a 'b'", "Unexpected string", 2, 5),
        ("a..b", "Unexpected token '.'", 2, 3),
        ("}", "Unexpected token '}'", 0, 1),
        ("x = class", "Unexpected end of input", 9, 10),
        ("f(a b)", "missing ) after argument list", 4, 5),
        ("(a b)", "Unexpected identifier 'b'", 3, 4),
        ("function f(a b) {}", "Unexpected identifier 'b'", 13, 14),
        ("return 1", "Illegal return statement", 0, 6),
        ("import fs from 'fs'", "Cannot use import statement outside a module", 0, 6),
        ("import { a", "Cannot use import statement outside a module", 0, 6),
        ("export default 1", "Unexpected token 'export'", 0, 6),
        ("import.meta", "Cannot use 'import.meta' outside a module", 0, 11),
        ("if (1) else", "Unexpected token 'else'", 7, 11),
        ("'abc", "Invalid or unexpected token", 0, 4),
        ("x = 3in", "Invalid or unexpected token", 5, 7),
        ("/abc", "Invalid regular expression: missing /", 0, 4),
        ("function (", "Function statements require a function name", 9, 10),
        ("const x;", "Missing initializer in const declaration", 7, 8),
        ("try {} 1", "Missing catch or finally after try", 7, 8),
        ("throw\n1", "Illegal newline after throw", 6, 7),
        ("1++", "Invalid left-hand side expression in postfix operation", 0, 1),
        ("++1;", "Invalid left-hand side expression in prefix operation", 2, 3),
        ("1 = 2", "Invalid left-hand side in assignment", 0, 1),
    ] {
        let error = error(code);
        assert_eq!((error.message.as_str(), error.start, error.end), (message, start, end), "{code}");
    }
}

#[test]
fn goals() {
    assert!(check("await 1; return", Goal::AsyncBody).is_ok());
    assert!(check("with (a) b; delete x; var static = 010", Goal::AsyncBody).is_ok());
    assert!(check("await 1", Goal::Script).is_err());
    assert!(check("var await = 1", Goal::Script).is_ok());
    assert!(check("import a from 'b'", Goal::AsyncBody).is_err());
    assert!(check("import a from 'b'", Goal::Session).is_ok());
    assert!(check("export {}", Goal::Session).is_err());
    assert!(check("import('a')", Goal::Script).is_ok());
    assert!(check(&"(".repeat(1 << 20), Goal::Script).is_err());
}

#[test]
fn await_at_the_top_level() {
    let rewritten = |code: &str| top_level_await(code).unwrap();
    for (code, script) in [
        ("await 0;;;", "(async () => { return { value: (await 0) };;; })()"),
        ("(await 0)", "(async () => { return ({ value: (await 0) }) })()"),
        ("const a = await 1", "let a; (async () => { void (a = await 1) })()"),
        ("let o = await 1, p", "let o, p; (async () => { void ( (o = await 1), (p=undefined)) })()"),
        ("var { ...rest } = await {}", "var rest; (async () => { void ({ ...rest } = await {}) })()"),
        (
            "for (var i = 0; i < 1; ++i) { await i }",
            "var i; (async () => { for (void (i = 0); i < 1; ++i) { await i } })()",
        ),
        ("for (let i = 0; ;) { await i }", "(async () => { for (let i = 0; ;) { await i } })()"),
        ("for await (var [i] of x) { i }", "var i; (async () => { for await ([i] of x) { i } })()"),
        ("for (const i in x) { await 1 }", "(async () => { for (const i in x) { await 1 } })()"),
        ("await 0; class Foo {}", "let Foo; (async () => { await 0; Foo=class Foo {} })()"),
        (
            "if (await true) { function foo() {} }",
            "var foo; (async () => { if (await true) { this.foo = foo; function foo() {} } })()",
        ),
        ("if (await true) { let a = 1; class B {} }", "(async () => { if (await true) { let a = 1; class B {} } })()"),
        ("await using a = b", "(async () => { await using a = b })()"),
    ] {
        assert_eq!(rewritten(code).as_deref(), Some(script), "{code}");
    }
    for code in [
        "0",
        "async () => await 0",
        "class A { async m() { await 0 } }",
        "await 0; return 0",
        "async function f() { for await (x of y) ; }",
    ] {
        assert_eq!(rewritten(code), None, "{code}");
    }
    assert!(top_level_await("await foo(").unwrap_err().incomplete);
    assert!(!top_level_await("await 1 2").unwrap_err().incomplete);
}

#[test]
fn input_of_a_session() {
    let script = |code: &str| session_script(code).unwrap();
    assert_eq!(script("let a = 1, b"), "var a = 1, b = undefined");
    assert_eq!(script("class A {}"), "var A = class A {};");
    assert_eq!(script("const x: number = 5"), "var x         = 5");
    assert_eq!(script("import { a, b as c } from 'd'"), "var { a, b: c } = await import(\"d\");");
    assert_eq!(script("import d, * as all from \"m\""), "var all = await import(\"m\"); var { default: d } = all;");
    assert_eq!(
        script("import x from './x.json' with { type: 'json' }"),
        "var { default: x } = await import(\"./x.json\", { with: { type: 'json' } });"
    );
    assert_eq!(script("import { a } from 'm'; let b: A = 1"), "var { a } = await import(\"m\"); var b    = 1");
    assert!(session_script("function area(shape: Shape): number {").unwrap_err().incomplete);
    assert!(session_script("interface Shape {").unwrap_err().incomplete);
    let bad = session_script("let bad: = 5").unwrap_err();
    assert_eq!((bad.message.as_str(), bad.incomplete), ("Unexpected token ':'", false));
    assert_eq!(dynamic_imports("import fs from 'fs'").unwrap(), "const { default: fs } = await import(\"fs\");");
    assert_eq!(dynamic_imports("import 'fs'; 1").unwrap(), "await import(\"fs\");");
}

#[test]
fn imports_of_an_immediate_script() {
    let script = |code: &str| immediate_script(code).unwrap();
    let all = "import d, * as all from 'm; n'; import { a, 'b; c' as e } from 'x' with { type: 'j; k' }; import 'y'";
    assert_eq!(
        script(all),
        "var d, all; var a, e; (async () => { all = await import(\"m; n\");({ default: d } = all); \
         ({ a, 'b; c': e } = await import(\"x\", { with: { type: 'j; k' } })); await import(\"y\");\n})()"
    );
}

#[test]
fn what_there_is_to_complete() {
    for (line, target) in [
        ("object.al", Some("object.al")),
        ("object.alps.", Some("object.alps.")),
        ("object?.", Some("object?.")),
        ("const x = object.al", Some("object.al")),
        ("x = object.alps.i", Some("object.alps.i")),
        ("typeof object.al", Some("object.al")),
        ("new ArrayBu", Some("ArrayBu")),
        ("a + b", Some("b")),
        ("{ a: object.al", Some("object.al")),
        ("'a'.charCod", Some("'a'.charCod")),
        ("'a'.", Some("'a'.")),
        ("fun().", None),
        ("a = fun().b", None),
        ("{ a: 1 }", None),
        ("", None),
        ("....", None),
    ] {
        assert_eq!(completion_target(line).as_deref(), target, "{line}");
    }
    assert_eq!(completion_target(&".".repeat(1 << 20)), None);
}

#[test]
fn chains_and_names() {
    let text = |links: Vec<Link>| format!("{links:?}");
    let chain = |code: &str| text(member_chain(code).unwrap());
    assert_eq!(chain("a.b?.['c'][d()].x"), r#"[Variable("a"), Name("b"), Name("c"), Computed("d()"), Name("x")]"#);
    assert_eq!(chain("f().x"), "[]");
    assert_eq!(chain("this.x"), "[]");
    assert_eq!(chain("a"), "[]");
    assert_eq!(member_chain("a."), None);
    let names = lexical_names("let a, { b, c: [d], ...e } = x; class F {} var g; function h() {} const i = 1").unwrap();
    assert_eq!(names, ["a", "b", "d", "e", "F", "i"]);
    assert_eq!(lexical_names("let ="), None);
}
