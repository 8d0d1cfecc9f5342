use engine::{CompileOptions, Stencil};

use crate::support::{BUILD_ID, eval, start};

const SOURCE: &str = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } \
    class A { static #x = 5; static get x() { return this.#x; } } \
    `${fib(15)} ${A.x} ${/é+/u.test('éé')} ${1n << 64n}`";
const RESULT: &str = "610 5 true 18446744073709551616";

fn encoded(eager: bool) -> Vec<u8> {
    start(0).context.with(|scope| {
        let options = CompileOptions { eager, ..CompileOptions::new("cached.js") };
        let stencil = scope.compile_script(SOURCE, &options).ok().unwrap();
        let value = scope.run_script(&stencil, None).ok().unwrap();
        assert_eq!(scope.display(value), RESULT);
        scope.encode_stencil(&stencil).ok().unwrap().unwrap()
    })
}

#[test]
fn encoded_in_one_context_and_run_in_another() {
    for eager in [false, true] {
        let bytes = encoded(eager);
        for stress in [0, 1] {
            start(stress).context.with(|scope| {
                let stencil = scope.decode_stencil(&bytes).ok().unwrap().unwrap();
                for _ in 0..2 {
                    let value = scope.run_script(&stencil, None).ok();
                    // `class A` is declared by the first run.
                    if let Some(value) = value {
                        assert_eq!(scope.display(value), RESULT);
                    }
                }
                scope.gc(engine::GcKind::Full);
                assert_eq!(eval(scope, "fib(10)"), "55");
            });
        }
        // Without a copy, from bytes that stay.
        let bytes: &'static [u8] = Box::leak(bytes.into_boxed_slice());
        start(1).context.with(|scope| {
            let stencil = scope.decode_static_stencil(bytes).ok().unwrap().unwrap();
            let value = scope.run_script(&stencil, None).ok().unwrap();
            assert_eq!(scope.display(value), RESULT);
        });
    }
}

#[test]
fn a_stencil_goes_to_another_thread() {
    let stencil: Stencil =
        start(0).context.with(|scope| scope.compile_script("6 * 7", &CompileOptions::new("a.js")).ok().unwrap());
    let text = std::thread::spawn(move || {
        start(0).context.with(|scope| {
            let value = scope.run_script(&stencil, None).ok().unwrap();
            scope.display(value)
        })
    });
    assert_eq!(text.join().unwrap(), "42");
}

#[test]
fn code_of_another_build_or_cut_off_is_refused() {
    let bytes = encoded(true);
    start(0).context.with(|scope| {
        // The build id stands in the first bytes.
        let at = bytes.windows(BUILD_ID.len()).position(|window| window == BUILD_ID.as_bytes()).unwrap();
        let mut other = bytes.clone();
        other[at + BUILD_ID.len() - 1] ^= 1;
        assert!(scope.decode_stencil(&other).ok().unwrap().is_none());
        for length in [0, 1, 8, at, at + BUILD_ID.len(), at + BUILD_ID.len() + 2, bytes.len() / 2] {
            match scope.decode_stencil(&bytes[..length]) {
                Ok(stencil) => assert!(stencil.is_none(), "{length} bytes"),
                Err(exc) => drop(scope.take_exception(exc)),
            }
        }
        for at in 0..BUILD_ID.len() + 8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            if let Err(exc) = scope.decode_stencil(&damaged) {
                scope.take_exception(exc);
            }
        }
        assert!(scope.decode_stencil(b"no code at all, but some text that is a little longer").ok().unwrap().is_none());
        assert_eq!(eval(scope, "1 + 1"), "2");
    });
}

#[test]
fn syntax_errors_tell_their_place() {
    start(1).context.with(|scope| {
        let options = CompileOptions { line: 10, ..CompileOptions::new("bad.js") };
        let Err(exc) = scope.compile_script("let a = 1;\nlet b = ;", &options) else { panic!("compiled") };
        let error = scope.take_exception(exc).unwrap();
        assert!(scope.display(error).starts_with("SyntaxError: "));
        let line = scope.get(error, "lineNumber").ok().unwrap();
        let file = scope.get(error, "fileName").ok().unwrap();
        assert_eq!((line.as_number(), scope.display(file).as_str()), (Some(11.0), "bad.js"));
        assert!(scope.compile_module("export default await 1;", &CompileOptions::new("m.mjs")).is_ok());
        let Err(exc) = scope.compile_script("export default 1;", &CompileOptions::new("m.js")) else {
            panic!("compiled")
        };
        scope.take_exception(exc);
    });
}

#[test]
fn frames_of_errors() {
    start(1).context.with(|scope| {
        let options = CompileOptions { line: 5, ..CompileOptions::new("frames.js") };
        let stencil = scope
            .compile_script(
                "function inner() { return new Error('x'); }\nfunction outer() {\n  return inner();\n}\nouter()",
                &options,
            )
            .ok()
            .unwrap();
        let error = scope.run_script(&stencil, None).ok().unwrap();
        scope.gc(engine::GcKind::Full);
        let frames = scope.error_stack(error).ok().unwrap().unwrap();
        let text: Vec<_> =
            frames.iter().map(|f| format!("{} {}:{}:{}", f.function, f.source, f.line, f.column)).collect();
        assert_eq!(text, ["inner frames.js:5:27", "outer frames.js:7:10", " frames.js:9:1"]);
        let object = scope.new_object().ok().unwrap();
        assert!(scope.error_stack(object).ok().unwrap().is_none());
    });
}

#[test]
fn functions_are_noted_as_they_are_compiled() {
    let source = "function used() { return 1; } function other() { return [2, 'other function'].join('-'); } used()";
    let sizes = start(0).context.with(|scope| {
        let mut stencil = scope.compile_script(source, &CompileOptions::new("noted.js")).ok().unwrap();
        let lazy = scope.encode_stencil(&stencil).ok().unwrap().unwrap().len();
        stencil.note_functions();
        let value = scope.run_script(&stencil, None).ok().unwrap();
        assert_eq!(scope.display(value), "1");
        let noted = scope.encode_stencil(&stencil).ok().unwrap().unwrap();
        let options = CompileOptions { all_functions: true, ..CompileOptions::new("noted.js") };
        let all = scope.compile_script(source, &options).ok().unwrap();
        let all = scope.encode_stencil(&all).ok().unwrap().unwrap().len();
        let again = scope.decode_stencil(&noted).ok().unwrap().unwrap();
        let value = scope.run_script(&again, None).ok().unwrap();
        assert_eq!(scope.display(value), "1");
        assert_eq!(eval(scope, "other() + used.toString().length"), "2-other function29");
        (lazy, noted.len(), all)
    });
    assert!(sizes.0 < sizes.1 && sizes.1 < sizes.2, "{sizes:?}");
}
