//! CPU profiles for people: `--cpu-prof` of Node and Bun, and what the inspector's `Profiler` domain answers.
//!
//! The engine gives functions as it names them ([`engine::CpuProfile`]); here they get the URLs and the positions of the files as they
//! were written. [`json`] writes `.cpuprofile` files, [`markdown`] Bun's `--cpu-prof-md`.

mod json;
mod markdown;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use engine::{CpuProfile, JsResult, OpError, ProfiledFunction, Scope};
use run_options::{NodeOption, RunOptions};

use crate::errors::{display_name, is_internal};
use crate::source::file_url;
use crate::state::RuntimeState;

/// Microseconds between samples, as Node and Bun have it.
pub const DEFAULT_INTERVAL: u64 = 1000;

/// The option that asks for a profile, and the one for a table of it.
const OPTION: &str = "--cpu-prof";
const TABLE_OPTION: &str = "--cpu-prof-md";

/// A function as the protocol has it (`Runtime.CallFrame`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CallFrame {
    name: String,
    /// 0 for native functions.
    script: u32,
    /// Empty for native functions.
    url: String,
    /// From 0; -1 if there is none.
    line: i64,
    column: i64,
    /// The engine's name of the file, by which positions in it are mapped.
    file: String,
}

/// What the options ask for.
struct Request {
    profile: u32,
    directory: PathBuf,
    name: Option<String>,
    json: bool,
    table: bool,
    interval: u64,
}

/// The profile of this thread that the options asked for.
#[derive(Default)]
struct Requested(Option<Request>);

/// Name and place of `NAME (PLACE)`. Both may have " (" in them; the places of files begin with "/" or "file:".
fn split_label(label: &str) -> Option<(&str, &str)> {
    let rest = label.strip_suffix(')')?;
    let at = rest.rfind(" (/").max(rest.rfind(" (file:")).or_else(|| rest.find(" ("))?;
    Some((&rest[..at], &rest[at + 2..]))
}

/// What the engine's description of a function says: its name, its file, and where it begins, from 1.
fn parse_label(label: &str) -> (&str, &str, Option<(u32, u32)>) {
    let (name, place) = split_label(label).unwrap_or(("", label));
    let position = || {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some((file, (line.parse().ok()?, column.parse().ok()?)))
    };
    match position() {
        Some((file, position)) => (name, file, Some(position)),
        None => (name, place, None),
    }
}

/// A position in a file as it was written, from 1.
fn written_position(state: &RuntimeState, file: &str, (line, column): (u32, u32)) -> (u32, u32) {
    let map = state.modules.borrow_mut().map_for(file);
    let found = map.as_ref().and_then(|map| map.lookup(line.saturating_sub(1), column.saturating_sub(1)));
    found.map_or((line, column), |found| (found.line + 1, found.column + 1))
}

/// The URL of the engine's name of a file. bao's own modules have those of Node's kind.
fn url_of(file: &str) -> String {
    if let Some(text) = file.rsplit('/').next().filter(|name| name.starts_with('[') && name.ends_with(']')) {
        return text.to_string();
    }
    if file.starts_with('/') {
        return file_url(file).to_string();
    }
    if is_internal(file) && !file.starts_with("node:") { format!("node:{file}") } else { file.to_string() }
}

fn frame_of(state: &RuntimeState, function: &ProfiledFunction) -> CallFrame {
    let special = |name: &str| CallFrame { name: name.into(), line: -1, column: -1, ..CallFrame::default() };
    match function {
        ProfiledFunction::Root => special("(root)"),
        ProfiledFunction::Program => special("(program)"),
        ProfiledFunction::Collector => special("(garbage collector)"),
        ProfiledFunction::Idle => special("(idle)"),
        ProfiledFunction::Script { label, source: 0 } => special(split_label(label).map_or(&**label, |found| found.0)),
        ProfiledFunction::Script { label, source } => {
            let (name, file, position) = parse_label(label);
            let name = display_name(name);
            if file == "self-hosted" {
                return special(&name);
            }
            // The function around a CommonJS module begins on line 0.
            let (name, line, column) = match position {
                Some((0, _)) | None => (String::new(), 0, 0),
                Some(position) => {
                    let (line, column) = written_position(state, file, position);
                    (name, i64::from(line) - 1, i64::from(column) - 1)
                }
            };
            CallFrame { name, script: *source, url: url_of(file), line, column, file: file.into() }
        }
    }
}

/// A profile whose functions are those that a program knows.
struct Readable<'p> {
    profile: &'p CpuProfile,
    frames: Vec<CallFrame>,
    /// Of each sample, the line in the file as it was written; 0 if that is not known.
    lines: Vec<u32>,
}

impl<'p> Readable<'p> {
    fn new(state: &RuntimeState, profile: &'p CpuProfile) -> Self {
        let frames: Vec<_> = profile.functions.iter().map(|function| frame_of(state, function)).collect();
        let line_of = |sample: &engine::ProfileSample| {
            let frame = &frames[profile.nodes[sample.node as usize].function as usize];
            if sample.line == 0 || frame.file.is_empty() {
                return 0;
            }
            written_position(state, &frame.file, (sample.line, sample.column)).0
        };
        let lines = profile.samples.iter().map(line_of).collect();
        Readable { profile, frames, lines }
    }

    fn frame(&self, node: u32) -> &CallFrame {
        &self.frames[self.profile.nodes[node as usize].function as usize]
    }

    /// Of each sample, the microseconds since the one before, or since the start.
    fn deltas(&self) -> impl Iterator<Item = u64> {
        let mut last = self.profile.start;
        self.profile.samples.iter().map(move |sample| {
            let delta = sample.time.saturating_sub(last);
            last = last.max(sample.time);
            delta
        })
    }
}

/// Starts a profile of this thread with a sample every `interval` microseconds; gives its number for [`stop`].
///
/// # Errors
/// The system's, if it has no thread for the samples.
pub fn start(scope: &mut Scope<'_>, interval: u64) -> Result<u32, OpError> {
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    let is_idle = Box::new(move || inbox.is_asleep());
    scope.start_profile(interval, is_idle).map_err(|error| OpError::io(error, "clone"))
}

/// Ends a profile; its JSON, or `None` if there is none of that number.
pub fn stop(scope: &mut Scope<'_>, number: u32) -> Option<String> {
    let profile = scope.stop_profile(number)?;
    let state = RuntimeState::of(scope);
    Some(json::write(&Readable::new(&state, &profile)))
}

fn text<'o>(options: &'o RunOptions, name: &str) -> Option<&'o str> {
    match options.node_option(name)? {
        NodeOption::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Starts the profile that the options of this thread ask for.
///
/// # Errors
/// A JavaScript exception, if it cannot be started.
pub fn start_by_options(scope: &mut Scope<'_>) -> JsResult<()> {
    let state = RuntimeState::of(scope);
    let options = &state.options;
    let is_on = |name| options.node_option(name).is_some();
    let (json, table) = (is_on(OPTION), is_on(TABLE_OPTION));
    if !json && !table {
        return Ok(());
    }
    let interval = text(options, "--cpu-prof-interval")
        .and_then(|text| text.parse().ok())
        .filter(|&interval| interval > 0)
        .unwrap_or(DEFAULT_INTERVAL);
    let directory = Path::new(text(options, "--cpu-prof-dir").unwrap_or("."));
    // The program may change the working directory.
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.into());
    let name = text(options, "--cpu-prof-name").map(str::to_owned);
    let profile = start(scope, interval).map_err(|error| scope.throw_op_error(&error))?;
    scope.state().get_or_default::<Requested>().0 = Some(Request { profile, directory, name, json, table, interval });
    Ok(())
}

/// Writes the profile that the options asked for, at the end of the thread.
pub fn write_last(scope: &mut Scope<'_>) {
    let Some(request) = scope.state().get::<Requested>().and_then(|requested| requested.0.take()) else { return };
    let Some(profile) = scope.stop_profile(request.profile) else { return };
    let state = RuntimeState::of(scope);
    let readable = Readable::new(&state, &profile);
    let stem = |number: usize| file_stem("CPU", &state, number);
    if request.json {
        let name = match &request.name {
            Some(name) if request.table && !name.ends_with(".cpuprofile") => format!("{name}.cpuprofile"),
            Some(name) => name.clone(),
            None => format!("{}.cpuprofile", stem(1)),
        };
        write_file(&request.directory, &name, &json::write(&readable));
    }
    if request.table {
        let name = match &request.name {
            Some(name) if request.json && !name.ends_with(".md") => format!("{name}.md"),
            Some(name) => name.clone(),
            None => format!("{}.md", stem(1 + usize::from(request.json))),
        };
        write_file(&request.directory, &name, &markdown::write(&readable, request.interval));
    }
}

/// The name of a profile's file as Node makes it, without its end: `kind`, the time, the process, the thread, a number from 1.
pub fn file_stem(kind: &str, state: &RuntimeState, number: usize) -> String {
    format!("{kind}.{}.{}.{}.{number:03}", local_time(), std::process::id(), state.thread)
}

/// Writes a profile; `${pid}` in the name stands for the number of the process. A failure is told on standard error.
pub fn write_file(directory: &Path, name: &str, text: &str) {
    let file = directory.join(name.replace("${pid}", &std::process::id().to_string()));
    if let Err(error) = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&file, text)) {
        base::stderr_line!("error: cannot write the profile to {}: {error}", file.display());
    }
}

/// `YYYYMMDD.HHMMSS` of the time zone of the process, as Node writes it.
fn local_time() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()) as libc::time_t;
    // SAFETY: reads and writes the two.
    let time = unsafe {
        let mut time: libc::tm = std::mem::zeroed();
        libc::localtime_r(&now, &mut time);
        time
    };
    format!(
        "{:04}{:02}{:02}.{:02}{:02}{:02}",
        time.tm_year + 1900,
        time.tm_mon + 1,
        time.tm_mday,
        time.tm_hour,
        time.tm_min,
        time.tm_sec
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_three_parts() {
        assert_eq!(parse_label("f (/a/b.js:3:12)"), ("f", "/a/b.js", Some((3, 12))));
        assert_eq!(parse_label("/a/b.js:3:12"), ("", "/a/b.js", Some((3, 12))));
        assert_eq!(parse_label("/a/b.mjs"), ("", "/a/b.mjs", None));
        assert_eq!(parse_label("f (/a (copy)/b.js:3:12)"), ("f", "/a (copy)/b.js", Some((3, 12))));
        assert_eq!(parse_label("adds (all) of it (/a.js:1:2)"), ("adds (all) of it", "/a.js", Some((1, 2))));
        assert_eq!(parse_label("node:fs:3:12"), ("", "node:fs", Some((3, 12))));
    }

    #[test]
    fn files_have_urls() {
        assert_eq!(url_of("/a/b c.js"), "file:///a/b%20c.js");
        assert_eq!(url_of("/cwd/[eval]"), "[eval]");
        assert_eq!(url_of("internal/x"), "node:internal/x");
        assert_eq!(url_of("node:fs"), "node:fs");
        assert_eq!(url_of("evalmachine.<anonymous>"), "evalmachine.<anonymous>");
    }
}
