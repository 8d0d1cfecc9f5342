//! What a program is and the options it runs with: the command line, bunfig.toml and the environment fill them, the runtime takes
//! them.

/// What a program is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A file; a relative path starts at the working directory.
    File(String),
    /// Text: of `-e` (with `print`, its completion value is printed), or of standard input. Errors call it `name`.
    Text { text: String, name: String, print: bool },
    /// What is typed: Node's REPL, after some text (and whether its value is printed).
    Interactive { eval: Option<(String, bool)> },
    /// What is typed: `bao repl`.
    Repl,
    /// `bao inspect`: its words are the arguments, see ext/inspector/client/main.ts.
    Inspect,
    /// `bao cron`: its words are the arguments, see ext/cron/command.ts.
    Cron,
    /// `bao build`: its words are the arguments, see ext/bundle/cli.ts.
    Build,
    /// `bao ./index.html ...`: pages with the development server, see ext/bundle/dev/command.ts.
    Pages,
    /// A script of Bun's shell: its text, or none for that of the file `name`, which is its `$0`.
    Shell { text: Option<String>, name: String },
    /// `--test`: the patterns of the files are the arguments, see ext/test/node_test/cli.ts.
    NodeTest,
    /// A document that is printed on the terminal: the absolute path of its file, see ext/bun/markdown_page.ts.
    Markdown(String),
    /// `bao test`: the run as JSON, see ext/test/bun_test/main.ts.
    Tests { run: String },
}

/// Options of a program. Each thread has a copy; a worker may have others than its parent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// `process.argv`, already complete: executable, script, arguments.
    pub argv: Vec<String>,
    /// `process.execArgv`: options of bao itself, before the script.
    pub exec_argv: Vec<String>,
    pub exec_path: String,
    /// The name bao was called by.
    pub argv0: String,
    /// Specifiers to load before the program, as `require` does.
    pub preload: Vec<String>,
    /// Specifiers to import before the program and to wait for, after `preload`: not in workers whose program is a text, as in Node.
    pub imports: Vec<String>,
    /// Additional resolution conditions.
    pub conditions: Vec<String>,
    /// `--define`: names and the expressions that take their place.
    pub define: Vec<(String, String)>,
    /// `--drop`: calls and statements left out.
    pub drop: Vec<String>,
    /// JSX settings that override tsconfig.json.
    pub jsx: Jsx,
    /// Loaders by extension with its dot (`--loader`, bunfig `[loader]`).
    pub loaders: Vec<(String, String)>,
    /// Path of a tsconfig to use instead of the nearest one.
    pub tsconfig: Option<String>,
    pub preserve_symlinks: bool,
    pub preserve_symlinks_main: bool,
    /// Long options given, as Node names them, with their values: what JavaScript asks for by name.
    pub node_options: Vec<(String, NodeOption)>,
    /// `--smol`: a small heap, collected more often.
    pub smol: bool,
    /// Whether the heap is collected early, so that little stays of what has become garbage (`bao test`).
    pub frugal: bool,
    /// Bytes of native stack that scripts may use; `None` for what the system allows.
    pub stack_size: Option<usize>,
    /// `--hot`: modules are loaded anew when their files change; whether the screen is cleared then.
    pub hot: Option<bool>,
    /// Descriptor that takes the path of every file loaded, each ended by a zero byte (`--watch`).
    pub watch_fd: Option<i32>,
}

impl RunOptions {
    /// The value of an option of JavaScript's by its long name; `None` if it was not given.
    pub fn node_option(&self, name: &str) -> Option<&NodeOption> {
        self.node_options.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Gives an option of JavaScript's a value, in place of one that it has.
    pub fn set_node_option(&mut self, name: &str, value: NodeOption) {
        match self.node_options.iter_mut().find(|(known, _)| known == name) {
            Some(option) => option.1 = value,
            None => self.node_options.push((name.to_owned(), value)),
        }
    }
}

/// Value of a Node-style option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeOption {
    Flag(bool),
    Text(String),
    List(Vec<String>),
}

/// How JSX is turned into calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum JsxMode {
    /// `jsxDEV` of `<importSource>/jsx-dev-runtime`, with file name and position (tsconfig `react-jsxdev`).
    #[default]
    AutomaticDev,
    /// `jsx`/`jsxs` of `<importSource>/jsx-runtime` (tsconfig `react-jsx`).
    Automatic,
    /// `factory(type, props, ...children)` (tsconfig `react`).
    Classic,
    /// JSX stays as it is; the output cannot be run by an engine.
    Preserve,
}

/// JSX settings of the command line and bunfig.toml; what is `None` is as tsconfig.json says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jsx {
    pub mode: Option<JsxMode>,
    pub import_source: Option<String>,
    pub factory: Option<String>,
    pub fragment: Option<String>,
}

impl Jsx {
    /// These settings, and those of `other` for what is not set.
    pub fn or(self, other: Jsx) -> Jsx {
        Jsx {
            mode: self.mode.or(other.mode),
            import_source: self.import_source.or(other.import_source),
            factory: self.factory.or(other.factory),
            fragment: self.fragment.or(other.fragment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_command_line_come_first() {
        let line = Jsx { mode: Some(JsxMode::Classic), factory: Some("h".into()), ..Jsx::default() };
        let file = Jsx { mode: Some(JsxMode::AutomaticDev), fragment: Some("F".into()), ..Jsx::default() };
        let both = line.or(file);
        assert_eq!(both.mode, Some(JsxMode::Classic));
        assert_eq!((both.factory.as_deref(), both.fragment.as_deref()), (Some("h"), Some("F")));
    }

    #[test]
    fn an_option_has_one_value() {
        let mut options = RunOptions::default();
        options.set_node_option("--title", NodeOption::Text("a".into()));
        options.set_node_option("--title", NodeOption::Text("b".into()));
        assert_eq!(options.node_option("--title"), Some(&NodeOption::Text("b".into())));
        assert_eq!(options.node_options.len(), 1);
    }
}
