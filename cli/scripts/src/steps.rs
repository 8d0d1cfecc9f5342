//! From script names to command lines: pre and post scripts, arguments, glob names.

use crate::environment::Session;
use crate::find;
use crate::manifest::Manifest;
use crate::quote;
use crate::rewrite;

/// One command of a package.
pub(crate) struct Step<'a> {
    pub package: &'a Manifest,
    /// The script's name: `build`, or `prebuild` for what goes before it.
    pub event: String,
    /// As in package.json.
    pub script: &'a str,
    /// What people see.
    pub shown: String,
    /// What the shell gets.
    pub line: String,
}

impl<'a> Step<'a> {
    fn new(session: &Session<'_>, package: &'a Manifest, event: String, script: &'a str, args: &[String]) -> Step<'a> {
        let known = |name: &str| package.script(name).is_some();
        let shown = match rewrite::rewrite(script, "bao", &known) {
            Some(rewritten) => quote::with_args(&rewritten, args),
            None => quote::with_args(script, args),
        };
        let mut program = String::new();
        quote::push_word(&mut program, session.executable);
        let line = match rewrite::rewrite(script, program.trim_start(), &known) {
            Some(rewritten) => quote::with_args(&rewritten, args),
            None => shown.clone(),
        };
        Step { package, event, script, shown, line }
    }

    /// The command, ready to start.
    pub(crate) fn command(&self, session: &Session<'_>) -> std::process::Command {
        let mut command = if session.bun_shell {
            let mut command = std::process::Command::new(session.executable);
            // The shell is no program: those that it starts read the files by their own NODE_ENV.
            command.args(["--no-env-file", "exec"]);
            command
        } else {
            let mut command = std::process::Command::new("/bin/sh");
            command.arg("-c");
            command
        };
        session.prepare_commands(&self.line, &self.package.dir);
        // The shell becomes a lone program, as bash does by itself: signals to the script are signals to the program.
        let alone = !session.bun_shell && is_alone(&self.line, &session.search_path(&self.package.dir));
        let line = if alone { format!("exec {}", self.line.trim_start()) } else { self.line.clone() };
        command.arg(line).current_dir(&self.package.dir);
        session.apply(&mut command, self.package, &self.event, self.script);
        // The shell trusts it where it names the right directory: one system call less, and links stay as written.
        command.env("PWD", &self.package.dir);
        command
    }
}

/// Words that the shell itself runs.
const BUILTINS: &[&str] = &[
    "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "coproc", "declare", "dirs", "disown",
    "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg",
    "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local",
    "logout", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt",
    "source", "suspend", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
];

/// Whether a line joins, groups or nests commands; what stands in quotes does so only where it is a substitution.
fn nests_or_joins(line: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '`') => return true,
            (_, '(') if before == '$' => return true,
            (_, '\\') => drop(chars.next()),
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(char),
            (None, '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '!' | '#') => return true,
            (None, _) => {}
        }
        before = char;
    }
    quote.is_some()
}

/// Whether a line is the call of one program, found on the search path or by its path, with nothing for the shell to do behind it.
fn is_alone(line: &str, path: &std::ffi::OsStr) -> bool {
    if nests_or_joins(line) {
        return false;
    }
    let Some(word) = line.split_ascii_whitespace().next() else { return false };
    let is_plain = word.chars().all(|char| char.is_ascii_alphanumeric() || "_-+./@".contains(char));
    if !is_plain || BUILTINS.contains(&word) {
        return false;
    }
    if word.contains('/') { word.starts_with('/') } else { find::on_path(Some(path), word).is_some() }
}

/// The steps of a script: `preX`, `X` with the arguments, `postX`. `None` if the package has no such script.
pub(crate) fn steps<'a>(
    session: &Session<'_>,
    package: &'a Manifest,
    name: &str,
    args: &[String],
) -> Option<Vec<Step<'a>>> {
    let script = package.script(name)?;
    let mut steps = Vec::with_capacity(1);
    for (prefix, args) in [("pre", &[][..]), ("", args), ("post", &[])] {
        let event = format!("{prefix}{name}");
        let script = if prefix.is_empty() { Some(script) } else { package.script(&event) };
        if let Some(script) = script {
            steps.push(Step::new(session, package, event, script, args));
        }
    }
    Some(steps)
}

/// A command line that is not a script, run as one. `file`: the name of a file for bao.
pub(crate) fn command_line<'a>(
    session: &Session<'_>,
    package: &'a Manifest,
    name: &'a str,
    file: bool,
    args: &[String],
) -> Step<'a> {
    let shown = quote::with_args(name, args);
    let mut line = String::new();
    if file {
        quote::push_word(&mut line, session.executable);
        quote::push_word(&mut line, &session.cwd.join(name).to_string_lossy());
        line = quote::with_args(&line, args);
    } else {
        line.clone_from(&shown);
    }
    Step { package, event: name.to_string(), script: name, shown, line }
}

/// The scripts that a name means, which may be a glob such as `build:*`: those of a glob in the order of their names, as in Bun. Empty if
/// there is none.
pub(crate) fn names<'a>(package: &'a Manifest, name: &'a str) -> Vec<&'a str> {
    if package.script(name).is_some() {
        return vec![name];
    }
    if !glob::is_pattern(name) {
        return Vec::new();
    }
    let pattern = glob::Pattern::new(name);
    let scripts = package.scripts.iter().map(|(script, _)| script.as_str());
    let mut found: Vec<&str> = scripts.filter(|script| pattern.matches(script.as_bytes())).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::is_alone;

    #[test]
    fn lone_programs() {
        let path = std::ffi::OsStr::new("/nowhere:/usr/bin:/bin");
        for line in
            ["ls", " ls -l 'a b' \"$HOME\" > /dev/null", "/bin/ls", "env A=1 ls *.js", "ls 'a; (b)' \"{c} & 'd'\" \\;"]
        {
            assert!(is_alone(line, path), "{line}");
        }
        for line in [
            "",
            "ls; ls",
            "ls && ls",
            "ls | cat",
            "(ls)",
            "A=1 ls",
            "$LS",
            "cd /",
            "echo a",
            "no-such-program",
            "./ls",
            "'ls'",
            "ls # a",
            "! ls",
            "ls \"$(ls)\"",
            "ls \"`ls`\"",
            "ls 'a",
            "ls $(ls)",
            "ls 'a';ls",
        ] {
            assert!(!is_alone(line, path), "{line}");
        }
    }
}
