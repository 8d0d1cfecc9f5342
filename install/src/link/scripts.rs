//! Lifecycle scripts: preinstall, install and postinstall of trusted packages, and the project's own.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use json::Value;
use rustc_hash::FxHashSet;

use crate::error::{Code, Error, Result};
use crate::link::tree_writer::TreeWriter;
use crate::link::{Events, LinkOptions, bins};
use crate::model::plan::{DISABLED, HAS_INSTALL_SCRIPT, Kind, OPTIONAL, PackageId, Plan, TRUSTED};
use crate::store::fs;

const INSTALL: &[&str] = &["preinstall", "install", "postinstall"];
/// What a package of a repository was not packed with is made by these.
const PREPARE: &[&str] = &["preprepare", "prepare", "postprepare"];
/// What npm says it is, with Bun's version in front: packages look at it to find out which tool runs them.
const USER_AGENT: &str = concat!("bun/1.4.5 npm/? node/v25.8.0 ", "linux x64");

/// Runs the install scripts of the packages that were put in place and may run them; notes the others.
///
/// # Errors
/// A script of a package that is not optional failed: the package is removed, so that the next install tries again.
pub(crate) fn run(tree: &mut TreeWriter<'_>) -> Result<()> {
    let plan = tree.plan;
    if tree.options.ignore_scripts {
        return Ok(());
    }
    let mut todo = Vec::new();
    let mut blocked = FxHashSet::default();
    for (path, id) in std::mem::take(&mut tree.scripted) {
        let package = tree.package(id);
        if package.flags & TRUSTED == 0 {
            if !bins::needs_no_script(plan, package) && blocked.insert(id) {
                tree.linked.blocked_scripts.push(id);
                tree.linked.blocked_count += count_scripts(&plan.root.join(path.to_string_lossy().as_ref()));
            }
        } else if !bins::needs_no_script(plan, package) {
            let dir = plan.root.join(path.to_string_lossy().as_ref());
            if package.flags & HAS_INSTALL_SCRIPT != 0 || dir.join("binding.gyp").is_file() {
                todo.push((dir, id, path));
            }
        }
    }
    tree.linked.blocked_scripts.sort_unstable();
    if todo.is_empty() {
        return Ok(());
    }
    // Dependencies first; equal ones by path, so that the order does not depend on the threads.
    let scripted: FxHashSet<PackageId> = todo.iter().map(|(_, id, _)| *id).collect();
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut sorted: Vec<PackageId> = scripted.iter().copied().collect();
    sorted.sort_unstable();
    for id in sorted {
        visit(plan, id, &mut seen, &mut order);
    }
    let rank = |id: PackageId| order.iter().position(|&other| other == id).unwrap_or(usize::MAX);
    todo.sort_by(|a, b| (rank(a.1), &a.0).cmp(&(rank(b.1), &b.0)));
    let needs: Vec<FxHashSet<PackageId>> = todo
        .iter()
        .map(|(_, id, _)| {
            let (mut seen, mut below) = (FxHashSet::default(), Vec::new());
            visit(plan, *id, &mut seen, &mut below);
            // Within a circle the order above decides.
            below
                .into_iter()
                .filter(|other| other != id && scripted.contains(other) && rank(*other) < rank(*id))
                .collect()
        })
        .collect();
    let environment = Environment::new(&plan.root)?;
    let results = parallel(tree.options.concurrent_scripts, &todo, &needs, |(dir, id, _)| {
        let package = &plan.packages[*id as usize];
        let name = plan.str(package.name);
        let prepare = if matches!(package.kind, Kind::Git | Kind::GitHub) { PREPARE } else { &[] };
        package_scripts(dir, name, prepare, &environment, tree.events)
    });
    for ((_, id, path), result) in todo.iter().zip(results) {
        let Some(Err(error)) = result else { continue };
        fs::remove(tree.root.as_fd(), path).ok();
        if tree.package(*id).flags & OPTIONAL == 0 {
            return Err(tree.named(error, *id));
        }
        tree.events.note(&format!("optional package {} was removed: {error}", plan.str(tree.package(*id).name)));
    }
    Ok(())
}

/// The install scripts of the package in `dir`: events and commands.
pub(crate) fn install_scripts(dir: &Path) -> Vec<(&'static str, String)> {
    let Ok(Some(text)) = crate::project::read_manifest(dir) else { return Vec::new() };
    let bytes = text.as_bytes();
    let Ok(json) = Value::parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) else { return Vec::new() };
    let mut found: Vec<(&'static str, String)> =
        INSTALL.iter().filter_map(|event| Some((*event, script(&json, event)?.to_owned()))).collect();
    let compiled =
        !found.iter().any(|(event, _)| *event != "postinstall") && packages::is_file(&dir.join("binding.gyp"));
    if compiled {
        found.insert(0, ("install", "node-gyp rebuild".to_owned()));
    }
    found
}

/// Runs the install scripts of the package in `dir`.
///
/// # Errors
/// A script failed; the exit code of the process is the script's.
pub(crate) fn install(dir: &Path, name: &str, environment: &Environment, events: &dyn Events) -> Result<()> {
    package_scripts(dir, name, &[], environment, events)
}

/// Packages in the order in which their scripts may run.
pub(crate) fn in_order(plan: &Plan, packages: &[PackageId]) -> Vec<PackageId> {
    let (mut seen, mut order) = (FxHashSet::default(), Vec::new());
    packages.iter().for_each(|&id| visit(plan, id, &mut seen, &mut order));
    order.retain(|id| packages.contains(id));
    order
}

/// How many install scripts the package in `dir` has; at least one, it says so itself.
fn count_scripts(dir: &Path) -> u32 {
    std::fs::read(dir.join("package.json")).map_or(1, |bytes| count_in(&bytes))
}

/// The same for the text of its package.json.
pub(super) fn count_in(bytes: &[u8]) -> u32 {
    let Ok(json) = Value::parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) else { return 1 };
    INSTALL.iter().filter(|event| script(&json, event).is_some()).count().max(1) as u32
}

/// Packages in the order in which their scripts may run: what one depends on comes before it.
fn visit(plan: &Plan, id: PackageId, seen: &mut FxHashSet<PackageId>, order: &mut Vec<PackageId>) {
    // An explicit stack: dependency chains are long in some trees.
    let mut stack = vec![(id, false)];
    while let Some((id, done)) = stack.pop() {
        if done {
            order.push(id);
            continue;
        }
        if !seen.insert(id) {
            continue;
        }
        stack.push((id, true));
        let Some(package) = plan.packages.get(id as usize) else {
            continue;
        };
        for edge in plan.edges_of(package).iter().rev() {
            if plan.packages.get(edge.package as usize).is_some_and(|package| package.flags & DISABLED == 0) {
                stack.push((edge.package, false));
            }
        }
    }
}

type Todo = (PathBuf, PackageId, std::ffi::CString);

/// Runs the jobs on up to `limit` threads, each once those it needs are over. After a failure no new one begins.
fn parallel(
    limit: usize,
    todo: &[Todo],
    needs: &[FxHashSet<PackageId>],
    job: impl Fn(&Todo) -> Result<()> + Sync,
) -> Vec<Option<Result<()>>> {
    struct Board {
        started: Vec<bool>,
        done: Vec<Option<Result<()>>>,
    }
    let board = Mutex::new(Board { started: vec![false; todo.len()], done: (0..todo.len()).map(|_| None).collect() });
    let changed = Condvar::new();
    let work = || {
        let mut state = board.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.done.iter().flatten().any(Result::is_err) || state.started.iter().all(|&started| started) {
                return;
            }
            let is_over =
                |id: &PackageId| todo.iter().zip(&state.done).all(|(other, done)| other.1 != *id || done.is_some());
            let next = (0..todo.len()).find(|&at| !state.started[at] && needs[at].iter().all(is_over));
            let Some(next) = next else {
                state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.started[next] = true;
            drop(state);
            let result = job(&todo[next]);
            state = board.lock().unwrap_or_else(PoisonError::into_inner);
            state.done[next] = Some(result);
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..limit.clamp(1, todo.len()) {
            scope.spawn(work);
        }
        work();
    });
    board.into_inner().unwrap_or_else(PoisonError::into_inner).done
}

/// What every script gets.
pub(crate) struct Environment {
    root: PathBuf,
    executable: PathBuf,
    /// A directory with those of [`SHIMS`] that are not on the PATH; removed at the end.
    shims: Option<PathBuf>,
}

/// The programs that scripts find although they are not on the PATH.
const SHIMS: [&str; 6] = ["node-gyp", "node", "bun", "bunx", "bao", "baox"];

impl Drop for Environment {
    fn drop(&mut self) {
        if let Some(dir) = &self.shims {
            let _ = std::fs::remove_dir_all(dir);
        }
    }
}

fn find_on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// The node-gyp that npm brings along, where npm is on the PATH: it needs no network.
fn npms_node_gyp() -> Option<PathBuf> {
    let npm = find_on_path("npm")?.canonicalize().ok()?;
    let script = npm.parent()?.parent()?.join("node_modules/node-gyp/bin/node-gyp.js");
    (script.is_file() && on_path("node")).then_some(script)
}

fn on_path(name: &str) -> bool {
    find_on_path(name).is_some()
}

impl Environment {
    pub(crate) fn new(root: &Path) -> Result<Self> {
        let executable = std::env::current_exe().unwrap_or_default();
        let mut environment = Self { root: root.to_owned(), executable, shims: None };
        environment.make_shims()?;
        Ok(environment)
    }

    /// node-gyp, node and bun are expected on the PATH by scripts; where they are missing this program takes their place.
    fn make_shims(&mut self) -> Result<()> {
        let missing: Vec<&str> = SHIMS.into_iter().filter(|name| !on_path(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let unique =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let dir = std::env::temp_dir().join(format!("bao-bin-{}-{unique:x}", std::process::id()));
        let failed = |error| Error::io("Could not make", &dir, error);
        // The directory of temporary files need not be there yet.
        std::fs::create_dir_all(&dir).map_err(failed)?;
        for name in missing {
            // A directory each: that of node-gyp leaves the PATH before `x` looks for the program of this name.
            let place = dir.join(name);
            std::fs::create_dir(&place).map_err(failed)?;
            let quote = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
            let program = quote(&self.executable);
            let text = match name {
                "node" | "bun" | "bao" => format!("#!/bin/sh\nexec {program} \"$@\"\n"),
                "bunx" | "baox" => format!("#!/bin/sh\nexec {program} x \"$@\"\n"),
                _ => match npms_node_gyp() {
                    Some(script) => format!("#!/bin/sh\nexec node {} \"$@\"\n", quote(&script)),
                    None => format!(
                        "#!/bin/sh\nd={}\np=:$PATH:\nwhile case $p in *:\"$d\":*) true ;; *) false ;; esac; do \
                         p=${{p%%:\"$d\":*}}:${{p#*:\"$d\":}}; done\np=${{p#:}}\nPATH=${{p%:}}\nexec {program} x node-gyp \"$@\"\n",
                        quote(&place)
                    ),
                },
            };
            let file = place.join(name);
            std::fs::write(&file, text).map_err(failed)?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&file, mode).map_err(failed)?;
        }
        self.shims = Some(dir);
        Ok(())
    }

    /// The variables that npm's scripts know, as Bun sets them. `dir` is the package's directory, `json` its package.json.
    pub(crate) fn apply(&self, shell: &mut Command, dir: &Path, json: &Value<'_>, name: &str, event: &str, line: &str) {
        shell
            .env("PATH", self.path(dir))
            .env("npm_lifecycle_event", event)
            .env("npm_lifecycle_script", line)
            .env("npm_package_json", dir.join("package.json"))
            .env("npm_config_local_prefix", &self.root)
            .env("npm_config_user_agent", USER_AGENT)
            .env("npm_execpath", &self.executable)
            .env("npm_command", "install")
            .env("PWD", dir);
        let node = find_on_path("node").unwrap_or_else(|| self.executable.clone());
        shell.env("npm_node_execpath", &node).env("NODE", node);
        for (key, value) in [("npm_package_name", name), ("npm_package_version", json.text("version"))] {
            if !value.is_empty() {
                shell.env(key, value);
            }
        }
        if std::env::var_os("INIT_CWD").is_none() {
            shell.env("INIT_CWD", std::env::current_dir().unwrap_or_else(|_| self.root.clone()));
        }
        for member in json.get("config").map(Value::members).unwrap_or_default() {
            if let Some(value) = member.value.str() {
                shell.env(format!("npm_package_config_{}", member.key), value);
            }
        }
    }

    /// PATH with the `.bin` directories from `dir` upwards in front.
    pub(crate) fn path(&self, dir: &Path) -> std::ffi::OsString {
        let mut parts: Vec<PathBuf> = Vec::new();
        // The scripts of the project and its members use packages that no other `node` reads. Packages with scripts are on the disk.
        let inside = dir.strip_prefix(&self.root).unwrap_or(dir);
        let is_own = !inside.components().any(|part| part.as_os_str() == "node_modules");
        if is_own
            && self.root.join("node_modules").join(packages::INDEX).is_file()
            && let Some(shims) = self.executable.to_str().and_then(|path| packages::shims::ensure(path).ok())
        {
            parts.extend([shims.node, shims.npx]);
        }
        parts.extend(dir.ancestors().map(|dir| dir.join("node_modules/.bin")));
        parts.extend(self.shims.iter().flat_map(|dir| SHIMS.map(|name| dir.join(name))).filter(|dir| dir.is_dir()));
        if let Some(path) = std::env::var_os("PATH") {
            parts.extend(std::env::split_paths(&path));
        }
        std::env::join_paths(parts).unwrap_or_default()
    }
}

fn script<'a>(json: &'a Value<'_>, event: &str) -> Option<&'a str> {
    json.get("scripts")
        .and_then(|scripts| scripts.get(event))
        .and_then(Value::str)
        .filter(|text| !text.trim().is_empty())
}

fn package_scripts(
    dir: &Path,
    name: &str,
    more: &[&str],
    environment: &Environment,
    events: &dyn Events,
) -> Result<()> {
    let file = dir.join("package.json");
    let bytes = match std::fs::read(&file) {
        // A repository need not have one.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => b"{}".to_vec(),
        result => result.map_err(|error| Error::io("Could not read", &file, error))?,
    };
    let json = Value::parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
        .map_err(|at| Error::new(Code::Parse, format!("{} is not valid JSON at byte {at}", file.display())))?;
    let gyp = script(&json, "install").is_none()
        && script(&json, "preinstall").is_none()
        && dir.join("binding.gyp").is_file();
    for &event in INSTALL.iter().chain(more) {
        // npm's default for packages with native code.
        let command = script(&json, event).or((gyp && event == "install").then_some("node-gyp rebuild"));
        if let Some(command) = command {
            run_one(dir, name, event, command, &json, environment, events)?;
        }
    }
    Ok(())
}

/// Runs scripts of the project (or of a workspace member) in `dir`, those of `order` that its package.json has.
///
/// # Errors
/// A script failed; the exit code of the process is the script's.
pub(crate) fn project(
    dir: &Path,
    root: &Path,
    order: &[&str],
    options: &LinkOptions,
    events: &dyn Events,
) -> Result<()> {
    if options.ignore_scripts {
        return Ok(());
    }
    let file = dir.join("package.json");
    let Ok(bytes) = std::fs::read(&file) else {
        return Ok(());
    };
    let json = Value::parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
        .map_err(|at| Error::new(Code::Parse, format!("{} is not valid JSON at byte {at}", file.display())))?;
    if !order.iter().any(|event| script(&json, event).is_some()) {
        return Ok(());
    }
    let environment = Environment::new(root)?;
    let name = json.text("name").to_owned();
    for event in order {
        if let Some(command) = script(&json, event) {
            run_one(dir, &name, event, command, &json, &environment, events)?;
        }
    }
    Ok(())
}

fn run_one(
    dir: &Path,
    name: &str,
    event: &str,
    command: &str,
    json: &Value<'_>,
    environment: &Environment,
    events: &dyn Events,
) -> Result<()> {
    events.script_start(name, event, command);
    let failed = |error| Error::io("Could not run the script in", dir, error).package(name, json.text("version"));
    let (mut reader, writer) = std::io::pipe().map_err(failed)?;
    let mut shell = Command::new("/bin/sh");
    shell
        .arg("-c")
        .arg(command)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().map_err(failed)?)
        .stderr(writer);
    environment.apply(&mut shell, dir, json, name, event, command);
    let mut child = shell.spawn().map_err(failed)?;
    // The parent's copies of the pipe are in the command.
    drop(shell);
    // A reader of its own: what a script leaves running in the background may hold the pipe open for ever.
    let (sender, pieces) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut tail = Vec::new();
    let mut ended = false;
    loop {
        match pieces.recv_timeout(Duration::from_millis(100)) {
            Ok(piece) => {
                events.script_output(name, event, &piece);
                tail.extend_from_slice(&piece);
                if tail.len() > 8192 {
                    tail.drain(..tail.len() - 4096);
                }
            }
            Err(RecvTimeoutError::Timeout) if ended => break,
            Err(RecvTimeoutError::Timeout) => ended = child.try_wait().map_err(failed)?.is_some(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    let why = match (status.code(), std::os::unix::process::ExitStatusExt::signal(&status)) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        _ => "failed".to_owned(),
    };
    let mut error = Error::new(Code::Script, format!("{event} script from \"{name}\" {why}: {command}"))
        .hint("--ignore-scripts installs without running scripts");
    error.exit = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    let tail = String::from_utf8_lossy(&tail);
    if !tail.trim().is_empty() {
        error = error.cause(format!("its last output was\n{}", tail.trim_end()));
    }
    Err(error)
}

/// Packages that may have something to run: those that say so, and trusted ones, which a `binding.gyp` is enough for.
pub(crate) fn is_scripted(flags: u16) -> bool {
    flags & (HAS_INSTALL_SCRIPT | TRUSTED) != 0
}
