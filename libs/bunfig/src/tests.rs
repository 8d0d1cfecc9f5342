//! What both commands read, and where mistakes are.

use super::*;

fn read(text: &str) -> Result<Bunfig, Error> {
    Bunfig::parse(text, Path::new("bunfig.toml"), Tables::Program)
}

fn install(text: &str) -> Result<Install, Error> {
    let text = format!("[install]\n{text}");
    Bunfig::parse(&text, Path::new("bunfig.toml"), Tables::Install).map(|bunfig| bunfig.install)
}

#[test]
fn reads_what_concerns_programs() {
    let bunfig = read(
        r#"
        preload = ["./a.ts", "b"]
        smol = true
        jsx = "react"
        env.file = false
        logLevel = "warn"
        [define]
        "process.env.A" = "'x'"
        [loader]
        ".svg" = "text"
        [console]
        depth = 4
        [serve]
        port = 0x10
        [run]
        silent = true
        bun = true
        elide-lines = 1_0
        [install]
        linker = "isolated"
        "#,
    )
    .expect("good");
    assert_eq!(bunfig.preload, ["./a.ts", "b"]);
    assert_eq!((bunfig.smol, bunfig.no_env_file, bunfig.console_depth), (Some(true), true, Some(4)));
    assert_eq!(bunfig.jsx.mode, Some(run_options::JsxMode::Classic));
    assert_eq!(bunfig.define, [("process.env.A".into(), "'x'".into())]);
    assert_eq!(bunfig.loaders, [(".svg".into(), "text".into())]);
    assert_eq!(bunfig.port, Some(16));
    assert_eq!(bunfig.run, Run { silent: true, bun: true, elide_lines: Some(10), bun_shell: false, no_orphans: false });
    assert_eq!(read("").expect("good"), Bunfig::default());
    assert_eq!(read("preload = 'x'").expect("good").preload, ["x"]);
}

#[test]
fn reads_what_concerns_pages() {
    let pages = |text: &str| {
        let text = format!("[serve.static]\n{text}");
        Bunfig::parse(&text, Path::new("bunfig.toml"), Tables::Pages).map(|bunfig| bunfig.pages)
    };
    let all = "plugins = ['a', 'b']\nenv = 'P_*'\ndefine = { V = '1' }\nminify = true\npublicPath = '/x/'\nhmr = true";
    let expected = Pages {
        plugins: vec!["a".into(), "b".into()],
        env: Some("P_*".into()),
        define: vec![("V".into(), "1".into())],
        minify: Some(Minify { whitespace: true, syntax: true, identifiers: true }),
        public_path: Some("/x/".into()),
    };
    assert_eq!(pages(all).expect("good"), expected);
    let some = pages("minify.syntax = true\nenv = false").expect("good");
    assert_eq!(some.minify, Some(Minify { syntax: true, ..Minify::default() }));
    assert_eq!(some.env.as_deref(), Some("disable"));
    let message = |text: &str| pages(text).expect_err("bad").message;
    let strings = "bunfig.toml:2:12: serve.static.plugins array must contain only strings, not integer";
    assert_eq!(message("plugins = [1]"), strings);
    assert_eq!(message("minify = 1"), "bunfig.toml:2:10: serve.static.minify must be true or false, not integer");
    assert_eq!(message("hmr = false"), "bunfig.toml:2:7: serve.static.hmr is not implemented");
    assert_eq!(message("other = 1"), "bunfig.toml:2:1: serve.static.other is not implemented");
    assert_eq!(message("minify.other = 1"), "bunfig.toml:2:8: serve.static.minify.other is not implemented");
    // A mistake elsewhere is not the bundler's.
    let other = Bunfig::parse("smol = 1\n[serve]\nport = 'x'", Path::new("bunfig.toml"), Tables::Pages);
    assert_eq!(other.expect("good").pages, Pages::default());
}

#[test]
fn reads_how_code_is_printed() {
    let fmt = |text: &str| {
        let text = format!("[fmt]\n{text}");
        Bunfig::parse(&text, Path::new("bunfig.toml"), Tables::Fmt).map(|bunfig| bunfig.fmt.options)
    };
    let options = fmt("semi = false\nprintWidth = 100\nsingleQuote = true\ntrailingComma = 'es5'").expect("good");
    assert_eq!(options, ["--no-semi", "--print-width=100", "--single-quote", "--trailing-comma=es5"]);
    let message = |text: &str| fmt(text).expect_err("bad").message;
    assert_eq!(message("sortImports = true"), "bunfig.toml:2:1: fmt.sortImports is not implemented yet");
    assert_eq!(message("semi = 'no'"), "bunfig.toml:2:8: fmt.semi must be true or false, not string");
    assert!(message("tabWidth = -1").starts_with("bunfig.toml:2:12: fmt.tabWidth must be a whole number"));
    assert_eq!(message("endOfLine = 1"), "bunfig.toml:2:13: fmt.endOfLine must be a string, not integer");
}

#[test]
fn names_the_place_of_a_mistake() {
    let message = |text: &str| read(text).expect_err("bad").message;
    assert_eq!(message("\nsmol = 'x'"), "bunfig.toml:2:8: smol must be true or false, not string");
    assert_eq!(message("preload = 5"), "bunfig.toml:1:11: preload must be a string or array of strings, not integer");
    assert!(message("bad toml").starts_with("bunfig.toml:1:"));
    assert!(message("[loader]\n'.x' = 'foo'").starts_with("bunfig.toml:2:8: invalid loader"));
    assert!(message("env = 5").starts_with("bunfig.toml:1:7: env must be"));
    assert!(message("jsx = 'foo'").starts_with("bunfig.toml:1:7: jsx must be"));
    assert!(message("[console]\ndepth = 'x'").starts_with("bunfig.toml:2:9: console.depth must be a whole number"));
}

#[test]
fn reads_what_concerns_the_package_manager() {
    let read = install(
        r#"
        dev = false
        exact = true
        prefer = "offline"
        concurrentScripts = 8
        globalDir = "$HOME/g"
        registry = { url = "https://r.example", token = "$T" }
        scopes = { one = "https://one.example", "@two" = { url = "u", username = "n", password = "p" } }
        ca = ["A", "B"]
        cafile = "f.pem"
        cache = { dir = "c", disable = true }
        lockfile = { save = false, print = "yarn" }
        linker = "isolated"
        backend = "copyfile"
        hoistPattern = []
        publicHoistPattern = "*types*"
        minimumReleaseAge = "3d"
        security = { scanner = "s" }
        logLevel = "debug"
        unknown = 5
        "#,
    )
    .expect("good");
    let registry = |url: &str| Registry { url: url.to_owned(), ..Registry::default() };
    let two = Registry { username: Some("n".into()), password: Some("p".into()), ..registry("u") };
    let mut scopes = read.scopes.clone();
    scopes.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(scopes, [("@one".into(), registry("https://one.example")), ("@two".into(), two)]);
    let expected = Install {
        dev: Some(false),
        exact: Some(true),
        prefer_offline: Some(true),
        concurrent_scripts: Some(8),
        global_dir: Some("$HOME/g".into()),
        registry: Some(Registry { token: Some("$T".into()), ..registry("https://r.example") }),
        scopes: read.scopes.clone(),
        ca: vec!["A".into(), "B".into()],
        cafile: vec!["f.pem".into()],
        cache_dir: Some("c".into()),
        own_cache: true,
        save_lockfile: Some(false),
        print_yarn: true,
        linker: Some(Linker::Isolated),
        backend: Some(Backend::Copyfile),
        hoist_pattern: Some(Vec::new()),
        public_hoist_pattern: Some(vec!["*types*".into()]),
        minimum_release_age: Some(259_200),
        scanner: Some("s".into()),
        log_level: Some(LogLevel::Debug),
        ..Install::default()
    };
    assert_eq!(read, expected);
    assert_eq!(install("").expect("good"), Install::default());
    assert_eq!(install("minimumReleaseAge = 90").expect("good").minimum_release_age, Some(90));
}

#[test]
fn one_style_of_error() {
    let message = |text: &str| install(text).expect_err("bad").message;
    for (text, expected) in [
        ("exact = 1", "2:9: install.exact must be true or false, not integer"),
        ("linker = 'x'", "2:10: install.linker must be \"hoisted\", \"isolated\" or \"store\""),
        ("scopes = { a = 5 }", "2:16: install.scopes.@a must be a URL or a table with `url`"),
        ("minimumReleaseAge = 'x'", "2:21: install.minimumReleaseAge must be seconds, or a duration such as \"3d\""),
        ("lockfile = { print = 'npm' }", "2:22: install.lockfile.print must be \"yarn\""),
        ("hoistPattern = 5", "2:16: install.hoistPattern must be a string or array of strings, not integer"),
        ("globalDir = 5", "2:13: install.globalDir must be a directory, not integer"),
    ] {
        assert_eq!(message(text), format!("bunfig.toml:{expected}"));
    }
    // A mistake for another command is none here.
    assert!(install("exact = true\n[test]\nsmol = 5").is_ok());
    assert!(read("[install]\nexact = 5").is_ok());
}

#[test]
fn durations() {
    for (text, seconds) in [("90", 90), ("90m", 5400), ("3d", 259_200), ("2 weeks", 1_209_600), ("1.5h", 5400)] {
        assert_eq!(duration(text), Some(seconds), "{text}");
    }
    assert_eq!(duration("soon"), None);
}
