use crate::{Options, transpile};

/// Erases `source` and checks that every token kept its place.
fn erased(source: &str) -> String {
    let output = transpile(source, "test.ts", &Options::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(output.map.is_none(), "not erased but printed: {source}");
    let code = output.code.unwrap_or_else(|| source.to_owned());
    let columns = |text: &str| text.lines().map(|line| line.encode_utf16().count()).collect::<Vec<_>>();
    assert_eq!(columns(source), columns(&code), "{source}\n{code}");
    code
}

/// Like [`erased`], without the spaces that blanks left.
fn squeezed(source: &str) -> String {
    erased(source).split(' ').filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

#[test]
fn annotations() {
    assert_eq!(erased("let x: number = 1;"), "let x         = 1;");
    assert_eq!(squeezed("let x!: number, y: Array<() => void>;"), "let x , y ;");
    assert_eq!(squeezed("function f<T>(this: X, a?: T, ...b: T[]): a is T {}"), "function f ( a , ...b ) {}");
    assert_eq!(squeezed("function f(this: X) {}"), "function f( ) {}");
    assert_eq!(squeezed("const f = async <T,>(a: T = 1 as any): Promise<T> => a;"), "const f = async (a = 1 ) => a;");
    assert_eq!(squeezed("try {} catch (e: unknown) {}"), "try {} catch (e ) {}");
    assert_eq!(squeezed("for (const x: string of y as string[]) {}"), "for (const x of y ) {}");
    assert_eq!(
        squeezed("f<T>(x); new F<T>(x); f<T>`x`; a?.<T>(); a?.b!.c; x!++; const g = f<T>;"),
        "f (x); new F (x); f `x`; a?. (); a?.b .c; x ++; const g = f ;"
    );
    assert_eq!(squeezed("(a as any) = <any>b satisfies C; [c as D] = e!;"), "(a ) = b ; [c ] = e ;");
    assert_eq!(erased("let é: '日本😀' = 1;"), "let é         = 1;");
}

#[test]
fn classes() {
    assert_eq!(squeezed("abstract class A<T> extends B<T> implements C, D<E> { }"), "class A extends B { }");
    assert_eq!(squeezed("export default abstract class implements C {}"), "export default class {}");
    assert_eq!(
        squeezed(
            "class A { private static readonly x?: T = 1; declare y: T; z!: T; [k: string]: T; 'q'?(): void {} ['r']?: 1; }"
        ),
        "class A { static x = 1; z ; 'q' () {} ['r'] ; }"
    );
    assert_eq!(
        squeezed(
            "class A { constructor(); constructor(a?: T) {} abstract m(): void; m(): T; m(): T { } public get x(): T { return 1 } override async *g() {} }"
        ),
        "class A { constructor(a ) {} m() { } get x() { return 1 } async *g() {} }"
    );
    assert_eq!(
        squeezed("class A { public() {} readonly = 1; declare() {} static static; private private; }"),
        "class A { public() {} readonly = 1; declare() {} static static; private; }"
    );
}

#[test]
fn modules() {
    assert_eq!(
        squeezed("import type { A } from 'a'; import { type B, c, D } from 'b'; c(); let x: D;"),
        "import { c, } from 'b'; c(); let x ;"
    );
    assert_eq!(squeezed("import A, { b } from 'a'; b();"), "import { b } from 'a'; b();");
    assert_eq!(squeezed("import A, * as b from 'a'; A();"), "import A from 'a'; A();");
    assert_eq!(squeezed("import A, * as b from 'a'; b();"), "import * as b from 'a'; b();");
    assert_eq!(squeezed("import { A } from 'a'; import 'b'; import {} from 'c';"), "import 'b'; import {} from 'c';");
    assert_eq!(
        squeezed(
            "export type { A } from 'a'; export { type B, c } from 'b'; export * from 'c'; export type * from 'd';"
        ),
        "export { c } from 'b'; export * from 'c';"
    );
    assert_eq!(
        squeezed("interface A {} type B = 1; const c = 1; export { A, B, c }; export default A;"),
        "const c = 1; export { c };"
    );
    assert_eq!(
        squeezed("export interface A {} export type B = 1; export declare const c: 1; export default interface D {}"),
        ""
    );
    assert_eq!(squeezed("declare const a: 1; export { a }; export const b = 1;"), "export const b = 1;");
    // A local variable of the same name is not a use of the import.
    assert_eq!(squeezed("import { A } from 'a'; function f(A) { return A }"), "function f(A) { return A }");
    assert_eq!(squeezed("import { A } from 'a'; { let A = 1; A } let b: typeof A;"), "{ let A = 1; A } let b ;");
    assert_eq!(squeezed("import { A } from 'a'; { let A = 1 } A;"), "import { A } from 'a'; { let A = 1 } A;");
    assert_eq!(squeezed("import { A } from 'a'; export { A };"), "import { A } from 'a'; export { A };");
    assert_eq!(
        squeezed("namespace A { export type B = 1 } declare module 'x' { } declare global { } export as namespace Q;"),
        ""
    );
}

#[test]
fn verbatim_module_syntax() {
    let options = Options { verbatim_module_syntax: true, ..Options::default() };
    let code = |source: &str| transpile(source, "a.ts", &options).unwrap().code.unwrap_or_else(|| source.to_owned());
    assert_eq!(code("import { A } from 'a'"), "import { A } from 'a'");
    assert_eq!(code("import { type A } from 'a'"), "import {        } from 'a'");
    assert_eq!(code("import type { A } from 'a'"), "                          ");
}

#[test]
fn semicolons_where_a_line_would_continue() {
    assert_eq!(erased("x as T\n(y)"), "x ;   \n(y)");
    assert_eq!(erased("let x: T\n(y)"), "let x;  \n(y)");
    assert_eq!(erased("a\ntype T = 1\n(y)"), "a\n;         \n(y)");
    assert_eq!(erased("a\ninterface T {}\ntype U = 1\n(y)"), "a\n;             \n          \n(y)");
    assert_eq!(erased("'use strict'\ntype T = 1\n(y)"), "'use strict'\n;         \n(y)");
    assert_eq!(erased("if (a) b\ntype T = 1\n(y)"), "if (a) b\n;         \n(y)");
    assert_eq!(erased("export default {} satisfies T\n(y)"), "export default {} ;          \n(y)");
    assert_eq!(erased("class A {\n x: T\n *y() {}\n}"), "class A {\n x;  \n *y() {}\n}");
    assert_eq!(
        erased("class A {\n x = 1\n declare y: T\n *z() {}\n}"),
        "class A {\n x = 1\n ;           \n *z() {}\n}"
    );
    assert_eq!(erased("class A {\n x = 1\n public *z() {}\n}"), "class A {\n x = 1\n ;      *z() {}\n}");
    assert_eq!(erased("class A {\n x = 1;\n public *z() {}\n}"), "class A {\n x = 1;\n        *z() {}\n}");
    assert_eq!(erased("function f() { return a as T\n}"), "function f() { return a ;   \n}");
    assert_eq!(erased("do x as T\nwhile (1)"), "do x ;   \nwhile (1)");
}

#[test]
fn line_breaks_where_javascript_forbids_them() {
    assert_eq!(erased("const f = (a): {\n  b: 1\n} => a"), "const f = (a    \n      \n) => a");
    assert_eq!(erased("const f = async <\n T>(a) => a"), "const f = async (\n    a) => a");
    assert_eq!(erased("function f() { return <\nT>(a) => a }"), "function f() { return (\n   a) => a }");
    assert_eq!(erased("const f = (a)\n: T => a"), "const f = (a \n  ) => a");
}

#[test]
fn type_assertions_that_need_printing() {
    for source in ["const f = () => <T>{}", "function f() { return <\nT>x }", "<any>function () {}"] {
        let output = transpile(source, "a.ts", &Options::default()).unwrap();
        assert!(output.map.is_some(), "{source}");
        assert!(!output.code.unwrap().contains('<'), "{source}");
    }
}

#[test]
fn nothing_to_do_means_no_copy() {
    let output = transpile("const a = 1;\nexport { a };", "a.ts", &Options::default()).unwrap();
    assert_eq!((output.code, output.map), (None, None));
}
