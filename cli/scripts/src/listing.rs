//! `bao run` without a name: the scripts of the package.

use crate::manifest::Manifest;
use crate::output;

/// The list for standard output.
pub(crate) fn scripts(package: &Manifest) -> String {
    if package.scripts.is_empty() {
        return format!("No \"scripts\" found in {}.\n", package.path().display());
    }
    let (dim, bold, reset) =
        if output::colors(&std::io::stdout()) { ("\x1b[2m", "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
    let mut text = format!("package.json scripts ({} found):\n", package.scripts.len());
    for (name, command) in &package.scripts {
        text.push_str(&format!("  {dim}$ bao run{reset} {bold}{name}{reset}\n"));
        for line in command.lines() {
            text.push_str(&format!("    {dim}{line}{reset}\n"));
        }
        text.push('\n');
    }
    text
}
