//! What the project asks of its tools: `engines`, `packageManager` and `devEngines` of package.json. A mismatch is a warning; it is an
//! error with `--engine-strict` (`engine-strict` in .npmrc, `engineStrict` in bunfig.toml) and, for `devEngines`, where `onFail` says
//! so, as in npm. `--ignore-engines` looks at nothing, `--force` makes errors warnings.

use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::model::graph::{Behavior, Graph};
use crate::model::plan::{NO_ID, Plan};
use crate::model::platform::{CPU, LIBC, Names, OS};
use crate::project::Project;
use json::Value;
use semver::{Range, Version};

/// The versions that programs see: `process.version` and `Bun.version` of the runtime.
const NODE: &str = "25.8.0";
const BUN: &str = "1.4.5";

/// The version of a tool that this program stands for, by its name in `engines` or `devEngines`.
fn version_of(name: &str) -> Option<&'static str> {
    match name {
        "node" => Some(NODE),
        "bun" => Some(BUN),
        "bao" => Some(env!("CARGO_PKG_VERSION")),
        _ => None,
    }
}

/// What is wrong with a version, if anything. Tools that this program does not stand for are not looked at.
fn mismatch(name: &str, range: &str) -> Option<String> {
    let have = version_of(name)?;
    let parsed = Range::parse(range)?;
    let version = Version::parse(have)?;
    (!parsed.contains(&version)).then(|| format!("{name} {range} is wanted, bao is {name} {have}"))
}

/// `engines` of one package: what does not fit.
pub(crate) fn engines(manifest: &Value<'_>) -> Vec<String> {
    let list = manifest.get("engines").map_or(&[][..], Value::members);
    list.iter().filter_map(|engine| mismatch(&engine.key, engine.value.str()?)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFail {
    Ignore,
    Warn,
    Error,
}

/// Checks the project's own packages.
///
/// # Errors
/// Something does not fit and has to.
pub(crate) fn check(project: &Project, config: &Config) -> Result<()> {
    if config.ignore_engines {
        return Ok(());
    }
    for manifest in &project.manifests {
        let keys = ["\"engines\"", "\"packageManager\"", "\"devEngines\""];
        if !keys.iter().any(|key| manifest.text.contains(key)) {
            continue;
        }
        let Ok(value) = Value::parse(manifest.text.as_bytes()) else { continue };
        let name = value.text("name");
        let whose = if name.is_empty() { "package.json" } else { name };
        for what in engines(&value) {
            report(whose, &what, if config.engine_strict { OnFail::Error } else { OnFail::Warn }, config)?;
        }
        if manifest.path.is_empty() {
            package_manager(whose, &value, config)?;
            dev_engines(whose, &value, config)?;
        }
    }
    Ok(())
}

fn report(whose: &str, what: &str, on_fail: OnFail, config: &Config) -> Result<()> {
    match on_fail {
        OnFail::Ignore => Ok(()),
        OnFail::Error if !config.force => Err(Error::new(Code::Usage, format!("{whose}: {what}"))
            .hint("--ignore-engines installs all the same; --force makes this a warning")),
        _ => {
            if !config.silent {
                crate::warn_line!("<yellow>warn<r>: {whose}: {what}");
            }
            Ok(())
        }
    }
}

/// `"packageManager": "pnpm@9.1.0"`.
fn package_manager(whose: &str, manifest: &Value<'_>, config: &Config) -> Result<()> {
    let wanted = manifest.text("packageManager");
    if wanted.is_empty() {
        return Ok(());
    }
    let (name, version) = wanted.rsplit_once('@').filter(|(name, _)| !name.is_empty()).unwrap_or((wanted, ""));
    let version = version.split('+').next().unwrap_or(version);
    let on_fail = if config.engine_strict { OnFail::Error } else { OnFail::Warn };
    match version_of(name) {
        None => report(whose, &format!("its package manager is {wanted}, this is bao"), on_fail, config),
        // Bun's releases differ in nothing that a lockfile would show within a major version.
        Some(have) if !version.is_empty() && version.split('.').next() != have.split('.').next() => {
            report(whose, &format!("its package manager is {wanted}, bao is {name} {have}"), on_fail, config)
        }
        Some(_) => Ok(()),
    }
}

/// `devEngines`: each field an object or a list of alternatives, of which one has to fit. The last alternative's `onFail` counts.
fn dev_engines(whose: &str, manifest: &Value<'_>, config: &Config) -> Result<()> {
    for field in manifest.get("devEngines").map_or(&[][..], Value::members) {
        let one = std::slice::from_ref(&field.value);
        let list = if field.value.is_object() { one } else { field.value.items() };
        if list.is_empty() || list.iter().any(|wanted| fits(&field.key, wanted)) {
            continue;
        }
        let last = &list[list.len() - 1];
        let on_fail = match last.text("onFail") {
            "ignore" => OnFail::Ignore,
            "error" => OnFail::Error,
            _ if config.engine_strict => OnFail::Error,
            _ => OnFail::Warn,
        };
        let names: Vec<String> = list
            .iter()
            .map(|wanted| format!("{} {}", wanted.text("name"), wanted.text("version")).trim_end().to_owned())
            .collect();
        let what = format!("devEngines.{} is {}, this is {}", field.key, names.join(" or "), here(&field.key));
        report(whose, &what, on_fail, config)?;
    }
    Ok(())
}

fn here(field: &str) -> String {
    let one = |names: &Names, set: u16| names.list(set);
    let target = crate::model::platform::Target::here();
    match field {
        "os" => one(&OS, target.os),
        "cpu" => one(&CPU, target.cpu),
        "libc" => one(&LIBC, target.libc),
        "packageManager" => "bao".to_owned(),
        _ => format!("bao (node {NODE}, bun {BUN})"),
    }
}

fn fits(field: &str, wanted: &Value<'_>) -> bool {
    let (name, range) = (wanted.text("name"), wanted.text("version"));
    let target = crate::model::platform::Target::here();
    match field {
        "os" => OS.bit(name) & target.os != 0,
        "cpu" => CPU.bit(name) & target.cpu != 0,
        "libc" => LIBC.bit(name) & target.libc != 0,
        "runtime" | "packageManager" => {
            // Node is a runtime only.
            let known = version_of(name).filter(|_| field == "runtime" || name != "node");
            known.is_some_and(|_| range.is_empty() || mismatch(name, range).is_none())
        }
        // A field of the future.
        _ => true,
    }
}

/// Warns of dependencies of the project's own packages that are not for this system: they are left out.
pub(crate) fn platforms(graph: &Graph, members: &[u32], config: &Config) {
    let mut told: Vec<u32> = Vec::new();
    for dep in members.iter().flat_map(|&member| graph.packages.deps[member as usize].ids()) {
        let target = graph.deps.target[dep as usize];
        let behavior = graph.deps.behavior[dep as usize];
        let dev_only = behavior.has(Behavior::DEV) && !behavior.has(Behavior::PROD);
        if target == NO_ID || behavior.is_optional() || (dev_only && config.omit_dev) || told.contains(&target) {
            continue;
        }
        let (at, here) = (target as usize, &config.target);
        let fields = [
            ("os", &OS, graph.packages.os[at], here.os),
            ("cpu", &CPU, graph.packages.cpu[at], here.cpu),
            ("libc", &LIBC, graph.packages.libc[at], here.libc),
        ];
        for (field, names, wants, have) in fields {
            if here.excludes(
                if field == "os" { wants } else { OS.all() },
                if field == "cpu" { wants } else { CPU.all() },
                if field == "libc" { wants } else { LIBC.all() },
            ) && have != 0
            {
                told.push(target);
                let (label, wants) = (graph.label(target), names.list(wants));
                crate::warn_line!("<yellow>warn<r>: skipping {label}: unsupported platform (wants {field} {wants})");
                break;
            }
        }
    }
}

/// Checks `engines` of packages that were just put in place: those that the project names itself, all of them where a mismatch is an
/// error.
///
/// # Errors
/// A package is not for this version and has to be.
pub(crate) fn installed(plan: &Plan, changed: &[u32], direct: &[u32], config: &Config) -> Result<()> {
    if config.ignore_engines || (config.silent && !config.engine_strict) {
        return Ok(());
    }
    let list = if config.engine_strict { changed } else { direct };
    let mut problems = Vec::new();
    for &id in list {
        let package = &plan.packages[id as usize];
        if package.cache_dir.is_empty() || changed.binary_search(&id).is_err() {
            continue;
        }
        let file = config.cache_dir.join(plan.str(package.cache_dir)).join("package.json");
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        if !text.contains("\"engines\"") {
            continue;
        }
        let Ok(value) = Value::parse(text.as_bytes()) else { continue };
        let label = format!("{}@{}", plan.str(package.name), plan.str(package.version));
        problems.extend(engines(&value).into_iter().map(|what| (label.clone(), what)));
    }
    problems.sort();
    problems.dedup();
    for (label, what) in &problems {
        report(label, what, if config.engine_strict { OnFail::Error } else { OnFail::Warn }, config)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        engines(&Value::parse(text.as_bytes()).unwrap_or_else(|_| panic!("JSON")))
    }

    #[test]
    fn ranges() {
        assert!(told(r#"{"engines":{"node":">=18","bun":"^1.0.0","npm":"<2","vscode":"^1"}}"#).is_empty());
        assert_eq!(told(r#"{"engines":{"node":"<20"}}"#), ["node <20 is wanted, bao is node 25.8.0"]);
        assert!(told(r#"{"engines":["node >= 0.8"]}"#).is_empty());
    }

    #[test]
    fn development() {
        let value = |text: &'static str| Value::parse(text.as_bytes()).unwrap_or_else(|_| panic!("JSON"));
        assert!(fits("runtime", &value(r#"{"name":"node","version":">=22"}"#)));
        assert!(!fits("runtime", &value(r#"{"name":"node","version":"^20"}"#)));
        assert!(!fits("runtime", &value(r#"{"name":"deno"}"#)));
        assert!(fits("packageManager", &value(r#"{"name":"bun"}"#)));
        assert!(!fits("packageManager", &value(r#"{"name":"pnpm"}"#)));
        assert!(!fits("os", &value(r#"{"name":"win32"}"#)));
    }
}
