//! From words to an `Invocation`, in one pass.

use bunfig::{AutoInstall, LOADERS};
use run_options::{JsxMode, NodeOption, RunOptions};

use crate::commands::{self, Command, Kind};
use crate::flags::{self, Effect, Flag, Id, Takes};
use crate::output::{Failure, Outcome};
use text::suggest;

/// The name by which the executable was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persona {
    /// `bao`, `bun`, and any other name.
    Bao,
    /// `node`: files only, no `.env` files, Node's messages if they differ.
    Node,
    /// `baox`, `bunx`, and `npx` in programs whose packages are in archives: the command `x`.
    Baox,
}

impl Persona {
    /// From the name the executable was called by.
    pub fn of(argv0: &str) -> Persona {
        match argv0.rsplit('/').next().unwrap_or(argv0) {
            "node" => Persona::Node,
            "baox" | "bunx" | "npx" => Persona::Baox,
            _ => Persona::Bao,
        }
    }
}

/// The options before the script.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub silent: bool,
    pub if_present: bool,
    pub filters: Vec<String>,
    pub workspaces: bool,
    pub parallel: bool,
    pub sequential: bool,
    pub no_exit_on_error: bool,
    /// `--shell`: whether scripts run in Bun's shell.
    pub bun_shell: Option<bool>,
    pub elide_lines: Option<usize>,
    pub bun: bool,
    pub cwd: Option<String>,
    /// `Some(None)`: `--config` without a file.
    pub config: Option<Option<String>>,
    /// Files of `--env-file`; `true` if a missing file is not an error (`--env-file-if-exists`).
    pub env_files: Vec<(String, bool)>,
    pub no_env_file: bool,
    pub no_orphans: bool,
    pub watch: bool,
    pub hot: bool,
    pub watch_kill_signal: Option<String>,
    /// `--cron-title` and `--cron-period`: the program is a job, whose `scheduled()` is called.
    pub cron_title: Option<String>,
    pub cron_period: Option<String>,
    pub no_clear_screen: bool,
    /// What a program gets.
    pub program: RunOptions,
}

impl Options {
    /// Whether scripts of several packages, or several scripts, are asked for.
    pub fn is_several(&self) -> bool {
        self.parallel || self.sequential || self.across()
    }

    /// Whether workspace packages are asked for.
    pub fn across(&self) -> bool {
        self.workspaces || !self.filters.is_empty()
    }
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// Nothing was named.
    Nothing,
    Help(Option<&'static Command>),
    Version,
    Revision,
    /// `bao TARGET`, or `bao run TARGET` (`run`).
    Target {
        run: bool,
        target: String,
        args: Vec<String>,
    },
    /// `bao run` alone.
    List,
    /// `--parallel` and `--sequential`: scripts, and the arguments after `--` for each of them.
    Scripts {
        names: Vec<String>,
        args: Vec<String>,
    },
    Stdin {
        args: Vec<String>,
    },
    Eval {
        text: String,
        print: bool,
        args: Vec<String>,
    },
    /// `--interactive`; `eval` is text to run first, and whether its value is printed.
    Interactive {
        eval: Option<(String, bool)>,
        args: Vec<String>,
    },
    /// `--test`: patterns of the files.
    NodeTest {
        patterns: Vec<String>,
    },
    Command {
        command: &'static Command,
        args: Vec<String>,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub struct Invocation {
    pub options: Options,
    /// The options as written, for `process.execArgv`.
    pub exec_argv: Vec<String>,
    pub request: Request,
}

struct Parser {
    words: std::iter::Peekable<std::vec::IntoIter<String>>,
    options: Options,
    exec_argv: Vec<String>,
    persona: Persona,
    help: bool,
    version: Option<Id>,
    eval: Option<(String, bool)>,
    interactive: bool,
    /// `-i` was given, and does not ask for a REPL.
    missing: bool,
    node_run: Option<String>,
    node_test: bool,
    run: bool,
}

/// Reads the words after the executable's name. `bun_options` is the variable `BUN_OPTIONS`, whose words go first.
pub fn parse(persona: Persona, words: Vec<String>, bun_options: Option<&str>) -> Outcome<Invocation> {
    if persona == Persona::Baox {
        let request = Request::Command { command: commands::get("x"), args: words };
        return Ok(Invocation { options: Options::default(), exec_argv: Vec::new(), request });
    }
    let words = match bun_options {
        Some(text) if persona == Persona::Bao => {
            let mut all = split_words(text);
            all.extend(words);
            all
        }
        _ => words,
    };
    let mut parser = Parser {
        words: words.into_iter().peekable(),
        options: Options::default(),
        exec_argv: Vec::new(),
        persona,
        help: false,
        version: None,
        eval: None,
        interactive: false,
        missing: false,
        node_run: None,
        node_test: false,
        run: false,
    };
    let request = parser.request()?;
    match &request {
        Request::Command { command, .. } => refuse_check(&parser.options, &format!("`bao {}`", command.name))?,
        Request::List | Request::Scripts { .. } => refuse_check(&parser.options, "scripts")?,
        Request::Interactive { .. } => refuse_check(&parser.options, "--interactive")?,
        _ => {}
    }
    refuse_profile_parts(&parser.options)?;
    refuse_no_version(&parser.options)?;
    Ok(Invocation { options: parser.options, exec_argv: parser.exec_argv, request })
}

/// Refuses what says how a profile is written where none is asked for, here or by `NODE_OPTIONS`.
fn refuse_profile_parts(options: &Options) -> Outcome<()> {
    refuse_parts(
        options,
        &["--cpu-prof", "--cpu-prof-md"],
        &["--cpu-prof-name", "--cpu-prof-dir", "--cpu-prof-interval"],
    )?;
    refuse_parts(options, &["--heap-prof"], &["--heap-prof-name", "--heap-prof-dir", "--heap-prof-interval"])
}

/// Refuses options that say how something is done which none of `wholes` asks for.
fn refuse_parts(options: &Options, wholes: &[&str], parts: &[&str]) -> Outcome<()> {
    let given = |name: &&&str| options.program.node_option(name).is_some();
    let Some(part) = parts.iter().find(given) else { return Ok(()) };
    if wholes.iter().any(|whole| given(&whole))
        || std::env::var("NODE_OPTIONS")
            .is_ok_and(|text| text.split_ascii_whitespace().any(|word| wholes.contains(&word)))
    {
        return Ok(());
    }
    Err(Failure::new(format!("{part} must be used with {}", wholes[0])).code(9))
}

/// Refuses bounds between which there is no version of TLS.
fn refuse_no_version(options: &Options) -> Outcome<()> {
    let [min, max] = ["--tls-min-v1.3", "--tls-max-v1.2"];
    match options.program.node_option(min).and(options.program.node_option(max)) {
        Some(_) => Err(Failure::new(format!("either {min} or {max} can be used, not both")).code(9)),
        None => Ok(()),
    }
}

/// Reads the words after a command that takes bao's options among its own. `own` takes an option of the command (`false`: the
/// word is not one), `rest` the words that are not options.
pub fn parse_command(
    persona: Persona,
    options: Options,
    exec_argv: Vec<String>,
    words: Vec<String>,
    own: &mut dyn FnMut(&str, &mut std::iter::Peekable<std::vec::IntoIter<String>>) -> Outcome<bool>,
    rest: &mut Vec<String>,
) -> Outcome<(Options, Vec<String>)> {
    let mut parser = Parser {
        words: words.into_iter().peekable(),
        options,
        exec_argv,
        persona,
        help: false,
        version: None,
        eval: None,
        interactive: false,
        missing: false,
        node_run: None,
        node_test: false,
        run: false,
    };
    while let Some(word) = parser.words.next() {
        if word == "--" {
            rest.extend(parser.words.by_ref());
        } else if word.len() < 2 || !word.starts_with('-') {
            rest.push(word);
        } else if !own(&word, &mut parser.words)? {
            parser.option(word)?;
        }
    }
    refuse_check(&parser.options, "this command")?;
    Ok((parser.options, parser.exec_argv))
}

/// Refuses `--check` where no file is run: what it is given with would do nothing, or run all the same. `what` is that.
///
/// # Errors
/// If the options have `--check`.
pub(crate) fn refuse_check(options: &Options, what: &str) -> Outcome<()> {
    if options.program.node_option("--check").is_none() {
        return Ok(());
    }
    Err(Failure::new(format!("option \"--check\" is not implemented yet for {what}"))
        .hint("it looks at the syntax of a file: bao --check FILE"))
}

impl Parser {
    fn request(&mut self) -> Outcome<Request> {
        let mut names = Vec::new();
        let mut first = None;
        while let Some(word) = self.words.next() {
            if word == "--" {
                if self.eval.is_none() && first.is_none() && names.is_empty() {
                    first = self.words.next();
                }
                break;
            }
            if word.len() > 1 && word.starts_with('-') {
                self.option(word)?;
                continue;
            }
            if self.eval.is_some() || self.node_run.is_some() {
                first = Some(word);
                break;
            }
            if !self.run
                && names.is_empty()
                && (self.persona == Persona::Bao || (self.persona == Persona::Node && word == "inspect"))
                && !self.node_test
                && let Some(command) = commands::find(&word)
                && (!self.options.is_several() || command.filters)
            {
                if command.kind == Kind::Run {
                    self.run = true;
                    continue;
                }
                return Ok(self.command(command));
            }
            if (self.options.parallel || self.options.sequential) && word != "-" {
                names.push(word);
                continue;
            }
            first = Some(word);
            break;
        }
        let mut args: Vec<String> = self.words.by_ref().collect();
        match self.version {
            _ if self.help => return Ok(Request::Help(self.run.then(|| commands::get("run")))),
            Some(Id::Revision) => return Ok(Request::Revision),
            Some(_) => return Ok(Request::Version),
            None => {}
        }
        if self.node_test {
            let other = match &self.eval {
                Some((_, true)) => Some("--print"),
                Some(_) => Some("--eval"),
                None if self.interactive => Some("--interactive"),
                None => self.options.program.node_option("--check").map(|_| "--check"),
            };
            if let Some(other) = other {
                return Err(Failure::new(format!("either --test or {other} can be used, not both")).code(9));
            }
            if let Some(first) = first {
                args.insert(0, first);
            }
            return Ok(Request::NodeTest { patterns: args });
        }
        if self.eval.is_some() || (self.interactive && first.is_none()) {
            if let Some(first) = first {
                args.insert(0, first);
            }
            return Ok(match self.eval.take() {
                Some((text, print)) if !self.interactive => Request::Eval { text, print, args },
                eval => Request::Interactive { eval, args },
            });
        }
        if let Some(target) = self.node_run.take() {
            if let Some(first) = first {
                args.insert(0, first);
            }
            return Ok(Request::Target { run: true, target, args });
        }
        if self.options.parallel || self.options.sequential {
            if self.options.parallel && self.options.sequential {
                return Err(Failure::new("--parallel and --sequential cannot be used together"));
            }
            if let Some(first) = first {
                args.insert(0, first);
            }
            if names.is_empty() {
                return Err(Failure::new("--parallel/--sequential requires at least one script name")
                    .hint("try: bao run --parallel \"build:*\" lint"));
            }
            return Ok(Request::Scripts { names, args });
        }
        let Some(target) = first else {
            return Ok(match self.run {
                true => Request::List,
                // With nothing that could import anything it means what it does in Node.
                false if self.missing => Request::Interactive { eval: None, args },
                false => Request::Nothing,
            });
        };
        if target == "-" {
            return Ok(Request::Stdin { args });
        }
        // `bao run build -- --flag` and `bao file.js -- a`: the mark ends bao's options and is no argument.
        if self.persona == Persona::Bao && args.first().is_some_and(|arg| arg == "--") {
            args.remove(0);
        }
        Ok(Request::Target { run: self.run, target, args })
    }

    fn command(&mut self, command: &'static Command) -> Request {
        let mut args: Vec<String> = self.words.by_ref().collect();
        // The package manager has pages of its own.
        let paged =
            |command: &Command| matches!(command.kind, Kind::Packages | Kind::Starter | Kind::Build | Kind::Cron);
        let is_help = |arg: &String| arg == "--help" || arg == "-h";
        let asks_help = match command.kind {
            // What follows the file is the program's.
            Kind::Inspect => args.first().is_some_and(is_help),
            _ => args.iter().take_while(|arg| *arg != "--").any(is_help),
        };
        if command.kind == Kind::Help {
            return match args.first().and_then(|name| commands::find(name)) {
                Some(command) if paged(command) => Request::Command { command, args: vec!["--help".to_owned()] },
                other => Request::Help(other),
            };
        }
        if paged(command) {
            if self.help {
                args.insert(0, "--help".to_owned());
            }
            return Request::Command { command, args };
        }
        if self.help || (asks_help && command.kind != Kind::Tool) {
            return Request::Help(Some(command));
        }
        Request::Command { command, args }
    }

    fn option(&mut self, word: String) -> Outcome<()> {
        if word.starts_with("--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (word.as_str(), None),
            };
            let Some(flag) = flags::long(name) else { return Err(self.unknown(name)) };
            self.exec_argv.push(word.clone());
            return self.flag(flag, name, value);
        }
        // `-pe CODE`, Node's way to write -p with -e.
        if word == "-pe" {
            let flag = flags::letter('p').expect("in the table");
            self.exec_argv.push(word.clone());
            return self.flag(flag, &word, None);
        }
        let letters = &word[1..];
        self.exec_argv.push(word.clone());
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let rest = &letters[at + letter.len_utf8()..];
            // In Bun `-i` installs what is missing, in Node it asks for a REPL.
            if letter == 'i' {
                match self.persona {
                    Persona::Node => self.interactive = true,
                    _ => {
                        self.missing = true;
                        install(&mut self.options, AutoInstall::Fallback);
                    }
                }
                continue;
            }
            let Some(flag) = flags::letter(letter) else { return Err(self.unknown(&word)) };
            // In Node -c checks the syntax.
            let flag = match (self.persona, letter) {
                (Persona::Node, 'c') => flags::long("--check").expect("in the table"),
                _ => flag,
            };
            if flag.takes != Takes::Nothing && !rest.is_empty() {
                let value = rest.strip_prefix('=').unwrap_or(rest).to_string();
                return self.flag(flag, &name, Some(value));
            }
            if rest.starts_with('=') {
                return Err(Failure::new(format!("option \"{name}\" takes no value")));
            }
            self.flag(flag, &name, None)?;
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Failure {
        if name == "--debug" || name == "--debug-brk" {
            // Word for word, as Node says it.
            let words = "[DEP0062]: `node --debug` and `node --debug-brk` are invalid. Please use `node --inspect` and \
                         `node --inspect-brk` instead.";
            return Failure::new(words).code(9);
        }
        let failure = if self.persona == Persona::Node {
            Failure::new(format!("bad option: {name}")).code(9)
        } else {
            Failure::new(format!("unknown option \"{name}\""))
        };
        let shown = flags::FLAGS.iter().filter(|flag| flag.effect != Effect::Planned).map(|flag| flag.long);
        match suggest::nearest(name, shown) {
            Some(known) => failure.hint(format!("did you mean \"{known}\"?")),
            None => failure.hint("options of the program go after its name; `bao run --help` lists those of bao"),
        }
    }

    /// One option. `name` is how it was written.
    fn flag(&mut self, flag: &'static Flag, name: &str, value: Option<String>) -> Outcome<()> {
        if flag.effect == Effect::Planned {
            return Err(Failure::new(format!("option \"{name}\" is not implemented yet")));
        }
        // Node takes `--trace-warnings=true` for a switch of its own, and looks at no more than the name; V8 refuses a value.
        let is_nodes = matches!(flag.effect, Effect::Node | Effect::NodeAlias(_)) && flag.long != "--expose-gc";
        let value = match (flag.takes, value.filter(|_| flag.takes != Takes::Nothing || !is_nodes)) {
            (Takes::Nothing, Some(_)) => {
                return Err(Failure::new(format!("option \"{name}\" takes no value")));
            }
            (Takes::Nothing | Takes::Optional(_), None) => {
                // `-c bunfig.toml`: a file of that kind cannot be the program.
                if flag.effect == Effect::Own(Id::Config)
                    && let Some(file) = self.words.next_if(|word| word.ends_with(".toml"))
                {
                    self.exec_argv.push(file.clone());
                    Some(file)
                } else {
                    None
                }
            }
            (Takes::Value(what), None) => {
                let word = self.words.next_if(|word| flags::long(word).is_none());
                let Some(word) = word else {
                    return Err(Failure::new(format!("option \"{name}\" needs a value"))
                        .hint(format!("write {name} {what}"))
                        .code(if self.persona == Persona::Node { 9 } else { 1 }));
                };
                self.exec_argv.push(word.clone());
                Some(word)
            }
            (_, value) => value,
        };
        match flag.effect {
            Effect::Own(id) => return self.own(id, name, value),
            Effect::Node | Effect::NodeAlias(_) => {
                let name = if let Effect::NodeAlias(of) = flag.effect { of } else { flag.long };
                let value = value.map_or(NodeOption::Flag(true), NodeOption::Text);
                self.options.program.set_node_option(name, value);
            }
            Effect::NodeNumber => {
                let value = value.unwrap_or_default();
                number(name, &value)?;
                self.options.program.set_node_option(flag.long, NodeOption::Text(value));
            }
            Effect::NodeList => push(&mut self.options.program.node_options, flag.long, value.unwrap_or_default()),
            Effect::Always | Effect::Planned => {}
        }
        Ok(())
    }

    fn own(&mut self, id: Id, name: &str, value: Option<String>) -> Outcome<()> {
        let options = &mut self.options;
        let optional = value.clone();
        let value = value.unwrap_or_default();
        match id {
            Id::Help => self.help = true,
            Id::Version | Id::Revision => self.version = Some(id),
            Id::Silent => options.silent = true,
            Id::IfPresent => options.if_present = true,
            Id::Filter => options.filters.push(value),
            Id::Workspaces => options.workspaces = true,
            Id::Parallel => options.parallel = true,
            Id::Sequential => options.sequential = true,
            Id::NoExitOnError => options.no_exit_on_error = true,
            Id::ElideLines => options.elide_lines = Some(number(name, &value)? as usize),
            Id::Bun => options.bun = true,
            Id::Shell => options.bun_shell = Some(shell(&value)?),
            Id::Cwd => options.cwd = Some(value),
            Id::Config => options.config = Some(optional),
            Id::EnvFile | Id::EnvFileIfExists => {
                let quiet = id == Id::EnvFileIfExists;
                // A list in one value, as in Bun; Node takes the value as it is.
                match self.persona {
                    Persona::Node => options.env_files.push((value, quiet)),
                    _ => {
                        let files = value.split(',').filter(|file| !file.is_empty());
                        options.env_files.extend(files.map(|file| (file.to_string(), quiet)));
                    }
                }
                // Even an empty list replaces the automatic files.
                options.no_env_file = true;
            }
            Id::NoEnvFile => options.no_env_file = true,
            Id::NoOrphans => options.no_orphans = true,
            Id::Watch => options.watch = true,
            Id::Hot => options.hot = true,
            Id::CronTitle => options.cron_title = Some(value),
            Id::CronPeriod => options.cron_period = Some(value),
            Id::WatchKillSignal => options.watch_kill_signal = Some(value),
            Id::NoClearScreen => options.no_clear_screen = true,
            Id::Preload => options.program.preload.push(value),
            Id::Import => options.program.imports.push(value),
            Id::Eval => self.eval = Some((value, self.eval.as_ref().is_some_and(|(_, print)| *print))),
            Id::Print => self.eval = Some((value, true)),
            Id::Interactive => self.interactive = true,
            Id::Install => install(options, auto_install(name, &value)?),
            Id::NoInstall => install(options, AutoInstall::Disable),
            Id::Smol => options.program.smol = true,
            Id::Define => options.program.define.push(pair(name, &value)?),
            Id::Conditions => options.program.conditions.extend(value.split(',').map(str::to_string)),
            // Node's `--loader` is another name of --experimental-loader; Bun's begins with an extension.
            Id::Loader if is_specifier(&value) => {
                push(&mut options.program.node_options, "--experimental-loader", value);
            }
            Id::Loader => options.program.loaders.push(loader(&value)?),
            Id::TsconfigOverride => options.program.tsconfig = Some(value),
            Id::ConsoleDepth => {
                let depth = number(name, &value)?;
                options.program.set_node_option("--console-depth", NodeOption::Text(depth.to_string()));
            }
            Id::PreserveSymlinks => options.program.preserve_symlinks = true,
            Id::PreserveSymlinksMain => options.program.preserve_symlinks_main = true,
            Id::UnhandledRejections => {
                const MODES: [&str; 5] = ["strict", "throw", "warn", "none", "warn-with-error-code"];
                if !MODES.contains(&value.as_str()) {
                    let list = MODES.map(|mode| format!("\"{mode}\"")).join(", ");
                    return Err(Failure::new(format!(
                        "Invalid value for --unhandled-rejections: \"{value}\". Must be one of {list}"
                    )));
                }
                options.program.set_node_option("--unhandled-rejections", NodeOption::Text(value));
            }
            Id::StackSize => options.program.stack_size = Some(number(name, &value)? as usize * 1024),
            Id::Drop => options.program.drop.push(value),
            Id::JsxFactory => options.program.jsx.factory = Some(value),
            Id::JsxFragment => options.program.jsx.fragment = Some(value),
            Id::JsxImportSource => options.program.jsx.import_source = Some(value),
            Id::JsxRuntime => match value.as_str() {
                "automatic" => options.program.jsx.mode = Some(JsxMode::Automatic),
                "classic" => options.program.jsx.mode = Some(JsxMode::Classic),
                _ => {
                    return Err(Failure::new(format!(
                        "Invalid value for --jsx-runtime: \"{value}\". Must be \"automatic\" or \"classic\""
                    )));
                }
            },
            Id::NodeRun => self.node_run = Some(value),
            Id::NodeTest => self.node_test = true,
            Id::Check => options.program.set_node_option("--check", NodeOption::Flag(true)),
        }
        Ok(())
    }
}

/// What `value` means, which `source` has: an option or a variable.
pub(crate) fn auto_install(source: &str, value: &str) -> Outcome<AutoInstall> {
    AutoInstall::of(value).ok_or_else(|| {
        Failure::new(format!(
            "Invalid value for {source}: \"{value}\". Must be either \"auto\", \"fallback\", \"force\", or \"disable\""
        ))
    })
}

fn install(options: &mut Options, mode: AutoInstall) {
    options.program.set_node_option("--install", NodeOption::Text(mode.name().to_owned()));
}

fn push(options: &mut Vec<(String, NodeOption)>, name: &str, value: String) {
    match options.iter_mut().find(|(known, _)| known == name) {
        Some((_, NodeOption::List(list))) => list.push(value),
        _ => options.push((name.to_string(), NodeOption::List(vec![value]))),
    }
}

fn number(name: &str, value: &str) -> Outcome<u32> {
    value.parse().map_err(|_| {
        Failure::new(format!("Invalid value for {name}: \"{value}\". Must be a whole number of at least 0"))
    })
}

/// Whether scripts run in Bun's shell.
fn shell(value: &str) -> Outcome<bool> {
    match value {
        "system" => Ok(false),
        "bun" => Ok(true),
        _ => Err(Failure::new(format!("Expected --shell to be one of 'bun' or 'system'. Received: \"{value}\""))),
    }
}

/// `KEY=VALUE` or `KEY:VALUE`, whichever mark comes first.
fn pair(name: &str, value: &str) -> Outcome<(String, String)> {
    match value.find([':', '=']) {
        Some(at) if at > 0 => Ok((value[..at].to_string(), value[at + 1..].to_string())),
        _ => Err(Failure::new(format!("{name} \"{value}\" is missing a \":\" or \"=\" after a name"))
            .hint("try: --define process.env.NODE_ENV='\"production\"'")),
    }
}

/// Whether the value of `--loader` names a module, as in Node, and not `.EXT:NAME`.
fn is_specifier(value: &str) -> bool {
    !value.starts_with('.') || value.starts_with("./") || value.starts_with("../")
}

fn loader(value: &str) -> Outcome<(String, String)> {
    let Some((extension, name)) = value.split_once([':', '=']) else {
        return Err(Failure::new(format!("--loader \"{value}\" is missing a \":\"")).hint("try: --loader .svg:text"));
    };
    if !LOADERS.contains(&name) {
        return Err(
            Failure::new(format!("invalid loader \"{name}\"")).hint(format!("loaders are {}", LOADERS.join(", ")))
        );
    }
    if !extension.starts_with('.') {
        return Err(Failure::new(format!("--loader: \"{extension}\" is not an extension; it starts with a dot")));
    }
    Ok((extension.to_string(), name.to_string()))
}

/// Splits the text of `BUN_OPTIONS` or `NODE_OPTIONS`: words at spaces, `"` and `'` group, `\` escapes within `"`.
pub fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut started = false;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => word.extend(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                started = true;
            }
            (None, c) if c.is_whitespace() => {
                if started {
                    words.push(std::mem::take(&mut word));
                    started = false;
                }
            }
            (None, c) => {
                word.push(c);
                started = true;
            }
        }
    }
    if started {
        words.push(word);
    }
    words
}

/// Adds what `NODE_OPTIONS` says and bao can do; what only concerns V8 has no meaning here and is passed over. Modules
/// to preload are taken only as `node`: Bun leaves them alone, and debuggers put theirs there for every process.
/// The command line wins.
pub fn add_node_options(persona: Persona, options: &mut Options, text: &str) {
    let mut words = Vec::new();
    let mut all = split_words(text).into_iter().peekable();
    while let Some(word) = all.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (word, None),
        };
        let flag = match name.as_str() {
            "-r" => flags::long("--require"),
            "-C" => flags::long("--conditions"),
            name => flags::long(name),
        };
        let Some(flag) = flag else { continue };
        let wanted = match flag.effect {
            Effect::Node | Effect::NodeAlias(_) | Effect::NodeList | Effect::NodeNumber => true,
            Effect::Own(Id::Preload | Id::Import) => persona == Persona::Node,
            Effect::Own(
                Id::Conditions
                | Id::PreserveSymlinks
                | Id::PreserveSymlinksMain
                | Id::UnhandledRejections
                | Id::StackSize,
            ) => true,
            _ => false,
        };
        let value = match flag.takes {
            Takes::Value(_) => value.or_else(|| all.next_if(|word| !word.starts_with('-'))),
            _ => value,
        };
        if wanted {
            words.push(match value {
                Some(value) => format!("{}={value}", flag.long),
                None => flag.long.to_string(),
            });
        }
    }
    // A value that makes no sense here must not stop every program started in this environment.
    let Ok(Invocation { options: mut from_env, .. }) = parse(Persona::Node, words, None) else { return };
    for (name, value) in from_env.program.node_options {
        match (options.program.node_options.iter_mut().find(|(known, _)| *known == name), value) {
            (None, value) => options.program.node_options.push((name, value)),
            (Some((_, NodeOption::List(list))), NodeOption::List(more)) => list.extend(more),
            _ => {}
        }
    }
    from_env.program.preload.append(&mut options.program.preload);
    options.program.preload = from_env.program.preload;
    from_env.program.imports.append(&mut options.program.imports);
    options.program.imports = from_env.program.imports;
    options.program.conditions.append(&mut from_env.program.conditions);
    options.program.preserve_symlinks |= from_env.program.preserve_symlinks;
    options.program.preserve_symlinks_main |= from_env.program.preserve_symlinks_main;
    options.program.stack_size = options.program.stack_size.or(from_env.program.stack_size);
}

#[cfg(test)]
mod tests;
