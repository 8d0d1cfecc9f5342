//! `publish`: packs (or takes a tarball) and sends it to the registry, with what npm's registry expects of a client.

use crate::commands::pack::{field, gzip_level, manifest_text, own_directory, print_files, print_summary, run_scripts};
mod document;
pub(crate) mod send;

use crate::commands::foreground;
use crate::config::command_flags::{self, Flag, Own};
use crate::config::{Config, Options, Registry, parse_args};
use crate::error::{Code, Error, Result};
use crate::pack::{self, Contents, Tarball};
use crate::project::{self, Project};
use json::Value;
use semver::{Range, Version};
use send::Upload;
use std::path::{Path, PathBuf};

const FLAGS: &[Flag] = &[
    ("access", '\0', true),
    ("tag", '\0', true),
    ("otp", '\0', true),
    ("auth-type", '\0', true),
    ("gzip-level", '\0', true),
    ("tolerate-republish", '\0', false),
    ("provenance", '\0', false),
    ("no-provenance", '\0', false),
    ("provenance-file", '\0', true),
];

/// What the command line says.
pub(crate) struct Settings {
    pub access: Option<String>,
    pub tag: Option<String>,
    pub otp: Option<String>,
    /// `--auth-type=web`, the default: one-time passwords by the browser where the registry offers it.
    pub web: bool,
    level: u8,
    pub tolerate: bool,
    /// `--registry` was given: it goes before publishConfig.
    fixed_registry: bool,
    /// `--no-provenance`: what publishConfig says about it does not count.
    no_provenance: bool,
}

/// A package that is ready to be sent.
pub(crate) struct Ready {
    pub name: String,
    pub version: String,
    pub tag: String,
    pub access: Option<String>,
    pub registry: Registry,
    /// The document of this version without `dist`, or nothing in a dry run.
    pub upload: Option<(String, Tarball)>,
    /// Where its scripts run; nothing for a tarball.
    pub dir: Option<PathBuf>,
}

fn settings(own: &Own, options: &Options) -> Result<Settings> {
    for name in ["provenance", "provenance-file"] {
        if own.has(name) {
            return Err(Error::new(
                Code::NotImplemented,
                format!("--{name} is not supported yet: bao publish cannot generate provenance statements"),
            )
            .hint("publish without it, or with `npm publish --provenance`"));
        }
    }
    if let Some(text) = own.value("access") {
        check_access(text)?;
    }
    let web = match own.value("auth-type") {
        None | Some("web") => true,
        Some("legacy") => false,
        Some(other) => {
            return Err(Error::new(Code::Usage, format!("invalid `auth-type` value: '{other}'")).hint("web or legacy"));
        }
    };
    Ok(Settings {
        access: own.value("access").map(str::to_owned),
        tag: own.value("tag").map(str::to_owned),
        otp: own.value("otp").filter(|otp| !otp.is_empty()).map(str::to_owned),
        web,
        level: gzip_level(own)?,
        tolerate: own.has("tolerate-republish"),
        fixed_registry: options.has("registry"),
        no_provenance: own.has("no-provenance"),
    })
}

fn check_access(text: &str) -> Result<()> {
    if matches!(text, "public" | "restricted") {
        return Ok(());
    }
    Err(Error::new(Code::Usage, format!("invalid `access` value: '{text}'")).hint("public or restricted"))
}

/// `publish`.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    let options = crate::commands::enter(parse_args(&rest)?)?;
    let mut settings = settings(&own, &options)?;
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    if let Some(file) = options.positionals.first() {
        let root = Project::find(&here)?.map_or_else(|| here.clone(), |(root, _)| root);
        let config = Config::load(&root, &options)?;
        header(&config);
        refuse_provenance(&settings, &config)?;
        if options.positionals.len() > 1 {
            return Err(Error::new(Code::Usage, "one tarball at a time"));
        }
        let ready = from_tarball(&here.join(file), file, &settings, &config)?;
        send(&ready, &mut settings, &config)?;
        return Ok(0);
    }
    let (dir, config) = own_directory(&options)?;
    header(&config);
    refuse_provenance(&settings, &config)?;
    if options.recursive || !config.filter.is_empty() {
        return several(&dir, &mut settings, &options, &config);
    }
    let ready = prepare(&dir, &settings, &config)?;
    send(&ready, &mut settings, &config)?;
    Ok(0)
}

/// Provenance that the environment or .npmrc asks for.
fn refuse_provenance(settings: &Settings, config: &Config) -> Result<()> {
    let set = |name: &str| std::env::var(name).is_ok_and(|value| value == "true");
    let what = if settings.no_provenance {
        return Ok(());
    } else if set("NPM_CONFIG_PROVENANCE") || set("npm_config_provenance") {
        "NPM_CONFIG_PROVENANCE"
    } else if config.provenance {
        "\"provenance\" in .npmrc"
    } else {
        return Ok(());
    };
    Err(Error::new(
        Code::NotImplemented,
        format!("{what} is not supported yet: bao publish cannot generate provenance statements"),
    )
    .hint("--no-provenance publishes without"))
}

fn header(config: &Config) {
    if !config.silent {
        crate::ui::header("publish");
    }
}

/// Where a package goes: `--registry`, else publishConfig, else the scope's or the default registry.
fn registry_of(name: &str, manifest: &Value<'_>, settings: &Settings, config: &Config) -> Registry {
    let own = manifest.get("publishConfig");
    let text = |key: &str| own.and_then(|own| field(own, key));
    let scoped = name.split_once('/').filter(|_| name.starts_with('@'));
    let url = scoped.and_then(|(scope, _)| text(&format!("{scope}:registry"))).or_else(|| text("registry"));
    match url.filter(|_| !settings.fixed_registry) {
        Some(url) => {
            let mut registry = Registry::new(url);
            if registry.authorization.is_none() {
                registry.authorization = config.authorization_for(&registry.url, config.registry_for(name));
            }
            registry
        }
        None => config.registry_for(name).clone(),
    }
}

/// The dist-tag and the access of a package.
fn tag_and_access(
    version: &str,
    scoped: bool,
    manifest: &Value<'_>,
    settings: &Settings,
) -> Result<(String, Option<String>)> {
    let own = manifest.get("publishConfig");
    let access = settings.access.clone().or_else(|| own.and_then(|own| field(own, "access")).map(str::to_owned));
    if let Some(access) = &access {
        check_access(access)?;
        if access == "restricted" && !scoped {
            return Err(Error::new(Code::Usage, "unable to restrict access to unscoped package"));
        }
    }
    let provenance = own.and_then(|own| own.get("provenance")).and_then(Value::bool) == Some(true);
    if provenance && !settings.no_provenance {
        return Err(Error::new(
            Code::NotImplemented,
            "\"provenance\" in the publishConfig of package.json is not supported yet: bao publish cannot generate provenance statements",
        )
        .hint("--no-provenance publishes without"));
    }
    if manifest.get("private").and_then(Value::bool) == Some(true) {
        return Err(Error::new(Code::Usage, "attempted to publish a private package")
            .hint("remove \"private\" from package.json if it is meant for others"));
    }
    let tag = settings.tag.clone().or_else(|| own.and_then(|own| field(own, "tag")).map(str::to_owned));
    if let Some(tag) = &tag
        && (Range::parse(tag).is_some() || tag.is_empty())
    {
        return Err(Error::new(Code::Usage, format!("invalid tag \"{tag}\": cannot be a version or range")));
    }
    if tag.is_none() && Version::parse(version).is_some_and(|version| !version.pre.is_empty()) {
        return Err(Error::new(Code::Usage, format!("prerelease needs a tag: {version} would become \"latest\""))
            .hint(
                "pass a tag, for example bao publish --tag next, or --tag latest to publish it as \"latest\" anyway",
            ));
    }
    Ok((tag.unwrap_or_else(|| "latest".to_owned()), access))
}

/// Runs the scripts before, packs the package of `dir` and prints what is in it.
fn prepare(dir: &Path, settings: &Settings, config: &Config) -> Result<Ready> {
    let path = dir.join("package.json");
    let early = manifest_text(dir)?;
    let manifest = project::parse(&early, &path)?;
    let (name, version) = pack::identity(&manifest)?;
    // Everything but the version, which a script may change, is checked before the scripts run.
    let no_pre = Version::parse(&version)
        .map_or(String::new(), |version| format!("{}.{}.{}", version.major, version.minor, version.patch));
    tag_and_access(&no_pre, name.starts_with('@'), &manifest, settings)?;
    if !config.ignore_scripts {
        run_scripts(dir, &["prepublishOnly", "prepack", "prepare"], "publish", config.silent)?;
    }
    let text = manifest_text(dir)?;
    let manifest = project::parse(&text, &path)?;
    let contents: Contents = pack::contents(dir)?;
    let (name, version) = (contents.name.clone(), contents.version.clone());
    if Version::parse(&version).is_none() {
        return Err(
            Error::new(Code::Usage, format!("the version \"{version}\" is not a semver version")).package(&name, "")
        );
    }
    let (tag, access) = tag_and_access(&version, name.starts_with('@'), &manifest, settings)?;
    let upload = if config.dry_run {
        None
    } else {
        let tarball = contents.pack(dir, settings.level)?;
        let edited = project::parse(&contents.manifest, &path)?;
        Some((document::version(&edited, &contents.manifest, Some(dir), config), tarball))
    };
    let size = match &upload {
        Some(_) => contents.manifest.len() as u64,
        None => std::fs::metadata(&path).map_or(0, |found| found.len()),
    };
    if !config.silent {
        print_files(&contents, size);
        print_summary(&contents, size, upload.as_ref().map(|(_, tarball)| tarball));
    }
    if !config.ignore_scripts && foreground::script(&manifest, "postpack").is_some() {
        crate::say!("");
        foreground::run(dir, &manifest, "postpack", "publish", config.silent)?;
    }
    let registry = registry_of(&name, &manifest, settings, config);
    Ok(Ready { name, version, tag, access, registry, upload, dir: Some(dir.to_owned()) })
}

/// Takes a tarball as it is.
fn from_tarball(path: &Path, shown: &str, settings: &Settings, config: &Config) -> Result<Ready> {
    let bytes = std::fs::read(path).map_err(|error| Error::io("failed to read tarball:", shown, error))?;
    let listing = pack::read::read(&bytes)?;
    let Some(text) = &listing.manifest else {
        return Err(Error::new(Code::Tarball, format!("there is no package.json in {shown}")));
    };
    let manifest = project::parse(text, Path::new("package.json"))?;
    let (name, version) = pack::identity(&manifest)?;
    let (tag, access) = tag_and_access(&version, name.starts_with('@'), &manifest, settings)?;
    let tarball = Tarball::new(bytes, listing.files.iter().map(|(_, size)| size).sum());
    if !config.silent {
        crate::say!("");
        for (path, size) in &listing.files {
            crate::say!("packed {} {path}", pack::size(*size));
        }
        crate::say!("\nTotal files: {}", listing.files.len());
        crate::say!("Shasum: {}", tarball.shasum);
        crate::say!("Integrity: {}", pack::short(tarball.integrity));
        crate::say!("Unpacked size: {}", pack::size(tarball.unpacked));
        crate::say!("Packed size: {}", pack::size(tarball.bytes.len() as u64));
    }
    let registry = registry_of(&name, &manifest, settings, config);
    let mut document = document::version(&manifest, text, None, config);
    document::add_readme(&mut document, listing.readme.as_ref());
    Ok(Ready { name, version, tag, access, registry, upload: Some((document, tarball)), dir: None })
}

/// Sends a package, then runs its scripts.
fn send(ready: &Ready, settings: &mut Settings, config: &Config) -> Result<()> {
    let needs_login = ready.registry.authorization.is_none() && !config.dry_run;
    if needs_login {
        return Err(Error::new(Code::Usage, crate::ui::named("missing authentication (run `bao x npm login`)"))
            .url(&ready.registry.url)
            .hint("or set //host/:_authToken in .npmrc, or BUN_CONFIG_TOKEN"));
    }
    if settings.tolerate && send::exists(ready, config)? {
        base::stderr_line!("warn: Registry already knows about version {}; skipping.", ready.version);
        return Ok(());
    }
    if !config.silent {
        crate::say!("Tag: {}", ready.tag);
        crate::say!("Access: {}", ready.access.as_deref().unwrap_or("default"));
        crate::say!("Registry: {}", ready.registry.url);
    }
    let upload = ready.upload.as_ref().filter(|_| !config.dry_run);
    if let Some((document, tarball)) = upload {
        let body = document::body(ready, document, tarball);
        match send::put(ready, body, settings, config)? {
            Upload::Done => {}
            Upload::Exists => {
                base::stderr_line!("warn: Registry already knows about version {}; skipping.", ready.version);
                return Ok(());
            }
        }
    }
    crate::say!("\n + {}@{}{}", ready.name, ready.version, if config.dry_run { " (dry-run)" } else { "" });
    if let Some(dir) = ready.dir.as_ref().filter(|_| !config.ignore_scripts) {
        run_scripts(dir, &["publish", "postpublish"], "publish", config.silent)?;
    }
    Ok(())
}

/// A workspace member on its way.
struct Candidate {
    dir: PathBuf,
    name: String,
    version: String,
    needs: Vec<String>,
}

/// `-r` and `-F`: members whose version the registry does not have, those first that others depend on. All are packed before the first
/// is sent.
fn several(dir: &Path, settings: &mut Settings, options: &Options, config: &Config) -> Result<u8> {
    let root = Project::find(dir)?.map_or_else(|| dir.to_owned(), |(root, _)| root);
    let project = Project::load(&root)?;
    let mut list = Vec::new();
    for manifest in &project.manifests {
        let dir = root.join(&manifest.path);
        let value = project::parse(&manifest.text, &dir.join("package.json"))?;
        let name = value.text("name").to_owned();
        let wanted = config.filter.is_empty() || selected(&config.filter, &name, &manifest.path);
        if !wanted {
            continue;
        }
        let mut needs = Vec::new();
        for group in json::GROUPS {
            needs.extend(value.get(group).map_or(&[][..], Value::members).iter().map(|member| member.key.to_string()));
        }
        let private = value.get("private").and_then(Value::bool) == Some(true);
        list.push((Candidate { dir, name, version: value.text("version").to_owned(), needs }, private));
    }
    if list.is_empty() {
        let filters = config.filter.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", ");
        return Err(Error::new(Code::Usage, format!("No workspace packages matched the filter {filters}")));
    }
    debug_assert!(options.recursive || !config.filter.is_empty());
    let mut ready = Vec::new();
    for (candidate, private) in ordered(list) {
        if private {
            crate::say!("skipped {}: private", candidate.name);
            continue;
        }
        if candidate.name.is_empty() || candidate.version.is_empty() {
            crate::say!("skipped {}: package.json has no name or no version", candidate.dir.display());
            continue;
        }
        let text = manifest_text(&candidate.dir)?;
        let value = project::parse(&text, &candidate.dir.join("package.json"))?;
        let registry = registry_of(&candidate.name, &value, settings, config);
        if send::has(&candidate.name, &candidate.version, &registry, config)? {
            crate::say!("skipped {}@{}: already on the registry", candidate.name, candidate.version);
            continue;
        }
        if !config.silent {
            crate::say!("\n{}", candidate.name);
        }
        ready.push(prepare(&candidate.dir, settings, config)?);
    }
    for one in &ready {
        if !config.silent {
            crate::say!("\n{}", one.name);
        }
        send(one, settings, config)?;
    }
    Ok(0)
}

/// Whether the filters choose a member: names and `./paths`, the last `!` wins.
fn selected(filters: &[String], name: &str, path: &str) -> bool {
    let mut hit = filters.iter().all(|filter| filter.starts_with('!'));
    for filter in filters {
        let (negated, pattern) = filter.strip_prefix('!').map_or((false, filter.as_str()), |rest| (true, rest));
        let matched = match pattern.strip_prefix("./") {
            Some(place) => workspace::matches(place.trim_end_matches('/'), path),
            None => workspace::matches(pattern, name),
        };
        if matched {
            hit = !negated;
        }
    }
    hit
}

/// What others need first; circles are broken at their first member.
fn ordered(mut list: Vec<(Candidate, bool)>) -> Vec<(Candidate, bool)> {
    let mut out: Vec<(Candidate, bool)> = Vec::with_capacity(list.len());
    while !list.is_empty() {
        let names: Vec<String> = list.iter().map(|(one, _)| one.name.clone()).collect();
        let free = |one: &Candidate| !one.needs.iter().any(|need| *need != one.name && names.contains(need));
        let (mut next, mut rest): (Vec<_>, Vec<_>) = list.into_iter().partition(|(one, _)| free(one));
        if next.is_empty() {
            next.push(rest.remove(0));
        }
        out.append(&mut next);
        list = rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_members() {
        let one = |name: &str, needs: &[&str]| {
            let needs = needs.iter().map(|need| (*need).to_owned()).collect();
            (Candidate { dir: PathBuf::new(), name: name.to_owned(), version: String::new(), needs }, false)
        };
        let list = vec![one("a", &["c"]), one("b", &["a", "a"]), one("c", &["x"]), one("d", &["e"]), one("e", &["d"])];
        let names: Vec<String> = ordered(list).into_iter().map(|(one, _)| one.name).collect();
        assert_eq!(names, ["c", "a", "b", "d", "e"]);
    }

    #[test]
    fn filters() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(selected(&list(&["@s/*"]), "@s/a", "p/a") && selected(&list(&["./p/*"]), "b", "p/b"));
        assert!(!selected(&list(&["*", "!b"]), "b", "p/b") && selected(&list(&["!b"]), "a", "p/a"));
    }
}
