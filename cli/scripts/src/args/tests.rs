use super::*;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| word.to_string()).collect()
}

fn bao(list: &[&str]) -> Invocation {
    parse(Persona::Bao, words(list), None).unwrap_or_else(|e| panic!("{list:?}: {e:?}"))
}

fn fails(list: &[&str]) -> Failure {
    parse(Persona::Bao, words(list), None).expect_err("refused")
}

fn target(run: bool, target: &str, args: &[&str]) -> Request {
    Request::Target { run, target: target.into(), args: words(args) }
}

#[test]
fn files_and_scripts() {
    assert_eq!(bao(&["x.js"]).request, target(false, "x.js", &[]));
    assert_eq!(bao(&["x.js", "--smol", "-e", "a"]).request, target(false, "x.js", &["--smol", "-e", "a"]));
    assert_eq!(bao(&["run", "x", "--", "-a"]).request, target(true, "x", &["-a"]));
    assert_eq!(bao(&["--smol", "run", "--bun", "x"]).request, target(true, "x", &[]));
    assert_eq!(bao(&["--", "run"]).request, target(false, "run", &[]));
    assert_eq!(bao(&["run", "run"]).request, target(true, "run", &[]));
    assert_eq!(bao(&["run"]).request, Request::List);
    assert_eq!(bao(&[]).request, Request::Nothing);
    assert_eq!(bao(&["-", "a"]).request, Request::Stdin { args: words(&["a"]) });
    assert_eq!(bao(&["run", "-", "a"]).request, Request::Stdin { args: words(&["a"]) });
}

#[test]
fn eval() {
    let eval = |text: &str, print, args: &[&str]| Request::Eval { text: text.into(), print, args: words(args) };
    assert_eq!(bao(&["-e", "1", "a", "-b"]).request, eval("1", false, &["a", "-b"]));
    assert_eq!(bao(&["-p", "-1"]).request, eval("-1", true, &[]));
    assert_eq!(bao(&["-p1+1"]).request, eval("1+1", true, &[]));
    assert_eq!(bao(&["--print=a=b", "--", "--x"]).request, eval("a=b", true, &["--x"]));
    assert_eq!(bao(&["-pe", "1"]).request, eval("1", true, &[]));
    assert_eq!(bao(&["-e", "run", "run"]).request, eval("run", false, &["run"]));
}

#[test]
fn options() {
    let i = bao(&["-br", "./a", "--require=./b", "--define", "A:1=2", "-dB=c:d", "--env-file=a,b", "-F*", "run", "x"]);
    assert!(i.options.bun);
    assert_eq!(i.options.program.preload, ["./a", "./b"]);
    assert_eq!(i.options.program.define, [("A".into(), "1=2".into()), ("B".into(), "c:d".into())]);
    assert_eq!(i.options.env_files, [("a".into(), false), ("b".into(), false)]);
    assert_eq!(i.options.filters, ["*"]);
    assert_eq!(i.request, target(true, "x", &[]));
    assert_eq!(i.exec_argv, ["-br", "./a", "--require=./b", "--define", "A:1=2", "-dB=c:d", "--env-file=a,b", "-F*"]);
    let i = bao(&["-c", "a.toml", "x.js"]);
    assert_eq!((i.options.config, i.request), (Some(Some("a.toml".into())), target(false, "x.js", &[])));
    let i = bao(&["-c", "x.js"]);
    assert_eq!((i.options.config, i.request), (Some(None), target(false, "x.js", &[])));
    let i = bao(&["--disable-warning=A", "--disable-warning", "B", "--max_old_space_size=10", "--no-warnings", "x.js"]);
    assert_eq!(
        i.options.program.node_options,
        [
            ("--disable-warning".into(), NodeOption::List(words(&["A", "B"]))),
            ("--max-old-space-size".into(), NodeOption::Text("10".into())),
            ("--no-warnings".into(), NodeOption::Flag(true)),
        ]
    );
}

#[test]
fn commands_and_filters() {
    assert!(matches!(bao(&["install", "--x"]).request, Request::Command { command, .. } if command.name == "install"));
    assert!(matches!(bao(&["i"]).request, Request::Command { command, .. } if command.name == "install"));
    assert_eq!(bao(&["--filter", "a", "build"]).request, target(false, "build", &[]));
    assert_eq!(bao(&["-F", "a", "run", "build"]).request, target(true, "build", &[]));
    assert!(matches!(bao(&["-F", "a", "add", "x"]).request, Request::Command { command, .. } if command.name == "add"));
    let scripts = |names: &[&str], args: &[&str]| Request::Scripts { names: words(names), args: words(args) };
    assert_eq!(bao(&["run", "--parallel", "a", "build", "--silent"]).request, scripts(&["a", "build"], &[]));
    assert_eq!(bao(&["run", "--sequential", "a", "--", "b", "-c"]).request, scripts(&["a"], &["b", "-c"]));
    assert!(fails(&["run", "--parallel"]).message.contains("requires"));
}

#[test]
fn help_and_version() {
    assert_eq!(bao(&["--help"]).request, Request::Help(None));
    assert_eq!(bao(&["run", "-h"]).request, Request::Help(Some(commands::get("run"))));
    // The package manager has pages of its own.
    let page = |name| Request::Command { command: commands::get(name), args: words(&["--help"]) };
    assert_eq!(bao(&["install", "--help"]).request, page("install"));
    assert_eq!(bao(&["help", "add"]).request, page("add"));
    assert!(
        matches!(bao(&["upgrade", "--help"]).request, Request::Command { command, .. } if command.name == "upgrade")
    );
    assert_eq!(bao(&["-v"]).request, Request::Version);
    assert_eq!(bao(&["--revision"]).request, Request::Revision);
    assert_eq!(bao(&["x.js", "--help"]).request, target(false, "x.js", &["--help"]));
}

#[test]
fn switches_of_node_with_a_value() {
    let option = |words: &[&str]| bao(words).options.program.node_options;
    assert_eq!(option(&["--trace-warnings=true", "x.js"]), option(&["--trace-warnings", "x.js"]));
    assert_eq!(option(&["--trace-warnings", "x.js"]).len(), 1);
}

#[test]
fn mistakes() {
    let e = fails(&["--wacth", "x.js"]);
    assert_eq!((e.message.as_str(), e.hints[0].as_str()), ("unknown option \"--wacth\"", "did you mean \"--watch\"?"));
    assert_eq!(fails(&["-e"]).message, "option \"-e\" needs a value");
    assert_eq!(fails(&["--preload", "--smol", "x.js"]).message, "option \"--preload\" needs a value");
    assert_eq!(fails(&["--smol=1", "x.js"]).message, "option \"--smol\" takes no value");
    assert_eq!(fails(&["--expose-gc=1", "x.js"]).message, "option \"--expose-gc\" takes no value");
    assert!(fails(&["--heap-prof-md", "x.js"]).message.contains("not implemented yet"));
    assert_eq!(fails(&["--heap-prof-name", "n", "x.js"]).message, "--heap-prof-name must be used with --heap-prof");
    assert_eq!(fails(&["--cpu-prof-dir", "d", "x.js"]).message, "--cpu-prof-dir must be used with --cpu-prof");
    assert!(fails(&["--port", "1"]).message.contains("not implemented yet"));
    assert!(fails(&["--unhandled-rejections=x", "x.js"]).message.contains("Must be one of"));
    assert!(fails(&["--define", "x", "x.js"]).message.contains("missing"));
    assert!(fails(&["--loader", ".x:foo", "x.js"]).message.contains("invalid loader"));
    assert!(fails(&["--console-depth=x", "x.js"]).message.contains("whole number"));
}

#[test]
fn check_is_for_files() {
    assert_eq!(bao(&["--check", "x.js"]).request, target(false, "x.js", &[]));
    assert_eq!(bao(&["run", "--check", "x.js"]).request, target(true, "x.js", &[]));
    assert_eq!(bao(&["--check", "-"]).request, Request::Stdin { args: Vec::new() });
    for words in [
        &["--check", "test"][..],
        &["--check", "build", "x.js"],
        &["--check", "repl"],
        &["--check", "exec", "true"],
        &["--check", "install"],
        &["--check", "run"],
        &["--check", "-i"],
        &["run", "--check", "--parallel", "a"],
    ] {
        assert!(fails(words).message.contains("\"--check\" is not implemented yet"), "{words:?}");
    }
    // Behind the command.
    let behind = |list: &[&str]| {
        let mut own = |_: &str, _: &mut std::iter::Peekable<std::vec::IntoIter<String>>| Ok(false);
        parse_command(Persona::Bao, Options::default(), Vec::new(), words(list), &mut own, &mut Vec::new())
    };
    assert!(behind(&["--smol", "x"]).is_ok());
    assert!(behind(&["--check", "x"]).is_err_and(|error| error.message.contains("\"--check\" is not implemented yet")));
    // `bao build` has its own.
    assert!(matches!(bao(&["build", "--check"]).request, Request::Command { args, .. } if args == ["--check"]));
}

#[test]
fn as_node() {
    let node = |list: &[&str]| parse(Persona::Node, words(list), Some("--smol"));
    let inspect = node(&["inspect", "a.js", "--help"]).unwrap().request;
    assert_eq!(inspect, Request::Command { command: commands::get("inspect"), args: words(&["a.js", "--help"]) });
    assert_eq!(node(&["run", "x"]).map(|i| i.request), Ok(target(false, "run", &["x"])));
    assert_eq!(node(&["x.js", "--", "a"]).map(|i| i.request), Ok(target(false, "x.js", &["--", "a"])));
    assert_eq!(node(&["--run", "build", "--", "a"]).map(|i| i.request), Ok(target(true, "build", &["a"])));
    assert_eq!(node(&["--nope"]).map_err(|e| (e.message, e.code)), Err(("bad option: --nope".into(), 9)));
    assert!(node(&["x.js"]).is_ok_and(|i| !i.options.program.smol));
}

#[test]
fn from_environment() {
    let i = parse(Persona::Bao, words(&["x.js"]), Some("--smol --define 'a:\"b c\"'")).expect("good");
    assert!(i.options.program.smol);
    assert_eq!(i.options.program.define, [("a".into(), "\"b c\"".into())]);
    let text =
        "--no-warnings --max-semi-space-size=5 --require ./hook.js --stack-trace-limit=5 --inspect --conditions x";
    let mut options = bao(&["--stack-trace-limit=7", "x.js"]).options;
    add_node_options(Persona::Bao, &mut options, text);
    assert_eq!(
        options.program.node_options,
        [
            ("--stack-trace-limit".into(), NodeOption::Text("7".into())),
            ("--no-warnings".into(), NodeOption::Flag(true)),
            ("--inspect".into(), NodeOption::Flag(true)),
        ]
    );
    assert_eq!(options.program.preload, Vec::<String>::new());
    assert_eq!(options.program.conditions, ["x"]);
    let program = RunOptions { preload: words(&["./own.js"]), ..RunOptions::default() };
    let mut options = Options { program, ..Options::default() };
    add_node_options(Persona::Node, &mut options, text);
    assert_eq!(options.program.preload, ["./hook.js", "./own.js"]);
}

#[test]
fn an_alias_is_the_option_it_stands_for() {
    let named = [("--report-dir".to_string(), NodeOption::Text("b".into()))];
    let i = bao(&["--report-dir=a", "--report-directory", "b", "x.js"]);
    assert_eq!(i.options.program.node_options, named);
    assert_eq!(i.exec_argv, ["--report-dir=a", "--report-directory", "b"]);
    let mut options = bao(&["x.js"]).options;
    add_node_options(Persona::Bao, &mut options, "--report-directory=b");
    assert_eq!(options.program.node_options, named);
}

#[test]
fn word_splitting() {
    assert_eq!(split_words(r#"  a  "b c" 'd "e' f\g "h\"i" """#), ["a", "b c", "d \"e", "f\\g", "h\"i", ""]);
}

#[test]
fn personas() {
    assert_eq!(Persona::of("/tmp/x/node"), Persona::Node);
    assert_eq!(Persona::of("bunx"), Persona::Baox);
    assert_eq!(Persona::of("bun"), Persona::Bao);
}
