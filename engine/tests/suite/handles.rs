use engine::{GcKind, Global, JsResult, Local, Scope};

use crate::support::{eval, run, start};

/// An object that tells its number.
fn numbered<'s>(scope: &mut Scope<'s>, number: usize) -> Local<'s> {
    let object = scope.new_object().ok().unwrap();
    let value = scope.string(&format!("object number {number}, long enough for characters of its own")).ok().unwrap();
    assert!(scope.set(object, "text", value).is_ok());
    object
}

fn check(scope: &mut Scope<'_>, object: Local<'_>, number: usize) {
    let text = scope.get(object, "text").ok().unwrap();
    let text = scope.to_string(text).ok().unwrap();
    assert_eq!(text, format!("object number {number}, long enough for characters of its own"));
}

#[test]
fn locals_follow_what_the_collector_moves() {
    for kind in [GcKind::Full, GcKind::Shrink] {
        start(0).context.with(|scope| {
            // More than one chunk of the handle stack.
            let objects: Vec<_> = (0..1500).map(|n| numbered(scope, n)).collect();
            scope.gc(kind);
            scope.gc(kind);
            for (n, object) in objects.iter().enumerate() {
                scope.nested(|inner| check(inner, *object, n));
            }
        });
    }
}

#[test]
fn inner_scopes_end_and_outer_locals_stay() {
    start(0).context.with(|scope| {
        let kept = numbered(scope, 1);
        for round in 0..3000 {
            let number = scope.nested(|inner| {
                let object = numbered(inner, round);
                let deeper = inner.nested(|innermost| {
                    check(innermost, object, round);
                    innermost.number(0.5).as_number()
                });
                assert_eq!(deeper, Some(0.5));
                round
            });
            if number % 500 == 0 {
                scope.gc(GcKind::Full);
            }
            scope.nested(|inner| check(inner, kept, 1));
        }
    });
}

#[test]
fn escape_carries_one_value_out() {
    start(0).context.with(|scope| {
        let object = scope.escape(|inner| -> JsResult<_> {
            for n in 0..700 {
                numbered(inner, n);
            }
            let object = numbered(inner, 7);
            inner.gc(GcKind::Shrink);
            inner.escape(|innermost| Ok::<_, engine::Exc>(innermost.copy(object)))
        });
        let object = object.ok().unwrap();
        scope.gc(GcKind::Shrink);
        check(scope, object, 7);
        let failed = scope.escape(|inner| Err::<Local<'_>, _>(inner.throw_error("no value")));
        assert!(failed.is_err());
        let error = scope.take_exception(failed.err().unwrap()).unwrap();
        assert_eq!(scope.display(error), "Error: no value");
    });
}

#[test]
fn calls_within_calls_keep_their_values() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            // 2 arguments lie on the handle stack, 600 are too many for a chunk of it.
            let function =
                run(scope, "(function (...all) { return all.length + ':' + all.at(-1) + all[0]; })").ok().unwrap();
            for count in [0_usize, 1, 2, 511, 512, 513, 600] {
                let text = scope.nested(|inner| {
                    let args: Vec<_> =
                        (0..count).map(|n| inner.string(&format!("argument {n}")).ok().unwrap()).collect();
                    let result = inner.call_function(function, &args).ok().unwrap();
                    inner.to_string(result).ok().unwrap()
                });
                let expected = match count {
                    0 => "0:undefinedundefined".into(),
                    _ => format!("{count}:argument {}argument 0", count - 1),
                };
                assert_eq!(text, expected);
            }
            let constructor = run(scope, "(class { constructor(a, b) { this.text = a + b; } })").ok().unwrap();
            let (a, b) = (scope.string("a").ok().unwrap(), scope.number(2.5));
            let made = scope.construct(constructor, &[a, b]).ok().unwrap();
            scope.gc(GcKind::Full);
            let text = scope.get(made, "text").ok().unwrap();
            assert_eq!(scope.display(text), "a2.5");
        });
    }
}

#[test]
fn globals_survive_collections_and_let_go() {
    let mut engine = start(0);
    let mut globals: Vec<Option<(usize, Global)>> = Vec::new();
    // A fixed sequence of pseudo-random steps.
    let mut random = 12345_u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize
    };
    engine.context.with(|scope| {
        for step in 0..3000 {
            scope.nested(|scope| match next() % 5 {
                0 | 1 => {
                    let object = numbered(scope, step);
                    globals.push(Some((step, scope.global(object))));
                }
                2 if !globals.is_empty() => {
                    let at = next() % globals.len();
                    globals[at] = None;
                }
                3 if !globals.is_empty() => {
                    let at = next() % globals.len();
                    globals.push(globals[at].clone());
                }
                _ if !globals.is_empty() => {
                    if let Some((number, global)) = &globals[next() % globals.len()] {
                        let object = global.get(scope);
                        check(scope, object, *number);
                    }
                }
                _ => {}
            });
            if step % 300 == 0 {
                scope.gc(if step % 600 == 0 { GcKind::Full } else { GcKind::Shrink });
            }
        }
        for (number, global) in globals.iter().flatten() {
            scope.nested(|scope| {
                let object = global.get(scope);
                check(scope, object, *number);
            });
        }
    });
    // In a new turn, with nothing kept alive by a running job.
    let held = engine.context.with(|scope| {
        let object = run(scope, "var object = { a: 1 }; var weak = new WeakRef(object); object").ok().unwrap();
        scope.global(object)
    });
    engine.context.with(|scope| {
        scope.clear_kept_objects();
        eval(scope, "object = null");
        scope.gc(GcKind::Full);
        assert_eq!(eval(scope, "weak.deref() === undefined"), "false");
        scope.clear_kept_objects();
    });
    let second = held.clone();
    drop(held);
    engine.context.with(|scope| {
        scope.gc(GcKind::Full);
        assert_eq!(eval(scope, "weak.deref().a"), "1");
        scope.clear_kept_objects();
    });
    drop(second);
    engine.context.with(|scope| {
        scope.gc(GcKind::Full);
        assert_eq!(eval(scope, "weak.deref()"), "undefined");
    });
    // Globals may outlive their context.
    drop(engine);
    drop(globals);
}

#[test]
fn stress_collects_at_every_call_and_allocation() {
    #[engine::op]
    fn nothing(scope: &mut Scope<'_>) {
        let _ = scope;
    }
    engine::ops!(fn family "stress" { nothing });
    let number = |engine: &mut crate::support::Engine| {
        engine.context.with(|scope| scope.gc_parameter(engine::__jsapi::JSGCParamKey::JSGC_NUMBER))
    };
    for (stress, least) in [(0, 0), (1, 100), (10, 10)] {
        let mut engine = start(stress);
        engine.install(family());
        let before = number(&mut engine);
        engine.eval("for (let i = 0; i < 100; i++) native.nothing()");
        let calls = number(&mut engine) - before;
        assert!(calls >= least && (stress > 0 || calls < 10), "{calls} collections at {stress}");
        let before = number(&mut engine);
        engine.context.with(|scope| (0..100).for_each(|_| assert!(scope.new_object().is_ok())));
        let allocations = number(&mut engine) - before;
        assert!(allocations >= least && (stress > 0 || allocations < 10), "{allocations} collections at {stress}");
    }
}

#[test]
fn properties_under_stress() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            let object = scope.new_object().ok().unwrap();
            for n in 0..300_u32 {
                scope.nested(|scope| {
                    let value = scope.string(&format!("value {n} \u{1f600}")).ok().unwrap();
                    assert!(scope.set(object, &format!("key{n}"), value).is_ok());
                    assert!(scope.set_index(object, n, value).is_ok());
                    assert!(scope.define(object, &format!("é{n}"), value, engine::PropertyAttributes::HIDDEN).is_ok());
                });
            }
            scope.gc(GcKind::Shrink);
            assert_eq!(scope.own_keys(object, true).ok().unwrap().len(), 600);
            assert_eq!(scope.own_keys(object, false).ok().unwrap().len(), 900);
            assert!(scope.has_own(object, "é7").ok().unwrap());
            assert!(scope.delete(object, "key7").ok().unwrap());
            assert!(!scope.has(object, "key7").ok().unwrap());
            assert!(scope.has(object, "toString").ok().unwrap());
            let value = scope.get_index(object, 299).ok().unwrap();
            assert_eq!(scope.display(value), "value 299 \u{1f600}");
            assert_eq!(eval(scope, "Object.keys(JSON.parse(JSON.stringify({ a: [1, { b: 2 }] }))).join()"), "a");
        });
    }
}
