//! `patch` and `patch --commit`: a package's folder is made the project's own to be edited; the edits become a patch file, which every
//! install applies.

use json::Document;

use super::install::{self, Change};
use super::patch_diff;
use crate::assemble::{Selection, assemble};
use crate::config::{Config, command_flags};
use crate::error::{Code, Error, Result};
use crate::link;
use crate::model::plan::{Kind, Linker, PackageId, Plan};
use crate::model::spec::split_argument;
use crate::project::Project;
use crate::registry::session::Session;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Instant;

const FLAGS: &[command_flags::Flag] = &[("commit", '\0', false), ("patches-dir", '\0', true)];

/// A package in a place.
struct Place {
    /// The name it has there: an alias where it has one.
    folder: String,
    /// Relative to the project.
    path: String,
    package: PackageId,
}

/// What the lockfile says is installed, and where.
struct Installed {
    plan: Plan,
    places: Vec<Place>,
}

/// `patch` and `patch-commit`.
pub(crate) fn command(name: &str, arguments: &[String]) -> Result<u8> {
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    let options = super::enter(crate::config::parse_args(&rest)?)?;
    let committing = name == "patch-commit" || own.has("commit");
    let (root, here, config) = super::context(&options)?;
    let Some(argument) = options.positionals.first() else {
        return Err(if committing {
            Error::new(Code::Usage, "Missing path to the package directory containing your changes.")
                .hint("bao patch --commit node_modules/<package>")
        } else {
            Error::new(Code::Usage, "Missing package name to patch.").hint("bao patch <package>[@<version>]")
        });
    };
    if committing {
        commit(name, &root, &here, &config, argument, own.value("patches-dir").unwrap_or("patches"))
    } else {
        prepare(&root, &here, &config, argument)
    }
}

/// Whether an argument is a folder; otherwise it is a name with or without a version.
fn is_folder(argument: &str) -> bool {
    argument.starts_with("./")
        || argument.starts_with("../")
        || argument.starts_with('/')
        || argument.split('/').any(|part| part == "node_modules")
}

fn installed(project: &Project, config: &Config) -> Result<Installed> {
    let root = &project.root;
    let Some(loaded) = install::prepare::load_lockfile(root, config)? else {
        return Err(Error::new(
            Code::Usage,
            crate::ui::named("Cannot find lockfile. Install packages with `bao install` before patching them."),
        ));
    };
    let mut resolved = install::prepare::prepare(project, Some(loaded))?;
    let session = Session::new(config, root);
    let linker = install::linker_of(config, &resolved.extras, &resolved.members);
    let selection = Selection { config, members: None, root: true };
    crate::model::hoisted_tree::Tree::build(&mut resolved.graph, |_, _, _| false);
    let plan = assemble(root, &mut resolved.graph, &resolved.members, &resolved.extras, &session, &selection, linker);
    let mut places = Vec::new();
    if plan.linker == Linker::Hoisted {
        for placement in &plan.placements {
            let tree = &plan.trees[placement.tree as usize];
            let folder = plan.str(placement.folder).to_owned();
            places.push(Place {
                path: format!("{}/{folder}", plan.str(tree.path)),
                folder,
                package: placement.package,
            });
        }
    } else {
        for (folder, path, package) in link::isolated_places(&plan) {
            places.push(Place { folder, path, package });
        }
    }
    let fixed = |kind| matches!(kind, Kind::Root | Kind::Workspace | Kind::Link | Kind::Folder);
    places.retain(|place| !fixed(plan.packages[place.package as usize].kind));
    Ok(Installed { plan, places })
}

impl Installed {
    /// The place that an argument means: a folder, or the first one of a name.
    fn find(&self, root: &Path, here: &Path, argument: &str) -> Result<&Place> {
        if is_folder(argument) {
            let inside = root.join(crate::linked_packages::between(root, &here.join(argument)));
            let wanted = inside.strip_prefix(root).unwrap_or(&inside).to_string_lossy().into_owned();
            let real = |path: &str| packages::real_path(&root.join(path)).ok();
            let found = self.places.iter().find(|place| place.path == wanted).or_else(|| {
                let wanted = real(&wanted)?;
                self.places.iter().find(|place| real(&place.path).as_ref() == Some(&wanted))
            });
            return found.ok_or_else(|| {
                Error::new(Code::Usage, format!("{argument} is not the folder of an installed package"))
                    .hint("`bao patch <name>[@version]` finds the folder; links, workspace members and file: dependencies are edited where they are")
            });
        }
        let (name, version) = split_argument(argument);
        let name = if name.is_empty() { argument } else { name };
        let fits = |place: &&Place| {
            let package = &self.plan.packages[place.package as usize];
            version.is_empty() || self.plan.str(package.version) == version
        };
        let mut matching: Vec<&Place> = self.places.iter().filter(|place| place.folder == name).filter(fits).collect();
        if matching.is_empty() || version.is_empty() {
            let real = |place: &&Place| self.plan.str(self.plan.packages[place.package as usize].name) == name;
            matching.extend(self.places.iter().filter(|place| place.folder != name).filter(real).filter(fits));
        }
        let Some(first) = matching.first() else {
            return Err(Error::new(Code::Usage, format!("package {argument} not found"))
                .hint("`bao pm ls --all` lists what is installed"));
        };
        let mut labels: Vec<String> = matching.iter().map(|place| self.label(place.package)).collect();
        labels.dedup();
        labels.sort();
        labels.dedup();
        // A name of its own in the project's folder means just that one.
        if labels.len() > 1 {
            let list = labels.join("\n  ");
            return Err(Error::new(
                Code::Usage,
                format!(
                    "Found multiple versions of {name}, please specify a precise version from the following list:\n  {list}"
                ),
            ));
        }
        Ok(first)
    }

    /// `name@version`, as `patchedDependencies` has it.
    fn label(&self, package: PackageId) -> String {
        let package = &self.plan.packages[package as usize];
        format!("{}@{}", self.plan.str(package.name), self.plan.str(package.version))
    }
}

/// `patch <package>`: installs, then gives the project a copy of its own to edit.
fn prepare(root: &Path, here: &Path, config: &Config, argument: &str) -> Result<u8> {
    let mut project = Project::load(root)?;
    let code = install::run(&mut project, config, "patch", Instant::now(), &Change::default())?;
    if code != 0 || config.dry_run {
        return Ok(code);
    }
    let installed = installed(&project, config)?;
    let place = installed.find(root, here, argument)?;
    let name = installed.plan.str(installed.plan.packages[place.package as usize].name);
    if installed.plan.linker == Linker::Store {
        super::pm::materialize::put_on_disk(&installed.plan, config, root, vec![name.to_owned()])?;
    }
    let folder = root.join(&place.path);
    let real = std::fs::canonicalize(&folder).map_err(|error| {
        Error::io("cannot open", &folder, error).hint("the package is not installed for this system, or was left out")
    })?;
    let shared = link::detach(root, &place.path, &real)?;
    own_files(&real, true)?;
    let shown = if is_folder(argument) { argument } else { &place.path };
    crate::say!("\nTo patch {name}, edit the following folder:\n\n  {shown}\n");
    crate::say!("Once you're done with your changes, run:\n\n  {} patch --commit '{shown}'", crate::ui::product());
    if shared {
        crate::say!(
            "\nDependents of {name} load it from the global store and will not see changes until bao patch --commit."
        );
    }
    Ok(0)
}

/// Replaces every file that has other names, in the store for example, by a copy.
fn own_files(dir: &Path, top: bool) -> Result<()> {
    let failed = |error| Error::io("cannot copy the files in", dir, error);
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let metadata = entry.metadata().map_err(failed)?;
        let path = entry.path();
        if metadata.is_dir() {
            if !(top && entry.file_name() == "node_modules") {
                own_files(&path, false)?;
            }
        } else if metadata.is_file() && metadata.nlink() > 1 {
            let mut staged = entry.file_name();
            staged.push(".bao-copy");
            let staged = dir.join(staged);
            std::fs::copy(&path, &staged)
                .and_then(|_| {
                    std::fs::set_permissions(&staged, std::fs::Permissions::from_mode(metadata.mode() | 0o200))
                })
                .and_then(|()| std::fs::rename(&staged, &path))
                .map_err(|error| {
                    let _ = std::fs::remove_file(&staged);
                    failed(error)
                })?;
        }
    }
    Ok(())
}

/// Name of the patch file: what no file system likes in a name is percent-encoded.
fn file_name(label: &str) -> String {
    let mut out = String::with_capacity(label.len() + 16);
    for char in label.chars() {
        match char {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '%' | '\0'..='\x1f' => {
                out.push_str(&format!("%{:02X}", char as u32));
            }
            char => out.push(char),
        }
    }
    out.push_str(".patch");
    out
}

/// `patch --commit <folder or package>`.
fn commit(name: &str, root: &Path, here: &Path, config: &Config, argument: &str, patches: &str) -> Result<u8> {
    let start = Instant::now();
    if !config.silent {
        crate::ui::header(name);
    }
    let mut project = Project::load(root)?;
    let installed = installed(&project, config)?;
    let place = installed.find(root, here, argument)?;
    let package = &installed.plan.packages[place.package as usize];
    let label = installed.label(place.package);
    let session = Session::new(config, root);
    let cache_dir = installed.plan.str(package.cache_dir);
    let store = session.store()?.clone();
    if installed.plan.linker == Linker::Store {
        store.expect_integrity(cache_dir, &package.integrity);
        store.unarchive(cache_dir)?;
    }
    if !store.contains(cache_dir) {
        return Err(Error::new(Code::Io, format!("the original of {label} is not in the cache ({cache_dir})"))
            .hint("`bao install --force` brings it back; copy your changes away first"));
    }
    let original = store.path().join(cache_dir);
    let edited = root.join(&place.path);
    let shown = if is_folder(argument) { argument } else { &place.path };
    let text = patch_diff::diff(root, &original, &edited, shown, config.net.idle)?;
    let mut change = Change { quiet_header: true, write: true, ..Change::default() };
    if text.is_empty() {
        crate::say!("\nNo changes detected, comparing {} to {shown}", original.display());
        return install::run(&mut project, config, "patch", start, &change);
    }
    // What does not apply must not be written; symbolic links and the like are found out here.
    link::patch::check(&text)
        .map_err(|error| error.hint(format!("no changes were made to {shown}, package.json or the lockfile")))?;
    let directory = clean_directory(root, patches)?;
    let file = if directory.is_empty() { file_name(&label) } else { format!("{directory}/{}", file_name(&label)) };
    if config.dry_run {
        crate::say!("dry run: would write {file}");
        return Ok(0);
    }
    let path = root.join(&file);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
    }
    crate::atomic_write::write_atomic(&path, &text)?;
    link::attach(root, &place.path);
    change.originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    let mut document = Document::new(&project.manifests[0].text);
    let mut json = String::new();
    json::quote(&file, &mut json);
    document.set(&["patchedDependencies", &label], &json, false);
    project.manifests[0].text = document.text;
    change.edited.push(0);
    drop(session);
    install::run(&mut project, config, "patch", start, &change)
}

/// The directory for patch files relative to the root.
fn clean_directory(root: &Path, patches: &str) -> Result<String> {
    let relative = crate::linked_packages::between(root, &root.join(patches));
    if relative.starts_with("..") {
        return Err(Error::new(Code::Usage, format!("--patches-dir {patches} is outside of the project"))
            .hint("patch files belong to the project: they are committed with it"));
    }
    Ok(if relative == "." { String::new() } else { relative })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        assert_eq!(file_name("b@1.5.0"), "b@1.5.0.patch");
        assert_eq!(file_name("@s/d@1.0.0"), "@s%2Fd@1.0.0.patch");
        assert_eq!(file_name("gp@github:u/gp#b8fb807"), "gp@github%3Au%2Fgp#b8fb807.patch");
        assert!(is_folder("./x") && is_folder("node_modules/x") && is_folder("packages/m/node_modules/@s/x"));
        assert!(!is_folder("@s/x@1.0.0") && !is_folder("x"));
    }
}
