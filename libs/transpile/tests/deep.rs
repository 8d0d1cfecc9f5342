//! Deeply nested and very large sources: no crash, no quadratic time, a diagnostic if it is too much.

use std::time::{Duration, Instant};

use transpile::{Loader, Options, cjs_exports, transpile};

/// Pieces that nest when repeated: before, in the middle, after.
const NESTINGS: [(&str, &str, &str); 30] = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("({a:", "1", "})"),
    ("{", "", "}"),
    ("!", "1", ""),
    ("- ", "1", ""),
    ("typeof ", "1", ""),
    ("new ", "X", ""),
    ("a?b:", "c", ""),
    ("a=", "1", ""),
    ("a=>", "1", ""),
    ("()=>{", "", "}"),
    ("if(a)b;else ", "c", ""),
    ("if(a){}else ", "{}", ""),
    ("while(a)", "b", ""),
    ("f(", "1", ")"),
    ("`${", "1", "}`"),
    ("a**", "b", ""),
    ("(function(){", "", "})()"),
    ("(class{m(){", "", "}})"),
    ("(class extends ", "X", "{})"),
    ("x", ":;", ""),
    ("async()=>await ", "1", ""),
    ("switch(a){case 1:", "", "}"),
    ("try{", "", "}finally{}"),
    ("for(;;)", "a", ""),
    ("a[", "0", "]"),
    ("1+(", "1", ")"),
    ("a?.[", "0", "]"),
    ("a||(b&&", "c", ")"),
];

/// The same for types and JSX.
const TYPED: [(&str, &str, &str); 8] = [
    ("let x: ", "A<", ">"),
    ("let x: ", "[", "]"),
    ("let x: ", "{a:", "}"),
    ("let x: ", "(() => ", ")"),
    ("let x: ", "keyof ", ""),
    ("let x: ", "A extends B ? C : ", ""),
    ("x = ", "<a>", "</a>"),
    ("x = ", "<a b={", "}/>"),
];

fn nested(piece: (&str, &str, &str), levels: usize) -> String {
    format!("{}{}{}", piece.0.repeat(levels), piece.1, piece.2.repeat(levels))
}

fn options() -> [Options; 3] {
    let ts = Options { loader: Some(Loader::Ts), ..Options::default() };
    let print = Options { reprint: true, ..ts.clone() };
    [Options { loader: Some(Loader::Js), ..Options::default() }, ts, print]
}

#[test]
fn deep_nesting_is_parsed_or_refused() {
    for piece in NESTINGS {
        for levels in [150, 10_000, 200_000] {
            let source = nested(piece, levels);
            for options in options() {
                let result = transpile(&source, "deep", &options);
                if levels == 200_000 && !piece.0.starts_with('x') {
                    let errors = result.expect_err(piece.0);
                    assert!(errors[0].message.contains("too deeply"), "{}: {}", piece.0, errors[0].message);
                }
            }
            let _ = cjs_exports(&format!("exports.a = 1;{source}"), "a.js");
        }
    }
}

#[test]
fn deep_types_and_elements() {
    for (before, open, close) in TYPED {
        for levels in [150, 10_000, 200_000] {
            let middle = if before.starts_with("let") { "A" } else { "" };
            let source = format!("{before}{}{middle}{};", open.repeat(levels), close.repeat(levels));
            let loader = if before.starts_with("let") { Loader::Ts } else { Loader::Tsx };
            for reprint in [false, true] {
                let options = Options { loader: Some(loader), reprint, ..Options::default() };
                let _ = transpile(&source, "deep", &options);
            }
        }
    }
}

#[test]
fn long_chains_are_fine() {
    for piece in ["a+", "a.b.", "a().", "a&&", "a??", "a,", "a;", "a[0].", "1-"] {
        let source = format!("x = {}b", piece.repeat(50_000));
        for options in options() {
            let result = transpile(&source, "chain", &options);
            assert!(result.is_ok(), "{piece}: {}", result.unwrap_err()[0]);
        }
    }
    let source = format!("x = {}b", "a+".repeat(3_000_000));
    let [js, ts, print] = options();
    assert!(transpile(&source, "chain", &js).is_ok());
    assert!(transpile(&source, "chain", &ts).is_ok());
    assert!(transpile(&source, "chain", &print).is_err());
}

/// The time for twice the text must be about twice the time.
fn assert_linear(name: &str, make: impl Fn(usize) -> String, options: &Options) {
    let time = |size: usize| {
        let source = make(size);
        let start = Instant::now();
        let result = transpile(&source, "big", options);
        assert!(result.is_ok(), "{name}: {}", result.unwrap_err()[0]);
        start.elapsed()
    };
    let (small, large) = (time(40_000), time(320_000));
    assert!(large < small * 8 * 4 + Duration::from_secs(1), "{name}: {small:?} and {large:?}");
}

#[test]
fn large_sources_take_linear_time() {
    let [js, ts, print] = options();
    let line = |n: usize| format!("x=[{}]", "1,".repeat(n));
    let unicode = |n: usize| format!("x='{}';y=[{}]", "é".repeat(n), "1,".repeat(n));
    let typed = |n: usize| "let x:number=y as any;".repeat(n / 4);
    let statements = |n: usize| "let x: number = f<T>(1)\ninterface I {}\n".repeat(n / 8);
    let classes = |n: usize| "class A { private x: number = 1; y?(): void {} }\n".repeat(n / 10);
    let imports = |n: usize| {
        let list = (0..n / 20).map(|i| format!("import {{ a{i}, type b{i} }} from 'm{i}';\n"));
        let uses = (0..n / 40).map(|i| format!("a{i}();\n"));
        list.chain(uses).collect::<String>()
    };
    for (name, options) in [("js", &js), ("ts", &ts), ("print", &print)] {
        assert_linear(&format!("{name} line"), line, options);
        assert_linear(&format!("{name} unicode"), unicode, options);
    }
    for (name, options) in [("ts", &ts), ("print", &print)] {
        assert_linear(&format!("{name} typed"), typed, options);
        assert_linear(&format!("{name} statements"), statements, options);
        assert_linear(&format!("{name} classes"), classes, options);
        assert_linear(&format!("{name} imports"), imports, options);
    }
    // An error at the end of a very long line.
    let source = format!("{}=", "a;".repeat(2_000_000));
    let start = Instant::now();
    let errors = transpile(&source, "big", &js).unwrap_err();
    assert!(errors[0].excerpt.len() < 1000 && start.elapsed() < Duration::from_secs(20));
}
