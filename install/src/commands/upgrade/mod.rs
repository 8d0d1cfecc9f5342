//! `upgrade`: this executable becomes another version of itself.
//!
//! A release is an executable with a signature beside it, in the package of its platform at the registry or in an archive. Both checks
//! are made before anything is written: the digest that the registry (or a `.sha256` file) announces says that the bytes arrived whole,
//! the signature says whose they are.

mod replace;
mod signature;

use json::Value;
use semver::Version;
use tar::{Inflater, Limits, Parser, Sink};

use crate::config::command_flags::{self, Flag};
use crate::config::{Config, parse_args};
use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::net::Request;
use crate::registry::session::Session;
use crate::store::tarball::digest;
use replace::Place;
use signature::PublicKey;

const FLAGS: &[Flag] = &[
    ("from", '\0', true),
    ("public-key", '\0', true),
    ("rollback", '\0', false),
    ("check", '\0', false),
    ("canary", '\0', false),
    ("stable", '\0', false),
];

/// The version of this executable.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The key that releases are signed with, set where releases are built; other builds have none.
const PUBLIC_KEY: Option<&str> = option_env!("BAO_PUBLIC_KEY");
/// The scope of the packages with an executable for one platform.
const SCOPE: &str = "@bao-js";
/// The files in a release.
const EXECUTABLE: &[u8] = b"bao";
const SIGNATURE: &[u8] = b"bao.minisig";
/// Files that an archive of a release may have.
const MAX_ENTRIES: u32 = 10_000;

/// `linux-x64`: the platform as npm names it.
fn platform() -> String {
    let os = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    let cpu = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}-{cpu}")
}

/// `upgrade`. `arguments` follow the command's name.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    let options = super::enter(parse_args(&rest)?)?;
    // The settings of the project that happens to be here are not about bao: only those of the user count.
    let home = std::env::var_os("HOME").map_or_else(|| "/".into(), std::path::PathBuf::from);
    let config = Config::load(&home, &options)?;
    let is_chosen = !options.positionals.is_empty() || own.has("canary") || own.has("stable");
    let is_check = own.has("check");
    let source = own.value("from");
    if own.has("rollback") {
        if is_chosen || is_check || source.is_some() {
            let why = "--rollback goes back to the version before: nothing can be chosen beside it";
            return Err(Error::new(Code::Usage, why));
        }
        return roll_back();
    }
    if source.is_some() && is_chosen {
        return Err(Error::new(Code::Usage, "--from names one release: no version can be chosen beside it"));
    }
    let wanted = match (options.positionals.as_slice(), own.has("canary"), own.has("stable")) {
        ([], true, false) => "canary",
        ([], false, _) => "latest",
        ([version], false, false) => version.as_str(),
        _ => {
            return Err(Error::new(Code::Usage, "one version at a time: bao upgrade [VERSION | --canary | --stable]"));
        }
    };
    // A tag may name any version; a number is asked for as it is.
    let is_number = Version::parse(wanted).is_some();
    let wanted = if is_number { wanted.trim_start_matches('v') } else { wanted };
    let session = Session::new(&config, &home);
    // Whoever only asks needs neither a key for what is not taken, nor to be the one who may replace this executable.
    if is_check && source.is_none() {
        tell_whether_newer(&Found::of_registry(&session, &config, wanted)?.version);
        return Ok(0);
    }
    let place = if is_check { None } else { Some(Place::find()?) };
    let key = public_key(own.value("public-key"))?;
    let release = match source {
        Some(source) => Release::open(&archive_at(&session, &config, source)?).map_err(|error| error.url(source))?,
        None => {
            let found = Found::of_registry(&session, &config, wanted)?;
            if found.version == VERSION && !config.force {
                crate::say!("Congrats! You're already on the latest version of bao (which is v{VERSION})");
                return Ok(0);
            }
            if !is_number && !config.force && !is_newer(&found.version) {
                return Err(not_newer(&found.version));
            }
            found.download(&session, &config)?
        }
    };
    let (executable, signature) = (&release.executable, String::from_utf8_lossy(&release.signature));
    let said = signature::verify(&key, executable, &signature)?;
    if said.platform != platform() {
        return Err(Error::new(
            Code::Integrity,
            format!("the release is for {}, and this is {}", said.platform, platform()),
        ));
    }
    if let Some(expected) = &release.version
        && *expected != said.version
    {
        return Err(Error::new(
            Code::Integrity,
            format!("the release is signed as {}, and the registry calls it {expected}", said.version),
        )
        .hint("an old release was put into the place of a new one; do not use this registry"));
    }
    let Some(place) = place else {
        tell_whether_newer(&said.version);
        return Ok(0);
    };
    // Those of a registry were compared before they were taken.
    if source.is_some() && !config.force && !is_newer(&said.version) {
        return Err(not_newer(&said.version));
    }
    place.install(executable, &said.version)?;
    crate::say!("bao {VERSION} -> {} ({})", said.version, place.executable().display());
    crate::say!("The version before is kept as {}: `bao upgrade --rollback`", place.previous().display());
    Ok(0)
}

/// `--rollback`.
fn roll_back() -> Result<u8> {
    let place = Place::find()?;
    let version = place.roll_back()?;
    crate::say!("bao is {version} again; {VERSION} is kept as {}", place.previous().display());
    Ok(0)
}

fn is_newer(version: &str) -> bool {
    match (Version::parse(version), Version::parse(VERSION)) {
        (Some(theirs), Some(ours)) => theirs.order(&ours).is_gt(),
        _ => false,
    }
}

fn not_newer(version: &str) -> Error {
    Error::new(Code::Usage, format!("{version} is not newer than {VERSION}")).hint("--force installs it all the same")
}

fn tell_whether_newer(version: &str) {
    if is_newer(version) {
        crate::say!("bao {version} is there (this is {VERSION}): bao upgrade");
    } else {
        crate::say!("bao {VERSION} is the newest ({version} is what was found)");
    }
}

/// The key of the command line (its text, or a file that has it), else the one of this build.
fn public_key(given: Option<&str>) -> Result<PublicKey> {
    let Some(given) = given else {
        return PUBLIC_KEY.and_then(PublicKey::parse).ok_or_else(|| {
            Error::new(Code::Usage, "this build of bao has no key to check releases with")
                .hint("give the one that the release is signed with: --public-key KEY (minisign's, or a file with it)")
        });
    };
    let found = PublicKey::parse(given);
    let found = found.or_else(|| PublicKey::parse(&std::fs::read_to_string(given).ok()?));
    found.ok_or_else(|| {
        Error::new(Code::Usage, format!("--public-key: \"{given}\" is neither a key of minisign nor a file with one"))
    })
}

/// Takes a file of this machine or from the network.
fn archive_at(session: &Session<'_>, config: &Config, source: &str) -> Result<Vec<u8>> {
    let remote = source.starts_with("http://") || source.starts_with("https://");
    let (bytes, checksum) = if remote {
        let bytes = get(session, config, source)?
            .ok_or_else(|| Error::new(Code::Status, "there is no such release (404)").url(source))?;
        let checksum = get(session, config, &format!("{source}.sha256"))?;
        (bytes, checksum.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    } else {
        let bytes = std::fs::read(source).map_err(|error| Error::io("cannot read", source, error))?;
        (bytes, std::fs::read_to_string(format!("{source}.sha256")).ok())
    };
    if let Some(text) = checksum {
        check_sum(&bytes, &text).map_err(|error| error.url(source))?;
    }
    Ok(bytes)
}

/// Compares bytes with the first word of a `.sha256` file.
fn check_sum(bytes: &[u8], text: &str) -> Result<()> {
    let expected = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let found = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    let found: String = found.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    if expected == found {
        return Ok(());
    }
    Err(Error::new(Code::Integrity, format!("the checksum is {found}, and the .sha256 file says {expected}"))
        .hint("the file was damaged on its way; try again"))
}

/// A file of the network; nothing where there is none.
fn get(session: &Session<'_>, config: &Config, url: &str) -> Result<Option<Vec<u8>>> {
    let mut request = Request::get(url);
    request.package = "bao".to_owned();
    request.raw = true;
    request.headers.push(("user-agent", config.net.user_agent.clone()));
    let response = session.send(request)?;
    match response.status {
        200 => Ok(Some(response.body)),
        404 => Ok(None),
        status => Err(Error::new(Code::Status, format!("GET {url} - {status}"))),
    }
}

/// A version at the registry.
struct Found {
    version: String,
    tarball: String,
    integrity: Integrity,
}

impl Found {
    fn of_registry(session: &Session<'_>, config: &Config, wanted: &str) -> Result<Self> {
        let name = format!("{SCOPE}/{}", platform());
        let registry = config.registry_for(&name);
        let mut request = Request::document(format!("{}{}", registry.url, name.replace('/', "%2f")));
        request.authorization = registry.authorization.clone();
        request.package.clone_from(&name);
        request.headers.push(("accept", "application/json".to_owned()));
        request.headers.push(("user-agent", config.net.user_agent.clone()));
        let url = request.url.clone();
        let response = session.send(request)?;
        if response.status != 200 {
            return Err(Error::new(Code::Status, format!("GET {url} - {}", response.status))
                .hint("--from FILE or URL takes a release from elsewhere"));
        }
        let document = Value::parse(&response.body)
            .map_err(|_| Error::new(Code::Parse, "the registry did not answer with JSON").url(&url))?;
        let tagged = document.get("dist-tags").map_or("", |tags| tags.text(wanted));
        let version = if tagged.is_empty() { wanted } else { tagged };
        let found = document.get("versions").and_then(|versions| versions.get(version));
        let Some(dist) = found.and_then(|found| found.get("dist")) else {
            return Err(Error::new(Code::NoVersion, format!("{name} has no version {wanted}")).url(&url));
        };
        let integrity = match dist.text("integrity") {
            "" => Integrity::shasum(dist.text("shasum")),
            text => Integrity::parse(text),
        };
        if !integrity.has_digest() {
            return Err(
                Error::new(Code::Integrity, format!("the registry announces no digest of {name}@{version}")).url(&url)
            );
        }
        Ok(Self { version: version.to_owned(), tarball: dist.text("tarball").to_owned(), integrity })
    }

    fn download(self, session: &Session<'_>, config: &Config) -> Result<Release> {
        let name = format!("{SCOPE}/{}", platform());
        base::stderr_line!("Downloading {name}@{}", self.version);
        let mut request = Request::get(&self.tarball);
        request.authorization = config.authorization_for(&self.tarball, config.registry_for(&name));
        request.package = format!("{name}@{}", self.version);
        request.raw = true;
        request.headers.push(("user-agent", config.net.user_agent.clone()));
        let response = session.send(request)?;
        if response.status != 200 {
            return Err(Error::new(Code::Status, format!("GET {} - {}", self.tarball, response.status)));
        }
        digest::verify(&self.integrity, &response.body).map_err(|error| error.url(&self.tarball))?;
        let release = Release::open(&response.body).map_err(|error| error.url(&self.tarball))?;
        Ok(Release { version: Some(self.version), ..release })
    }
}

/// What an archive of a release holds.
#[derive(Default)]
struct Release {
    executable: Vec<u8>,
    signature: Vec<u8>,
    /// The version that the registry calls it.
    version: Option<String>,
}

impl Release {
    /// Takes the executable and its signature out of a tarball.
    fn open(archive: &[u8]) -> Result<Self> {
        let limits = Limits { entries: MAX_ENTRIES, ..Limits::for_tarball(archive.len()) };
        let mut files = Files::default();
        let mut parser = Parser::new(limits);
        Inflater::new().inflate(archive, limits.bytes, &mut |piece| parser.feed(piece, &mut files))?;
        parser.finish().map_err(Error::from)?;
        let missing =
            |what: &str| Error::new(Code::Tarball, format!("the archive holds no {what}: it is no release of bao"));
        match (files.executable, files.signature) {
            (None, _) => Err(missing("executable `bao`")),
            (_, None) => Err(missing("signature `bao.minisig`")),
            (Some(executable), Some(signature)) => Ok(Self { executable, signature, version: None }),
        }
    }
}

/// Collects the two files by the last part of their names; nothing is written anywhere.
#[derive(Default)]
struct Files {
    executable: Option<Vec<u8>>,
    signature: Option<Vec<u8>>,
    current: Current,
}

#[derive(Default, Clone, Copy)]
enum Current {
    Executable,
    Signature,
    #[default]
    Other,
}

impl Sink for Files {
    type Error = Error;

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<()> {
        let name = &path[memchr::memrchr(b'/', path).map_or(0, |at| at + 1)..];
        // The size is what a header says: room for it is taken as bytes come.
        let empty = || Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(256 << 20));
        self.current = match name {
            EXECUTABLE if self.executable.is_none() => {
                self.executable = Some(empty());
                Current::Executable
            }
            SIGNATURE if self.signature.is_none() => {
                self.signature = Some(Vec::new());
                Current::Signature
            }
            _ => Current::Other,
        };
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        let target = match self.current {
            Current::Executable => &mut self.executable,
            Current::Signature => &mut self.signature,
            Current::Other => return Ok(()),
        };
        if let Some(target) = target {
            target.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.current = Current::Other;
        Ok(())
    }
}
