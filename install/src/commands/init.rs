//! `init`: the files of a new project, and what they need installed. What is there already is never replaced.

use json::{Document, Value, quote};

use super::create::install_in;
use crate::config::command_flags::{self, Flag};
use crate::config::parse_args;
use crate::error::{Code, Error, Result};
use crate::project;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

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

/// `init`.
pub fn command(arguments: &[String]) -> Result<u8> {
    let react = arguments.iter().find_map(|word| word.strip_prefix("--react=").or_else(|| word.strip_prefix("-r=")));
    let react = react.map(str::to_owned);
    let (own, rest) = command_flags::split(arguments, FLAGS)?;
    if own.has("help") {
        crate::say!("{USAGE}");
        return Ok(0);
    }
    let options = super::enter(parse_args(&rest)?)?;
    let here = std::env::current_dir().map_err(|error| Error::io("cannot read", ".", error))?;
    let dir = match options.positionals.as_slice() {
        [] => here.clone(),
        [folder] => here.join(folder),
        _ => return Err(Error::new(Code::Usage, "one folder at a time")),
    };
    let mut kind = match react.as_deref() {
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
    };
    let asks = kind.is_none();
    std::fs::create_dir_all(&dir).map_err(|error| Error::io("cannot make", &dir, error))?;
    let existing = project::read_manifest(&dir)?;
    if let Some(text) = &existing {
        let value = project::parse(text, &dir.join("package.json"))?;
        if !value.is_object() {
            return Err(Error::new(Code::Parse, "package.json is not an object"));
        }
        crate::say!("note: package.json already exists, configuring existing project");
    }
    if asks && existing.is_none() {
        kind = Some(match choose("Project template:", &["Blank", "React", "Library"])? {
            1 => [Kind::React, Kind::Tailwind, Kind::Shadcn]
                [choose("React template:", &["Default", "Tailwind CSS", "shadcn and Tailwind CSS"])?],
            2 => Kind::Library,
            _ => Kind::Blank,
        });
    }
    let kind = kind.unwrap_or(Kind::Blank);
    let found = existing.as_ref().and_then(|text| {
        let value = Value::parse(text.as_bytes()).ok()?;
        let named = ["module", "main"].iter().map(|key| value.text(key)).find(|path| !path.is_empty())?;
        Some((value.text("name").to_owned(), named.to_owned()))
    });
    let mut name =
        found.as_ref().map(|(name, _)| name.clone()).filter(|name| !name.is_empty()).unwrap_or_else(|| name_of(&dir));
    let mut entry = found.map_or_else(
        || ENTRIES.iter().find(|path| dir.join(path).is_file()).copied().unwrap_or("index.ts").to_owned(),
        |(_, entry)| entry,
    );
    if asks && existing.is_none() && !kind.is_react() {
        name = ask("package name", &name)?;
        if !crate::model::spec::valid_name(&name) {
            return Err(Error::new(Code::Usage, format!("\"{name}\" is not a package name")));
        }
        entry = ask("entry point", &entry)?;
    }
    let mut made: Vec<String> = Vec::new();
    let mut write = |path: &str, text: &str| -> Result<()> {
        let target = dir.join(path);
        if target.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Error::io("cannot make", parent, error))?;
        }
        std::fs::write(&target, text).map_err(|error| Error::io("cannot write", &target, error))?;
        made.push(path.to_owned());
        Ok(())
    };
    if kind != Kind::Minimal {
        write(".gitignore", file!("gitignore"))?;
    }
    for (path, text) in kind.files() {
        write(path, &fill(path, text, kind, &name, &entry))?;
    }
    if matches!(kind, Kind::Blank | Kind::Library) {
        if !dir.join(&entry).exists() {
            // Outside of the folder nothing is made.
            let inside = crate::pack::list::normal(&entry);
            if inside.starts_with("..") || entry.starts_with('/') {
                return Err(Error::new(Code::Usage, format!("the entry point {entry} is not in the project")));
            }
            write(
                &inside,
                if kind == Kind::Library {
                    "export function hello() {\n  return \"Hello from bao\";\n}\n"
                } else {
                    "console.log(\"Hello from bao\");\n"
                },
            )?;
        }
        write("README.md", &fill("README.md", file!("blank/README.md"), kind, &name, &entry))?;
    }
    if !dir.join("jsconfig.json").exists() {
        write("tsconfig.json", &tsconfig(kind))?;
    }
    let text = manifest(existing.as_deref(), kind, &name, &entry)?;
    if existing.as_deref() != Some(&text) {
        crate::atomic_write::write_atomic(&dir.join("package.json"), &text)?;
    }
    for path in &made {
        crate::say!(" + {path}");
    }
    let place = options.positionals.first().map(|folder| format!("    cd {folder}\n")).unwrap_or_default();
    match kind {
        Kind::Minimal => {}
        Kind::Blank | Kind::Library => crate::say!("\nTo get started, run:\n\n{place}    bao run {entry}\n"),
        _ => crate::say!(
            "\nTo get started, run:\n\n{place}    bao dev          the server, reloading on every change\n    bao run build    the static site, into dist\n    bao start        the server as in production\n"
        ),
    }
    if !own.has("no-install") {
        install_in(&dir, &options)?;
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
