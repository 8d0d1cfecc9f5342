//! What is printed is the same program, in Bun's form.

use oxc_allocator::{Allocator, Box as ArenaBox};
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_parser::Parser;
use oxc_span::{SPAN, SourceType};
use oxc_syntax::scope::ScopeFlags;

/// Takes away what the form of a program is free in.
struct Normal<'a>(&'a Allocator);

impl<'a> VisitMut<'a> for Normal<'a> {
    fn visit_program(&mut self, it: &mut Program<'a>) {
        it.hashbang = None;
        walk_mut::walk_program(self, it);
    }

    fn visit_function(&mut self, it: &mut Function<'a>, flags: ScopeFlags) {
        it.pife = false;
        walk_mut::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &mut ArrowFunctionExpression<'a>) {
        it.pife = false;
        walk_mut::walk_arrow_function_expression(self, it);
    }

    fn visit_statements(&mut self, it: &mut oxc_allocator::Vec<'a, Statement<'a>>) {
        it.retain(|statement| !matches!(statement, Statement::EmptyStatement(_)));
        walk_mut::walk_statements(self, it);
    }

    fn visit_expression(&mut self, it: &mut Expression<'a>) {
        if let Expression::TemplateLiteral(template) = it
            && template.expressions.is_empty()
            && let Some(text) = template.quasis[0].value.cooked
        {
            let mut text = StringLiteral::new(SPAN, text, None, &AstBuilder::new(self.0));
            text.lone_surrogates = template.quasis[0].lone_surrogates;
            *it = Expression::StringLiteral(ArenaBox::new_in(text, &AstBuilder::new(self.0)));
        }
        walk_mut::walk_expression(self, it);
    }

    fn visit_template_element(&mut self, it: &mut TemplateElement<'a>) {
        if let Some(cooked) = it.value.cooked {
            it.value.raw = cooked;
        }
    }

    fn visit_property_key(&mut self, it: &mut PropertyKey<'a>) {
        if let PropertyKey::StaticIdentifier(name) = it {
            let text = StringLiteral::new(SPAN, name.name, None, &AstBuilder::new(self.0));
            *it = PropertyKey::StringLiteral(ArenaBox::new_in(text, &AstBuilder::new(self.0)));
        }
        walk_mut::walk_property_key(self, it);
    }
}

/// A program as oxc's printer has it without white space; None if it cannot be parsed.
fn plain(source: &str) -> Option<String> {
    let allocator = Allocator::default();
    let mut parsed = Parser::new(&allocator, source, SourceType::mjs()).parse();
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    Normal(&allocator).visit_program(&mut parsed.program);
    Some(Codegen::new().with_options(CodegenOptions::minify()).build(&parsed.program).code)
}

fn printed(source: &str) -> String {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::mjs()).parse();
    assert!(parsed.diagnostics.is_empty(), "{source}: {:?}", parsed.diagnostics);
    super::print(&parsed.program, source, None)
}

#[track_caller]
fn prints(source: &str, expected: &str) {
    let text = printed(source);
    assert_eq!(text, expected);
    assert_eq!(plain(&text), plain(source), "{text}");
}

// Texts on the right are those that Bun 1.4.5 prints with `deadCodeElimination: false`.
#[test]
fn has_the_form_of_bun() {
    prints(
        r#"x("a\nb"); y = "a\tb\0c\x01\u2028\x7f\r\v\f\b"; z=`a\n${b}`; ({"a\nb":1}); "é"; w="😀\ud800"; u="\u00a0\ufeff"; q="a'b\"c"; r="`'\""; v="${a}\n"; f("</script>")"#,
        r#"x(`a
b`);
y = "a\tb\x00c\x01\u2028\r\v\f\b";
z = `a
${b}`;
({ "a\nb": 1 });
"é";
w = "\uD83D\uDE00\uD800";
u = " \uFEFF";
q = `a'b"c`;
r = "`'\"";
v = "${a}\n";
f("</script>");
"#,
    );
    prints(
        "f(function(){ a() }, ()=>{ b() }, class { m(){} }, {a(){}}, async function named(){}, function*(){}, async ()=>{})",
        "f(function() {
  a();
}, () => {
  b();
}, class {
  m() {}
}, { a() {} }, async function named() {}, function* () {}, async () => {});
",
    );
    prints(
        "const {a,
b}=x; const {
c}=y; const [d,
e]=z; function f({a,
b}, [c,
d]) {}",
        "const {
  a,
  b
} = x;
const {
  c
} = y;
const [
  d,
  e
] = z;
function f({
  a,
  b
}, [
  c,
  d
]) {}
",
    );
    prints(
        r#"foo(); import "a"; import b from "b"; bar(b); import * as c from "c"; c; export default b; export let x = 1; export function f() {} export class G {}"#,
        r#"foo();
import"a";
import b from "b";
bar(b);
import * as c from "c";
c;
export default b;
export let x = 1;
export function f() {}

export class G {
}
"#,
    );
    prints(
        "class A{} class B{} foo(); class C{} function f(){ class D{} class E{} } if (x) { class F {} } ; class G {}",
        "class A {
}

class B {
}
foo();

class C {
}
function f() {

  class D {
  }

  class E {
  }
}
if (x) {

  class F {
  }
}

class G {
}
",
    );
    prints(
        "x = (a, b); f((a,b)); y = (yield_, 1); x = a ? (b, c) : d; (a ? b : c) ? d : e; a ? b : (c ? d : e); (a = b) ? c : d; a = (b = c); (a => b) ? c : d; a || (b => c); (a ?? b) || c; a ?? (b || c); a && (b || c); (a && b) || c; a || b && c; (a|b)&c; a ** (b ** c); (a ** b) ** c; (-a) ** b; (await_ + 1) * 2",
        "x = (a, b);
f((a, b));
y = (yield_, 1);
x = a ? (b, c) : d;
(a ? b : c) ? d : e;
a ? b : c ? d : e;
(a = b) ? c : d;
a = b = c;
((a) => b) ? c : d;
a || ((b) => c);
(a ?? b) || c;
a ?? (b || c);
a && (b || c);
a && b || c;
a || b && c;
(a | b) & c;
a ** b ** c;
(a ** b) ** c;
(-a) ** b;
(await_ + 1) * 2;
",
    );
    prints(
        "if (a) { if (b) c(); } else d(); if (a) for (;;) if (b) c(); else d(); if (a) {;} else {;} if (a) ; else b(); if (a) ; if (a) {} else if (b) {} else {} if (a) {b()} else if (c) {d()} else {e()}",
        "if (a) {
  if (b)
    c();
} else
  d();
if (a)
  for (;; )
    if (b)
      c();
    else
      d();
if (a) {} else {}
if (a)
  ;
else
  b();
if (a)
  ;
if (a) {} else if (b) {} else {}
if (a) {
  b();
} else if (c) {
  d();
} else {
  e();
}
",
    );
    prints(
        "switch (a) { case 1: case 2: b(); default: { c() } } switch (a) { case b: { c(); } break; case d: }",
        "switch (a) {
  case 1:
  case 2:
    b();
  default: {
    c();
  }
}
switch (a) {
  case b:
    {
      c();
    }
    break;
  case d:
}
",
    );
    prints(
        "do { a() } while (b); do ; while (a); while (1) { } while (1); label: { break label } label2: for(;;) { continue label2 } with_: x()",
        "do {
  a();
} while (b);
do
  ;
while (a);
while (1) {}
while (1)
  ;
label: {
  break label;
}
label2:
  for (;; ) {
    continue label2;
  }
with_:
  x();
",
    );
    prints(
        "{ a(); } { } { let x; { y() } } ;;; ;",
        "{
  a();
}
{}
{
  let x;
  {
    y();
  }
}
",
    );
    prints(
        r#"var a, b = 1, c; let d = function() { x() }, e = 2; const {f: {g}, ...h} = i, [j, , k, ...l] = m, {[n]: o = 1, "p-q": r, 1: s} = t;"#,
        r#"var a, b = 1, c;
let d = function() {
  x();
}, e = 2;
const { f: { g }, ...h } = i, [j, , k, ...l] = m, { [n]: o = 1, "p-q": r, 1: s } = t;
"#,
    );
    prints(
        "try { a } catch ({b}) { c } try { } finally { d } ",
        "try {
  a;
} catch ({ b }) {
  c;
}
try {} finally {
  d;
}
",
    );
    prints(
        "a = typeof b, void c, delete d.e, !f, ~g, -h, +i, --j, k++, - --l, + ++m, -(-n), !(!o), typeof typeof p, -1, (-1).x, 1..x, 1.5.x, (1).toString(), 1e3.x",
        "a = typeof b, void c, delete d.e, !f, ~g, -h, +i, --j, k++, - --l, + ++m, - -n, !!o, typeof typeof p, -1, (-1).x, 1 .x, 1.5 .x, 1 .toString(), 1000 .x;
",
    );
    prints(
        "a = b < (c >> d), (b, c), a in b, a instanceof b, (a in b) in c, !(a in b), !(a instanceof b), (!a) in b",
        "a = b < c >> d, b, c, a in b, a instanceof b, a in b in c, !(a in b), !(a instanceof b), !a in b;
",
    );
    prints(
        r#"/a\/b/g.test(x); a = /x/ / /y/; a = b / /c/; x = /[/]/; (/a/).b; /a/[0]; a</script>/"#,
        r#"/a\/b/g.test(x);
a = /x/ / /y/;
a = b / /c/;
x = /[/]/;
/a/.b;
/a/[0];
a < /script>/;
"#,
    );
    prints(
        "async function f() { await a; await (b, c); (await d)(); (await e).f; await (g || h); for await (let x of y) z(); -(await i); await -j; (await k) ** 2; yield_ } function* g() { yield; yield a; yield* b; (yield c) + d; x = yield e; f(yield); a ? yield b : yield c; (yield a, yield b) }",
        "async function f() {
  await a;
  await (b, c);
  (await d)();
  (await e).f;
  await (g || h);
  for await (let x of y)
    z();
  -await i;
  await -j;
  (await k) ** 2;
  yield_;
}
function* g() {
  yield;
  yield a;
  yield* b;
  (yield c) + d;
  x = yield e;
  f(yield);
  a ? yield b : yield c;
  yield a, yield b;
}
",
    );
    prints(
        r#"import("a"); import("a", {with: {type: "json"}}); import.meta; import.meta.url; x = import.meta.env.X; (await import("a")).default; import(a ? "b" : "c")"#,
        r#"import("a");
import("a", { with: { type: "json" } });
import.meta;
import.meta.url;
x = import.meta.env.X;
(await import("a")).default;
import(a ? "b" : "c");
"#,
    );
    prints(
        "return_: while(1) { break return_ } throw a; ",
        "return_:
  while (1) {
    break return_;
  }
throw a;
",
    );
    prints(
        r#""use client"; 'use "x"'; foo()"#,
        r#""use client";
'use "x"';
foo();
"#,
    );
    prints(
        "#!/usr/bin/env node
foo()",
        "foo();
",
    );
    prints(
        "var x = { a: 1, b: { c: 2 } }, y = () => { return { a } }; return_ = function() { return function() { return { a: function() { b() } } } }",
        "var x = { a: 1, b: { c: 2 } }, y = () => {
  return { a };
};
return_ = function() {
  return function() {
    return { a: function() {
      b();
    } };
  };
};
",
    );
    prints(
        r#"a.b.c.d; a["b"]; a["b-c"]; a["if"]; a[0]; a["0"]; a[`b`]; a.if; ({}).b; "x".length; [].concat; a[b, c]; a[b = c]"#,
        r#"a.b.c.d;
a["b"];
a["b-c"];
a["if"];
a[0];
a["0"];
a[`b`];
a.if;
({}).b;
"x".length;
[].concat;
a[b, c];
a[b = c];
"#,
    );
    prints(
        "export default class {} ",
        "export default class {
}
",
    );
    prints(
        "export default class Foo extends Bar {}",
        "export default class Foo extends Bar {
}
",
    );
    prints(
        "export default () => {}",
        "export default () => {};
",
    );
    prints(
        "export default (function() {})",
        "export default (function() {});
",
    );
    prints(
        "export default (class {})",
        "export default (class {
});
",
    );
    prints(
        "export default {a:1}",
        "export default { a: 1 };
",
    );
    prints(
        "export default [1]",
        "export default [1];
",
    );
    prints(
        "export default async () => {}",
        "export default async () => {};
",
    );
    prints(
        "export default (a, b)",
        "export default (a, b);
",
    );
    prints(
        "export const a = 1, b = 2; export let {c, d} = e; export async function f() {} export function* g() {}",
        "export const a = 1, b = 2;
export let { c, d } = e;
export async function f() {}
export function* g() {}
",
    );
    prints(
        "a = { b: function() {}, c: () => {}, d: async () => { e }, f: class {}, g: class H extends I {} }",
        "a = { b: function() {}, c: () => {}, d: async () => {
  e;
}, f: class {
}, g: class H extends I {
} };
",
    );
    prints(
        "if (a) return_(); else { b() } function f() { return; } function g() { return a, b } function h() { return (
 a) } function i() { throw new Error }",
        "if (a)
  return_();
else {
  b();
}
function f() {
  return;
}
function g() {
  return a, b;
}
function h() {
  return a;
}
function i() {
  throw new Error;
}
",
    );
    prints(
        "a = b ? { c: 1 } : [ d ]; a = b
? c
: d; f({
 a: 1
}, [
2])",
        "a = b ? { c: 1 } : [d];
a = b ? c : d;
f({
  a: 1
}, [
  2
]);
",
    );
    prints(
        "f(a, function() {
}, {
}); x = function(
a,
b) {}; x = (
a) => {}; function ff(
a) {}",
        "f(a, function() {}, {});
x = function(a, b) {};
x = (a) => {};
function ff(a) {}
",
    );
    prints(
        "x(10000, 20000, 12000, 100000, 120000, 1000000,10000000,100000000,1e9,1e10,1e11,1e12,1e15,1e20,2e20,5e9,2000000,0.1,0.01,0.001,0.0001,0.00001,123.456,4294967296,9007199254740993,1.5e300)",
        "x(1e4, 20000, 12000, 1e5, 120000, 1e6, 1e7, 1e8, 1e9, 10000000000, 100000000000, 1000000000000, 1000000000000000, 100000000000000000000, 200000000000000000000, 5000000000, 2000000, 0.1, 0.01, 0.001, 0.0001, 0.00001, 123.456, 4294967296, 9007199254740992, 1500000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000);
",
    );
    prints(
        r#"x = {"b": 1, "c-d": 2, [e]: 3, 1: 4, f() {}, get g() { return 1 }, set g(v) {}, async h() {}, *i() {}, async *j() {}, [k]() {}, ...l, "m"() {}, "__proto__": 1, async: 1, get: 2, get get() { return 1}, static: 3, "4": 4, "constructor": 5, "if": 1, "é":2, "a\nb":3, 1e3: 4, 1.5: 6, 0x10: 7, 10n: 8 , [`z`]: 9, ["y"]: 10, "10": 1, "0x1": 3, "😀":1}"#,
        r#"x = { b: 1, "c-d": 2, [e]: 3, 1: 4, f() {}, get g() {
  return 1;
}, set g(v) {}, async h() {}, *i() {}, async* j() {}, [k]() {}, ...l, m() {}, __proto__: 1, async: 1, get: 2, get get() {
  return 1;
}, static: 3, "4": 4, constructor: 5, if: 1, "é": 2, "a\nb": 3, 1000: 4, 1.5: 6, 16: 7, 10n: 8, [`z`]: 9, ["y"]: 10, "10": 1, "0x1": 3, "\uD83D\uDE00": 1 };
"#,
    );
    prints(
        r#"x = `abc`; y = `a\tb\u{1f600}é\n$`; z = `\${`; w = `$\{`; tag`a\tb${c}\n`; `a${b}`; q = "a" + `b`; r = `😀`; s = "\\"; t = `\\`; u = "a\u0000" + "\x001"; v = "\x7f\x80\xa0\xad""#,
        concat!(
            r#"x = `abc`;
y = `a	b\uD83D\uDE00é
$`;
z = `\${`;
w = `\${`;
tag`a\tb${c}\n`;
`a${b}`;
q = "a" + `b`;
r = `\uD83D\uDE00`;
s = "\\";
t = `\\`;
u = "a\x00" + "\x001";
v = ""#,
            "\u{7f}\u{80}\u{a0}\u{ad}",
            "\";\n"
        ),
    );
    prints(
        "[,
]; a = [
]; b = [ /* x */
]; c = [1, 2, /*
*/ 3]; d = {/*
*/}; e = {a: 1, // x
}; f({a:1
,b:2})",
        "[
  ,
];
a = [];
b = [];
c = [
  1,
  2,
  3
];
d = {};
e = {
  a: 1
};
f({
  a: 1,
  b: 2
});
",
    );
    prints(
        "a = async x => x; b = async (x, y) => { }; c = function* () {}; d = async function () {}; e = async function* foo() {}; export default 1",
        "a = async (x) => x;
b = async (x, y) => {};
c = function* () {};
d = async function() {};
e = async function* foo() {};
export default 1;
",
    );
    prints(
        r#"import x from "x"; class A extends x {} export class B {} export default class C {} class D {}"#,
        r#"import x from "x";

class A extends x {
}

export class B {
}
export default class C {
}

class D {
}
"#,
    );
    prints(
        "if (x) y(); export {}; if (a) { class X {} }; for (;;) { class Y {} } switch (a) { case 1: class Z {} }",
        "if (x)
  y();

export {};
if (a) {

  class X {
  }
}
for (;; ) {

  class Y {
  }
}
switch (a) {
  case 1:

    class Z {
    }
}
",
    );
    prints(
        r#"class A { static { } static { a() } constructor() {} get a() {} set a(v) {} static b; static c = 1; d = () => { x }; [e] = 1; "f" = 2; "g-h"() {} 1() {} async() {} *gen() {} get() {} set() {} static static() {} static async async() {} }"#,
        r#"class A {
  static {}
  static {
    a();
  }
  constructor() {}
  get a() {}
  set a(v) {}
  static b;
  static c = 1;
  d = () => {
    x;
  };
  [e] = 1;
  f = 2;
  "g-h"() {}
  1() {}
  async() {}
  *gen() {}
  get() {}
  set() {}
  static static() {}
  static async async() {}
}
"#,
    );
    prints(
        "x = a ? function() {} : class {}; x = (function() {})(); x = (() => {})(); (function() {} ? a : b); y = function() {}.call(); z = new (class { })(1); (class {} , 1); `${function() {}}`; (function(){})`x`; [function() {}][0]",
        "x = a ? function() {} : class {
};
x = function() {}();
x = (() => {})();
(function() {}) ? a : b;
y = function() {}.call();
z = new class {
}(1);
(class {
}), 1;
`${function() {}}`;
(function() {})`x`;
[function() {}][0];
",
    );
    prints(
        "x = () => ({}).a; x = () => ({a} = b); x = () => (function() {})(); x = () => (class {}); x = () => { return {} }; x = () => ({}, 1); x = () => [{}]; x = async () => await a; x = () => void 0; x = () => a ? b : c",
        "x = () => ({}).a;
x = () => ({ a } = b);
x = () => function() {}();
x = () => class {
};
x = () => {
  return {};
};
x = () => ({}, 1);
x = () => [{}];
x = async () => await a;
x = () => void 0;
x = () => a ? b : c;
",
    );
    prints(
        "a = b, c = d; (a = b) && c; a = (b, c); a += b; a ||= b; a ??= (b, c); [a, b] = [b, a]; ({a, b: c, ...d} = e); ({a = 1, b: c = 2, [d]: e} = f); [a = 1, [b], {c}, ...d] = e; [, a, , b] = c; [a.b, c[d]] = e; ({a: b.c, d: e[f]} = g)",
        "a = b, c = d;
(a = b) && c;
a = (b, c);
a += b;
a ||= b;
a ??= (b, c);
[a, b] = [b, a];
({ a, b: c, ...d } = e);
({ a = 1, b: c = 2, [d]: e } = f);
[a = 1, [b], { c }, ...d] = e;
[, a, , b] = c;
[a.b, c[d]] = e;
({ a: b.c, d: e[f] } = g);
",
    );
    prints(
        "throw (a, b); function f() { return (a, b) } function* g() { yield (a, b); x = (yield a, b); yield* (a, b); (yield) ? a : b; yield yield a }",
        "throw a, b;
function f() {
  return a, b;
}
function* g() {
  yield (a, b);
  x = (yield a, b);
  yield* (a, b);
  (yield) ? a : b;
  yield yield a;
}
",
    );
    prints(
        "var { a = 1, b: { c } = {}, ...d } = e, [f = 1, [g] = [], ...h] = i; function x({ a = 1 }, [b] = [], c = {}, ...d) {} function y([a, ...[b, c]]) {}",
        "var { a = 1, b: { c } = {}, ...d } = e, [f = 1, [g] = [], ...h] = i;
function x({ a = 1 }, [b] = [], c = {}, ...d) {}
function y([a, ...[b, c]]) {}
",
    );
    prints(
        "while (a) { if (b) continue; else break } while (a) if (b) c(); else d(); do if (a) b(); while (c); for (a in b) if (c) d(); else e(); if (a) while (b) if (c) d(); else e()",
        "while (a) {
  if (b)
    continue;
  else
    break;
}
while (a)
  if (b)
    c();
  else
    d();
do
  if (a)
    b();
while (c);
for (a in b)
  if (c)
    d();
  else
    e();
if (a)
  while (b)
    if (c)
      d();
    else
      e();
",
    );
    prints(
        "export default (class A {}); ",
        "export default (class A {
});
",
    );
    prints(
        "export default (function foo() {});",
        "export default (function foo() {});
",
    );
    prints(
        "export default (async () => {})();",
        "export default (async () => {})();
",
    );
    prints(
        "export default (function() {})();",
        "export default (function() {})();
",
    );
    prints(
        "export default (class {}).x",
        "export default (class {
}).x;
",
    );
    prints(
        "export default {}.x",
        "export default {}.x;
",
    );
    prints(
        "export default [].x",
        "export default [].x;
",
    );
    prints(
        "export default a ? b : c",
        "export default a ? b : c;
",
    );
    prints(
        "export default async",
        "export default async;
",
    );
    prints(
        "let unused = 1; function unusedF() {} a; a.b; a + b; a(); a && b; a && b(); [a]; [a()]; ({a}); ({a: b()}); (() => {})",
        "let unused = 1;
function unusedF() {}
a;
a.b;
a + b;
a();
a && b;
a && b();
[a];
[a()];
({ a });
({ a: b() });
() => {};
",
    );
    prints(
        "function f() { return 1; g(); var x; function h() {} } function k() { throw 1; g() } while (1) { break; g() }",
        "function f() {
  return 1;
  g();
  var x;
  function h() {}
}
function k() {
  throw 1;
  g();
}
while (1) {
  break;
  g();
}
",
    );
    prints(
        r#"for (\u0061sync of [7]);"#,
        "for ((async) of [7])
  ;
",
    );
    prints(
        "for ((let) of [7]);",
        "for ((let) of [7])
  ;
",
    );
    prints(
        "x = a ? function() {} : class {}; x = (function() {})(); x = (() => {})(); y = function() {}.call(); z = new (class { })(1);",
        "x = a ? function() {} : class {
};
x = function() {}();
x = (() => {})();
y = function() {}.call();
z = new class {
}(1);
",
    );
    prints(
        r#"new (a.b().c)(); new (a().b); new a.b.c(1,2); (new a).b; new a().b(); new (import("x")); new (function(){})(); new (class{})(); new (a`x`); new a[b()]()"#,
        r#"new (a.b()).c;
new (a()).b;
new a.b.c(1, 2);
new a().b;
new a().b();
new (import("x"));
new function() {};
new class {
};
new a`x`;
new a[b()];
"#,
    );
    prints(
        "x = typeof b, delete d.e, ~g, -h, +i, --j, k++, - --l, + ++m, -(-n), typeof typeof p, -1, (-1).x, 1..x, 1.5.x, (1).toString(), 1e3.x",
        "x = typeof b, delete d.e, ~g, -h, +i, --j, k++, - --l, + ++m, - -n, typeof typeof p, -1, (-1).x, 1 .x, 1.5 .x, 1 .toString(), 1000 .x;
",
    );
    prints(
        r#"tag`a${b}c\n`; x = `a\`b\${c}`; x = `
`; (a,b)`x`; new a`x`; (a => b)`x`; x = `${`${a}`}`; x = `abc`; x="a" + `b`"#,
        r#"tag`a${b}c\n`;
x = `a\`b\${c}`;
x = `
`;
(a, b)`x`;
new a`x`;
((a) => b)`x`;
x = `${`${a}`}`;
x = `abc`;
x = "a" + `b`;
"#,
    );
    prints(
        r#"x = {a, "b": 1, "c-d": 2, [e]: 3, 1: 4, f() {}, get g() { return 1 }, set g(v) {}, async h() {}, *i() {}, async *j() {}, [k]() {}, ...l, "m"() {}}"#,
        r#"x = { a, b: 1, "c-d": 2, [e]: 3, 1: 4, f() {}, get g() {
  return 1;
}, set g(v) {}, async h() {}, *i() {}, async* j() {}, [k]() {}, ...l, m() {} };
"#,
    );
    prints(
        "a?.b.c; (a?.b).c; a?.b(c).d; (a?.b(c)).d; a?.[0]?.[1]; a.b?.(); a?.(); (a?.())(); (() => {})?.(); (a, b)?.c",
        "a?.b.c;
(a?.b).c;
a?.b(c).d;
(a?.b(c)).d;
a?.[0]?.[1];
a.b?.();
a?.();
(a?.())();
(() => {})?.();
(a, b)?.c;
",
    );
}

// Bun prints some of these as other programs.
#[test]
fn says_the_same() {
    for source in [
        "new (a?.b)(); new (a?.b.c())(); (a?.b)`x`.c;",
        "(let)[0] = 1; for ((let) of a); for ((let)[0] in a); for ((let).a;;); for ((async) of a);",
        "for (let x = ('a' in b) ? 1 : 2; ;) {} for (let x = 1, y = (c in d); ;) {} for (let x = () => (a in b); ;) {}",
        "a ** -b; (-a) ** b; (await c) ** d; (a ** b) ** c; a ?? (b || c); (a && b) ?? c; (a ?? b) && c; (a, b) ?? c",
        "a - -b; a - --b; a + +b; a + ++b; - -a; -(-1); + +a; a-- - b; - --a; a < !--b",
        "if (a) { if (b) c } else d; if (a) { for (;;) if (b) c; } else d; if (a) { b: if (c) d } else e",
        "('a'); ('b'); c; function f() { ('use strict'); return 1 }",
        "(function() {}).a; (class {}).b; ({}).c; ({ a } = b); (function() {})`a`; (class {})[0]; (() => {}).a; () => ({}).a; () => ({ a } = b)",
        "for (async.a of b); for ((async)[0] of b); for (async in b); ({ [1 / 0]: 2 })",
        "1..a; 1.5.a; (-1).a; 1e21.a; 1n.a; (1).a(); 0xff.a; 1?.a",
        "class A extends (a, b) {} class B extends a?.b {} class C extends (a ? b : c) {} class D extends (() => {}) {}",
        "export default (function() {}); export { a as 'b-c' }; export * as 'd-e' from 'f'; import { 'g-h' as i } from 'j';",
        "export default (class {}).a",
        "export default (function() {}())",
        "export default (a, b)",
        "export default () => {}",
        "x = '\\u{1F600}\\ud800\\0\\u2028\\x07'; y = `\\u{1F600}${a}\\\\${b}\\``; z = a`\\unicode`",
        "[, a, , ...b] = c; [, a, ,] = d; ({ a = 1, [b]: c.d, ...e } = f); [, ,]; [a, ,]",
        "#!/usr/bin/env bao\n'use client';\na",
        "class A { static async *[a]() {} static { b } 'c' = 1; 2() {} get d() { return 1 } static get = 1; #e; f = #e in this }",
        "import a, * as b from 'c'; import d, { e as f } from 'g' with { type: 'json' }; import 'h'; import i from 'j' with { a: 'b' };",
    ] {
        let text = printed(source);
        assert_eq!(plain(&text), plain(source), "{text}");
        assert_eq!(printed(&text), text, "printed twice");
    }
}

/// A key above all numbers is the text "Infinity", which only a computed one can say.
#[test]
fn numbers_that_overflow_are_computed_keys() {
    assert_eq!(printed("({ 1e999: 1 })"), "({ [1 / 0]: 1 });\n");
    assert_eq!(printed("(class { 1e999() {} })"), "(class {\n  [1 / 0]() {}\n});\n");
}

#[test]
fn long_sums_need_no_stack() {
    let source = vec!["a"; 20_000].join(" + ");
    assert_eq!(printed(&source), format!("{source};\n"));
}
