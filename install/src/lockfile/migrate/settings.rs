//! What pnpm and Yarn keep in files of their own goes into package.json: workspaces, catalogs, overrides, patches, extensions, trusted
//! packages. The file is printed anew as Bun prints it: objects on several lines, arrays as they were.

use json::{Document, Node, Value, quote};
use yaml::Yaml;

use crate::error::Result;
use crate::project::Project;

/// A value to be written.
pub(crate) enum Json {
    Text(String),
    /// `true`, `false`, a number.
    Bare(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn from_yaml(value: &Yaml<'_>) -> Json {
        match value {
            Yaml::Text(text) if text == "true" || text == "false" => Json::Bare(text.to_string()),
            Yaml::Text(text) => Json::Text(text.to_string()),
            Yaml::Bool(value) => Json::Bare(value.to_string()),
            Yaml::Number(number) => Json::Bare(json::number_text(*number)),
            Yaml::Null | Yaml::Alias(_) => Json::Bare("null".to_owned()),
            Yaml::Anchored(_, inner) => Json::from_yaml(inner),
            Yaml::List(items) => Json::List(items.iter().map(Json::from_yaml).collect()),
            Yaml::Map(entries) => {
                Json::Map(entries.iter().map(|(key, value)| (key.to_string(), Json::from_yaml(value))).collect())
            }
        }
    }

    pub(crate) fn from_value(value: &Value<'_>) -> Json {
        match &value.node {
            Node::String(text) => Json::Text(text.to_string()),
            Node::Null => Json::Bare("null".to_owned()),
            Node::Bool(yes) => Json::Bare(yes.to_string()),
            Node::Number(number) => Json::Bare((*number).to_owned()),
            Node::Array(items) => Json::List(items.iter().map(Json::from_value).collect()),
            Node::Object(members) => Json::Map(
                members.iter().map(|member| (member.key.to_string(), Json::from_value(&member.value))).collect(),
            ),
        }
    }

    fn print(&self, style: &Style, depth: usize, out: &mut String) {
        let line = |depth: usize, out: &mut String| {
            out.push_str(style.newline);
            (0..depth).for_each(|_| out.push_str(&style.indent));
        };
        match self {
            Json::Text(text) => quote(text, out),
            Json::Bare(text) => out.push_str(text),
            Json::List(items) if items.len() < 2 => {
                out.push('[');
                items.iter().for_each(|item| item.print(style, depth + 1, out));
                out.push(']');
            }
            Json::List(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place > 0 { "," } else { "" });
                    line(depth + 1, out);
                    item.print(style, depth + 1, out);
                }
                line(depth, out);
                out.push(']');
            }
            Json::Map(entries) if entries.is_empty() => out.push_str("{}"),
            Json::Map(entries) => {
                out.push('{');
                for (place, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if place > 0 { "," } else { "" });
                    line(depth + 1, out);
                    quote(key, out);
                    out.push_str(": ");
                    value.print(style, depth + 1, out);
                }
                line(depth, out);
                out.push('}');
            }
        }
    }
}

struct Style {
    indent: String,
    newline: &'static str,
}

impl Style {
    fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let line = text.lines().skip(1).find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let indent = line.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        Self { indent: indent.to_owned(), newline }
    }
}

/// The text with every object on lines of its own.
fn reprint(value: &Value<'_>, text: &str, style: &Style, depth: usize, out: &mut String) {
    let line = |depth: usize, out: &mut String| {
        out.push_str(style.newline);
        (0..depth).for_each(|_| out.push_str(&style.indent));
    };
    match &value.node {
        Node::Object(members) if !members.is_empty() => {
            out.push('{');
            for (place, member) in members.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                line(depth + 1, out);
                quote(&member.key, out);
                out.push_str(": ");
                reprint(&member.value, text, style, depth + 1, out);
            }
            line(depth, out);
            out.push('}');
        }
        Node::Object(_) => out.push_str("{}"),
        Node::Array(items) => {
            let single = !text[value.start..value.end].contains('\n');
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place == 0 {
                    ""
                } else if single {
                    ", "
                } else {
                    ","
                });
                if !single {
                    line(depth + 1, out);
                }
                reprint(item, text, style, depth + 1, out);
            }
            if !single && !items.is_empty() {
                line(depth, out);
            }
            out.push(']');
        }
        _ => out.push_str(&text[value.start..value.end]),
    }
}

/// A package.json that settings are put into.
pub(crate) struct Target {
    document: Document,
    style: Style,
    changed: bool,
}

impl Target {
    pub(crate) fn new(text: &str) -> Self {
        Self { document: Document { text: text.to_owned() }, style: Style::of(text), changed: false }
    }

    /// Prints the document anew before its first change. One with comments stays as it is around the change.
    fn change(&mut self) {
        if std::mem::replace(&mut self.changed, true) {
            return;
        }
        let text = &self.document.text;
        let Ok(value) = Value::parse(text.as_bytes()) else { return };
        let mut out = String::with_capacity(text.len() * 2);
        reprint(&value, text, &self.style, 0, &mut out);
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').count();
        if bare(&out) == bare(text) {
            out.push_str(&text[text.trim_end().len()..]);
            self.document.text = out;
        }
    }

    pub(crate) fn set(&mut self, path: &[&str], value: &Json) {
        self.change();
        let mut json = String::new();
        value.print(&self.style, path.len(), &mut json);
        self.document.set(path, &json, false);
    }

    /// Adds the entries of a map; an entry of the same name is replaced. Something else than a map stays as it is.
    pub(crate) fn merge(&mut self, key: &str, entries: &[(String, Json)]) {
        if Value::parse(self.document.text.as_bytes())
            .is_ok_and(|value| value.get(key).is_some_and(|old| !old.is_object()))
        {
            return;
        }
        for (name, value) in entries {
            self.set(&[key, name], value);
        }
    }

    /// The text, if anything has changed.
    pub(crate) fn finish(self) -> Option<String> {
        self.changed.then_some(self.document.text)
    }

    fn value<T>(&self, read: impl FnOnce(&Value<'_>) -> T) -> Option<T> {
        Value::parse(self.document.text.as_bytes()).ok().map(|value| read(&value))
    }
}

fn entries_of(json: Json) -> Vec<(String, Json)> {
    match json {
        Json::Map(entries) => entries,
        _ => Vec::new(),
    }
}

/// Copies what pnpm has in pnpm-workspace.yaml and in the `pnpm` field of package.json to where Bun and this program look for it.
/// `patched`: `name@version` of what the lockfile says is patched, for keys without a version. The new text, and what was copied.
///
/// # Errors
/// pnpm-workspace.yaml is no YAML.
pub(crate) fn import_pnpm(project: &Project, patched: &[(String, String)]) -> Result<(Option<String>, Vec<String>)> {
    let path = project.root.join("pnpm-workspace.yaml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(crate::error::Error::io("cannot read", &path, error)),
    };
    let documents = yaml::parse(&text, yaml::Options::TEXT)
        .map_err(|error| super::invalid("pnpm-workspace.yaml", &error.to_string()))?;
    let empty = Yaml::Map(Vec::new());
    let workspace = documents.first().unwrap_or(&empty);
    let mut target = Target::new(&project.manifests[0].text);
    let mut copied: Vec<String> = Vec::new();
    let field = |target: &Target, key: &str| {
        target.value(|value| value.get("pnpm").and_then(|field| field.get(key)).map(Json::from_value)).flatten()
    };
    let from_yaml = |key: &str| workspace.get(key).map(Json::from_yaml);
    let versioned = |json: Json| -> Vec<(String, Json)> {
        let mut entries = entries_of(json);
        for (key, _) in &mut entries {
            if key.get(1..).is_some_and(|rest| !rest.contains('@')) {
                let found = patched
                    .iter()
                    .find(|(label, _)| label.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('@')));
                if let Some((label, _)) = found {
                    key.clone_from(label);
                }
            }
        }
        entries
    };
    let mut merge = |target: &mut Target, json: Option<Json>, from: &str, key: &str| {
        let entries = match (json, key) {
            (Some(json), "patchedDependencies") => versioned(json),
            (Some(json), _) => entries_of(json),
            (None, _) => return,
        };
        if !entries.is_empty() {
            target.merge(key, &entries);
            copied.push(format!("copied {from} to {key}"));
        }
    };
    for key in ["overrides", "patchedDependencies", "packageExtensions"] {
        let json = field(&target, key);
        merge(&mut target, json, &format!("pnpm.{key}"), key);
    }
    if workspaces(&mut target, workspace) {
        copied.push("copied pnpm-workspace.yaml to workspaces".to_owned());
    }
    let mut merge = |target: &mut Target, key: &str| {
        let entries = match (from_yaml(key), key) {
            (Some(json), "patchedDependencies") => versioned(json),
            (Some(json), _) => entries_of(json),
            (None, _) => return,
        };
        if !entries.is_empty() {
            target.merge(key, &entries);
            copied.push(format!("copied pnpm-workspace.yaml {key} to {key}"));
        }
    };
    for key in ["overrides", "patchedDependencies", "packageExtensions"] {
        merge(&mut target, key);
    }
    let built = [
        ("pnpm.onlyBuiltDependencies", field(&target, "onlyBuiltDependencies")),
        ("pnpm-workspace.yaml onlyBuiltDependencies", from_yaml("onlyBuiltDependencies")),
    ];
    let mut names: Option<Vec<String>> = None;
    for (from, json) in built {
        let Some(Json::List(items)) = json else { continue };
        let names = names.get_or_insert_with(|| {
            let old = target.value(|value| {
                let old = value.get("trustedDependencies").map_or(&[][..], Value::items);
                old.iter().filter_map(|item| item.str().map(str::to_owned)).collect()
            });
            old.unwrap_or_default()
        });
        for item in items {
            if let Json::Text(name) = item
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        copied.push(format!("copied {from} to trustedDependencies"));
    }
    if let Some(names) = names {
        target.set(&["trustedDependencies"], &Json::List(names.into_iter().map(Json::Text).collect()));
    }
    let notes = if copied.is_empty() { Vec::new() } else { vec![format!("{} in package.json", copied.join(", "))] };
    Ok((target.finish(), notes))
}

/// Packages and catalogs of pnpm-workspace.yaml; whether there are any.
fn workspaces(target: &mut Target, workspace: &Yaml<'_>) -> bool {
    let filled = |key: &str| workspace.get(key).filter(|value| !value.entries().is_empty()).map(Json::from_yaml);
    let (catalog, catalogs) = (filled("catalog"), filled("catalogs"));
    let packages = workspace.get("packages").filter(|value| !value.items().is_empty()).map(Json::from_yaml);
    let old = target.value(|value| value.get("workspaces").map(|field| (field.is_object(), Json::from_value(field))));
    match (packages, old.flatten()) {
        (None, _) if catalog.is_none() && catalogs.is_none() => return false,
        (Some(packages), old) if catalog.is_none() && catalogs.is_none() => match old {
            Some((true, _)) => target.set(&["workspaces", "packages"], &packages),
            _ => target.set(&["workspaces"], &packages),
        },
        (packages, old) => {
            let mut entries = match old {
                Some((true, old)) => entries_of(old),
                Some((false, list @ Json::List(_))) if packages.is_none() => vec![("packages".to_owned(), list)],
                _ => Vec::new(),
            };
            for (key, value) in [("packages", packages), ("catalog", catalog), ("catalogs", catalogs)] {
                let Some(value) = value else { continue };
                match entries.iter_mut().find(|(known, _)| known == key) {
                    Some(entry) => entry.1 = value,
                    None => entries.push((key.to_owned(), value)),
                }
            }
            target.set(&["workspaces"], &Json::Map(entries));
        }
    }
    true
}

/// What .yarnrc.yml says that matters to a migration.
#[derive(Default)]
pub(crate) struct YarnRc {
    /// Group (empty for the default one), and its names with their ranges.
    pub catalogs: Vec<(String, Vec<(String, String)>)>,
    pub registry: Option<String>,
    /// Scope with `@`, and its registry.
    pub scopes: Vec<(String, String)>,
    extensions: Vec<(String, Json)>,
}

impl YarnRc {
    /// Reads the file of a project.
    ///
    /// # Errors
    /// It cannot be read, or is no YAML.
    pub(crate) fn read(root: &std::path::Path) -> Result<YarnRc> {
        let path = root.join(".yarnrc.yml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(YarnRc::default()),
            Err(error) => return Err(crate::error::Error::io("cannot read", &path, error)),
        };
        let documents = yaml::parse(&text, yaml::Options::TEXT)
            .map_err(|error| super::invalid(".yarnrc.yml", &error.to_string()))?;
        let empty = Yaml::Map(Vec::new());
        let root = documents.first().unwrap_or(&empty);
        let group = |value: &Yaml<'_>| -> Vec<(String, String)> {
            let entries = value.entries().iter();
            let mut list: Vec<_> =
                entries.filter_map(|(name, range)| Some((name.to_string(), range.str()?.to_owned()))).collect();
            list.sort();
            list
        };
        let mut catalogs: Vec<(String, Vec<(String, String)>)> = Vec::new();
        catalogs.extend(root.get("catalog").map(|value| (String::new(), group(value))));
        for (name, value) in root.get("catalogs").map_or(&[][..], Yaml::entries) {
            catalogs.push((name.to_string(), group(value)));
        }
        catalogs.retain(|(_, entries)| !entries.is_empty());
        catalogs.sort();
        let server = |value: &Yaml<'_>| {
            let url = value.text("npmRegistryServer").to_owned();
            // Variables are yarn's own matter.
            (!url.is_empty() && !url.contains("${")).then_some(url)
        };
        let scopes = root.get("npmScopes").map_or(&[][..], Yaml::entries).iter();
        Ok(YarnRc {
            catalogs,
            registry: server(root),
            scopes: scopes.filter_map(|(scope, value)| Some((format!("@{scope}"), server(value)?))).collect(),
            extensions: root.get("packageExtensions").map_or(Vec::new(), |value| entries_of(Json::from_yaml(value))),
        })
    }

    /// The range that a catalog has for a name.
    pub(crate) fn range(&self, group: &str, name: &str) -> Option<&str> {
        let group = if group == "default" { "" } else { group };
        let (_, entries) = self.catalogs.iter().find(|(known, _)| known == group)?;
        entries.iter().find(|(known, _)| known == name).map(|(_, range)| range.as_str())
    }
}

/// Puts patches and the settings of .yarnrc.yml into the root's package.json; what was done, for people.
pub(crate) fn import_yarn(target: &mut Target, yarnrc: &YarnRc, patched: &[(String, String)]) -> Vec<String> {
    let mut notes = Vec::new();
    let text = |pairs: &[(String, String)]| {
        Json::Map(pairs.iter().map(|(name, value)| (name.clone(), Json::Text(value.clone()))).collect())
    };
    let has = |target: &Target, key: &str| {
        target
            .value(|value| {
                value.get(key).is_some() || value.get("workspaces").is_some_and(|field| field.get(key).is_some())
            })
            .unwrap_or(false)
    };
    if !patched.is_empty() && !has(target, "patchedDependencies") {
        target.set(&["patchedDependencies"], &text(patched));
        notes.push("added patchedDependencies".to_owned());
    }
    let default = yarnrc.catalogs.iter().find(|(group, _)| group.is_empty());
    let named: Vec<_> = yarnrc.catalogs.iter().filter(|(group, _)| !group.is_empty()).collect();
    let default = default.filter(|_| !has(target, "catalog"));
    let named = if has(target, "catalogs") { Vec::new() } else { named };
    if default.is_some() || !named.is_empty() {
        let old = target.value(|value| value.get("workspaces").map(Json::from_value)).flatten();
        let mut entries = match old {
            Some(Json::Map(entries)) => entries,
            Some(list @ Json::List(_)) => vec![("packages".to_owned(), list)],
            _ => Vec::new(),
        };
        entries.extend(default.map(|(_, entries)| ("catalog".to_owned(), text(entries))));
        if !named.is_empty() {
            let groups = named.iter().map(|(group, entries)| (group.clone(), text(entries))).collect();
            entries.push(("catalogs".to_owned(), Json::Map(groups)));
        }
        target.set(&["workspaces"], &Json::Map(entries));
        notes.push("copied .yarnrc.yml catalogs to workspaces".to_owned());
    }
    if !yarnrc.extensions.is_empty() {
        target.merge("packageExtensions", &yarnrc.extensions);
        notes.push("copied .yarnrc.yml packageExtensions to packageExtensions".to_owned());
    }
    notes
}
