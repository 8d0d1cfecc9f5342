//! `pm diff`: what changed between two versions of a package, or against a directory or tarball.

use crate::commands::pm::cache::files_of;
use crate::commands::style::{Style, safe};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::model::plan::NO_ID;
use crate::registry::session::{Lookup, Session};
use crate::store::TarballJob;
use json::{Value, quote};
use semver::Range;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use text::patch::patch;

/// One side: what it is called and its files.
struct Side {
    label: String,
    files: BTreeMap<String, (PathBuf, bool)>,
}

/// One file that differs.
struct Change {
    path: String,
    before: Option<(Vec<u8>, bool)>,
    after: Option<(Vec<u8>, bool)>,
    binary: bool,
    text: String,
    added: usize,
    removed: usize,
}

fn is_path(text: &str) -> bool {
    text.starts_with(['.', '/', '~']) || text.ends_with(".tgz") || text.ends_with(".tar.gz")
}

/// `name@version:path` without the path.
fn split_path(text: &str) -> (&str, Option<&str>) {
    if is_path(text) {
        return (text, None);
    }
    text.split_once(':').map_or((text, None), |(text, path)| (text, Some(path)))
}

/// Files of a directory, without node_modules and version control.
fn directory(dir: &Path) -> Result<BTreeMap<String, (PathBuf, bool)>> {
    let skipped = |path: &str| path.split('/').any(|part| part == "node_modules" || part == ".git");
    let files = files_of(dir)?.into_iter().filter(|(path, _)| !skipped(path));
    Ok(files.map(|(path, executable)| (path.clone(), (dir.join(path), executable))).collect())
}

/// A version of a registry package, unpacked in the cache.
fn registry(session: &mut Session<'_>, config: &Config, name: &str, wanted: &str) -> Result<Side> {
    let manifest = loop {
        match session.manifest(name, |_| false) {
            Lookup::Ready(manifest) => break manifest,
            Lookup::Failed(error) => return Err(error),
            Lookup::Pending => {
                session.wait()?;
            }
        }
    };
    let wanted = if wanted.is_empty() { "latest" } else { wanted };
    let at = manifest
        .tag(wanted)
        .or_else(|| manifest.best(&Range::parse(wanted)?, crate::registry::manifest::AgeLimit::default()).ok())
        .ok_or_else(|| {
            Error::new(Code::NoVersion, format!("No version of \"{name}\" satisfying \"{wanted}\" found"))
                .hint(format!("`bao info {name} versions` lists them"))
        })?;
    let record = manifest.record(at);
    let version = manifest.version(at).to_string();
    let job = session.npm_job(name, &version, manifest.str(record.tarball), manifest.integrity(record));
    let (dir, url) = (job.cache_dir.clone(), job.url.clone());
    let authorization = config.authorization_for(&url, config.registry_for(name));
    session.download(job, authorization)?;
    settle(session, &dir)?;
    Ok(Side { label: format!("{name}@{version}"), files: directory(&config.cache_dir.join(dir))? })
}

fn settle(session: &mut Session<'_>, dir: &str) -> Result<()> {
    while session.downloading > 0 {
        session.wait()?;
    }
    session.failed.get(dir).map_or(Ok(()), |error| Err(error.clone()))
}

fn side(session: &mut Session<'_>, config: &Config, text: &str, name: &str) -> Result<Side> {
    if is_path(text) {
        let path = Path::new(text);
        if path.is_dir() {
            return Ok(Side { label: text.to_owned(), files: directory(path)? });
        }
        let bytes = std::fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
        let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let key = format!("{}#{:016x}", whole.display(), xxhash_rust::xxh3::xxh3_64(&bytes));
        let cache_dir = format!("@T@diff-{:016x}@@@1", crate::model::string_arena::hash(&key));
        let job = TarballJob {
            cache_dir: cache_dir.clone(),
            name: text.to_owned(),
            version: String::new(),
            url: String::new(),
            integrity: Integrity::None,
            want_manifest: false,
            want_integrity: false,
        };
        if !session.store()?.contains(&cache_dir) {
            session.unpack(job, bytes)?;
        }
        settle(session, &cache_dir)?;
        return Ok(Side { label: text.to_owned(), files: directory(&config.cache_dir.join(cache_dir))? });
    }
    let at = text[usize::from(text.starts_with('@'))..].find('@').map(|at| at + usize::from(text.starts_with('@')));
    match at {
        Some(at) => registry(session, config, &text[..at], &text[at + 1..]),
        // A version or tag alone belongs to the other side's package.
        None if !name.is_empty() => registry(session, config, name, text),
        None => registry(session, config, text, ""),
    }
}

/// The version of a package that the lockfile has.
fn locked(root: &Path, config: &Config, name: &str) -> Option<String> {
    let project = crate::project::Project::load(root).ok()?;
    let resolved = crate::commands::install::prepare::prepare(
        &project,
        Some(crate::commands::install::prepare::load_lockfile(root, config).ok()??),
    )
    .ok()?;
    let graph = &resolved.graph;
    let direct = graph.packages.deps[0]
        .ids()
        .find(|&dep| graph.deps.target[dep as usize] != NO_ID && graph.str(graph.deps.name[dep as usize]) == name);
    let package = match direct {
        Some(dep) => graph.deps.target[dep as usize],
        // In the lockfile's order the one nearest to the root is the first.
        None => *graph.by_name.get(&crate::model::string_arena::hash(name))?.iter().min()?,
    };
    Some(graph.value(package).to_owned())
}

/// `pm diff [a] [b] [path…]`.
pub(super) fn diff(options: &Options, rest: &[String]) -> Result<u8> {
    for flag in ["minify", "unminify"] {
        if options.has(flag) {
            return Err(Error::new(Code::NotImplemented, format!("pm diff --{flag} is not implemented"))
                .hint("files are compared as they were published"));
        }
    }
    let (root, own, config) = crate::commands::context(options)?;
    let given: Vec<String> = options.values("diff").map(str::to_owned).chain(rest.iter().cloned()).collect();
    let mut sides: Vec<&str> = Vec::new();
    let mut filters: Vec<&str> = Vec::new();
    for argument in &given {
        if let Some(path) = argument.strip_prefix(':') {
            filters.push(path);
        } else if sides.len() < 2 && filters.is_empty() {
            let (text, path) = split_path(argument);
            sides.push(text);
            filters.extend(path);
        } else {
            filters.push(argument);
        }
    }
    let mut session = Session::new(&config, &root);
    let manifest = crate::project::read_manifest(&own)?.unwrap_or_default();
    let project =
        Value::parse(manifest.as_bytes()).map_or_else(|_| String::new(), |value| value.text("name").to_owned());
    let (a, b) = match sides[..] {
        [] if project.is_empty() => {
            return Err(Error::new(Code::Usage, "which package?").hint("bao pm diff react@18.2.0 19.0.0"));
        }
        // What is published against what is here.
        [] => (side(&mut session, &config, &project, "")?, side(&mut session, &config, ".", "")?),
        [only] if is_path(only) => {
            let text = crate::project::read_manifest(Path::new(only))?.unwrap_or_default();
            let name =
                Value::parse(text.as_bytes()).map_or_else(|_| String::new(), |value| value.text("name").to_owned());
            (side(&mut session, &config, &name, "")?, side(&mut session, &config, only, "")?)
        }
        [only] => {
            let (name, version) = crate::model::spec::split_argument(only);
            let first = if version.is_empty() { locked(&root, &config, name) } else { Some(version.to_owned()) };
            let first = first.map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"));
            (side(&mut session, &config, &first, "")?, side(&mut session, &config, name, "")?)
        }
        [a, b, ..] => {
            let (name, version) = crate::model::spec::split_argument(a);
            let locked = if version.is_empty() && !is_path(a) { locked(&root, &config, name) } else { None };
            let first = locked.map_or_else(|| a.to_owned(), |version| format!("{name}@{version}"));
            (
                side(&mut session, &config, &first, "")?,
                side(&mut session, &config, b, if is_path(a) { "" } else { name })?,
            )
        }
    };
    if let Some(store) = session.store_if_open() {
        store.close();
    }
    let context = match options.value("unified") {
        None => 3,
        Some(text) => text.parse().map_err(|_| Error::new(Code::Usage, format!("-U {text} is no number")))?,
    };
    let fits = |path: &str| {
        filters.is_empty()
            || filters.iter().any(|filter| {
                let filter = filter.trim_start_matches("./").trim_end_matches('/');
                path == filter || path.strip_prefix(filter).is_some_and(|rest| rest.starts_with('/'))
            })
    };
    let mut paths: Vec<&String> = a.files.keys().chain(b.files.keys()).filter(|path| fits(path)).collect();
    paths.sort();
    paths.dedup();
    if paths.is_empty() && !filters.is_empty() {
        return Err(Error::new(Code::Usage, format!("no file in either side matches {}", filters.join(", "))));
    }
    let total = paths.len();
    let mut changes = Vec::new();
    for path in paths {
        if let Some(change) = compare(path, &a, &b, context, options.has("ignore-all-space"))? {
            changes.push(change);
        }
    }
    let notes = notes(&changes);
    if options.json {
        print_json(&a, &b, &changes, &notes);
    } else {
        print(&a, &b, &changes, &notes, total, options);
    }
    Ok(0)
}

fn compare(path: &str, a: &Side, b: &Side, context: usize, blanks: bool) -> Result<Option<Change>> {
    let read = |side: &Side| match side.files.get(path) {
        None => Ok(None),
        Some((full, executable)) => match std::fs::read(full) {
            Ok(bytes) => Ok(Some((bytes, *executable))),
            Err(error) => Err(Error::io("cannot read", full, error)),
        },
    };
    let (before, after) = (read(a)?, read(b)?);
    if before == after {
        return Ok(None);
    }
    let bytes = |side: &Option<(Vec<u8>, bool)>| side.as_ref().map_or_else(Vec::new, |side| side.0.clone());
    let (old, new) = (bytes(&before), bytes(&after));
    let is_text = |bytes: &[u8]| memchr::memchr(0, &bytes[..bytes.len().min(8000)]).is_none();
    let texts = match (std::str::from_utf8(&old), std::str::from_utf8(&new)) {
        (Ok(old), Ok(new)) if is_text(old.as_bytes()) && is_text(new.as_bytes()) => Some((old, new)),
        _ => None,
    };
    let mut change = Change {
        path: path.to_owned(),
        before,
        after,
        binary: texts.is_none(),
        text: String::new(),
        added: 0,
        removed: 0,
    };
    if let Some((old, new)) = texts {
        let found = patch(old, new, context, blanks);
        (change.text, change.added, change.removed) = (found.text, found.added, found.removed);
        let modes = change.before.as_ref().map(|one| one.1) == change.after.as_ref().map(|one| one.1);
        if blanks && modes && change.text.is_empty() && change.before.is_some() && change.after.is_some() {
            return Ok(None);
        }
    }
    Ok(Some(change))
}

fn mode(executable: bool) -> &'static str {
    if executable { "755" } else { "644" }
}

fn status(change: &Change) -> (&'static str, char) {
    match (&change.before, &change.after) {
        (None, _) => ("added", 'A'),
        (_, None) => ("deleted", 'D'),
        _ => ("modified", 'M'),
    }
}

fn digest(bytes: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a reader should not miss.
fn notes(changes: &[Change]) -> Vec<String> {
    let mut out = Vec::new();
    let text = |side: &Option<(Vec<u8>, bool)>| side.as_ref().map_or_else(Vec::new, |side| side.0.clone());
    if let Some(change) = changes.iter().find(|change| change.path == "package.json") {
        let (old, new) = (text(&change.before), text(&change.after));
        if let (Ok(old), Ok(new)) = (Value::parse(&old), Value::parse(&new)) {
            let names = |value: &Value<'_>, key: &str| -> Vec<String> {
                value.get(key).map_or(&[][..], Value::members).iter().map(|member| member.key.to_string()).collect()
            };
            for event in ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"]
            {
                let script = |value: &Value<'_>| value.get("scripts").map_or("", |all| all.text(event)).to_owned();
                match (script(&old), script(&new)) {
                    (a, b) if a == b => {}
                    (a, b) if a.is_empty() => out.push(format!("{event} script added: {b}")),
                    (_, b) if b.is_empty() => out.push(format!("{event} script removed")),
                    (a, b) => out.push(format!("{event} script changed: {a} → {b}")),
                }
            }
            let (had, has) = (names(&old, "dependencies"), names(&new, "dependencies"));
            for (word, from, to) in [("added", &has, &had), ("removed", &had, &has)] {
                let shown = |name: &String| {
                    let range = new.get("dependencies").map_or("", |all| all.text(name));
                    if range.is_empty() { name.clone() } else { format!("{name}@{range}") }
                };
                let list: Vec<String> = from.iter().filter(|name| !to.contains(name)).map(shown).collect();
                if !list.is_empty() {
                    out.push(format!("dependencies {word}: {}", list.join(", ")));
                }
            }
            for key in ["main", "module", "types", "exports", "bin", "engines", "license"] {
                if old.get(key).is_some() && new.get(key).is_none() {
                    out.push(format!("{key} removed"));
                }
            }
        }
    }
    for change in changes {
        match (&change.before, &change.after) {
            (None, Some((bytes, _))) if change.binary => {
                out.push(format!("new binary file {} ({} bytes)", change.path, bytes.len()));
            }
            _ => {}
        }
    }
    for change in changes {
        match (&change.before, &change.after) {
            (None, Some((_, true))) => out.push(format!("new executable file {} (755)", change.path)),
            (Some((_, false)), Some((_, true))) => out.push(format!("now executable: {} (644 → 755)", change.path)),
            _ => {}
        }
    }
    out
}

fn print(a: &Side, b: &Side, changes: &[Change], notes: &[String], total: usize, options: &Options) {
    let Style { reset: r, bold: bo, dim: d, red, green, yellow, cyan, .. } = Style::stdout();
    let head = format!("{bo}{}{r} {d}→{r} {bo}{}{r}", a.label, b.label);
    if changes.is_empty() {
        let files = if total == 1 { "file" } else { "files" };
        crate::say!("{head}\nNo differences {d}({total} {files}){r}");
        return;
    }
    let mut out = format!("{head}\n\n");
    let widest = changes.iter().map(|change| change.path.chars().count()).max().unwrap_or(0);
    let most = changes.iter().map(|change| change.added + change.removed).max().unwrap_or(0);
    let length = |side: &Option<(Vec<u8>, bool)>| side.as_ref().map_or(0, |side| side.0.len());
    let modes = |change: &Change| match (&change.before, &change.after) {
        (Some((_, a)), Some((_, b))) if a != b => Some((mode(*a), mode(*b))),
        _ => None,
    };
    for change in changes {
        let path = safe(&change.path);
        if options.has("name-only") {
            let _ = writeln!(out, "{} {path}", status(change).1);
        } else if options.has("stat") {
            let _ = write!(out, " {path:widest$} | ");
            let _ = match modes(change) {
                Some((a, b)) if change.text.is_empty() && !change.binary => writeln!(out, "mode {a} → {b}"),
                _ if change.binary => {
                    writeln!(out, "bin   {} → {} bytes", length(&change.before), length(&change.after))
                }
                _ => {
                    let scale = |count: usize| if most > 40 { (count * 40).div_ceil(most) } else { count };
                    let (plus, minus) = ("+".repeat(scale(change.added)), "-".repeat(scale(change.removed)));
                    writeln!(out, "{:5} {green}{plus}{r}{red}{minus}{r}", change.added + change.removed)
                }
            };
        } else {
            let _ = writeln!(out, "{bo}diff --git a/{path} b/{path}{r}");
            match (&change.before, &change.after) {
                (None, Some((_, executable))) => {
                    let _ = writeln!(out, "new file mode 100{}", mode(*executable));
                }
                (Some((_, executable)), None) => {
                    let _ = writeln!(out, "deleted file mode 100{}", mode(*executable));
                }
                _ => {
                    if let Some((a, b)) = modes(change) {
                        let _ = writeln!(out, "old mode 100{a}\nnew mode 100{b}");
                    }
                }
            }
            if change.binary {
                let short = |side: &Option<(Vec<u8>, bool)>| {
                    side.as_ref().map_or_else(|| "none".to_owned(), |side| digest(&side.0)[..12].to_owned())
                };
                let (before, after) = (length(&change.before), length(&change.after));
                let (a, b) = (short(&change.before), short(&change.after));
                let _ = writeln!(out, "Binary files differ ({before} → {after} bytes, sha256 {a} → {b})");
            } else if !change.text.is_empty() {
                let old = if change.before.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
                let new = if change.after.is_some() { format!("b/{path}") } else { "/dev/null".to_owned() };
                let _ = writeln!(out, "{bo}--- {old}{r}\n{bo}+++ {new}{r}");
                for line in change.text.lines() {
                    let colour = match line.as_bytes().first() {
                        Some(b'+') => green,
                        Some(b'-') => red,
                        Some(b'@') => cyan,
                        _ => "",
                    };
                    let _ = writeln!(out, "{colour}{}{}", safe(line), if colour.is_empty() { "" } else { r });
                }
            } else if change.before.is_none() {
                out.push_str("index 0000000..e69de29\n");
            }
        }
    }
    let number = |wanted: char| changes.iter().filter(|change| status(change).1 == wanted).count();
    let (modified, added, deleted) = (number('M'), number('A'), number('D'));
    let plus: usize = changes.iter().map(|change| change.added).sum();
    let minus: usize = changes.iter().map(|change| change.removed).sum();
    let files = if modified == 1 { "file" } else { "files" };
    let _ = write!(
        out,
        "\n{head}\n{modified} {files} changed, {added} added, {deleted} removed  {d}({green}+{plus}{r} {red}-{minus}{r}{d} lines){r}"
    );
    for note in notes {
        let _ = write!(out, "\n  {yellow}!{r} {}", safe(note));
    }
    crate::say!("{out}");
}

fn print_json(a: &Side, b: &Side, changes: &[Change], notes: &[String]) {
    let text = |value: &str| {
        let mut out = String::new();
        quote(value, &mut out);
        out
    };
    let mut out = format!("{{\n  \"from\": {},\n  \"to\": {},\n  \"files\": [", text(&a.label), text(&b.label));
    for (place, change) in changes.iter().enumerate() {
        let length = |side: &Option<(Vec<u8>, bool)>| side.as_ref().map_or(0, |side| side.0.len());
        let _ = write!(
            out,
            "{}\n    {{ \"path\": {}, \"status\": \"{}\", \"binary\": {}, \"sourceMap\": {}, \"formattingOnly\": false, \"linesAdded\": {}, \"linesRemoved\": {}, \"bytesBefore\": {}, \"bytesAfter\": {}",
            if place == 0 { "" } else { "," },
            text(&change.path),
            status(change).0,
            change.binary,
            change.path.ends_with(".map"),
            change.added,
            change.removed,
            length(&change.before),
            length(&change.after)
        );
        if let (Some((_, a)), Some((_, b))) = (&change.before, &change.after)
            && a != b
        {
            let _ = write!(out, ", \"modeBefore\": \"{}\", \"modeAfter\": \"{}\"", mode(*a), mode(*b));
        }
        if change.binary {
            for (key, side) in [("sha256Before", &change.before), ("sha256After", &change.after)] {
                if let Some((bytes, _)) = side {
                    let _ = write!(out, ", \"{key}\": \"{}\"", digest(bytes));
                }
            }
        } else {
            let _ = write!(out, ", \"patch\": {}", text(&change.text));
        }
        out.push_str(" }");
    }
    out.push_str(if changes.is_empty() { "],\n" } else { "\n  ],\n" });
    let notes: Vec<String> = notes.iter().map(|note| text(note)).collect();
    let number = |wanted: char| changes.iter().filter(|change| status(change).1 == wanted).count();
    let _ = write!(
        out,
        "  \"notes\": [{}],\n  \"totals\": {{ \"files\": {}, \"added\": {}, \"deleted\": {}, \"linesAdded\": {}, \"linesRemoved\": {}, \"formattingOnly\": 0 }}\n}}",
        notes.join(", "),
        changes.len(),
        number('A'),
        number('D'),
        changes.iter().map(|change| change.added).sum::<usize>(),
        changes.iter().map(|change| change.removed).sum::<usize>()
    );
    crate::say!("{out}");
}
