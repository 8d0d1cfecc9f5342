//! Packages that are installed because a program imports them (`--install`, `install.auto`): the package manager of this executable puts them
//! where `bao x` has its packages (install/src/commands/auto_install.rs).

use std::collections::HashMap;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use resolve::{InstallMode, Installs};
use run_options::{NodeOption, RunOptions};

/// How often a request of the package manager is sent again.
const RETRIES: &str = "BUN_CONFIG_HTTP_RETRY_COUNT";

/// How many seconds it waits for a server that says nothing.
const IDLE: &str = "BUN_CONFIG_HTTP_IDLE_TIMEOUT";

/// Its exit code where the registry could not be reached (install/src/commands/auto_install.rs).
const UNAVAILABLE: i32 = 69;

/// What a resolver installs with the options of a program; `None` for nothing.
pub(crate) fn installs(options: &RunOptions) -> Option<Installs> {
    let Some(NodeOption::Text(mode)) = options.node_option("--install") else { return None };
    let mode = match mode.as_str() {
        "auto" => InstallMode::IfNone,
        "fallback" => InstallMode::IfMissing,
        "force" => InstallMode::Always,
        _ => return None,
    };
    // An executable with a program in it is whole, and what may start no processes may not start this one.
    if standalone::current().is_some() || base::permission::is_on() {
        return None;
    }
    let mut installer = Installer {
        executable: options.exec_path.clone(),
        flags: ["--prefer-offline"].into_iter().filter(|flag| options.node_option(flag).is_some()).collect(),
        is_default: mode == InstallMode::IfNone,
        known: HashMap::new(),
        places: Vec::new(),
    };
    Some(Installs { mode, install: Box::new(move |name, version, importer| installer.place(name, version, importer)) })
}

/// The directory of a package, or why there is none.
type Place = Result<Option<String>, String>;

struct Installer {
    executable: String,
    flags: Vec<&'static str>,
    /// The mode is `auto`, which is that of programs that ask for none: they do not wait long for a network.
    is_default: bool,
    /// What was asked for before: name, version and directory of the importer's package.json, which decides where no version is given.
    known: HashMap<(String, Option<String>, String), Place>,
    /// Directories of installed packages.
    places: Vec<String>,
}

impl Installer {
    fn place(&mut self, name: &str, version: Option<&str>, importer: &str) -> Place {
        // Packages have their own packages beside them, in the versions that they were made for.
        if self.places.iter().any(|place| importer.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))) {
            return Ok(None);
        }
        let project = Path::new(importer).ancestors().find(|dir| dir.join("package.json").is_file());
        let project = project.map_or_else(String::new, |dir| dir.to_string_lossy().into_owned());
        let asked = (name.to_owned(), version.map(str::to_owned), project);
        if let Some(place) = self.known.get(&asked) {
            return place.clone();
        }
        let place = self.install(name, version, importer);
        if let Ok(Some(place)) = &place {
            self.places.push(place.clone());
        }
        self.known.insert(asked, place.clone());
        place
    }

    fn install(&mut self, name: &str, version: Option<&str>, importer: &str) -> Place {
        let mut command = Command::new(&self.executable);
        // By its own name: as `node` it has no package manager.
        command.arg0("bao").args(["pm", "auto-install", "--ignore-scripts"]).args(&self.flags).arg(name).args(version);
        // The directory of a text or a page need not exist.
        if Path::new(importer).is_dir() {
            command.current_dir(importer);
        }
        command.stdin(Stdio::null()).env_remove("BUN_OPTIONS");
        // A program that asked for nothing does not wait for a network that is not there.
        if self.is_default {
            for (variable, value) in [(RETRIES, "0"), (IDLE, "10")] {
                if std::env::var_os(variable).is_none() {
                    command.env(variable, value);
                }
            }
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() {
            return Ok(Some(said(&output.stdout)).filter(|place| place.starts_with('/')));
        }
        let said = said(&output.stderr);
        let said = said.lines().next().unwrap_or("the package manager failed");
        // A program that tries one optional package after the other waits for the network once; what is in the cache is still found.
        if self.is_default && output.status.code() == Some(UNAVAILABLE) {
            self.flags.push("--offline");
        }
        Err(said.strip_prefix("error: ").unwrap_or(said).to_owned())
    }
}
