use engine::{CloneError, Local, Scope};

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
