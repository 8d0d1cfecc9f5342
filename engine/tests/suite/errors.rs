use engine::{ErrorKind, OpError, Scope, op, ops};

use crate::support::{eval, run, start};

#[op]
fn fails(kind: String) -> Result<u32, OpError> {
    Err(match kind.as_str() {
        "plain" => OpError::error("plain message"),
        "type" => OpError::type_error("wrong type").code("ERR_INVALID_ARG_TYPE"),
        "range" => OpError::range_error("out of range").code("ERR_OUT_OF_RANGE"),
        "syntax" => OpError::syntax_error("not JSON"),
        "errno" => OpError::errno(libc_enoent(), "open").path("/no/such é"),
        "rename" => OpError::errno(libc_enoent(), "rename").path("/from").dest("/to"),
        "io" => OpError::io(std::fs::File::open("/no/such/file").unwrap_err(), "open"),
        "unknown" => OpError::errno(9999, "odd"),
        "coded" => OpError::errno(libc_enoent(), "getaddrinfo").code("ENOTFOUND"),
        _ => return Ok(1),
    })
}

fn libc_enoent() -> i32 {
    std::io::Error::from(std::io::ErrorKind::NotFound).raw_os_error().unwrap_or(2)
}

#[op(blocking)]
fn fails_later(kind: String) -> Result<u32, OpError> {
    fails(kind)
}

#[op]
fn panics(text: String) {
    panic!("{text}");
}

/// Panics with a scope and inner scopes open.
#[op]
fn panics_inside(scope: &mut Scope<'_>) {
    scope.nested(|inner| {
        for n in 0..2000 {
            assert!(inner.string(&format!("value {n}")).is_ok());
        }
        let list: Vec<u32> = Vec::new();
        let _ = list[std::hint::black_box(3)];
    });
}

#[op]
fn throws(scope: &mut Scope<'_>, value: engine::Local<'_>) -> engine::JsResult<u32> {
    Err(scope.throw(value))
}

/// Catches what a callback throws and gives it back as text.
#[op]
fn catches(scope: &mut Scope<'_>, callback: engine::Local<'_>) -> String {
    match scope.call_function(callback, &[]) {
        Ok(value) => scope.display(value),
        Err(exc) => match scope.take_exception(exc) {
            Some(error) => format!("caught {}", scope.display(error)),
            None => "ended".into(),
        },
    }
}

ops!(fn family "errors" { fails, fails_later, panics, panics_inside, throws, catches });

const SHOW: &str = "var show = (e) => JSON.stringify([e.constructor.name, e.message, e.code, e.errno, e.syscall, e.path, e.dest].map((v) => v ?? 0)) + (e instanceof Error);";

#[test]
fn errors_carry_nodes_properties() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.eval(SHOW);
        for (kind, expected) in [
            ("plain", r#"["Error","plain message",0,0,0,0,0]true"#),
            ("type", r#"["TypeError","wrong type","ERR_INVALID_ARG_TYPE",0,0,0,0]true"#),
            ("range", r#"["RangeError","out of range","ERR_OUT_OF_RANGE",0,0,0,0]true"#),
            ("syntax", r#"["SyntaxError","not JSON",0,0,0,0,0]true"#),
            (
                "errno",
                r#"["Error","ENOENT: no such file or directory, open '/no/such é'","ENOENT",-2,"open","/no/such é",0]true"#,
            ),
            (
                "rename",
                r#"["Error","ENOENT: no such file or directory, rename '/from' -> '/to'","ENOENT",-2,"rename","/from","/to"]true"#,
            ),
            ("io", r#"["Error","ENOENT: no such file or directory, open","ENOENT",-2,"open",0,0]true"#),
            ("unknown", r#"["Error","UNKNOWN: unknown error, odd","UNKNOWN",-9999,"odd",0,0]true"#),
            (
                "coded",
                r#"["Error","ENOENT: no such file or directory, getaddrinfo","ENOTFOUND",-2,"getaddrinfo",0,0]true"#,
            ),
        ] {
            assert_eq!(engine.eval(&format!("try {{ native.fails('{kind}') }} catch (e) {{ show(e) }}")), expected);
            engine.eval(&format!(
                "var later; native.failsLater('{kind}', (e, v) => {{ later = show(e) + (v === undefined); }})"
            ));
            engine.run_loop();
            assert_eq!(engine.eval("later"), format!("{expected}true"));
        }
        // Programs may replace the constructors; ours are the realm's own.
        assert_eq!(
            engine.eval(
                "globalThis.Error = null; globalThis.TypeError = 5; try { native.fails('type') } catch (e) { e.name }"
            ),
            "TypeError"
        );
    }
}

#[test]
fn a_panic_becomes_an_exception() {
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // Only what this test does on purpose is kept quiet.
        let text = info.payload_as_str().unwrap_or_default();
        if !text.contains("on purpose") && !text.contains("index out of bounds: the len is 0 but the index is 3") {
            silent(info);
        }
    }));
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        for _ in 0..3 {
            assert_eq!(
                engine.eval("try { native.panics('on purpose') } catch (e) { e.name + ' ' + e.message }"),
                "Error internal error in bao: on purpose. This is a bug in bao; please report it with the program that caused it."
            );
            assert!(
                engine.eval("try { native.panicsInside() } catch (e) { e.message }").contains("index out of bounds")
            );
        }
        // The handle stack is where it was.
        engine.context.with(|scope| {
            let object = scope.new_object().ok().unwrap();
            assert!(
                eval(scope, "native.catches(() => native.panicsInside())").starts_with("caught Error: internal error")
            );
            scope.gc(engine::GcKind::Shrink);
            assert!(object.is_object());
            assert_eq!(eval(scope, "[1, 2].map((n) => n * 2).join()"), "2,4");
        });
    }
}

#[test]
fn exceptions_pass_through() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        let out_of_stack = match cfg!(engine_overlay) {
            true => "caught RangeError: Maximum call stack size exceeded",
            false => "caught InternalError: too much recursion",
        };
        for (source, expected) in [
            ("try { native.throws(5) } catch (e) { e + 1 }", "6"),
            ("try { native.throws(undefined) } catch (e) { typeof e }", "undefined"),
            ("native.throws('uncaught')", "threw uncaught"),
            ("native.catches(() => { throw new RangeError('inside') })", "caught RangeError: inside"),
            ("native.catches(() => native.catches(() => native.throws('deep')))", "caught deep"),
            ("native.catches(() => 7)", "7"),
            ("native.catches(() => (function f() { f(); })())", out_of_stack),
            (
                "native.catches(() => { throw { toString() { throw 1; } } })",
                "caught [value that cannot be converted to a string]",
            ),
            ("native.catches(() => { throw Symbol('s') })", "caught Symbol()"),
        ] {
            assert_eq!(engine.eval(source), expected, "{source}");
        }
        engine.context.with(|scope| {
            for (kind, name) in [
                (ErrorKind::Error, "Error"),
                (ErrorKind::TypeError, "TypeError"),
                (ErrorKind::RangeError, "RangeError"),
                (ErrorKind::SyntaxError, "SyntaxError"),
            ] {
                let error = scope.new_error(kind, "made € here").ok().unwrap();
                assert_eq!(scope.display(error), format!("{name}: made € here"));
            }
            // A failed call leaves nothing pending once it is taken.
            let Err(exc) = run(scope, "null.x") else { panic!("null has no x") };
            assert!(scope.take_exception(exc).is_some());
            assert!(scope.take_exception(exc).is_none());
        });
    }
}
