//! Interrupts, exhausted heaps, lazy globals, finalization registries.

use std::time::Duration;

use engine::{ContextOptions, GcKind};

use crate::support::{eval, start, start_with};

#[test]
fn an_interrupt_ends_an_endless_loop() {
    for patience in [0, 2] {
        let mut engine = start(0);
        engine.host.patience.set(patience);
        let handle = engine.context.interrupt_handle();
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            // The first ones may come before the loop has started.
            while stopped.recv_timeout(Duration::from_millis(5)).is_err() {
                handle.request();
            }
            handle
        });
        // Nothing can catch it; `finally` does not run either.
        assert_eq!(
            engine.eval(
                "var ran = []; try { for (;;) {} } catch { ran.push('catch'); } finally { ran.push('finally'); }"
            ),
            "ended"
        );
        stop.send(()).unwrap();
        let handle = thread.join().unwrap();
        assert!(engine.host.interrupts.get() > patience);
        assert!(engine.context.with(|scope| scope.is_terminated()));
        // The host decides what comes then; the engine goes on.
        engine.host.patience.set(u32::MAX);
        assert_eq!(engine.eval("ran.length"), "0");
        drop(engine);
        handle.request();
    }
}

#[test]
fn a_full_heap_ends_execution() {
    for source in [
        "const all = []; for (;;) all.push({ index: all.length, name: 'k' + all.length });",
        "const map = new Map(); for (let i = 0; ; i++) map.set('key' + i, [i, { i }]);",
        "let text = []; for (;;) text.push(('x' + text.length).repeat(50));",
    ] {
        let mut engine = start_with(ContextOptions { max_heap_mib: 32, ..Default::default() });
        engine.host.patience.set(u32::MAX);
        let outcome = engine.eval(&format!("{{ {source} }}"));
        let exhausted = engine.context.with(|scope| scope.heap_exhausted());
        assert!(exhausted && outcome == "ended" || outcome.contains("out of memory"), "{source}: {outcome}");
        assert_eq!(engine.context.with(|scope| scope.heap_limit()), 32 << 20);
    }
}

#[test]
fn lazy_globals_are_made_once() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        assert!(engine.host.resolved.borrow().is_empty());
        assert_eq!(engine.eval("lazyObject === lazyObject && typeof lazyObject"), "object");
        assert_eq!(*engine.host.resolved.borrow(), ["lazyObject"]);
        assert_eq!(engine.eval("try { lazyFailure } catch (e) { e.message }"), "cannot be made");
        assert_eq!(engine.eval("typeof lazyNothing + typeof Map"), "undefinedfunction");
        assert_eq!(
            engine.eval("Object.keys(globalThis).includes('lazyObject') + ':' + ('lazyObject' in globalThis)"),
            "true:true"
        );
        assert_eq!(engine.eval("lazyObject = 5; lazyObject"), "5");
        // A program's own variable of that name comes first.
        drop(engine);
        let mut engine = start(stress);
        assert_eq!(engine.eval("globalThis.lazyObject = 'mine'; lazyObject"), "mine");
    }
}

#[test]
fn finalization_registries_call_back() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.eval("var log = []; var registry = new FinalizationRegistry((held) => log.push(held)); \
                     var kept = {}; registry.register(kept, 'kept'); \
                     (() => { for (let i = 0; i < 3; i++) registry.register({}, i); const token = {}; registry.register({}, 'gone', token); registry.unregister(token); })()");
        engine.run_loop();
        engine.context.with(|scope| scope.gc(GcKind::Full));
        engine.run_loop();
        assert_eq!(engine.eval("log.sort().join()"), "0,1,2");
        engine.eval("kept = null");
        engine.run_loop();
        engine.context.with(|scope| scope.gc(GcKind::Full));
        engine.run_loop();
        assert_eq!(engine.eval("log.join()"), "0,1,2,kept");
    }
}

#[test]
fn work_of_the_engine_on_other_threads_comes_home() {
    let mut engine = start(1);
    engine.eval("var result; const cells = new Int32Array(new SharedArrayBuffer(8)); \
                 const waiting = Atomics.waitAsync(cells, 0, 0); waiting.value.then((v) => { result = v; }); Atomics.notify(cells, 0)");
    engine.run_loop();
    assert_eq!(engine.eval("result"), "ok");
    // (module (func (export \"f\") (result i32) i32.const 42))
    engine.eval("var answer; WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11])).then((m) => { answer = m.instance.exports.f(); }, (e) => { answer = e; })");
    engine.run_loop();
    assert_eq!(engine.eval("answer"), "42");
}

#[test]
fn contexts_come_and_go_on_a_thread() {
    for round in 0..4 {
        let mut engine = start(round % 2);
        assert_eq!(engine.eval("globalThis.mark = (globalThis.mark ?? 0) + 1"), "1");
        // Two at once would share the engine's thread-local state.
        let silent = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let second = std::panic::catch_unwind(|| drop(start(0)));
        std::panic::set_hook(silent);
        assert!(second.is_err());
        assert_eq!(engine.eval("mark"), "1");
    }
}

#[test]
fn a_small_heap_option() {
    let mut engine = start_with(ContextOptions { small: true, stack_quota: 256 << 10, ..Default::default() });
    assert_eq!(engine.eval("let depth = 0; (function f() { depth++; f(); })"), "function f() { depth++; f(); }");
    assert_eq!(
        engine.eval("try { (function f() { depth++; f(); })() } catch (e) { e.name + (depth > 100) }"),
        if cfg!(engine_overlay) { "RangeErrortrue" } else { "InternalErrortrue" }
    );
}

#[test]
fn realms_share_a_heap() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        let other = engine.context.with(|scope| {
            let other = scope.new_realm().ok().unwrap();
            scope.in_realm_of(other, |scope| {
                assert_eq!(eval(scope, "var list = [1, { two: 2 }]; typeof lazyObject + list.length"), "undefined2");
            });
            let list = scope.get(other, "list").ok().unwrap();
            let global = scope.global_object();
            assert!(scope.set(global, "list", list).is_ok());
            scope.global(other)
        });
        engine.context.with(|scope| scope.gc(GcKind::Shrink));
        assert_eq!(engine.eval("[list[1].two, list instanceof Array, Array.isArray(list)].join()"), "2,false,true");
        // Errors of ops are those of the realm that calls.
        engine.context.with(|scope| {
            let other = other.get(scope);
            scope.in_realm_of(other, |scope| {
                let error = scope.new_error(engine::ErrorKind::TypeError, "over there").ok().unwrap();
                let global = scope.global_object();
                assert!(scope.set(global, "error", error).is_ok());
                assert_eq!(eval(scope, "error instanceof TypeError"), "true");
            });
        });
        drop(other);
        // The realm lives as long as something of it does.
        engine.context.with(|scope| scope.gc(GcKind::Full));
        assert_eq!(engine.eval("list.map((x) => typeof x).join()"), "number,object");
    }
}
