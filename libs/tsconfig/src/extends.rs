//! Where `extends` points to.

use std::path::{Path, PathBuf};

use json::{Node, Value};

use crate::config::normalize;

/// The file that `item` of `extends` in a configuration in `folder` means, with its text; `None` if it leads nowhere. The file may be
/// in an archive of the store.
pub fn find(item: &str, folder: &Path) -> Option<(PathBuf, String)> {
    let relative = item == "." || item == ".." || item.starts_with("./") || item.starts_with("../");
    if relative || Path::new(item).is_absolute() {
        return read_variants(&normalize(&folder.join(item)));
    }
    let (package, rest) = split_package(item);
    for ancestor in folder.ancestors() {
        let root = ancestor.join("node_modules").join(package);
        if !store::is_dir(&root) {
            continue;
        }
        if let Some(found) = in_package(&root, rest) {
            return Some(found);
        }
    }
    None
}

/// `@scope/name/sub/file` to package name and the rest, which may be empty.
fn split_package(item: &str) -> (&str, &str) {
    let from = if item.starts_with('@') { item.find('/').map_or(item.len(), |i| i + 1) } else { 0 };
    match item[from..].find('/') {
        Some(at) => (&item[..from + at], &item[from + at + 1..]),
        None => (item, ""),
    }
}

fn in_package(root: &Path, rest: &str) -> Option<(PathBuf, String)> {
    let manifest = text_of(&root.join("package.json")).unwrap_or_default();
    let manifest = Value::parse(manifest.as_bytes()).ok();
    if let Some(exports) = manifest.as_ref().and_then(|manifest| manifest.get("exports")) {
        let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        for key in [key.clone(), format!("{key}.json")] {
            if let Some(target) = exported(exports, &key)
                && let Some(found) = read(&normalize(&root.join(target)))
            {
                return Some(found);
            }
        }
    }
    if !rest.is_empty() {
        return read_variants(&normalize(&root.join(rest)));
    }
    if let Some(file) = manifest.as_ref().and_then(|manifest| manifest.get("tsconfig")?.str()) {
        return read_variants(&normalize(&root.join(file)));
    }
    read(&root.join("tsconfig.json"))
}

/// The target of a subpath in `exports` of package.json, for the conditions that TypeScript uses here.
fn exported<'v>(exports: &'v Value<'_>, key: &str) -> Option<&'v str> {
    let subpaths = exports.members().iter().any(|member| member.key.starts_with('.'));
    let mut target = if subpaths {
        exports.get(key)?
    } else if key == "." {
        exports
    } else {
        return None;
    };
    loop {
        match &target.node {
            Node::String(path) => return Some(path),
            Node::Array(list) => target = list.first()?,
            Node::Object(members) => {
                let fits = |key: &str| matches!(key, "require" | "node" | "default");
                target = &members.iter().find(|member| fits(&member.key))?.value;
            }
            _ => return None,
        }
    }
}

/// `path`, `path.json`, or `path/tsconfig.json`.
fn read_variants(path: &Path) -> Option<(PathBuf, String)> {
    let mut with_extension = path.as_os_str().to_owned();
    with_extension.push(".json");
    read(path).or_else(|| read(Path::new(&with_extension))).or_else(|| read(&path.join("tsconfig.json")))
}

fn read(path: &Path) -> Option<(PathBuf, String)> {
    let text = text_of(path).ok()?;
    Some((path.to_owned(), text))
}

/// The text of a file, which may be in a package that is in an archive of the store.
pub(crate) fn text_of(path: &Path) -> std::io::Result<String> {
    match store::cat(path.as_os_str().as_encoded_bytes()) {
        Some(found) => {
            String::from_utf8(found?.into_owned()).map_err(|_| std::io::Error::from(std::io::ErrorKind::InvalidData))
        }
        None => std::fs::read_to_string(path),
    }
}
