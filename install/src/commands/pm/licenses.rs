//! `pm licenses`: installed packages by license, as their package.json files say.

use crate::commands::installed;
use crate::commands::style::{Style, banner, count, safe};
use crate::config::{Config, Options, Save};
use crate::error::{Code, Error, Result};
use crate::model::plan::{EdgeKind, PackageId, Plan};
use json::{Node, Value, quote};
use semver::Version;
use std::cmp::Ordering;
use std::fmt::Write;
use std::time::Instant;

struct Entry {
    name: String,
    version: String,
    /// Its first place.
    path: String,
    dev: bool,
    license: String,
    author: String,
    description: String,
    homepage: String,
}

/// `MIT`, `(MIT OR GPL)` for a list, `Unknown` where nothing is said.
fn license(manifest: &Value<'_>) -> String {
    let one = |value: &Value<'_>| value.str().unwrap_or_else(|| value.text("type")).trim().to_owned();
    for key in ["license", "licenses"] {
        let Some(value) = manifest.get(key) else { continue };
        if let Node::Array(items) = &value.node {
            let names: Vec<String> = items.iter().map(one).filter(|name| !name.is_empty()).collect();
            match names.len() {
                0 => {}
                1 => return names.into_iter().next().unwrap_or_default(),
                _ => return format!("({})", names.join(" OR ")),
            }
        } else {
            let name = one(value);
            if !name.is_empty() {
                return name;
            }
        }
    }
    "Unknown".to_owned()
}

fn person(value: Option<&Value<'_>>) -> String {
    let Some(value) = value else { return String::new() };
    if let Some(text) = value.str() {
        return text.to_owned();
    }
    let mut out = value.text("name").to_owned();
    for (key, open, close) in [("email", '<', '>'), ("url", '(', ')')] {
        if !value.text(key).is_empty() {
            let _ = write!(out, "{}{open}{}{close}", if out.is_empty() { "" } else { " " }, value.text(key));
        }
    }
    out
}

/// Packages that are reached from `start`; `dev` tells whether development dependencies of the project and its members are followed.
fn reached(plan: &Plan, start: &[PackageId], members: &[PackageId], dev: bool) -> Vec<bool> {
    let mut seen = vec![false; plan.packages.len()];
    let mut stack = start.to_vec();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id as usize], true) {
            continue;
        }
        for edge in plan.edges_of(&plan.packages[id as usize]) {
            let own = members.contains(&id);
            if edge.kind != EdgeKind::Workspace && (dev || !own || edge.kind != EdgeKind::Dev) {
                stack.push(edge.package);
            }
        }
    }
    seen
}

/// `pm licenses [list]`.
pub(super) fn licenses(options: &Options, rest: &[String]) -> Result<u8> {
    let start = Instant::now();
    match rest.first().map(String::as_str) {
        None | Some("list" | "ls") => {}
        Some(other) => {
            return Err(Error::new(Code::Usage, format!("unknown subcommand \"{other}\" for bao pm licenses"))
                .hint("did you mean `bao pm licenses list`?"));
        }
    }
    let (root, _, config) = crate::commands::context(options)?;
    let wanted = installed::present(options, &config, &root, "list")?;
    let plan = &wanted.plan;
    let members: Vec<PackageId> = wanted.members.iter().map(|member| member.0).collect();
    let chosen = chosen(&root, &config, &members)?;
    if !root.join("node_modules").is_dir() {
        return Err(Error::new(Code::Usage, "node_modules not found, nothing to list").hint("run `bao install` first"));
    }
    let only_dev = options.save_to == Save::Dev;
    let all = reached(plan, &chosen, &members, true);
    let production = reached(plan, &chosen, &members, false);
    let own_dev: Vec<PackageId> = chosen
        .iter()
        .flat_map(|&id| plan.edges_of(&plan.packages[id as usize]))
        .filter(|edge| edge.kind == EdgeKind::Dev)
        .map(|edge| edge.package)
        .collect();
    let development = reached(plan, &own_dev, &members, true);
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = vec![false; plan.packages.len()];
    let (mut unread, mut checked) = (0, 0);
    for (id, path) in installed::places(plan) {
        let dev = !production[id as usize];
        if !all[id as usize] || at[id as usize] || (only_dev && !development[id as usize]) {
            continue;
        }
        at[id as usize] = true;
        checked += 1;
        let text = crate::project::read_manifest(&root.join(&path)).ok().flatten();
        let Some(text) = text else {
            unread += 1;
            continue;
        };
        let Ok(manifest) = Value::parse(text.as_bytes()) else {
            unread += 1;
            continue;
        };
        let repository =
            manifest.get("repository").map_or("", |value| value.str().unwrap_or_else(|| value.text("url")));
        let homepage = manifest.text("homepage");
        let package = &plan.packages[id as usize];
        entries.push(Entry {
            name: plan.str(package.name).to_owned(),
            version: plan.str(package.version).to_owned(),
            path: root.join(&path).display().to_string(),
            dev,
            license: license(&manifest),
            author: person(manifest.get("author")),
            description: manifest.text("description").to_owned(),
            homepage: if homepage.is_empty() { repository } else { homepage }.to_owned(),
        });
    }
    if unread > 0 {
        crate::warn_line!(
            "<r><yellow>warn<r>: {} in bun.lock {} not installed and {} skipped\n  hint: run `bao install` first",
            count(unread, "package"),
            if unread == 1 { "is" } else { "are" },
            if unread == 1 { "was" } else { "were" }
        );
    }
    entries.sort_by(|a, b| {
        let version =
            |entry: &Entry, other: &Entry| match (Version::parse(&entry.version), Version::parse(&other.version)) {
                (Some(a), Some(b)) => a.order(&b),
                _ => Ordering::Equal,
            };
        group(&a.license).cmp(&group(&b.license)).then_with(|| a.name.cmp(&b.name)).then_with(|| version(a, b))
    });
    if options.json {
        print_json(&entries);
        return Ok(0);
    }
    if !config.silent {
        banner("pm licenses");
    }
    print_list(&entries, checked, options.has("long"), start);
    Ok(0)
}

/// Groups are sorted without regard to case and brackets; what is unknown comes last.
fn group(license: &str) -> (bool, String, &str) {
    (license == "Unknown", license.trim_start_matches('(').to_ascii_lowercase(), license)
}

fn chosen(root: &std::path::Path, config: &Config, members: &[PackageId]) -> Result<Vec<PackageId>> {
    if config.filter.is_empty() {
        return Ok(members.to_vec());
    }
    let project = crate::project::Project::load(root)?;
    let selected = crate::filter::select(&project, &config.filter);
    let found: Vec<PackageId> =
        members.iter().zip(&selected.chosen).filter(|(_, chosen)| **chosen).map(|(member, _)| *member).collect();
    if found.is_empty() {
        let names = config.filter.join("\", \"");
        return Err(Error::new(Code::Usage, format!("No workspace packages matched the filter \"{names}\"")));
    }
    Ok(found)
}

fn print_list(entries: &[Entry], checked: usize, long: bool, start: Instant) {
    let Style { reset: r, bold: b, dim: d, .. } = Style::stdout();
    let mut out = String::new();
    let mut groups = 0;
    for group in entries.chunk_by(|a, b| a.license == b.license) {
        groups += 1;
        let _ = writeln!(out, "{b}{}{r} {d}({}){r}", safe(&group[0].license), group.len());
        for (place, entry) in group.iter().enumerate() {
            let last = place + 1 == group.len();
            let note = if entry.dev { " (dev)" } else { "" };
            let arm = if last { "└──" } else { "├──" };
            let _ = writeln!(out, "{d}{arm}{r} {}{d}@{}{note}{r}", entry.name, entry.version);
            if long {
                for line in [&entry.author, &entry.description, &entry.homepage] {
                    let line = safe(line).replace('\n', " ");
                    if !line.is_empty() {
                        let _ = writeln!(out, "{d}{}{line}{r}", if last { "    " } else { "│   " });
                    }
                }
            }
        }
        out.push('\n');
    }
    let found = match entries.len() {
        0 => "No packages to list".to_owned(),
        number => format!("{} across {}", count(number, "package"), count(groups, "license")),
    };
    let _ = write!(
        out,
        "{found} {d}(checked {} in bun.lock){r} {d}[{r}{b}{}{r}{d}]{r}",
        count(checked, "package"),
        crate::ui::elapsed(start)
    );
    crate::say!("{out}");
}

fn print_json(entries: &[Entry]) {
    let mut out = "{".to_owned();
    for (place, group) in entries.chunk_by(|a, b| a.license == b.license).enumerate() {
        out.push_str(if place == 0 { "\n  " } else { ",\n  " });
        quote(&group[0].license, &mut out);
        out.push_str(": [");
        for (place, same) in group.chunk_by(|a, b| a.name == b.name).enumerate() {
            out.push_str(if place == 0 { "\n    {\n      \"name\": " } else { ",\n    {\n      \"name\": " });
            quote(&same[0].name, &mut out);
            let mut list = |key: &str, items: Vec<&String>| {
                let _ = write!(out, ",\n      \"{key}\": [");
                for (place, item) in items.into_iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { ", " });
                    quote(item, &mut out);
                }
                out.push(']');
            };
            list("versions", same.iter().map(|entry| &entry.version).collect());
            list("paths", same.iter().map(|entry| &entry.path).collect());
            // Of several versions the newest tells about the package.
            let newest = &same[same.len() - 1];
            for (key, value) in [
                ("license", &newest.license),
                ("author", &newest.author),
                ("description", &newest.description),
                ("homepage", &newest.homepage),
            ] {
                if !value.is_empty() {
                    let _ = write!(out, ",\n      \"{key}\": ");
                    quote(value, &mut out);
                }
            }
            out.push_str("\n    }");
        }
        out.push_str("\n  ]");
    }
    out.push_str(if entries.is_empty() { "}" } else { "\n}" });
    crate::say!("{out}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let read = |text: &str| license(&Value::parse(text.as_bytes()).unwrap());
        assert_eq!(read(r#"{"license":{"type":"MIT"}}"#), "MIT");
        assert_eq!(read(r#"{"license":"","licenses":[{"type":"MIT"},"GPL"]}"#), "(MIT OR GPL)");
        assert_eq!(read("{}"), "Unknown");
        let author = Value::parse(br#"{"name":"A","email":"e","url":"u"}"#).unwrap();
        assert_eq!(person(Some(&author)), "A <e> (u)");
    }
}
