//! `pm pack`.

use json::Value;

use super::foreground;
use crate::config::command_flags::{self, Flag, Own};
use crate::config::{Config, Options, parse_args};
use crate::error::{Code, Error, Result};
use crate::pack::{self, Contents, Tarball};
use crate::project;
use std::path::{Path, PathBuf};

const FLAGS: &[Flag] =
    &[("destination", '\0', true), ("filename", '\0', true), ("gzip-level", '\0', true), ("quiet", '\0', false)];

/// The package that a command in the current directory is about.
pub(crate) fn own_directory(options: &Options) -> Result<(PathBuf, Config)> {
    let (_, own, config) = super::context(options)?;
    if !own.join("package.json").is_file() {
        return Err(Error::new(Code::Usage, format!("No package.json was found for directory \"{}\"", own.display()))
            .hint("Run \"bao init\" to initialize a project"));
    }
    Ok((own, config))
}

/// `--gzip-level`: 0 to 9, 9 where it is not given.
pub(crate) fn gzip_level(own: &Own) -> Result<u8> {
    match own.value("gzip-level") {
        None => Ok(9),
        Some(text) => text.parse().ok().filter(|level| *level <= 9).ok_or_else(|| {
            Error::new(Code::Usage, format!("compression level must be between 0 and 9, received {text}"))
        }),
    }
}

/// package.json of `dir` as it is now: scripts may change it.
pub(crate) fn manifest_text(dir: &Path) -> Result<String> {
    let text =
        project::read_manifest(dir)?.ok_or_else(|| Error::io("cannot read", dir.join("package.json"), "it is gone"))?;
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// Runs `names`, those that package.json has, in their order.
pub(crate) fn run_scripts(dir: &Path, names: &[&str], command: &str, silent: bool) -> Result<()> {
    let text = manifest_text(dir)?;
    let manifest = project::parse(&text, &dir.join("package.json"))?;
    for name in names {
        foreground::run(dir, &manifest, name, command, silent)?;
    }
    Ok(())
}

/// One line for each file, as Bun prints them.
pub(crate) fn print_files(contents: &Contents, manifest_size: u64) {
    let mut out = format!("\npacked {} package.json\n", pack::size(manifest_size));
    for entry in contents.entries.iter().filter(|entry| !entry.bundled) {
        out.push_str(&format!("packed {} {}\n", pack::size(entry.size), entry.path));
    }
    for name in &contents.bundled {
        out.push_str(&format!("bundled {name}\n"));
    }
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(out.as_bytes());
}

/// Totals; digests where there is a tarball.
pub(crate) fn print_summary(contents: &Contents, manifest_size: u64, tarball: Option<&Tarball>) {
    crate::say!("\nTotal files: {}", contents.entries.len() + 1);
    let unpacked = match tarball {
        Some(tarball) => {
            crate::say!("Shasum: {}", tarball.shasum);
            crate::say!("Integrity: {}", pack::short(tarball.integrity));
            tarball.unpacked
        }
        None => manifest_size + contents.entries.iter().map(|entry| entry.size).sum::<u64>(),
    };
    crate::say!("Unpacked size: {}", pack::size(unpacked));
    if let Some(tarball) = tarball {
        crate::say!("Packed size: {}", pack::size(tarball.bytes.len() as u64));
    }
    if !contents.bundled.is_empty() {
        crate::say!("Bundled deps: {}", contents.bundled.len());
    }
}

/// `pm pack`: a tarball of the package in the current directory.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    let options = super::enter(parse_args(&rest)?)?;
    let (dir, config) = own_directory(&options)?;
    let level = gzip_level(&own)?;
    let quiet = own.has("quiet") || config.silent;
    if let (Some(name), Some(place)) = (own.value("filename"), own.value("destination")) {
        return Err(Error::new(
            Code::Usage,
            format!(
                "cannot use both filename and destination at the same time with tarball: filename \"{name}\" and destination \"{place}\""
            ),
        ));
    }
    if !quiet {
        crate::ui::header("pack");
    }
    if !config.ignore_scripts {
        run_scripts(&dir, &["prepack", "prepare"], "pack", config.silent)?;
    }
    let contents = pack::contents(&dir)?;
    let name = pack::file_name(&contents.name, &contents.version);
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let target = match (own.value("filename"), own.value("destination")) {
        (Some(file), _) => here.join(file),
        (None, Some(place)) => dir.join(place).join(&name),
        (None, None) => dir.join(&name),
    };
    let asked = own.value("filename").is_some() || own.value("destination").is_some();
    let shown = if asked { target.display().to_string() } else { name };
    let tarball = if config.dry_run { None } else { Some(contents.pack(&dir, level)?) };
    let manifest_size = if tarball.is_some() {
        contents.manifest.len() as u64
    } else {
        std::fs::metadata(dir.join("package.json")).map_or(0, |found| found.len())
    };
    if let Some(tarball) = &tarball {
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
        }
        crate::atomic_write::write_as("failed to open tarball file destination:", &target, &tarball.bytes)?;
    }
    if quiet {
        crate::say!("{shown}");
    } else {
        print_files(&contents, manifest_size);
        crate::say!("\n{shown}");
        print_summary(&contents, manifest_size, tarball.as_ref());
    }
    if !config.ignore_scripts {
        let text = manifest_text(&dir)?;
        let manifest = project::parse(&text, &dir.join("package.json"))?;
        if foreground::script(&manifest, "postpack").is_some() {
            if tarball.is_some() {
                crate::say!("");
            }
            foreground::run(&dir, &manifest, "postpack", "pack", config.silent)?;
        }
    }
    Ok(0)
}

/// The value of a text field, or nothing.
pub(crate) fn field<'a>(manifest: &'a Value<'_>, name: &str) -> Option<&'a str> {
    manifest.get(name).and_then(Value::str).filter(|text| !text.is_empty())
}
