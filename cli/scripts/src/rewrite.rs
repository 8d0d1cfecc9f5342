//! `npm run x` within a script, run by bao itself: starting another package manager only to come back would cost more
//! than most scripts do.

/// Words that `yarn WORD` takes as its own commands although a script may have that name.
const YARN: &[&str] = &[
    "add",
    "audit",
    "bin",
    "cache",
    "config",
    "create",
    "dedupe",
    "dlx",
    "exec",
    "explain",
    "global",
    "import",
    "info",
    "init",
    "install",
    "link",
    "list",
    "login",
    "logout",
    "node",
    "npm",
    "outdated",
    "owner",
    "pack",
    "patch",
    "plugin",
    "publish",
    "rebuild",
    "remove",
    "run",
    "search",
    "set",
    "tag",
    "team",
    "unlink",
    "unplug",
    "up",
    "upgrade",
    "version",
    "versions",
    "why",
    "workspace",
    "workspaces",
];

/// Replaces `npm run`, `npm run-script`, `pnpm run`, `yarn run` and `yarn SCRIPT` by `PROGRAM run` if they start a
/// command. A command with options that the other tool would take for itself is left alone. `scripts` tells the scripts
/// of the package.
pub(crate) fn rewrite(line: &str, program: &str, scripts: &dyn Fn(&str) -> bool) -> Option<String> {
    if !line.contains("npm ") && !line.contains("yarn ") {
        return None;
    }
    let mut out = String::with_capacity(line.len());
    let mut copied = 0;
    for start in command_starts(line) {
        let Some((len, keep_space)) = runner(&line[start..], scripts) else { continue };
        out.push_str(&line[copied..start]);
        out.push_str(program);
        out.push_str(if keep_space { " run " } else { " run" });
        copied = start + len;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&line[copied..]);
    Some(out)
}

/// Offsets at which the shell reads the name of a command, outside of quotes and after assignments.
fn command_starts(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let mut starts = Vec::new();
    let mut expecting = true;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            b'\n' | b';' | b'&' | b'|' | b'(' | b'{' | b'!' => {
                expecting = true;
                at += 1;
            }
            b'#' => at += line[at..].find('\n').unwrap_or(line.len() - at),
            _ => {
                let end = word_end(bytes, at);
                let word = &line[at..end];
                let assigns = word.split_once('=').is_some_and(|(name, _)| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                });
                if expecting {
                    match word {
                        "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "time" | "exec" => {}
                        _ if assigns => {}
                        _ => {
                            starts.push(at);
                            expecting = false;
                        }
                    }
                }
                at = end.max(at + 1);
            }
        }
    }
    starts
}

/// The end of the word that starts at `at`; quotes are part of it.
fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => break,
            b'\\' => at += 2,
            b'\'' => at += 2 + bytes[at + 1..].iter().position(|b| *b == b'\'').unwrap_or(bytes.len() - at - 1),
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// Length of what to replace at the start of a command, and whether a space has to follow the replacement.
fn runner(command: &str, scripts: &dyn Fn(&str) -> bool) -> Option<(usize, bool)> {
    let end = command.find(['\n', ';', '&', '|', ')']).unwrap_or(command.len());
    let mut words = command[..end].split_whitespace();
    let (tool, second, third) = (words.next()?, words.next()?, words.next());
    let runs = match tool {
        "npm" => matches!(second, "run" | "run-script"),
        "pnpm" | "yarn" => second == "run",
        _ => return None,
    };
    let plain = |word: &str| !word.starts_with('-') && !word.contains(['$', '`', '"', '\'', '>', '<']);
    let offset = |word: &str| word.as_ptr() as usize - command.as_ptr() as usize;
    if runs {
        let script = third.filter(|word| plain(word))?;
        // npm takes options before `--` for itself, wherever they stand.
        let own_options = tool == "npm" && words.take_while(|word| *word != "--").any(|word| word.starts_with('-'));
        return (!own_options).then(|| (offset(script), true));
    }
    let is_script = tool == "yarn" && plain(second) && !YARN.contains(&second) && scripts(second);
    is_script.then(|| (offset(second), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let scripts = |name: &str| matches!(name, "build" | "test" | "add");
        let got = rewrite(line, "bao", &scripts);
        assert_eq!(got.as_deref().unwrap_or(line), expected);
        assert_eq!(got.is_some(), line != expected);
    }

    #[test]
    fn commands() {
        check("npm run build", "bao run build");
        check("npm run-script build -- --x", "bao run build -- --x");
        check(
            "A=1 B='2 3' npm run a && yarn run b; pnpm run c --flag | (npm run d)",
            "A=1 B='2 3' bao run a && bao run b; bao run c --flag | (bao run d)",
        );
        check("if true; then npm run x; fi", "if true; then bao run x; fi");
        check("yarn build && yarn add x && yarn other", "bao run build && yarn add x && yarn other");
        check("echo a &&\nnpm run x", "echo a &&\nbao run x");
    }

    #[test]
    fn leaves_the_rest() {
        for line in [
            "npm run build -w pkg",
            "npm run --silent build",
            "npm install",
            "npm run",
            "npm run $NAME",
            "echo npm run build",
            "echo 'x; npm run build'",
            "echo \"a && npm run b\"",
            "# npm run x",
            "cnpm run x",
            "npx foo",
        ] {
            check(line, line);
        }
    }
}
