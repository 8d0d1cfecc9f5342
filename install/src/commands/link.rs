//! `link` and `unlink`: a package in development is registered, and used by other projects from where it is.

use json::{Document, GROUPS};

use super::install::{self, Change};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::link::bins;
use crate::link::saved_state::State;
use crate::linked_packages;
use crate::model::spec::valid_name;
use crate::project::{Project, read_manifest};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The package of the current directory: its name and its commands.
struct Package {
    name: String,
    /// Name of the command and file in the package.
    commands: Vec<(String, String)>,
}

fn own_package(directory: &Path) -> Result<Package> {
    let file = directory.join("package.json");
    let Some(text) = read_manifest(directory)? else {
        return Err(Error::new(
            Code::Usage,
            format!("No package.json was found for directory \"{}\"", directory.display()),
        )
        .hint("`bao link` registers the package of the current directory"));
    };
    let manifest = crate::project::parse(&text, &file)?;
    let name = manifest.text("name").to_owned();
    if name.is_empty() {
        return Err(Error::new(Code::Usage, format!("package.json missing \"name\" in \"{}\"", file.display())));
    }
    if !valid_name(&name) {
        let name = name.escape_debug();
        return Err(Error::new(Code::Usage, format!("invalid package name \"{name}\" in \"{}\"", file.display())));
    }
    let mut commands = Vec::new();
    let mut add = |name: &str, file: &str| {
        if let (Some(name), Some(file)) = (bins::command(name), bins::inside(file)) {
            commands.push((name.to_owned(), file));
        }
    };
    let listed = manifest.get("bin");
    match listed.and_then(|bin| bin.str()) {
        Some(file) => add(&name, file),
        None => {
            for bin in listed.map_or(&[][..], |bin| bin.members()) {
                add(&bin.key, bin.value.str().unwrap_or(""));
            }
        }
    }
    if listed.is_none()
        && let Some(dir) = manifest.get("directories").and_then(|dirs| bins::inside(dirs.text("bin")))
    {
        let entries = std::fs::read_dir(directory.join(&dir)).into_iter().flatten().flatten();
        let mut files: Vec<String> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        files.sort();
        for file in files {
            add(&file, &format!("{dir}/{file}"));
        }
    }
    Ok(Package { name, commands })
}

/// Where the commands of a registered package are linked from, and the target as seen from there.
fn command_links(config: &Config, package: &Package) -> Vec<(PathBuf, String)> {
    let from =
        linked_packages::between(&config.global_bin, &config.global_dir.join("node_modules").join(&package.name));
    package.commands.iter().map(|(name, file)| (config.global_bin.join(name), format!("{from}/{file}"))).collect()
}

/// Puts a symbolic link in its place, whatever file or link is there.
fn replace_link(path: &Path, target: &Path) -> Result<()> {
    let failed = |error| Error::io("cannot make the link", path, error);
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|error| Error::io("cannot make", dir, error))?;
    }
    let staged = path.with_extension(format!("{}.tmp", std::process::id()));
    let _ = std::fs::remove_file(&staged);
    std::os::unix::fs::symlink(target, &staged).map_err(failed)?;
    let renamed = std::fs::rename(&staged, path).or_else(|_| {
        // A directory, left by `add -g`.
        std::fs::remove_dir_all(path)?;
        std::fs::rename(&staged, path)
    });
    renamed.map_err(|error| {
        let _ = std::fs::remove_file(&staged);
        failed(error)
    })
}

/// `link`: registers the package of the current directory, or links registered ones into the project.
pub(crate) fn link(options: &Options) -> Result<u8> {
    if !options.positionals.is_empty() {
        return link_into_project(options);
    }
    let (_, own, config) = super::context(options)?;
    if !config.silent {
        crate::ui::header("link");
    }
    let package = own_package(&own)?;
    let name = &package.name;
    if config.dry_run {
        crate::say!("dry run: would link \"{name}\"");
        return Ok(0);
    }
    replace_link(&linked_packages::registered(&config, name)?, &own)?;
    for ((path, target), (_, file)) in command_links(&config, &package).iter().zip(&package.commands) {
        replace_link(path, Path::new(target))?;
        let file = own.join(file);
        if let Ok(metadata) = std::fs::metadata(&file) {
            use std::os::unix::fs::PermissionsExt;
            let mode = metadata.permissions().mode() | 0o111;
            let _ = std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode));
        }
    }
    if !config.silent {
        crate::say!("Success! Registered \"{name}\"\n");
        crate::say!("To use {name} in a project, run:\n  {} link {name}\n", crate::ui::product());
        crate::say!("Or add it in dependencies in your package.json file:\n  \"{name}\": \"link:{name}\"");
    }
    Ok(0)
}

/// `link <name>…`: as if package.json had `"name": "link:name"`, which is written with `--save` only.
fn link_into_project(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, own, mut config) = super::context(options)?;
    if !config.silent && config.summary {
        crate::ui::header("link");
    }
    let saving = options.has("save") && !options.has("no-save");
    config.save = saving;
    config.save_lockfile &= saving;
    let mut project = Project::load(&root)?;
    let relative = own.strip_prefix(&root).unwrap_or(&own).to_string_lossy().into_owned();
    let manifest = project.manifests.iter().position(|manifest| manifest.path == relative).unwrap_or(0);
    let mut document = Document::new(&project.manifests[manifest].text);
    let mut change = Change { edited: vec![manifest], write: saving, quiet_header: true, ..Change::default() };
    change.originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    for name in &options.positionals {
        if !valid_name(name) {
            return Err(Error::new(Code::Usage, format!("unrecognised dependency format: {name}"))
                .hint("`bao link <name>` takes the name of a package that was registered; a path goes into package.json as link:<path>"));
        }
        if !linked_packages::registered(&config, name)?.is_dir() {
            return Err(linked_packages::not_linked(name));
        }
        let group = GROUPS.into_iter().find(|group| document.get(group, name).is_some()).unwrap_or("dependencies");
        document.set_dependency(group, name, &format!("link:{name}"));
        change.added.push(name.clone());
    }
    project.manifests[manifest].text = document.text;
    let code = install::run(&mut project, &config, "link", start, &change)?;
    if !saving && !config.dry_run && !config.lockfile_only {
        keep(&root, &relative, &change.added);
    }
    Ok(code)
}

/// Later installs, whose package.json does not have the links, leave them alone.
fn keep(root: &Path, member: &str, names: &[String]) {
    let modules = if member.is_empty() { "node_modules".to_owned() } else { format!("{member}/node_modules") };
    let Ok(dir) = std::fs::File::open(root) else { return };
    let commands = commands_of(&root.join(&modules), names);
    let _ = State::forget(dir.as_fd(), |path| {
        let Some(rest) = path.to_str().ok().and_then(|path| path.strip_prefix(&modules)?.strip_prefix('/')) else {
            return false;
        };
        names.iter().any(|name| name == rest)
            || rest.strip_prefix(".bin/").is_some_and(|bin| commands.iter().any(|command| command == bin))
    });
}

/// Names in `.bin` whose links lead into one of the packages.
fn commands_of(modules: &Path, names: &[String]) -> Vec<String> {
    let entries = std::fs::read_dir(modules.join(".bin")).into_iter().flatten().flatten();
    let leads = |path: PathBuf| {
        let target = std::fs::read_link(path).ok()?;
        let rest = target.to_str()?.strip_prefix("../")?.to_owned();
        names
            .iter()
            .any(|name| rest.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/')))
            .then_some(())
    };
    entries
        .filter(|entry| leads(entry.path()).is_some())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// `unlink`: takes the registration of the current directory's package back; with names, the project's links to them.
pub(crate) fn unlink(options: &Options) -> Result<u8> {
    if !options.positionals.is_empty() {
        return unlink_from_project(options);
    }
    let (_, own, config) = super::context(options)?;
    if !config.silent {
        crate::ui::header("unlink");
    }
    let package = own_package(&own)?;
    let name = &package.name;
    let link = linked_packages::registered(&config, name)?;
    if !std::fs::symlink_metadata(&link).is_ok_and(|metadata| metadata.is_symlink()) {
        crate::say!("success: package \"{name}\" is not globally linked, so there's nothing to do.");
        return Ok(0);
    }
    if config.dry_run {
        crate::say!("dry run: would unlink \"{name}\"");
        return Ok(0);
    }
    for (path, target) in command_links(&config, &package) {
        if std::fs::read_link(&path).is_ok_and(|found| found == Path::new(&target)) {
            std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
        }
    }
    std::fs::remove_file(&link).map_err(|error| Error::io("cannot remove", &link, error))?;
    if !config.silent {
        crate::say!("success: unlinked package \"{name}\"");
    }
    Ok(0)
}

/// `unlink <name>…`: links go out of node_modules (and `link:` dependencies out of package.json), then the project is installed again.
fn unlink_from_project(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, own, config) = super::context(options)?;
    let mut project = Project::load(&root)?;
    let relative = own.strip_prefix(&root).unwrap_or(&own).to_string_lossy().into_owned();
    let manifest = project.manifests.iter().position(|manifest| manifest.path == relative).unwrap_or(0);
    let mut document = Document::new(&project.manifests[manifest].text);
    let mut change = Change { edited: vec![manifest], write: true, ..Change::default() };
    change.originals = project.manifests.iter().map(|manifest| manifest.text.clone()).collect();
    let modules = own.join("node_modules");
    for name in &options.positionals {
        let path = modules.join(name);
        let is_link =
            valid_name(name) && std::fs::read_link(&path).is_ok_and(|to| !to.to_string_lossy().contains(".bun/"));
        let mut saved = false;
        for group in GROUPS {
            if document.get(group, name).is_some_and(|literal| literal.starts_with("link:")) {
                saved |= document.remove(&[group, name]);
            }
        }
        if !is_link && !saved {
            return Err(Error::new(Code::Usage, format!("{name} is not linked in this project")));
        }
        if saved {
            change.removed.push(name.clone());
        }
        if is_link && !config.dry_run {
            for command in commands_of(&modules, std::slice::from_ref(name)) {
                let _ = std::fs::remove_file(modules.join(".bin").join(command));
            }
            std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
        }
    }
    project.manifests[manifest].text = document.text;
    install::run(&mut project, &config, "unlink", start, &change)
}
