//! `pm untrusted` and `pm trust`: packages whose install scripts were not run, and running them after all.

use json::{Document, Value};

use crate::commands::installed;
use crate::commands::style::{Style, count};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::link::scripts::{self, Environment};
use crate::model::plan::{HAS_INSTALL_SCRIPT, Kind, Linker, PackageId, Plan, TRUSTED};
use crate::project::Project;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A package with scripts that may not run.
struct Blocked {
    package: PackageId,
    name: String,
    version: String,
    /// Below the project.
    path: String,
    /// Events and commands.
    scripts: Vec<(&'static str, String)>,
}

fn blocked(plan: &Plan) -> Vec<Blocked> {
    let mut found = Vec::new();
    for (id, path) in installed::places(plan) {
        let package = &plan.packages[id as usize];
        // Of registry packages the lockfile says which have scripts.
        if package.flags & TRUSTED != 0 || (package.kind == Kind::Npm && package.flags & HAS_INSTALL_SCRIPT == 0) {
            continue;
        }
        let scripts = scripts::install_scripts(&plan.root.join(&path));
        if !scripts.is_empty() {
            let (name, version) = (plan.str(package.name).to_owned(), plan.str(package.version).to_owned());
            found.push(Blocked { package: id, name, version, path, scripts });
        }
    }
    found
}

fn open(options: &Options, what: &str) -> Result<(PathBuf, Config, Plan)> {
    let (root, _, config) = crate::commands::context(options)?;
    let plan = installed::present(options, &config, &root, what)?.plan;
    Ok((root, config, plan))
}

fn head(command: &str) {
    let Style { reset: r, bold: b, dim: d, .. } = Style::stderr();
    base::stderr_line!("{b}{} pm {command} {r}{d}{}{r}", crate::ui::product(), crate::ui::version());
}

fn describe(one: &Blocked, sign: &str, out: &mut String) {
    let Style { reset: r, dim: d, cyan, .. } = Style::stdout();
    let _ = writeln!(out, "{d}./{}{r} @{}", one.path, one.version);
    for (event, command) in &one.scripts {
        let _ =
            writeln!(out, " {d}{sign}{r} {d}[{r}{cyan}{event}{r}{d}]:{r} {}", crate::commands::style::safe(command));
    }
}

/// `pm untrusted`.
pub(super) fn untrusted(options: &Options) -> Result<u8> {
    head("untrusted");
    base::stderr_line!();
    let (_, _, plan) = open(options, "list")?;
    let found = blocked(&plan);
    let Style { reset: r, bold: b, .. } = Style::stdout();
    if found.is_empty() {
        crate::say!(
            "Found {b}0{r} untrusted dependencies with scripts.\n\nThis means all packages with scripts are in \"trustedDependencies\" or none of your dependencies have scripts."
        );
        return Ok(0);
    }
    let mut out = String::new();
    for one in &found {
        describe(one, "»", &mut out);
        out.push('\n');
    }
    crate::say!(
        "{out}These dependencies had their lifecycle scripts blocked during install.\n\nIf you trust them and wish to run their scripts, use `{} pm trust`.",
        crate::ui::product()
    );
    Ok(0)
}

/// Keeps what scripts print, to show it where one fails.
struct Output;

impl crate::link::Events for Output {
    fn script_output(&self, _package: &str, _event: &str, bytes: &[u8]) {
        use std::io::Write;
        let _ = std::io::stderr().write_all(bytes);
    }
}

/// `pm trust <name…>`, `pm trust --all`.
pub(super) fn trust(options: &Options, names: &[String]) -> Result<u8> {
    let start = Instant::now();
    head("trust");
    if names.is_empty() && !options.all {
        return Err(Error::new(Code::Usage, "expected package name(s) or --all").hint("bao pm trust esbuild"));
    }
    let (root, config, plan) = open(options, "trust")?;
    let mut chosen = blocked(&plan);
    let all = chosen.len();
    if !options.all {
        chosen.retain(|one| names.contains(&one.name));
    }
    crate::say!("");
    if chosen.is_empty() {
        let why = if options.all {
            "This means all dependencies are already trusted or none have scripts.".to_owned()
        } else {
            let list: Vec<String> = names.iter().map(|name| format!("\n - {name}")).collect();
            format!(
                "The following packages are already trusted, don't have scripts to run, or don't exist:\n{}",
                list.concat()
            )
        };
        return Err(Error::new(Code::Usage, format!("0 scripts ran. {why}")));
    }
    let packages: Vec<PackageId> = chosen.iter().map(|one| one.package).collect();
    let order = scripts::in_order(&plan, &packages);
    chosen.sort_by_key(|one| (order.iter().position(|id| *id == one.package), one.path.clone()));
    let mut added: Vec<String> = chosen.iter().map(|one| one.name.clone()).collect();
    added.sort();
    added.dedup();
    let total: usize = chosen.iter().map(|one| one.scripts.len()).sum();
    let Style { reset: r, bold: b, dim: d, .. } = Style::stdout();
    if config.dry_run {
        let mut out = String::new();
        for one in &chosen {
            describe(one, "»", &mut out);
            out.push('\n');
        }
        let _ = write!(out, "dry run: would run {} across {}", count(total, "script"), count(chosen.len(), "package"));
        out.push_str("\ndry run: would add to trustedDependencies:");
        added.iter().for_each(|name| out.push_str(&format!("\n - {name}")));
        crate::say!("{out}");
        return Ok(0);
    }
    if plan.linker == Linker::Store {
        // Their scripts write into them.
        super::materialize::put_on_disk(&plan, &config, &root, added.clone())?;
    }
    let environment = Environment::new(&root)?;
    let mut ran = 0;
    for one in &chosen {
        scripts::install(&root.join(&one.path), &one.name, &environment, &Output)?;
        let mut out = String::new();
        describe(one, "✓", &mut out);
        crate::say!("{out}");
        ran += one.scripts.len();
    }
    save(&root, &config, &added)?;
    let word = if ran == 1 { "script" } else { "scripts" };
    crate::say!(
        " {b}{ran}{r} {word} ran across {} {d}[{r}{b}{}{r}{d}]{r}",
        count(chosen.len(), "package"),
        crate::ui::elapsed(start)
    );
    if all > chosen.len() {
        let left = all - chosen.len();
        crate::say!("\n {b}{left}{r} {} with blocked scripts", if left == 1 { "package" } else { "packages" });
    }
    Ok(0)
}

/// Adds names to `trustedDependencies` of package.json and bun.lock.
fn save(root: &Path, config: &Config, added: &[String]) -> Result<()> {
    if !config.save {
        return Ok(());
    }
    let mut project = Project::load(root)?;
    let mut names: Vec<String> = {
        let value = crate::project::parse(&project.manifests[0].text, &root.join("package.json"))?;
        let items = value.get("trustedDependencies").map_or(&[][..], Value::items);
        items.iter().filter_map(|item| item.str().map(str::to_owned)).collect()
    };
    names.extend(added.iter().cloned());
    names.sort();
    names.dedup();
    let mut json = "[".to_owned();
    for (place, name) in names.iter().enumerate() {
        json.push_str(if place == 0 { "\n    " } else { ",\n    " });
        json::quote(name, &mut json);
    }
    json.push_str("\n  ]");
    let mut document = Document::new(&project.manifests[0].text);
    document.set(&["trustedDependencies"], &json, false);
    project.manifests[0].text = document.text;
    crate::atomic_write::write_atomic(&root.join("package.json"), &project.manifests[0].text)?;
    let Some(loaded) = crate::commands::install::prepare::load_lockfile(root, config)? else { return Ok(()) };
    let mut resolved = crate::commands::install::prepare::prepare(&project, Some(loaded))?;
    if config.save_lockfile {
        crate::commands::install::save::rewrite_lockfile(root, config, &mut resolved)?;
    }
    Ok(())
}
