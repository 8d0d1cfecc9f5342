//! `pm migrate`: the lockfile of another tool becomes a bun.lock.

use crate::commands::install::{self, Change};
use crate::config::Options;
use crate::error::{Code, Error, Result};
use crate::lockfile::migrate;
use crate::project::Project;
use std::time::Instant;

/// `pm migrate`: writes bun.lock and installs nothing.
///
/// # Errors
/// There is a bun.lock (without --force), or nothing to migrate, or it cannot be migrated.
pub(super) fn migrate(options: &Options) -> Result<u8> {
    let (root, _own, mut config) = crate::commands::context(options)?;
    if root.join("bun.lock").exists() && !config.force {
        return Err(Error::new(Code::Usage, "bun.lock already exists").hint("run with --force to overwrite it"));
    }
    let mut project = Project::load(&root)?;
    if !migrate::exists(&root) {
        return Err(Error::new(Code::Usage, "could not find any other lockfile")
            .hint("package-lock.json, yarn.lock, pnpm-lock.yaml and bun.lockb are looked for"));
    }
    (config.force, config.save_text) = (false, true);
    (config.lockfile_only, config.frozen, config.summary, config.progress) = (true, false, false, false);
    let dry_run = config.dry_run;
    let change = Change { migrating: true, ..Default::default() };
    let code = install::run(&mut project, &config, "migrate", Instant::now(), &change)?;
    if dry_run && code == 0 {
        crate::say!("dry run: would write bun.lock");
    }
    Ok(code)
}
