//! The cases of the three readers that this one replaced, and what they disagreed about.

use super::*;

fn jsonc(text: &str) -> Result<Value<'_>, Error> {
    Value::read(text, Flavor::Jsonc)
}

/// The value as JSON text, for comparing.
fn text(value: &Value<'_>) -> String {
    let mut out = String::new();
    put(value, &mut out);
    out
}

fn put(value: &Value<'_>, out: &mut String) {
    match &value.node {
        Node::Null => out.push_str("null"),
        Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Node::Number(number) => out.push_str(number),
        Node::String(text) => quote(text, out),
        Node::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                put(item, out);
            }
            out.push(']');
        }
        Node::Object(members) => {
            out.push('{');
            for (place, member) in members.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                quote(&member.key, out);
                out.push(':');
                put(&member.value, out);
            }
            out.push('}');
        }
    }
}

/// Whether the text is a document, by the tree and by skipping, which must agree.
fn reads(text: &str, flavor: Flavor) -> bool {
    let mut cursor = Cursor::of(text, flavor);
    let skipped = cursor.skip().and_then(|()| cursor.end());
    let read = Value::read(text, flavor);
    assert_eq!(skipped.is_some(), read.is_ok(), "{text:?}");
    if let Err(error) = read {
        assert_eq!(cursor.error(), error, "{text:?}");
    }
    skipped.is_some()
}

#[test]
fn documents_with_comments_and_trailing_commas() {
    let value = jsonc("// head\n { \"a\": [1, 2,], /* x */ \"b\": {\"c\": \"d\\u0041\\ud83d\\ude00\\n\",}, \"e\": null, \"f\": true, }\n").unwrap();
    assert_eq!(value.get("b").unwrap().text("c"), "dA\u{1f600}\n");
    assert_eq!(value.get("a").unwrap().items().len(), 2);
    assert_eq!(value.get("f").unwrap().bool(), Some(true));
    let value = jsonc("\u{feff}{ // c\n \"a\": [1, 2,], /* \" */ \"b\": -1.5e+3, }").unwrap();
    assert_eq!(text(&value), r#"{"a":[1,2],"b":-1.5e+3}"#);
    assert_eq!(value.start, 3, "places count the byte order mark");
    assert_eq!(text(&jsonc("12345678901234567890").unwrap()), "12345678901234567890", "digits are kept");
    assert_eq!(text(&jsonc(r#""\u00e9\n\ud83d\ude00 \" \/ \b\f\t\r""#).unwrap()), r#""é\n😀 \" / \b\f\t\r""#);
    assert_eq!(text(&jsonc("// a\r[1]").unwrap()), "[1]", "a carriage return ends a comment");
    assert_eq!(
        text(&jsonc(r#"["\ud800", "\ud800\u0041", "\udc00"]"#).unwrap()),
        "[\"\u{fffd}\",\"\u{fffd}A\",\"\u{fffd}\"]"
    );
}

#[test]
fn what_is_no_json() {
    for bad in [
        "",
        "  ",
        "// x",
        "{",
        "[",
        "{\"a\"}",
        "[1 2]",
        "{\"a\":1}x",
        "{} {}",
        "\"abc",
        "\"abc\\",
        "{\"a\":}",
        "[,]",
        "[1,,2]",
        "{a: 1}",
        "{'a': 1}",
        "'a'",
        "{\"a\": 1,,}",
        "{,}",
        "01",
        "1.",
        ".5",
        "+1",
        "- 1",
        "0x1",
        "1e",
        "nul",
        "truer",
        "NaN",
        "Infinity",
        "undefined",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\\x41\"",
        "\"\\q\"",
        "\"\\'\"",
        "\"\\u12\"",
        "\"\\u+123\"",
        "[1]x",
        "/",
        "[1]/",
        "/* a",
        "[1] /* a",
        "1_0",
        "\u{a0}1",
        "]",
        "}",
        "{]",
        "[}",
        "[1}",
        "{\"a\":1]",
    ] {
        assert!(!reads(bad, Flavor::Jsonc), "{bad}");
        assert!(!reads(bad, Flavor::Json), "{bad}");
    }
    for lenient in ["[1,]", "{\"a\":1,}", "// a\n1", "1 /* b */", "[/**/]"] {
        assert!(reads(lenient, Flavor::Jsonc) && !reads(lenient, Flavor::Json), "{lenient}");
    }
    for good in ["[]", "{}", " [ ] ", "{ }", "\"\"", "null", "[[[]],{}]", "\"\u{7f}\u{2028}\"", "{\"\":{\"\":[\"\"]}}"]
    {
        assert!(reads(good, Flavor::Json), "{good}");
    }
}

#[test]
fn places_of_mistakes() {
    let at = |text| {
        let error = jsonc(text).unwrap_err();
        (error.line, error.column, error.message)
    };
    for (bad, line, column, message) in [
        ("", 1, 1, "Unexpected end of JSON input"),
        ("{\n", 2, 1, "Unexpected end of JSON input"),
        ("{\n \"é\": }", 2, 7, "Expected a value but found '}'"),
        ("{\n  \"a\": tru\n}", 2, 8, "Expected a value but found 't'"),
        ("{\"a\": 01}", 1, 7, "Invalid number"),
        ("[1 2]", 1, 4, "Expected ',' or ']' but found '2'"),
        ("{\"a\": 1 \"b\": 2}", 1, 9, "Expected ',' or '}' but found '\"'"),
        ("{\"a\" 1}", 1, 6, "Expected ':' but found '1'"),
        ("{} x", 1, 4, "Expected the end of the document but found 'x'"),
        ("\"a", 1, 1, "Unterminated string"),
        ("\"a\tb\"", 1, 3, "Bad control character in string literal"),
        ("[1, /* a", 1, 5, "Unterminated comment"),
        ("{a:1}", 1, 2, "Expected a property name in double quotes but found 'a'"),
        ("[\"é\\x\"]", 1, 4, "Bad escaped character"),
        ("[,]", 1, 2, "Expected a value but found ','"),
        ("[é]", 1, 2, "Expected a value but found 'é'"),
    ] {
        assert_eq!(at(bad), (line, column, message.to_owned()), "{bad}");
    }
    let error = Value::parse(b"[\"a\", \"\xff\"]").unwrap_err();
    assert_eq!((error.at, error.message.as_str()), (7, "Not UTF-8"));
    assert_eq!(error.to_string(), "Not UTF-8 at 1:8");
}

#[test]
fn long_strings_are_looked_through() {
    for length in 0..80 {
        let plain = "x".repeat(length);
        assert_eq!(jsonc(&format!("\"{plain}\"")).unwrap().str(), Some(&*plain));
        assert_eq!(jsonc(&format!("\"{plain}\\n{plain}\"")).unwrap().str(), Some(&*format!("{plain}\n{plain}")));
        for bad in ["\n", "\u{1f}", "\0"] {
            let document = format!("\"{plain}{bad}{plain}\"");
            assert_eq!(jsonc(&document).unwrap_err().at, length + 1, "{length}");
            assert_eq!(Cursor::unchecked(document.as_bytes()).string().unwrap(), document[1..document.len() - 1]);
        }
    }
}

#[test]
fn nesting_ends_with_an_error_and_not_with_the_stack() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    // The stack of a thread; in a build without optimization more.
    let size = if cfg!(debug_assertions) { 32 << 20 } else { 2 << 20 };
    let run = move || {
        for flavor in [Flavor::Json, Flavor::Jsonc, Flavor::Json5] {
            assert!(reads(&nested(MAX_DEPTH), flavor));
            assert!(!reads(&nested(MAX_DEPTH + 1), flavor));
        }
        for text in ["[".repeat(1_000_000), "{\"a\":".repeat(1_000_000)] {
            let mut cursor = Cursor::of(&text, Flavor::Jsonc);
            assert!(cursor.skip().is_none());
            assert_eq!(cursor.error().message, "Nested too deeply");
            assert_eq!(jsonc(&text).unwrap_err().message, "Nested too deeply");
        }
        let mixed = "[{\"a\":".repeat(100) + "1" + &"}]".repeat(100);
        assert!(reads(&mixed, Flavor::Json));
        assert!(!reads(&mixed.replace("}]}]}]}]", "}]}}]]}]"), Flavor::Json));
    };
    std::thread::Builder::new().stack_size(size).spawn(run).unwrap().join().unwrap();
}

#[test]
fn skipping_stops_after_the_value() {
    let text = r#"{"a":{"b":["}",{"\"":1}]},"c":-1.5e3} tail"#;
    for mut cursor in [Cursor::of(text, Flavor::Jsonc), Cursor::unchecked(text.as_bytes())] {
        cursor.skip().unwrap();
        assert_eq!(&text[cursor.at..], " tail");
        assert!(cursor.end().is_none());
    }
    for bad in ["[1", "{\"a\":[}", "\"a", "", ","] {
        assert!(Cursor::unchecked(bad.as_bytes()).skip().is_none(), "{bad}");
    }
}

#[test]
fn one_pass() {
    let text = r#"{"n": 7, "yes": true, "name": "x", "other": 5, "list": ["a", "b"], "deep": {"k": [1]}}"#;
    let mut cursor = Cursor::of(text, Flavor::Json);
    let mut seen = Vec::new();
    cursor
        .object(|cursor, key| {
            match &*key {
                "n" => assert_eq!(cursor.integer(), Some(7)),
                "yes" => assert_eq!(cursor.boolean(), Some(true)),
                "name" => assert_eq!(cursor.string_value()?.as_deref(), Some("x")),
                "other" => assert_eq!(cursor.string_value()?, None),
                "list" => {
                    let (mut first, mut items) = (true, Vec::new());
                    assert!(cursor.eat(b'['));
                    while cursor.more(b']', &mut first)? {
                        items.push(cursor.string()?);
                    }
                    assert_eq!(items, ["a", "b"]);
                }
                _ => assert!(cursor.value()?.is_object()),
            }
            seen.push(key);
            Some(())
        })
        .unwrap();
    cursor.end().unwrap();
    assert_eq!(seen, ["n", "yes", "name", "other", "list", "deep"]);
    let mut cursor = Cursor::of("[1]", Flavor::Json);
    assert!(cursor.object(|cursor, _| cursor.skip()).is_none());
    assert_eq!(cursor.error().message, "Expected an object but found '['");
}

#[test]
fn repeated_keys() {
    let value = jsonc(r#"{"a": 1, "b": 2, "a": 3, "c": 4, "b": 5}"#).unwrap();
    assert_eq!(value.get("a").unwrap().number(), Some(3.0));
    assert_eq!(value.members().len(), 5);
    let Node::Object(members) = value.node else { panic!("object") };
    let members: Vec<_> =
        unique(members).iter().map(|member| (member.key.to_string(), member.value.number())).collect();
    assert_eq!(members, [("a".into(), Some(3.0)), ("b".into(), Some(5.0)), ("c".into(), Some(4.0))]);
}

#[test]
fn json5() {
    let json5 = |source| Value::read(source, Flavor::Json5).map(|value| text(&value));
    assert_eq!(
        json5(
            "{a: 1, 'b': +2, c: .5, d: 5., e: 0x1F, h: 'a\\\nb\\x41\\v\\0\\q', /* c */ i: [1,2,], $_é: null, // x\n}"
        )
        .unwrap(),
        r#"{"a":1,"b":+2,"c":.5,"d":5.,"e":0x1F,"h":"abA\u000b\u0000q","i":[1,2],"$_é":null}"#
    );
    assert_eq!(json5("{\\u0061b: 'it\\'s \"', \"c\\\r\nd\": 1}").unwrap(), r#"{"ab":"it's \"","cd":1}"#);
    assert_eq!(
        json5("\u{a0}\u{feff}\u{b}\u{c}[Infinity, -Infinity, NaN, 'a\tb']\u{2003}").unwrap(),
        "[Infinity,-Infinity,NaN,\"a\\tb\"]"
    );
    for bad in [
        "",
        "010",
        "undefined",
        "{a:1",
        "'\n'",
        "1 2",
        "0x",
        "1n",
        "{1: 2}",
        "'\\1'",
        "'\\01'",
        "[,]",
        "{\\x61: 1}",
        "'a",
        "{a b}",
    ] {
        assert!(!reads(bad, Flavor::Json5), "{bad}");
    }
}

#[test]
fn written_as_json_stringify_does() {
    let mut out = String::new();
    quote("\u{0}\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"\\/é\u{7f}\u{2028}", &mut out);
    assert_eq!(out, "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/é\u{7f}\u{2028}\"");
    for (number, text) in [
        (0.0, "0"),
        (-1.5, "-1.5"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-7, "1e-7"),
        (0.000_001, "0.000001"),
    ] {
        assert_eq!(number_text(number), text);
    }
    assert_eq!(number_text(-0.0), "0");
}

#[test]
fn edits_keep_the_rest() {
    let mut document =
        Document::new("{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"b\": \"1\"\n    }\n}\n");
    document.set_dependency("dependencies", "a", "^2");
    document.set_dependency("devDependencies", "c", "3");
    assert_eq!(
        document.text,
        "{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"a\": \"^2\",\n        \"b\": \"1\"\n    },\n    \"devDependencies\": {\n        \"c\": \"3\"\n    }\n}\n"
    );
    assert!(document.remove(&["dependencies", "b"]));
    assert!(document.remove(&["devDependencies", "c"]));
    assert_eq!(
        document.text,
        "{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"a\": \"^2\"\n    }\n}\n"
    );
    let mut line = Document::new("{\"name\":\"q\",\"dependencies\":{\"z\":\"1\"}}");
    line.set_dependency("devDependencies", "a", "1");
    assert_eq!(
        line.text,
        "{\n  \"name\": \"q\",\n  \"dependencies\": {\n    \"z\": \"1\"\n  },\n  \"devDependencies\": {\n    \"a\": \"1\"\n  }\n}"
    );
    let mut mixed = Document::new("{\n  \"dependencies\": {\n    \"c\": \"1\", // c\n    \"a\": \"2\"\n  }\n}");
    mixed.sort("dependencies");
    assert_eq!(mixed.text, "{\n  \"dependencies\": {\n    \"a\": \"2\", // c\n    \"c\": \"1\"\n  }\n}");
    let mut marked = Document::new("\u{feff}{\n  \"a\": 1\n}");
    marked.set(&["a"], "2", false);
    assert_eq!(marked.text, "\u{feff}{\n  \"a\": 2\n}");
    let mut empty = Document::new("{}");
    empty.set_dependency("dependencies", "a", "1");
    assert_eq!(empty.text, "{\n  \"dependencies\": {\n    \"a\": \"1\"\n  }\n}");
}

#[test]
fn json5_comments_end_at_each_line_end_of_ecmascript() {
    for end in ["\n", "\r", "\u{2028}", "\u{2029}"] {
        let value = Value::read(&format!("[1, // one{end}2]"), Flavor::Json5).map(|value| text(&value));
        assert_eq!(value.unwrap(), "[1,2]");
    }
}

#[test]
fn json5_in_the_words_of_bun() {
    for (source, message) in [
        ("", "Unexpected end of input"),
        ("{a:1,", "Unexpected end of input"),
        ("{a:1", "Unterminated object"),
        ("[[1]", "Unterminated array"),
        ("{a:1]", "Expected '}'"),
        ("[{a:1} 2]", "Expected ','"),
        ("{a}", "Expected ':' after object key"),
        ("{,}", "Invalid identifier start character"),
        ("#", "Unexpected character"),
        ("[1,,]", "Unexpected token"),
        ("truex", "Unexpected token"),
        ("1 2", "Unexpected token after JSON5 value"),
        ("1a", "Unexpected token after JSON5 value"),
        ("[1a]", "Expected ','"),
        ("[-01]", "Leading zeros are not allowed in JSON5"),
        ("0xg", "Invalid hex number"),
        ("+.", "Invalid number"),
        ("1e", "Invalid number"),
        ("-", "Unexpected end of input"),
        ("+true", "Unexpected character"),
        ("/* a", "Unterminated multi-line comment"),
        ("'\\8'", "Octal escape sequences are not allowed in JSON5"),
        ("'\\xg0'", "Invalid hex escape"),
        ("{\\u00: 1}", "Invalid unicode escape: expected 4 hex digits"),
        ("'a\n'", "Unterminated string"),
        ("\"\\", "Unexpected end of input in escape sequence"),
    ] {
        assert_eq!(Value::read(source, Flavor::Json5).unwrap_err().message, message, "{source}");
    }
}
