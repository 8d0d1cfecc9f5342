//! The lockfiles of other package managers, read once: at the first install without bun.lock.
//!
//! A reader gives the same arrays that a bun.lock gives ([`Loaded`]), so that everything behind it is the ordinary install. Versions
//! and digests are those of the source. What a source does not record (the bins of pnpm and yarn, yarn 1's platforms and peers) comes
//! from the manifests of just those packages.

pub(crate) mod berry;
mod builder;
pub(crate) mod lockb;
mod metadata;
pub(crate) mod npm;
pub(crate) mod pnpm;
pub(crate) mod settings;
pub(crate) mod yarn;

use crate::error::{Code, Error, Result};
use crate::lockfile::Loaded;
use crate::model::extras::Extras;
use crate::project::Project;
use crate::registry::session::Session;
use metadata::Missing;
use std::path::Path;
use std::time::Instant;

/// Files in the order in which they are looked for.
const FILES: [&str; 5] = ["bun.lockb", "npm-shrinkwrap.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"];

/// What was read, and what has to be written with it.
#[derive(Default)]
pub(crate) struct Migrated {
    /// Nothing where the file could not be migrated: package.json is resolved as if it were not there.
    pub loaded: Option<Loaded>,
    /// Paths of package.json files whose new text is in the project already.
    pub edited: Vec<std::path::PathBuf>,
    /// What was edited, for people.
    pub notes: Vec<String>,
    /// The file is Bun's own binary lockfile.
    pub binary: bool,
}

/// Whether a project has the lockfile of another tool.
pub(crate) fn exists(root: &Path) -> bool {
    FILES.iter().any(|file| root.join(file).exists())
}

/// The lockfile that would be migrated, and its bytes.
fn find(root: &Path) -> Result<Option<(&'static str, Vec<u8>)>> {
    for file in FILES {
        let path = root.join(file);
        match std::fs::read(&path) {
            Ok(bytes) => return Ok(Some((file, bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        }
    }
    Ok(None)
}

/// Reads the lockfile of another tool, if the project has one. Settings that the tool keeps elsewhere are put into the manifests of
/// `project`, whose list of members may grow by that; nothing is written. A file that cannot be migrated is ignored with a warning, as in
/// Bun.
///
/// # Errors
/// The file cannot be read. With --frozen-lockfile or `strict`: it is damaged, or of a version that is not known.
pub(crate) fn run(project: &mut Project, session: &mut Session<'_>, strict: bool) -> Result<Option<Migrated>> {
    let start = Instant::now();
    let Some((file, bytes)) = find(&project.root)? else { return Ok(None) };
    match read(project, session, file, bytes) {
        Ok(migrated) => {
            // A bun.lockb stays one, unless a text is asked for.
            if !session.config.silent && (!migrated.binary || session.config.save_text) {
                base::stderr_line!("[{}] migrated lockfile from {file}", crate::ui::elapsed(start));
            }
            Ok(Some(migrated))
        }
        Err(error) if strict || session.config.frozen || !matches!(error.code, Code::Parse | Code::NotImplemented) => {
            Err(error)
        }
        Err(error) => {
            if error.code == Code::NotImplemented {
                base::stderr_line!("warn: {}, resolving from package.json", error.message);
                error.hint.iter().for_each(|hint| base::stderr_line!("note: {hint}"));
            } else {
                base::stderr_line!("error: {error}\nwarn: Ignoring lockfile");
            }
            let mut migrated = Migrated::default();
            if file == "pnpm-lock.yaml" {
                let (new, notes) = settings::import_pnpm(project, &[])?;
                if let Some(new) = new {
                    replace(project, new)?;
                    migrated = Migrated { edited: vec![project.root.join("package.json")], notes, ..migrated };
                }
            }
            Ok(Some(migrated))
        }
    }
}

fn read(project: &mut Project, session: &mut Session<'_>, file: &str, bytes: Vec<u8>) -> Result<Migrated> {
    if file == "bun.lockb" {
        return Ok(Migrated {
            loaded: Some(lockb::read(&bytes, &project.manifests)?),
            binary: true,
            ..Migrated::default()
        });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        invalid(file, &format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
    })?;
    if crate::lockfile::merge::has_conflict(&text) {
        return Err(
            invalid(file, "it has merge conflicts").hint("resolve them with the tool that wrote it, then migrate")
        );
    }
    let plain = |loaded| Ok(Migrated { loaded: Some(loaded), ..Migrated::default() });
    match file {
        "yarn.lock" if berry::is_berry(&text) => berry_project(project, session, &text),
        "yarn.lock" => {
            let mut loaded = yarn::read(&text, &project.manifests, &root_extras(project)?)?;
            let missing = Missing { platforms: true, scripts: true, ..Missing::default() };
            metadata::complete(&mut loaded.graph, session, missing, |_, _| true)?;
            plain(loaded)
        }
        "pnpm-lock.yaml" => pnpm_project(project, session, &text),
        _ => {
            let members: Vec<&str> = project.manifests.iter().skip(1).map(|manifest| manifest.path.as_str()).collect();
            plain(npm::read(&text, file, &members)?)
        }
    }
}

fn pnpm_project(project: &mut Project, session: &mut Session<'_>, text: &str) -> Result<Migrated> {
    let original = project.clone();
    let (new, mut notes) = settings::import_pnpm(&original, &[])?;
    let mut edited = new.is_some();
    if let Some(new) = new {
        replace(project, new)?;
    }
    let extras = root_extras(project)?;
    let config = session.config;
    let archive = |name: &str, version: &str, recorded: &str| -> String {
        let registry = &config.registry_for(name).url;
        if registry == crate::model::registry_url::DEFAULT_REGISTRY {
            String::new()
        } else if recorded.starts_with(registry.as_str()) {
            recorded.to_owned()
        } else {
            crate::model::registry_url::usual_tarball(registry, name, version)
        }
    };
    let context =
        pnpm::Context { root: &project.root, manifests: &project.manifests, extras: &extras, archive: &archive };
    let pnpm::Read { mut loaded, wanted, patched, warnings } = pnpm::read(text, &context)?;
    if !config.silent {
        warnings.iter().for_each(|warning| base::stderr_line!("warn: {warning}"));
    }
    if !patched.is_empty() {
        // Keys without a version get the one that the lockfile says was patched.
        let (new, again) = settings::import_pnpm(&original, &patched)?;
        if let Some(new) = new {
            project.manifests[0].text = new;
            (edited, notes) = (true, again);
        }
    }
    let missing = Missing { scripts: true, ..Missing::default() };
    metadata::complete(&mut loaded.graph, session, missing, |_, id| {
        wanted.as_ref().is_none_or(|wanted| wanted.get(id as usize).copied().unwrap_or(false))
    })?;
    let edited = if edited { vec![project.root.join("package.json")] } else { Vec::new() };
    Ok(Migrated { loaded: Some(loaded), edited, notes, binary: false })
}

fn berry_project(project: &mut Project, session: &mut Session<'_>, text: &str) -> Result<Migrated> {
    let config = session.config;
    let documents = berry::documents(text)?;
    let lock = berry::index(&documents)?;
    let yarnrc = settings::YarnRc::read(&project.root)?;
    let mut migrated = Migrated::default();
    let resolutions = berry::resolutions(&project.manifests[0].text);
    let patched = lock.patches();
    let mut originals = Vec::new();
    for (at, manifest) in project.manifests.iter_mut().enumerate() {
        let mut notes = Vec::new();
        if let Some(rewritten) = berry::rewrite(&manifest.text) {
            originals.extend(rewritten.originals.into_iter().map(|(name, range)| (at, name, range)));
            manifest.text = rewritten.text;
            notes.push("rewrote patch:/portal:/link:/npm: ranges".to_owned());
        }
        if at == 0 {
            let mut target = settings::Target::new(&manifest.text);
            notes.extend(settings::import_yarn(&mut target, &yarnrc, &patched));
            if let Some(new) = target.finish() {
                manifest.text = new;
            }
        }
        if !notes.is_empty() {
            let path = Path::new(&manifest.path).join("package.json");
            migrated.notes.push(format!("{} in {}", notes.join(", "), path.display()));
            migrated.edited.push(project.root.join(path));
        }
    }
    let mut foreign: Vec<String> = Vec::new();
    let archive = |name: &str, version: &str| -> String {
        let own = &config.registry_for(name).url;
        let scope = name.split_once('/').map_or("", |(scope, _)| scope);
        let scoped = yarnrc.scopes.iter().find(|(known, _)| known == scope).map(|(_, url)| url);
        let with_slash = |url: &String| if url.ends_with('/') { url.clone() } else { format!("{url}/") };
        let yarns = "https://registry.yarnpkg.com/";
        match scoped.or(yarnrc.registry.as_ref()).map(with_slash) {
            Some(url) if url != *own && !(url == yarns && own == crate::model::registry_url::DEFAULT_REGISTRY) => {
                crate::model::registry_url::usual_tarball(&url, name, version)
            }
            _ if own == crate::model::registry_url::DEFAULT_REGISTRY => String::new(),
            _ => crate::model::registry_url::usual_tarball(own, name, version),
        }
    };
    for url in yarnrc.scopes.iter().map(|(_, url)| url).chain(&yarnrc.registry) {
        let known = archive("x", "1.0.0").starts_with(url.trim_end_matches('/'));
        if known && !foreign.contains(url) && !config.silent {
            base::stderr_line!(
                "warn: fetching yarn.lock packages from {url} (npmRegistryServer in .yarnrc.yml); add it to bunfig.toml or .npmrc if it needs authentication"
            );
            foreign.push(url.clone());
        }
    }
    let context = berry::Context {
        manifests: &project.manifests,
        originals: &originals,
        resolutions: &resolutions,
        yarnrc: &yarnrc,
        archive: &archive,
    };
    let mut loaded = berry::build(&lock, text.len() / 2, &context, &mut |warning| {
        if !config.silent {
            base::stderr_line!("warn: {warning}");
        }
    })?;
    let missing = Missing { platforms: true, scripts: true, integrity: true, peers: true };
    metadata::complete(&mut loaded.graph, session, missing, |_, _| true)?;
    migrated.loaded = Some(loaded);
    Ok(migrated)
}

/// Gives the root another package.json; members that its `workspaces` adds come last, so that places in the list stay.
fn replace(project: &mut Project, text: String) -> Result<()> {
    let loaded = Project::with_text(&project.root, text.clone())?;
    project.manifests[0].text = text;
    for manifest in loaded.manifests.into_iter().skip(1) {
        if project.manifests.iter().all(|known| known.path != manifest.path) {
            project.manifests.push(manifest);
        }
    }
    Ok(())
}

/// What the root's package.json says.
fn root_extras(project: &Project) -> Result<Extras> {
    let value = crate::project::parse(&project.manifests[0].text, &project.root.join("package.json"))?;
    Ok(crate::project::extras(&value))
}

/// The error of a file that is no lockfile of its kind.
fn invalid(file: &str, what: &str) -> Error {
    Error::new(Code::Parse, format!("{file} cannot be migrated: {what}"))
        .hint("let the tool that wrote it write it again, or remove it to resolve everything anew")
}

/// The error of a version that is not read; `hint` upgrades the file.
fn unsupported(file: &str, version: &str, hint: &str) -> Error {
    Error::new(Code::NotImplemented, format!("cannot migrate {file}: unsupported lockfileVersion {version}")).hint(hint)
}

/// The error of a text that stops being of its format at a byte.
fn damaged(file: &str, text: &str, at: usize) -> Error {
    let line = text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    invalid(file, &format!("it is not valid from line {line} on"))
}

/// `owner/repo` of a URL of GitHub, for a dependency that names the repository without ssh.
fn github_repository<'u>(url: &'u str, literal: &str) -> Option<&'u str> {
    if !matches!(crate::model::spec::Spec::parse(literal), crate::model::spec::Spec::GitHub { .. }) {
        return None;
    }
    let (_, path) = url.split_once("github.com").filter(|(_, path)| path.starts_with(['/', ':']))?;
    let path = path[1..].strip_suffix(".git").unwrap_or(&path[1..]);
    (path.matches('/').count() == 1).then_some(path)
}

/// Tarball URL of a registry package as the graph has it: nothing for the default registry (or yarn's name for it).
fn archive(url: &str) -> &str {
    let default = ["https://registry.npmjs.org/", "https://registry.yarnpkg.com/"];
    if default.iter().any(|base| url.starts_with(base)) { "" } else { url }
}

/// URL and commit of a git reference, `git+ssh://git@host/x.git#<commit>` and the like.
fn git_reference(text: &str) -> Option<(&str, &str)> {
    let git = ["git+", "git://", "git@", "ssh://"].iter().any(|prefix| text.starts_with(prefix));
    let (url, commit) = text.rsplit_once('#')?;
    let known = git || url.ends_with(".git");
    let sane = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (known && sane).then(|| (url.strip_prefix("git+").unwrap_or(url), commit))
}

#[cfg(test)]
mod tests;
