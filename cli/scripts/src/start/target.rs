//! What `bao WORD` and `bao run WORD` mean.

use super::*;
use store::shims;

pub(super) enum Target {
    /// A file for the runtime.
    File(String),
    /// The package that has the script.
    Script(Manifest),
    Binary(PathBuf),
    /// Nothing, and `--if-present`.
    Nothing,
}

/// The file to run. JSON and style sheets are nothing to run.
fn program(dir: &Path, path: String) -> Outcome<Target> {
    let Some(kind @ ("json" | "css")) = find::extension(&path) else { return Ok(Target::File(path)) };
    let message = format!("Cannot run \"{}\"", find::absolute(dir, &path));
    Err(Failure::new(message).hint(format!("bao cannot run {kind} files directly")))
}

impl Call<'_> {
    /// Finds what a word names. `bao WORD`: a path or something with the extension of a source file is a file before it
    /// is a script; `bao run WORD`: only `./`, `../` and `/` say that it is a file. Then come binaries of packages, and
    /// for `run` programs of the system.
    pub(super) fn resolve(&self, run: bool, word: &str) -> Outcome<Target> {
        if self.persona == Persona::Node && !run {
            // What is not there is the loader's error, in Node's words.
            return Ok(Target::File(find::program(word).unwrap_or_else(|| word.to_string())));
        }
        let path_only = find::is_path(word);
        let file_first = path_only || (!run && find::is_file_like(word));
        let dir = current_dir()?;
        if file_first && let Some(path) = find::program(word) {
            return program(&dir, path);
        }
        let mut package = Ok(None);
        if !path_only {
            // A manifest that cannot be read is only in the way of scripts.
            package = manifest::nearest(&dir).and_then(|found| named_script(found, word));
            if let Ok(Some((manifest, true))) = package {
                return Ok(Target::Script(manifest));
            }
        }
        // `nx` is a binary of the project, although there is an `nx.json`.
        let mut refused = None;
        if !file_first && let Some(path) = find::program(word) {
            match program(&dir, path) {
                Ok(target) => return Ok(target),
                Err(failure) => refused = Some(failure),
            }
        }
        if word == "node" && (self.options.bun || self.bunfig.run.bun) {
            // Bao itself by that name, as scripts find it.
            let shims =
                shims::ensure(&executable()?).map_err(|error| Failure::io("cannot link `node` to bao", &error))?;
            return Ok(Target::Binary(shims.node.join("node")));
        }
        if !path_only && let Some(path) = find::package_binary(&dir, word) {
            return Ok(Target::Binary(path));
        }
        let package = package?.map(|(manifest, _)| manifest);
        if run
            && !path_only
            && let Some(path) = find::on_path(std::env::var_os("PATH").as_deref(), word)
        {
            return Ok(Target::Binary(path));
        }
        if let Some(failure) = refused {
            return Err(failure);
        }
        if self.options.if_present {
            return Ok(Target::Nothing);
        }
        Err(self.not_found(run, word, &dir, package))
    }

    fn not_found(&self, run: bool, word: &str, dir: &Path, package: Option<Manifest>) -> Failure {
        let file_like = find::is_file_like(word) || find::is_path(word);
        if file_like {
            if Path::new(word).is_dir() {
                return Failure::new(format!(
                    "Cannot run directory \"{word}\": it has no \"main\" entry and no index file"
                ))
                .hint("name the file to run, or give the directory a package.json with \"main\" or an index file");
            }
            let failure = Failure::new(format!("Module not found \"{word}\""));
            return match near_file(word) {
                Some(near) => failure.hint(format!("did you mean \"{near}\"?")),
                None => failure,
            };
        }
        let failure = Failure::new(format!("Script not found \"{word}\""));
        let package = package.or_else(|| manifest::nearest(dir).ok().flatten().and_then(|found| found.parse().ok()));
        let scripts: Vec<&str> = package.iter().flat_map(|p| &p.scripts).map(|(name, _)| name.as_str()).collect();
        if let Some(near) = suggest::nearest(word, scripts.iter().copied()) {
            return failure.hint(format!("did you mean the script \"{near}\"? (bao run {near})"));
        }
        let known =
            commands::COMMANDS.iter().filter(|command| !command.help.is_empty() && !run).map(|command| command.name);
        if let Some(near) = suggest::nearest(word, known) {
            return failure.hint(format!("did you mean the command \"bao {near}\"?"));
        }
        let files = find::neighbours();
        let runnable = files.iter().map(String::as_str).filter(|name| find::is_file_like(name));
        // `bao indx` for index.ts.
        let stems: Vec<(&str, &str)> =
            runnable.map(|name| (name, name.rsplit_once('.').map_or(name, |(stem, _)| stem))).collect();
        let near = suggest::nearest(word, stems.iter().flat_map(|(name, stem)| [*name, *stem]));
        if let Some((file, _)) = near.and_then(|near| stems.iter().find(|(name, stem)| *name == near || *stem == near))
        {
            return failure.hint(format!("did you mean the file \"{file}\"?"));
        }
        let binaries = binaries(dir);
        if let Some(near) = suggest::nearest(word, binaries.iter().map(String::as_str)) {
            return failure.hint(format!("did you mean \"{near}\", a binary of an installed package?"));
        }
        match &package {
            Some(package) if !scripts.is_empty() => {
                let shown = &scripts[..scripts.len().min(20)];
                let more = if shown.len() < scripts.len() { ", ..." } else { "" };
                failure.hint(format!("scripts of {}: {}{more}", package.path().display(), shown.join(", ")))
            }
            Some(package) => {
                failure.hint(format!("{} has no scripts, and there is no file of that name", package.path().display()))
            }
            None => failure.hint("there is no package.json here or above, and no file of that name"),
        }
    }
}

/// The manifest, and whether it has the script. `None` if the text cannot contain the name: then it is not parsed.
fn named_script(found: Option<Found>, name: &str) -> Outcome<Option<(Manifest, bool)>> {
    match found {
        Some(found) if found.may_name(name) => {
            let manifest = found.parse()?;
            let has = manifest.script(name).is_some();
            Ok(Some((manifest, has)))
        }
        _ => Ok(None),
    }
}

/// A file in the directory that the word points to, with nearly that name.
fn near_file(word: &str) -> Option<String> {
    let (dir, name) = word.trim_end_matches('/').rsplit_once('/').unwrap_or((".", word));
    let entries = std::fs::read_dir(if dir.is_empty() { "/" } else { dir }).ok()?;
    let names: Vec<String> =
        entries.flatten().take(2000).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    // A wrong extension is a likelier slip than a wrong letter.
    let stem = |name: &str| name.rsplit_once('.').map_or(name.to_string(), |(stem, _)| stem.to_string());
    let same_stem = names.iter().find(|other| stem(other) == stem(name) && find::is_file_like(other));
    let near = same_stem.map(String::as_str).or_else(|| suggest::nearest(name, names.iter().map(String::as_str)))?;
    Some(if word.contains('/') { format!("{dir}/{near}") } else { near.to_string() })
}
