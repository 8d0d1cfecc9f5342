//! `bao check`, `bao fmt` and `bao lint`: TypeScript's compiler, Prettier or oxfmt, oxlint or ESLint, run by bao itself through
//! `bao x`. The project's own package is taken where it is installed; else one is installed into the place of `x`.
//!
//! Bun has a checker, a formatter and a linter of its own. Those that everybody's files are written for are better kept than ours would
//! be, and print what the editor prints.

use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::find;
use crate::output::{Failure, Outcome};

/// A package with a command, and the versions that are taken where the project has none.
struct Package {
    name: &'static str,
    command: &'static str,
    versions: &'static str,
}

const TYPESCRIPT: Package = Package { name: "typescript", command: "tsc", versions: "7" };
const PRETTIER: Package = Package { name: "prettier", command: "prettier", versions: "3" };
const OXFMT: Package = Package { name: "oxfmt", command: "oxfmt", versions: "0" };
const OXLINT: Package = Package { name: "oxlint", command: "oxlint", versions: "1" };
const ESLINT: Package = Package { name: "eslint", command: "eslint", versions: "10" };

const OXFMT_FILES: &[&str] = &[
    ".oxfmtrc.json",
    ".oxfmtrc.jsonc",
    "oxfmt.config.ts",
    "oxfmt.config.mts",
    "oxfmt.config.cts",
    "oxfmt.config.js",
    "oxfmt.config.mjs",
    "oxfmt.config.cjs",
];

/// Options of `bun fmt` that neither formatter has. Prettier would pass over them with a warning.
const NOT_THERE: &[&str] = &[
    "--staged",
    "--changed",
    "--doctor",
    "--sort-imports",
    "--sort-tailwindcss",
    "--sort-package-json",
    "--jsdoc",
    "--svelte",
    "--list-files",
    "--timing",
];

/// Options of the formatters that take the next word as their value.
const FMT_TAKES_WORD: &[&str] = &[
    "--arrow-parens",
    "--cache-location",
    "--cache-strategy",
    "--config",
    "--config-precedence",
    "--cursor-offset",
    "--embedded-language-formatting",
    "--end-of-line",
    "--experimental-operator-position",
    "--html-whitespace-sensitivity",
    "--ignore-path",
    "--log-level",
    "--object-wrap",
    "--parser",
    "--plugin",
    "--print-width",
    "--prose-wrap",
    "--quote-props",
    "--range-end",
    "--range-start",
    "--tab-width",
    "--threads",
    "--trailing-comma",
];

/// The text of `bao check --help`, `bao fmt --help` or `bao lint --help`.
pub(crate) fn help(tool: &str) -> &'static str {
    match tool {
        "check" => {
            "Usage: bao check [options] [FILE|DIRECTORY ...]\n\n\
             Checks types with TypeScript's compiler: the one that the project has installed, else typescript@7. Nothing is\n\
             written. With files and directories, only those and what they import.\n\nOptions:\n  \
             -p, --project PATH      A tsconfig.json or its directory; otherwise the nearest\n  \
             -b, --build             The projects that it refers to as well, as tsc -b\n      \
             --pretty            The source around each mistake (in a terminal)\n      \
             --no-pretty         A line for each mistake (where it is piped)\n      \
             --threads N         So many threads check (typescript@7)\n      \
             --timing            Print how long loading and checking took\n      \
             --no-script         Even if package.json has a script \"check\"\n  \
             -h, --help              Show this help\n\n\
             All options of tsc are taken, too: bao check --strict --noUncheckedIndexedAccess\n"
        }
        "fmt" => {
            "Usage: bao fmt [options] [FILE|DIRECTORY|PATTERN ...]\n\n\
             Formats source files in place, here and below if none is named: with oxfmt where the project has installed or\n\
             configured it, else with Prettier, the project's own or prettier@3. [fmt] of bunfig.toml has Prettier's options.\n\n\
             Options:\n  \
             -c, --check                 Write nothing; exit with 1 if a file would be changed\n  \
             -l, --list-different        Write nothing; print the names of such files\n      \
             --stdin-filepath PATH   Format standard input as this file\n      \
             --no-script             Even if package.json has a script \"fmt\"\n  \
             -h, --help                  Show this help\n\n\
             All options of the formatter are taken, too: bao fmt --print-width=100 --no-semi\n"
        }
        _ => {
            "Usage: bao lint [options] [FILE|DIRECTORY ...]\n\n\
             Finds mistakes in source files: with oxlint or ESLint, whichever the project has installed, else with oxlint@1.\n\n\
             Options:\n      \
             --no-script   Even if package.json has a script \"lint\"\n  \
             -h, --help        Show this help\n\n\
             All options of the linter are taken, too: bao lint --fix\n"
        }
    }
}

/// The words of `bao x` for `tool` (`check`, `fmt`, `lint`) with these arguments in the directory `dir`. `options` are those of
/// `[fmt]`.
///
/// # Errors
/// An option is not there, there is no tsconfig.json, or the file that lists what is checked cannot be written.
pub(crate) fn words(tool: &str, arguments: Vec<String>, options: &[String], dir: &Path) -> Outcome<Vec<String>> {
    let (package, arguments) = match tool {
        "check" => (TYPESCRIPT, check(arguments, dir)?),
        "fmt" => fmt(arguments, options, dir)?,
        _ => (if has(dir, &ESLINT) && !has(dir, &OXLINT) { ESLINT } else { OXLINT }, arguments),
    };
    let name = match has(dir, &package) {
        true => package.name.to_owned(),
        false => format!("{}@{}", package.name, package.versions),
    };
    // The name of the package is the place where it is looked up: a program of the system with the command's name is another.
    let mut words: Vec<String> = ["x", "--bun", "-p", &name, package.command].map(str::to_owned).into();
    words.extend(arguments);
    Ok(words)
}

/// Whether the project around `dir` has the command.
fn has(dir: &Path, package: &Package) -> bool {
    find::bin_dirs(dir).any(|bins| bins.join(package.command).exists())
}

/// The value of an option that is written `NAME=VALUE`, or `NAME` with the next word.
fn value(name: &str, given: Option<&str>, rest: &mut std::vec::IntoIter<String>) -> Outcome<String> {
    given
        .map(str::to_owned)
        .or_else(|| rest.next())
        .ok_or_else(|| Failure::new(format!("option \"{name}\" needs a value")).hint("bao check --help"))
}

/// The arguments of tsc.
fn check(arguments: Vec<String>, dir: &Path) -> Outcome<Vec<String>> {
    let mut passed = Vec::new();
    let mut paths = Vec::new();
    let mut project = None;
    let mut build = false;
    let mut rest = arguments.into_iter();
    while let Some(word) = rest.next() {
        let (name, given) = match word.split_once('=') {
            Some((name, given)) if word.starts_with("--") => (name, Some(given)),
            _ => (word.as_str(), None),
        };
        match name {
            "-p" | "--project" => project = Some(value(name, given, &mut rest)?),
            "-b" | "--build" => build = true,
            "--no-pretty" => passed.extend(["--pretty".to_owned(), "false".to_owned()]),
            "--pretty" => {
                let follows = matches!(rest.as_slice().first().map(String::as_str), Some("true" | "false"));
                let value = if given.is_none() && follows { rest.next() } else { given.map(str::to_owned) };
                passed.extend(["--pretty".to_owned(), value.unwrap_or_else(|| "true".to_owned())]);
            }
            "--threads" => passed.extend(["--checkers".to_owned(), value(name, given, &mut rest)?]),
            "--timing" => passed.push("--extendedDiagnostics".to_owned()),
            // What `bun check` groups is printed in full anyway.
            "--all" => {}
            _ if name.starts_with("--") => {
                passed.push(name.to_owned());
                passed.extend(given.map(str::to_owned));
            }
            _ if name.starts_with('-') || takes_word(passed.last()) || matches!(name, "true" | "false" | "null") => {
                passed.push(word);
            }
            _ if exists(dir, &word) => paths.push(word),
            _ => return Err(Failure::new(format!("nothing to check: there is no {word}"))),
        }
    }
    let config = match &project {
        Some(path) => PathBuf::from(find::absolute(dir, path)),
        None => {
            dir.ancestors().map(|above| above.join("tsconfig.json")).find(|path| path.is_file()).ok_or_else(|| {
                Failure::new(format!("nothing to check: there is no tsconfig.json in {} or above", dir.display()))
                    .hint("bao x tsc --init makes one; bao check -p PATH names one")
            })?
        }
    };
    let config = if config.is_dir() { config.join("tsconfig.json") } else { config };
    if !config.is_file() {
        return Err(Failure::new(format!("there is no {} (--project)", config.display())));
    }
    if build && !paths.is_empty() {
        return Err(Failure::new("--build checks whole projects, not files").hint("bao check -b -p PATH"));
    }
    let config = if paths.is_empty() { config } else { selection(&config, &paths, dir)? };
    let config = config.to_string_lossy().into_owned();
    let mut words = match build {
        true => vec!["-b".to_owned(), config, "--noEmit".to_owned()],
        false => vec!["-p".to_owned(), config, "--noEmit".to_owned()],
    };
    words.extend(passed);
    Ok(words)
}

/// Whether the option before takes this word as its value, as far as its name tells: `--target es2022`, and there is a directory `es2022`.
fn takes_word(option: Option<&String>) -> bool {
    const NAMES: &[&str] = &[
        "--target",
        "--module",
        "--moduleresolution",
        "--moduledetection",
        "--lib",
        "--types",
        "--typeroots",
        "--jsx",
        "--jsxfactory",
        "--jsxfragmentfactory",
        "--jsximportsource",
        "--rootdir",
        "--rootdirs",
        "--baseurl",
        "--customconditions",
        "--checkers",
        "--builders",
        "--newline",
        "--locale",
        "--outdir",
        "--outfile",
        "--declarationdir",
        "--tsbuildinfofile",
        "--sourceroot",
        "--maproot",
        "--generatetrace",
        "--generatecpuprofile",
        "--ignoredeprecations",
        "--modulesuffixes",
        "--maxnodemodulejsdepth",
        "--reactnamespace",
    ];
    option.is_some_and(|option| NAMES.contains(&option.to_lowercase().as_str()))
}

fn exists(dir: &Path, word: &str) -> bool {
    Path::new(&find::absolute(dir, word)).exists()
}

/// A tsconfig.json with the options of `config` that names these files and directories alone, and what the project declares for all
/// its files. It lies in node_modules/.cache of the project, where TypeScript finds the project's `@types`, under the hash of its
/// text: several may be read at a time.
fn selection(config: &Path, paths: &[String], dir: &Path) -> Outcome<PathBuf> {
    let above = config.parent().unwrap_or(Path::new("/"));
    let mut text = String::from("{\"extends\":");
    json::quote(&config.to_string_lossy(), &mut text);
    // Projects that others refer to must list all their files.
    text.push_str(",\"compilerOptions\":{\"composite\":false,\"incremental\":false}");
    let (mut folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().map(|path| PathBuf::from(find::absolute(dir, path))).partition(|path| path.is_dir());
    folders.push(above.join("**/*.d.ts"));
    for (name, list) in [("files", &files), ("include", &folders)] {
        text.push_str(&format!(",\"{name}\":["));
        for (at, path) in list.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            json::quote(&path.to_string_lossy(), &mut text);
        }
        text.push(']');
    }
    text.push('}');
    let place = above.join("node_modules/.cache/bao");
    let mut hasher = std::hash::DefaultHasher::new();
    text.hash(&mut hasher);
    let path = place.join(format!("tsconfig.check-{:016x}.json", hasher.finish()));
    let part = place.join(format!("tsconfig.check-{}.part", std::process::id()));
    std::fs::create_dir_all(&place)
        .and_then(|()| std::fs::write(&part, text))
        .and_then(|()| std::fs::rename(&part, &path))
        .map_err(|error| {
            Failure::io(format!("cannot write {}, the list of what is checked", path.display()), &error)
        })?;
    Ok(path)
}

/// The formatter and its arguments.
fn fmt(arguments: Vec<String>, options: &[String], dir: &Path) -> Outcome<(Package, Vec<String>)> {
    let configured = dir.ancestors().any(|above| OXFMT_FILES.iter().any(|name| above.join(name).is_file()));
    let is_oxfmt = configured || (has(dir, &OXFMT) && !has(dir, &PRETTIER));
    let mut words = Vec::new();
    let (mut writes, mut has_path) = (true, false);
    let mut rest = arguments.into_iter();
    while let Some(word) = rest.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if NOT_THERE.contains(&name) {
            return Err(
                Failure::new(format!("option \"{name}\" of bao fmt is not implemented yet")).hint("bao fmt --help")
            );
        }
        match name {
            "-c" | "--check" => {
                writes = false;
                words.push("--check".to_owned());
            }
            "-l" | "--list-different" => {
                writes = false;
                words.push("--list-different".to_owned());
            }
            "--init" if !is_oxfmt => {
                return Err(Failure::new("option \"--init\" is oxfmt's; the project is formatted with Prettier")
                    .hint("write a [fmt] table into bunfig.toml, or a .prettierrc"));
            }
            "--stdin-filepath" => {
                (writes, has_path) = (false, true);
                let path = word.split_once('=').map(|(_, path)| path.to_owned());
                words.push(format!("--stdin-filepath={}", value(name, path.as_deref(), &mut rest)?));
            }
            _ => {
                let is_value = words.last().is_some_and(|before: &String| FMT_TAKES_WORD.contains(&before.as_str()));
                has_path |= !word.starts_with('-') && !is_value;
                words.push(word);
            }
        }
    }
    if is_oxfmt {
        if !options.is_empty() {
            return Err(Failure::new(
                "[fmt] of bunfig.toml has Prettier's options, and the project is formatted with oxfmt",
            )
            .hint("put them into .oxfmtrc.json"));
        }
        return Ok((OXFMT, words));
    }
    // The command line goes before the file.
    words.splice(0..0, options.iter().cloned());
    if writes {
        words.push("--write".to_owned());
    }
    if !has_path {
        words.push(".".to_owned());
    }
    Ok((PRETTIER, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, arguments: &[&str], options: &[&str], dir: &Path) -> Outcome<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        words(tool, owned(arguments), &owned(options), dir).map(|words| words.join(" "))
    }

    fn project(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("bao-tools-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("node_modules/.bin")).expect("a directory");
        dir
    }

    #[test]
    fn checks_with_tsc() {
        let dir = project("check");
        let failure = of("check", &[], &[], &dir).expect_err("no tsconfig.json");
        assert!(failure.message.starts_with("nothing to check: there is no tsconfig.json in "), "{}", failure.message);
        std::fs::write(dir.join("tsconfig.json"), "{}").expect("written");
        let config = dir.join("tsconfig.json").display().to_string();
        let all = ["--no-pretty", "--threads=2", "--timing", "--all", "--target", "es2022"];
        let expected = format!(
            "x --bun -p typescript@7 tsc -p {config} --noEmit --pretty false --checkers 2 --extendedDiagnostics --target es2022"
        );
        assert_eq!(of("check", &all, &[], &dir).expect("good"), expected);
        std::fs::write(dir.join("node_modules/.bin/tsc"), "").expect("written");
        let expected = format!("x --bun -p typescript tsc -b {config} --noEmit");
        assert_eq!(of("check", &["-b", "-p", "."], &[], &dir).expect("good"), expected);
        std::fs::write(dir.join("a.ts"), "").expect("written");
        let found = of("check", &["a.ts", "node_modules", "--outDir", "node_modules", "--pretty", "false"], &[], &dir)
            .expect("good");
        let (start, end) = ("x --bun -p typescript tsc -p ", " --noEmit --outDir node_modules --pretty false");
        let list = found.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).expect("a list");
        let text = format!(
            "{{\"extends\":\"{config}\",\"compilerOptions\":{{\"composite\":false,\"incremental\":false}},\
             \"files\":[\"{0}/a.ts\"],\"include\":[\"{0}/node_modules\",\"{0}/**/*.d.ts\"]}}",
            dir.display()
        );
        assert_eq!(std::fs::read_to_string(list).expect("read"), text);
        assert!(of("check", &["-p", "nowhere"], &[], &dir).is_err());
        assert!(of("check", &["nowhere.ts"], &[], &dir).is_err());
        assert!(of("check", &["-b", "a.ts"], &[], &dir).is_err());
        std::fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn formats_and_lints() {
        let dir = project("fmt");
        let fmt = |arguments: &[&str], options: &[&str]| of("fmt", arguments, options, &dir);
        assert_eq!(fmt(&[], &[]).expect("good"), "x --bun -p prettier@3 prettier --write .");
        let expected = "x --bun -p prettier@3 prettier --no-semi --check src/*.ts";
        assert_eq!(fmt(&["-c", "src/*.ts"], &["--no-semi"]).expect("good"), expected);
        let expected = "x --bun -p prettier@3 prettier --config .prettierrc --write .";
        assert_eq!(fmt(&["--config", ".prettierrc"], &[]).expect("good"), expected);
        let expected = "x --bun -p prettier@3 prettier --stdin-filepath=a.ts";
        assert_eq!(fmt(&["--stdin-filepath", "a.ts"], &[]).expect("good"), expected);
        assert_eq!(
            fmt(&["--staged"], &[]).expect_err("bad").message,
            "option \"--staged\" of bao fmt is not implemented yet"
        );
        assert_eq!(of("lint", &["--fix"], &[], &dir).expect("good"), "x --bun -p oxlint@1 oxlint --fix");
        std::fs::write(dir.join("node_modules/.bin/eslint"), "").expect("written");
        assert_eq!(of("lint", &["."], &[], &dir).expect("good"), "x --bun -p eslint eslint .");
        std::fs::write(dir.join(".oxfmtrc.json"), "{}").expect("written");
        assert_eq!(fmt(&["-l"], &[]).expect("good"), "x --bun -p oxfmt@0 oxfmt --list-different");
        assert!(fmt(&[], &["--no-semi"]).is_err());
        std::fs::remove_dir_all(dir).expect("removed");
    }
}
