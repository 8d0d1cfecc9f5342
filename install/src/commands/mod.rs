//! The commands.

pub(crate) mod add;
pub(crate) mod analyze;
pub(crate) mod audit;
mod auto_install;
pub(crate) mod create;
pub(crate) mod exec;
pub(crate) mod foreground;
pub(crate) mod global;
pub(crate) mod help;
mod info;
pub(crate) mod init;
pub(crate) mod install;
mod installed;
pub(crate) mod link;
pub(crate) mod outdated;
pub(crate) mod pack;
pub(crate) mod patch;
mod patch_diff;
pub(crate) mod pkg;
mod pm;
mod prune;
pub(crate) mod publish;
pub(crate) mod query;
mod style;
pub(crate) mod update;
mod upgrade;
pub(crate) mod version;

use crate::config::{Config, Options, command_flags, parse_args};
use crate::error::{Code, Error, Result};

/// Runs a command of the package manager. `arguments` starts with its name; `product` and `version` are what first lines name. `x` and
/// `create` leave it to the caller to become a program.
pub fn start(arguments: &[String], product: &'static str, version: String) -> exec::Outcome {
    crate::ui::present_as(product, version);
    let outcome = match arguments.split_first() {
        Some((name, rest)) if name == "x" => exec::prepare(rest),
        Some((name, rest)) if name == "create" || name == "c" => create::prepare(rest),
        _ => dispatch(arguments).map(exec::Outcome::Exit),
    };
    outcome.unwrap_or_else(|error| exec::Outcome::Exit(report(error)))
}

fn report(error: Error) -> u8 {
    crate::ui::error(&error);
    error.exit
}

fn dispatch(arguments: &[String]) -> Result<u8> {
    let (name, rest) = arguments.split_first().ok_or_else(|| Error::new(Code::Usage, "a command is needed"))?;
    if help::wanted(rest) && help::print(name) {
        return Ok(0);
    }
    if let Some(result) = with_own_flags(name, rest) {
        return result;
    }
    let options = enter(parse_args(rest)?)?;
    match name.as_str() {
        "install" | "i" | "ci" if !options.positionals.is_empty() => add::add(&options),
        "install" | "i" => install::command(&options, "install"),
        "ci" => install::command(&options, "ci"),
        "add" | "a" => add::add(&options),
        "remove" | "rm" | "r" | "uninstall" => add::remove(&options),
        "update" | "up" => update::update(&options),
        "dedupe" => add::dedupe(&options),
        "outdated" => outdated::outdated(&options),
        "link" => link::link(&options),
        "unlink" => link::unlink(&options),
        "why" => query::why(&options, &options.positionals),
        "list" | "ls" => query::list(&options, &options.positionals),
        "info" | "view" => info::info(&options, &options.positionals),
        "audit" => audit::audit(&options),
        "prune" => prune::prune(&options),
        "pm" => query::pm(&options),
        _ => Err(Error::new(Code::NotImplemented, format!("the command {name} does not exist yet"))),
    }
}

/// Commands that have flags of their own; nothing for the others.
fn with_own_flags(name: &str, rest: &[String]) -> Option<Result<u8>> {
    match name {
        "pack" => Some(pack::command(rest)),
        "publish" => Some(publish::command(rest)),
        "patch" | "patch-commit" => Some(patch::command(name, rest)),
        "init" => Some(init::command(rest)),
        "upgrade" => Some(upgrade::command(rest)),
        "pm" => {
            let (at, word) = command_flags::first_word(rest)?;
            let without = || [&rest[..at], &rest[at + 1..]].concat();
            match word {
                "pack" => Some(pack::command(&without())),
                "version" => Some(version::command(&without())),
                "pkg" => Some(pkg::command(&without())),
                "whoami" => {
                    Some(parse_args(&without()).and_then(enter).and_then(|options| publish::send::whoami(&options)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Changes to the directory of `--cwd`.
pub(crate) fn enter(options: Options) -> Result<Options> {
    if let Some(dir) = &options.cwd {
        std::env::set_current_dir(dir).map_err(|error| Error::io("cannot change to", dir, error))?;
    }
    Ok(options)
}

/// Project directory, own package's directory and settings for a command in the current directory.
pub(crate) fn context(options: &Options) -> Result<(std::path::PathBuf, std::path::PathBuf, Config)> {
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let (root, own) = match crate::project::Project::find(&here)? {
        Some(found) => found,
        None => (here.clone(), here),
    };
    let config = Config::load(&root, options)?;
    if config.global {
        let root = global::root(&config)?;
        return Ok((root.clone(), root.clone(), Config::load(&root, options)?));
    }
    Ok((root, own, config))
}
