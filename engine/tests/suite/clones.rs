use std::sync::atomic::{AtomicU32, Ordering};

use engine::{CloneError, Local, Resource, Scope, Shared, op, ops};

use crate::support::{eval, run, start};

/// Clones the value of an expression within a context; `copy` and `original` are globals afterwards.
fn clone_of(scope: &mut Scope<'_>, source: &str, transfer: &str) -> Result<(), String> {
    let original = run(scope, &format!("var original = {source}; original")).ok().unwrap();
    let transfer = run(scope, transfer).ok().unwrap();
    let buffer = match scope.serialize(original, transfer) {
        Ok(buffer) => buffer,
        Err(CloneError::DataClone(message)) => return Err(format!("DataCloneError: {message}")),
        Err(CloneError::Exception(exc)) => {
            let error: Local<'_> = scope.take_exception(exc).unwrap();
            return Err(scope.display(error));
        }
    };
    scope.gc(engine::GcKind::Full);
    let copy = scope.deserialize(&buffer).ok().unwrap();
    let global = scope.global_object();
    assert!(scope.set(global, "copy", copy).is_ok());
    Ok(())
}

#[test]
fn values_of_every_kind() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        for (source, test) in [
            ("42", "copy === 42"),
            ("-0", "Object.is(copy, -0)"),
            ("12345678901234567890n", "copy === original"),
            ("'\\ud800 lone'", "copy === original"),
            ("undefined", "copy === undefined"),
            ("[1, , 3]", "copy.length === 3 && !(1 in copy)"),
            (
                "{ a: { b: [1, 'two', null] } }",
                "JSON.stringify(copy) === JSON.stringify(original) && copy !== original",
            ),
            (
                "(() => { const o = { name: 'o' }; o.self = o; o.list = [o]; return o; })()",
                "copy.self === copy && copy.list[0] === copy && copy !== original",
            ),
            (
                "new Map([[{ k: 1 }, new Set([1, 'a'])], ['x', 5]])",
                "copy instanceof Map && copy.size === 2 && [...copy.values()][0].has('a') && [...copy.keys()][0].k === 1",
            ),
            (
                "(() => { const m = new Map(); m.set(m, new Set([m])); return m; })()",
                "copy.has(copy) && copy.get(copy).has(copy)",
            ),
            ("new Date(1234.5)", "copy instanceof Date && copy.getTime() === 1234"),
            ("/a(b)+/giu", "copy instanceof RegExp && String(copy) === '/a(b)+/giu' && copy.lastIndex === 0"),
            (
                "[new Number(1), new String('s'), new Boolean(false), Object(1n)]",
                "copy.map((v) => typeof v + v).join() === 'object1,objects,objectfalse,object1'",
            ),
            (
                "new TypeError('wrong', { cause: { code: 5 } })",
                "copy instanceof TypeError && copy.message === 'wrong' && copy.cause.code === 5 && typeof copy.stack === 'string'",
            ),
            (
                "new Uint8Array([1, 2, 3]).subarray(1)",
                "copy instanceof Uint8Array && copy.join() === '2,3' && copy.byteOffset === 1",
            ),
            (
                "(() => { const b = new ArrayBuffer(16); return [new Float64Array(b), new DataView(b, 8)]; })()",
                "copy[0].buffer === copy[1].buffer && copy[1].byteOffset === 8",
            ),
            ("'long '.repeat(20000)", "copy === original"),
        ] {
            engine.context.with(|scope| {
                assert_eq!(clone_of(scope, source, "undefined"), Ok(()), "{source}");
                assert_eq!(eval(scope, test), "true", "{source}: {test}");
            });
        }
    }
}

/// Of everything that one of these says, a second message of the same shapes must say the same.
#[test]
fn plain_data() {
    const SAME: &str = "(() => { const same = (a, b) => Object.is(a, b) || typeof a === 'object' && a !== null && typeof b === 'object' && b !== null && a !== b && \
        Array.isArray(a) === Array.isArray(b) && Object.keys(a).join() === Object.keys(b).join() && Object.keys(a).every((key) => same(a[key], b[key])); return same(original, copy); })()";
    for stress in [0, 1, 3] {
        let mut engine = start(stress);
        for source in [
            "{}",
            "[]",
            "[[], {}, [[]], '', 'a', 1, 1.5, -0, NaN, true, false, null, undefined]",
            "{ a: 1, b: 'two', c: { a: 1, b: 'x', c: {} }, d: [{ a: 1, b: 2, c: 3 }, { a: 4, b: 5, c: 6 }] }",
            "{ 'é': 'é', '€': '€\\ud800', '': 'no name', 'a b': '\\u{1f600}' }",
            "{ long: 'x'.repeat(5000), wide: '€'.repeat(5000), rope: 'abcdefgh'.repeat(9) + original?.length, part: 'y'.repeat(9000).slice(5, 8000), small: 'z'.repeat(9000).slice(5, 3000) }",
            "Array.from({ length: 3000 }, (_, i) => ({ id: i, name: `a somewhat longer name of number ${i}`, at: [i, { i }] }))",
            "Object.fromEntries(Array.from({ length: 20 }, (_, i) => ['key' + i, i]))",
            "Object.fromEntries(Array.from({ length: 128 }, (_, i) => ['key' + i, [i]]))",
            "Object.fromEntries(Array.from({ length: 2000 }, (_, i) => ['key' + i, [i]]))",
            "(() => { const o = { a: 1, b: 2, c: 3 }; delete o.a; o.a = 4; return [o, o.b]; })()",
            "{ 5: 'five', 1: 'one', x: 'x', 4294967295: 'large', 4294967296: 'larger' }",
            "Object.freeze({ a: Object.freeze([1, 2]), b: Object.seal({ c: 1 }) })",
            "Object.assign(Object.create(null), { nothing: 'above' })",
            "new (class Point { #hidden = 1; x = 1; y = { z: 2 }; get sum() { return this.#hidden; } })()",
            "new (class List extends Array {})(1, 2, 3)",
            "{ ['__proto__']: 1, constructor: 2, toString: 3, [Symbol('s')]: 4 }",
            "(() => { let deep = {}; for (let i = 0; i < 20000; i++) deep = i % 2 ? { deep } : [deep]; return { length: 1 }; })()",
        ] {
            for _ in 0..2 {
                engine.context.with(|scope| {
                    let _ = eval(scope, "var original = globalThis.original, copy;");
                    assert_eq!(clone_of(scope, source, "undefined"), Ok(()), "{source}");
                    assert_eq!(eval(scope, SAME), "true", "{source}");
                });
            }
        }
        engine.context.with(|scope| {
            for (source, test) in [
                ("(() => { const o = { a: [] }; o.self = o; o.a.push(o, o.a); return o; })()", "copy.self === copy && copy.a[0] === copy && copy.a[1] === copy.a"),
                ("(() => { const p = { x: 1 }; return Array.from({ length: 50 }, () => p); })()", "copy.every((item) => item === copy[0]) && copy[0] !== original[0]"),
                ("{ a: 1 }", "copy.b = 2, delete copy.a, Object.keys(copy).join() === 'b'"),
                ("[1, 2, 3]", "copy.push(4), copy.unshift(0), copy.length = 3, copy.join() === '0,1,2'"),
                ("{ get a() { return 7; }, b: 1 }", "Object.getOwnPropertyDescriptor(copy, 'a').value === 7 && copy.b === 1"),
                ("Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })", "!('hidden' in copy) && copy.a === 1"),
                ("Object.freeze({ a: 1 })", "(copy.a = 2, copy.b = 3, copy.a + copy.b) === 5"),
                ("(() => { let deep = {}; for (let i = 0; i < 20000; i++) deep = i % 2 ? { deep } : [deep]; return deep; })()", "(() => { let depth = 0; for (let at = copy; at !== undefined; at = at.deep ?? at[0]) depth++; return depth; })() === 20001"),
            ] {
                assert_eq!(clone_of(scope, source, "undefined"), Ok(()), "{source}");
                assert_eq!(eval(scope, test), "true", "{source}: {test}");
            }
        });
    }
}

#[test]
fn strings_alone_share_their_characters() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            for source in [
                "''",
                "'a'",
                "'hello world'",
                "'€'",
                "'\\ud800'",
                "'x'.repeat(38) + 'y'",
                "'€'.repeat(19)",
                "'€'.repeat(20)",
                "'abc'.repeat(2000) + 'd'",
                "('ab€'.repeat(2000) + 'd').slice(1, -1)",
                "'abc'.repeat(2000).slice(5, 90)",
                "JSON.stringify({ a: 'b'.repeat(90000) })",
                "JSON.stringify({ a: '€'.repeat(90000) })",
                "'x'.repeat(1 << 26)",
            ] {
                for _ in 0..2 {
                    assert_eq!(clone_of(scope, source, "undefined"), Ok(()), "{source}");
                    assert_eq!(eval(scope, "copy === original && typeof copy"), "string", "{source}");
                }
            }
        });
    }
}

/// A resource that threads may share.
#[op]
fn make_shared(n: u32) -> Shared<AtomicU32> {
    Shared(AtomicU32::new(n))
}

#[op]
fn add(counter: &Resource<AtomicU32>, n: u32) -> u32 {
    counter.fetch_add(n, Ordering::Relaxed) + n
}

ops!(fn family "clones" { make_shared, add });

#[test]
fn what_both_sides_hold() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.context.with(|scope| {
            assert_eq!(clone_of(scope, "[native.makeShared(5), { again: null }]", "undefined"), Ok(()));
            assert_eq!(
                eval(scope, "[native.add(original[0], 1), native.add(copy[0], 10), native.add(original[0], 100)].join()"),
                "6,16,116"
            );
            let module = "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]))";
            assert_eq!(clone_of(scope, &format!("(() => {{ const m = {module}; return {{ m, n: [m] }}; }})()"), "undefined"), Ok(()));
            assert_eq!(
                eval(scope, "copy.m instanceof WebAssembly.Module && copy.m === copy.n[0] && copy.m !== original.m && new WebAssembly.Instance(copy.m).exports.f()"),
                "42"
            );
            // Nobody reads it.
            assert_eq!(eval(scope, "original = copy = undefined"), "undefined");
            assert!(clone_of(scope, &format!("[{module}, () => 1]"), "undefined").is_err());
        });
    }
}

#[test]
fn transfers() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.context.with(|scope| {
            let source = "{ buffer: new Uint8Array([1, 2, 3]).buffer, large: new Uint8Array(100000).fill(9) }";
            assert_eq!(clone_of(scope, source, "[original.buffer, original.large.buffer]"), Ok(()));
            assert_eq!(
                eval(scope, "[original.buffer.byteLength, original.buffer.detached, original.large.length, new Uint8Array(copy.buffer).join(), copy.large.every((b) => b === 9)].join(' ')"),
                "0 true 0 1,2,3 true"
            );
            for (source, transfer) in [
                ("{}", "[{}]"),
                ("1", "[new Uint8Array(4)]"),
                ("1", "(() => { const b = new ArrayBuffer(4); return [b, b]; })()"),
                ("1", "[new SharedArrayBuffer(4)]"),
            ] {
                let refused = clone_of(scope, source, transfer);
                assert!(refused.as_ref().is_err_and(|text| text.starts_with("DataCloneError: ")), "{transfer}: {refused:?}");
                assert_eq!(eval(scope, "1 + 1"), "2", "no exception is left behind");
            }
        });
    }
}

#[test]
fn what_cannot_be_cloned() {
    let mut engine = start(1);
    engine.context.with(|scope| {
        for source in [
            "() => 1",
            "Symbol('s')",
            "{ deep: [{ f() {} }] }",
            "new WeakMap()",
            "new Proxy({}, {})",
            "Promise.resolve()",
        ] {
            let refused = clone_of(scope, &format!("({source})"), "undefined");
            assert_eq!(refused, Err("DataCloneError: object could not be cloned".into()), "{source}");
        }
        let thrown = clone_of(scope, "({ get bad() { throw new RangeError('from a getter'); } })", "undefined");
        assert_eq!(thrown, Err("RangeError: from a getter".into()));
    });
}

#[test]
fn between_threads() {
    let mut engine = start(0);
    let buffer = engine.context.with(|scope| {
        let value = run(
            scope,
            "({ map: new Map([['k', [1n, 'é€\\u{1f600}'.repeat(1000)]]]), bytes: new Uint8Array(1 << 20).fill(5) })",
        )
        .ok()
        .unwrap();
        let list = run(scope, "[]").ok().unwrap();
        let bytes = scope.get(value, "bytes").ok().unwrap();
        let bytes = scope.get(bytes, "buffer").ok().unwrap();
        assert!(scope.set_index(list, 0, bytes).is_ok());
        scope.serialize(value, list).ok().unwrap()
    });
    // The sender may be gone before the receiver reads.
    drop(engine);
    let text = std::thread::spawn(move || {
        let mut engine = start(1);
        engine.context.with(|scope| {
            let value = scope.deserialize(&buffer).ok().unwrap();
            drop(buffer);
            let global = scope.global_object();
            assert!(scope.set(global, "value", value).is_ok());
            eval(scope, "const [n, s] = value.map.get('k'); [n, s.length, s.slice(-4), value.bytes.length, value.bytes.at(-1)].join()")
        })
    });
    assert_eq!(text.join().unwrap(), "1,4000,é€\u{1f600},1048576,5");
    // A buffer that nobody reads frees what was transferred.
    let mut engine = start(0);
    engine.context.with(|scope| {
        let list = run(scope, "[new ArrayBuffer(1 << 20)]").ok().unwrap();
        drop(scope.serialize(list, list).ok().unwrap());
    });
}
