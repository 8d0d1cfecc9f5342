//! Arguments as words of a POSIX shell.

/// Appends `word` to a command line after a space, quoted if the shell would change it.
pub(crate) fn push_word(line: &mut String, word: &str) {
    line.push(' ');
    // Digits are quoted because `2` before a redirection of the script's own would be a descriptor.
    let plain = |c: char| c.is_ascii_alphabetic() || !c.is_ascii() || "-_./@%+:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        line.push_str(word);
        return;
    }
    line.push('"');
    for c in word.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            line.push('\\');
        }
        line.push(c);
    }
    line.push('"');
}

/// A command line with arguments appended.
pub(crate) fn with_args(command: &str, args: &[String]) -> String {
    let mut line = command.to_string();
    for arg in args {
        push_word(&mut line, arg);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_needs_it() {
        let args = ["a", "a b", "$HOME", "it's", "", "1", "--x=y", "é", "a\\b", "`x`"].map(String::from);
        assert_eq!(with_args("echo", &args), r#"echo a "a b" "\$HOME" "it's" "" "1" "--x=y" é "a\\b" "\`x\`""#);
    }

    #[test]
    fn survives_the_shell() {
        let args =
            ["a b", "$x", "a\"b", "it's", "", "*", "\\", "a\nb", "!x", "~", "#", "a;b", "&", "%s", "\u{a0}", "(x)"]
                .map(String::from);
        let line = with_args("printf '%s\\0'", &args);
        let output = std::process::Command::new("/bin/sh").arg("-c").arg(line).output().expect("sh runs");
        let expected: String = args.iter().map(|arg| format!("{arg}\0")).collect();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}
