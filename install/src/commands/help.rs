//! `--help` of the package manager's commands.

use crate::tell;
use crate::ui::{named, product};

/// Short form (NUL: none), name, placeholder of the value (empty: none), what it does.
type Flag = (char, &'static str, &'static str, &'static str);

struct Page {
    names: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
    /// Flags of this command, above those that all have.
    own: &'static [Flag],
    /// Whether the flags that all commands have are listed in full.
    common: bool,
    examples: &'static [(&'static str, &'static str)],
}

const COMMON: &[(&str, &[Flag])] = &[
    (
        "What is installed",
        &[
            ('p', "production", "", "Leave out devDependencies"),
            ('\0', "omit", "dev|optional|peer", "Leave out a group (repeatable)"),
            ('\0', "os", "name", "For another system (repeatable; * for all, !name)"),
            ('\0', "cpu", "name", "For another processor (repeatable; * for all, !name)"),
            ('\0', "libc", "name", "For another C library (repeatable; * for all, !name)"),
            ('f', "force", "", "Fetch and install everything anew; engine errors are warnings"),
            (
                '\0',
                "linker",
                "hoisted|isolated|store",
                "How node_modules is laid out (store: it stays in archives, docs/store.md)",
            ),
            ('\0', "backend", "hardlink|copyfile|symlink", "How files come into node_modules"),
            ('g', "global", "", "In the global folder, with commands in the global bin folder"),
            ('\0', "minimum-release-age", "time", "Only versions at least this old: seconds, 90m, 3d, 2w"),
            ('\0', "minimum-release-age-excludes", "names", "Packages that may be younger"),
        ],
    ),
    (
        "The lockfile",
        &[
            ('\0', "frozen-lockfile", "", "Fail where bun.lock would change"),
            ('\0', "lockfile-only", "", "Write bun.lock, install nothing"),
            ('\0', "dry-run", "", "Say what would happen, change nothing"),
            ('\0', "no-save", "", "Write neither package.json nor bun.lock"),
            ('\0', "save", "", "Write package.json (the default)"),
            ('\0', "save-text-lockfile", "", "A bun.lock in place of a bun.lockb"),
            ('y', "yarn", "", "Write a yarn.lock, too"),
        ],
    ),
    (
        "Scripts and checks",
        &[
            ('\0', "ignore-scripts", "", "Run no lifecycle scripts"),
            ('\0', "trust", "", "Put the packages into trustedDependencies: their scripts run"),
            ('\0', "concurrent-scripts", "n", "Scripts at once (twice the number of cores)"),
            ('\0', "no-verify", "", "Do not check the integrity of downloads"),
            ('\0', "engine-strict", "", "Mismatches of engines and packageManager are errors"),
            ('\0', "ignore-engines", "", "Do not look at engines, packageManager and devEngines"),
        ],
    ),
    (
        "Registry and cache",
        &[
            ('\0', "registry", "url", "Registry for packages without one of their scope"),
            ('\0', "offline", "", "No network: what is in the cache has to do"),
            ('\0', "prefer-offline", "", "Manifests of the cache count however old they are"),
            ('\0', "cache-dir", "dir", "Where downloads are kept"),
            ('\0', "no-cache", "", "Do not use manifests of the cache"),
            ('\0', "network-concurrency", "n", "Connections at once (64)"),
            ('\0', "ca", "text", "A certificate authority to trust"),
            ('\0', "cafile", "file", "The same from a file"),
            ('\0', "use-system-ca", "", "Trust the system's certificate authorities"),
        ],
    ),
    (
        "Output and settings",
        &[
            ('\0', "silent", "", "Print errors only"),
            ('\0', "quiet", "", "Print what another program would read only (pack)"),
            ('\0', "verbose", "", "Say what is decided and why"),
            ('\0', "no-progress", "", "No progress line"),
            ('\0', "no-summary", "", "No summary"),
            ('c', "config", "file", "Settings from this bunfig.toml"),
            ('\0', "cwd", "dir", "Work in this directory"),
            ('\0', "env-file", "file", "Variables from this file (repeatable)"),
            ('\0', "no-env-file", "", "Do not read .env files"),
            ('h', "help", "", "This text"),
        ],
    ),
];

const ADDING: &[Flag] = &[
    ('d', "dev", "", "Into devDependencies (also -D)"),
    ('\0', "optional", "", "Into optionalDependencies"),
    ('\0', "peer", "", "Into peerDependencies"),
    ('\0', "save-prod", "", "Into dependencies, even where another group has it"),
    ('E', "exact", "", "The exact version, without ^"),
    ('F', "filter", "pattern", "Into the packages of the workspace that are chosen (repeatable)"),
    ('\0', "catalog", "[=name]", "Version into the root's catalog, \"catalog:\" into package.json"),
    ('\0', "only-missing", "", "Leave alone what package.json has already"),
    ('a', "analyze", "", "The arguments are source files: add the packages they import"),
];

const FILTERS: &str = "Filters: name, @scope/*, ./dir, ./packages/*, {dir}; p... with what p needs, ...p with what needs p (p^... \
                       and ...^p without p itself); !p takes away.";

const PAGES: &[Page] = &[
    Page {
        names: &["install", "i"],
        usage: "bao install [flags] [name[@version] ...]",
        about: "Installs what package.json and bun.lock say; with names as `bao add`.",
        own: ADDING,
        common: true,
        examples: &[
            ("the project in this directory", "bao install"),
            ("without devDependencies, exactly as bun.lock says", "bao install --production --frozen-lockfile"),
            ("one package of a workspace and what it needs", "bao install --filter 'api...'"),
        ],
    },
    Page {
        names: &["ci"],
        usage: "bao ci [flags]",
        about: "Installs exactly what bun.lock says: `bao install --frozen-lockfile`.",
        own: &[('F', "filter", "pattern", "Only these packages of the workspace (repeatable)")],
        common: true,
        examples: &[("in a build", "bao ci")],
    },
    Page {
        names: &["add", "a"],
        usage: "bao add [flags] name[@version] ...",
        about: "Adds dependencies to package.json and installs them. Also user/repo, git+ssh://…#ref, a URL or file of a .tgz, ./directory, npm:alias.",
        own: ADDING,
        common: true,
        examples: &[
            ("the latest, a tag, a range", "bao add zod zod@next zod@^3"),
            ("for development", "bao add -d typescript"),
            ("to one package of a workspace", "bao add zod --filter api"),
            ("to the catalog", "bao add --catalog=testing vitest"),
        ],
    },
    Page {
        names: &["remove", "rm"],
        usage: "bao remove [flags] name ...",
        about: "Takes dependencies out of package.json and node_modules.",
        own: &[('F', "filter", "pattern", "From the packages of the workspace that are chosen (repeatable)")],
        common: true,
        examples: &[("", "bao remove left-pad"), ("from one package of a workspace", "bao remove zod --filter api")],
    },
    Page {
        names: &["update", "up"],
        usage: "bao update [flags] [name | 'glob*' | '!name' | name@version ...]",
        about: "Newer versions within the ranges of package.json, or the latest; ^, ~ and exact versions stay what they are.",
        own: &[
            ('L', "latest", "", "The latest versions, whatever the ranges say"),
            ('i', "interactive", "", "Choose from a list"),
            ('r', "recursive", "", "In all packages of the workspace"),
            ('F', "filter", "pattern", "In these packages of the workspace (repeatable)"),
            ('d', "dev", "", "devDependencies only"),
            ('p', "prod", "", "dependencies and optionalDependencies only"),
            ('\0', "no-optional", "", "Not optionalDependencies"),
            ('\0', "depth", "0", "What others depend on stays as it is"),
            ('E', "exact", "", "Write exact versions"),
        ],
        common: true,
        examples: &[
            ("everything within its range", "bao update"),
            ("choose what goes to its latest version", "bao update -i --latest"),
            ("some", "bao update '@types/*' '!@types/node'"),
        ],
    },
    Page {
        names: &["upgrade"],
        usage: "bao upgrade [flags] [version]",
        about: "Puts another version of bao into the place of this one, once its digest and its signature are right. The one before is kept.",
        own: &[
            ('\0', "canary", "", "The newest canary version"),
            ('\0', "stable", "", "The newest stable version (the default)"),
            ('\0', "from", "file|url", "A release archive (.tar.gz) in place of the registry's"),
            ('\0', "public-key", "key|file", "The key of minisign that the release is signed with"),
            ('\0', "check", "", "Say what there is, change nothing"),
            ('\0', "rollback", "", "Exchange this version with the one before"),
            ('f', "force", "", "Also a version that is not newer"),
        ],
        common: false,
        examples: &[
            ("the newest", "bao upgrade"),
            ("a release from elsewhere", "bao upgrade --from ./bao-1.2.0-linux-x64.tar.gz"),
            ("back", "bao upgrade --rollback"),
        ],
    },
    Page {
        names: &["outdated"],
        usage: "bao outdated [flags] ['glob*' | '!name' ...]",
        about: "Lists dependencies that have newer versions: the newest within the range, and the latest.",
        own: &[
            ('F', "filter", "pattern", "Of these packages of the workspace (repeatable)"),
            ('r', "recursive", "", "Of all packages of the workspace"),
        ],
        common: true,
        examples: &[("", "bao outdated"), ("in a workspace", "bao outdated -r 'react*'")],
    },
    Page {
        names: &["dedupe"],
        usage: "bao dedupe [flags]",
        about: "Takes versions out of bun.lock that others there can stand in for, then installs.",
        own: &[('\0', "check", "", "Change nothing; exit code 1 where there are such versions")],
        common: true,
        examples: &[("", "bao dedupe"), ("in a build", "bao dedupe --check")],
    },
    Page {
        names: &["prune"],
        usage: "bao prune [flags]",
        about: "Takes packages out of node_modules that bun.lock does not have; with --production those for development, too.",
        own: &[
            ('\0', "check", "", "Change nothing; exit code 1 where something would go"),
            ('F', "filter", "pattern", "In these packages of the workspace only (repeatable)"),
        ],
        common: true,
        examples: &[("after a build", "bao prune --production")],
    },
    Page {
        names: &["audit"],
        usage: "bao audit [fix] [flags]",
        about: "Known weaknesses of the installed versions; `fix` takes the lowest safe versions within the ranges.",
        own: &[
            ('\0', "audit-level", "level", "From this severity: low, moderate, high, critical"),
            ('\0', "ignore", "id", "Not this advisory: GHSA-… or its number (repeatable)"),
            ('\0', "json", "", "As JSON"),
            ('L', "latest", "", "fix: also beyond the ranges of package.json"),
            ('\0', "dry-run", "", "fix: change nothing"),
            ('p', "prod", "", "Without devDependencies"),
        ],
        common: false,
        examples: &[("", "bao audit"), ("", "bao audit fix --dry-run")],
    },
    Page {
        names: &["info", "view"],
        usage: "bao info [flags] name[@version] [property ...]",
        about: "What the registry knows of a package.",
        own: &[('\0', "json", "", "As JSON")],
        common: false,
        examples: &[("", "bao info react"), ("properties", "bao info react version dist-tags.latest")],
    },
    Page {
        names: &["why"],
        usage: "bao why [flags] name[@version]",
        about: "Who depends on a package. The name may be a glob.",
        own: &[('\0', "top", "", "Only the nearest dependents"), ('\0', "depth", "n", "No deeper than this")],
        common: false,
        examples: &[("", "bao why react"), ("", "bao why '@types/*' --depth 2")],
    },
    Page {
        names: &["link"],
        usage: "bao link [--save] [name ...]",
        about: "Registers this package for others, or links a registered one into this project.",
        own: &[('\0', "save", "", "Put it into package.json as link:name")],
        common: false,
        examples: &[("in the package", "bao link"), ("in the project", "bao link my-package")],
    },
    Page {
        names: &["unlink"],
        usage: "bao unlink",
        about: "Takes this package out of the registered ones.",
        own: &[],
        common: false,
        examples: &[],
    },
    Page {
        names: &["list", "ls"],
        usage: "bao list [--all] [-g]",
        about: "What is installed.",
        own: &[('\0', "all", "", "The whole tree"), ('g', "global", "", "Of the global folder")],
        common: false,
        examples: &[],
    },
    Page {
        names: &["pack"],
        usage: "bao pack [flags]",
        about: "Makes the .tgz that `bao publish` would send.",
        own: &[
            ('\0', "destination", "dir", "Where it goes"),
            ('\0', "filename", "name", "Its name"),
            ('\0', "gzip-level", "0-9", "How hard it is packed (9)"),
            ('\0', "ignore-scripts", "", "Without prepack, prepare and postpack"),
            ('\0', "quiet", "", "Print its name only"),
            ('\0', "dry-run", "", "List the files, write nothing"),
        ],
        common: false,
        examples: &[("", "bao pack --dry-run")],
    },
    Page {
        names: &["publish"],
        usage: "bao publish [flags] [file.tgz]",
        about: "Packs this package and sends it to the registry.",
        own: &[
            ('\0', "access", "public|restricted", "Who may see a scoped package"),
            ('\0', "tag", "name", "Tag of the version (latest)"),
            ('\0', "otp", "code", "One-time password"),
            ('\0', "auth-type", "web|legacy", "How a one-time password is asked for"),
            ('\0', "gzip-level", "0-9", "How hard it is packed (9)"),
            ('\0', "tolerate-republish", "", "A version that is there already is no error"),
            ('F', "filter", "pattern", "These packages of the workspace (repeatable)"),
            ('r', "recursive", "", "All packages of the workspace that the registry does not have yet"),
            ('\0', "dry-run", "", "Perform a dry run without making changes"),
        ],
        common: false,
        examples: &[("", "bao publish --dry-run"), ("", "bao publish --access public --tag next")],
    },
    Page {
        names: &["pm"],
        usage: "bao pm word [flags]",
        about: "\
  ls [names] [--all] [-g]       what is installed
  why name                      who depends on a package
  bin [-g]                      the folder of commands
  cache [rm]                    the cache's folder; rm empties it
  hash, hash-string, hash-print the lockfile's hash, what it is made of
  migrate [--dry-run]           bun.lock from package-lock.json, yarn.lock, pnpm-lock.yaml or bun.lockb
  merge-lock base ours theirs   merges bun.lock: a git merge driver
  materialize [names]           store linker: puts packages on the disk, for programs that are not bao
  files -- command              store linker: runs a program that is not bao, which sees packages as files (FUSE)
  untrusted                     packages whose scripts were not run
  trust names | --all           runs them, and puts the names into trustedDependencies
  licenses                      installed packages by license
  default-trusted               packages whose scripts run unless package.json says otherwise
  view name [property]          what the registry knows of a package
  whoami                        who the registry thinks you are
  pack                          as `bao pack`
  version [patch|minor|…]       raises the version of package.json
  pkg get|set|delete|fix        values of package.json",
        own: &[
            ('\0', "all", "", "ls: the whole tree"),
            ('\0', "trusted", "", "ls: trusted ones only"),
            ('\0', "long", "", "licenses: with author, description and homepage"),
            ('\0', "json", "", "As JSON, where a word can"),
        ],
        common: false,
        examples: &[],
    },
];

/// Prints the page of a command; nothing for one that has none here.
pub(crate) fn print(name: &str) -> bool {
    let Some(page) = PAGES.iter().find(|page| page.names.contains(&name)) else { return false };
    tell!("<b>Usage<r>: {}", named(page.usage));
    if page.names.len() > 1 {
        tell!(
            "Also: {}",
            page.names[1..].iter().map(|name| format!("{} {name}", product())).collect::<Vec<_>>().join(", ")
        );
    }
    tell!("\n{}", named(page.about));
    section("Flags", page.own);
    if page.common {
        for (title, flags) in COMMON {
            let own = |flag: &&Flag| !page.own.iter().any(|own| own.1 == flag.1 || (own.0 == flag.0 && own.0 != '\0'));
            section(title, &flags.iter().filter(own).copied().collect::<Vec<_>>());
        }
    } else {
        tell!("\nFlags for registry, cache, output and settings are those of <b>{} install --help<r>.", product());
    }
    if page.own.iter().any(|flag| flag.1 == "filter") {
        tell!("\n{FILTERS}");
    }
    if !page.examples.is_empty() {
        tell!("\n<b>Examples<r>:");
        for (what, line) in page.examples {
            tell!("  {}{}", named(line), if what.is_empty() { String::new() } else { format!("   <d># {what}<r>") });
        }
    }
    true
}

fn section(title: &str, flags: &[Flag]) {
    if flags.is_empty() {
        return;
    }
    tell!("\n<b>{title}<r>:");
    for (short, name, value, what) in flags {
        let short = if *short == '\0' { "   ".to_owned() } else { format!("-{short},") };
        let value = match *value {
            "" => String::new(),
            value if value.starts_with('[') => value.to_owned(),
            value => format!("={value}"),
        };
        let left = format!("{short} --{name}{value}");
        if left.len() > 36 {
            tell!("  {left}\n  {:36}  {what}", "");
        } else {
            tell!("  {left:36}  {what}");
        }
    }
}

/// Whether the arguments of a command ask for its page.
pub(crate) fn wanted(arguments: &[String]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--help" || argument == "-h")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_a_line() {
        let listed = |name: &str| {
            COMMON.iter().any(|(_, flags)| flags.iter().any(|flag| flag.1 == name))
                || PAGES.iter().any(|page| page.own.iter().any(|flag| flag.1 == name))
        };
        // Read already, for words of `pm` that are not there yet.
        let later =
            ["stat", "name-only", "raw", "minify", "unminify", "unified", "ignore-all-space", "diff", "max-age"];
        for name in crate::config::flag_names().filter(|name| !later.contains(name)) {
            assert!(listed(name), "--{name} is in no page");
        }
    }

    #[test]
    fn every_line_has_a_flag() {
        for (_, flags) in COMMON {
            for flag in *flags {
                assert!(crate::config::flag_names().any(|name| name == flag.1), "--{} is no flag", flag.1);
            }
        }
    }
}
