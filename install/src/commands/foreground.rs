//! Scripts of the project that a command runs in the foreground: `prepack`, `version`, `postpublish` and the like.

use json::Value;

use crate::error::{Code, Error, Result};
use crate::link::scripts::Environment;
use std::path::Path;
use std::process::Command;

/// A script of package.json; an empty one is none.
pub(crate) fn script<'a>(manifest: &'a Value<'_>, name: &str) -> Option<&'a str> {
    manifest.get("scripts")?.get(name)?.str().filter(|text| !text.trim().is_empty())
}

/// Runs one script of `manifest`, if it has it, with the terminal as its own. `command` is what `npm_command` says. Whether it ran.
///
/// # Errors
/// It could not be started or failed; its exit code becomes this program's.
pub(crate) fn run(dir: &Path, manifest: &Value<'_>, name: &str, command: &str, silent: bool) -> Result<bool> {
    run_with(dir, manifest, name, command, silent, &[])
}

/// Like [`run`], with further variables.
pub(crate) fn run_with(
    dir: &Path,
    manifest: &Value<'_>,
    name: &str,
    command: &str,
    silent: bool,
    variables: &[(&str, &str)],
) -> Result<bool> {
    let Some(text) = script(manifest, name) else { return Ok(false) };
    run_line(dir, manifest, name, text, command, silent, variables)?;
    Ok(true)
}

/// Runs a line of shell as the script `name` of a package.
pub(crate) fn run_line(
    dir: &Path,
    manifest: &Value<'_>,
    name: &str,
    line: &str,
    command: &str,
    silent: bool,
    variables: &[(&str, &str)],
) -> Result<()> {
    if !silent {
        use std::io::Write;
        // What was printed before must stand before the script's output.
        let _ = std::io::stdout().flush();
        base::stderr_line!("$ {line}");
    }
    let environment = Environment::new(dir)?;
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(line).current_dir(dir);
    environment.apply(&mut shell, dir, manifest, manifest.text("name"), name, line);
    shell.env("npm_command", command).envs(variables.iter().copied());
    let status = shell.status().map_err(|error| Error::io("cannot run the script in", dir, error))?;
    if status.success() {
        return Ok(());
    }
    let why = match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was terminated by signal {signal}"),
        _ => "failed".to_owned(),
    };
    let mut error = Error::new(Code::Script, format!("script \"{name}\" {why}"));
    error.exit = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(error)
}
