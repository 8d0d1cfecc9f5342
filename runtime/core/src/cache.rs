//! The transpile and bytecode cache on disk: what a source file compiled to, by content.
//!
//! An entry is one file, named by a hash of the text, the path, the transpiler's options and the build of bao. It is
//! written to a temporary name and renamed, so that concurrent writers only ever replace a whole entry by an equal one;
//! it ends in a checksum, and whatever does not check is compiled anew. `BAO_CACHE=0` switches the cache off.

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use transpile::{ModuleKind, SourceMap};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MAGIC: &[u8; 8] = b"baocode2";
/// Code begins at a multiple of this many bytes: the engine reads it where it lies.
const ALIGN: usize = 16;

/// JavaScript below this size compiles about as fast as a cache entry is found and read. (65 files of 8 KB: 20 ms with
/// entries, 31 without; writing them costs the first run 8 ms.)
const SMALLEST_PLAIN: usize = 4 << 10;
/// The same for the record of a program (`store::record`), where an entry is found without opening a file.
const SMALLEST_RECORDED: usize = 512;

/// Entries of earlier builds and earlier texts are never asked for again: where all take more bytes than this, those
/// that were not used for the longest time go.
const MOST_BYTES: u64 = 1 << 30;
/// One write in so many looks how much there is, which is a call of stat for each entry (5,000 to 7,000 in `MOST_BYTES`).
const WRITES_PER_SWEEP: u128 = 256;
/// A sweep removes so many at most, as the program waits for it; it takes several until a folder that is far too large is small enough.
const MOST_REMOVED: usize = 1000;
/// A temporary file of this age is no write that goes on.
const ABANDONED: Duration = Duration::from_hours(1);

/// The folder of a cache, if there is one.
pub struct DiskCache {
    dir: Option<PathBuf>,
    /// Entries of another build of bao are not found.
    build_id: &'static str,
    /// Bytes that the entries may take.
    most: u64,
}

/// What is kept of a compiled file.
pub struct Entry {
    pub kind: ModuleKind,
    pub map: Option<SourceMap>,
    pub stencil: Vec<u8>,
}

impl Entry {
    /// The entry as it is stored: magic, kind, length of the map, map, zeros up to a multiple of 16, code, checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let map = self.map.as_ref().map(SourceMap::to_bytes).unwrap_or_default();
        let mut bytes = Vec::with_capacity(48 + map.len() + self.stencil.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[u8::from(self.kind == ModuleKind::Esm), 0, 0, 0]);
        bytes.extend_from_slice(&(map.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&map);
        bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
        bytes.extend_from_slice(&self.stencil);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The same back; none where the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Entry> {
        let (kind, map, code) = parse(bytes)?;
        Some(Entry { kind, map, stencil: code.to_vec() })
    }
}

/// The kind, the map and the code of an entry; none where the bytes are damaged.
pub fn parse(bytes: &[u8]) -> Option<(ModuleKind, Option<SourceMap>, &[u8])> {
    let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if xxh3_64(body) != u64::from_le_bytes(checksum.try_into().ok()?) {
        return None;
    }
    let rest = body.strip_prefix(MAGIC)?;
    let (head, rest) = rest.split_at_checked(8)?;
    let kind = if head[0] == 1 { ModuleKind::Esm } else { ModuleKind::Cjs };
    let map_length = u32::from_le_bytes(head[4..8].try_into().ok()?) as usize;
    let map = rest.get(..map_length)?;
    let map = if map.is_empty() { None } else { Some(SourceMap::from_bytes(map)?) };
    Some((kind, map, rest.get(map_length.next_multiple_of(ALIGN)..)?))
}

/// Name of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    hash: u128,
    /// Not worth a file of its own, or kept elsewhere.
    small: bool,
}

impl Key {
    /// The key in the record of a program.
    pub fn hash(self) -> u128 {
        self.hash
    }
}

impl DiskCache {
    /// The cache that the environment asks for: `BAO_CACHE` (a folder, or 0 for none), Bun's
    /// `BUN_RUNTIME_TRANSPILER_CACHE_PATH` likewise, else `$XDG_CACHE_HOME/bao` or `~/.cache/bao`.
    pub fn from_env(build_id: &'static str) -> Self {
        for name in ["BAO_CACHE", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                let off = value.is_empty() || value == "0" || value == "false";
                return DiskCache { dir: (!off).then(|| PathBuf::from(value)), build_id, most: MOST_BYTES };
            }
        }
        let base = std::env::var_os("XDG_CACHE_HOME")
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").filter(|v| !v.is_empty()).map(|home| Path::new(&home).join(".cache")));
        DiskCache { dir: base.map(|base| base.join("bao/code")), build_id, most: MOST_BYTES }
    }

    /// The key of a text, or none where it is not worth an entry.
    pub fn key(&self, text: &str, path: &str, needs_transpiling: bool, fingerprint: u64) -> Option<Key> {
        let small = !needs_transpiling && text.len() < SMALLEST_PLAIN;
        if small && (text.len() < SMALLEST_RECORDED || !store::record::is_on()) {
            return None;
        }
        Some(Key { small, ..self.record_key(text, path, fingerprint)? })
    }

    /// The key of a text of any size for the record alone: what is under it has no file. None if there is no cache.
    pub fn record_key(&self, text: &str, path: &str, fingerprint: u64) -> Option<Key> {
        self.dir.as_ref()?;
        let mut about = Vec::with_capacity(64 + path.len());
        about.extend_from_slice(&xxh3_128(text.as_bytes()).to_le_bytes());
        about.extend_from_slice(&fingerprint.to_le_bytes());
        about.extend_from_slice(self.build_id.as_bytes());
        about.push(0);
        about.extend_from_slice(path.as_bytes());
        Some(Key { hash: xxh3_128(&about), small: true })
    }

    fn file(&self, key: Key) -> Option<PathBuf> {
        if key.small {
            return None;
        }
        let name = format!("{:032x}", key.hash);
        Some(self.dir.as_ref()?.join(&name[..2]).join(&name[2..]))
    }

    /// Where the record of what the program `main` reads of packages is kept.
    pub fn record(&self, main: &str) -> Option<PathBuf> {
        let about = [self.build_id.as_bytes(), b"\0", main.as_bytes()].concat();
        Some(self.dir.as_ref()?.join("programs").join(format!("{:032x}", xxh3_128(&about))))
    }

    /// Reads an entry; none where there is none, it is damaged, or somebody else can have written it.
    pub fn read(&self, key: Key) -> Option<Entry> {
        let mut bytes = Vec::new();
        let file = self.file(key)?;
        store::record::open_private(&file).ok()?.read_to_end(&mut bytes).ok()?;
        note_large(&file, bytes.len());
        Entry::from_bytes(&bytes)
    }

    /// Writes an entry. Failure is no error: the next run compiles again.
    pub fn write(&self, key: Key, entry: &Entry) {
        if self.dir.is_none() {
            return;
        }
        let bytes = entry.to_bytes();
        if let Some((file, dir)) = self.file(key).and_then(|file| Some((file.clone(), file.parent()?.to_owned()))) {
            let temporary = dir.join(format!(".{:x}-{}", key.hash as u64, std::process::id()));
            let written = fs::create_dir_all(dir)
                // Whatever the umask: what others can write to is not read.
                .and_then(|()| {
                    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&temporary)
                })
                .and_then(|mut out| out.write_all(&bytes))
                .and_then(|()| fs::rename(&temporary, &file));
            match written {
                Ok(()) => {
                    note_large(&file, bytes.len());
                    if key.hash.is_multiple_of(WRITES_PER_SWEEP) {
                        self.sweep();
                    }
                }
                Err(_) => drop(fs::remove_file(&temporary)),
            }
        }
        store::record::keep_code(key.hash, bytes);
    }

    /// Removes what writers that ended have left and, if the entries take too much, the ones that were not used for the
    /// longest time, until a quarter of the room is free. What cannot be read or removed stays; a process that has an
    /// entry open keeps it, and one that misses it compiles.
    fn sweep(&self) {
        let Some(folders) = self.dir.as_ref().and_then(|dir| fs::read_dir(dir).ok()) else { return };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        // Only the folders of entries: others in a folder that `BAO_CACHE` names are not ours.
        for folder in folders.flatten().filter(|f| is_hex(&f.file_name(), 2)) {
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let Ok(about) = file.metadata() else { continue };
                let used = about.modified().into_iter().chain(about.accessed()).max().unwrap_or(now);
                if is_hex(&file.file_name(), 30) {
                    entries.push((used, about.len(), file.path()));
                } else if is_temporary(&file.file_name()) && now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                    drop(fs::remove_file(file.path()));
                }
            }
        }
        let mut total: u64 = entries.iter().map(|(_, length, _)| length).sum();
        if total <= self.most {
            return;
        }
        entries.sort_unstable_by_key(|(used, ..)| *used);
        for (_, length, path) in entries.into_iter().take(MOST_REMOVED) {
            if total <= self.most / 4 * 3 {
                break;
            }
            // Another process may be making room, too: what it has removed counts, or both would remove as much.
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {}
                _ => total -= length,
            }
        }
    }
}

/// Whether a name is `length` hexadecimal digits.
fn is_hex(name: &OsStr, length: usize) -> bool {
    name.len() == length && name.as_encoded_bytes().iter().all(|b| b.is_ascii_hexdigit())
}

/// Whether `DiskCache::write` writes to such a name: a point, hexadecimal digits, a hyphen, the process.
fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix('.')?.split_once('-'));
    name.is_some_and(|(hash, process)| u64::from_str_radix(hash, 16).is_ok() && process.parse::<u32>().is_ok())
}

/// What is too large for the record of a program is fetched before the next run asks for it.
pub(crate) fn note_large(file: &Path, length: usize) {
    if length > store::record::LARGEST {
        store::record::read_whole(file.as_os_str().as_encoded_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn cache() -> (DiskCache, PathBuf) {
        let dir = std::env::temp_dir().join(format!("bao-cache-test-{}-{:p}", std::process::id(), &MAGIC));
        (DiskCache { dir: Some(dir.clone()), build_id: "test", most: MOST_BYTES }, dir)
    }

    #[test]
    fn an_entry_comes_back_and_a_damaged_one_does_not() {
        let (cache, dir) = cache();
        let key = cache.key("text", "/a.ts", true, 1).unwrap();
        cache.write(key, &Entry { kind: ModuleKind::Esm, map: None, stencil: vec![1, 2, 3] });
        let entry = cache.read(key).unwrap();
        assert_eq!((entry.kind, entry.stencil), (ModuleKind::Esm, vec![1, 2, 3]));
        let file = cache.file(key).unwrap();
        // What others can write to is not read.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(cache.read(key).is_none());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(cache.read(key).is_some());
        let mut bytes = fs::read(&file).unwrap();
        bytes[17] ^= 1;
        fs::write(&file, &bytes).unwrap();
        assert!(cache.read(key).is_none());
        fs::write(&file, b"short").unwrap();
        assert!(cache.read(key).is_none());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn entries_that_were_not_used_for_the_longest_time_make_room() {
        let (mut cache, dir) = cache();
        cache.dir = Some(dir.join("sweep"));
        let dir = cache.dir.clone().unwrap();
        cache.most = 4000;
        let entry = Entry { kind: ModuleKind::Esm, map: None, stencil: vec![0; 1000] };
        let keys = |sweeps: bool| {
            let names = (0..).map(|i| format!("/{i}.ts"));
            let keys = names.filter_map(|name| cache.key("text", &name, true, 1));
            keys.filter(move |key| key.hash.is_multiple_of(WRITES_PER_SWEEP) == sweeps)
        };
        let written = |age: u64, path: &Path| {
            let times = fs::FileTimes::new();
            let time = SystemTime::now() - Duration::from_secs(age);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_times(times.set_modified(time).set_accessed(time)).unwrap();
        };
        let old: Vec<Key> = keys(false).take(4).collect();
        for (i, key) in old.iter().enumerate() {
            cache.write(*key, &entry);
            // The second one was used last.
            written(if i == 1 { 10 } else { 10_000 - i as u64 }, &cache.file(*key).unwrap());
        }
        let beside = cache.file(old[1]).unwrap().parent().unwrap().to_owned();
        let (abandoned, fresh, other) =
            (beside.join(".ab12-77"), beside.join(".ab13-77"), beside.join(".ab12-77.notes"));
        for path in [&abandoned, &fresh, &other] {
            fs::write(path, "half").unwrap();
        }
        written(4000, &abandoned);
        written(4000, &other);
        fs::create_dir_all(dir.join("mine")).unwrap();
        fs::write(dir.join("mine/0123456789abcdef0123456789abcd"), vec![0; 9000]).unwrap();

        let last = keys(true).next().unwrap();
        cache.write(last, &entry);
        let there: Vec<bool> = old.iter().chain([&last]).map(|key| cache.read(*key).is_some()).collect();
        // Each takes a little more than 1,000 bytes: five are too many, two are at most three quarters of the room.
        assert_eq!(there, [false, true, false, false, true]);
        assert!(!abandoned.exists() && fresh.exists() && other.exists());
        assert!(dir.join("mine/0123456789abcdef0123456789abcd").exists());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn small_plain_files_and_a_cache_that_is_off_have_no_key() {
        let (cache, _) = cache();
        assert!(cache.key("let a", "/a.js", false, 0).is_none());
        let off = DiskCache { dir: None, build_id: "test", most: MOST_BYTES };
        assert!(off.key("text", "/a.ts", true, 0).is_none());
    }
}
