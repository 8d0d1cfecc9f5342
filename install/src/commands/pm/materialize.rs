//! `pm materialize [PACKAGE…]`: puts packages of the store linker on the disk, for programs that are not bao.

use crate::commands::install::materialize as install;
use crate::commands::installed;
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::link::Linked;
use crate::model::plan::{Linker, Plan};
use crate::registry::session::Session;
use std::path::Path;

/// Writes the index and what belongs on the disk, with the packages of these names (`*`: all) beside those of earlier calls.
///
/// # Errors
/// Those of an install.
pub(crate) fn put_on_disk(plan: &Plan, config: &Config, root: &Path, names: Vec<String>) -> Result<Linked> {
    let mut config = config.clone();
    config.linker = Some(Linker::Store);
    config.materialize = names;
    let mut session = Session::new(&config, root);
    let linked = install(plan, &mut session)?;
    if let Some(store) = session.store_if_open() {
        store.close();
    }
    Ok(linked)
}

/// Without names all packages. What is named stays on the disk with later installs, too.
pub(super) fn materialize(options: &Options, names: &[String]) -> Result<u8> {
    let (root, _, mut config) = crate::commands::context(options)?;
    if !installed::archived(&root) {
        let error =
            Error::new(Code::Usage, "node_modules was not made by the store linker: its packages are on the disk");
        return Err(error.hint("bao install --linker=store"));
    }
    config.linker = Some(Linker::Store);
    let plan = installed::plan(options, &config, Linker::Store, "pm materialize")?.plan;
    for name in names {
        if !plan.packages.iter().any(|package| plan.str(package.name) == name) {
            return Err(
                Error::new(Code::Usage, format!("{name} is not a package of this project")).hint("bao pm ls --all")
            );
        }
    }
    let all = || vec!["*".to_owned()];
    let linked = put_on_disk(&plan, &config, &root, if names.is_empty() { all() } else { names.to_vec() })?;
    if !config.silent {
        let what = if names.is_empty() { "all packages".to_owned() } else { names.join(", ") };
        crate::say!("{what}: on the disk ({} installed or looked at)", linked.installed);
    }
    Ok(0)
}
