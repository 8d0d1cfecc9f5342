use std::sync::mpsc;

use engine::{GcKind, JsStr, Latin1String, SharedString, Utf16String, op, ops};

use crate::support::{eval, run, start};

/// The exact code units of a string.
#[op]
fn units(text: Utf16String) -> Vec<u32> {
    text.0.into_iter().map(u32::from).collect()
}

#[op]
fn same_units(text: Utf16String) -> Utf16String {
    text
}

#[op]
fn latin1_upper(text: JsStr<'_>) -> Latin1String {
    Latin1String(text.latin1().to_ascii_uppercase())
}

/// Joins three strings, all borrowed at once; "1" or "2" tells the bytes per character of each.
#[op]
fn join(a: JsStr<'_>, b: JsStr<'_>, c: JsStr<'_>) -> Utf16String {
    let mut out = Vec::new();
    for part in [a, b, c] {
        out.push(if part.is_latin1() { b'1' } else { b'2' }.into());
        assert_eq!(part.len(), part.latin1().len() + part.utf16().len());
        out.extend(part.latin1().iter().map(|&byte| u16::from(byte)));
        out.extend_from_slice(part.utf16());
    }
    Utf16String(out)
}

/// Characters and bytes borrowed at once.
#[op]
fn characters_and_bytes(text: JsStr<'_>, bytes: &[u8], more: JsStr<'_>) -> bool {
    text.len() == bytes.len() && text.latin1() == bytes && more.is_empty()
}

ops!(fn family "strings" { units, same_units, latin1_upper, join, characters_and_bytes });

fn texts() -> Vec<String> {
    let mut texts = vec![String::new()];
    for text in ["a", "hello", "é", "naïve", "€", "日本語", "\u{1f600}", "a\0b", "\u{ff}", "\u{100}", "\u{feff}x"]
    {
        for count in [1, 2, 12, 13, 24, 25, 100, 5000] {
            texts.push(text.repeat(count));
        }
    }
    texts
}

#[test]
fn there_and_back() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.context.with(|scope| {
            let same = run(scope, "native.sameUnits").ok().unwrap();
            for text in texts() {
                scope.nested(|scope| {
                    let units: Vec<u16> = text.encode_utf16().collect();
                    let value = scope.string(&text).ok().unwrap();
                    assert_eq!(scope.string_length(value), units.len());
                    scope.gc(if stress == 0 { GcKind::Maybe } else { GcKind::Full });
                    assert_eq!(scope.to_string(value).ok().unwrap(), text);
                    let mut bytes = b"x".to_vec();
                    assert!(scope.append_utf8(value, &mut bytes).is_ok());
                    assert_eq!(bytes, format!("x{text}").as_bytes());
                    let other = scope.utf16_string(&units).ok().unwrap();
                    let back = scope.call_function(same, &[other]).ok().unwrap();
                    assert_eq!(scope.to_string(back).ok().unwrap(), text);
                    let shared = scope.share_string(value).ok().unwrap();
                    assert_eq!(shared.len(), units.len());
                    assert_eq!(shared.to_text(), text);
                    let shared = scope.shared_string(&shared).ok().unwrap();
                    assert_eq!(scope.to_string(shared).ok().unwrap(), text);
                    if units.iter().all(|&unit| unit < 256) {
                        let bytes: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
                        let value = scope.latin1_string(&bytes).ok().unwrap();
                        assert_eq!(scope.to_string(value).ok().unwrap(), text);
                        let mut out = Vec::new();
                        assert!(scope.append_latin1(value, &mut out).is_ok());
                        assert_eq!(out, bytes);
                    }
                });
            }
        });
    }
}

#[test]
fn lone_surrogates_and_ill_formed_bytes() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.context.with(|scope| {
            assert_eq!(eval(scope, r"native.units('\ud800x\udc00').join()"), "55296,120,56320");
            assert_eq!(eval(scope, r"native.sameUnits('\udfff\ud83d') === '\udfff\ud83d'"), "true");
            let value = run(scope, r"'a\ud800' + '\udc00b' + '\ud800'.repeat(3000)").ok().unwrap();
            // The rope joins a pair; the others stay alone and become U+FFFD in UTF-8.
            let expected = format!("a\u{10000}b{}", "\u{fffd}".repeat(3000));
            assert_eq!(scope.to_string(value).ok().unwrap(), expected);
            let mut utf8 = Vec::new();
            assert!(scope.append_utf8(value, &mut utf8).is_ok());
            assert_eq!(utf8, expected.as_bytes());
            for (bytes, text) in [
                (&b"plain"[..], "plain"),
                (b"\xc3\xa9", "\u{e9}"),
                (b"\xff\xfe", "\u{fffd}\u{fffd}"),
                (b"a\xe2\x82", "a\u{fffd}"),
                (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
            ] {
                let value = scope.string_lossy(bytes).ok().unwrap();
                assert_eq!(scope.to_string(value).ok().unwrap(), text);
            }
        });
    }
}

#[test]
fn ropes_as_borrowed_arguments() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        engine.context.with(|scope| {
            eval(scope, "globalThis.rope = (piece, n) => { let s = ''; for (let i = 0; i < n; i++) s = i & 1 ? piece + s : s + piece; return s; }");
            // Three ropes at once, one inside another, short ones that live inside their cell, and 2-byte ones.
            for (a, b, c) in [
                ("rope('ab', 500)", "rope('cd', 3)", "rope('é', 40)"),
                ("rope('ab', 5)", "rope('\u{1f600}', 50)", "rope('c', 2)"),
                ("(s = rope('xy', 300))", "s + rope('z', 100)", "s + s"),
                ("rope('€', 2)", "rope('b', 25000)", "'atom'"),
                ("(t = rope('q', 9)) + t", "t", "t + t + t"),
            ] {
                let source = format!(
                    "var s, t; var mark = (x) => (/^[\\0-\\xff]*$/.test(x) ? '1' : '2') + x; \
                     let a = {a}, b = {b}, c = {c}; \
                     for (let i = 0; i < 20; i++) {{ \
                       const got = native.join({a}, {b}, {c}); \
                       if (got !== mark(a) + mark(b) + mark(c)) throw new Error(i + ': ' + got.slice(0, 100)); \
                     }} 'same'"
                );
                assert_eq!(eval(scope, &format!("{{ {source} }}")), "same", "{a} {b} {c}");
            }
            assert_eq!(eval(scope, "native.charactersAndBytes(rope('ab', 3), new Uint8Array([97, 98, 97, 98, 97, 98]), '')"), "true");
            assert_eq!(eval(scope, "native.latin1Upper(rope('abé', 20)) === rope('ABé', 20)"), "true");
        });
    }
}

#[test]
fn shared_between_threads_without_copies() {
    let long = "shared text ".repeat(1000);
    let wide = "geteilter Text € ".repeat(1000);
    let (send, receive) = mpsc::channel::<SharedString>();
    let (give_back, get_back) = mpsc::channel::<SharedString>();
    let other = std::thread::spawn(move || {
        let mut engine = start(1);
        let mut kept = Vec::new();
        for shared in receive {
            engine.context.with(|scope| {
                let value = scope.shared_string(&shared).ok().unwrap();
                drop(shared);
                scope.gc(GcKind::Shrink);
                let again = scope.share_string(value).ok().unwrap();
                give_back.send(again).unwrap();
                kept.push(scope.global(value));
            });
        }
        // The first context is gone by now.
        engine.context.with(|scope| {
            scope.gc(GcKind::Full);
            kept.iter()
                .map(|value| {
                    let value = value.get(scope);
                    scope.to_string(value).ok().unwrap()
                })
                .collect::<Vec<_>>()
        })
    });
    {
        let mut engine = start(0);
        engine.context.with(|scope| {
            for text in [&long, &wide] {
                let value = scope.string(text).ok().unwrap();
                let first = scope.share_string(value).ok().unwrap();
                send.send(first.clone()).unwrap();
                let back = get_back.recv().unwrap();
                assert!(back.same_memory(&first), "the other thread's string stands on the same memory");
                // Appending must not touch shared memory.
                let shared = scope.shared_string(&first).ok().unwrap();
                let global = scope.global_object();
                assert!(scope.set(global, "text", shared).is_ok());
                assert_eq!(eval(scope, "var longer = text + '!'; longer.charCodeAt(longer.length - 1)"), "33");
                eval(scope, "longer = undefined");
                assert_eq!(back.to_text(), **text);
            }
        });
    }
    drop(send);
    assert_eq!(other.join().unwrap(), [long, wide]);
}

#[test]
fn many_threads_count_references() {
    let shared = SharedString::from_utf16(&"x€".repeat(500).encode_utf16().collect::<Vec<_>>());
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                let mut engine = start(0);
                for round in 0..300 {
                    engine.context.with(|scope| {
                        let value = scope.shared_string(&shared.clone()).ok().unwrap();
                        assert_eq!(scope.string_length(value), 1000);
                        if round % 100 == 0 {
                            scope.gc(GcKind::Full);
                        }
                    });
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(shared.to_text(), "x€".repeat(500));
}

#[test]
fn a_string_the_engine_built_is_shared_as_it_is() {
    start(0).context.with(|scope| {
        let value = run(scope, "Array.from({ length: 5000 }, (_, i) => i).join()").ok().unwrap();
        let first = scope.share_string(value).ok().unwrap();
        let second = scope.share_string(value).ok().unwrap();
        assert!(first.same_memory(&second));
        // A part of it has no buffer of its own.
        let part = run(scope, "Array.from({ length: 5000 }, (_, i) => i).join().slice(10, 4000)").ok().unwrap();
        let text = scope.to_string(part).ok().unwrap();
        assert_eq!(scope.share_string(part).ok().unwrap().to_text(), text);
        let number = scope.number(12.5);
        assert_eq!(scope.share_string(number).ok().unwrap().to_text(), "12.5");
    });
}

#[test]
fn shared_memory_is_reported_to_the_collector() {
    const SIZE: usize = 8 << 20;
    start(0).context.with(|scope| {
        scope.gc(GcKind::Full);
        let before = scope.external_bytes();
        let shared = SharedString::from_latin1(&vec![b'x'; SIZE]);
        scope.nested(|scope| {
            let value = scope.shared_string(&shared).ok().unwrap();
            scope.gc(GcKind::Full);
            assert!(scope.external_bytes() >= before + SIZE as u64);
            assert_eq!(scope.string_length(value), SIZE);
        });
        // As strings of the heap die, others come: the engine sweeps them in the background.
        for _ in 0..100 {
            scope.gc(GcKind::Full);
            if scope.external_bytes() < before + SIZE as u64 {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{} bytes before, {} after", before, scope.external_bytes());
    });
}
