use super::*;

fn json5(text: &str) -> String {
    json5_to_json(text, "f").unwrap_or_else(|e| panic!("{e}")).text
}

fn yaml(text: &str) -> String {
    yaml_to_json(text, "f").unwrap_or_else(|e| panic!("{e}")).text
}

fn toml(text: &str) -> String {
    toml_to_json(text, "f").unwrap_or_else(|e| panic!("{e}")).text
}

fn position(result: Result<Json, Diagnostic>) -> (u32, u32) {
    let error = result.unwrap_err();
    (error.line, error.column)
}

fn path(text: &str) -> Vec<PathSegment> {
    let segment = |s: &str| s.parse().map_or_else(|_| PathSegment::Key(s.to_owned()), PathSegment::Index);
    text.split('.').filter(|s| !s.is_empty()).map(segment).collect()
}

#[test]
fn jsonc() {
    let json = |text| jsonc_to_json(text, "f").unwrap_or_else(|e| panic!("{e}")).text;
    assert_eq!(json("\u{feff}{ // c\n \"a\": [1, 2,], /* \" */ \"b\": -1.5e+3, }"), r#"{"a":[1,2],"b":-1.5e+3}"#);
    assert_eq!(json(r#""\u00e9\n\ud83d\ude00 \" \/""#), "\"é\\n😀 \\\" /\"");
    assert_eq!(json("12345678901234567890"), "12345678901234567890", "digits are kept");
    for bad in
        ["", "// x", "{a: 1}", "[,]", "{\"a\": 1,,}", "[1 2]", "01", "1.", ".5", "+1", "nul", "\"a\nb\"", "[1]x", "/"]
    {
        assert!(jsonc_to_json(bad, "f").is_err(), "{bad}");
    }
    assert_eq!(position(jsonc_to_json("{\n  \"a\": tru\n}", "f")), (2, 8));
    assert_eq!(position(jsonc_to_json(&"[".repeat(20_000), "f")), (1, 10_001));
}

#[test]
fn json5_syntax() {
    assert_eq!(
        json5("{a: 1, 'b': +2, c: .5, d: 5., e: 0x1F, h: 'a\\\nb\\x41\\v\\0', /* c */ i: [1,2,], $_é: null, // x\n}"),
        "{\"a\":1,\"b\":2,\"c\":0.5,\"d\":5,\"e\":31,\"h\":\"abA\\u000b\\u0000\",\"i\":[1,2],\"$_é\":null}"
    );
    assert_eq!(json5("{a:1, b:2, a:3}"), r#"{"a":3,"b":2}"#);
    assert_eq!(json5("-0x10"), "-16");
    assert_eq!(json5("5.e3"), "5000");
    let specials = json5_to_json("{a: [Infinity, -Infinity], b: -NaN}", "f").unwrap();
    assert_eq!(specials.text, r#"{"a":[null,null],"b":null}"#);
    let found: Vec<_> = specials.specials.iter().map(|s| (s.path.clone(), s.value.clone())).collect();
    assert_eq!(
        found,
        [
            (path("a.0"), SpecialValue::Infinity),
            (path("a.1"), SpecialValue::NegativeInfinity),
            (path("b"), SpecialValue::NaN),
        ]
    );
    for bad in ["", "010", "undefined", "{a:1", "'\n'", "1 2", "0x", "1n", "{1: 2}", "'\\1'"] {
        assert!(json5_to_json(bad, "f").is_err(), "{bad}");
    }
}

#[test]
fn toml_values() {
    assert_eq!(
        toml("z=1\na=-2\n[t.'x y']\nb=1_000\nc=[1,[\"s\"]]\n[[l]]\nq=0x1F\n[[l]]\nq=1e3\ninline = {a=1,\n b.c=true,}"),
        r#"{"z":1,"a":-2,"t":{"x y":{"b":1000,"c":[1,["s"]]}},"l":[{"q":31},{"q":1000,"inline":{"a":1,"b":{"c":true}}}]}"#
    );
    let json = toml_to_json(
        "a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00\nd = 1979-05-27 07:32:00.5\ne = inf\nf = [-nan]",
        "f",
    )
    .unwrap();
    assert_eq!(json.text, r#"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":[null]}"#);
    let values: Vec<_> = json.specials.iter().map(|s| s.value.clone()).collect();
    assert_eq!(
        values,
        [
            SpecialValue::OffsetDateTime("1979-05-27T07:32:00Z".into()),
            SpecialValue::LocalDate("1979-05-27".into()),
            SpecialValue::LocalTime("07:32:00".into()),
            SpecialValue::LocalDateTime("1979-05-27T07:32:00.5".into()),
            SpecialValue::Infinity,
            SpecialValue::NaN,
        ]
    );
    assert_eq!(json.specials[5].path, path("f.0"));
    assert_eq!(position(toml_to_json("a = 1\na = 2", "f")), (2, 1));
    assert_eq!(position(toml_to_json("a = 1\nb = 9007199254740993", "f")), (2, 5));
    assert!(toml_to_json("a = ", "f").is_err());
}

#[test]
fn yaml_scalars() {
    assert_eq!(
        yaml(
            "a: yes\nb: True\nc: ~\nd:\ne: 0x1F\nf: 0o17\ng: 017\nh: 1_000\ni: 1e3\nj: +12\nk: .5\nl: 5.\nm: 2001-12-14\nn: 0o8\no: -0\np: 1:30\nq: inf\nr: '5'\ns: 12345678901234567890"
        ),
        r#"{"a":"yes","b":true,"c":null,"d":null,"e":31,"f":15,"g":17,"h":"1_000","i":1000,"j":12,"k":0.5,"l":5,"m":"2001-12-14","n":"0o8","o":-0,"p":"1:30","q":"inf","r":"5","s":12345678901234567000}"#
    );
    assert_eq!(
        yaml("a: |\n  hello\n  world\nb: >-\n  x\n  y\nc: 'it''s'\nd: \"\\u0041\\n\""),
        r#"{"a":"hello\nworld\n","b":"x y","c":"it's","d":"A\n"}"#
    );
    assert_eq!(
        yaml("[!!str 123, !!int '5', !!float 5, !!bool yes, !foo bar, ! 12]"),
        r#"["123",5,5,"yes","bar","12"]"#
    );
    let json = yaml_to_json("[.inf, -.INF, .nan]", "f").unwrap();
    assert_eq!((json.text.as_str(), json.specials.len()), ("[null,null,null]", 3));
}

#[test]
fn yaml_documents_and_keys() {
    assert_eq!(yaml(""), "null");
    assert_eq!(yaml("# c"), "null");
    assert_eq!(yaml("--- 1"), "1");
    assert_eq!(yaml("--- 1\n--- 2\n"), "[1,2]");
    assert_eq!(yaml("---\na: 1\n---\nb: 2\n...\n"), r#"[{"a":1},{"b":2}]"#);
    assert_eq!(yaml("---\n---\n"), "[null,null]");
    assert_eq!(
        yaml("{1: a, true: b, null: c, 1.5: d, [1, 2]: e, {x: 1}: f, 0x10: g}"),
        r#"{"1":"a","true":"b","null":"c","1.5":"d","1,2":"e","[object Object]":"f","16":"g"}"#
    );
    assert_eq!(yaml("a: 1\na: 2"), r#"{"a":2}"#);
    assert_eq!(yaml("!!set {a, b}"), r#"{"a":null,"b":null}"#);
}

#[test]
fn yaml_anchors_and_merges() {
    let json = yaml_to_json("a: &x {b: 1}\nc: [*x, &s 5, *s]", "f").unwrap();
    assert_eq!(json.text, r#"{"a":{"b":1},"c":[null,5,5]}"#);
    assert_eq!(json.specials, [Special { path: path("c.0"), value: SpecialValue::SameAs(path("a")) }]);
    let json = yaml_to_json("&a [*a]", "f").unwrap();
    assert_eq!(json.specials, [Special { path: path("0"), value: SpecialValue::SameAs(path("")) }]);
    assert_eq!(
        yaml("a: &x {b: 1, c: 2}\ny: &y {b: 9, q: 5}\nd:\n  <<: *x\n  c: 3\n  e: 4\nf:\n  e: 4\n  <<: [*x, *y]"),
        r#"{"a":{"b":1,"c":2},"y":{"b":9,"q":5},"d":{"b":1,"c":3,"e":4},"f":{"e":4,"b":1,"c":2,"q":5}}"#
    );
    assert_eq!(yaml("<<: {a: 1}\nb: 2"), r#"{"a":1,"b":2}"#);
    assert_eq!(yaml("<<: 5"), r#"{"<<":5}"#);
    assert_eq!(yaml("'<<': {a: 1}"), r#"{"<<":{"a":1}}"#);
    // Aliases do not multiply; merges do, up to a limit.
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    let mut merges = "m0: &m0 {v: 1}\n".to_owned();
    for i in 1..60 {
        let p = i - 1;
        bomb.push_str(&format!("a{i}: &a{i} [*a{p}, *a{p}]\n"));
        merges.push_str(&format!("m{i}: &m{i} {{x{i}: {{<<: *m{p}}}, y{i}: {{<<: *m{p}}}}}\n"));
    }
    assert!(yaml(&bomb).len() < 3000);
    assert!(yaml_to_json(&merges, "f").is_err());
}

#[test]
fn yaml_errors() {
    for bad in ["a: [1,\n", "a: b: c", "*x", "x: 1\n y: 2", "a: 'x"] {
        assert!(yaml_to_json(bad, "f").is_err(), "{bad}");
    }
    assert_eq!(position(yaml_to_json("é: 1\nb: *nope\n", "f")), (2, 4));
    assert!(yaml_to_json(&"[".repeat(5000), "f").is_err());
}
