//! The cases of the two readers that this one replaced.

use super::*;

fn text(source: &str) -> Result<Vec<Yaml<'_>>, Error> {
    parse(source, Options::TEXT)
}

/// The documents in a notation close to JSON; `&1` and `*1` for anchors and aliases.
fn data(source: &str) -> String {
    let documents = parse(source, Options::DATA).unwrap_or_else(|error| panic!("{error}"));
    documents.iter().map(show).collect::<Vec<_>>().join(" --- ")
}

fn show(value: &Yaml<'_>) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match value {
        Yaml::Null => "null".to_owned(),
        Yaml::Bool(value) => value.to_string(),
        Yaml::Number(number) => format!("{number:?}"),
        Yaml::Text(text) => format!("{text:?}"),
        Yaml::List(items) => format!("[{}]", list(items.iter().map(show).collect())),
        Yaml::Map(entries) => {
            format!("{{{}}}", list(entries.iter().map(|(key, value)| format!("{key}:{}", show(value))).collect()))
        }
        Yaml::Anchored(anchor, inner) => format!("&{anchor}{}", show(inner)),
        Yaml::Alias(anchor) => format!("*{anchor}"),
    }
}

#[test]
fn scalars_of_the_core_schema() {
    assert_eq!(
        data("[yes, True, ~, !!null , 0x1F, 0o17, 017, 1_000, 1e3, +12, .5, 5., 2001-12-14, 0o8, -0, 1:30, inf, '5']"),
        r#"["yes",true,null,null,31.0,15.0,17.0,"1_000",1000.0,12.0,0.5,5.0,"2001-12-14","0o8",-0.0,"1:30","inf","5"]"#
    );
    assert_eq!(data("[.inf, -.INF, .nan]"), "[inf,-inf,NaN]");
    assert_eq!(
        data("a: |\n  hello\n  world\nb: >-\n  x\n  y\nc: 'it''s'\nd: \"\\u0041\\n\""),
        r#"{a:"hello\nworld\n",b:"x y",c:"it's",d:"A\n"}"#
    );
    assert_eq!(
        data("[!!str 123, !!int '5', !!float 5, !!bool yes, !foo bar, ! 12]"),
        r#"["123",5.0,5.0,"yes","bar","12"]"#
    );
}

#[test]
fn documents_and_keys() {
    assert_eq!(data(""), "");
    assert_eq!(data("--- 1\n--- 2\n"), "1.0 --- 2.0");
    assert_eq!(data("---\n---\n"), "null --- null");
    assert_eq!(data("\u{feff}a: 1\nb: 2\na: 3"), "{a:3.0,b:2.0}");
    assert_eq!(
        data("{1: a, true: b, null: c, 1.5: d, [1, 2]: e, {x: 1}: f, 0x10: g}"),
        r#"{1:"a",true:"b",null:"c",1.5:"d",1,2:"e",[object Object]:"f",16:"g"}"#
    );
}

#[test]
fn anchors_and_merges() {
    assert_eq!(data("a: &x {b: 1}\nc: [*x, &s 5, *s]"), "{a:&1{b:1.0},c:[*1,5.0,5.0]}");
    assert_eq!(data("&a [*a]"), "&1[*1]");
    assert_eq!(data("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n  e: 4"), "{a:&1{b:1.0,c:2.0},d:{b:1.0,c:3.0,e:4.0}}");
    assert_eq!(data("<<: 5"), "{<<:5.0}");
    assert_eq!(data("'<<': {a: 1}"), "{<<:{a:1.0}}");
    assert_eq!(
        data("a: &a [{x: 1}, 5, [{y: 1}], *a]\nb: {<<: *a, z: 1}"),
        "{a:&1[{x:1.0},5.0,[{y:1.0}],*1],b:{x:1.0,z:1.0}}"
    );
    assert_eq!(data("a: &a {b: &b {c: 1}}\nd: {<<: *a}\ne: {<<: *b}"), "{a:&1{b:&2{c:1.0}},d:{b:*2},e:{c:1.0}}");
    let enclosing = parse("a: &a {x: 1, <<: *a}", Options::DATA).unwrap_err();
    assert_eq!(enclosing.message, "Merge key cannot reference an enclosing node");
}

#[test]
fn collections_as_keys() {
    assert_eq!(data("? &a [x, *a, y]\n: 1"), "{x,,y:1.0}");
    assert_eq!(
        data("a: &a [1, &b [2, ~]]\n? *a\n: 1\n? [*b, {x: 1}]\n: 2"),
        "{a:&1[1.0,&2[2.0,null]],1,2,:1.0,2,,[object Object]:2.0}"
    );
    assert_eq!(data("&a {? [*a] : 1}"), "&1{[object Object]:1.0}");
}

#[test]
fn text_only() {
    let documents =
        text("packages: [p/*, 9.0, true, ~]\ncatalog: &c {r: ^1}\ncatalogs: {d: *c}\n<<: {x: y}\n").unwrap();
    assert_eq!(
        show(&documents[0]),
        r#"{packages:["p/*","9.0","true","~"],catalog:{r:"^1"},catalogs:{d:{r:"^1"}},<<:{x:"y"}}"#
    );
    assert_eq!(text("a: 9.0\n").unwrap()[0].text("a"), "9.0");
    assert_eq!(text("? [a]\n: b\n").unwrap_err().message, "A key is no text");
    assert_eq!(text("a: &x [*x]").unwrap_err().message, "An alias stands inside of what it names");
}

#[test]
fn limits() {
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    let mut merges = "m0: &m0 {v: 1}\n".to_owned();
    for i in 1..60 {
        let p = i - 1;
        bomb.push_str(&format!("a{i}: &a{i} [*a{p}, *a{p}]\n"));
        merges.push_str(&format!("m{i}: &m{i} {{x{i}: {{<<: *m{p}}}, y{i}: {{<<: *m{p}}}}}\n"));
    }
    assert!(parse(&bomb, Options::DATA).is_ok(), "shared aliases do not multiply");
    assert_eq!(text(&bomb).unwrap_err().message, "Aliases copy too much");
    assert_eq!(parse(&merges, Options::DATA).unwrap_err().message, "Merge keys copy too much");
    let key = format!("{bomb}? *a59\n: 1\n");
    assert_eq!(parse(&key, Options::DATA).unwrap_err().message, "Aliases copy too much");
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for i in 1..100_000 {
        chain.push_str(&format!("a{i}: &a{i} [*a{}]\n", i - 1));
    }
    assert_eq!(parse(&format!("{chain}? *a99999\n: 1\n"), Options::DATA).unwrap_err().message, "Nested too deeply");
    // Text counts as well.
    let long = format!("s: &s {}\nl: [{}]\n", "x".repeat(1_000_000), "*s,".repeat(1_000));
    // Collections with anchors in each other are copied once, or count.
    let anchors: String = (0..200).map(|i| format!("&a{i} [")).collect();
    let inner = format!("{anchors}{}{}", "1,".repeat(100_000), "]".repeat(200));
    assert!(parse(&inner, Options::DATA).is_ok());
    assert_eq!(text(&inner).unwrap_err().message, "Aliases copy too much");
    for options in [Options::DATA, Options::TEXT] {
        assert_eq!(parse(&long, options).unwrap_err().message, "Aliases copy too much");
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(100), options).is_ok());
        assert!(parse(&nested(5000), options).is_err());
    }
}

#[test]
fn places_of_mistakes() {
    for bad in ["a: [1,\n", "a: b: c", "*x", "x: 1\n y: 2", "a: 'x"] {
        assert!(parse(bad, Options::DATA).is_err() && text(bad).is_err(), "{bad}");
    }
    let error = parse("\u{feff}é: 1\nb: *nope\n", Options::DATA).unwrap_err();
    assert_eq!((error.at, error.line), (12, 2));
}

/// With work that grows as the square of the text these take minutes.
#[test]
fn large_texts() {
    let blocks = "- |\n\n".repeat(200_000);
    assert_eq!(parse(&blocks, Options::DATA).unwrap()[0].items().len(), 200_000);
    let anchors: String = (0..100_000).map(|i| format!("k{i}: &k{i} {{a: 1}}\nl{i}: *k{i}\n")).collect();
    assert_eq!(parse(&anchors, Options::DATA).unwrap()[0].entries().len(), 200_000);
}

#[test]
fn block_scalars_without_content() {
    for (text, value) in [
        ("a: |\n\nb: 1\n", ""),
        ("a: >\n  \n  \nb: 1\n", ""),
        ("a: |-\n\nb: 1\n", ""),
        ("a: |+\n\nb: 1\n", "\n"),
        ("a: |\n\n  x\n\nb: 1\n", "\nx\n"),
        ("a: |\n\n", ""),
        ("a: >+", ""),
        ("a: |+ # +\n", ""),
        ("a: |+\n\n", "\n"),
        ("a: | # +\n\n", ""),
    ] {
        let documents = parse(text, Options::TEXT).unwrap();
        assert_eq!(documents[0].text("a"), value, "{text:?}");
    }
}

#[test]
fn spaces_at_the_end_of_a_text() {
    for (text, value) in [
        ("a: |\n  x\n  ", "x\n"),
        ("a: |\n  x\n ", "x\n"),
        ("a: |\n  x\n   ", "x\n \n"),
        ("a: |2\n  x\n  ", "x\n"),
        ("a: >\n  x\n  ", "x\n"),
        ("a: |-\n  x\n  ", "x"),
        ("a: |+\n  x\n  ", "x\n"),
        ("a: |+\n  x\n\n  ", "x\n\n"),
        ("a: |+\n  x\n\n", "x\n\n"),
        ("a: |+\n   ", "\n"),
        ("a: |\n   ", ""),
    ] {
        let documents = parse(text, Options::TEXT).unwrap();
        assert_eq!(documents[0].text("a"), value, "{text:?}");
    }
}
