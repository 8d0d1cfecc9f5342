use super::*;

fn token(gl: u32, gc: u32, original: Option<(u32, u32, u32, Option<u32>)>) -> Token {
    let original = original.map(|(source, line, column, name)| Original { source, line, column, name });
    Token { generated_line: gl, generated_column: gc, original }
}

fn sample() -> SourceMap {
    let mut tokens = Vec::new();
    for line in 0..50 {
        for column in 0..10 {
            let original = (column != 9).then_some((line % 3, 1000 - line, column * 7 % 5, (line == 3).then_some(0)));
            tokens.push(token(line * 2, column * 10, original));
        }
    }
    let sources = vec!["a.ts".into(), "b.ts".into(), "c.ts".into()];
    SourceMap::from_tokens(tokens, sources, vec![None, Some("text".into())], vec!["name".into()])
}

#[test]
fn lookup_finds_the_token_at_or_before() {
    let map = sample();
    let at = |l, c| map.lookup(l, c).map(|p| (p.source, p.line, p.column, p.name));
    assert_eq!(at(0, 0), Some((0, 1000, 0, None)));
    assert_eq!(at(0, 15), Some((0, 1000, 2, None)));
    assert_eq!(at(6, 25), Some((0, 997, 4, Some("name"))));
    assert_eq!(at(6, 95), None, "unmapped token");
    assert_eq!(at(1, 5), None, "line without tokens");
    assert_eq!(at(98, 80), Some((1, 951, 1, None)));
    assert_eq!(at(500, 0), None);
    assert_eq!(SourceMap::from_tokens(vec![], vec![], vec![], vec![]).lookup(0, 0), None);
}

#[test]
fn bytes_round_trip() {
    let map = sample();
    let bytes = map.to_bytes();
    let back = SourceMap::from_bytes(&bytes).unwrap();
    assert_eq!(back.tokens().collect::<Vec<_>>(), map.tokens().collect::<Vec<_>>());
    assert_eq!(back.sources(), map.sources());
    assert_eq!(back.source_content(1), Some("text"));
    assert_eq!(back.lookup(6, 25), map.lookup(6, 25));
    assert!(bytes.len() < 500 * 6 + 200, "{} bytes for 500 tokens", bytes.len());
    for cut in [0, 3, 10, 30, bytes.len() - 1] {
        assert!(SourceMap::from_bytes(&bytes[..cut]).is_none(), "cut at {cut}");
    }
}

#[test]
fn json_round_trip() {
    let map = sample();
    let json = map.to_json(Some("out.js"));
    let back = SourceMap::from_json(&json).unwrap();
    assert_eq!(back.tokens().collect::<Vec<_>>(), map.tokens().collect::<Vec<_>>());
    assert_eq!(back.to_json(Some("out.js")), json);
    assert_eq!(back.source_content(1), Some("text"));
}

#[test]
fn reads_v3_with_root_and_sections() {
    let map = SourceMap::from_json(
        r#")]}'
        {"version":3,"sourceRoot":"src","sources":["a.js","/b.js"],"names":["x"],"mappings":"AAAA,IAAIA;;ACAJ"}"#,
    )
    .unwrap();
    assert_eq!(map.sources(), ["src/a.js", "/b.js"]);
    assert_eq!(map.lookup(0, 5).unwrap().name, Some("x"));
    assert_eq!(map.lookup(2, 0).unwrap().source, 1);
    let index = r#"{"version":3,"sections":[
        {"offset":{"line":0,"column":0},"map":{"version":3,"sources":["a"],"names":[],"mappings":"AAAA"}},
        {"offset":{"line":2,"column":4},"map":{"version":3,"sources":["b"],"names":[],"mappings":"AACA;AACA"}}]}"#;
    let map = SourceMap::from_json(index).unwrap();
    assert_eq!(map.lookup(2, 3), None);
    assert_eq!(map.lookup(2, 4).unwrap(), Position { source: 1, line: 1, column: 0, name: None });
    assert_eq!(map.lookup(3, 0).unwrap(), Position { source: 1, line: 2, column: 0, name: None });
    assert!(SourceMap::from_json(r#"{"version":2}"#).is_err());
    assert!(SourceMap::from_json(r#"{"version":3,"sources":[],"mappings":"!"}"#).is_err());
    assert!(SourceMap::from_json("{").is_err());
}

#[test]
fn inline_maps() {
    let url = "data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==";
    let map = SourceMap::from_inline(&format!("x();\n//# sourceMappingURL={url}\n")).unwrap();
    assert_eq!(map.sources(), ["a.ts"]);
    assert_eq!(source_mapping_url("x\n//# sourceMappingURL=a.map"), Some("a.map"));
    assert_eq!(source_mapping_url("x\n/*# sourceMappingURL=a.map */\n"), Some("a.map"));
    assert_eq!(source_mapping_url("let s = '//# sourceMappingURL=a.map';"), None);
    assert_eq!(source_mapping_url("//# sourceMappingURL=a.map\nmore();"), None);
    assert_eq!(decode_data_url("data:,a%20b").as_deref(), Some("a b"));
}

#[test]
fn compose_traces_through() {
    let inner = SourceMap::from_tokens(
        vec![token(0, 0, Some((0, 10, 5, None))), token(1, 0, Some((0, 20, 0, None)))],
        vec!["orig.coffee".into()],
        vec![],
        vec![],
    );
    let outer = SourceMap::from_tokens(
        vec![token(0, 0, Some((0, 1, 3, None))), token(5, 2, Some((0, 7, 0, None)))],
        vec!["mid.js".into()],
        vec![],
        vec![],
    );
    let both = outer.compose(&inner);
    assert_eq!(both.sources(), ["orig.coffee"]);
    assert_eq!(both.lookup(0, 1).unwrap().line, 20);
    assert_eq!(both.lookup(5, 2), None);
}

#[test]
fn mappings_alone() {
    let tokens = decode_mappings("AAAAA,CAAC;;EACA,G").unwrap();
    assert_eq!(tokens[0], token(0, 0, Some((0, 0, 0, Some(0)))));
    assert_eq!(
        tokens[1..],
        [token(0, 1, Some((0, 0, 1, None))), token(2, 2, Some((0, 1, 1, None))), token(2, 5, None)]
    );
    assert_eq!(decode_mappings(""), Some(Vec::new()));
    assert_eq!(decode_mappings("A!"), None);
    assert_eq!(decode_mappings("AA"), None);
}
