//! The environment of scripts and package binaries: the search path and npm's variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::find;
use crate::manifest::Manifest;
use crate::output::{Failure, Outcome};
use crate::start::Identity;
use store::shims::{self, Shims};

/// What all scripts of one call of bao share.
pub(crate) struct Session<'a> {
    pub identity: &'a Identity,
    /// This executable.
    pub executable: &'a str,
    /// Where bao was called.
    pub cwd: PathBuf,
    /// The search path as bao got it.
    path: Option<OsString>,
    shims: Option<Shims>,
    /// The `node` that scripts find.
    node: Option<PathBuf>,
    /// `--bun`, or packages in archives, which no other `node` reads.
    bun: bool,
    /// The packages are in archives.
    archived: bool,
    /// Scripts run in Bun's shell, which is this executable, and not in /bin/sh.
    pub bun_shell: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(identity: &'a Identity, executable: &'a str, cwd: PathBuf, bun: bool) -> Outcome<Session<'a>> {
        let path = std::env::var_os("PATH");
        let archived = store::are_packages_of(&cwd);
        let bun = bun || archived;
        let shims = match shims::ensure(executable) {
            Ok(shims) => Some(shims),
            Err(error) if bun => return Err(Failure::io("cannot make a `node` for --bun", &error)),
            // Without them a script that needs one says so itself.
            Err(_) => None,
        };
        let shim_node = || shims.as_ref().map(|shims| shims.node.join("node"));
        let node = if bun { shim_node() } else { find::on_path(path.as_deref(), "node").or_else(shim_node) };
        Ok(Session { identity, executable, cwd, path, shims, node, bun, archived, bun_shell: false })
    }

    /// Prepares the start of a package's program, which may be machine code that reads other packages ([`store::prepare_program`]).
    pub(crate) fn prepare(&self, program: &Path) {
        if self.archived
            && let Err(error) = store::prepare_program(program)
        {
            crate::output::warn(&format!("packages cannot be put on the disk for {}: {error}", program.display()));
        }
    }

    /// The same for all commands that a script of the package in `dir` names.
    pub(crate) fn prepare_commands(&self, script: &str, dir: &Path) {
        if !self.archived {
            return;
        }
        let words = script.split(|char: char| char.is_whitespace() || ";|&()<>'\"`$".contains(char));
        for program in words.filter(|word| !word.is_empty()).filter_map(|word| find::package_binary(dir, word)) {
            self.prepare(&program);
        }
    }

    /// The search path for a package: with `--bun` the links to bao, then the package's and its parents' binaries, then
    /// the outer path, then the links for names that nothing before has.
    pub(crate) fn search_path(&self, dir: &Path) -> OsString {
        let mut dirs: Vec<PathBuf> = Vec::new();
        if let (true, Some(shims)) = (self.bun, &self.shims) {
            dirs.extend([shims.node.clone(), shims.bao.clone()]);
            if self.archived {
                dirs.push(shims.npx.clone());
            }
        }
        dirs.extend(find::bin_dirs(dir));
        if let Some(path) = &self.path {
            // A script within a script: what is already in front need not be there twice.
            let outer: Vec<PathBuf> = std::env::split_paths(path).filter(|dir| !dirs.contains(dir)).collect();
            dirs.extend(outer);
        }
        if let Some(shims) = &self.shims {
            // Last, so that they only serve names that nothing else has.
            if !dirs.contains(&shims.bao) {
                dirs.push(shims.bao.clone());
            }
            if self.node.as_deref() == Some(&shims.node.join("node")) && !dirs.contains(&shims.node) {
                dirs.push(shims.node.clone());
            }
        }
        // A directory with a colon in its name cannot be on a search path.
        dirs.retain(|dir| !dir.as_os_str().as_encoded_bytes().contains(&b':'));
        std::env::join_paths(dirs).unwrap_or_default()
    }

    /// Variables for anything run in `dir`.
    pub(crate) fn variables(&self, dir: &Path) -> Vec<(&'static str, OsString)> {
        let mut variables: Vec<(&'static str, OsString)> = vec![
            ("PATH", self.search_path(dir)),
            ("npm_execpath", self.executable.into()),
            ("npm_config_user_agent", self.identity.user_agent().into()),
            ("npm_config_local_prefix", dir.into()),
        ];
        if let Some(node) = &self.node {
            variables.push(("NODE", node.into()));
            variables.push(("npm_node_execpath", node.into()));
        }
        // The place where the outermost call was made.
        if std::env::var_os("INIT_CWD").is_none() {
            variables.push(("INIT_CWD", self.cwd.clone().into()));
        }
        variables
    }

    /// Adds the variables of one script of a package to those of its directory.
    pub(crate) fn apply(&self, command: &mut std::process::Command, package: &Manifest, event: &str, script: &str) {
        command.envs(self.variables(&package.dir));
        command.env("npm_command", "run-script");
        command.env("npm_lifecycle_event", event);
        command.env("npm_lifecycle_script", script);
        command.env("npm_package_json", package.path());
        // Not those of an outer script.
        for (name, value) in [("npm_package_name", &package.name), ("npm_package_version", &package.version)] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        for (key, value) in &package.config {
            command.env(format!("npm_package_config_{key}"), value);
        }
    }
}
