//! The documents of `publish`: a version as the registry shows it, and the request's body with the tarball in it.

use json::{Node, Value, quote};

use super::Ready;
use crate::config::Config;
use crate::pack::{Tarball, list};
use std::path::Path;

/// Appends a value without white space; numbers keep their text.
pub(super) fn compact(value: &Value<'_>, text: &str, out: &mut String) {
    match &value.node {
        Node::String(string) => quote(string, out),
        Node::Object(members) => {
            out.push('{');
            for (place, member) in members.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                quote(&member.key, out);
                out.push(':');
                compact(&member.value, text, out);
            }
            out.push('}');
        }
        Node::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                compact(item, text, out);
            }
            out.push(']');
        }
        _ => out.push_str(&text[value.start..value.end]),
    }
}

fn pair(out: &mut String, key: &str, value: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    quote(key, out);
    out.push(':');
    quote(value, out);
}

/// Commands and their files: `bin` as an object, or what `directories.bin` has.
fn commands(manifest: &Value<'_>, dir: Option<&Path>) -> Option<Vec<(String, String)>> {
    let name = manifest.text("name");
    let entries: Vec<(String, String)> = match manifest.get("bin").map(|value| &value.node) {
        Some(Node::String(path)) => vec![(name.rsplit('/').next().unwrap_or(name).to_owned(), path.to_string())],
        Some(Node::Object(members)) => members
            .iter()
            .filter_map(|member| {
                let key = member.key.rsplit('/').next().unwrap_or(&member.key);
                Some((key.to_owned(), member.value.str()?.to_owned()))
            })
            .collect(),
        Some(_) => return None,
        None => {
            let place = list::normal(manifest.get("directories")?.get("bin")?.str()?);
            let mut names: Vec<String> = std::fs::read_dir(dir?.join(&place))
                .ok()?
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
                .filter_map(|entry| entry.file_name().into_string().ok())
                .filter(|name| !name.starts_with('.'))
                .collect();
            names.sort();
            names.into_iter().map(|name| (name.clone(), format!("{place}/{name}"))).collect()
        }
    };
    Some(entries.into_iter().map(|(key, path)| (key, list::normal(&path))).collect())
}

/// The readme of a directory: its file's name and text.
fn readme(dir: &Path) -> Option<(String, String)> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| crate::pack::is_readme(name))
        .collect();
    // Markdown before anything else.
    names.sort_by_key(|name| (!name.to_ascii_lowercase().ends_with(".md"), name.clone()));
    let name = names.into_iter().next()?;
    let bytes = std::fs::read(dir.join(&name)).ok()?;
    Some((name, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Adds a readme to a version's document, unless it has one.
pub(super) fn add_readme(document: &mut String, readme: Option<&(String, String)>) {
    let Some((name, text)) = readme else { return };
    if Value::parse(document.as_bytes()).is_ok_and(|value| value.get("readme").is_none()) {
        document.pop();
        pair(document, "readme", text);
        pair(document, "readmeFilename", name);
        document.push('}');
    }
}

/// package.json as the registry keeps it, without digests. `text` is that of `manifest`, `dir` where its files are.
pub(super) fn version(manifest: &Value<'_>, text: &str, dir: Option<&Path>, config: &Config) -> String {
    let commands = commands(manifest, dir);
    let mut out = "{".to_owned();
    for member in manifest.members() {
        if member.key.starts_with('_') || matches!(&*member.key, "dist" | "integrity" | "shasum") {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        quote(&member.key, &mut out);
        out.push(':');
        match &commands {
            Some(list) if member.key == "bin" => bin(list, &mut out),
            _ => compact(&member.value, text, &mut out),
        }
    }
    if let Some(list) = commands.as_ref().filter(|_| manifest.get("bin").is_none()) {
        out.push_str(",\"bin\":");
        bin(list, &mut out);
    }
    pair(&mut out, "_id", &format!("{}@{}", manifest.text("name"), manifest.text("version")));
    let node = config.net.user_agent.split("node/v").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or("");
    pair(&mut out, "_nodeVersion", node);
    // Registries look at it; the version whose protocol this is.
    pair(&mut out, "_npmVersion", "10.8.3");
    out.push('}');
    if let Some(dir) = dir {
        add_readme(&mut out, readme(dir).as_ref());
    }
    out
}

fn bin(list: &[(String, String)], out: &mut String) {
    let mut inner = "{".to_owned();
    for (key, path) in list {
        pair(&mut inner, key, path);
    }
    out.push_str(&inner);
    out.push('}');
}

/// The body of the request: the package's document with this one version and the tarball in base64.
pub(super) fn body(ready: &Ready, document: &str, tarball: &Tarball) -> Vec<u8> {
    let (name, version) = (ready.name.as_str(), ready.version.as_str());
    let file = format!("{name}-{version}.tgz");
    let integrity = tarball.integrity.to_string();
    // By http: as npm has it; the registry puts its own address there.
    let base = ready.registry.url.replacen("https://", "http://", 1);
    let mut out = String::with_capacity(document.len() + tarball.bytes.len() * 4 / 3 + 2048);
    out.push('{');
    pair(&mut out, "_id", name);
    pair(&mut out, "name", name);
    out.push_str(",\"dist-tags\":{");
    pair(&mut out, &ready.tag, version);
    out.push_str("},\"versions\":{");
    quote(version, &mut out);
    out.push(':');
    out.push_str(document.strip_suffix('}').unwrap_or(document));
    pair(&mut out, "_integrity", &integrity);
    out.push_str(",\"dist\":{");
    pair(&mut out, "integrity", &integrity);
    pair(&mut out, "shasum", &tarball.shasum);
    pair(&mut out, "tarball", &format!("{base}{name}/-/{file}"));
    out.push_str("}}},\"access\":");
    match &ready.access {
        Some(access) => quote(access, &mut out),
        None => out.push_str("null"),
    }
    out.push_str(",\"_attachments\":{");
    quote(&file, &mut out);
    out.push_str(":{\"content_type\":\"application/octet-stream\",\"data\":\"");
    crate::model::integrity::base64(&tarball.bytes, &mut out);
    out.push_str(&format!("\",\"length\":{}}}}}}}", tarball.bytes.len()));
    out.into_bytes()
}
