//! The commands, in one table.

/// A word that `bao` takes as a command and not as a script or file.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// One line of help.
    pub help: &'static str,
    pub kind: Kind,
    /// Whether the command itself has a use for `--filter`; for the others a filter means a script of that name.
    pub filters: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Run,
    Help,
    Completions,
    /// Names for shell completions.
    GetCompletes,
    Repl,
    /// `bao inspect`: a debugger on the terminal; what Bun runs by that name goes first. Also where bao is called `node`.
    Inspect,
    Build,
    /// `bao cron`: jobs of the system's cron daemon; what Bun runs by that name goes first.
    Cron,
    /// `bao exec`: a script of Bun's shell.
    Exec,
    /// The package manager's.
    Packages,
    /// The package manager's, with a `--help` of its own: flags behind the first word are another program's.
    Starter,
    /// `bao test`.
    Test,
    /// A program of the registry (`tools`); a package.json script of that name goes first, as in Bun.
    Tool,
}

const fn manager(name: &'static str, aliases: &'static [&'static str], help: &'static str) -> Command {
    Command { name, aliases, help, kind: Kind::Packages, filters: true }
}

const fn starter(name: &'static str, aliases: &'static [&'static str], help: &'static str) -> Command {
    Command { name, aliases, help, kind: Kind::Starter, filters: false }
}

const fn tool(name: &'static str, help: &'static str) -> Command {
    Command { name, aliases: &[], help, kind: Kind::Tool, filters: false }
}

pub static COMMANDS: &[Command] = &[
    Command { name: "run", aliases: &[], help: "Run a file or a package.json script", kind: Kind::Run, filters: true },
    Command { name: "test", aliases: &[], help: "Run tests", kind: Kind::Test, filters: false },
    tool("check", "Check types"),
    tool("fmt", "Format source files"),
    tool("lint", "Find mistakes in source files"),
    starter("x", &[], "Run a package's binary, installing it if needed (baox)"),
    Command {
        name: "repl",
        aliases: &[],
        help: "Type JavaScript or TypeScript, see results",
        kind: Kind::Repl,
        filters: false,
    },
    Command {
        name: "inspect",
        aliases: &[],
        help: "Debug a program on the terminal",
        kind: Kind::Inspect,
        filters: false,
    },
    Command { name: "cron", aliases: &[], help: "Jobs of the system's cron daemon", kind: Kind::Cron, filters: false },
    Command { name: "exec", aliases: &[], help: "Run a line of shell", kind: Kind::Exec, filters: false },
    manager("install", &["i"], "Install the dependencies of package.json"),
    manager("ci", &[], "Install exactly what the lockfile says"),
    manager("add", &["a"], "Add a dependency"),
    manager("remove", &["rm", "r", "uninstall"], "Remove a dependency"),
    manager("update", &["up"], "Update dependencies"),
    manager("outdated", &[], "List dependencies that have newer versions"),
    manager("audit", &[], "Check dependencies for known vulnerabilities"),
    manager("dedupe", &[], "Merge duplicate versions in the lockfile"),
    manager("prune", &[], "Remove packages that nothing depends on"),
    manager("link", &[], "Register or use a local package"),
    manager("unlink", &[], "Undo link"),
    manager("publish", &[], "Publish the package to a registry"),
    manager("patch", &[], "Prepare a package for patching"),
    manager("patch-commit", &[], "Save a patch"),
    manager("pm", &[], "More tools for packages"),
    manager("info", &[], "Show what the registry knows about a package"),
    manager("why", &[], "Explain why a package is installed"),
    manager("list", &[], "List installed packages"),
    Command { name: "build", aliases: &[], help: "Bundle source files", kind: Kind::Build, filters: false },
    starter("init", &[], "Start a project here"),
    starter("create", &["c"], "Start a project from a template"),
    Command {
        name: "upgrade",
        aliases: &[],
        help: "Replace bao by its newest version",
        kind: Kind::Packages,
        filters: false,
    },
    Command {
        name: "completions",
        aliases: &[],
        help: "Print completions for bash, zsh or fish",
        kind: Kind::Completions,
        filters: false,
    },
    Command { name: "getcompletes", aliases: &[], help: "", kind: Kind::GetCompletes, filters: false },
    Command { name: "help", aliases: &[], help: "Show help for a command", kind: Kind::Help, filters: false },
];

/// Finds a command by its name or an alias.
pub fn find(word: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == word || command.aliases.contains(&word))
}

/// The command's name.
pub fn get(name: &str) -> &'static Command {
    find(name).expect("a name of the table")
}
