use crate::support::{Engine, start};

fn engine(stress: u32, sources: &[(&'static str, &'static str)], delayed: &[&'static str]) -> Engine {
    let engine = start(stress);
    engine.host.sources.borrow_mut().extend(sources.iter().copied());
    engine.host.delayed.borrow_mut().extend(delayed.iter().copied());
    engine
}

#[test]
fn static_imports_and_live_bindings() {
    for stress in [0, 1] {
        let mut engine = engine(
            stress,
            &[
                (
                    "main",
                    "import def, { count, add as plus } from 'a'; import * as ns from 'b'; import data from 'data' with { type: 'json' }; \
                      plus(); plus(); globalThis.result = [def, count, ns.twice(4), Object.keys(ns), data.list[1], import.meta.name].join(' ');",
                ),
                (
                    "a",
                    "export let count = 0; export function add() { count++; } export default 'default ' + import.meta.name;",
                ),
                ("b", "export { count } from 'a'; export * from 'c';"),
                ("c", "export const twice = (n) => n * 2;"),
                ("data", "{ \"list\": [1, \"two\"] }"),
            ],
            &[],
        );
        assert_eq!(engine.module("main"), "fulfilled");
        assert_eq!(engine.eval("result"), "default a 2 8 count,twice two main");
        assert_eq!(engine.host.asked.borrow()[0], "main -> a");
    }
}

#[test]
fn cycles() {
    for stress in [0, 1] {
        for delayed in [&[][..], &["a"], &["b"], &["a", "b"]] {
            let mut engine = engine(
                stress,
                &[
                    (
                        "a",
                        "import { b, readA } from 'b'; export let a = 'a'; export function hoisted() { return 'hoisted'; } globalThis.result = b + readA();",
                    ),
                    (
                        "b",
                        "import { a, hoisted } from 'a'; export const b = 'b' + hoisted(); export const readA = () => a; \
                       try { a; } catch (e) { globalThis.early = e.name; }",
                    ),
                    ("main", "import 'a';"),
                ],
                delayed,
            );
            assert_eq!(engine.module("main"), "fulfilled", "{delayed:?}");
            assert_eq!(engine.eval("result + ' ' + early"), "bhoisteda ReferenceError");
        }
    }
}

#[test]
fn dynamic_imports() {
    for stress in [0, 1] {
        let mut engine = engine(
            stress,
            &[
                (
                    "main",
                    "const results = globalThis.results = []; const a = await import('a'); results.push(a.default, a === await import('a')); \
                      try { await import('nowhere'); } catch (e) { results.push(e.message); } \
                      try { await import('broken'); } catch (e) { results.push(e.name); } \
                      try { await import('throws'); } catch (e) { results.push(e); } \
                      try { await import('main-names'); } catch (e) { results.push(e.name); }",
                ),
                ("a", "export default 'a'"),
                ("broken", "export default ;"),
                ("throws", "throw 'thrown';"),
                ("main-names", "import { missing } from 'a';"),
            ],
            &[],
        );
        assert_eq!(engine.module("main"), "fulfilled");
        assert_eq!(engine.eval("results.join()"), "a,true,no module nowhere,SyntaxError,thrown,SyntaxError");
        // From a script, which has no number.
        engine.eval("import('a').then((ns) => { globalThis.fromScript = ns.default; })");
        engine.run_loop();
        assert_eq!(engine.eval("fromScript"), "a");
        assert_eq!(engine.host.asked.borrow().last().unwrap(), "script -> a (dynamic)");
    }
}

#[test]
fn modules_that_come_later() {
    for stress in [0, 1] {
        let mut engine = engine(
            stress,
            &[
                (
                    "main",
                    "import { x } from 'later'; import { x as y } from 'now'; globalThis.result = [x, y];  \
                      const dynamic = await import('dynamic'); result.push(dynamic.x, (await import('dynamic')) === dynamic); \
                      const both = await Promise.all([import('slow'), import('slow')]); result.push(both[0] === both[1]);",
                ),
                ("later", "export { x } from 'deeper'; import.meta.name;"),
                ("deeper", "export const x = 'deep ' + import.meta.name;"),
                ("now", "export { x } from 'deeper';"),
                ("dynamic", "import 'now'; export { x } from 'below';"),
                ("below", "export const x = 'below';"),
                ("slow", "export default await new Promise((resolve) => resolve(1));"),
            ],
            &["later", "deeper", "dynamic", "below", "slow"],
        );
        assert_eq!(engine.module("main"), "fulfilled");
        assert_eq!(engine.eval("result.join()"), "deep deeper,deep deeper,below,true,true");
    }
}

#[test]
fn top_level_await_and_failures() {
    for stress in [0, 1] {
        let mut engine = engine(
            stress,
            &[
                ("main", "import 'one'; import 'two'; order.push('main');"),
                (
                    "one",
                    "(globalThis.order ??= []).push('one starts'); await null; await null; order.push('one ends');",
                ),
                ("two", "(globalThis.order ??= []).push('two starts'); await null; order.push('two ends');"),
                ("never", "await new Promise(() => {});"),
                ("rejects", "await Promise.reject(new RangeError('late'));"),
                ("throws", "import 'rejects';"),
                ("missing", "import 'gone';"),
                ("names", "import { nothing } from 'never2';"),
                ("never2", "export {};"),
            ],
            &[],
        );
        assert_eq!(engine.module("main"), "fulfilled");
        assert_eq!(engine.eval("order.join()"), "one starts,two starts,two ends,one ends,main");
        assert_eq!(engine.module("never"), "pending");
        assert_eq!(engine.module("throws"), "rejected RangeError: late");
        assert_eq!(engine.module("missing"), "threw Error: no module gone");
        assert!(engine.module("names").starts_with("threw SyntaxError: "));
    }
}

#[test]
fn import_of_a_graph_under_evaluation() {
    for stress in [0, 1] {
        let mut engine = engine(
            stress,
            &[
                ("main", "import 'part'; globalThis.done = true;"),
                (
                    "part",
                    "export const value = 5; globalThis.later = import('main').then(() => import('part')).then((ns) => { globalThis.result = [ns.value, done].join(); });",
                ),
            ],
            &["part"],
        );
        assert_eq!(engine.module("main"), "fulfilled");
        assert_eq!(engine.eval("result"), "5,true");
    }
}

#[test]
fn a_graph_of_many_modules_under_collections() {
    let mut engine = start(50);
    let names: Vec<&'static str> = (0..200).map(|n| &*format!("m{n}").leak()).collect();
    for (n, name) in names.iter().enumerate() {
        let imports: String = [2 * n + 1, 2 * n + 2]
            .iter()
            .filter(|&&m| m < 200)
            .map(|m| format!("import {{ sum as s{m} }} from 'm{m}'; "))
            .collect();
        let terms: String = [2 * n + 1, 2 * n + 2].iter().filter(|&&m| m < 200).map(|m| format!(" + s{m}")).collect();
        let source: &'static str = format!("{imports} export const sum = {n}{terms};").leak();
        engine.host.sources.borrow_mut().insert(name, source);
        if n % 7 == 3 {
            engine.host.delayed.borrow_mut().insert(name);
        }
    }
    engine.host.sources.borrow_mut().insert("main", "import { sum } from 'm0'; globalThis.result = sum;");
    assert_eq!(engine.module("main"), "fulfilled");
    assert_eq!(engine.eval("result"), (199 * 200 / 2).to_string());
}
