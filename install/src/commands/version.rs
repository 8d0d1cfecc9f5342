//! `pm version`: raises the version in package.json, with npm's scripts around it and a commit and tag in git.

use super::foreground;
use super::pack::{manifest_text, own_directory};
use crate::config::command_flags::{self, Flag};
use crate::config::parse_args;
use crate::error::{Code, Error, Result};
use crate::project;
use json::{Document, Value, quote};
use semver::Version;
use std::path::Path;
use std::process::{Command, Stdio};

const FLAGS: &[Flag] = &[
    ("no-git-tag-version", '\0', false),
    ("git-tag-version", '\0', false),
    ("allow-same-version", '\0', false),
    ("message", 'm', true),
    ("preid", '\0', true),
];

const WORDS: &str = "Valid options: patch, minor, major, prepatch, preminor, premajor, prerelease, from-git, or a specific semver version";

/// A version in owned parts.
#[derive(Clone, Debug)]
struct Parts {
    numbers: [u64; 3],
    pre: Vec<String>,
}

impl Parts {
    fn of(version: &Version<'_>) -> Self {
        let pre = version.pre.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self { numbers: [version.major, version.minor, version.patch], pre }
    }

    fn text(&self) -> String {
        let [major, minor, patch] = self.numbers;
        let dash = if self.pre.is_empty() { "" } else { "-" };
        format!("{major}.{minor}.{patch}{dash}{}", self.pre.join("."))
    }

    /// The next prerelease, as npm counts: the last number goes up; another identifier starts at 0.
    fn pre(&mut self, id: &str) {
        let number = |text: &str| text.parse::<u64>().ok();
        match self.pre.iter().rposition(|part| number(part).is_some()) {
            Some(place) => self.pre[place] = (number(&self.pre[place]).unwrap_or(0) + 1).to_string(),
            None => self.pre.push("0".to_owned()),
        }
        let counted = self.pre.get(1).is_some_and(|part| number(part).is_some());
        let started = self.pre.first().is_some_and(|first| first == id) && counted;
        if !id.is_empty() && !started {
            self.pre = vec![id.to_owned(), "0".to_owned()];
        }
    }
}

/// `version` raised by `word`; nothing where the word is no increment.
fn raise(version: &Version<'_>, word: &str, id: &str) -> Option<String> {
    let mut parts = Parts::of(version);
    let [major, minor, patch] = parts.numbers;
    let pre = !parts.pre.is_empty();
    match word {
        "patch" if pre => parts.pre.clear(),
        "patch" => parts.numbers = [major, minor, patch + 1],
        "minor" => {
            // 1.3.0-rc.1 becomes 1.3.0.
            parts.numbers = [major, minor + u64::from(patch != 0 || !pre), 0];
            parts.pre.clear();
        }
        "major" => {
            parts.numbers = [major + u64::from(minor != 0 || patch != 0 || !pre), 0, 0];
            parts.pre.clear();
        }
        "prepatch" | "preminor" | "premajor" => {
            parts.numbers = match word {
                "prepatch" => [major, minor, patch + 1],
                "preminor" => [major, minor + 1, 0],
                _ => [major + 1, 0, 0],
            };
            parts.pre.clear();
            parts.pre(id);
        }
        "prerelease" => {
            if !pre {
                parts.numbers[2] += 1;
            }
            parts.pre(id);
        }
        _ => return None,
    }
    Some(parts.text())
}

fn git(dir: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(dir).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What git said when it refused.
fn git_or_error(dir: &Path, arguments: &[&str], what: &str) -> Result<()> {
    let failed = |why: String| Err(Error::new(Code::Script, format!("Git {what} failed")).cause(why));
    match Command::new("git").arg("-C").arg(dir).args(arguments).stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let both = [output.stderr, output.stdout].concat();
            failed(String::from_utf8_lossy(&both).trim().to_owned())
        }
        Err(error) => failed(error.to_string()),
    }
}

fn usage(version: &str) {
    let shown = if version.is_empty() { "1.0.0" } else { version };
    let current = Version::parse(shown);
    if !version.is_empty() {
        crate::say!("Current package version: v{version}\n");
    }
    crate::say!("Increment:");
    for word in ["patch", "minor", "major", "prerelease"] {
        let next = current.as_ref().and_then(|current| raise(current, word, "")).unwrap_or_default();
        crate::say!("  {word:<10} {shown} → {next}");
    }
    let text = "  from-git   Use version from latest git tag
  1.2.3      Set specific version

Options:
  --no-git-tag-version Skip git operations
  --allow-same-version Prevents throwing error if version is the same
  --message=<val>, -m  Custom commit message, use %s for version substitution
  --preid=<val>        Prerelease identifier (i.e beta → 1.2.4-beta.0)
  --force, -f          Bypass dirty git history check
  --dry-run            Print the new version without writing, running scripts, or tagging

Examples:
  $ bao pm version patch
  $ bao pm version 1.2.3 --no-git-tag-version
  $ bao pm version prerelease --preid beta --message \"Release beta: %s\"";
    crate::say!("{}", crate::ui::named(text));
}

/// `pm version`.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    let options = super::enter(parse_args(&rest)?)?;
    let (dir, config) = own_directory(&options)?;
    let path = dir.join("package.json");
    let text = manifest_text(&dir)?;
    let manifest = project::parse(&text, &path)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| Error::new(Code::Parse, "Failed to parse package.json").hint("it has to be a JSON object"))?;
    let old = manifest.text("version").to_owned();
    let word = match options.positionals.as_slice() {
        [] => {
            crate::ui::header("pm version");
            usage(&old);
            return Ok(0);
        }
        [word] => word.as_str(),
        _ => return Err(Error::new(Code::Usage, "one version or increment at a time").hint(WORDS)),
    };
    let id = own.value("preid").unwrap_or("");
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')) {
        return Err(Error::new(Code::Usage, format!("--preid {id}: letters, digits, - and .")));
    }
    let new = if let Some(explicit) = Version::parse(word.trim_start_matches(['v', '='])) {
        let build = if explicit.build.is_empty() { String::new() } else { format!("+{}", explicit.build) };
        format!("{}{build}", Parts::of(&explicit).text())
    } else if word == "from-git" {
        let tag = git(&dir, &["describe", "--tags", "--abbrev=0"])
            .ok_or_else(|| Error::new(Code::Usage, "No git tags found").hint("`git tag v1.0.0` makes one"))?;
        let tag = tag.trim().trim_start_matches('v');
        let found = Version::parse(tag)
            .ok_or_else(|| Error::new(Code::Usage, format!("the git tag \"{tag}\" is not a version")))?;
        Parts::of(&found).text()
    } else {
        let known = raise(&Version::default(), word, "").is_some();
        if !known {
            return Err(Error::new(Code::Usage, format!("Invalid version argument: \"{word}\"")).hint(WORDS));
        }
        // A package without a version is raised from 0.0.0.
        let current = if old.is_empty() { "0.0.0" } else { old.as_str() };
        let current = Version::parse(current).ok_or_else(|| {
            Error::new(Code::Usage, format!("\"{old}\" is not a valid semver version"))
                .hint("set one first: bao pm version 1.0.0")
        })?;
        raise(&current, word, id).unwrap_or_default()
    };
    if new == old && !own.has("allow-same-version") {
        return Err(Error::new(Code::Usage, "Version not changed").hint("--allow-same-version goes on"));
    }
    if config.dry_run {
        crate::say!("v{new}");
        return Ok(0);
    }
    // As npm: a member of a workspace is not the whole repository.
    let wants_tags = !own.has("no-git-tag-version") && !own.is_off("git-tag-version");
    let tags = wants_tags && dir.join(".git").exists();
    if tags && !options.has("force") {
        let status = git(&dir, &["status", "--porcelain"]).ok_or_else(|| {
            Error::new(Code::Script, "git status failed").hint("--no-git-tag-version does without git")
        })?;
        if !status.trim().is_empty() {
            return Err(Error::new(Code::Usage, "Git working directory not clean.")
                .hint("commit or stash the changes first, or pass --force"));
        }
    }
    let variables = [("npm_old_version", old.as_str()), ("npm_new_version", new.as_str())];
    let script = |name: &str| -> Result<()> {
        if config.ignore_scripts {
            return Ok(());
        }
        let text = manifest_text(&dir)?;
        let manifest = project::parse(&text, &path)?;
        foreground::run_with(&dir, &manifest, name, "version", config.silent, &variables)?;
        Ok(())
    };
    script("preversion")?;
    // The script may have changed the file.
    write_version(&dir, &new)?;
    script("version")?;
    if tags {
        let message = own.value("message").unwrap_or("v%s").replace("%s", &new);
        git_or_error(&dir, &["add", "package.json"], "add")?;
        let mut commit = vec!["commit", "-m", message.as_str()];
        if own.has("allow-same-version") {
            commit.push("--allow-empty");
        }
        git_or_error(&dir, &commit, "commit")?;
        let tag = format!("v{new}");
        git_or_error(&dir, &["tag", "-a", &tag, "-m", &message], "tag")?;
    }
    script("postversion")?;
    crate::say!("v{new}");
    Ok(0)
}

/// Replaces the version and nothing else.
fn write_version(dir: &Path, new: &str) -> Result<()> {
    let path = dir.join("package.json");
    let text = manifest_text(dir)?;
    let manifest = project::parse(&text, &path)?;
    let mut json = String::new();
    quote(new, &mut json);
    let edited = match manifest.get("version").map(|value: &Value<'_>| (value.start, value.end)) {
        Some((start, end)) => format!("{}{json}{}", &text[..start], &text[end..]),
        None => {
            let mut document = Document::new(&text);
            document.set(&["version"], &json, false);
            document.text
        }
    };
    crate::atomic_write::write_atomic(&path, &edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments() {
        for (from, word, id, to) in [
            ("1.2.3", "patch", "", "1.2.4"),
            ("1.2.3-rc.1", "patch", "", "1.2.3"),
            ("1.2.0-rc.1", "minor", "", "1.2.0"),
            ("1.2.1-rc.1", "minor", "", "1.3.0"),
            ("2.0.0-rc.1", "major", "", "2.0.0"),
            ("2.1.0-rc.1", "major", "", "3.0.0"),
            ("1.2.3", "prepatch", "", "1.2.4-0"),
            ("1.2.3", "preminor", "beta", "1.3.0-beta.0"),
            ("2.0.1-0", "prerelease", "beta", "2.0.1-beta.0"),
            ("2.0.1-beta.0", "prerelease", "", "2.0.1-beta.1"),
            ("2.0.1-beta.0", "prerelease", "beta", "2.0.1-beta.1"),
            ("2.0.1-beta", "prerelease", "", "2.0.1-beta.0"),
            ("2.0.1-beta.0", "premajor", "rc", "3.0.0-rc.0"),
            ("1.2.3", "prerelease", "", "1.2.4-0"),
        ] {
            assert_eq!(raise(&Version::parse(from).unwrap(), word, id).as_deref(), Some(to), "{from} {word} {id}");
        }
        assert!(raise(&Version::default(), "bogus", "").is_none());
    }
}
