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
        // The shell becomes the last program, as bash does by itself: signals to the script are signals to the program.
        let last = match session.bun_shell {
            true => None,
            false => last_program(&self.line, &session.search_path(&self.package.dir)),
        };
        match last.map(|at| self.line.split_at(at)) {
            Some((before, program)) => command.arg(format!("{before}exec {program}")),
            None => command.arg(&self.line),
        };
        command.current_dir(&self.package.dir);
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

/// Those of them after which the shell has nothing to do at its end, and knows no more commands than before.
const HARMLESS: &[&str] =
    &["cd", "echo", "export", "false", "printf", "pwd", "test", "true", "ulimit", "umask", "unset"];

/// Where the commands of a line begin that `&&`, `||` and `;` join. Nothing where there is anything else that groups, nests or joins commands;
/// what stands in quotes does so only where it is a substitution.
fn commands(line: &str) -> Option<Vec<usize>> {
    let mut starts = vec![0];
    let mut quote = None;
    let mut before = ' ';
    let mut chars = line.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '`') => return None,
            (_, '(') if before == '$' => return None,
            (_, '\\') => drop(chars.next()),
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(char),
            // `2>&1`
            (None, '&') if before == '>' || before == '<' => {}
            (None, '&' | '|') => {
                chars.next_if(|(_, next)| *next == char)?;
                starts.push(at + 2);
            }
            (None, ';') => starts.push(at + 1),
            (None, '\n' | '(' | ')' | '{' | '}' | '!' | '#') => return None,
            (None, _) => {}
        }
        before = char;
    }
    quote.is_none().then_some(starts)
}

/// The length of the word that a text begins with, with what is quoted in it.
fn word_length(text: &str) -> usize {
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match quote {
            Some(open) if open == char => quote = None,
            Some('\'') => {}
            _ if char == '\\' => drop(chars.next()),
            Some(_) => {}
            None if char == '\'' || char == '"' => quote = Some(char),
            None if char.is_ascii_whitespace() || "<>&|;".contains(char) => return at,
            None => {}
        }
    }
    text.len()
}

/// Where the name of the program of a command that begins at `at` stands, behind the variables that are set for it, and the name.
fn program(line: &str, mut at: usize) -> (usize, &str) {
    loop {
        at += line[at..].len() - line[at..].trim_ascii_start().len();
        let word = &line[at..at + word_length(&line[at..])];
        let variable = word.split_once('=').map_or("", |(name, _)| name);
        if !variable.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            || !variable.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        {
            return (at, word);
        }
        at += word.len();
    }
}

/// Where the last command of a line begins, behind the variables that are set for it, if that is the call of a program, found on the search
/// path or by its path, with nothing for the shell to do behind it.
fn last_program(line: &str, path: &std::ffi::OsStr) -> Option<usize> {
    let starts = commands(line)?;
    let (last, before) = starts.split_last()?;
    let is_plain = |word: &str| word.chars().all(|char| char.is_ascii_alphanumeric() || "_-+./@".contains(char));
    for start in before {
        // What it runs may set a trap, or be a file that the shell reads.
        let (_, word) = program(line, *start);
        if !is_plain(word) || BUILTINS.contains(&word) && !HARMLESS.contains(&word) || word == "." {
            return None;
        }
    }
    let (at, word) = program(line, *last);
    // Some shells take what begins with a hyphen for an option of exec.
    if !is_plain(word) || word.starts_with('-') || BUILTINS.contains(&word) {
        return None;
    }
    (word.contains('/') || find::on_path(Some(path), word).is_some()).then_some(at)
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
    use super::last_program;

    /// What the shell is given.
    fn line(text: &str, path: &str) -> String {
        match last_program(text, std::ffi::OsStr::new(path)) {
            Some(at) => format!("{}exec {}", &text[..at], &text[at..]),
            None => text.to_owned(),
        }
    }

    #[test]
    fn last_programs() {
        let path = "/nowhere:/usr/bin:/bin";
        // `^` is where `exec` stands.
        for marked in [
            "^ls",
            " ^ls -l 'a b' \"$HOME\" > /dev/null",
            "^/bin/ls",
            "^./ls",
            "^env A=1 ls *.js",
            "^ls 'a; (b)' \"{c} & 'd'\" \\;",
            "^ls>file 2>&1",
            "A=1 B='c d;' _3=\"$HOME x\"\\ y ^ls",
            "ls && ^ls -l",
            "ls -l;^ls",
            "cd \"a b\" && A=1 ls || echo a; ^../b/c d",
            "A=1; ^ls",
        ] {
            assert_eq!(line(&marked.replace('^', ""), path), marked.replace('^', "exec "), "{marked}");
        }
        for same in [
            "",
            " ",
            "A=1",
            "ls &",
            "ls & ls",
            "ls | cat",
            "ls;",
            "ls &&",
            "(ls)",
            "ls && (ls)",
            "$LS",
            "1=2 ls",
            "cd /",
            "ls && echo a",
            "no-such-program",
            "'ls'",
            "ls # a",
            "! ls",
            "if ls; then ls; fi",
            "for a in b; do ls; done",
            "trap 'echo a' EXIT; ls",
            ". ./env && ls",
            "$RUN && ls",
            "ls \"$(ls)\"",
            "ls \"`ls`\"",
            "ls 'a",
            "ls $(ls)",
            "ls &> file",
            "> file",
            "é é",
        ] {
            assert_eq!(line(same, path), same);
        }
    }

    #[test]
    fn a_name_that_looks_like_an_option() {
        use std::os::unix::fs::PermissionsExt;
        let dir = std::env::temp_dir().join(format!("bao-steps-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        for (name, expected) in [("-x", "-x"), ("x", "exec x")] {
            let file = dir.join(name);
            std::fs::write(&file, "#!/bin/sh\n").expect("a file");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("its mode");
            assert_eq!(line(name, dir.to_str().expect("text")), expected);
        }
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
