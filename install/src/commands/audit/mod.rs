//! `audit`: which packages of bun.lock have known vulnerabilities. Asks npm's bulk endpoint once per registry: names and versions
//! go there, advisories come back. Layout and words are Bun's; only versions that an advisory covers are listed.

mod fix;

use crate::commands::style::{Style, banner, count, safe};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::graph::Member;
use crate::model::graph::{Behavior, Graph, PackageId};
use crate::model::plan::{Kind, NO_ID};
use crate::net::Request;
use crate::registry::session::Session;
use json::{Node, Value};
use rustc_hash::FxHashMap;
use semver::{Range, Version};
use std::fmt::Write;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Low,
    Moderate,
    High,
    Critical,
}

const SEVERITIES: [(Severity, &str); 4] = [
    (Severity::Critical, "critical"),
    (Severity::High, "high"),
    (Severity::Moderate, "moderate"),
    (Severity::Low, "low"),
];

impl Severity {
    fn parse(text: &str) -> Option<Self> {
        SEVERITIES.iter().find(|(_, name)| *name == text).map(|(severity, _)| *severity)
    }

    fn name(self) -> &'static str {
        SEVERITIES.iter().find(|(severity, _)| *severity == self).map_or("", |(_, name)| name)
    }
}

/// One advisory of the registry for one package.
#[derive(Clone, Debug)]
pub(crate) struct Advisory {
    pub name: String,
    /// The registry's number.
    pub id: String,
    pub url: String,
    pub title: String,
    pub severity: Severity,
    /// Vulnerable versions; empty means all.
    pub range: String,
}

impl Advisory {
    /// `GHSA-…` where the URL has it, else the number.
    pub(crate) fn label(&self) -> &str {
        let last = self.url.rsplit('/').next().unwrap_or("");
        if last.starts_with("GHSA-") { last } else { &self.id }
    }

    pub(crate) fn covers(&self, version: &str) -> bool {
        let range = self.range.trim();
        Version::parse(version).is_some_and(|version| {
            if range.is_empty() || range == "*" {
                return true;
            }
            // Prereleases of vulnerable versions are vulnerable too.
            Range::parse(range).is_some_and(|range| {
                range.contains(&version)
                    || (!version.pre.is_empty() && range.contains(&Version { pre: "", build: "", ..version }))
            })
        })
    }
}

/// A registry that did not answer.
#[derive(Clone, Debug)]
pub(crate) struct Skipped {
    pub registry: String,
    pub packages: Vec<String>,
    pub reason: String,
}

/// What the registries said.
#[derive(Default)]
pub(crate) struct Answer {
    pub advisories: Vec<Advisory>,
    /// Their JSON, joined into one object.
    pub raw: String,
    pub skipped: Vec<Skipped>,
    /// Names that were asked for and answered.
    pub checked: usize,
}

/// Which advisories count.
pub(crate) struct Filter {
    pub level: Option<Severity>,
    pub ignored: Vec<String>,
}

impl Filter {
    pub(crate) fn new(options: &Options) -> Result<Self> {
        let level = match options.value("audit-level") {
            None => None,
            Some(text) => Some(Severity::parse(text).ok_or_else(|| {
                Error::new(
                    Code::Usage,
                    format!("invalid `--audit-level` value: '{text}'. valid values: low, moderate, high, critical"),
                )
            })?),
        };
        let ignored =
            options.values("ignore").flat_map(|text| text.split(',')).map(|id| id.trim().to_owned()).collect();
        Ok(Self { level, ignored })
    }

    fn ignores(&self, advisory: &Advisory) -> bool {
        self.ignored.iter().any(|id| *id == advisory.id || id.eq_ignore_ascii_case(advisory.label()))
    }

    /// Splits into what counts, how many are below the level, and how many are ignored.
    pub(crate) fn apply(&self, advisories: Vec<Advisory>) -> (Vec<Advisory>, usize, usize) {
        let (mut below, mut ignored) = (0, 0);
        let kept = advisories
            .into_iter()
            .filter(|advisory| {
                if self.ignores(advisory) {
                    ignored += 1;
                    return false;
                }
                let low = self.level.is_some_and(|level| advisory.severity < level);
                below += usize::from(low);
                !low
            })
            .collect();
        (kept, below, ignored)
    }
}

/// Registry packages that are reachable without the omitted groups, in the lockfile's order.
pub(crate) fn installed(graph: &Graph, config: &Config) -> Vec<PackageId> {
    let mut seen = vec![false; graph.len()];
    let mut stack: Vec<PackageId> = vec![0];
    while let Some(package) = stack.pop() {
        if std::mem::replace(&mut seen[package as usize], true) {
            continue;
        }
        for dep in graph.packages.deps[package as usize].ids() {
            let behavior = graph.deps.behavior[dep as usize];
            let omitted = (config.omit_dev && behavior.has(Behavior::DEV))
                || (config.omit_optional && behavior.is_optional())
                || (config.omit_peer && behavior.has(Behavior::PEER));
            let target = graph.deps.target[dep as usize];
            if target != NO_ID && !omitted {
                stack.push(target);
            }
        }
    }
    (0..graph.len() as u32).filter(|&id| seen[id as usize] && graph.kind(id) == Kind::Npm).collect()
}

/// Names with their versions, by registry.
type Question<'a> = Vec<(&'a str, Vec<(&'a str, Vec<&'a str>)>)>;

fn question<'a>(graph: &'a Graph, packages: &[PackageId], config: &'a Config) -> Question<'a> {
    let mut registries: Question<'a> = Vec::new();
    let mut known: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for &id in packages {
        let (name, version) = (graph.name(id), graph.value(id));
        if let Some(&(registry, at)) = known.get(name) {
            registries[registry].1[at].1.push(version);
            continue;
        }
        let url = config.registry_for(name).url.as_str();
        let registry = registries.iter().position(|(known, _)| *known == url).unwrap_or_else(|| {
            registries.push((url, Vec::new()));
            registries.len() - 1
        });
        known.insert(name, (registry, registries[registry].1.len()));
        registries[registry].1.push((name, vec![version]));
    }
    registries.sort_by_key(|(url, _)| *url != config.registry.url);
    registries
}

/// Asks about packages of the graph. The default registry has to answer; others are skipped with a warning where they do not.
pub(crate) fn ask(session: &Session<'_>, graph: &Graph, packages: &[PackageId]) -> Result<Answer> {
    ask_registries(session, &question(graph, packages, session.config))
}

/// Asks about versions that are not in the graph.
pub(crate) fn ask_versions(session: &Session<'_>, versions: &[(String, String)]) -> Result<Answer> {
    let mut registries: Question<'_> = Vec::new();
    for (name, version) in versions {
        let url = session.config.registry_for(name).url.as_str();
        match registries.iter_mut().find(|(known, _)| *known == url) {
            Some((_, names)) => names.push((name, vec![version])),
            None => registries.push((url, vec![(name, vec![version])])),
        }
    }
    ask_registries(session, &registries)
}

fn ask_registries(session: &Session<'_>, registries: &Question<'_>) -> Result<Answer> {
    let mut answer = Answer::default();
    let mut members = String::new();
    let mut whole = String::new();
    for (url, names) in registries {
        let shown = url.trim_end_matches('/');
        let failure = match send(session, url, names) {
            Ok(body) => match read(&body, shown, &mut answer.advisories) {
                Ok(text) => {
                    answer.checked += names.len();
                    if !text.is_empty() {
                        if !members.is_empty() {
                            members.push(',');
                        }
                        members.push_str(text);
                    }
                    if registries.len() == 1 {
                        whole = String::from_utf8_lossy(&body).trim().to_owned();
                    }
                    continue;
                }
                Err((reason, error)) => (reason.to_owned(), error),
            },
            Err((reason, error)) => (reason, error),
        };
        if session.config.registry.url == *url {
            return Err(failure.1);
        }
        let packages: Vec<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
        crate::warn_line!(
            "<r><yellow>warn<r>: {shown} did not answer the audit request ({}); skipped {}",
            failure.0,
            packages.join(", ")
        );
        answer.skipped.push(Skipped { registry: shown.to_owned(), packages, reason: failure.0 });
    }
    answer.raw = if whole.is_empty() { format!("{{{members}}}") } else { whole };
    Ok(answer)
}

/// Sends the question to one registry. The error comes with a word for it.
fn send(session: &Session<'_>, registry: &str, names: &[(&str, Vec<&str>)]) -> Result<Vec<u8>, (String, Error)> {
    let mut body = String::from("{");
    for (place, (name, versions)) in names.iter().enumerate() {
        if place > 0 {
            body.push(',');
        }
        json::quote(name, &mut body);
        body.push_str(":[");
        for (place, version) in versions.iter().enumerate() {
            if place > 0 {
                body.push(',');
            }
            json::quote(version, &mut body);
        }
        body.push(']');
    }
    body.push('}');
    let mut request = Request::document(format!("{registry}-/npm/v1/security/advisories/bulk"));
    let url = request.url.clone();
    if session.config.offline {
        let error = Error::new(Code::Network, "an audit needs the registry, and --offline was given").url(url);
        return Err(("offline".to_owned(), error));
    }
    request.method = "POST";
    request.package = "audit".to_owned();
    let known = std::iter::once(&session.config.registry).chain(session.config.scopes.iter().map(|(_, known)| known));
    request.authorization =
        known.into_iter().find(|known| known.url == registry).and_then(|known| known.authorization.clone());
    for (name, value) in [
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
        ("accept-encoding", "gzip"),
        ("user-agent", &session.config.net.user_agent),
    ] {
        request.headers.push((name, value.to_owned()));
    }
    request.body = gzip(body.as_bytes());
    match session.send(request) {
        Ok(response) if response.status == 200 => Ok(response.body),
        Ok(response) => {
            let error = Error::new(Code::Status, format!("POST {url} - {}", response.status));
            let error = match response.status {
                401 | 403 => error.hint("the registry wants credentials: set //host/:_authToken in .npmrc"),
                404 | 405 => error.hint("this registry has no audit; --registry names another one"),
                _ => error,
            };
            Err((response.status.to_string(), error))
        }
        Err(error) => Err((error.cause.clone().unwrap_or_else(|| error.message.clone()), error)),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let length = compressor.gzip_compress(bytes, &mut out).unwrap_or(0);
    out.truncate(length);
    out
}

/// Reads an answer; the text between its braces.
fn read<'b>(body: &'b [u8], registry: &str, out: &mut Vec<Advisory>) -> Result<&'b str, (&'static str, Error)> {
    if body.trim_ascii().is_empty() {
        return Err(("empty response", Error::new(Code::Parse, format!("empty audit response from {registry}"))));
    }
    let page = || {
        let error = Error::new(Code::Parse, format!("{registry} returned a non-JSON audit response"));
        ("non-JSON response", error.hint("a proxy or a login page may have answered: check the registry's URL"))
    };
    let text = std::str::from_utf8(body).map_err(|_| page())?;
    let value = Value::parse(body).map_err(|_| page())?;
    let wrong = || {
        let message = format!("invalid audit response from {registry}: not a list of advisories");
        ("invalid response", Error::new(Code::Parse, message))
    };
    if !value.is_object() {
        return Err(wrong());
    }
    let mut list = Vec::new();
    for member in value.members() {
        let Node::Array(items) = &member.value.node else { return Err(wrong()) };
        for item in items {
            let id = match item.get("id").map(|id| &id.node) {
                Some(Node::Number(number)) => (*number).to_owned(),
                Some(Node::String(text)) => text.to_string(),
                _ => return Err(wrong()),
            };
            let (title, url, range) = (item.text("title"), item.text("url"), item.text("vulnerable_versions"));
            if title.is_empty() && url.is_empty() && item.get("severity").is_none() && range.is_empty() {
                return Err(wrong());
            }
            list.push(Advisory {
                name: member.key.to_string(),
                id,
                url: url.to_owned(),
                title: if title.is_empty() { "Vulnerability found".to_owned() } else { title.to_owned() },
                severity: Severity::parse(item.text("severity")).unwrap_or(Severity::Moderate),
                range: range.to_owned(),
            });
        }
    }
    out.append(&mut list);
    Ok(text[value.start + 1..value.end - 1].trim())
}

/// The project, its lockfile and the answer.
pub(crate) fn open(
    options: &Options,
    what: &str,
) -> Result<(std::path::PathBuf, Config, crate::commands::install::prepare::Resolved)> {
    let (root, _own, config) = crate::commands::context(options)?;
    let project = crate::project::Project::load(&root)?;
    let Some(loaded) = crate::commands::install::prepare::load_lockfile(&root, &config)? else {
        return Err(
            Error::new(Code::Usage, format!("missing lockfile, nothing to {what}")).hint("run `bao install` first")
        );
    };
    let resolved = crate::commands::install::prepare::prepare(&project, Some(loaded))?;
    Ok((root, config, resolved))
}

/// `audit` and `audit fix`.
pub(crate) fn audit(options: &Options) -> Result<u8> {
    match options.positionals.first().map(String::as_str) {
        None => {}
        Some("fix") if options.positionals.len() == 1 => return fix::fix(options),
        Some("fix") => {
            return Err(Error::new(
                Code::Usage,
                crate::ui::named("bao audit fix does not take arguments, it always fixes the whole lockfile"),
            )
            .hint("run `bao audit --help` for more information"));
        }
        Some(other) => {
            return Err(Error::new(Code::Usage, format!("unknown subcommand \"{other}\" for bao audit"))
                .hint("did you mean `bao audit fix`?"));
        }
    }
    let start = Instant::now();
    let filter = Filter::new(options)?;
    if !options.json {
        banner("audit");
    }
    let (root, config, resolved) = open(options, "audit")?;
    let graph = &resolved.graph;
    let packages = installed(graph, &config);
    let session = Session::new(&config, &root);
    let answer = ask(&session, graph, &packages)?;
    if options.json {
        crate::say!("{}", answer.raw);
    }
    let (advisories, below, ignored) = filter.apply(answer.advisories);
    if options.json {
        return Ok(u8::from(!advisories.is_empty()));
    }
    if advisories.is_empty() {
        clean(answer.checked, &answer.skipped, &filter, below, ignored, start);
        return Ok(0);
    }
    print_report(graph, &resolved.members, &packages, &advisories);
    Ok(1)
}

/// The line for a project without findings.
pub(crate) fn clean(
    checked: usize,
    skipped: &[Skipped],
    filter: &Filter,
    below: usize,
    ignored: usize,
    start: Instant,
) {
    let mut notes = format!("checked {}", count(checked, "package"));
    if below > 0 {
        let _ = write!(notes, ", {below} below --audit-level={}", filter.level.map_or("", Severity::name));
    }
    if ignored > 0 {
        let _ = write!(notes, ", {ignored} ignored");
    }
    let skipped: usize = skipped.iter().map(|one| one.packages.len()).sum();
    if skipped > 0 {
        let _ = write!(notes, ", {skipped} skipped");
    }
    let Style { reset: r, dim: d, bold: b, green, .. } = Style::stdout();
    crate::say!("{green}No vulnerabilities found{r} {d}({notes}){r} {d}[{r}{b}{}{r}{d}]{r}", crate::ui::elapsed(start));
}

fn print_report(graph: &Graph, members: &[Member], packages: &[PackageId], advisories: &[Advisory]) {
    let style = Style::stdout();
    let Style { reset: r, bold: b, dim: d, red, yellow, cyan, .. } = style;
    let colour = |severity: Severity| match severity {
        Severity::Critical | Severity::High => red,
        Severity::Moderate => yellow,
        Severity::Low => cyan,
    };
    let mut names: Vec<&str> = advisories.iter().map(|advisory| advisory.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let paths = Paths::new(graph, members, packages);
    let mut out = String::new();
    for name in names {
        let own: Vec<&Advisory> = advisories.iter().filter(|advisory| advisory.name == name).collect();
        let all: Vec<PackageId> = packages.iter().copied().filter(|&id| graph.name(id) == name).collect();
        let covered: Vec<PackageId> =
            all.iter().copied().filter(|&id| own.iter().any(|one| one.covers(graph.value(id)))).collect();
        // The registry says that one of them is affected, even where its range cannot be read.
        let affected = if covered.is_empty() { all } else { covered };
        let _ = write!(out, "{red}{}{r}", safe(name));
        if !affected.is_empty() {
            let versions: Vec<&str> = affected.iter().map(|&id| graph.value(id)).collect();
            let _ = write!(out, "@{}", versions.join(", "));
        }
        out.push('\n');
        for path in paths.to(&affected) {
            match path.split_last() {
                Some((last, [])) if last.is_empty() => {
                    let _ = writeln!(out, "  {d}(direct dependency){r}");
                }
                Some((last, above)) => {
                    let arrow = if style.on { " › " } else { " > " };
                    let tail = arrow.trim_end();
                    let _ = writeln!(out, "  {d}{}{tail}{r} {red}{last}{r}", above.join(arrow));
                }
                None => {}
            }
        }
        for advisory in own {
            let severity = advisory.severity.name();
            let _ = write!(out, "  {}{severity}{d}:{r} {}", colour(advisory.severity), safe(&advisory.title));
            if !advisory.range.is_empty() {
                let _ = write!(out, " {d}({}){r}", safe(&advisory.range));
            }
            let _ = writeln!(out, " - {d}{}{r}", safe(&advisory.url));
        }
        out.push('\n');
    }
    let total = advisories.len();
    let parts: Vec<String> = SEVERITIES
        .iter()
        .filter_map(|(severity, name)| {
            let number = advisories.iter().filter(|advisory| advisory.severity == *severity).count();
            let bold = if *severity == Severity::Critical { b } else { "" };
            (number > 0).then(|| format!("{}{bold}{number} {name}{r}", colour(*severity)))
        })
        .collect();
    let _ = writeln!(out, "{b}{}{r} ({})", count(total, "vulnerability"), parts.join(", "));
    let _ = write!(
        out,
        "\n  {cyan}{bao} audit fix{r}           {d}upgrade the vulnerable packages within their ranges{r}\n  {cyan}{bao} audit fix --latest{r}  {d}also cross major versions{r}",
        bao = crate::ui::product()
    );
    crate::say!("{out}");
}

/// Ways from the project to a package.
struct Paths<'a> {
    graph: &'a Graph,
    members: &'a [Member],
    /// Registry packages that depend on a package.
    dependents: Vec<Vec<PackageId>>,
}

impl<'a> Paths<'a> {
    fn new(graph: &'a Graph, members: &'a [Member], packages: &[PackageId]) -> Self {
        let mut dependents = vec![Vec::new(); graph.len()];
        for &package in packages {
            for dep in graph.packages.deps[package as usize].ids() {
                let target = graph.deps.target[dep as usize];
                if target != NO_ID && dependents[target as usize].last() != Some(&package) {
                    dependents[target as usize].push(package);
                }
            }
        }
        Self { graph, members, dependents }
    }

    /// Names on each way; one empty name for the project's own dependency. Breadth first from the package; each package above it is
    /// passed once.
    fn to(&self, targets: &[PackageId]) -> Vec<Vec<String>> {
        let mut out: Vec<Vec<String>> = Vec::new();
        let mut parent: Vec<PackageId> = vec![NO_ID; self.graph.len()];
        let mut seen = vec![false; self.graph.len()];
        targets.iter().for_each(|&id| seen[id as usize] = true);
        let mut queue: std::collections::VecDeque<Vec<PackageId>> = [targets.to_vec()].into();
        while let Some(group) = queue.pop_front() {
            let Some(&first) = group.first() else { continue };
            if !targets.contains(&first) && std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            for member in self.members {
                let direct = self.graph.packages.deps[member.package as usize].ids().any(|dep| {
                    let target = self.graph.deps.target[dep as usize];
                    group.contains(&target) && !self.graph.deps.behavior[dep as usize].has(Behavior::WORKSPACE)
                });
                if !direct {
                    continue;
                }
                let mut path = Vec::new();
                if member.package != 0 {
                    path.push(format!("workspace:{}", self.graph.name(member.package)));
                }
                let mut at = first;
                while at != NO_ID {
                    path.push(self.graph.name(at).to_owned());
                    at = parent[at as usize];
                }
                if path.len() == 1 {
                    path[0].clear();
                }
                if !out.contains(&path) {
                    out.push(path);
                }
            }
            let mut above: Vec<(PackageId, PackageId)> = group
                .iter()
                .flat_map(|&id| self.dependents[id as usize].iter().map(move |&dependent| (dependent, id)))
                .filter(|(dependent, _)| !seen[*dependent as usize])
                .collect();
            above.sort_unstable();
            above.dedup_by_key(|(dependent, _)| *dependent);
            for (dependent, id) in above {
                parent[dependent as usize] = id;
                queue.push_back(vec![dependent]);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let mut list = Vec::new();
        let body = br#"{"a":[{"id":12,"url":"https://x/GHSA-1","title":"T","severity":"info","vulnerable_versions":"<2.0.0"}]}"#;
        assert!(read(body, "r", &mut list).unwrap().starts_with("\"a\":["));
        assert_eq!((list[0].label(), list[0].severity), ("GHSA-1", Severity::Moderate));
        assert!(list[0].covers("1.9.9") && list[0].covers("1.0.0-beta") && !list[0].covers("2.0.0"));
        for (bad, reason) in [
            ("", "empty response"),
            ("<html>", "non-JSON response"),
            ("[]", "invalid response"),
            ("{\"a\":1}", "invalid response"),
            ("{\"a\":[{\"id\":1}]}", "invalid response"),
        ] {
            assert_eq!(read(bad.as_bytes(), "r", &mut list).unwrap_err().0, reason);
        }
        assert_eq!(list.len(), 1);
    }
}
