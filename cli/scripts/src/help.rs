//! Help texts, made from the tables of commands and options.

use crate::commands::{COMMANDS, Command, Kind};
use crate::flags::{FLAGS, Flag, Group, Takes};

/// Width of the column of names.
const COLUMN: usize = 34;
const WIDTH: usize = 100;

/// `bao --help`
pub fn main(version: &str) -> String {
    let mut text = format!(
        "bao {version}: runs JavaScript and TypeScript, installs packages, bundles, tests\n\n\
         Usage: bao [options] FILE [arguments]      run a file\n       \
         bao [options] SCRIPT [arguments]    run a script of package.json\n       \
         bao COMMAND [options]\n\nCommands:\n"
    );
    for command in COMMANDS.iter().filter(|command| !command.help.is_empty()) {
        row(&mut text, command.name, command.help);
    }
    text.push_str("\nOptions:\n");
    for name in ["--eval", "--print", "--watch", "--preload", "--env-file", "--filter", "--cwd", "--config", "--smol"] {
        option(&mut text, crate::flags::long(name).expect("in the table"));
    }
    group(&mut text, Group::General, &["--cwd", "--config"]);
    text.push_str("\nAll options: bao run --help. A command: bao COMMAND --help.\n");
    text
}

/// `bao COMMAND --help`
pub fn command(command: &Command) -> String {
    match command.kind {
        Kind::Run => run(),
        Kind::Completions => "Usage: bao completions [bash|zsh|fish]\n\nPrints a completion script; without a name, for \
             the shell in $SHELL.\n\n  bash  bao completions bash > ~/.local/share/bash-completion/completions/bao\n  zsh   \
             bao completions zsh > a directory of $fpath, as _bao\n  fish  bao completions fish > \
             ~/.config/fish/completions/bao.fish\n"
            .to_string(),
        Kind::Test => test(),
        Kind::Tool => crate::tools::help(command.name).to_string(),
        _ => {
            let mut text = format!("bao {}: {}\n", command.name, command.help);
            if !command.aliases.is_empty() {
                text.push_str(&format!("Also: bao {}\n", command.aliases.join(", bao ")));
            }
            text
        }
    }
}

fn run() -> String {
    let mut text = String::from(
        "Usage: bao run [options] FILE|SCRIPT [arguments]\n\n\
         Runs a script of the nearest package.json, with its pre and post scripts; else a file; else a\n\
         binary of an installed package; else a program of the system. Options go before the name, what\n\
         follows it belongs to the program. Without a name: the list of scripts. FILE may be - (standard\n\
         input).\n",
    );
    for (heading, id) in [
        ("Options", Group::General),
        ("Scripts", Group::Scripts),
        ("The program", Group::Program),
        ("Reloading", Group::Reload),
        ("Environment", Group::Environment),
        ("Source", Group::Code),
        ("Tests of node:test", Group::Tests),
        ("Permissions", Group::Permissions),
        ("Warnings and errors", Group::Warnings),
        ("Engine", Group::Engine),
        ("Network", Group::Network),
    ] {
        text.push_str(&format!("\n{heading}:\n"));
        group(&mut text, id, &[]);
    }
    text.push_str(
        "\nExamples:\n  \
         bao run ./server.ts --port 80           the file; --port 80 is its argument\n  \
         bao run build                           the script \"build\"\n  \
         bao run --parallel \"build:*\" lint       several scripts at once\n  \
         bao run --filter \"./packages/*\" test    \"test\" in each of these packages\n  \
         bao --watch server.ts                   again whenever a file changes\n\n\
         Environment variables: BUN_OPTIONS (options to put first), NODE_OPTIONS (Node's options that bao\n\
         knows), NO_COLOR, FORCE_COLOR.\n",
    );
    text
}

fn test() -> String {
    let mut text = String::from(
        "Usage: bao test [options] [FILTER|PATH ...]\n\n\
         Runs the test files below the working directory: names that end in .test, _test, .spec or _spec,\n\
         with the extension of a source file. A FILTER is a part of their path; if one of the words starts\n\
         with ./, ../ or /, all of them are paths of files and directories.\n\nOptions:\n",
    );
    for (name, help) in crate::test_command::help() {
        row(&mut text, &name, help);
    }
    text.push_str("\nOptions of programs (bao run --help) go here too, such as --preload, --watch, --env-file.\n");
    text
}

fn group(text: &mut String, group: Group, except: &[&str]) {
    for flag in FLAGS.iter().filter(|flag| flag.group == group && !except.contains(&flag.long)) {
        option(text, flag);
    }
}

fn option(text: &mut String, flag: &Flag) {
    let letter = flag.short.map_or("    ".to_string(), |letter| format!("-{letter}, "));
    let value = match flag.takes {
        Takes::Nothing => String::new(),
        Takes::Value(what) => format!(" {what}"),
        Takes::Optional(what) => format!("={what}"),
    };
    row(text, &format!("{letter}{}{value}", flag.long), flag.help);
}

fn row(text: &mut String, name: &str, help: &str) {
    let start = text.len();
    text.push_str("  ");
    text.push_str(name);
    let used = text.len() - start;
    if used + 2 > COLUMN {
        text.push('\n');
        text.push_str(&" ".repeat(COLUMN));
    } else {
        text.push_str(&" ".repeat(COLUMN - used));
    }
    wrapped(text, help, COLUMN, COLUMN);
}

/// Appends words, breaking lines at `WIDTH`; `at` is the column now.
fn wrapped(text: &mut String, words: &str, indent: usize, mut at: usize) {
    let mut first = true;
    for word in words.split(' ') {
        let len = word.chars().count();
        if !first && at + 1 + len > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            at = indent;
        } else if !first {
            text.push(' ');
            at += 1;
        }
        text.push_str(word);
        at += len;
        first = false;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_and_is_complete() {
        let text = run();
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        for flag in FLAGS.iter().filter(|flag| flag.group != Group::Hidden) {
            assert!(text.contains(flag.long), "{}", flag.long);
        }
        assert!(main("1").lines().all(|line| line.chars().count() <= WIDTH));
        for word in COMMANDS {
            assert!(!command(word).is_empty());
        }
    }
}
