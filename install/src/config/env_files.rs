//! `.env` files: variables for `${NAME}` in .npmrc and bunfig.toml, for settings such as BUN_CONFIG_REGISTRY, and for scripts.

use std::path::Path;

use dotenv::Loaded;

use crate::error::{Error, Result};

/// Puts the variables of the files into the environment of this process; those that are set already stay. `files`: those of
/// `--env-file`, of which the last one wins and which have to be there; otherwise the project's own, unless `none`.
///
/// # Errors
/// A file that was named cannot be read.
pub(super) fn load(root: &Path, files: &[String], none: bool) -> Result<()> {
    let outer = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let mut loaded = Loaded::new();
    let named: Vec<&str> = files.iter().flat_map(|list| list.split(',')).filter(|file| !file.is_empty()).collect();
    for file in named.iter().rev() {
        let text = std::fs::read(file).map_err(|error| Error::io("cannot read", *file, error))?;
        loaded.add(&String::from_utf8_lossy(&text), &outer);
    }
    if files.is_empty() && !none {
        for file in dotenv::automatic_files(dotenv::environment(&outer).as_deref()) {
            if let Ok(text) = std::fs::read(root.join(file)) {
                loaded.add(&String::from_utf8_lossy(&text), &outer);
            }
        }
    }
    for (name, value) in loaded.into_variables() {
        if !value.contains('\0') {
            // SAFETY: called while settings are read, before this program has started a thread.
            unsafe { std::env::set_var(name, value) };
        }
    }
    Ok(())
}
