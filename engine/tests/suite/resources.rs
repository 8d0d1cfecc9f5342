use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::ThreadId;

use engine::{GcKind, JsResult, Local, OpError, Resource, Scope, op, ops};

use crate::support::start;

/// State that only its own thread may touch.
struct Counter {
    value: Cell<f64>,
    log: RefCell<Vec<f64>>,
    drops: Rc<Cell<u32>>,
    made_on: ThreadId,
}

impl Drop for Counter {
    fn drop(&mut self) {
        assert_eq!(std::thread::current().id(), self.made_on);
        self.drops.set(self.drops.get() + 1);
    }
}

#[derive(Default)]
struct Drops(Rc<Cell<u32>>);

fn drops(scope: &mut Scope<'_>) -> Rc<Cell<u32>> {
    scope.state().get_or_default::<Drops>().0.clone()
}

fn counter(scope: &mut Scope<'_>, start: f64) -> Counter {
    let drops = drops(scope);
    Counter { value: Cell::new(start), log: RefCell::default(), drops, made_on: std::thread::current().id() }
}

/// A resource as a result.
#[op]
fn open(scope: &mut Scope<'_>, start: f64) -> Resource<Counter> {
    Resource::new(counter(scope, start))
}

/// A resource object made by hand, with memory.
#[op]
fn open_large<'s>(scope: &mut Scope<'s>, bytes: u32) -> JsResult<Local<'s>> {
    let counter = counter(scope, 0.0);
    let object = scope.new_resource(counter)?;
    scope.set_resource_bytes(object, bytes as usize);
    Ok(object)
}

/// A borrowed resource between other borrowed arguments.
#[op]
fn add(counter: &Resource<Counter>, n: f64) -> f64 {
    counter.value.set(counter.value.get() + n);
    counter.log.borrow_mut().push(n);
    counter.value.get()
}

/// Two at once.
#[op]
fn same(a: &Resource<Counter>, b: &Resource<Counter>) -> bool {
    std::ptr::eq::<Counter>(&**a, &**b)
}

/// A counted resource and a scope, which calls back.
#[op]
fn each(scope: &mut Scope<'_>, counter: Resource<Counter>, callback: Local<'_>) -> JsResult<usize> {
    let mut count = 0;
    while count < counter.log.borrow().len() {
        let n = counter.log.borrow()[count];
        scope.nested(|scope| {
            {
                let n = scope.number(n);
                scope.call_function(callback, &[n])
            }
            .map(drop)
        })?;
        count += 1;
    }
    Ok(count)
}

/// Takes the value out.
#[op]
fn close(scope: &mut Scope<'_>, object: Local<'_>) -> bool {
    scope.take_resource::<Counter>(object).is_some()
}

#[op]
fn dropped(scope: &mut Scope<'_>) -> u32 {
    drops(scope).get()
}

#[op]
fn collect(scope: &mut Scope<'_>) {
    scope.gc(GcKind::Full);
}

/// A future keeps its resource.
#[op(async)]
async fn add_later(counter: Resource<Counter>, n: f64) -> f64 {
    let mut first = true;
    std::future::poll_fn(|_| {
        if std::mem::take(&mut first) { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    counter.value.set(counter.value.get() + n);
    counter.value.get()
}

static TOTAL_DROPS: AtomicU32 = AtomicU32::new(0);

/// State that threads may share.
struct Total(Mutex<f64>);

impl Drop for Total {
    fn drop(&mut self) {
        TOTAL_DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

#[op]
fn open_total() -> Resource<Total> {
    Resource::new(Total(Mutex::new(0.0)))
}

#[op(blocking)]
fn add_to_total(total: Resource<Total>, n: f64) -> Result<f64, OpError> {
    std::thread::sleep(std::time::Duration::from_millis(2));
    let mut total = total.0.lock().map_err(|_| OpError::error("poisoned"))?;
    *total += n;
    Ok(*total)
}

ops!(fn family "resources" {
    open, open_large, add, same, each, close, dropped, collect, add_later, open_total, add_to_total
});

#[test]
fn values_behind_objects() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        assert_eq!(engine.eval("var a = native.open(1), b = native.open(10); native.add(a, 2); native.add(b, 3); native.add(a, 0.5) + ':' + native.add(b, 0)"), "3.5:13");
        assert_eq!(engine.eval("native.same(a, a) + ':' + native.same(a, b)"), "true:false");
        engine.context.with(|scope| scope.gc(GcKind::Shrink));
        assert_eq!(engine.eval("native.add(a, 1) + ':' + native.dropped()"), "4.5:0");
        assert_eq!(
            engine.eval("let seen = []; native.each(a, (n) => { seen.push(n); native.collect(); }) + ':' + seen"),
            "3:2,0.5,1"
        );
        // It is an object like any other, with nothing in it.
        assert_eq!(
            engine.eval("typeof a + Object.keys(a).length + Object.prototype.toString.call(a) + (a instanceof Object)"),
            "object0[object Object]true"
        );
        assert_eq!(engine.eval("a.note = 1; new WeakMap([[a, 5]]).get(a) + a.note"), "6");
    }
}

#[test]
fn other_values_are_refused_before_the_op_runs() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.eval("var total = native.openTotal(); var closed = native.open(0); native.close(closed)");
        for value in [
            "{}",
            "null",
            "undefined",
            "1",
            "'text'",
            "total",
            "closed",
            "new Proxy(native.open(1), {})",
            "Object.create(native.open(1))",
            "structuredCloneOf",
        ] {
            let text = engine.eval(&format!(
                "try {{ native.add({}, 1) }} catch (e) {{ [e.name, e.code, e.message].join() }}",
                if value == "structuredCloneOf" { "[native.open(1)]" } else { value }
            ));
            assert_eq!(text, "TypeError,ERR_INVALID_ARG_TYPE,native function expected an open Counter", "{value}");
        }
        let text = engine.eval("try { native.addLater({}, 1, () => {}) } catch (e) { e.message }");
        assert_eq!(text, "native function expected an open Counter");
    }
}

#[test]
fn closing_drops_at_once_and_only_once() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        assert_eq!(engine.eval("var a = native.open(1); [native.close(a), native.dropped(), native.close(a), native.close({}), native.dropped()].join()"), "true,1,false,false,1");
        // In use: the op that closes its own resource keeps the value to its end.
        assert_eq!(engine.eval("var b = native.open(1); native.add(b, 5); native.add(b, 6); var seen = []; native.each(b, (n) => { native.close(b); native.collect(); seen.push(n, native.dropped()); }); seen.join()"), "5,1,6,1");
        assert_eq!(engine.eval("native.dropped()"), "2");
        // The wrong type closes nothing.
        assert_eq!(engine.eval("native.close(native.openTotal())"), "false");
        engine.context.with(|scope| scope.gc(GcKind::Full));
        assert_eq!(engine.eval("native.dropped()"), "2");
    }
}

#[test]
fn collected_objects_drop_their_values_on_this_thread() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        let count = if stress == 0 { 10_000 } else { 300 };
        assert_eq!(engine.eval(&format!("var kept = []; for (let i = 0; i < {count}; i++) {{ const r = native.open(i); if (i % 100 === 0) kept.push(r); }} kept.length")), (count / 100).to_string());
        engine.context.with(|scope| {
            scope.gc(GcKind::Full);
            assert_eq!(drops(scope).get(), count - count / 100);
        });
        assert_eq!(engine.eval("kept.every((r, i) => native.add(r, 0) === i * 100)"), "true");
        let counter = engine.context.with(drops);
        drop(engine);
        assert_eq!(counter.get(), count, "all are dropped when the context ends");
    }
}

#[test]
fn values_are_dropped_between_tasks() {
    let mut engine = start(0);
    engine.install(family());
    // The collector comes by itself; nothing is dropped in the middle of what allocates.
    engine.eval("for (let i = 0; i < 100; i++) native.open(i); native.openLarge(0)");
    engine.eval("for (let i = 0, junk; i < 3e6; i++) junk = { i, a: [i] }");
    engine.context.with(|scope| scope.gc(GcKind::Full));
    engine.run_loop();
    assert_eq!(engine.eval("native.dropped()"), "101");
}

#[test]
fn reported_memory_brings_the_collector() {
    let mut engine = start(0);
    engine.install(family());
    let before = engine.context.with(|scope| {
        scope.gc(GcKind::Full);
        scope.external_bytes()
    });
    engine.eval("var big = native.openLarge(100 << 20)");
    let during = engine.context.with(|scope| scope.external_bytes());
    assert!(during >= before + (100 << 20));
    // Closed: nothing is left to report, though the object lives.
    engine.eval("native.close(big)");
    let after = engine.context.with(|scope| scope.external_bytes());
    assert!(after < before + (1 << 20), "{before} before, {after} after");
    let live = engine.eval("let most = 0; for (let i = 0; i < 4096; i++) { native.openLarge(1 << 20); most = Math.max(most, i + 2 - native.dropped()); } most");
    assert!(live.parse::<u32>().unwrap() < 3000, "{live} alive at once");
}

#[test]
fn futures_and_threads_keep_their_resource() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.eval("var results = []; native.addLater(native.open(1), 2, (e, v) => results.push(e || v))");
        engine.context.with(|scope| scope.gc(GcKind::Full));
        assert_eq!(engine.eval("native.dropped()"), "0");
        engine.run_loop();
        engine.context.with(|scope| scope.gc(GcKind::Full));
        assert_eq!(engine.eval("results.join() + ':' + native.dropped()"), "3:1");
        engine.eval("results = []; { const total = native.openTotal(); for (let i = 1; i <= 4; i++) native.addToTotal(total, i, (e, v) => results.push(e || v)); }");
        engine.context.with(|scope| scope.gc(GcKind::Full));
        engine.run_loop();
        assert_eq!(engine.eval("results.length + ':' + Math.max(...results)"), "4:10");
    }
}

#[test]
fn resources_are_not_cloned() {
    let mut engine = start(0);
    engine.context.with(|scope| {
        let object = scope.new_resource(5_u32).ok().unwrap();
        assert_eq!(*scope.resource::<u32>(object).unwrap(), 5);
        assert!(scope.resource::<i32>(object).is_none());
        assert!(scope.is_resource(object));
        let none = scope.undefined();
        assert!(matches!(scope.serialize(object, none), Err(engine::CloneError::DataClone(_))));
        let taken = scope.take_resource::<u32>(object).unwrap();
        assert_eq!(taken.into_inner().ok(), Some(5));
        assert!(scope.is_resource(object) && scope.resource::<u32>(object).is_none());
    });
}
