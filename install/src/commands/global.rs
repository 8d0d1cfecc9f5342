//! `-g`: a project of its own below `BUN_INSTALL`, whose commands are linked into a directory that belongs on the PATH.

use crate::config::Config;
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The directory of the global project, made with a package.json where it is not there yet.
pub(crate) fn root(config: &Config) -> Result<PathBuf> {
    let dir = &config.global_dir;
    std::fs::create_dir_all(dir).map_err(|error| Error::io("cannot make", dir, error))?;
    let manifest = dir.join("package.json");
    if !manifest.exists() {
        std::fs::write(&manifest, "{}\n").map_err(|error| Error::io("cannot write", &manifest, error))?;
    }
    Ok(dir.clone())
}

/// Whether a directory is on the PATH.
fn on_path(dir: &Path) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|entry| entry == dir))
}

/// Says what to do where the commands of the added packages cannot be found by the shell.
pub(crate) fn advise(root: &Path, added: &[String], config: &Config) {
    if on_path(&config.global_bin) {
        return;
    }
    let prefix = root.join("node_modules");
    let command = added.iter().find_map(|name| first_command(&config.global_bin, &prefix.join(name)));
    let Some(command) = command else { return };
    crate::warn_line!("\n<yellow>warn<r>: To run \"{command}\", add the global bin folder to $PATH:\n");
    crate::warn_line!("<cyan>export PATH=\"{}:$PATH\"<r>", config.global_bin.display());
}

/// The first command in `dir` that leads into a package.
fn first_command(dir: &Path, package: &Path) -> Option<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .ok()?
        .flatten()
        .filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| dir.join(to).starts_with(package)))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names.into_iter().next()
}

/// Takes away links to commands of global packages that are not there any more.
pub(crate) fn tidy(config: &Config) {
    let modules = config.global_dir.join("node_modules");
    for entry in std::fs::read_dir(&config.global_bin).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(target) = std::fs::read_link(&path) else { continue };
        let target = crate::model::paths::normalize(&config.global_bin.to_string_lossy(), &target.to_string_lossy());
        let target = Path::new("/").join(target);
        if target.starts_with(&modules) && !path.exists() {
            let _ = std::fs::remove_file(&path);
        }
    }
}
