//! Node's compile cache, which a program or its user asks for: `NODE_COMPILE_CACHE=DIR` and `module.enableCompileCache()`. While
//! it is on it takes the place of bao's own cache (cache.rs): everything that is compiled is noted and written when the process
//! ends or `module.flushCompileCache()` says so, one file for each source file, so that the folder never holds anything old.
//!
//! A program whose packages are in archives has its code in its record, which is one file (`store::record`): it is taken from there, and
//! written to the folder only where the folder has nothing for the file.
//!
//! `NODE_DEBUG_NATIVE=COMPILE_CACHE` prints what happens in the words that Node has for it, which tools look for.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use transpile::ModuleKind;
use xxhash_rust::xxh3::xxh3_64;

use crate::cache::{Entry, note_large};

/// The compile cache of a thread.
pub struct CompileCache {
    enabled: RefCell<Option<Enabled>>,
    verbose: bool,
    /// Entries of another build of bao are not found.
    build_id: &'static str,
}

struct Enabled {
    /// The folder of this build of bao in the one that was asked for.
    dir: PathBuf,
    /// Whether files are known by their place relative to the folder, which both may change together.
    portable: bool,
    slots: BTreeMap<String, Slot>,
}

/// What is known of a source file.
struct Slot {
    file: PathBuf,
    label: &'static str,
    /// Whether the folder had something for the file that the engine did not take.
    refused: bool,
    content: Content,
}

enum Content {
    None,
    Same,
    /// To be written.
    Fresh(Vec<u8>),
    /// Taken from the record of the program: to be written if there is no file. The hash, and the entry.
    Recorded(u64, &'static [u8]),
}

/// Whether a folder was taken as the cache.
pub enum Outcome {
    Enabled(String),
    Already(String),
    Disabled,
    Failed(String),
}

const DISABLED: &str = "NODE_DISABLE_COMPILE_CACHE";

fn label_of(kind: ModuleKind) -> &'static str {
    if kind == ModuleKind::Esm { "ESM" } else { "CommonJS" }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// `path` as seen from the folder `base`; both absolute.
fn relative(base: &Path, path: &Path) -> PathBuf {
    let (mut from, mut to) = (base.components().peekable(), path.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    from.map(|_| Component::ParentDir).chain(to).collect()
}

impl CompileCache {
    /// The cache that the environment asks for.
    pub fn from_env(build_id: &'static str) -> Self {
        let verbose = std::env::var("NODE_DEBUG_NATIVE").is_ok_and(|names| names.contains("COMPILE_CACHE"));
        let cache = CompileCache { enabled: RefCell::default(), verbose, build_id };
        if let Some(dir) = std::env::var_os("NODE_COMPILE_CACHE").filter(|dir| !dir.is_empty()) {
            let portable = std::env::var_os("NODE_COMPILE_CACHE_PORTABLE").is_some_and(|value| value == "1");
            if let Outcome::Failed(message) = cache.enable(Path::new(&dir), portable) {
                cache.say(|| message);
            }
        }
        cache
    }

    fn say(&self, message: impl FnOnce() -> String) {
        if self.verbose {
            base::stderr_line!("[compile cache] {}", message());
        }
    }

    /// Whether there is one.
    pub fn is_enabled(&self) -> bool {
        self.enabled.borrow().is_some()
    }

    /// The folder in use.
    pub fn dir(&self) -> Option<String> {
        self.enabled.borrow().as_ref().map(|enabled| enabled.dir.display().to_string())
    }

    /// Begins to use a folder, which is made where it does not exist.
    pub fn enable(&self, dir: &Path, portable: bool) -> Outcome {
        if is_set(DISABLED) {
            self.say(|| format!("Disabled by {DISABLED}"));
            return Outcome::Disabled;
        }
        if let Some(dir) = self.dir() {
            return Outcome::Already(dir);
        }
        // SAFETY: no arguments.
        let user = unsafe { libc::geteuid() };
        let build = xxh3_64(self.build_id.as_bytes()) as u32;
        let name = format!("bao-{}-{}-{build:08x}-{user}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
        let dir = dir.join(name);
        match fs::create_dir_all(&dir).and_then(|()| dir.canonicalize()) {
            Ok(dir) => {
                let shown = dir.display().to_string();
                *self.enabled.borrow_mut() = Some(Enabled { dir, portable, slots: BTreeMap::new() });
                Outcome::Enabled(shown)
            }
            Err(error) => Outcome::Failed(format!("Cannot create cache directory: {error}")),
        }
    }

    /// Whether code may come from the record of the program: not where somebody wants to be told what the folder has.
    pub fn takes_records(&self) -> bool {
        !self.verbose && store::record::is_on()
    }

    /// Where the cache has a file.
    fn file_of(enabled: &Enabled, path: &str) -> PathBuf {
        let name = if enabled.portable {
            xxh3_64(relative(&enabled.dir, Path::new(path)).as_os_str().as_encoded_bytes())
        } else {
            xxh3_64(path.as_bytes())
        };
        enabled.dir.join(format!("{name:016x}"))
    }

    /// The code of a file was taken from the record of the program, whose entry `bytes` are.
    pub fn note_recorded(&self, path: &str, hash: u64, kind: ModuleKind, bytes: &'static [u8]) {
        let mut enabled = self.enabled.borrow_mut();
        let Some(enabled) = enabled.as_mut() else { return };
        let slot = Slot {
            file: Self::file_of(enabled, path),
            label: label_of(kind),
            refused: false,
            content: Content::Recorded(hash, bytes),
        };
        enabled.slots.insert(path.to_string(), slot);
    }

    /// What the folder has for a file whose text and way of compiling have this hash; `None` where it has nothing that fits, or
    /// is off. The file is noted either way. `esm`: whether its name or package says that it is an ES module.
    pub fn read(&self, path: &str, hash: u64, esm: bool) -> Option<Entry> {
        let mut enabled = self.enabled.borrow_mut();
        let enabled = enabled.as_mut()?;
        let file = Self::file_of(enabled, path);
        let (entry, outcome) = match fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                (None, "no such file or directory".to_string())
            }
            Err(error) => (None, error.to_string()),
            Ok(bytes) => match bytes.split_first_chunk::<8>() {
                Some((found, rest)) if u64::from_le_bytes(*found) == hash => match Entry::from_bytes(rest) {
                    Some(entry) => {
                        note_large(&file, bytes.len());
                        (Some(entry), format!("success, size={}", bytes.len()))
                    }
                    None => (None, "checksum mismatch".to_string()),
                },
                Some((found, _)) => {
                    (None, format!("code hash mismatch: expected {hash}, actual {}", u64::from_le_bytes(*found)))
                }
                None => (None, "invalid header".to_string()),
            },
        };
        let label = match &entry {
            Some(entry) => label_of(entry.kind),
            None if esm => "ESM",
            None => "CommonJS",
        };
        let shown = file.display().to_string();
        enabled.slots.insert(path.to_string(), Slot { file, label, refused: false, content: Content::None });
        self.say(|| format!("reading cache from {shown} for {label} {path}... {outcome}"));
        entry
    }

    /// Code of the folder's was taken (`true`) or turned out not to be this engine's.
    pub fn used(&self, path: &str, accepted: bool) {
        if let Some(slot) = self.enabled.borrow_mut().as_mut().and_then(|enabled| enabled.slots.get_mut(path)) {
            if accepted {
                slot.content = Content::Same;
                let label = slot.label;
                self.say(|| format!("cache for {label} {path} was accepted, keeping the in-memory entry"));
            } else {
                slot.refused = true;
            }
        }
    }

    /// Keeps what a file was compiled to.
    pub fn note(&self, path: &str, hash: u64, entry: &Entry) {
        let mut enabled = self.enabled.borrow_mut();
        let Some(slot) = enabled.as_mut().and_then(|enabled| enabled.slots.get_mut(path)) else { return };
        slot.label = label_of(entry.kind);
        let mut bytes = hash.to_le_bytes().to_vec();
        bytes.extend_from_slice(&entry.to_bytes());
        slot.content = Content::Fresh(bytes);
        let (label, refused) = (slot.label, slot.refused);
        self.say(|| match refused {
            true => format!("cache for {label} {path} was rejected, updating the in-memory entry"),
            false => format!("cache for {label} {path} was not initialized, initializing the in-memory entry"),
        });
    }

    /// The same when the program asks for it.
    pub fn flush(&self) {
        self.persist();
        self.say(|| "module.flushCompileCache() finished".to_string());
    }

    /// Writes what is new. Failure is no error: the next run compiles again.
    pub fn persist(&self) {
        let mut enabled = self.enabled.borrow_mut();
        let Some(enabled) = enabled.as_mut() else { return };
        let is_recorded = |slot: &Slot| matches!(slot.content, Content::Recorded(..));
        let there = if enabled.slots.values().any(is_recorded) { names_in(&enabled.dir) } else { HashSet::new() };
        for (path, slot) in &mut enabled.slots {
            let label = slot.label;
            if let Content::Recorded(hash, bytes) = slot.content {
                slot.content = match slot.file.file_name().is_some_and(|name| there.contains(name)) {
                    true => Content::Same,
                    false => Content::Fresh([&hash.to_le_bytes(), bytes].concat()),
                };
            }
            let bytes = match &slot.content {
                Content::None => {
                    self.say(|| format!("skip persisting {label} {path} because the cache was not initialized"));
                    continue;
                }
                Content::Same | Content::Recorded(..) => {
                    self.say(|| format!("skip persisting {label} {path} because cache was the same"));
                    continue;
                }
                Content::Fresh(bytes) => bytes,
            };
            let temporary = slot.file.with_extension(format!("{}.tmp", std::process::id()));
            let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, &slot.file));
            let outcome = match &written {
                Ok(()) => "success".to_string(),
                Err(error) => error.to_string(),
            };
            self.say(|| format!("writing cache for {label} {path} in {}... {outcome}", slot.file.display()));
            match written {
                Ok(()) => note_large(&slot.file, bytes.len()),
                Err(_) => drop(fs::remove_file(&temporary)),
            }
            slot.content = Content::Same;
        }
    }
}

fn names_in(dir: &Path) -> HashSet<OsString> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_the_folder() {
        let seen = |base: &str, path: &str| relative(Path::new(base), Path::new(path)).display().to_string();
        assert_eq!(seen("/a/b/.cache/x", "/a/b/c/d.js"), "../../c/d.js");
        assert_eq!(seen("/a/b", "/a/b/d.js"), "d.js");
    }

    #[test]
    fn entries_come_back_until_the_text_changes() {
        let dir = std::env::temp_dir().join(format!("bao-compile-cache-test-{}", std::process::id()));
        let entry = Entry { kind: ModuleKind::Cjs, map: None, stencil: vec![1, 2, 3] };
        for (hash, known) in [(7, false), (7, true), (8, false)] {
            let cache = CompileCache { enabled: RefCell::default(), verbose: false, build_id: "test" };
            assert!(matches!(cache.enable(&dir, false), Outcome::Enabled(_)));
            assert_eq!(cache.read("/a.js", hash, false).is_some(), known);
            cache.note("/a.js", hash, &entry);
            cache.persist();
        }
        fs::remove_dir_all(dir).unwrap();
    }
}
