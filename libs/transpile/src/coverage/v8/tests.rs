use super::*;

fn instrumented(source: &str) -> Instrumented {
    instrument(source, "a.ts", Loader::Ts, ModuleHint::Unknown, Unit::Body, true, "c").expect("parsed")
}

fn code(source: &str) -> String {
    instrumented(source).code.replace("/*c*/", "").replace("/*c.*/", "")
}

#[test]
fn counters_are_where_v8_has_them() {
    assert_eq!(code("if (a) b\nelse d"), "c[0]++;if (a) {c[1]++;b}\nelse {c[2]++;d}");
    assert_eq!(code("for (;;) x\ny"), "c[0]++;for (;;) {c[2]++;x};c[1]++;\ny");
    assert_eq!(code("x = a && b ? 1 : 2"), "c[0]++;x = a && (c[1]++,b) ? (c[2]++,1) : (c[3]++,2)");
    assert_eq!(code("f(await a)"), "c[0]++;f([await a,c[1]++][0])");
    assert_eq!(
        code("try { a } catch (e) { b } finally { d }\ne"),
        "c[0]++;try {try{ a } catch (e) {c[3]++; b };c[2]++;} finally {c[4]++; d };c[1]++;\ne"
    );
    assert_eq!(code("a?.b?.[d]?.()"), "c[0]++;a?.[(c[1]++,\"b\")]?.[(c[2]++,d)]?.(...(c[3]++,[]))");
    assert_eq!(code("class A { x = 1 }"), "c[0]++;class A { x = (c[1]++,1) }");
    assert_eq!(code("class A { x; y = () => {} }"), "c[0]++;class A { x=void c[1]++;; y = () => {c[2]++;} }");
    assert_eq!(
        code("class A { #f = () => {} }"),
        "c[0]++;class A { #f = (c[1]++,{[\"#f\"]:() => {c[2]++;}}[\"#f\"]) }"
    );
    assert_eq!(code("function* g(a) {}"), "c[0]++;function* g(a,...{[(c[1]++,\"length\")]:{}}) {}");
    assert_eq!(code("function* g(a, /**/) {}"), "c[0]++;function* g(a, /**/...{[(c[1]++,\"length\")]:{}}) {}");
}

#[test]
fn imports_begin_statements() {
    assert_eq!(
        code("import * as a from 'a'\nexport { b } from 'b'\na.c()"),
        "import * as a from 'a'\nexport { b } from 'b'\nc[0]++;a.c()"
    );
    assert_eq!(code("import 'a' // b"), "import 'a' // b\nc[0]++;");
    assert_eq!(code("@a export class A {}"), "c[0]++;@a export class A {}");
}

#[test]
fn fields_that_are_only_types_count_nothing() {
    assert_eq!(
        code("abstract class A { abstract x; #f = () => 1 }"),
        "c[0]++;abstract class A { abstract x; #f = (c[1]++,{[\"#f\"]:() => (c[2]++,1)}[\"#f\"]) }"
    );
    let source = "class A extends B { x: number }";
    let made = instrument(source, "a.ts", Loader::Ts, ModuleHint::Unknown, Unit::Body, false, "c").expect("parsed");
    assert_eq!(made.code, format!("/*c*/c[0]++;/*c*/{source}"));
}

#[test]
fn counters_can_be_taken_out() {
    let source = "async function f(a) { if (a?.b) return await c\n return a ? 1 : () => 2 }";
    let made = instrument(source, "a.js", Loader::Js, ModuleHint::Unknown, Unit::Body, true, "c_").expect("parsed");
    assert_eq!(without_counters(&made.code, "c_"), source);
}

#[test]
fn ranges_are_those_of_v8() {
    let source = "function f(a) { if (a) { return 1; } return 2; }\nf(1); f(1); é";
    let made = instrumented(source);
    // The script, f, the way of the `if`, what is behind it.
    let counts = [1, 2, 0, 2];
    let count = |index: u32| counts[index as usize];
    let mut ran = vec![false; made.blocks.functions()];
    let report = made.blocks.report(Mode { detailed: true, counts: true }, count, &mut ran);
    let ranges: Vec<_> = report.iter().flat_map(|one| &one.ranges).map(|one| (one.start, one.end, one.count)).collect();
    assert_eq!(ranges, [(0, 62, 1), (0, 48, 2), (36, 47, 0)]);
    assert_eq!(report[1].name, "f");
    assert!(report[1].is_block_coverage);
}
