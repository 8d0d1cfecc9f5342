use engine::PromiseState;

use crate::support::{eval, run, start};

#[test]
fn states_and_settling_from_outside() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            let promise = scope.new_promise().ok().unwrap();
            assert_eq!(scope.promise_state(promise).unwrap().0, PromiseState::Pending);
            let global = scope.global_object();
            assert!(scope.set(global, "promise", promise).is_ok());
            eval(scope, "var log = []; promise.then((v) => log.push('then ' + v))");
            let value = scope.string("value").ok().unwrap();
            assert!(scope.resolve_promise(promise, value).is_ok());
            let (state, result) = scope.promise_state(promise).unwrap();
            assert_eq!((state, scope.display(result).as_str()), (PromiseState::Fulfilled, "value"));
            let failed = scope.new_promise().ok().unwrap();
            let reason = scope.new_error(engine::ErrorKind::RangeError, "reason").ok().unwrap();
            assert!(scope.reject_promise(failed, reason).is_ok());
            let (state, result) = scope.promise_state(failed).unwrap();
            assert_eq!((state, scope.display(result).as_str()), (PromiseState::Rejected, "RangeError: reason"));
            let text = scope.string("not a promise").ok().unwrap();
            assert!(scope.promise_state(text).is_none());
            let object = scope.new_object().ok().unwrap();
            assert!(scope.promise_state(object).is_none());
        });
        engine.run_loop();
        assert_eq!(engine.eval("log.join()"), "then value");
    }
}

#[test]
fn microtasks_run_in_order_and_survive_exceptions() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            eval(scope, "var log = []; Promise.resolve(1).then((v) => { log.push('a' + v); return 2; }).then((v) => log.push('c' + v))");
            let task = run(scope, "(() => { log.push('b'); throw new Error('of a task'); })").ok().unwrap();
            assert!(scope.enqueue_microtask(task).is_ok());
            eval(scope, "(async () => { await null; log.push('d'); await new Promise((r) => Promise.resolve().then(r)); log.push('e'); })()");
            assert!(scope.has_microtasks());
        });
        engine.run_loop();
        assert_eq!(engine.eval("log.join() + ' ' + reported"), "a1,b,d,c2,e Error: of a task");
        assert!(!engine.context.with(|scope| scope.has_microtasks()));
    }
}

#[test]
fn rejections_are_tracked() {
    let mut engine = start(1);
    engine.eval("var late = Promise.reject(1); Promise.reject(2).catch(() => {})");
    assert_eq!(*engine.host.rejections.borrow(), [false, false, true]);
    engine.eval("late.catch(() => {})");
    engine.run_loop();
    assert_eq!(*engine.host.rejections.borrow(), [false, false, true, true]);
    engine.context.with(|scope| {
        let promise = scope.new_promise().ok().unwrap();
        assert!(scope.mark_handled(promise).is_ok());
        let reason = scope.null();
        assert!(scope.reject_promise(promise, reason).is_ok());
    });
    assert_eq!(engine.host.rejections.borrow().len(), 4);
}

#[test]
fn the_async_context_follows_promises() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            let outer = run(scope, "var seen = []; ({ name: 'outer' })").ok().unwrap();
            scope.set_async_context(outer);
            let current = scope.async_context();
            assert!(current.same(outer));
            // A pending promise, and one that is settled already.
            let promise =
                run(scope, "var settle; var later = new Promise((r) => { settle = r; }); later").ok().unwrap();
            assert!(scope.promise_state(promise).is_some());
        });
        // What runs inside reads the context through a native function of the test.
        #[engine::op]
        fn context_name(scope: &mut engine::Scope<'_>) -> String {
            let context = scope.async_context();
            if !context.is_object() {
                return "none".into();
            }
            let Ok(name) = scope.get(context, "name") else { return "broken".into() };
            scope.display(name)
        }
        engine::ops!(fn family "context" { context_name });
        engine.install(family());
        engine.eval("later.then(() => seen.push('then ' + native.contextName())); \
                     (async () => { await later; seen.push('await ' + native.contextName()); await null; seen.push('again ' + native.contextName()); })(); \
                     Promise.resolve().then(() => seen.push('settled ' + native.contextName()))");
        engine.context.with(|scope| {
            let none = scope.undefined();
            scope.set_async_context(none);
        });
        engine.eval("settle(); later.then(() => seen.push('outside ' + native.contextName()))");
        engine.run_loop();
        assert_eq!(engine.eval("seen.sort().join()"), "again outer,await outer,outside none,settled outer,then outer");
    }
}
