//! `init`: the files of a new project, and what they need installed. What is there already is never replaced.

use json::{Document, Value, quote};

use super::create::install_in;
use crate::config::command_flags::{self, Flag, Own};
use crate::config::parse_args;
use crate::error::{Code, Error, Result};
use crate::project;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

const FLAGS: &[Flag] = &[
    ("yes", 'y', false),
    ("minimal", 'm', false),
    ("react", 'r', false),
    ("help", 'h', false),
    ("no-install", '\0', false),
];

const USAGE: &str = "Usage: bao init [flags] [<folder>]
  Starts a project in this folder, or in the one that is named.
  Makes package.json, tsconfig.json and a first source file where they do not exist.

Flags:
  -y, --yes            Ask nothing
  -m, --minimal        Only package.json and tsconfig.json
  -r, --react          A React project with a server
      --react=tailwind   with Tailwind CSS
      --react=shadcn     with Tailwind CSS and shadcn's components
      --no-install     Do not install the dependencies

Examples:
  bao init -y
  bao init --react=tailwind my-app";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Library,
    Minimal,
    React,
    Tailwind,
    Shadcn,
}

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../../templates/", $path))
    };
}

const REACT: &[(&str, &str)] = &[
    ("bunfig.toml", file!("react/bunfig.toml")),
    ("bun-env.d.ts", file!("react/env.d.ts")),
    ("README.md", file!("react/README.md")),
    ("src/index.ts", file!("react/src/index.ts")),
    ("src/App.tsx", file!("react/src/App.tsx")),
    ("src/Greeting.tsx", file!("react/src/Greeting.tsx")),
    ("src/index.html", file!("react/src/index.html")),
    ("src/index.css", file!("react/src/index.css")),
    ("src/frontend.tsx", file!("react/src/frontend.tsx")),
    ("src/logo.svg", file!("react/src/logo.svg")),
    ("build.ts", file!("react/build.ts")),
];

const TAILWIND: &[(&str, &str)] = &[
    ("bunfig.toml", file!("tailwind/bunfig.toml")),
    ("src/App.tsx", file!("tailwind/src/App.tsx")),
    ("src/Greeting.tsx", file!("tailwind/src/Greeting.tsx")),
    ("src/index.css", file!("tailwind/src/index.css")),
];

const SHADCN: &[(&str, &str)] = &[
    ("components.json", file!("shadcn/components.json")),
    ("styles/globals.css", file!("shadcn/styles/globals.css")),
    ("src/App.tsx", file!("shadcn/src/App.tsx")),
    ("src/Greeting.tsx", file!("shadcn/src/Greeting.tsx")),
    ("src/index.css", file!("shadcn/src/index.css")),
    ("src/lib/utils.ts", file!("shadcn/src/lib/utils.ts")),
    ("src/components/ui/button.tsx", file!("shadcn/src/components/ui/button.tsx")),
    ("src/components/ui/card.tsx", file!("shadcn/src/components/ui/card.tsx")),
    ("src/components/ui/input.tsx", file!("shadcn/src/components/ui/input.tsx")),
];

/// Files that can be a project's entry, in the order in which they are looked for.
const ENTRIES: &[&str] = &[
    "index.ts",
    "index.tsx",
    "index.js",
    "index.jsx",
    "index.mts",
    "index.mjs",
    "src/index.ts",
    "src/index.tsx",
    "src/index.js",
    "src/index.jsx",
    "src/main.ts",
    "src/main.js",
];

impl Kind {
    fn is_react(self) -> bool {
        matches!(self, Self::React | Self::Tailwind | Self::Shadcn)
    }

    /// Later lists replace files of earlier ones.
    fn files(self) -> Vec<(&'static str, &'static str)> {
        let lists: &[&[(&str, &str)]] = match self {
            Self::React => &[REACT],
            Self::Tailwind => &[REACT, TAILWIND],
            Self::Shadcn => &[REACT, TAILWIND, SHADCN],
            _ => &[],
        };
        let mut out: Vec<(&'static str, &'static str)> = Vec::new();
        for (path, text) in lists.iter().copied().flatten() {
            match out.iter_mut().find(|(known, _)| known == path) {
                Some(found) => found.1 = text,
                None => out.push((path, text)),
            }
        }
        out
    }
}

/// tsconfig.json for a kind of project.
fn tsconfig(kind: Kind) -> String {
    let react = kind.is_react();
    file!("tsconfig.json")
        .replace("__DOM__", if react { ", \"DOM\"" } else { "" })
        .replace("__TYPES__", if react { ", \"react\"" } else { "" })
        .replace("__PATHS__", if react { "\n\n    \"paths\": { \"@/*\": [\"./src/*\"] }," } else { "" })
        .replace("__EXCLUDE__", if react { ",\n\n  \"exclude\": [\"dist\", \"node_modules\"]" } else { "" })
}

fn fill(path: &str, text: &str, kind: Kind, name: &str, entry: &str) -> String {
    let tailwind = matches!(kind, Kind::Tailwind | Kind::Shadcn);
    let out = text.replace("__ENTRY__", entry);
    if path == "build.ts" {
        return out
            .replace("__IMPORT__", if tailwind { "\nimport tailwind from \"bun-plugin-tailwind\";" } else { "" })
            .replace("__PLUGINS__", if tailwind { "\n  plugins: [tailwind]," } else { "" });
    }
    out.replace("__NAME__", name)
}

/// A name for the package, from that of its folder.
fn name_of(dir: &Path) -> String {
    let folder = dir.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let clean: String = folder
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .collect();
    let clean = clean.trim_matches(['-', '.', '_']).to_owned();
    if crate::model::spec::valid_name(&clean) { clean } else { "project".to_owned() }
}

/// One question; an empty answer is the default.
fn ask(question: &str, default: &str) -> Result<String> {
    print!("{question} ({default}): ");
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) => {
            println!();
            Err(Error::new(Code::Usage, "nothing was made: the input ended").hint("bao init -y asks nothing"))
        }
        Ok(_) if line.trim().is_empty() => Ok(default.to_owned()),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(Error::io("cannot read", "standard input", error)),
    }
}

fn choose(title: &str, choices: &[&str]) -> Result<usize> {
    crate::say!("{title}");
    for (place, choice) in choices.iter().enumerate() {
        crate::say!("  {}. {choice}", place + 1);
    }
    loop {
        let answer = ask("Number", "1")?;
        match answer.parse::<usize>() {
            Ok(number) if (1..=choices.len()).contains(&number) => return Ok(number - 1),
            _ => crate::say!("a number from 1 to {}", choices.len()),
        }
    }
}

/// Dependencies of a group with a range each.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

fn dependencies(kind: Kind) -> Vec<Group> {
    match kind {
        Kind::Minimal => vec![("devDependencies", &[("@types/bun", "latest")])],
        Kind::Blank | Kind::Library => {
            vec![("devDependencies", &[("@types/bun", "latest")]), ("peerDependencies", &[("typescript", "^7")])]
        }
        _ => {
            let dependencies: &[(&str, &str)] = match kind {
                Kind::React => &[("react", "^19"), ("react-dom", "^19")],
                Kind::Tailwind => &[
                    ("bun-plugin-tailwind", "^0.1.2"),
                    ("react", "^19"),
                    ("react-dom", "^19"),
                    ("tailwindcss", "^4.1.11"),
                ],
                _ => &[
                    ("@radix-ui/react-slot", "^1.2.3"),
                    ("bun-plugin-tailwind", "^0.1.2"),
                    ("class-variance-authority", "^0.7.1"),
                    ("clsx", "^2.1.1"),
                    ("lucide-react", "^1.0.0"),
                    ("react", "^19"),
                    ("react-dom", "^19"),
                    ("tailwind-merge", "^3.3.1"),
                    ("tailwindcss", "^4.1.11"),
                    ("tw-animate-css", "^1.4.0"),
                ],
            };
            vec![
                ("dependencies", dependencies),
                ("devDependencies", &[("@types/bun", "latest"), ("@types/react", "^19"), ("@types/react-dom", "^19")]),
                ("peerDependencies", &[("typescript", "^7")]),
            ]
        }
    }
}

/// package.json with what it lacks; fields that are there stay.
fn manifest(text: Option<&str>, kind: Kind, name: &str, entry: &str) -> Result<String> {
    let mut document = Document { text: text.map_or_else(|| "{}\n".to_owned(), str::to_owned) };
    let has = |document: &Document, key: &str| {
        Value::parse(document.text.as_bytes()).is_ok_and(|value| value.get(key).is_some())
    };
    let string = |text: &str| {
        let mut out = String::new();
        quote(text, &mut out);
        out
    };
    let mut fields: Vec<(&str, String)> = Vec::new();
    if kind != Kind::Minimal {
        fields.push(("name", string(name)));
        if kind.is_react() {
            fields.push(("version", string("0.1.0")));
        } else {
            fields.push(("module", string(entry)));
        }
        fields.push(("type", string("module")));
        if kind != Kind::Library {
            fields.push(("private", "true".to_owned()));
        }
    }
    for (key, json) in fields {
        // A package that has its entry is not given another, one that others use is not made private, and CommonJS stays CommonJS.
        let has_entry = has(&document, "main") || has(&document, "exports");
        let skip = text.is_some() && (matches!(key, "private" | "type") || (key == "module" && has_entry));
        if !skip && !has(&document, key) {
            document.set(&[key], &json, false);
        }
    }
    let scripts: &[(&str, &str)] = match kind {
        Kind::Minimal => &[],
        Kind::Blank | Kind::Library => &[("typecheck", "tsc --noEmit")],
        _ => &[
            ("dev", "bao --hot src/index.ts"),
            ("start", "NODE_ENV=production bao src/index.ts"),
            ("build", "bao run build.ts"),
            ("typecheck", "tsc --noEmit"),
        ],
    };
    for (key, line) in scripts {
        if document.get("scripts", key).is_none() {
            document.set(&["scripts", key], &string(line), false);
        }
    }
    for (group, list) in dependencies(kind) {
        for (package, range) in list {
            if json::GROUPS.iter().all(|group| document.get(group, package).is_none()) {
                document.set(&[group, package], &string(range), true);
            }
        }
    }
    Ok(document.text)
}

/// The kind that the flags say; nothing if the user is asked.
fn kind_of(own: &Own, react: Option<&str>) -> Result<Option<Kind>> {
    Ok(match react {
        Some("tailwind") => Some(Kind::Tailwind),
        Some("shadcn") => Some(Kind::Shadcn),
        Some("" | "true" | "default") => Some(Kind::React),
        Some(other) => {
            return Err(
                Error::new(Code::Usage, format!("--react={other} is not known")).hint("tailwind, shadcn, or nothing")
            );
        }
        None if own.has("react") => Some(Kind::React),
        None if own.has("minimal") => Some(Kind::Minimal),
        None if own.has("yes") || !std::io::stdin().is_terminal() => Some(Kind::Blank),
        None => None,
    })
}

/// Asks for the kind of a new project.
fn ask_kind() -> Result<Kind> {
    Ok(match choose("Project template:", &["Blank", "React", "Library"])? {
        1 => [Kind::React, Kind::Tailwind, Kind::Shadcn]
            [choose("React template:", &["Default", "Tailwind CSS", "shadcn and Tailwind CSS"])?],
        2 => Kind::Library,
        _ => Kind::Blank,
    })
}

/// The text of the package.json that is there.
fn read_existing(dir: &Path) -> Result<Option<String>> {
    let existing = project::read_manifest(dir)?;
    if let Some(text) = &existing {
        let value = project::parse(text, &dir.join("package.json"))?;
        if !value.is_object() {
            return Err(Error::new(Code::Parse, "package.json is not an object"));
        }
        crate::say!("note: package.json already exists, configuring existing project");
    }
    Ok(existing)
}

/// The project that is made or completed.
struct NewProject {
    dir: PathBuf,
    kind: Kind,
    /// Name of the package.
    name: String,
    /// Path of the entry point below `dir`.
    entry: String,
    /// Files that were written.
    made: Vec<String>,
}

impl NewProject {
    /// Name and entry point come from package.json if it has an entry point, else from the files of the folder.
    fn new(dir: PathBuf, kind: Kind, existing: Option<&str>) -> Self {
        let found = existing.and_then(|text| {
            let value = Value::parse(text.as_bytes()).ok()?;
            let named = ["module", "main"].iter().map(|key| value.text(key)).find(|path| !path.is_empty())?;
            Some((value.text("name").to_owned(), named.to_owned()))
        });
        let name = found
            .as_ref()
            .map(|(name, _)| name.clone())
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| name_of(&dir));
        let entry = found.map_or_else(
            || ENTRIES.iter().find(|path| dir.join(path).is_file()).copied().unwrap_or("index.ts").to_owned(),
            |(_, entry)| entry,
        );
        Self { dir, kind, name, entry, made: Vec::new() }
    }

    /// Asks for name and entry point.
    fn ask_names(&mut self) -> Result<()> {
        self.name = ask("package name", &self.name)?;
        if !crate::model::spec::valid_name(&self.name) {
            return Err(Error::new(Code::Usage, format!("\"{}\" is not a package name", self.name)));
        }
        self.entry = ask("entry point", &self.entry)?;
        Ok(())
    }

    /// Writes a file unless there is something at its path.
    fn write(&mut self, path: &str, text: &str) -> Result<()> {
        let target = self.dir.join(path);
        if target.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
        }
        std::fs::write(&target, text).map_err(|error| Error::io("cannot write", &target, error))?;
        self.made.push(path.to_owned());
        Ok(())
    }

    /// Writes a template's file with its blanks filled in.
    fn write_filled(&mut self, path: &str, text: &str) -> Result<()> {
        let text = fill(path, text, self.kind, &self.name, &self.entry);
        self.write(path, &text)
    }

    /// Writes all files but package.json.
    fn write_files(&mut self) -> Result<()> {
        if self.kind != Kind::Minimal {
            self.write(".gitignore", file!("gitignore"))?;
        }
        for (path, text) in self.kind.files() {
            self.write_filled(path, text)?;
        }
        if matches!(self.kind, Kind::Blank | Kind::Library) {
            self.write_entry()?;
            self.write_filled("README.md", file!("blank/README.md"))?;
        }
        if !self.dir.join("jsconfig.json").exists() {
            self.write("tsconfig.json", &tsconfig(self.kind))?;
        }
        Ok(())
    }

    /// Writes the entry point of a project without a template.
    fn write_entry(&mut self) -> Result<()> {
        if self.dir.join(&self.entry).exists() {
            return Ok(());
        }
        // Outside of the folder nothing is made.
        let inside = crate::pack::list::normal(&self.entry);
        if inside.starts_with("..") || self.entry.starts_with('/') {
            return Err(Error::new(Code::Usage, format!("the entry point {} is not in the project", self.entry)));
        }
        let text = if self.kind == Kind::Library {
            "export function hello() {\n  return \"Hello from bao\";\n}\n"
        } else {
            "console.log(\"Hello from bao\");\n"
        };
        self.write(&inside, text)
    }

    fn write_manifest(&self, existing: Option<&str>) -> Result<()> {
        let text = manifest(existing, self.kind, &self.name, &self.entry)?;
        if existing != Some(&text) {
            crate::atomic_write::write_atomic(&self.dir.join("package.json"), &text)?;
        }
        Ok(())
    }

    /// Prints what was made and what to do next. `folder`: as it was named on the command line.
    fn report(&self, folder: Option<&String>) {
        for path in &self.made {
            crate::say!(" + {path}");
        }
        let place = folder.map(|folder| format!("    cd {folder}\n")).unwrap_or_default();
        match self.kind {
            Kind::Minimal => {}
            Kind::Blank | Kind::Library => {
                crate::say!("\nTo get started, run:\n\n{place}    bao run {}\n", self.entry);
            }
            _ => {
                crate::say!(
                    "\nTo get started, run:\n\n{place}    bao dev          the server, reloading on every change\n    bao run build    the static site, into dist\n    bao start        the server as in production\n"
                );
                crate::warn_line!(
                    "<yellow>warn<r>: this project needs imports of HTML files and the bundler, which bao does not have yet: until then, run these with Bun"
                );
            }
        }
    }
}

/// `init`.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let react = arguments.iter().find_map(|word| word.strip_prefix("--react=").or_else(|| word.strip_prefix("-r=")));
    let react = react.map(str::to_owned);
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    if own.has("help") {
        crate::say!("{}", crate::ui::named(USAGE));
        return Ok(0);
    }
    let options = super::enter(parse_args(&rest)?)?;
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let dir = match options.positionals.as_slice() {
        [] => here,
        [folder] => here.join(folder),
        _ => return Err(Error::new(Code::Usage, "one folder at a time")),
    };
    let kind = kind_of(&own, react.as_deref())?;
    std::fs::create_dir_all(&dir).map_err(|error| Error::io("cannot make", &dir, error))?;
    let existing = read_existing(&dir)?;
    let asks = kind.is_none() && existing.is_none();
    let kind = if asks { ask_kind()? } else { kind.unwrap_or(Kind::Blank) };
    let mut project = NewProject::new(dir, kind, existing.as_deref());
    if asks && !kind.is_react() {
        project.ask_names()?;
    }
    project.write_files()?;
    project.write_manifest(existing.as_deref())?;
    project.report(options.positionals.first());
    if !own.has("no-install") {
        install_in(&project.dir, &options)?;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_json_and_keep_what_is_there() {
        for kind in [Kind::Blank, Kind::Library, Kind::Minimal, Kind::React, Kind::Tailwind, Kind::Shadcn] {
            let text = manifest(None, kind, "a", "index.ts").unwrap();
            let value = Value::parse(text.as_bytes()).unwrap();
            assert_eq!(value.get("devDependencies").unwrap().text("@types/bun"), "latest");
            assert!(Value::parse(tsconfig(kind).as_bytes()).is_ok());
            assert!(kind.files().iter().all(|(path, text)| !fill(path, text, kind, "n", "e").contains("__")));
        }
        let text =
            "{\n  \"name\": \"x\",\n  \"main\": \"m.js\",\n  \"dependencies\": { \"@types/bun\": \"1.0.0\" }\n}\n";
        let edited = manifest(Some(text), Kind::Blank, "y", "index.ts").unwrap();
        assert!(edited.contains("\"name\": \"x\"") && edited.contains("\"@types/bun\": \"1.0.0\""));
        assert!(!edited.contains("latest") && !edited.contains("private") && !edited.contains("\"module\":"));
    }

    #[test]
    fn names() {
        for (folder, name) in [("/a/My App", "my-app"), ("/a/.x", "x"), ("/", "project"), ("/a/é", "project")] {
            assert_eq!(name_of(Path::new(folder)), name);
        }
    }
}
