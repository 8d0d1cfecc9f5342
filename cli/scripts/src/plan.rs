//! What the executable gives to the runtime for a JavaScript program.

/// The program's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file; relative paths start at the working directory.
    File(String),
    /// Text of `-e`, `-p` (`print`: its value is printed) or standard input.
    Text { text: String, name: &'static str, print: bool },
    /// What is typed: Node's REPL, after some text (and whether its value is printed).
    Interactive { eval: Option<(String, bool)> },
    /// What is typed: `bao repl`.
    Repl,
    /// `bao test`: the run as JSON, for ext/test/bun_test/main.ts.
    Tests { run: String },
}

/// Value of a Node-style option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    Flag(bool),
    Text(String),
    List(Vec<String>),
}

/// JSX settings that override tsconfig.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jsx {
    /// `automatic` or `classic`; bunfig also knows `react-jsxdev`, which is `automatic` with development set.
    pub runtime: Option<String>,
    pub development: bool,
    pub import_source: Option<String>,
    pub factory: Option<String>,
    pub fragment: Option<String>,
}

/// A program to run, with everything the command line, the environment and bunfig.toml say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub source: Source,
    /// `process.argv`: executable, script, arguments.
    pub argv: Vec<String>,
    /// `process.execArgv`.
    pub exec_argv: Vec<String>,
    pub exec_path: String,
    /// How bao was called.
    pub argv0: String,
    /// Modules to load first.
    pub preload: Vec<String>,
    /// Additional resolution conditions.
    pub conditions: Vec<String>,
    /// Replacements in the source.
    pub define: Vec<(String, String)>,
    /// Calls to drop.
    pub drop: Vec<String>,
    pub jsx: Jsx,
    pub preserve_symlinks: bool,
    pub preserve_symlinks_main: bool,
    /// Options for JavaScript, by Node's names.
    pub node_options: Vec<(String, OptionValue)>,
    pub smol: bool,
    pub console_depth: Option<u32>,
    pub tsconfig: Option<String>,
    /// Loaders by extension, the dot included.
    pub loaders: Vec<(String, String)>,
    /// `--stack-size` in bytes.
    pub stack_size: Option<usize>,
    /// Descriptor that takes the path of every file loaded, each ended by a zero byte (`--watch`).
    pub watch_fd: Option<i32>,
    /// `--hot`, and whether it clears the screen before each reload.
    pub hot: Option<bool>,
}
