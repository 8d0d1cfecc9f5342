//! `pm files -- COMMAND…`: runs a program that is not bao with the packages of the store linker as files, without writing them.

use crate::commands::installed;
use crate::config::Options;
use crate::error::{Code, Error, Result};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

/// The project and its members whose `node_modules` has an index.
fn indexed(root: &Path) -> Result<Vec<std::path::PathBuf>> {
    let project = crate::project::Project::load(root)?;
    let mut found = vec![root.to_owned()];
    found.extend(project.manifests.iter().map(|manifest| root.join(&manifest.path)));
    found.retain(|dir| dir.join("node_modules").join(packages::INDEX).is_file());
    found.sort();
    found.dedup();
    Ok(found)
}

/// Runs the command in a mount namespace; its exit code.
pub(super) fn files(options: &Options, command: &[String]) -> Result<u8> {
    let (root, _, _) = crate::commands::context(options)?;
    let [program, arguments @ ..] = command else {
        return Err(Error::new(Code::Usage, "expected a command").hint("bao pm files -- tsc -p ."));
    };
    if !installed::archived(&root) {
        let error =
            Error::new(Code::Usage, "node_modules was not made by the store linker: its packages are on the disk");
        return Err(error.hint("bao install --linker=store"));
    }
    let refused = |what: &str, error: std::io::Error| {
        Error::new(Code::Io, format!("packages cannot be shown as files here: {what}"))
            .cause(error)
            .hint("`bao pm materialize` writes them")
    };
    let dirs = indexed(&root)?;
    packages::view::enter_namespace().map_err(|error| refused("the kernel gives no mount namespace", error))?;
    for dir in &dirs {
        let real = std::fs::canonicalize(dir).map_err(|error| Error::io("cannot open", dir, error))?;
        packages::view::mount(&real).map_err(|error| refused("FUSE cannot be mounted", error))?;
    }
    // The commands of the project come first, as in package scripts.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bins = std::iter::once(root.join("node_modules/.bin")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(bins).unwrap_or(path);
    let status = std::process::Command::new(program)
        .args(arguments)
        .env("PATH", path)
        .status()
        .map_err(|error| Error::io("cannot start", Path::new(program), error))?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(u8::try_from(code).unwrap_or(1))
}
