//! The phase that writes: bun.lock, yarn.lock and package.json files.

use super::prepare::Resolved;
use super::{Found, Install};
use crate::atomic_write::write_atomic;
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::lockfile;
use crate::model::hoisted_tree::Tree;
use std::path::Path;

/// What was written.
#[derive(Clone, Copy, Default)]
pub(super) struct Saved {
    /// The name of the lockfile, if it is new.
    pub(super) lockfile: Option<&'static str>,
    /// `update` changed a package.json.
    pub(super) manifests: bool,
}

/// Writes the lockfile that a project has anew: bun.lockb where there is no bun.lock.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn rewrite_lockfile(root: &Path, config: &Config, resolved: &mut Resolved) -> Result<()> {
    let binary = !root.join("bun.lock").exists() && root.join("bun.lockb").exists();
    let (file, bytes) = encoded(config, resolved, binary);
    let path = root.join(file);
    if std::fs::read(&path).is_ok_and(|old| old == bytes) { Ok(()) } else { write_atomic(&path, bytes) }
}

/// The name and the bytes of the lockfile.
fn encoded(config: &Config, resolved: &mut Resolved, binary: bool) -> (&'static str, Vec<u8>) {
    let Resolved { graph, members, extras, .. } = resolved;
    // Twice: the first tree finds packages for optional peers, which then have a place of their own in the second.
    Tree::build(graph, |_, _, _| false);
    let tree = Tree::build(graph, |_, _, _| false);
    if binary {
        let registry = |name: &str| &*config.registry_for(name).url;
        ("bun.lockb", lockfile::binary::write(graph, &tree, members, extras, &registry))
    } else {
        ("bun.lock", lockfile::write(graph, &tree, members, extras).into_bytes())
    }
}

impl Install<'_> {
    /// Writes what the resolution has changed.
    ///
    /// # Errors
    /// A file cannot be written; bun.lock would change with --frozen-lockfile.
    pub(super) fn save(&self, resolved: &mut Resolved, found: &Found) -> Result<Saved> {
        let lockfile = self.save_lockfile(resolved, found)?;
        self.save_yarn_lock(resolved)?;
        let manifests = self.save_manifests()?;
        if lockfile && self.told() {
            crate::warn_line!("Saved lockfile");
        }
        let lockfile = lockfile.then(|| if self.writes_binary(found) { "bun.lockb" } else { "bun.lock" });
        Ok(Saved { lockfile, manifests })
    }

    /// bun.lock or bun.lockb. True if it was written.
    fn save_lockfile(&self, resolved: &mut Resolved, found: &Found) -> Result<bool> {
        let (config, change) = (self.config, self.change);
        // --save-text-lockfile: a bun.lockb becomes a bun.lock of the same content, which is allowed where nothing else is.
        let convert = found.binary && config.save_text;
        let binary = self.writes_binary(found);
        let changed = if binary && found.binary { resolved.differs } else { resolved.changed };
        let differs = changed && (!config.frozen || convert);
        let found_one = resolved.old_text.is_some() || found.replaced.is_some();
        if !differs && change.release.is_none() && !change.fresh && found_one {
            return Ok(false);
        }
        let (file, bytes) = encoded(config, resolved, binary);
        let old_text = resolved.old_text.as_deref().or(found.replaced.as_deref());
        let empty = resolved.graph.packages.deps[0].len == 0 && resolved.members.len() == 1;
        let writes = config.save && config.save_lockfile && !config.dry_run && (!config.frozen || convert);
        if empty && old_text.is_some() && writes {
            return self.remove_lockfile(if found.binary { "bun.lockb" } else { file }).map(|()| false);
        }
        if empty && old_text.is_none() {
            if writes && self.told() {
                crate::warn_line!("No packages! Deleted empty lockfile");
            }
            return Ok(false);
        }
        let same = match binary {
            true => std::fs::read(self.root.join(file)).is_ok_and(|old| old == bytes),
            false => old_text.is_some_and(|old| old.as_bytes() == bytes),
        };
        if same {
            return Ok(false);
        }
        if config.frozen && !convert {
            return Err(Error::new(Code::Frozen, "lockfile had changes, but lockfile is frozen"));
        }
        if writes {
            self.write_lockfile(file, &bytes, found, convert)?;
        }
        Ok(writes)
    }

    /// Whether the lockfile is a bun.lockb: a project keeps the one that it has, and `saveTextLockfile = false` asks for one where there
    /// is none of bao's or Bun's.
    fn writes_binary(&self, found: &Found) -> bool {
        let config = self.config;
        !config.save_text && (found.binary || config.save_binary) && !self.root.join("bun.lock").exists()
    }

    /// A project without dependencies has no bun.lock.
    fn remove_lockfile(&self, file: &str) -> Result<()> {
        match std::fs::remove_file(self.root.join(file)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("cannot remove", file, error));
            }
            _ => {}
        }
        if self.told() {
            match self.change.removed.is_empty() {
                true => crate::warn_line!("No packages! Deleted empty lockfile"),
                false => crate::warn_line!("\npackage.json has no dependencies! Deleted empty lockfile"),
            }
        }
        Ok(())
    }

    /// Writes the lockfile and the package.json files that a migration has edited; `convert`: bun.lockb goes.
    fn write_lockfile(&self, file: &str, bytes: &[u8], found: &Found, convert: bool) -> Result<()> {
        for manifest in &self.project.manifests {
            let path = self.root.join(&manifest.path).join("package.json");
            if found.edited.contains(&path) {
                write_atomic(&path, &manifest.text)?;
            }
        }
        if !self.config.silent && !found.notes.is_empty() {
            base::stderr_line!("{}", found.notes.join("\n"));
        }
        write_atomic(&self.root.join(file), bytes)?;
        if convert {
            let path = self.root.join("bun.lockb");
            std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
        }
        Ok(())
    }

    /// yarn.lock, with `--yarn`.
    fn save_yarn_lock(&self, resolved: &mut Resolved) -> Result<()> {
        let config = self.config;
        if !config.yarn || !config.save || config.lockfile_only || config.dry_run {
            return Ok(());
        }
        let tree = Tree::build(&mut resolved.graph, |_, _, _| false);
        let registry = |name: &str| &*config.registry_for(name).url;
        let text = lockfile::yarn::write(&resolved.graph, &tree, &resolved.members, &registry);
        let path = self.root.join("yarn.lock");
        if std::fs::read(&path).ok().as_deref() == Some(text.as_bytes()) { Ok(()) } else { write_atomic(&path, &text) }
    }

    /// The package.json files that the command has edited. True if `update` changed one.
    fn save_manifests(&self) -> Result<bool> {
        let (config, change) = (self.config, self.change);
        let mut updated = false;
        if !change.write || !config.save || config.dry_run {
            return Ok(false);
        }
        for &at in &change.edited {
            let manifest = &self.project.manifests[at];
            if change.originals.get(at).is_some_and(|text| *text == manifest.text) {
                continue;
            }
            updated |= change.updating;
            write_atomic(&self.root.join(&manifest.path).join("package.json"), &manifest.text)?;
        }
        Ok(updated)
    }
}
