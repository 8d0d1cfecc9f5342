//! What a program is and the options it runs with.

/// What a program is.
#[derive(Debug, Clone)]
pub enum Program {
    /// A file, as given on the command line.
    File(String),
    /// Text: of `-e` (with `print`, its completion value is printed), or of standard input.
    Text { text: String, name: String, print: bool },
    /// What is typed: Node's REPL, after some text (and whether its value is printed).
    Interactive { eval: Option<(String, bool)> },
    /// What is typed: `bao repl`.
    Repl,
    /// `bao test`: the run as JSON, see ext/test/bun_test/main.ts.
    Tests { run: String },
}

/// Options of a program, as the command line and bunfig.toml give them.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// `process.argv`, already complete: executable, script, arguments.
    pub argv: Vec<String>,
    /// Options of bao itself, before the script.
    pub exec_argv: Vec<String>,
    pub exec_path: String,
    pub argv0: String,
    /// Specifiers to load before the program.
    pub preload: Vec<String>,
    /// Additional resolution conditions.
    pub conditions: Vec<String>,
    /// `--define` pairs.
    pub define: Vec<(String, String)>,
    pub preserve_symlinks: bool,
    pub preserve_symlinks_main: bool,
    /// Long options given, as Node names them, with their values.
    pub node_options: Vec<(String, NodeOption)>,
    pub smol: bool,
    /// Whether the heap is collected early, so that little stays of what has become garbage (`bao test`).
    pub frugal: bool,
    /// Depth of `console.log` (bunfig `[console] depth`).
    pub console_depth: Option<u32>,
    /// Path of a tsconfig to use instead of the nearest one.
    pub tsconfig: Option<String>,
    /// Bytes of native stack that scripts may use.
    pub stack_size: usize,
    /// Loader overrides by extension with its dot (bunfig `[loader]`, `--loader`).
    pub loaders: Vec<(String, String)>,
    /// `--drop`: calls and statements left out.
    pub drop: Vec<String>,
    /// JSX settings that override tsconfig.json.
    pub jsx: JsxOverride,
    /// `--hot`: modules are loaded anew when their files change; whether the screen is cleared then.
    pub hot: Option<bool>,
    /// Descriptor that takes the path of every file loaded, each ended by a zero byte (`--watch`).
    pub watch_fd: Option<i32>,
}

/// JSX settings of the command line and bunfig.toml.
#[derive(Debug, Clone, Default)]
pub struct JsxOverride {
    /// `automatic` or `classic`.
    pub runtime: Option<String>,
    /// With `automatic`: the development runtime.
    pub development: bool,
    pub import_source: Option<String>,
    pub factory: Option<String>,
    pub fragment: Option<String>,
}

/// Value of a Node-style option.
#[derive(Debug, Clone)]
pub enum NodeOption {
    Flag(bool),
    Text(String),
    List(Vec<String>),
}
