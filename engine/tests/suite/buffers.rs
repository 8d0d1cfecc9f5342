use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::ThreadId;
use std::time::Duration;

use engine::{F64Array, GcKind, JsResult, Local, OpState, PinnedBytes, Scope, SharedCells, op, ops};

use crate::support::{Engine, eval, run, start};

/// Counts how often it is dropped, and notes on which thread. Tied to its thread by the `Rc`.
struct Owner {
    bytes: Vec<u8>,
    drops: Rc<Cell<u32>>,
    made_on: ThreadId,
}

impl Owner {
    fn new(bytes: Vec<u8>, drops: &Rc<Cell<u32>>) -> Self {
        Owner { bytes, drops: drops.clone(), made_on: std::thread::current().id() }
    }
}

impl AsMut<[u8]> for Owner {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        assert_eq!(std::thread::current().id(), self.made_on);
        self.drops.set(self.drops.get() + 1);
    }
}

#[derive(Default)]
struct Drops(Rc<Cell<u32>>);

fn drops(state: &mut OpState) -> Rc<Cell<u32>> {
    state.get_or_default::<Drops>().0.clone()
}

/// An external buffer of `size` bytes, all 1.
#[op]
fn external<'s>(scope: &mut Scope<'s>, size: u32) -> JsResult<Local<'s>> {
    let drops = drops(scope.state());
    scope.external_array_buffer(Owner::new(vec![1; size as usize], &drops))
}

/// The same without touching the memory.
#[op]
fn untouched<'s>(scope: &mut Scope<'s>, size: u32) -> JsResult<Local<'s>> {
    let drops = drops(scope.state());
    scope.external_array_buffer(Owner::new(vec![0; size as usize], &drops))
}

#[op]
fn dropped(scope: &mut Scope<'_>) -> u32 {
    drops(scope.state()).get()
}

/// The sum of the bytes.
#[op]
fn sum(bytes: &[u8]) -> f64 {
    bytes.iter().map(|&byte| f64::from(byte)).sum()
}

/// Copies as much as fits.
#[op]
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    to[..length].copy_from_slice(&from[..length]);
    length
}

/// Adds one to each byte, on another thread.
#[op(blocking)]
fn increment(mut bytes: PinnedBytes) -> usize {
    std::thread::sleep(Duration::from_millis(5));
    bytes.as_mut_slice().iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    bytes.len()
}

/// Bytes 0, 1, 2 and so on.
#[op]
fn count_up(length: u32) -> Vec<u8> {
    (0..length).map(|n| n as u8).collect()
}

#[op]
fn halves(length: u32) -> F64Array {
    F64Array((0..length).map(|n| f64::from(n) / 2.0).collect())
}

ops!(fn family "buffers" { external, untouched, dropped, sum, copy, increment, count_up, halves });

/// Collects until `count` owners are dropped: the engine frees buffers in the background.
fn wait_for_drops(engine: &mut Engine, count: u32) {
    for _ in 0..200 {
        let now = engine.context.with(|scope| {
            scope.gc(GcKind::Full);
            drops(scope.state()).get()
        });
        if now >= count {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(engine.context.with(|scope| drops(scope.state()).get()), count);
}

#[test]
fn bytes_of_every_kind_of_view() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.context.with(|scope| {
            for (value, expected) in [
                ("new Uint8Array([1, 2, 3])", "6"),
                ("new Uint8Array([1, 2, 3]).buffer", "6"),
                ("new Uint8Array(4096).fill(2)", "8192"),
                ("new Uint8Array([1, 2, 3, 4]).subarray(1, 3)", "5"),
                ("new Uint16Array([0x0101, 0x0202])", "6"),
                ("new Float64Array(0)", "0"),
                ("new DataView(new Uint8Array([9, 9, 9]).buffer, 1)", "18"),
                ("new BigInt64Array([255n])", "255"),
                ("new Uint8Array(new SharedArrayBuffer(8)).fill(3)", "24"),
                ("new SharedArrayBuffer(8)", "0"),
                ("new Uint8Array(new ArrayBuffer(4, { maxByteLength: 64 })).fill(1)", "4"),
                ("(() => { const a = new Uint8Array(8).fill(1); a.buffer.transfer(); return a; })()", "0"),
            ] {
                assert_eq!(eval(scope, &format!("native.sum({value})")), expected, "{value}");
            }
            for value in ["[1]", "'abc'", "{}", "null", "undefined", "5"] {
                let text = eval(scope, &format!("try {{ native.sum({value}) }} catch (e) {{ e.name + e.code }}"));
                assert_eq!(text, "TypeErrorERR_INVALID_ARG_TYPE");
            }
            assert_eq!(
                eval(scope, "var to = new Uint8Array(4); native.copy(new Uint8Array([5, 6, 7, 8, 9]), to) + ':' + to"),
                "4:5,6,7,8"
            );
            assert_eq!(
                eval(scope, "native.countUp(300).slice(250).join()"),
                (250..300).map(|n| (n % 256).to_string()).collect::<Vec<_>>().join(",")
            );
            assert_eq!(eval(scope, "native.countUp(0) instanceof Uint8Array && native.countUp(0).length"), "0");
            assert_eq!(eval(scope, "native.halves(5).join()"), "0,0.5,1,1.5,2");
        });
    }
}

#[test]
fn pinned_bytes_stay_in_place() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        // 8 bytes lie in the object itself, which the collector moves.
        let script = "var results = []; var arrays = [new Uint8Array(8).fill(1), new Uint8Array(100000).fill(2)]; \
             for (const array of arrays) native.increment(array, (e, n) => results.push(e || n)); \
             for (let i = 0; i < 1000; i++) new Uint8Array(8); 'started'";
        assert_eq!(engine.eval(script), "started");
        engine.context.with(|scope| scope.gc(GcKind::Shrink));
        engine.run_loop();
        assert_eq!(
            engine.eval("results.sort().join() + ':' + arrays[0].join() + ':' + native.sum(arrays[1])"),
            "100000,8:2,2,2,2,2,2,2,2:300000"
        );
    }
}

/// What is pinned can be neither detached nor resized, until the last job on it has ended.
#[test]
fn pinned_buffers_stay_attached() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        // The last three share a buffer, by two views and itself.
        let script = "var log = []; var shared = new ArrayBuffer(5000); \
             var buffers = [new ArrayBuffer(8), new ArrayBuffer(5000), new ArrayBuffer(8, { maxByteLength: 64 }), shared]; \
             var views = [new Uint8Array(buffers[0]), new DataView(buffers[1], 100), buffers[2], shared, new Uint8Array(shared, 0, 9), \
                 new Uint8Array(shared, 4000)]; \
             var attempt = (f) => { try { f(); return 'done'; } catch (e) { return e.name; } }; \
             var ended = 0; \
             for (const view of views) native.increment(view, (error) => { ended += error ? 100 : 1; }); \
             native.increment(new Uint8Array(0), () => {}); \
             native.increment(new Uint8Array(new SharedArrayBuffer(10)), () => {}); \
             log.push(...buffers.map((b) => attempt(() => b.transfer())), attempt(() => buffers[2].resize(1)), \
                 attempt(() => buffers[0].transferToFixedLength())); log.join()";
        let refused = ["RangeError"; 6].join(",");
        assert_eq!(engine.eval(script), refused);
        engine.context.with(|scope| scope.gc(GcKind::Shrink));
        engine.run_loop();
        assert_eq!(engine.eval("ended"), "6");
        assert_eq!(
            engine.eval("attempt(() => buffers[2].resize(1)) + buffers.map((b) => attempt(() => b.transfer())).join()"),
            "donedone,done,done,done"
        );
    }
}

#[test]
fn external_owners_are_dropped_exactly_once() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        let counter = engine.context.with(|scope| drops(scope.state()));
        // Collected.
        assert_eq!(engine.eval("native.sum(native.external(1000))"), "1000");
        wait_for_drops(&mut engine, 1);
        // Detached: transfer() copies.
        assert_eq!(engine.eval("var moved = native.external(64).transfer(); native.sum(moved)"), "64");
        wait_for_drops(&mut engine, 2);
        // Held by a view only.
        assert_eq!(
            engine.eval("var view = new Uint8Array(native.external(10), 2, 3); view.fill(7); native.sum(view.buffer)"),
            "28"
        );
        engine.context.with(|scope| scope.gc(GcKind::Shrink));
        assert_eq!(engine.eval("native.dropped() + ':' + view"), "2:7,7,7");
        assert_eq!(engine.eval("view = null"), "null");
        wait_for_drops(&mut engine, 3);
        // Without bytes, at once.
        assert_eq!(engine.eval("native.external(0).byteLength + ':' + native.dropped()"), "0:4");
        // At the end of the context.
        assert_eq!(engine.eval("var kept = native.external(5000); kept.byteLength"), "5000");
        assert_eq!(counter.get(), 4);
        drop(engine);
        assert_eq!(counter.get(), 5);
    }
}

#[test]
fn external_memory_is_reported_to_the_collector() {
    const MIB: u64 = 1 << 20;
    let mut engine = start(0);
    engine.install(family());
    let before = engine.context.with(|scope| {
        scope.gc(GcKind::Full);
        scope.external_bytes()
    });
    assert_eq!(engine.eval("var big = native.untouched(64 << 20); big.byteLength"), (64 * MIB).to_string());
    let during = engine.context.with(|scope| scope.external_bytes());
    assert!(during >= before + 64 * MIB, "{before} before, {during} during");
    assert_eq!(engine.eval("big = null"), "null");
    wait_for_drops(&mut engine, 1);
    let after = engine.context.with(|scope| scope.external_bytes());
    assert!(after < before + MIB, "{before} before, {after} after");
    // 4 GiB of garbage in one turn, nobody asks for a collection: the collector has to notice by itself.
    let live = engine.eval("let most = 0; for (let i = 0; i < 4096; i++) { native.untouched(1 << 20); most = Math.max(most, i + 2 - native.dropped()); } most");
    assert!(live.parse::<u32>().unwrap() < 3000, "{live} MiB of garbage at once");
}

#[test]
fn buffers_made_by_rust_are_accounted_too() {
    start(0).context.with(|scope| {
        scope.gc(GcKind::Full);
        let before = scope.external_bytes();
        let array = scope.uint8_array(vec![0; 16 << 20]).ok().unwrap();
        assert!(scope.external_bytes() >= before + (16 << 20));
        assert_eq!(scope.bytes(array).unwrap().len(), 16 << 20);
    });
}

#[test]
fn shared_memory_between_contexts() {
    let (send, receive) = mpsc::channel();
    let other = std::thread::spawn(move || {
        let mut engine = start(1);
        let buffer: engine::CloneBuffer = receive.recv().unwrap();
        engine.context.with(|scope| {
            let shared = scope.deserialize(&buffer).ok().unwrap();
            let global = scope.global_object();
            assert!(scope.set(global, "shared", shared).is_ok());
        });
        // Waits for the other thread, adds to its number, wakes it.
        engine.eval(
            "const cells = new Int32Array(shared); Atomics.wait(cells, 0, 0); \
             for (let i = 0; i < 1000; i++) Atomics.add(cells, 1, 1); \
             Atomics.store(cells, 2, 1); Atomics.notify(cells, 2); Atomics.load(cells, 1) >= 1000",
        )
    });
    let mut engine = start(0);
    engine.context.with(|scope| {
        let shared = run(scope, "var shared = new SharedArrayBuffer(64); shared").ok().unwrap();
        let none = scope.undefined();
        send.send(scope.serialize(shared, none).ok().unwrap()).unwrap();
    });
    let text = engine.eval(
        "const cells = new Int32Array(shared); Atomics.store(cells, 0, 1); Atomics.notify(cells, 0); \
         for (let i = 0; i < 1000; i++) Atomics.add(cells, 1, 1); Atomics.wait(cells, 2, 0); Atomics.load(cells, 1)",
    );
    assert_eq!(text, "2000");
    assert_eq!(other.join().unwrap(), "true");
    engine.context.with(|scope| {
        let made = scope.shared_array_buffer(16).ok().unwrap();
        assert_eq!(scope.bytes(made).unwrap(), [0; 16]);
    });
}

#[test]
fn cells_are_seen_by_both_sides() {
    let cells = SharedCells::new(4);
    let mut engine = start(1);
    engine.context.with(|scope| {
        let array = scope.cells_array(&cells, false).ok().unwrap();
        let global = scope.global_object();
        assert!(scope.set(global, "cells", array).is_ok());
    });
    cells.set(1, u32::MAX);
    assert_eq!(engine.eval("cells[2] = 77; cells.join()"), "0,4294967295,77,0");
    assert_eq!(cells.get(2), 77);
    drop(engine);
    assert_eq!(cells.get(2), 77);
}

#[test]
fn owners_on_many_threads() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted(#[expect(dead_code, reason = "counted")] Arc<Vec<u8>>, Vec<u8>);
    impl AsMut<[u8]> for Counted {
        fn as_mut(&mut self) -> &mut [u8] {
            &mut self.1
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let shared = Arc::new(vec![1; 10]);
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                let mut engine = start(0);
                for _ in 0..500 {
                    engine.context.with(|scope| {
                        assert!(scope.external_array_buffer(Counted(shared.clone(), vec![0; 10_000])).is_ok());
                    });
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(DROPS.load(Ordering::Relaxed), 1500);
    assert_eq!(Arc::strong_count(&shared), 1);
}

/// ext/ffi's machine code takes addresses of typed arrays itself only if they lie as engine/src/object_layout.rs thinks.
#[test]
fn typed_arrays_lie_as_machine_code_reads_them() {
    for stress in [0, 1] {
        start(stress).context.with(|scope| assert!(scope.view_layout().unwrap().is_some()));
    }
}
