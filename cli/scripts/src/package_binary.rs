//! A package's command that the package manager has found or installed (`bao x`): this process becomes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::Session;
use crate::find;
use crate::output::{Failure, Outcome};
use crate::script;
use crate::start::{Identity, current_dir, executable, process_variable};

/// What to start.
#[derive(Debug)]
pub struct PackageBinary<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    /// `--bun`: what asks for node is run by bao.
    pub bun: bool,
    /// Directories in front of the search path.
    pub path: &'a [PathBuf],
    /// What was asked for.
    pub package: &'a str,
    /// Files of `--env-file`.
    pub env_files: &'a [String],
}

/// Becomes the program. Returns the exit code if that fails, and with `--no-orphans`, where this process stays.
pub fn launch(identity: &Identity, binary: &PackageBinary<'_>) -> i32 {
    become_it(identity, binary).unwrap_or_else(|failure| failure.report())
}

fn become_it(identity: &Identity, binary: &PackageBinary<'_>) -> Outcome<i32> {
    let executable = executable()?;
    let session = Session::new(identity, &executable, current_dir()?, binary.bun)?;
    // A script without a first line that says who runs it.
    let script =
        matches!(find::extension(&binary.program.to_string_lossy()), Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts"));
    let target = std::fs::canonicalize(binary.program).unwrap_or_else(|_| binary.program.to_owned());
    let script = script
        || matches!(
            find::extension(&target.to_string_lossy()),
            Some("js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx")
        );
    session.prepare(&target);
    let mut command = if script && !has_interpreter(&target) {
        let mut command = Command::new(&executable);
        command.arg(binary.program);
        command
    } else {
        Command::new(binary.program)
    };
    let mut loaded = dotenv::Loaded::new();
    for file in binary.env_files.iter().rev() {
        let text =
            std::fs::read(file).map_err(|error| Failure::io(format!("cannot read {file} (--env-file)"), &error))?;
        loaded.add(&String::from_utf8_lossy(&text), &process_variable);
    }
    command.args(binary.arguments).envs(loaded.into_variables()).envs(session.variables(&session.cwd));
    command.env("npm_command", "exec").env("npm_lifecycle_event", "bunx").env("npm_lifecycle_script", binary.package);
    if !binary.path.is_empty() {
        let inner = session.variables(&session.cwd).into_iter().find(|(name, _)| *name == "PATH").map(|(_, path)| path);
        let mut dirs: Vec<PathBuf> = std::env::split_paths(&inner.unwrap_or_default()).collect();
        // With --bun the links to bao stay in front.
        let at = if binary.bun { 2.min(dirs.len()) } else { 0 };
        dirs.splice(at..at, binary.path.iter().cloned());
        if let Ok(path) = std::env::join_paths(dirs) {
            command.env("PATH", path);
        }
    }
    script::become_command(command, binary.program)
}

fn has_interpreter(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0u8; 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"#!"
}
