//! `.env` files: variables for `${NAME}` in .npmrc and bunfig.toml, for settings such as BUN_CONFIG_REGISTRY, and for scripts.

use crate::error::{Error, Result};
use std::path::Path;

/// One `NAME=value`. Values may stand in `'`, `"` or `` ` `` and then have line ends; `"` and bare values replace `$NAME` and
/// `${NAME:-other}`.
fn parse(text: &str, lookup: &mut dyn FnMut(&str) -> Option<String>, set: &mut dyn FnMut(&str, String)) {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while !rest.is_empty() {
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let line = rest[..line_end].trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
        let found = line.split_once(['=', ':']).map(|(name, value)| (name.trim(), value.trim_start()));
        let Some((name, value)) = found.filter(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        }) else {
            rest = rest.get(line_end + 1..).unwrap_or("");
            continue;
        };
        let quote = value.chars().next().filter(|char| matches!(char, '\'' | '"' | '`'));
        // `value` is the end of the line.
        let at = line_end - value.len();
        let closed = quote.and_then(|quote| rest[at + 1..].find(quote).map(|end| at + 1 + end));
        let value = if let (Some(quote), Some(end)) = (quote, closed) {
            let inner = rest[at + 1..end].to_owned();
            let next = rest[end..].find('\n').map_or(rest.len(), |next| end + next + 1);
            rest = &rest[next..];
            match quote {
                '"' => expand(&inner.replace("\\n", "\n").replace("\\r", "\r"), lookup),
                _ => inner,
            }
        } else {
            let bare = value.split(" #").next().unwrap_or("").trim_end();
            let bare = if bare.starts_with('#') { "" } else { bare };
            let value = expand(bare, lookup);
            rest = rest.get(line_end + 1..).unwrap_or("");
            value
        };
        set(name, value);
    }
}

/// Replaces `$NAME`, `${NAME}` and `${NAME:-other}`; `\$` is a dollar sign.
fn expand(text: &str, lookup: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        if rest[..at].ends_with('\\') {
            out.push_str(&rest[..at - 1]);
            out.push('$');
            rest = &rest[at + 1..];
            continue;
        }
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, other, length) = match after.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                Some(end) => {
                    let (name, other) = inner[..end].split_once(":-").unwrap_or((&inner[..end], ""));
                    (name, other, end + 2)
                }
                None => ("", "", 0),
            },
            None => {
                let end = after.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(after.len());
                (&after[..end], "", end)
            }
        };
        if name.is_empty() {
            out.push('$');
            rest = after;
            continue;
        }
        out.push_str(&lookup(name).filter(|value| !value.is_empty()).unwrap_or_else(|| other.to_owned()));
        rest = &after[length..];
    }
    out.push_str(rest);
    out
}

/// Puts the variables of the files into the environment of this process; those that are set already stay. `files`: those of
/// `--env-file`, which have to be there; otherwise the project's own, unless `none`.
///
/// # Errors
/// A file that was named cannot be read.
pub fn load(root: &Path, files: &[String], none: bool) -> Result<()> {
    let outer = |name: &str| std::env::var(name).ok();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut read = |text: &str, wins: bool| {
        let mut own: Vec<(String, String)> = Vec::new();
        let before = found.clone();
        parse(
            text,
            &mut |name| {
                outer(name).or_else(|| before.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
            },
            &mut |name, value| {
                own.retain(|(known, _)| known != name);
                own.push((name.to_owned(), value));
            },
        );
        for (name, value) in own {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some(entry) if wins => entry.1 = value,
                Some(_) => {}
                None => found.push((name, value)),
            }
        }
    };
    for list in files {
        for file in list.split(',').filter(|file| !file.is_empty()) {
            let text = std::fs::read_to_string(file).map_err(|error| Error::io("cannot read", file, error))?;
            read(&text, true);
        }
    }
    if files.is_empty() && !none {
        let mode = match std::env::var("NODE_ENV").or_else(|_| std::env::var("BUN_ENV")).as_deref() {
            Ok("production") => "production",
            Ok("test") => "test",
            _ => "development",
        };
        // The first one that has a variable decides.
        let local = (mode != "test").then(|| ".env.local".to_owned());
        let names = [Some(format!(".env.{mode}.local")), local, Some(format!(".env.{mode}")), Some(".env".to_owned())];
        for name in names.into_iter().flatten() {
            if let Ok(text) = std::fs::read_to_string(root.join(name)) {
                read(&text, false);
            }
        }
    }
    for (name, value) in found {
        if std::env::var_os(&name).is_none() && !value.contains('\0') {
            // SAFETY: called while settings are read, before this program has started a thread.
            unsafe { std::env::set_var(name, value) };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    fn parsed(text: &str) -> String {
        let list = std::cell::RefCell::new(Vec::<(String, String)>::new());
        super::parse(
            text,
            &mut |name| list.borrow().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
            &mut |name, value| list.borrow_mut().push((name.to_owned(), value)),
        );
        list.into_inner().iter().map(|(name, value)| format!("{name}={value:?} ")).collect()
    }

    #[test]
    fn lines() {
        assert_eq!(parsed("A=1\nexport B = two words # not\n# C=3\nD='a $A'\n"), "A=\"1\" B=\"two words\" D=\"a $A\" ");
        assert_eq!(parsed("A=1\nB=$A-${A}-${C:-x}\\$\n"), "A=\"1\" B=\"1-1-x$\" ");
        assert_eq!(parsed("A=\"one\ntwo\" # x\nB=2"), "A=\"one\\ntwo\" B=\"2\" ");
        assert_eq!(parsed("A=\nB"), "A=\"\" ");
        assert_eq!(parsed("A='open\nB=1\n"), "A=\"'open\" B=\"1\" ");
    }
}
