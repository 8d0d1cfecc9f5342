//! Block coverage as V8 has it, for `NODE_V8_COVERAGE` and the inspector's `Profiler` domain: which texts are counted, their
//! counters, and what is told of them.
//!
//! Counters are put into the text ([`transpile::coverage::v8`]): only code that is loaded while it is counted is any slower, and
//! only that is reported.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use engine::{Counters, Global, JsResult, Scope};
use resolve::FileClass;
use transpile::ModuleHint;
use transpile::coverage::v8::{self, Instrumented};

use crate::source::{file_url, loader_of};
use crate::state::RuntimeState;
use crate::{builtins, modules};

pub use transpile::coverage::v8::{Mode, Unit};

/// The variable that names the directory for reports.
const DIRECTORY: &str = "NODE_V8_COVERAGE";

/// What every name of counters begins with.
const NAME: &str = "__bao_c";

/// A text that is counted.
struct Script {
    url: String,
    /// The name of the counters in the code.
    name: String,
    counters: Counters,
    instrumented: Arc<Instrumented>,
    /// For each function, whether it ran before the counters were reset.
    ran: Vec<bool>,
    /// The URL of the text's source map, and the lengths of its lines.
    mapped: Option<(String, Vec<u32>)>,
}

/// What a thread has counted. The main thread reads it at the end of the process, if the thread still runs then.
#[derive(Default)]
struct Record {
    /// Number of the thread.
    thread: u32,
    /// Set while texts are counted.
    mode: Option<Mode>,
    /// Where reports of `NODE_V8_COVERAGE` go, if it is set.
    directory: Option<PathBuf>,
    scripts: Vec<Script>,
}

/// Those of threads that write reports.
static RECORDS: Mutex<Vec<Weak<Mutex<Record>>>> = Mutex::new(Vec::new());

/// The coverage of a thread.
#[derive(Default)]
pub struct Coverage {
    is_on: Cell<bool>,
    record: Arc<Mutex<Record>>,
    /// The counters' arrays, in the order of the scripts.
    arrays: RefCell<Vec<Global>>,
    /// Scripts by URL, hash of the text, and what the text is.
    by_text: RefCell<HashMap<(String, u64, Unit), usize>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the variable's directory absolute, for this process and its children. To be called before there are other threads.
pub fn settle_directory() {
    let Some(given) = std::env::var_os(DIRECTORY).filter(|value| !value.is_empty()) else { return };
    if let Ok(path) = std::path::absolute(Path::new(&given)) {
        let path: PathBuf = path.components().collect();
        // SAFETY: no other thread reads the environment yet.
        unsafe { std::env::set_var(DIRECTORY, path) };
    }
}

/// A text with its counters, see [`count`].
pub type Counted = Arc<Instrumented>;

impl Coverage {
    /// That of this thread.
    pub fn of(scope: &mut Scope<'_>) -> Rc<Coverage> {
        scope.state().get_or_default::<Rc<Coverage>>().clone()
    }

    /// Counts if the environment says so: at the start of a thread.
    pub fn start_by_environment(scope: &mut Scope<'_>) {
        let Some(directory) = std::env::var_os(DIRECTORY).filter(|value| !value.is_empty()) else { return };
        let thread = RuntimeState::of(scope).thread;
        Coverage::of(scope).start_into(Path::new(&directory), thread);
    }

    /// Counts from now on as `NODE_V8_COVERAGE` does. `thread`: the number of this thread.
    pub fn start_into(&self, directory: &Path, thread: u32) {
        self.start(Mode { detailed: true, counts: true });
        let mut record = locked(&self.record);
        (record.directory, record.thread) = (Some(directory.into()), thread);
        let mut records = locked(&RECORDS);
        records.retain(|record| record.strong_count() > 0);
        records.push(Arc::downgrade(&self.record));
    }

    /// Whether texts are counted that are loaded now.
    pub fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// Counts from now on, from 0.
    pub fn start(&self, mode: Mode) {
        self.is_on.set(true);
        let mut record = locked(&self.record);
        record.mode = Some(mode);
        for script in &mut record.scripts {
            script.counters.reset();
            script.ran.fill(false);
        }
    }

    /// Counts no texts that are loaded from now on.
    pub fn stop(&self) {
        self.is_on.set(false);
        let mut record = locked(&self.record);
        (record.mode, record.directory) = (None, None);
    }

    /// Whether `NODE_V8_COVERAGE` counts.
    pub fn writes(&self) -> bool {
        locked(&self.record).directory.is_some()
    }

    /// What ran, as the answer of `Profiler.takePreciseCoverage`, and resets the counts; `None` if nothing is counted.
    pub fn take(&self) -> Option<String> {
        locked(&self.record).take()
    }

    /// Which functions ran so far, as the answer of `Profiler.getBestEffortCoverage`.
    pub fn best_effort(&self) -> String {
        let mut out = String::from("{\"result\":");
        locked(&self.record).result(&mut out, Mode { detailed: false, counts: false }, false);
        out.push('}');
        out
    }
}

impl Record {
    fn take(&mut self) -> Option<String> {
        let mode = self.mode?;
        let mut out = String::from("{\"result\":");
        self.result(&mut out, mode, true);
        let _ = write!(out, ",\"timestamp\":{}}}", uptime());
        Some(out)
    }

    fn result(&mut self, out: &mut String, mode: Mode, resets: bool) {
        out.push('[');
        for (index, script) in self.scripts.iter_mut().enumerate() {
            let count = |counter| script.counters.get(counter);
            let blocks = &script.instrumented.blocks;
            let functions = if resets {
                blocks.report(mode, count, &mut script.ran)
            } else {
                blocks.report(mode, count, &mut vec![false; blocks.functions()])
            };
            if functions.is_empty() {
                continue;
            }
            if !out.ends_with('[') {
                out.push(',');
            }
            let _ = write!(out, "{{\"scriptId\":\"{}\",\"url\":", index + 1);
            json::quote(&script.url, out);
            out.push_str(",\"functions\":[");
            for (index, function) in functions.iter().enumerate() {
                out.push_str(if index > 0 { ",{\"functionName\":" } else { "{\"functionName\":" });
                json::quote(&function.name, out);
                out.push_str(",\"ranges\":[");
                for (index, range) in function.ranges.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    let (start, end, count) = (range.start, range.end, range.count);
                    let _ = write!(out, "{comma}{{\"startOffset\":{start},\"endOffset\":{end},\"count\":{count}}}");
                }
                let _ = write!(out, "],\"isBlockCoverage\":{}}}", function.is_block_coverage);
            }
            out.push_str("]}");
            if resets {
                script.counters.reset();
            }
        }
        out.push(']');
    }
}

/// Seconds since some start, which both ends of a difference have in common.
fn uptime() -> f64 {
    engine::monotonic_micros() as f64 / 1e6
}

/// `text` with counters that are there when it runs in the main realm; `None` if nothing is counted, or the text cannot be parsed.
///
/// `name` is the path or URL that its stack frames have.
///
/// # Errors
/// A JavaScript exception, if memory is out.
pub fn count(
    scope: &mut Scope<'_>,
    name: &str,
    text: &str,
    class: FileClass,
    hint: ModuleHint,
    unit: Unit,
) -> JsResult<Option<Counted>> {
    let coverage = Coverage::of(scope);
    if !coverage.is_on() || text.contains(NAME) {
        return Ok(None);
    }
    let url = if name.starts_with('/') { file_url(name).to_string() } else { name.to_string() };
    let text_hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
    let key = (url.clone(), text_hash, unit);
    let known = coverage.by_text.borrow().get(&key).copied();
    if let Some(index) = known {
        return Ok(Some(locked(&coverage.record).scripts[index].instrumented.clone()));
    }
    let number = coverage.arrays.borrow().len();
    let array_name = format!("{NAME}{number}");
    let has_bare_fields = !class.is_typescript() || {
        let state = RuntimeState::of(scope);
        let options = state.modules.borrow_mut().transpile_options(name, class);
        options.use_define_for_class_fields
    };
    let instrumented = v8::instrument(text, name, loader_of(class), hint, unit, has_bare_fields, &array_name);
    let Some(instrumented) = instrumented else { return Ok(None) };
    if number == 0 {
        scope.in_main_realm(|scope| {
            scope.nested(|scope| builtins::call(scope, "internal/v8/source_text", "hideCounters", &[]).map(drop))
        })?;
    }
    let counters = Counters::new(instrumented.blocks.counters as usize);
    let array = scope.nested(|scope| {
        let array = scope.counters_array(&counters)?;
        scope.in_main_realm(|scope| scope.define_hidden_global(&array_name, array))?;
        Ok(scope.global(array))
    })?;
    let ran = vec![false; instrumented.blocks.functions()];
    let mapped = transpile::source_mapping_url(text).map(|url| (url.to_string(), line_lengths(text)));
    let instrumented = Arc::new(instrumented);
    coverage.by_text.borrow_mut().insert(key, number);
    coverage.arrays.borrow_mut().push(array);
    locked(&coverage.record).scripts.push(Script {
        url,
        name: array_name,
        counters,
        instrumented: instrumented.clone(),
        ran,
        mapped,
    });
    Ok(Some(instrumented))
}

/// [`count`] for JavaScript that is no file of the program's: a module, or a script, or the body of a function.
///
/// # Errors
/// As [`count`].
pub fn count_code(
    scope: &mut Scope<'_>,
    name: &str,
    text: &str,
    is_module: bool,
    unit: Unit,
) -> JsResult<Option<Counted>> {
    let hint = if is_module { ModuleHint::Esm } else { ModuleHint::Cjs };
    count(scope, name, text, FileClass::Js, hint, unit)
}

/// Lengths in UTF-16 code units, as Node's source map cache has them.
fn line_lengths(text: &str) -> Vec<u32> {
    text.split(['\n', '\u{2028}', '\u{2029}']).map(|line| line.encode_utf16().count() as u32).collect()
}

/// The names of counters that code mentions.
pub fn names_in(code: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mark = format!("/*{NAME}");
    for (at, _) in code.match_indices(&mark) {
        let rest = &code[at + 2..];
        let Some(end) = rest.find("*/").filter(|end| !rest[..*end].ends_with('.')) else { continue };
        if names.last().is_none_or(|last| *last != rest[..end]) && names.iter().all(|name| *name != rest[..end]) {
            names.push(rest[..end].to_string());
        }
    }
    names
}

/// `code` without the counters in it.
pub fn without_counters(code: &str) -> String {
    names_in(code).iter().fold(code.to_string(), |code, name| v8::without_counters(&code, name))
}

/// Gives the current realm counters by their names.
///
/// # Errors
/// A JavaScript exception, if memory is out.
pub fn provide(scope: &mut Scope<'_>, names: &[String]) -> JsResult<()> {
    if names.is_empty() {
        return Ok(());
    }
    let coverage = Coverage::of(scope);
    for name in names {
        let index = locked(&coverage.record).scripts.iter().position(|script| script.name == *name);
        if let Some(array) = index.map(|index| coverage.arrays.borrow()[index].clone()) {
            scope.nested(|scope| {
                let array = array.get(scope);
                scope.define_hidden_global(name, array)
            })?;
        }
    }
    Ok(())
}

/// Writes the report of `NODE_V8_COVERAGE`, if it is set: for `v8.takeCoverage()`.
pub fn write(scope: &mut Scope<'_>) {
    let record = Coverage::of(scope).record.clone();
    write_record(scope, &record);
}

/// The same at the end of a thread. That of the main thread is the end of the others, too.
pub fn write_last(scope: &mut Scope<'_>) {
    let coverage = Coverage::of(scope);
    if !coverage.writes() {
        return;
    }
    write_record(scope, &coverage.record);
    locked(&coverage.record).directory = None;
    if RuntimeState::of(scope).is_worker() {
        return;
    }
    let others: Vec<_> = locked(&RECORDS).drain(..).filter_map(|record| record.upgrade()).collect();
    for record in others {
        write_record(scope, &record);
        locked(&record).directory = None;
    }
}

/// What cannot be written is told on standard error.
fn write_record(scope: &mut Scope<'_>, record: &Mutex<Record>) {
    let (directory, thread, mut text, mapped) = {
        let mut record = locked(record);
        let Some(directory) = record.directory.clone() else { return };
        let Some(text) = record.take() else { return };
        (directory, record.thread, text, record.mapped())
    };
    if let Some(maps) = mapped.and_then(|list| source_maps(scope, &list)) {
        text.pop();
        text.push_str(",\"source-map-cache\":");
        text.push_str(&maps);
        text.push('}');
    }
    let milliseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    let file = directory.join(format!("coverage-{}-{milliseconds}-{thread}.json", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&directory).and_then(|()| std::fs::write(&file, text)) {
        base::stderr_line!("error: cannot write the coverage to {}: {error}", file.display());
    }
}

impl Record {
    /// The scripts that name a source map, as ext/v8/source_map_cache.ts takes them.
    fn mapped(&self) -> Option<String> {
        let mut list = String::from("[");
        for script in &self.scripts {
            let Some((map, lengths)) = &script.mapped else { continue };
            if !script.url.starts_with("file:") {
                continue;
            }
            list.push_str(if list.len() > 1 { ",[" } else { "[" });
            json::quote(&script.url, &mut list);
            list.push(',');
            json::quote(map, &mut list);
            let _ = write!(list, ",{lengths:?}]");
        }
        list.push(']');
        (list.len() > 2).then_some(list)
    }
}

/// `{url: {lineLengths, data, url}}` of the scripts in a list.
fn source_maps(scope: &mut Scope<'_>, list: &str) -> Option<String> {
    let made = scope.nested(|scope| {
        let list = scope.string(list)?;
        let text = builtins::call(scope, "internal/v8/source_map_cache", "cacheOf", &[list])?;
        Ok(scope.display(text))
    });
    match made {
        Ok(text) => Some(text),
        Err(exc) => {
            scope.take_exception(exc);
            None
        }
    }
}

/// The same for a script or the body of a function: its code, whose positions in stack frames are mapped back from now on.
///
/// # Errors
/// As [`count`].
pub fn count_mapped(
    scope: &mut Scope<'_>,
    state: &RuntimeState,
    name: &str,
    text: &str,
    unit: Unit,
) -> JsResult<Option<String>> {
    let Some(counted) = count_code(scope, name, text, false, unit)? else { return Ok(None) };
    modules::add_map(state, name, counted.map.clone());
    Ok(Some(counted.code.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once() {
        assert_eq!(names_in("/*__bao_c1*/x/*__bao_c1*/ /*__bao_c0*/"), ["__bao_c1", "__bao_c0"]);
        assert_eq!(names_in("a /* b */"), Vec::<String>::new());
    }

    #[test]
    fn lengths_of_lines() {
        assert_eq!(line_lengths("ab\né\n"), [2, 1, 0]);
    }
}
