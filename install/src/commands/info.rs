//! `info`: what the registry says about a package. Layout and property paths are Bun's (`npm view`'s syntax).

use crate::commands::style::{Style, safe, size};
use crate::config::Options;
use crate::error::{Code, Error, Result};
use crate::net::Request;
use crate::registry::session::Session;
use json::{Member, Node, Value, quote};
use semver::{Range, Version};
use std::fmt::Write;

/// A document of a registry, and the version of it that was asked for.
struct Found<'a> {
    document: &'a Value<'a>,
    package: &'a Value<'a>,
    version: String,
}

/// `info [name[@version]] [property…]`.
pub(super) fn info(options: &Options, arguments: &[String]) -> Result<u8> {
    let (root, own, config) = crate::commands::context(options)?;
    let (spec, properties) = match arguments.split_first() {
        Some((first, rest)) => (first.clone(), rest),
        None => (own_name(&own)?, &[][..]),
    };
    let at = spec[usize::from(spec.starts_with('@'))..].find('@').map(|at| at + usize::from(spec.starts_with('@')));
    let (name, wanted) = at.map_or((spec.as_str(), ""), |at| (&spec[..at], &spec[at + 1..]));
    let wanted = if wanted.is_empty() { "latest" } else { wanted };
    let session = Session::new(&config, &root);
    let registry = config.registry_for(name);
    let mut request = Request::document(format!("{}{}", registry.url, name.replace('/', "%2f")));
    request.authorization = registry.authorization.clone();
    request.package = spec.clone();
    request.headers.push(("accept", "application/json".to_owned()));
    request.headers.push(("accept-encoding", "gzip".to_owned()));
    request.headers.push(("user-agent", config.net.user_agent.clone()));
    let url = request.url.clone();
    if config.offline {
        return Err(Error::new(Code::Network, "the metadata is only in the registry, and --offline was given")
            .package(name, wanted)
            .url(url));
    }
    let response = session.send(request)?;
    if response.status != 200 {
        print_status(response.status, &url, name, wanted, &response.body);
        return Ok(1);
    }
    let document = Value::parse(&response.body).map_err(|_| {
        Error::new(Code::Parse, "the registry did not answer with JSON").package(name, wanted).url(&url)
    })?;
    let found = match choose(&document, wanted) {
        Ok(found) => found,
        Err(tag) => {
            print_missing(&document, name, wanted, tag, options.json, &spec);
            return Ok(1);
        }
    };
    if !properties.is_empty() {
        return Ok(print_properties(&found, properties, options.json, &spec));
    }
    if options.json {
        let mut out = String::new();
        write_value(&Tree::Whole(&found), 0, &mut out);
        crate::say!("{out}");
    } else {
        print_page(&found);
    }
    Ok(0)
}

fn own_name(own: &std::path::Path) -> Result<String> {
    let missing = || Error::new(Code::Usage, "no package name given and no package.json found").hint("bao info react");
    let text = crate::project::read_manifest(own)?.ok_or_else(missing)?;
    let value = crate::project::parse(&text, &own.join("package.json"))?;
    let name = value.text("name");
    if name.is_empty() {
        return Err(
            Error::new(Code::Usage, "no package name given and package.json has no \"name\"").hint("bao info react")
        );
    }
    Ok(name.to_owned())
}

fn reason(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

fn print_status(status: u16, url: &str, name: &str, wanted: &str, body: &[u8]) {
    let style = Style::stderr();
    base::stderr_line!("\n{}{status}{} {}: {url}", style.red, style.reset, reason(status));
    if status == 404 {
        base::stderr_line!("\n - '{name}@{wanted}' does not exist in this registry");
        return;
    }
    let parsed = Value::parse(body);
    let text = parsed.as_ref().map_or("", |value| value.text("error"));
    if !text.is_empty() {
        base::stderr_line!("\n - {}", safe(text));
    }
}

/// The version for a range or tag; the error tells whether it was a tag.
fn choose<'a>(document: &'a Value<'a>, wanted: &str) -> Result<Found<'a>, bool> {
    let none = |is_tag: bool| Err(is_tag);
    let versions = document.get("versions").map_or(&[][..], Value::members);
    let tags = document.get("dist-tags");
    let take = |version: &str| {
        versions.iter().find(|member| member.key == version).map(|member| Found {
            document,
            package: &member.value,
            version: version.to_owned(),
        })
    };
    if let Some(tagged) = tags.and_then(|tags| tags.get(wanted)).and_then(Value::str) {
        return take(tagged).map_or_else(|| none(false), Ok);
    }
    let word = wanted.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    let Some(range) = Range::parse(wanted) else { return none(word && wanted != "latest") };
    if versions.is_empty() || (wanted == "latest") {
        return none(false);
    }
    let mut list: Vec<(Version<'_>, &str)> =
        versions.iter().filter_map(|member| Some((Version::parse(&member.key)?, member.key.as_ref()))).collect();
    list.sort_by(|a, b| b.0.order(&a.0));
    if let Some(exact) = range.exact()
        && let Some((_, key)) = list.iter().find(|(version, _)| version.order(&exact).is_eq())
    {
        return take(key).map_or_else(|| none(false), Ok);
    }
    let latest = tags.map_or("", |tags| tags.text("latest"));
    if Version::parse(latest).is_some_and(|version| range.contains(&version))
        && let Some(found) = take(latest)
    {
        return Ok(found);
    }
    let releases = list.iter().filter(|(version, _)| version.pre.is_empty());
    let best = releases.chain(&list).find(|(version, _)| range.contains(version));
    best.and_then(|(_, key)| take(key)).map_or_else(|| none(false), Ok)
}

fn print_missing(document: &Value<'_>, name: &str, wanted: &str, tag: bool, json: bool, spec: &str) {
    if json {
        let mut quoted = String::new();
        quote(spec, &mut quoted);
        let what = if tag { "Dist-tag not found" } else { "No matching version found" };
        crate::say!("{{ \"error\": \"{what}\", \"version\": {quoted} }}");
        return;
    }
    let style = Style::stderr();
    let (r, d, b, red) = (style.reset, style.dim, style.bold, style.red);
    if tag {
        base::stderr_line!(
            "{red}error{r}{d}:{r} Package {b}\"{name}\"{r} with tag {b}\"{wanted}\"{r} not found, but package exists"
        );
        let tags = document.get("dist-tags").map_or(&[][..], Value::members);
        if !tags.is_empty() {
            base::stderr_line!("\nTags:");
            for tag in tags {
                base::stderr_line!("{d}-{r} {}: {}", safe(&tag.key), safe(tag.value.str().unwrap_or("")));
            }
        }
        return;
    }
    base::stderr_line!("{red}error{r}{d}:{r} No version of {b}\"{name}\"{r} satisfying {b}\"{wanted}\"{r} found");
    let mut releases: Vec<(Version<'_>, &str)> = document
        .get("versions")
        .map_or(&[][..], Value::members)
        .iter()
        .filter_map(|member| Some((Version::parse(&member.key)?, member.key.as_ref())))
        .filter(|(version, _)| version.pre.is_empty())
        .collect();
    if releases.is_empty() {
        return;
    }
    releases.sort_by(|a, b| a.0.order(&b.0));
    base::stderr_line!("\nRecent versions:");
    let hidden = releases.len().saturating_sub(5);
    for (_, version) in &releases[hidden..] {
        base::stderr_line!("{d}-{r} {version}");
    }
    if hidden > 0 {
        base::stderr_line!("  {d}... and {hidden} more{r}");
    }
}

/// Names of all versions, lowest first.
fn sorted<'a>(document: &'a Value<'a>) -> Vec<&'a str> {
    let members = document.get("versions").map_or(&[][..], Value::members);
    let mut list: Vec<(Version<'a>, &'a str)> =
        members.iter().map(|member| (Version::parse(&member.key).unwrap_or_default(), &*member.key)).collect();
    list.sort_by(|a, b| a.0.order(&b.0));
    list.into_iter().map(|(_, name)| name).collect()
}

/// Something to print as JSON: a part of the registry's document, or what is put together from it.
enum Tree<'a> {
    Part(&'a Value<'a>),
    /// Names of the versions.
    Versions(&'a Value<'a>),
    /// One of them.
    Name(&'a str),
    Whole(&'a Found<'a>),
}

fn indent(level: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", level));
}

/// Objects with a member a line, arrays on one.
fn write_value(tree: &Tree<'_>, level: usize, out: &mut String) {
    let member = |key: &str, value: &Tree<'_>, first: bool, out: &mut String| {
        if !first {
            out.push(',');
        }
        indent(level + 1, out);
        quote(key, out);
        out.push_str(": ");
        write_value(value, level + 1, out);
    };
    match tree {
        Tree::Versions(document) => {
            let versions = sorted(document);
            if versions.is_empty() {
                out.push_str("[]");
                return;
            }
            out.push('[');
            for (place, version) in versions.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                indent(level + 1, out);
                quote(version, out);
            }
            indent(level, out);
            out.push(']');
        }
        Tree::Name(text) => quote(text, out),
        Tree::Whole(found) => {
            out.push('{');
            let own = found.package.members();
            let own = own.iter().filter(|own| !matches!(&*own.key, "versions" | "dist-tags" | "time"));
            let mut first = true;
            for own in own {
                member(&own.key, &Tree::Part(&own.value), first, out);
                first = false;
            }
            member("versions", &Tree::Versions(found.document), first, out);
            for key in ["dist-tags", "time", "maintainers"] {
                if key == "maintainers" && found.package.get(key).is_some() {
                    continue;
                }
                if let Some(value) = found.document.get(key) {
                    member(key, &Tree::Part(value), false, out);
                }
            }
            indent(level, out);
            out.push('}');
        }
        Tree::Part(value) => match &value.node {
            Node::Null => out.push_str("null"),
            Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Node::Number(number) => out.push_str(number),
            Node::String(text) => quote(text, out),
            Node::Array(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        out.push_str(", ");
                    }
                    write_value(&Tree::Part(item), level, out);
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (place, own) in members.iter().enumerate() {
                    member(&own.key, &Tree::Part(&own.value), place == 0, out);
                }
                if !members.is_empty() {
                    indent(level, out);
                }
                out.push('}');
            }
        },
    }
}

/// Steps of `a.b[0].c` or `time[1.0.0]`, and which of them stood in brackets; nothing where it is not a path.
fn steps(path: &str) -> Option<Vec<(&str, bool)>> {
    let mut list = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let end = inner.find(']')?;
            list.push((&inner[..end], true));
            rest = &inner[end + 1..];
            rest = rest.strip_prefix('.').unwrap_or(rest);
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        list.push((&rest[..end], false));
        rest = &rest[end..];
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    Some(list)
}

/// What a path leads to. A name met at an array goes through its items, which then are part of the label.
fn follow<'a>(value: &'a Value<'a>, label: &str, steps: &[(&str, bool)], out: &mut Vec<(String, Tree<'a>)>) {
    let Some((&(step, bracketed), rest)) = steps.split_first() else {
        out.push((label.to_owned(), Tree::Part(value)));
        return;
    };
    match &value.node {
        Node::Object(_) => {
            if let Some(next) = value.get(step) {
                let dot = if label.is_empty() { "" } else { "." };
                let label = if bracketed { format!("{label}[{step}]") } else { format!("{label}{dot}{step}") };
                follow(next, &label, rest, out);
            }
        }
        Node::Array(items) => match step.parse::<usize>() {
            Ok(at) => {
                if let Some(next) = items.get(at) {
                    follow(next, &format!("{label}[{at}]"), rest, out);
                }
            }
            Err(_) => {
                for (at, item) in items.iter().enumerate() {
                    follow(item, &format!("{label}[{at}]"), steps, out);
                }
            }
        },
        _ => {}
    }
}

fn print_properties(found: &Found<'_>, properties: &[String], json: bool, spec: &str) -> u8 {
    let mut results: Vec<(String, Tree<'_>)> = Vec::new();
    let mut missing = Vec::new();
    for property in properties {
        let before = results.len();
        if let Some(path) = steps(property) {
            if path.first().is_some_and(|first| first.0 == "versions") {
                let versions = sorted(found.document);
                match path.get(1).map(|at| at.0.parse::<usize>()) {
                    None => results.push((property.clone(), Tree::Versions(found.document))),
                    Some(Ok(at)) if path.len() == 2 && at < versions.len() => {
                        results.push((property.clone(), Tree::Name(versions[at])));
                    }
                    Some(_) => {}
                }
            } else if path.first().is_some_and(|first| matches!(first.0, "dist-tags" | "time")) {
                follow(found.document, "", &path, &mut results);
            } else {
                follow(found.package, "", &path, &mut results);
                if results.len() == before {
                    follow(found.document, "", &path, &mut results);
                }
            }
        }
        if results.len() == before {
            missing.push(property);
        }
    }
    if results.is_empty() {
        if json {
            let (mut version, mut property) = (String::new(), String::new());
            quote(spec, &mut version);
            quote(missing[0], &mut property);
            crate::say!("{{ \"error\": \"Property not found\", \"version\": {version}, \"property\": {property} }}");
        } else {
            let style = Style::stderr();
            let (r, d, b, red) = (style.reset, style.dim, style.bold, style.red);
            for property in missing {
                base::stderr_line!("{red}error{r}{d}:{r} Property {b}{}{r} not found", safe(property));
            }
        }
        return 1;
    }
    let text = |tree: &Tree<'_>, level: usize| {
        let mut out = String::new();
        write_value(tree, level, &mut out);
        out
    };
    if let [(_, tree)] = &results[..] {
        match tree {
            Tree::Part(value) if !json && value.str().is_some() => crate::say!("{}", safe(value.str().unwrap_or(""))),
            Tree::Name(name) if !json => crate::say!("{}", safe(name)),
            _ => crate::say!("{}", text(tree, 0)),
        }
        return 0;
    }
    let mut out = String::new();
    for (place, (label, tree)) in results.iter().enumerate() {
        if json {
            out.push_str(if place == 0 { "{" } else { "," });
            indent(1, &mut out);
            quote(label, &mut out);
            let _ = write!(out, ": {}", text(tree, 1));
        } else {
            let end = if place == 0 { "" } else { "\n" };
            let _ = write!(out, "{end}{} = {}", safe(label), text(tree, 0));
        }
    }
    if json {
        out.push_str("\n}");
    }
    crate::say!("{out}");
    0
}

/// The page for people.
fn print_page(found: &Found<'_>) {
    let mut page = Page { style: Style::stdout(), out: String::new() };
    page.title(found);
    page.summary(found);
    page.dependencies(found.dependencies());
    if let Some(dist) = found.package.get("dist") {
        page.dist(dist);
    }
    page.tags(found.document.get("dist-tags").map_or(&[][..], Value::members));
    page.maintainers(found.document.get("maintainers").map_or(&[][..], Value::items));
    page.published(found);
    crate::say!("{}", page.out.trim_end_matches('\n'));
}

impl<'a> Found<'a> {
    /// A text of the version, or else of the whole document.
    fn text(&self, key: &str) -> &str {
        match self.package.text(key) {
            "" => self.document.text(key),
            own => own,
        }
    }

    fn dependencies(&self) -> &'a [Member<'a>] {
        self.package.get("dependencies").map_or(&[][..], Value::members)
    }
}

/// The page in the making. Each part writes nothing if it has nothing to say.
struct Page {
    style: Style,
    out: String,
}

impl Page {
    /// Name, version, licence and counts.
    fn title(&mut self, found: &Found<'_>) {
        let Style { reset: r, bold: b, dim: d, underline: u, blue, cyan, .. } = self.style;
        let license = found.package.get("license");
        let license = license.map_or("", |license| license.str().unwrap_or_else(|| license.text("type")));
        let license = if license.is_empty() { "Proprietary" } else { license };
        let versions = found.document.get("versions").map_or(0, |versions| versions.members().len());
        let _ = writeln!(
            self.out,
            "{b}{blue}{u}{}{r}{d}@{r}{blue}{b}{u}{}{r} {d}|{r} {cyan}{}{r} {d}|{r} deps{d}:{r} {} {d}|{r} versions{d}:{r} {versions}",
            safe(found.text("name")),
            safe(&found.version),
            safe(license),
            found.dependencies().len(),
        );
    }

    /// What it is, where it is, its commands, and whether it is deprecated.
    fn summary(&mut self, found: &Found<'_>) {
        let Style { reset: r, bold: b, dim: d, red, blue, cyan, .. } = self.style;
        let (description, homepage) = (found.text("description"), found.text("homepage"));
        if !description.is_empty() {
            let _ = writeln!(self.out, "{}", safe(description));
        }
        if !homepage.is_empty() {
            let _ = writeln!(self.out, "{blue}{}{r}", safe(homepage));
        }
        let list = |values: &[Value<'_>]| {
            values.iter().filter_map(Value::str).map(|text| safe(text).into_owned()).collect::<Vec<_>>().join(", ")
        };
        let keywords = found.package.get("keywords").map_or_else(String::new, |value| list(value.items()));
        if !keywords.is_empty() {
            let _ = writeln!(self.out, "{d}keywords:{r} {keywords}");
        }
        let bins = found.package.get("bin").map_or(&[][..], Value::members);
        let bins: Vec<String> = bins.iter().map(|member| safe(&member.key).into_owned()).collect();
        if !bins.is_empty() {
            let _ = writeln!(self.out, "{d}bin:{r} {cyan}{}{r}", bins.join(", "));
        }
        let deprecated = found.package.text("deprecated");
        if !deprecated.is_empty() {
            let _ = writeln!(self.out, "\n{red}{b}DEPRECATED{r} ⚠️  - {}", safe(deprecated));
        }
    }

    fn dependencies(&mut self, dependencies: &[Member<'_>]) {
        let Style { reset: r, bold: b, dim: d, cyan, .. } = self.style;
        if dependencies.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{b}dependencies{r}{d} ({}):{r}", dependencies.len());
        for dependency in dependencies {
            let range = dependency.value.str().unwrap_or("");
            let _ = writeln!(self.out, "- {cyan}{}{r}{d}:{r} {}", safe(&dependency.key), safe(range));
        }
    }

    /// The tarball with its digests and its size.
    fn dist(&mut self, dist: &Value<'_>) {
        let Style { reset: r, bold: b, dim: d, green, blue, .. } = self.style;
        let _ = writeln!(self.out, "\n{d}{r}{b}dist{r}");
        if !dist.text("tarball").is_empty() {
            let _ = writeln!(self.out, " {d}.{r}tarball{d}:{r} {}", safe(dist.text("tarball")));
        }
        for key in ["shasum", "integrity"] {
            if !dist.text(key).is_empty() {
                let _ = writeln!(self.out, " {d}.{r}{key}{r}{d}:{r} {green}{}{r}", safe(dist.text(key)));
            }
        }
        if let Some(bytes) = dist.get("unpackedSize").and_then(Value::number) {
            let _ = writeln!(self.out, " {d}.{r}unpackedSize{r}{d}:{r} {blue}{}{r}", size(bytes as u64));
        }
    }

    fn tags(&mut self, tags: &[Member<'_>]) {
        let Style { reset: r, bold: b, dim: d, blue, magenta, cyan, .. } = self.style;
        if tags.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{b}dist-tags{r}{d}:{r}");
        for tag in tags {
            let colour = match &*tag.key {
                "latest" => cyan,
                "beta" => blue,
                _ => magenta,
            };
            let _ = writeln!(self.out, "{colour}{}{r}{d}:{r} {}", safe(&tag.key), safe(tag.value.str().unwrap_or("")));
        }
    }

    fn maintainers(&mut self, people: &[Value<'_>]) {
        let Style { reset: r, dim: d, .. } = self.style;
        let people: Vec<&Value<'_>> = people.iter().filter(|one| one.is_object()).collect();
        if people.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\nmaintainers{r}{d}:{r}");
        for person in people {
            let name = safe(person.text("name"));
            let _ = match person.text("email") {
                "" => writeln!(self.out, "{d}-{r} {name}"),
                email => writeln!(self.out, "{d}-{r} {name} {d}<{}>{r}", safe(email)),
            };
        }
    }

    fn published(&mut self, found: &Found<'_>) {
        let Style { reset: r, bold: b, dim: d, .. } = self.style;
        let time = found.document.get("time");
        let published = time.map_or("", |time| match time.text(&found.version) {
            "" => time.text("modified"),
            own => own,
        });
        if !published.is_empty() {
            let _ = writeln!(self.out, "\n{b}Published{r}{d}:{r} {}", safe(published));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_properties() {
        assert_eq!(steps("a.b[0].c").unwrap(), [("a", false), ("b", false), ("0", true), ("c", false)]);
        assert_eq!(steps("time[1.0.0]").unwrap(), [("time", false), ("1.0.0", true)]);
        assert!(steps("a[0").is_none());
        let text = br#"{"people":[{"name":"x","tags":[1,2]},{"name":"y"},7]}"#;
        let value = Value::parse(text).unwrap();
        let mut out = Vec::new();
        follow(&value, "", &[("people", false), ("name", false)], &mut out);
        let labels: Vec<&str> = out.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["people[0].name", "people[1].name"]);
        let mut json = String::new();
        write_value(&Tree::Part(&value), 0, &mut json);
        assert_eq!(
            json,
            "{\n  \"people\": [{\n    \"name\": \"x\",\n    \"tags\": [1, 2]\n  }, {\n    \"name\": \"y\"\n  }, 7]\n}"
        );
    }
}
