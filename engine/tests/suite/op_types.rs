//! Every argument and result type of `#[op]`, in its three forms.

use std::task::Poll;

use engine::{
    F64Array, Global, JsResult, JsStr, Latin1String, Local, OpError, PinnedBytes, Scope, Utf16String, op, ops,
};

use crate::support::start;

macro_rules! echoes {
    ($($sync:ident $blocking:ident $future:ident: $type:ty),* $(,)?) => {
        $(
            #[op]
            fn $sync(value: $type) -> $type { value }
            #[op(blocking)]
            fn $blocking(value: $type) -> $type { value }
            #[op(async)]
            async fn $future(value: $type) -> $type { later().await; value }
        )*
        ops!(fn echo_family "echo" { $($sync, $blocking, $future),* });
    };
}

echoes! {
    bool_s bool_b bool_a: bool,
    f64_s f64_b f64_a: f64,
    u8_s u8_b u8_a: u8,
    u16_s u16_b u16_a: u16,
    u32_s u32_b u32_a: u32,
    i8_s i8_b i8_a: i8,
    i16_s i16_b i16_a: i16,
    i32_s i32_b i32_a: i32,
    i64_s i64_b i64_a: i64,
    u64_s u64_b u64_a: u64,
    usize_s usize_b usize_a: usize,
    string_s string_b string_a: String,
    utf16_s utf16_b utf16_a: Utf16String,
    bytes_s bytes_b bytes_a: Vec<u8>,
    strings_s strings_b strings_a: Vec<String>,
    numbers_s numbers_b numbers_a: Vec<f64>,
    uints_s uints_b uints_a: Vec<u32>,
    maybe_s maybe_b maybe_a: Option<String>,
}

/// Ready at the second question.
async fn later() {
    let mut asked = false;
    std::future::poll_fn(|_| if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[derive(Default)]
struct Calls(u32);

/// Counts calls, so that a refused argument shows.
#[op]
fn counted(scope: &mut Scope<'_>, _n: f64, _s: String, _b: Vec<u8>) -> u32 {
    let calls = scope.state().get_or_default::<Calls>();
    calls.0 += 1;
    calls.0
}

#[op]
fn any_value<'s>(_scope: &mut Scope<'s>, value: Local<'s>) -> Local<'s> {
    value
}

#[op]
fn kept(value: Global) -> Global {
    value
}

/// A future may hold a root; its result is plain data.
#[op(async)]
async fn kept_later(value: Global) -> bool {
    later().await;
    drop(value);
    true
}

#[op]
fn borrowed(text: JsStr<'_>, bytes: &[u8], out: &mut [u8], extra: f64) -> usize {
    out[..bytes.len()].copy_from_slice(bytes);
    out[bytes.len()] = extra as u8;
    text.len()
}

#[op]
fn constant() -> &'static str {
    "constant é"
}

#[op]
fn nothing() {}

#[op]
fn tuples(n: u32) -> (u32, String, Option<bool>, Vec<u8>, (f64, f64)) {
    (n, "two".into(), None, vec![3], (4.5, 5.5))
}

#[op]
fn lists(n: u32) -> Vec<(u32, String)> {
    (0..n).map(|i| (i, format!("item {i}"))).collect()
}

#[op]
fn special() -> (Latin1String, F64Array) {
    (Latin1String(vec![0xe9; 30]), F64Array(vec![1.5, f64::NAN]))
}

#[op]
fn results(fail: bool) -> Result<Option<u32>, OpError> {
    if fail { Err(OpError::range_error("asked to fail")) } else { Ok(Some(1)) }
}

#[op]
fn calls_back(scope: &mut Scope<'_>, callback: Global, times: u32) -> JsResult<f64> {
    let mut sum = 0.0;
    for n in 0..times {
        sum += scope.nested(|scope| {
            let callback = callback.get(scope);
            let n = scope.int(n as i32);
            let value = scope.call_function(callback, &[n])?;
            scope.to_number(value)
        })?;
    }
    Ok(sum)
}

#[op(blocking)]
fn pinned_length(bytes: PinnedBytes) -> (usize, u8) {
    (bytes.len(), bytes.as_slice().iter().copied().max().unwrap_or(0))
}

#[op]
fn large<'s>(scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
    let (a, b) = (scope.bigint_i64(i64::MIN)?, scope.bigint_u64(u64::MAX)?);
    scope.new_array(&[a, b])
}

ops!(fn family "ops" {
    counted, any_value, kept, kept_later, borrowed, constant, nothing, tuples, lists, special, results, calls_back,
    pinned_length, large
});

/// Type, argument, what comes back as JSON.
const GOOD: &[(&str, &str, &str)] = &[
    ("bool", "true", "true"),
    ("bool", "0", "false"),
    ("bool", "'x'", "true"),
    ("bool", "undefined", "false"),
    ("f64", "1.5", "1.5"),
    ("f64", "-0 === 0 ? 2 ** 53 : 1", "9007199254740992"),
    ("u8", "255", "255"),
    ("u8", "256", "0"),
    ("u8", "-1", "255"),
    ("u16", "65535", "65535"),
    ("u16", "65536.9", "0"),
    ("u32", "4294967295", "4294967295"),
    ("u32", "-1", "4294967295"),
    ("u32", "NaN", "0"),
    ("u32", "Infinity", "0"),
    ("i8", "127", "127"),
    ("i8", "128", "-128"),
    ("i16", "-32768", "-32768"),
    ("i32", "-2147483648", "-2147483648"),
    ("i32", "2147483648", "-2147483648"),
    ("i32", "1.9", "1"),
    ("i64", "9007199254740991", "9007199254740991"),
    ("i64", "-5n", "-5"),
    ("i64", "2n ** 40n", "1099511627776"),
    ("u64", "9007199254740991", "9007199254740991"),
    ("u64", "7n", "7"),
    ("usize", "12", "12"),
    ("string", "''", "\"\""),
    ("string", "'text é €'", "\"text é €\""),
    ("string", "'a' + 'b'.repeat(50) + '€'", ""),
    ("utf16", "'\\ud800'", "\"\\\\ud800\""),
    ("bytes", "new Uint8Array([1, 2])", "{\"0\":1,\"1\":2}"),
    ("bytes", "new Uint8Array([3]).buffer", "{\"0\":3}"),
    ("strings", "['a', 'é']", "[\"a\",\"é\"]"),
    ("strings", "[]", "[]"),
    ("numbers", "[1, 2.5]", "[1,2.5]"),
    ("uints", "[1, -1]", "[1,4294967295]"),
    ("maybe", "undefined", ""),
    ("maybe", "null", ""),
    ("maybe", "'some'", "\"some\""),
];

/// Type, argument that it refuses.
const BAD: &[(&str, &[&str])] = &[
    ("f64", &["'1'", "undefined", "null", "{}", "1n", "Symbol()", "true"]),
    ("u8", &["'1'", "undefined", "[]"]),
    ("u16", &["null"]),
    ("u32", &["'1'", "undefined", "1n", "{ valueOf() { return 1; } }"]),
    ("i8", &["''"]),
    ("i16", &["true"]),
    ("i32", &["undefined", "Symbol()"]),
    ("i64", &["'1'", "null", "{}"]),
    ("u64", &["undefined"]),
    ("usize", &["'3'"]),
    ("string", &["1", "undefined", "null", "{}", "new String('x')", "Symbol()"]),
    ("utf16", &["5", "[]"]),
    ("bytes", &["'abc'", "[1, 2]", "{ length: 3 }", "null"]),
    ("strings", &["['a', 1]", "new Array(2 ** 32 - 1)", "[,]", "Object.defineProperty([], 0, { get() { throw 1; } })"]),
    ("numbers", &["[1, '2']"]),
    ("uints", &["[undefined]"]),
    ("maybe", &["1", "{}"]),
];

#[test]
fn good_arguments_of_every_type() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(echo_family());
        engine.eval("var text = (v) => JSON.stringify(v) ?? ''; var out = {}; var done = (key) => (e, v) => { out[key] = e ? String(e) : text(v); };");
        for (kind, argument, expected) in GOOD {
            let sync = engine.eval(&format!("text(native.{kind}S({argument}))"));
            if !expected.is_empty() {
                assert_eq!(sync, expected.replace("\\\\", "\\"), "{kind} {argument}");
            }
            engine.eval(&format!(
                "out = {{}}; native.{kind}B({argument}, done('b')); native.{kind}A({argument}, done('a'))"
            ));
            engine.run_loop();
            assert_eq!(engine.eval("out.a + '|' + out.b"), format!("{sync}|{sync}"), "{kind} {argument}");
        }
    }
}

#[test]
fn wrong_arguments_of_every_type() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(echo_family());
        engine.eval("var called = 0; var attempt = (f, v) => { try { f(v, () => called++); return 'accepted'; } catch (e) { return e instanceof TypeError && e.code; } };");
        for (kind, arguments) in BAD {
            for argument in *arguments {
                for form in ["S", "B", "A"] {
                    assert_eq!(
                        engine.eval(&format!("attempt(native.{kind}{form}, {argument})")),
                        "ERR_INVALID_ARG_TYPE",
                        "{kind}{form} {argument}"
                    );
                }
            }
        }
        engine.run_loop();
        assert_eq!(engine.eval("called"), "0");
        // The form with a callback refuses what is none.
        assert_eq!(engine.eval("try { native.f64B(1, {}) } catch (e) { e.name }"), "TypeError");
        // Without one, the result is a promise.
        assert_eq!(engine.eval("String(native.f64B(1))"), "[object Promise]");
        assert_eq!(engine.eval("try { native.f64A(1, {}) } catch (e) { e.name }"), "TypeError");
    }
}

#[test]
fn refused_arguments_keep_the_op_from_running() {
    let mut engine = start(1);
    engine.install(family());
    for arguments in ["", "1", "1, 'a'", "1, 'a', 'b'", "'1', 'a', new Uint8Array(1)", "1, 2, new Uint8Array(1)"] {
        let text = engine.eval(&format!("try {{ native.counted({arguments}) }} catch (e) {{ e.name }}"));
        assert_eq!(text, "TypeError", "{arguments}");
    }
    assert_eq!(engine.eval("native.counted(1, 'a', new Uint8Array(1), 'more is ignored')"), "1");
    assert_eq!(engine.eval("native.counted.length + native.counted.name + native.f64B"), "3countedundefined");
}

#[test]
fn results_and_the_rest() {
    for stress in [0, 1] {
        let mut engine = start(stress);
        engine.install(family());
        for (source, expected) in [
            ("native.anyValue() === undefined && native.anyValue(native) === native", "true"),
            ("native.kept(native) === native && native.kept(Symbol.iterator) === Symbol.iterator", "true"),
            (
                "var out = new Uint8Array(5); native.borrowed('é€', new Uint8Array([1, 2]), out, 9) + ':' + out",
                "2:1,2,9,0,0",
            ),
            ("native.constant()", "constant é"),
            ("native.nothing()", "undefined"),
            ("JSON.stringify(native.tuples(1))", "[1,\"two\",null,{\"0\":3},[4.5,5.5]]"),
            ("native.lists(700).length + native.lists(700)[699].join()", "700699,item 699"),
            ("native.special()[0] + native.special()[1].join()", "éééééééééééééééééééééééééééééé1.5,NaN"),
            ("native.results(false)", "1"),
            ("try { native.results(true) } catch (e) { String(e) }", "RangeError: asked to fail"),
            ("native.callsBack((n) => ({ valueOf: () => n * 2 }), 1000)", "999000"),
            ("try { native.callsBack((n) => { throw 'at ' + n; }, 5) } catch (e) { e }", "at 0"),
            ("native.large().join()", "-9223372036854775808,18446744073709551615"),
        ] {
            assert_eq!(engine.eval(source), expected, "{source}");
        }
        engine.eval("var got = []; native.keptLater(native, (e, v) => got.push(v)); native.pinnedLength(new Uint8Array([4, 9, 1]), (e, v) => got.push(v.join()))");
        engine.run_loop();
        assert_eq!(engine.eval("got.map(String).sort().join()"), "3,9,true");
        // An exception of a callback goes to whoever finishes the op.
        engine.eval("native.keptLater(1, () => { throw new Error('in the callback'); })");
        engine.run_loop();
        assert_eq!(engine.eval("reported"), "threw Error: in the callback");
    }
}
