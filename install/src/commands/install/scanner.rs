//! The security scanner (`[install.security] scanner`): a JavaScript module that sees every package before it is installed.
//!
//! This program runs itself as a child (`BAO_EXE` names another runtime) with a small script of ours, which imports the scanner, gives
//! it the packages and writes its answer as JSON to a pipe. What the scanner prints goes to our output. The protocol is Bun's: version
//! "1", `scan({ packages })` gives a list of `{ level: "fatal" | "warn", package, url, description }`.

use json::{Node, Value, quote};

use crate::commands::install;
use crate::commands::style::{Style, safe};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::extras::Extras;
use crate::model::graph::Member;
use crate::model::graph::{Graph, PackageId};
use crate::model::plan::{Kind, Linker, NO_ID};
use crate::registry::session::Session;
use std::fmt::Write;
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("scanner.mjs");

/// Longest answer that is read.
const LARGEST_ANSWER: u64 = 64 << 20;

struct Advisory {
    fatal: bool,
    package: String,
    url: String,
    description: String,
}

/// A file or directory that goes away at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0).or_else(|_| std::fs::remove_dir_all(&self.0));
    }
}

fn unique() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{}-{time:x}", std::process::id())
}

/// What stands for a module in a path: `./x`, `../x`, `/x`.
fn is_path(scanner: &str) -> bool {
    scanner.starts_with(['.', '/'])
}

/// Registry packages and how they are reached, breadth first from the project or from some of its dependencies.
struct Reached {
    /// Package and the dependency that led to it.
    order: Vec<(PackageId, u32)>,
    /// Package above.
    above: Vec<PackageId>,
}

fn reach(graph: &Graph, members: &[Member], only: &[String]) -> Reached {
    let mut above = vec![NO_ID; graph.len()];
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::new();
    let mut queue: std::collections::VecDeque<PackageId> = members.iter().map(|member| member.package).collect();
    queue.iter().for_each(|&id| seen[id as usize] = true);
    members.iter().filter(|member| member.package != 0).for_each(|member| above[member.package as usize] = 0);
    while let Some(package) = queue.pop_front() {
        let own = members.iter().any(|member| member.package == package);
        for dep in graph.packages.deps[package as usize].ids() {
            let target = graph.deps.target[dep as usize];
            if target == NO_ID
                || seen[target as usize]
                || (own
                    && !only.is_empty()
                    && !only.iter().any(|name| name == graph.str(graph.deps.name[dep as usize])))
            {
                continue;
            }
            seen[target as usize] = true;
            above[target as usize] = package;
            order.push((target, dep));
            queue.push_back(target);
        }
    }
    Reached { order, above }
}

fn packages_json(graph: &Graph, reached: &Reached, session: &Session<'_>) -> String {
    let mut out = "[".to_owned();
    for &(id, dep) in reached.order.iter().filter(|(id, _)| graph.kind(*id) == Kind::Npm) {
        if out.len() > 1 {
            out.push(',');
        }
        let (name, version) = (graph.name(id), graph.value(id));
        let explicit = graph.str(graph.packages.resolution[id as usize].extra);
        let tarball = session.tarball_url(name, version, explicit);
        let range = graph.str(graph.deps.literal[dep as usize]);
        for (place, (key, value)) in
            [("name", name), ("version", version), ("requestedRange", range), ("tarball", tarball.as_str())]
                .into_iter()
                .enumerate()
        {
            out.push(if place == 0 { '{' } else { ',' });
            quote(key, &mut out);
            out.push(':');
            quote(value, &mut out);
        }
        out.push('}');
    }
    out.push(']');
    out
}

fn failed(message: impl Into<String>) -> Error {
    Error::new(Code::Script, message)
}

/// Runs the scanner; its advisories. `directory` is where its name is looked up.
fn run(scanner: &str, directory: &Path, packages: &str) -> Result<Vec<Advisory>> {
    let specifier = if is_path(scanner) { directory.join(scanner).display().to_string() } else { scanner.to_owned() };
    if is_path(scanner) && !Path::new(&specifier).is_file() {
        return Err(failed(format!(
            "Security scanner '{scanner}' is configured in bunfig.toml but the file could not be found."
        ))
        .hint("check that the file exists and the path is correct"));
    }
    let name = unique();
    let temporary = std::env::temp_dir();
    let inside = directory.join("node_modules");
    let home = if is_path(scanner) { &temporary } else { &inside };
    let script = Temporary(home.join(format!(".bao-scan-{name}.mjs")));
    let input = Temporary(temporary.join(format!("bao-scan-{name}.json")));
    std::fs::write(&script.0, SCRIPT).map_err(|error| Error::io("cannot write", &script.0, error))?;
    std::fs::write(&input.0, packages).map_err(|error| Error::io("cannot write", &input.0, error))?;
    let (reader, writer) = std::io::pipe().map_err(|error| failed("cannot make a pipe").cause(error))?;
    rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty())
        .map_err(|error| failed("cannot hand on a pipe").cause(error))?;
    let program = std::env::var_os("BAO_EXE").filter(|text| !text.is_empty()).map(PathBuf::from);
    let program = match program {
        Some(program) => program,
        None => std::env::current_exe().map_err(|error| failed("cannot find this program").cause(error))?,
    };
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&writer).to_string();
    let mut child = Command::new(&program)
        .arg(&script.0)
        .arg(&specifier)
        .arg(&input.0)
        .arg(descriptor)
        .current_dir(directory)
        .spawn()
        .map_err(|error| Error::io("cannot run the security scanner with", &program, error))?;
    drop(writer);
    let mut answer = Vec::new();
    let read = reader.take(LARGEST_ANSWER).read_to_end(&mut answer);
    let status = child.wait().map_err(|error| failed("the security scanner was lost").cause(error))?;
    read.map_err(|error| failed("the security scanner's answer cannot be read").cause(error))?;
    if answer.is_empty() {
        let how = match status.code() {
            Some(code) => format!("exited with code {code}"),
            None => "was killed by a signal".to_owned(),
        };
        return Err(failed(format!("Security scanner {how} without sending data")));
    }
    advisories(&answer)
}

fn advisories(answer: &[u8]) -> Result<Vec<Advisory>> {
    let value = Value::parse(answer).map_err(|_| failed("the security scanner's answer is cut off or no JSON"))?;
    if let Some(text) = value.get("error").and_then(Value::str) {
        return Err(failed(format!("Security scanner failed: {text}")));
    }
    if let Some(text) = value.get("version").and_then(Value::str) {
        return Err(failed(format!("Security scanner error: Security scanner must be version 1, got version {text}")));
    }
    let items = value.get("advisories").map_or(&[][..], Value::items);
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let wrong = |what: String| Err(failed(format!("Security advisory at index {at} {what}")));
        if !item.is_object() {
            let kind = match item.node {
                Node::Null => "null",
                Node::Bool(_) => "boolean",
                Node::Number(_) => "number",
                Node::String(_) => "string",
                _ => "array",
            };
            return wrong(format!("must be an object, got: {kind}"));
        }
        let package = match item.get("package") {
            None => return wrong("missing required 'package' field".to_owned()),
            Some(package) => match package.str() {
                None => return wrong("'package' field must be a string".to_owned()),
                Some("") => return wrong("'package' field cannot be empty".to_owned()),
                Some(name) => name.to_owned(),
            },
        };
        let mut texts = [String::new(), String::new()];
        for (place, key) in ["description", "url"].into_iter().enumerate() {
            match item.get(key).map(|value| &value.node) {
                None | Some(Node::Null) => {}
                Some(Node::String(text)) => texts[place] = text.to_string(),
                Some(_) => return wrong(format!("'{key}' field must be a string or null")),
            }
        }
        let fatal = match item.get("level").map(Value::str) {
            None => return wrong("missing required 'level' field".to_owned()),
            Some(Some("fatal")) => true,
            Some(Some("warn")) => false,
            Some(Some(other)) => return wrong(format!("'level' field must be 'fatal' or 'warn', got: '{other}'")),
            Some(None) => return wrong("'level' field must be a string".to_owned()),
        };
        let [description, url] = texts;
        out.push(Advisory { fatal, package, url, description });
    }
    Ok(out)
}

fn print(graph: &Graph, reached: &Reached, list: &[Advisory]) {
    let Style { reset: r, bold: b, dim: d, red, yellow, .. } = Style::stdout();
    let mut out = String::new();
    for advisory in list {
        let (colour, word) = if advisory.fatal { (red, "FATAL") } else { (yellow, "WARNING") };
        let _ = writeln!(out, "\n  {colour}{word}{r}: {b}{}{r}", safe(&advisory.package));
        let found = reached.order.iter().find(|(id, _)| graph.name(*id) == advisory.package);
        if let Some(&(mut at, _)) = found {
            let shown = |id: PackageId| if graph.name(id).is_empty() { "(root)" } else { graph.name(id) };
            let mut names = vec![shown(at)];
            while at != 0 && reached.above[at as usize] != NO_ID {
                at = reached.above[at as usize];
                names.push(shown(at));
            }
            names.reverse();
            let _ = writeln!(out, "    {d}via {}{r}", names.join(" › "));
        }
        for text in [&advisory.description, &advisory.url] {
            if !text.is_empty() {
                let _ = writeln!(out, "    {}", safe(text));
            }
        }
    }
    let fatal = list.iter().filter(|advisory| advisory.fatal).count();
    let warnings = list.len() - fatal;
    let mut parts = Vec::new();
    if fatal > 0 {
        parts.push(format!("{red}{fatal} fatal{r}"));
    }
    if warnings > 0 {
        parts.push(format!("{yellow}{warnings} warning{}{r}", if warnings == 1 { "" } else { "s" }));
    }
    let _ = write!(out, "\n{b}{}{r} ({})", crate::commands::style::count(list.len(), "advisory"), parts.join(", "));
    crate::say!("{out}");
}

/// Where the scanner can be imported from: the project, or a directory of its own in which it is installed for this run.
fn place(
    scanner: &str,
    root: &Path,
    graph: &Graph,
    members: &[Member],
    extras: &Extras,
    session: &mut Session<'_>,
) -> Result<(PathBuf, Option<Temporary>)> {
    if is_path(scanner) || packages::is_dir(&root.join("node_modules").join(scanner)) {
        return Ok((root.to_owned(), None));
    }
    let dep = graph.packages.deps[0]
        .ids()
        .find(|&dep| graph.str(graph.deps.name[dep as usize]) == scanner && graph.deps.target[dep as usize] != NO_ID);
    let npm = dep.is_some_and(|dep| graph.kind(graph.deps.target[dep as usize]) == Kind::Npm);
    if !npm {
        return Err(failed(format!("Security scanner '{scanner}' is configured in bunfig.toml but is not installed."))
            .hint(format!("to install it, run: bao add --dev {scanner}")));
    }
    let mut graph = graph.clone();
    for other in graph.packages.deps[0].ids().filter(|other| Some(*other) != dep) {
        graph.deps.target[other as usize] = NO_ID;
    }
    let Style { reset: r, bold: b, green, yellow, .. } = Style::stdout();
    crate::say!("{yellow}Attempting to install security scanner from npm...{r}");
    let own = std::env::temp_dir().join(format!("bao-scanner-{}", unique()));
    std::fs::create_dir_all(&own).map_err(|error| Error::io("cannot make", &own, error))?;
    let temporary = Temporary(own.clone());
    let selection = crate::assemble::Selection { config: session.config, members: Some(Vec::new()), root: true };
    let plan = crate::assemble::assemble(&own, &mut graph, &members[..1], extras, session, &selection, Linker::Hoisted);
    install::materialize(&plan, session)?;
    crate::say!("{green}{b}Security scanner installed successfully.{r}");
    Ok((own, Some(temporary)))
}

/// Asks the scanner about what is going to be installed. False: the install does not go on. `only` names the dependencies that are
/// new; empty for all.
pub(crate) fn guard(
    scanner: &str,
    root: &Path,
    graph: &Graph,
    members: &[Member],
    extras: &Extras,
    session: &mut Session<'_>,
    only: &[String],
) -> Result<bool> {
    let reached = reach(graph, members, only);
    if reached.order.is_empty() {
        return Ok(true);
    }
    let (directory, _temporary) = place(scanner, root, graph, members, extras, session)?;
    let list = run(scanner, &directory, &packages_json(graph, &reached, session))?;
    if list.is_empty() {
        return Ok(true);
    }
    print(graph, &reached, &list);
    if list.iter().any(|advisory| advisory.fatal) {
        crate::say!("Installation aborted due to fatal security advisories");
        return Ok(false);
    }
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        crate::say!("\nSecurity warnings found. Cannot prompt for confirmation (no TTY).\nInstallation cancelled.");
        return Ok(false);
    }
    {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        let _ = write!(out, "\nSecurity warnings found. Continue anyway? [y/N] ");
        let _ = out.flush();
    }
    let mut line = String::new();
    let _ = std::io::stdin().lock().read_line(&mut line);
    let yes = matches!(line.trim(), "y" | "Y" | "yes");
    crate::say!("{}", if yes { "\nContinuing with installation..." } else { "\nInstallation cancelled." });
    Ok(yes)
}

/// `pm scan`.
pub(crate) fn scan(options: &Options) -> Result<u8> {
    let Style { reset: r, bold: b, dim: d, .. } = Style::stderr();
    base::stderr_line!("{b}{} pm scan {r}{d}{}{r}", crate::ui::product(), crate::ui::version());
    let (root, _, config): (_, _, Config) = crate::commands::context(options)?;
    if !root.join("package.json").exists() {
        return Err(Error::new(Code::Usage, format!("No package.json was found for directory \"{}\"", root.display()))
            .hint("`bao init` makes one"));
    }
    let Some(scanner) = config.scanner else {
        return Err(Error::new(Code::Usage, "no security scanner configured").hint(
            "bunfig.toml: [install.security] scanner = \"package_name\"; scanners are packages that export a `scanner` object",
        ));
    };
    let (root, config, resolved) = crate::commands::audit::open(options, "scan")?;
    let mut session = Session::new(&config, &root);
    let reached = reach(&resolved.graph, &resolved.members, &[]);
    let (directory, _temporary) =
        place(&scanner, &root, &resolved.graph, &resolved.members, &resolved.extras, &mut session)?;
    let list = run(&scanner, &directory, &packages_json(&resolved.graph, &reached, &session))?;
    if list.is_empty() {
        crate::say!("No advisories found");
        return Ok(0);
    }
    print(&resolved.graph, &reached, &list);
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_checked() {
        let message = |text: &str| match advisories(text.as_bytes()) {
            Ok(list) => format!("{}", list.len()),
            Err(error) => error.message.clone(),
        };
        assert_eq!(message(r#"{"advisories":[{"level":"warn","package":"a","url":null}]}"#), "1");
        assert_eq!(message("{\"adv"), "the security scanner's answer is cut off or no JSON");
        for (item, wrong) in [
            ("1", "must be an object, got: number"),
            ("{}", "missing required 'package' field"),
            (r#"{"package":"a"}"#, "missing required 'level' field"),
            (r#"{"package":"a","level":"x"}"#, "'level' field must be 'fatal' or 'warn', got: 'x'"),
            (r#"{"package":"a","level":"warn","url":5}"#, "'url' field must be a string or null"),
        ] {
            assert_eq!(
                message(&format!("{{\"advisories\":[{item}]}}")),
                format!("Security advisory at index 0 {wrong}")
            );
        }
    }
}
