//! Which test files `bao test --watch` runs the next time: those that a change reaches, which the child finds out.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The variable that tells the child what to run: `changed` or `only`, and absolute paths, a line each.
const VARIABLE: &str = "BAO_TEST_RERUN";
/// With a longer list all files run: the list saves nothing then, and the system limits the length of a variable.
const MAX_LENGTH: usize = 100_000;

/// What is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Selection {
    #[default]
    All,
    /// Test files that these have an effect on.
    Changed(BTreeSet<PathBuf>),
    /// These test files.
    Only(BTreeSet<PathBuf>),
}

impl Selection {
    /// What to run when files have changed; `unfinished` is the selection of a run that they broke off.
    pub(super) fn after(changed: BTreeSet<PathBuf>, unfinished: Option<&Selection>) -> Selection {
        match unfinished {
            None => Selection::Changed(changed),
            Some(Selection::Changed(before)) => Selection::Changed(before.union(&changed).cloned().collect()),
            Some(_) => Selection::All,
        }
    }

    /// The variable for the child; the value is `None` if everything is run.
    pub(super) fn variable(&self) -> (&'static str, Option<String>) {
        let (kind, paths) = match self {
            Selection::All => return (VARIABLE, None),
            Selection::Changed(paths) => ("changed", paths),
            Selection::Only(paths) => ("only", paths),
        };
        let lines = |path: &PathBuf| path.to_str().filter(|path| !path.contains('\n')).map(str::to_string);
        let Some(lines) = paths.iter().map(lines).collect::<Option<Vec<_>>>() else { return (VARIABLE, None) };
        let value = format!("{kind}\n{}", lines.join("\n"));
        (VARIABLE, (value.len() < MAX_LENGTH).then_some(value))
    }
}

/// What the parent has asked for, in the child: the kind and the paths. The variable is taken out of the environment.
pub(crate) fn take() -> Option<(String, Vec<String>)> {
    let value = std::env::var(VARIABLE).ok()?;
    // SAFETY: `start` is called before any thread is started.
    unsafe { std::env::remove_var(VARIABLE) };
    let mut lines = value.lines().map(str::to_string);
    Some((lines.next()?, lines.collect()))
}

/// Test files whose last run failed.
#[derive(Default)]
pub(super) struct Failed(pub BTreeSet<PathBuf>);

impl Failed {
    /// Takes what a child says about a file; whether it was that.
    pub(super) fn take(&mut self, message: &[u8]) -> bool {
        let path = |text| PathBuf::from(std::ffi::OsStr::from_bytes(text));
        if let Some(text) = message.strip_prefix(b"failed:") {
            self.0.insert(path(text));
        } else if let Some(text) = message.strip_prefix(b"passed:") {
            self.0.remove(Path::new(&path(text)));
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn broken_off_runs_are_made_up_for() {
        let changed = Selection::after(set(&["/a"]), None);
        assert_eq!(changed.variable().1.as_deref(), Some("changed\n/a"));
        assert_eq!(Selection::after(set(&["/b"]), Some(&changed)), Selection::Changed(set(&["/a", "/b"])));
        assert_eq!(Selection::after(set(&["/b"]), Some(&Selection::All)), Selection::All);
        assert_eq!(Selection::All.variable().1, None);
    }

    #[test]
    fn failures() {
        let mut failed = Failed::default();
        assert!(failed.take(b"failed:/a") && failed.take(b"failed:/b") && failed.take(b"passed:/a"));
        assert!(!failed.take(b"/c"));
        assert_eq!(failed.0, set(&["/b"]));
    }
}
