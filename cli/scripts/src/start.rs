//! What a call of bao comes to: everything but JavaScript is done here, JavaScript becomes a program and its options.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::descendants;
use bunfig::{AutoInstall, Bunfig, Tables};
use run_options::{NodeOption, Program, RunOptions};

use crate::args::{self, Invocation, Options, Persona, Request};
use crate::commands::{self, Command, Kind};
use crate::environment::Session;
use crate::manifest::{self, Found, Manifest};
use crate::output::{self, Failure, Outcome};
use crate::test_command::{self, TestOptions};
use crate::{completions, find, help, listing, script, signals, tools, watch};
use text::suggest;

mod script_selection;
mod target;

use target::Target;

/// The names and versions by which bao presents itself.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    pub version: &'static str,
    pub revision: &'static str,
    /// The versions whose interfaces it has.
    pub bun_version: &'static str,
    pub node_version: &'static str,
}

/// The name and the version in what commands print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    pub name: &'static str,
    /// As `v0.1.0`; Bun's has the revision behind it, as `Bun.version_with_sha`.
    pub version: String,
}

impl Identity {
    /// As what commands present themselves if the executable was called as `argv0`. Called `bun` they say Bun's name and version:
    /// programs that call `bun install` or `bun --version` compare what they get with the versions of Bun that they work with.
    pub fn product(&self, argv0: &str) -> Product {
        if is_bun(argv0) {
            let revision = self.revision.get(..9).unwrap_or(self.revision);
            return Product { name: "bun", version: format!("v{} ({revision})", self.bun_version) };
        }
        Product { name: "bao", version: format!("v{}", self.version) }
    }

    /// `npm_config_user_agent`: packages read their installer's name off its start.
    pub fn user_agent(&self) -> String {
        let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
        let arch = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        format!("bao/{} bun/{} npm/? node/v{} {os} {arch}", self.version, self.bun_version, self.node_version)
    }
}

/// The outcome.
#[derive(Debug)]
pub enum Start {
    /// All is done; the exit code.
    Exit(i32),
    /// A JavaScript program, for the runtime.
    Program(Program, Box<RunOptions>),
    /// A command of the package manager: its name and the words after it.
    Packages(Vec<String>),
}

/// Does what the command line asks for. Mistakes are reported here. To be called before any thread is started: it sets
/// environment variables.
pub fn start(identity: &Identity, argv: Vec<String>) -> Start {
    match called(identity, argv) {
        Ok(start) => start,
        Err(failure) => Start::Exit(failure.report()),
    }
}

fn called(identity: &Identity, argv: Vec<String>) -> Outcome<Start> {
    // An executable with a program in it is bao all the same if it is asked to be, as in Bun.
    if std::env::var_os("BUN_BE_BUN").is_none_or(|value| value != "1")
        && let Some(program) = standalone::activate().map_err(Failure::new)?
    {
        return Call::of_executable(identity, argv, program)?.run_executable(program);
    }
    Call::new(identity, argv)?.start()
}

/// One call of bao.
struct Call<'a> {
    identity: &'a Identity,
    argv0: String,
    persona: Persona,
    options: Options,
    exec_argv: Vec<String>,
    request: Request,
    bunfig: Bunfig,
    /// Whether bunfig.toml has been read.
    configured: bool,
    watch_fd: Option<i32>,
    /// Where bao was called, if `--cwd` has left it.
    origin: Option<PathBuf>,
    /// The words of the command line, which all belong to the program, if that is a part of the executable.
    own_words: Option<Vec<String>>,
}

impl<'a> Call<'a> {
    fn new(identity: &'a Identity, argv: Vec<String>) -> Outcome<Call<'a>> {
        let mut words = argv.into_iter();
        let argv0 = words.next().unwrap_or_else(|| "bao".into());
        let persona = Persona::of(&argv0);
        let bun_options = std::env::var("BUN_OPTIONS").ok();
        let Invocation { options, exec_argv, request } = args::parse(persona, words.collect(), bun_options.as_deref())?;
        Ok(Call {
            identity,
            argv0,
            persona,
            options,
            exec_argv,
            request,
            bunfig: Bunfig::default(),
            configured: false,
            watch_fd: None,
            origin: None,
            own_words: None,
        })
    }

    /// The call of an executable with a program in it: bao's options are those that it was built with, and `BUN_OPTIONS`.
    fn of_executable(identity: &'a Identity, argv: Vec<String>, program: &standalone::Program) -> Outcome<Call<'a>> {
        let mut words = argv.into_iter();
        let argv0 = words.next().unwrap_or_default();
        // Whatever the executable is called by: its name chooses no persona.
        let mut whole = vec!["bao".to_string()];
        whole.extend_from_slice(program.exec_argv());
        let mut call = Call::new(identity, whole)?;
        call.argv0 = argv0;
        call.own_words = Some(words.collect());
        Ok(call)
    }

    fn run_executable(mut self, program: &standalone::Program) -> Outcome<Start> {
        self.enter_folder()?;
        self.leave_no_orphans();
        if self.request != Request::Nothing {
            return Err(Failure::new(
                "the options that this executable was built with, or BUN_OPTIONS, name a program",
            ));
        }
        let autoload = program.autoload();
        self.options.no_env_file |= !autoload.dotenv;
        self.configured |= !autoload.bunfig;
        let path = program.main_path();
        let words = self.own_words.clone().unwrap_or_default();
        self.program(Program::File(path.clone()), Some(path), words)
    }

    /// `--cwd`.
    fn enter_folder(&mut self) -> Outcome<()> {
        let Some(dir) = &self.options.cwd else { return Ok(()) };
        self.origin = Some(current_dir()?);
        store::enter(dir.as_ref(), true)
            .map_err(|error| Failure::io(format!("cannot change directory to \"{dir}\" (--cwd)"), &error))
    }

    /// `--no-orphans`, and the variable that stands for it.
    fn leave_no_orphans(&self) {
        if self.options.no_orphans || descendants::is_asked_for() {
            descendants::enable();
        }
    }

    fn start(mut self) -> Outcome<Start> {
        self.enter_folder()?;
        self.leave_no_orphans();
        match std::mem::replace(&mut self.request, Request::Nothing) {
            Request::Nothing => self.nothing(),
            Request::Help(command) => {
                output::print(&match command {
                    Some(command) => help::command(command),
                    None => help::main(self.identity.version),
                });
                Ok(Start::Exit(0))
            }
            Request::Version => {
                output::print(&match self.persona {
                    Persona::Node => format!("v{}\n", self.identity.node_version),
                    _ => format!("{}\n", self.version_of_name()),
                });
                Ok(Start::Exit(0))
            }
            Request::Revision => {
                output::print(&format!("{}+{}\n", self.version_of_name(), self.identity.revision));
                Ok(Start::Exit(0))
            }
            Request::List => self.list(),
            Request::Command { command, args } => self.command(command, args),
            Request::Scripts { names, args } => {
                self.prepare(false)?;
                self.run_several(&names, &args).map(Start::Exit)
            }
            Request::Target { target, args, .. } if self.options.across() => {
                args::refuse_check(&self.options, "scripts")?;
                self.prepare(false)?;
                self.run_several(&[target], &args).map(Start::Exit)
            }
            Request::Target { run, target, args } => self.target(run, target, args),
            Request::Eval { text, print, args } => {
                self.program(Program::Text { text, name: "[eval]".into(), print }, None, args)
            }
            Request::Interactive { eval, args } => self.program(Program::Interactive { eval }, None, args),
            Request::Stdin { args } => self.stdin(args),
            Request::NodeTest { patterns } => self.program(Program::NodeTest, None, patterns),
        }
    }

    fn nothing(self) -> Outcome<Start> {
        if self.persona == Persona::Node {
            if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
                return self.program(Program::Interactive { eval: None }, None, Vec::new());
            }
            return self.stdin(Vec::new());
        }
        if self.options != Options::default() {
            return Err(Failure::new("no file or script to run").hint("`bao --help` shows how it goes"));
        }
        output::print(&help::main(self.identity.version));
        Ok(Start::Exit(0))
    }

    /// The version of the name by which the executable was called.
    fn version_of_name(&self) -> &str {
        if is_bun(&self.argv0) { self.identity.bun_version } else { self.identity.version }
    }

    fn list(self) -> Outcome<Start> {
        if self.options.if_present {
            return Ok(Start::Exit(0));
        }
        let Some(found) = manifest::nearest(&current_dir()?)? else {
            return Err(Failure::new("nothing to run: no package.json here or above").hint("try: bao run FILE"));
        };
        output::print("Usage: bao run [options] FILE|SCRIPT [arguments]     (bao run --help)\n\n");
        output::print(&listing::scripts(&found.parse()?));
        Ok(Start::Exit(0))
    }

    fn command(self, command: &'static Command, args: Vec<String>) -> Outcome<Start> {
        match command.kind {
            Kind::Completions => {
                output::print(&completions::script(args.first().map(String::as_str))?);
                Ok(Start::Exit(0))
            }
            Kind::Repl => match args.first() {
                Some(word) => Err(Failure::new(format!("bao repl takes no arguments: \"{word}\""))
                    .hint("options go before: bao --preload ./setup.ts repl")),
                None => self.program(Program::Repl, None, Vec::new()),
            },
            Kind::Inspect | Kind::Cron if self.is_taken(command.name) => {
                self.target(false, command.name.to_owned(), without_mark(args))
            }
            Kind::Inspect => self.program(Program::Inspect, None, args),
            Kind::Build => self.program(Program::Build, None, args),
            Kind::Cron => self.program(Program::Cron, None, args),
            Kind::Exec => self.exec(args),
            Kind::Test => self.tests(args),
            Kind::GetCompletes => {
                get_completes(args.first().map_or("", String::as_str))?;
                Ok(Start::Exit(0))
            }
            Kind::Packages | Kind::Starter => {
                let mut words = vec![command.name.to_string()];
                // `bao --bun x vite`
                if self.options.bun && command.name == "x" {
                    words.push("--bun".to_string());
                }
                words.extend(args);
                Ok(Start::Packages(words))
            }
            Kind::Tool => self.tool(command, args),
            // Arguments are read as a target or as a wish for help long before.
            Kind::Run | Kind::Help => {
                output::print(&help::command(command));
                Ok(Start::Exit(0))
            }
        }
    }

    /// Whether the name of a command that Bun has not is that of something to run, as which Bun takes it: a script of package.json, a
    /// file, a program of a package.
    fn is_taken(&self, name: &str) -> bool {
        self.persona == Persona::Bao
            && matches!(self.resolve(false, name), Ok(Target::File(_) | Target::Script(_) | Target::Binary(_)))
    }

    /// `bao check`, `bao fmt`, `bao lint`.
    fn tool(mut self, command: &'static Command, mut args: Vec<String>) -> Outcome<Start> {
        let dir = current_dir()?;
        let words = args.len();
        args.retain(|arg| arg != "--no-script");
        if args.len() == words
            && let Some(package) = script_of(&dir, command.name)?
        {
            self.prepare(false)?;
            let args = without_mark(args);
            return self.script(&package, command.name, &args);
        }
        if args.iter().any(|arg| arg == "-h" || arg == "--help") {
            output::print(tools::help(command.name));
            return Ok(Start::Exit(0));
        }
        let options = if command.name == "fmt" { fmt_options(&dir)? } else { Vec::new() };
        Ok(Start::Packages(tools::words(command.name, without_mark(args), &options, &dir)?))
    }

    /// `bao exec SCRIPT ...`: the words behind the script are its parameters.
    fn exec(self, args: Vec<String>) -> Outcome<Start> {
        let mut args = without_mark(args).into_iter();
        let Some(script) = args.next() else {
            output::print(
                "Usage: bao exec <script>\n\nRuns a script of Bun's shell.\n\nExamples:\n  bao exec \"echo hi\"\n  \
                 bao exec \"echo \\\"hey friends\\\"!\"\n",
            );
            return Ok(Start::Exit(0));
        };
        self.program(Program::Shell { text: Some(script), name: "bao".to_string() }, None, args.collect())
    }

    /// `bao test`: finds the files and makes a plan of their run.
    fn tests(mut self, args: Vec<String>) -> Outcome<Start> {
        let mut tests = TestOptions::default();
        let (before, exec_argv) = (std::mem::take(&mut self.options), std::mem::take(&mut self.exec_argv));
        let mut filters = Vec::new();
        let mut own = |word: &str, words: &mut std::iter::Peekable<_>| tests.take(word, words);
        let cwd = before.cwd.clone();
        (self.options, self.exec_argv) =
            args::parse_command(self.persona, before, exec_argv, args, &mut own, &mut filters)?;
        tests.filters = filters;
        tests.check()?;
        if tests.no_orphans {
            descendants::enable();
        }
        if self.options.cwd != cwd
            && let Some(dir) = &self.options.cwd
        {
            self.origin.get_or_insert(current_dir()?);
            store::enter(dir.as_ref(), true)
                .map_err(|error| Failure::io(format!("cannot change directory to \"{dir}\" (--cwd)"), &error))?;
        }
        if self.watching() && watch_is_parent() {
            return self.supervise(true);
        }
        for (name, value) in [("NODE_ENV", "test"), ("TZ", "Etc/UTC")] {
            if std::env::var_os(name).is_none() {
                // SAFETY: `start` is called before any thread is started.
                unsafe { std::env::set_var(name, value) };
            }
        }
        if !tests.worker && !tests.prints_report() {
            let Product { name, mut version } = self.identity.product(&self.argv0);
            if name == "bao" && self.identity.revision != "unknown" {
                version.push_str(&format!(" ({})", self.identity.revision));
            }
            let header = match output::colors(&std::io::stdout()) {
                true => format!("\x1b[0m\x1b[1m{name} test \x1b[0m\x1b[2m{version}\x1b[0m"),
                false => format!("{name} test {version}"),
            };
            // With --parallel the number of processes follows it, which the runner knows.
            match tests.parallel {
                Some(_) => tests.header = Some(header),
                None => output::print(&format!("{header}\n")),
            }
        }
        self.prepare(true)?;
        tests.no_orphans = descendants::is_enabled();
        let config = std::mem::take(&mut self.bunfig.test);
        let found = if tests.worker {
            test_command::Found::default()
        } else {
            test_command::discover(&tests, &config, &current_dir()?)?
        };
        // Loaded by the runner itself: they may have hooks for all files.
        let mut preload = std::mem::take(&mut self.bunfig.preload);
        preload.extend(config.preload.iter().cloned());
        preload.append(&mut self.options.program.preload);
        preload.append(&mut self.options.program.imports);
        let watched = std::env::var_os(watch::VARIABLE).is_some();
        self.options.program.smol |= config.smol;
        let rerun = watch::take_selection().filter(|_| watched);
        let run = test_command::plan(&tests, &config, &preload, &found, watched, rerun.as_ref());
        self.program(Program::Tests { run }, None, Vec::new())
    }

    fn target(mut self, run: bool, word: String, args: Vec<String>) -> Outcome<Start> {
        if self.options.program.node_option("--entry-url").is_some() {
            return self.program(Program::File(word.clone()), Some(word), args);
        }
        // A pattern of pages that no shell has expanded.
        if find::extension(&word) == Some("html") && word.contains(['*', '?', '[', '{']) {
            return self.file(word, None, args);
        }
        match self.resolve(run, &word)? {
            Target::File(path) => self.file(path, Some(&word), args),
            Target::Script(package) => {
                args::refuse_check(&self.options, "scripts")?;
                self.prepare(false)?;
                if self.options.watch || self.options.hot {
                    output::warn(&format!(
                        "--watch is for files; put it into the script \"{word}\" itself (\"bao --watch ...\")"
                    ));
                }
                self.script(&package, &word, &args)
            }
            Target::Binary(path) => {
                self.prepare(false)?;
                let bun = self.options.bun || self.bunfig.run.bun;
                let in_process = bun && find::is_javascript_binary(&path);
                if !in_process {
                    args::refuse_check(&self.options, "programs of packages")?;
                }
                let executable = executable()?;
                let session = Session::new(self.identity, &executable, current_dir()?, bun)?;
                if in_process {
                    // In this process, but as the `node` that its first line asks for: without the automatic .env files, and its
                    // children find what those of another process would.
                    self.options.no_env_file = true;
                    for (name, value) in session.variables(&session.cwd) {
                        // SAFETY: `start` is called before any thread is started.
                        unsafe { std::env::set_var(name, value) };
                    }
                    return self.file(path.to_string_lossy().into_owned(), None, args);
                }
                script::become_program(&session, &path, &args).map(Start::Exit)
            }
            Target::Nothing => Ok(Start::Exit(0)),
        }
    }

    fn script(self, package: &Manifest, name: &str, args: &[String]) -> Outcome<Start> {
        let executable = executable()?;
        let bun = self.options.bun || self.bunfig.run.bun;
        let mut session = Session::new(self.identity, &executable, current_dir()?, bun)?;
        session.bun_shell = self.options.bun_shell.unwrap_or(self.bunfig.run.bun_shell);
        let silent = self.options.silent || self.bunfig.run.silent;
        match script::run(&session, package, name, args, silent)? {
            Some(code) => Ok(Start::Exit(code)),
            None => Err(Failure::new(format!("Script not found \"{name}\""))),
        }
    }

    /// Runs the file that `word` of the command line names.
    fn file(self, path: String, word: Option<&str>, args: Vec<String>) -> Outcome<Start> {
        if find::extension(&path) == Some("html") {
            return self.program(Program::Pages, Some(path), args);
        }
        let path = if path.starts_with('/') {
            find::absolute(Path::new("/"), &path)
        } else {
            find::absolute(&current_dir()?, &path)
        };
        match (&self.options.cron_title, &self.options.cron_period) {
            (None, None) if find::extension(&path) == Some("sh") => {
                self.program(Program::Shell { text: None, name: path.clone() }, Some(path), args)
            }
            (None, None) if matches!(find::extension(&path), Some("md" | "markdown")) => {
                self.program(Program::Markdown(path.clone()), Some(path), args)
            }
            (None, None) => {
                // Node shows the path as it was written, without what the loader adds.
                let name = match word {
                    Some(word) if self.persona == Persona::Node => find::absolute(&current_dir()?, word),
                    _ => path.clone(),
                };
                self.program(Program::File(path), Some(name), args)
            }
            (Some(_), Some(period)) => {
                let text = cron_job(&path, period);
                self.program(Program::Text { text, name: "[cron]".into(), print: false }, Some(path), args)
            }
            _ => Err(Failure::new("--cron-title and --cron-period must be provided together")),
        }
    }

    fn stdin(self, args: Vec<String>) -> Outcome<Start> {
        if self.watching() && watch_is_parent() {
            return self.supervise(false);
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|error| Failure::io("cannot read standard input", &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::new(format!("standard input is not UTF-8 (byte {at})"))
        })?;
        self.program(Program::Text { text, name: "[stdin]".into(), print: false }, Some("-".into()), args)
    }

    fn watching(&self) -> bool {
        // Both together: --hot needs no restart of the process.
        self.options.watch && !self.options.hot
    }

    /// Completes the options of a program: those of the command line, then NODE_OPTIONS', then bunfig.toml's. `name` is
    /// `process.argv[1]`.
    fn program(mut self, program: Program, name: Option<String>, args: Vec<String>) -> Outcome<Start> {
        if !matches!(program, Program::File(_) | Program::Text { .. }) {
            args::refuse_check(&self.options, "what is not JavaScript or TypeScript")?;
        }
        if self.watching() && watch_is_parent() {
            return self.supervise(false);
        }
        self.watch_fd = watch::take_fd();
        self.prepare(true)?;
        if let Ok(text) = std::env::var("NODE_OPTIONS")
            && !text.is_empty()
        {
            args::add_node_options(self.persona, &mut self.options, &text);
        }
        let is_on = |name: &str| std::env::var_os(name).is_some_and(|value| value == "1");
        self.options.program.preserve_symlinks |= is_on("NODE_PRESERVE_SYMLINKS");
        self.options.program.preserve_symlinks_main |= is_on("NODE_PRESERVE_SYMLINKS_MAIN");
        let hot = self.options.hot.then(|| clears_screen(self.options.no_clear_screen));
        let mut options = self.options.program;
        let auto_install = match (self.bunfig.auto_install, self.persona) {
            (Some(mode), _) => Some(mode),
            // Node installs nothing, nor does an executable with a program in it.
            (None, Persona::Node) => None,
            (None, _) if standalone::current().is_some() => None,
            (None, _) => Some(match process_variable(AUTO_INSTALL).filter(|mode| !mode.is_empty()) {
                Some(mode) => args::auto_install(AUTO_INSTALL, &mode)?,
                None => AutoInstall::Auto,
            }),
        };
        if let Some(mode) = auto_install
            && options.node_option("--install").is_none()
        {
            options.set_node_option("--install", NodeOption::Text(mode.name().to_owned()));
        }
        add_bunfig(&mut options, self.bunfig);
        if let Some(Some(path)) = self.options.config {
            // For the tables that are read when they are needed.
            options.set_node_option("--config", NodeOption::Text(path));
        }
        options.exec_path = executable()?;
        let called = if self.persona == Persona::Node { called_as() } else { None };
        // In an executable as in Bun: what programs cut off the front of their arguments, and nothing to be found.
        let called = if self.own_words.is_some() { Some("bun".to_string()) } else { called };
        options.argv.push(called.unwrap_or_else(|| options.exec_path.clone()));
        options.argv.extend(name);
        options.argv.extend(args);
        options.exec_argv = self.exec_argv;
        options.argv0 = self.argv0;
        options.watch_fd = self.watch_fd;
        options.hot = hot;
        Ok(Start::Program(program, Box::new(options)))
    }

    /// Becomes the parent of `--watch`.
    fn supervise(self, tests: bool) -> Outcome<Start> {
        let kill_signal = match &self.options.watch_kill_signal {
            Some(name) => signals::number(name)
                .ok_or_else(|| Failure::new(format!("Unknown signal: \"{name}\" (--watch-kill-signal)")))?,
            None => libc::SIGTERM,
        };
        let options = watch::Options { kill_signal, clear_screen: clears_screen(self.options.no_clear_screen), tests };
        let args: Vec<OsString> = std::env::args_os().skip(1).collect();
        // The child obeys --cwd by itself.
        watch::supervise(&executable()?, &self.argv0, &args, self.origin, &options).map(Start::Exit)
    }

    /// Reads bunfig.toml and .env files. The automatic .env files are for programs only: scripts start programs that
    /// read their own.
    fn prepare(&mut self, program: bool) -> Outcome<()> {
        if self.persona != Persona::Node && !self.configured {
            self.read_bunfig()?;
            self.configured = true;
            if self.bunfig.run.no_orphans {
                descendants::enable();
            }
        }
        if !self.options.env_files.is_empty() {
            let files = std::mem::take(&mut self.options.env_files);
            return self.read_env_files(&files);
        }
        if program && self.persona != Persona::Node && !self.options.no_env_file && !self.bunfig.no_env_file {
            let environment = dotenv::environment(&process_variable);
            let mut loaded = dotenv::Loaded::new();
            for file in dotenv::automatic_files(environment.as_deref()) {
                match std::fs::read(file) {
                    Ok(bytes) => {
                        self.watch_file(file);
                        loaded.add(&String::from_utf8_lossy(&bytes), &process_variable);
                    }
                    Err(error) => match error.kind() {
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory => {}
                        _ => output::warn(&format!("cannot read {file}: {}", output::reason(&error))),
                    },
                }
            }
            set_variables(loaded)?;
        }
        Ok(())
    }

    fn read_env_files(&self, files: &[(String, bool)]) -> Outcome<()> {
        let mut loaded = dotenv::Loaded::new();
        // The last one named wins.
        for (file, quiet) in files.iter().rev() {
            match std::fs::read(file) {
                Ok(bytes) => {
                    self.watch_file(file);
                    loaded.add(&String::from_utf8_lossy(&bytes), &process_variable);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => match self.persona {
                    _ if *quiet => {}
                    Persona::Node => return Err(Failure::new(format!("{file}: not found")).code(9)),
                    // Bun goes on without a word; a program that lacks its variables deserves one.
                    _ => output::warn(&format!("--env-file: {file} does not exist")),
                },
                Err(error) => return Err(Failure::io(format!("cannot read {file} (--env-file)"), &error)),
            }
        }
        set_variables(loaded)
    }

    fn read_bunfig(&mut self) -> Outcome<()> {
        let explicit = self.options.config.as_ref().and_then(Option::as_deref);
        let path = explicit.unwrap_or("bunfig.toml");
        match std::fs::read_to_string(path) {
            Ok(text) => {
                self.bunfig = Bunfig::parse(&text, Path::new(path), Tables::Program)?;
                self.watch_file(path);
                Ok(())
            }
            Err(error) if explicit.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Failure::io(format!("cannot read {path}"), &error)),
        }
    }

    fn watch_file(&self, path: &str) {
        if let Some(fd) = self.watch_fd
            && let Ok(cwd) = current_dir()
        {
            watch::report(fd, &find::absolute(&cwd, path));
        }
    }
}

/// The text of a program that calls what `Bun.cron(path, schedule, title)` promises: `default.scheduled()` of a module.
fn cron_job(path: &str, period: &str) -> String {
    let quoted = |text: &str| {
        let mut literal = String::new();
        json::quote(text, &mut literal);
        literal
    };
    format!(
        "const {{ default: exported, ...names }} = await import({});\n\
         const target = exported ?? names;\n\
         if (typeof target.scheduled !== \"function\") throw new Error(\"Module does not export default.scheduled()\");\n\
         await target.scheduled({{ cron: {}, type: \"scheduled\", scheduledTime: Date.now() }});\n",
        quoted(path),
        quoted(period),
    )
}

/// Adds what bunfig.toml says to the options of the command line, which count first.
fn add_bunfig(options: &mut RunOptions, bunfig: Bunfig) {
    let numbers = [("--port", bunfig.port.map(u64::from)), ("--console-depth", bunfig.console_depth.map(u64::from))];
    for (name, number) in numbers {
        if let Some(number) = number
            && options.node_option(name).is_none()
        {
            options.set_node_option(name, NodeOption::Text(number.to_string()));
        }
    }
    let mut define = bunfig.define;
    define.retain(|(key, _)| !options.define.iter().any(|(other, _)| other == key));
    define.append(&mut options.define);
    options.define = define;
    let mut loaders = bunfig.loaders;
    loaders.retain(|(extension, _)| !options.loaders.iter().any(|(other, _)| other == extension));
    loaders.append(&mut options.loaders);
    options.loaders = loaders;
    options.preload.splice(0..0, bunfig.preload);
    options.jsx = std::mem::take(&mut options.jsx).or(bunfig.jsx);
    options.smol |= bunfig.smol.unwrap_or(false);
    if bunfig.prefer_offline && options.node_option("--prefer-offline").is_none() {
        options.set_node_option("--prefer-offline", NodeOption::Flag(true));
    }
}

/// Whether this process is the one that watches, and not the child that it started.
fn watch_is_parent() -> bool {
    std::env::var_os(watch::VARIABLE).is_none()
}

pub(crate) fn process_variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// What `--install` says, for all programs.
const AUTO_INSTALL: &str = "BAO_AUTO_INSTALL";

unsafe extern "C" {
    /// The environment of this process: a NULL-terminated array of `name=value`.
    static mut environ: *const *const std::ffi::c_char;
}

/// Adds variables of files, none of which the process has. All at once: `setenv` looks at each that is there for every one more, which
/// takes seconds for some ten thousand.
fn set_variables(loaded: dotenv::Loaded) -> Outcome<()> {
    let variables = loaded.into_variables();
    if variables.is_empty() {
        return Ok(());
    }
    let mut all = Vec::with_capacity(variables.len() + 1);
    for (name, value) in variables {
        let entry = std::ffi::CString::new(format!("{name}={value}"))
            .map_err(|_| Failure::new(format!(".env: the value of {name} has a zero byte in it")))?;
        // The environment keeps it for as long as the process runs.
        all.push(entry.into_raw().cast_const());
    }
    all.push(std::ptr::null());
    // SAFETY: `start` is called before any thread is started that looks at the environment, which is an array that ends with NULL, or
    // NULL itself. A program may give it another one, which has to stay: it is never freed.
    unsafe {
        let mut entry = environ;
        let mut own = Vec::new();
        while !entry.is_null() && !(*entry).is_null() {
            own.push(*entry);
            entry = entry.add(1);
        }
        own.append(&mut all);
        environ = own.leak().as_ptr();
    }
    Ok(())
}

pub(crate) fn current_dir() -> Outcome<PathBuf> {
    std::env::current_dir().map_err(|error| {
        Failure::io("the working directory is not there any more", &error).hint("change to another one and try again")
    })
}

/// Whether the executable was called by Bun's name.
fn is_bun(argv0: &str) -> bool {
    argv0.rsplit('/').next() == Some("bun")
}

/// This executable. `/proc` may be missing; then the name it was called by has to do.
pub(crate) fn executable() -> Outcome<String> {
    match std::env::current_exe() {
        Ok(path) => Ok(path.to_string_lossy().into_owned()),
        Err(error) => {
            let name = std::env::args().next().unwrap_or_default();
            if name.starts_with('/') {
                return Ok(name);
            }
            let found = find::on_path(std::env::var_os("PATH").as_deref(), &name);
            found
                .map(|path| path.to_string_lossy().into_owned())
                .ok_or_else(|| Failure::io("cannot find the file of this program", &error))
        }
    }
}

/// The link by which this program was started, if it is one to the file that runs. Programs look at `process.argv[0]` to find out whether
/// Node runs them (create-tauri-app does).
fn called_as() -> Option<String> {
    // SAFETY: the kernel keeps the name in the process's memory for as long as it runs; 0 means that there is none.
    let name = unsafe {
        let name = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        if name.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(name)
    };
    let path = find::absolute(&current_dir().ok()?, name.to_str().ok()?);
    let target = std::fs::canonicalize(&path).ok()?;
    (target == std::env::current_exe().ok()?).then_some(path)
}

/// The nearest package, if it has a script of this name.
fn script_of(dir: &Path, name: &str) -> Outcome<Option<Manifest>> {
    match manifest::nearest(dir)? {
        Some(found) if found.may_name(name) => {
            Ok(Some(found.parse()?).filter(|package| package.script(name).is_some()))
        }
        _ => Ok(None),
    }
}

/// `[fmt]` of the nearest bunfig.toml, as the formatters look for their files.
fn fmt_options(dir: &Path) -> Outcome<Vec<String>> {
    let Some(path) = dir.ancestors().map(|above| above.join("bunfig.toml")).find(|path| path.is_file()) else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::io(format!("cannot read {}", path.display()), &error))?;
    let shown = path.strip_prefix(dir).unwrap_or(&path);
    Ok(Bunfig::parse(&text, shown, Tables::Fmt)?.fmt.options)
}

/// Arguments without the `--` that sets them apart from bao's options.
fn without_mark(mut args: Vec<String>) -> Vec<String> {
    if args.first().is_some_and(|arg| arg == "--") {
        args.remove(0);
    }
    args
}

/// Names for completions, one per line, sorted. The kinds are Bun's: s, b, j (scripts, binaries, source files), r (what `bao run` takes), g (the
/// same with files), i (scripts that no command hides), z (scripts with their text), "" (scripts, binaries and commands), a (names of packages
/// to add, of which bao has no list); `scripts` and `bins` are those of bao's own completions.
fn get_completes(what: &str) -> Outcome<()> {
    let dir = current_dir()?;
    let scripts = || -> Outcome<Vec<(String, String)>> {
        Ok(match manifest::nearest(&dir)? {
            Some(found) => found.parse()?.scripts,
            None => Vec::new(),
        })
    };
    let names = || -> Outcome<Vec<String>> { Ok(scripts()?.into_iter().map(|(name, _)| name).collect()) };
    let commands = || commands::COMMANDS.iter().filter(|command| !command.help.is_empty());
    let mut found: Vec<String> = match what {
        "scripts" | "s" => names()?,
        "bins" | "b" => binaries(&dir),
        "j" => sources(&dir),
        "r" => [names()?, binaries(&dir)].concat(),
        "g" => [names()?, binaries(&dir), sources(&dir)].concat(),
        "i" => names()?.into_iter().filter(|name| commands::find(name).is_none()).collect(),
        "z" => scripts()?.into_iter().map(|(name, text)| format!("{name}\t{text}")).collect(),
        "" => {
            let commands = commands().map(|command| command.name.to_owned()).collect();
            [names()?, binaries(&dir), commands].concat()
        }
        "a" => Vec::new(),
        other => {
            return Err(
                Failure::new(format!("no completions of kind \"{other}\"")).hint("kinds: s, b, j, r, g, i, z, a")
            );
        }
    };
    // bao's own completions show scripts in the order of package.json.
    if what != "scripts" {
        found.sort();
    }
    found.dedup();
    output::print(&found.iter().map(|name| format!("{name}\n")).collect::<String>());
    Ok(())
}

/// Names of the source files of a directory.
fn sources(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let extensions = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"];
    names.filter(|name| find::extension(name).is_some_and(|extension| extensions.contains(&extension))).collect()
}

/// Names of the installed packages' binaries.
fn binaries(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = find::bin_dirs(dir)
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flat_map(|entries| entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether the screen is cleared before a reload.
fn clears_screen(no_clear_screen: bool) -> bool {
    let kept =
        std::env::var("BUN_CONFIG_NO_CLEAR_TERMINAL_ON_RELOAD").is_ok_and(|value| value == "1" || value == "true");
    !no_clear_screen && !kept
}
