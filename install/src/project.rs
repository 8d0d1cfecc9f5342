//! The project on disk: package.json of the root and of the workspace members.

use json::{Node, Value};

use crate::error::{Code, Error, Result};
use crate::model::extras::Extras;
use crate::model::graph::{Behavior, Bin, Graph};
use std::path::{Path, PathBuf};

/// A package.json as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    /// Relative to the root, empty for it.
    pub path: String,
    pub text: String,
}

/// A project.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    pub root: PathBuf,
    /// The root first, then the workspace members by path.
    pub manifests: Vec<Manifest>,
}

/// Reads the package.json in `directory`.
pub(crate) fn read_manifest(directory: &Path) -> Result<Option<String>> {
    let path = directory.join("package.json");
    // That of a package may be in an archive.
    let found = packages::cat(path.as_os_str().as_encoded_bytes());
    let bytes = found.map_or_else(|| std::fs::read(&path), |found| Ok(found?.into_owned()));
    match bytes {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => Err(Error::io("cannot read", &path, error)),
        },
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::io("cannot read", &path, error)),
    }
}

/// Parses package.json text; the error shows the line.
pub(crate) fn parse<'a>(text: &'a str, path: &Path) -> Result<Value<'a>> {
    Value::parse(text.as_bytes()).map_err(|error| {
        let message = format!("failed to parse '{}': {}", path.display(), error.message);
        Error::new(Code::Parse, message).at(path, text, error.at)
    })
}

/// Refuses a package.json of the project whose dependencies or workspaces are not what they have to be.
fn check_shape(value: &Value<'_>, text: &str, path: &Path) -> Result<()> {
    let wrong = |message: String, at: &Value<'_>| Err(Error::new(Code::Parse, message).at(path, text, at.start));
    for group in json::GROUPS {
        let Some(found) = value.get(group) else { continue };
        let expected =
            format!("{group} expects a map of specifiers, e.g.\n  \"{group}\": {{\n    \"bun\": \"latest\"\n  }}");
        if !found.is_object() {
            return wrong(expected, found);
        }
        if let Some(member) = found.members().iter().find(|member| member.value.str().is_none()) {
            return wrong(expected, &member.value);
        }
    }
    let Some(workspaces) = value.get("workspaces") else { return Ok(()) };
    let (name, list, indent) = match workspaces.get("packages").filter(|_| workspaces.is_object()) {
        Some(list) => ("workspaces.packages", list, "  "),
        // Yarn's form with `nohoist` alone, and catalogs without packages.
        None if workspaces.is_object() => return Ok(()),
        None => ("workspaces", workspaces, ""),
    };
    let is_list = matches!(&list.node, Node::Array(items) if items.iter().all(|item| item.str().is_some()));
    if is_list || matches!(list.node, Node::Null) {
        return Ok(());
    }
    let (open, close) = if indent.is_empty() {
        ("\"workspaces\": [", "]")
    } else {
        ("\"workspaces\": {\n    \"packages\": [", "]\n  }")
    };
    let example = format!("  {open}\n{indent}    \"path/to/package\"\n  {indent}{close}");
    wrong(format!("\"{name}\" expects an array of strings, e.g.\n{example}"), list)
}

/// The patterns of `workspaces`.
fn patterns(manifest: &Value<'_>) -> Vec<String> {
    let Some(field) = manifest.get("workspaces") else { return Vec::new() };
    let list = if field.is_object() { field.get("packages").map_or(&[][..], Value::items) } else { field.items() };
    list.iter().filter_map(|item| item.str().map(str::to_owned)).collect()
}

impl Project {
    /// Finds the project that `directory` belongs to: the nearest package.json, or the one above it whose `workspaces` has it.
    pub(crate) fn find(directory: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
        let Some(own) = directory.ancestors().find(|dir| dir.join("package.json").is_file()) else { return Ok(None) };
        for above in own.ancestors().skip(1) {
            let Some(text) = read_manifest(above).unwrap_or(None) else { continue };
            if !text.contains("\"workspaces\"") {
                continue;
            }
            let Ok(value) = Value::parse(text.as_bytes()) else { continue };
            let patterns = patterns(&value);
            let relative = own.strip_prefix(above).unwrap_or(own).to_string_lossy().into_owned();
            if workspace::is_member(&patterns, &relative) {
                return Ok(Some((above.to_owned(), own.to_owned())));
            }
        }
        Ok(Some((own.to_owned(), own.to_owned())))
    }

    /// Reads the root's package.json and those of its members.
    pub(crate) fn load(root: &Path) -> Result<Project> {
        let Some(text) = read_manifest(root)? else {
            return Err(Error::new(
                Code::Usage,
                format!("No package.json was found for directory \"{}\"", root.display()),
            )
            .hint("`bao init` makes one"));
        };
        Self::with_text(root, text)
    }

    /// As [`Project::load`], with a text for the root's package.json.
    pub(crate) fn with_text(root: &Path, text: String) -> Result<Project> {
        let patterns = {
            let path = root.join("package.json");
            let value = parse(&text, &path)?;
            if !value.is_object() {
                return Err(Error::new(Code::Parse, "package.json root must be an object").at(
                    &path,
                    &text,
                    value.start,
                ));
            }
            check_shape(&value, &text, &path)?;
            patterns(&value)
        };
        let mut manifests = vec![Manifest { path: String::new(), text }];
        let mut found: Vec<Manifest> = Vec::new();
        for member in workspace::members(root, &patterns) {
            let path = member.path;
            match read_manifest(&root.join(&path))? {
                Some(text) => found.push(Manifest { path, text }),
                None if member.is_named => {
                    return Err(Error::new(Code::Usage, format!("Workspace not found \"{path}\""))
                        .hint("correct `workspaces` in package.json, or make the directory with a package.json"));
                }
                None => {}
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        // A member without a name cannot be depended on, and Bun leaves it out.
        found.retain(|manifest| {
            Value::parse(manifest.text.as_bytes())
                .map_or(true, |value| value.get("name").and_then(Value::str).is_some())
        });
        manifests.extend(found);
        Ok(Project { root: root.to_owned(), manifests })
    }
}

fn clean(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_end_matches('/')
}

/// Adds the dependencies that a package.json declares to the list that [`Graph::begin_deps`] has started. `dev`: also
/// devDependencies.
pub(crate) fn add_dependencies(graph: &mut Graph, manifest: &Value<'_>, dev: bool) {
    let groups = [
        ("devDependencies", Behavior::DEV),
        ("optionalDependencies", Behavior::OPTIONAL),
        ("dependencies", Behavior::PROD),
        ("peerDependencies", Behavior::PEER),
    ];
    let meta = manifest.get("peerDependenciesMeta");
    let optional_peer = |name: &str| {
        meta.and_then(|meta| meta.get(name)).and_then(|entry| entry.get("optional")).and_then(Value::bool) == Some(true)
    };
    let bundled = manifest.get("bundleDependencies").or_else(|| manifest.get("bundledDependencies"));
    let is_bundled = |name: &str| {
        !dev && bundled
            .is_some_and(|list| list.bool() == Some(true) || list.items().iter().any(|item| item.str() == Some(name)))
    };
    let optional = manifest.get("optionalDependencies");
    for (group, bit) in groups {
        if bit == Behavior::DEV && !dev {
            continue;
        }
        for member in manifest.get(group).map_or(&[][..], Value::members) {
            let Some(literal) = member.value.str() else { continue };
            // An optional dependency that is listed as an ordinary one too, or for development, is optional.
            if matches!(bit, Behavior::PROD | Behavior::DEV)
                && optional.is_some_and(|group| group.get(&member.key).is_some())
            {
                continue;
            }
            let mut behavior = bit;
            if bit == Behavior::PEER && optional_peer(&member.key) {
                behavior |= Behavior::OPTIONAL;
            }
            if bit != Behavior::PEER && bit != Behavior::DEV && is_bundled(&member.key) {
                behavior |= Behavior::BUNDLED;
            }
            let name = graph.text.add(&member.key);
            let literal = graph.text.add(literal);
            graph.add_dep(name, literal, Behavior(behavior));
        }
    }
}

/// The `bin` or `directories.bin` of a package.json.
pub(crate) fn bin(graph: &mut Graph, manifest: &Value<'_>) -> Bin {
    match manifest.get("bin").map(|value| &value.node) {
        Some(Node::String(path)) if !path.is_empty() => Bin::File(graph.text.add(path)),
        Some(Node::Object(entries)) if !entries.is_empty() => {
            let off = graph.bin_entries.len() as u32;
            for entry in entries {
                if let Some(path) = entry.value.str() {
                    let pair = (graph.text.add(&entry.key), graph.text.add(path));
                    graph.bin_entries.push(pair);
                }
            }
            Bin::Map(off, graph.bin_entries.len() as u32 - off)
        }
        _ => match manifest.get("directories").map(|value| value.text("bin")) {
            Some(dir) if !dir.is_empty() => Bin::Dir(graph.text.add(dir)),
            _ => Bin::None,
        },
    }
}

/// What the root's package.json says beside dependencies.
pub(crate) fn extras(manifest: &Value<'_>) -> Extras {
    let mut extras = Extras { config_version: 1, ..Extras::default() };
    let names = |field: &Value<'_>| field.items().iter().filter_map(|item| item.str().map(str::to_owned)).collect();
    extras.trusted = manifest.get("trustedDependencies").map(names);
    let list = |name: &str| manifest.get(name).filter(|field| matches!(field.node, Node::Array(_))).map(names);
    extras.native = list("nativeDependencies");
    extras.ignored_scripts = list("ignoreScripts");
    let pairs = |value: Option<&Value<'_>>| -> Vec<(String, String)> {
        let members = value.map_or(&[][..], Value::members);
        members.iter().filter_map(|member| Some((member.key.to_string(), member.value.str()?.to_owned()))).collect()
    };
    extras.patched = pairs(manifest.get("patchedDependencies"));
    // A project without `workspaces` has no catalogs.
    let workspaces = manifest.get("workspaces");
    let field = |name: &str| {
        let workspaces = workspaces?;
        workspaces.get(name).or_else(|| manifest.get(name))
    };
    extras.catalog = pairs(field("catalog"));
    extras.catalog.sort();
    for group in field("catalogs").map_or(&[][..], Value::members) {
        let mut entries = pairs(Some(&group.value));
        entries.sort();
        extras.catalogs.push((group.key.to_string(), entries));
    }
    extras.catalogs.sort();
    crate::model::overrides::read(manifest, &mut extras);
    crate::model::package_extensions::read(manifest, &mut extras);
    // Which of two ranges counts is easily missed. A peer or an optional dependency that is also another one is usual.
    for member in manifest.get("dependencies").map_or(&[][..], Value::members) {
        if manifest.get("devDependencies").is_some_and(|group| group.get(&member.key).is_some()) {
            extras.warnings.push(format!("Duplicate dependency: \"{}\" specified in package.json", member.key));
        }
    }
    extras
}

/// Members whose dependencies are not hoisted out of their own node_modules: those with `installConfig.hoistingLimits`, and those
/// that `workspaces.selfContained` of the root names or gives the path of. `members` are manifest, path and package.
pub(crate) fn self_contained<'a>(
    root: &Value<'_>,
    members: impl Iterator<Item = (&'a Value<'a>, &'a str, u32)>,
    extras: &mut Extras,
) {
    let list = root.get("workspaces").and_then(|field| field.get("selfContained"));
    if list.is_some_and(|list| !matches!(list.node, Node::Array(_))) {
        extras.invalid = Some("\"workspaces.selfContained\" expects an array of workspace paths or names".to_owned());
        return;
    }
    let named: Vec<&str> = list.map_or(&[][..], Value::items).iter().filter_map(Value::str).map(clean).collect();
    for (manifest, path, package) in members {
        let limit = manifest.get("installConfig").map_or("", |config| config.text("hoistingLimits"));
        if !matches!(limit, "" | "none" | "workspaces") {
            extras.warnings.push(format!(
                "workspace \"{}\": installConfig.hoistingLimits \"{limit}\" is not supported (only \"workspaces\" and \"none\" \
                 are); ignoring",
                manifest.text("name")
            ));
        }
        if limit == "workspaces" || named.iter().any(|name| *name == path || *name == manifest.text("name")) {
            extras.self_contained.push(package);
        }
    }
}
