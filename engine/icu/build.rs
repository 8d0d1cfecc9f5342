//! Part of the build script: packs ICU's data, 12.9 MB of resources in the engine's archive, so that the executable has 5.3 MB of
//! them. `src/icu_data.rs` reads the result and describes its form.
//!
//! What every program may need stays as it is: the tables without a language, and those of English. The resources of the other
//! languages are compressed one by one. A program reads a few of them, if any.

use std::fs;
use std::path::Path;

use zstd_safe::{CCtx, CDict};

/// Of ICU whose functions `src/icu_data.rs` replaces: their names end with it.
const VERSION: &str = "78";
/// Above 19 the compressor takes twice the time for 1 %.
const LEVEL: i32 = 19;
/// ICU's items begin at multiples of it.
const ALIGNMENT: usize = 16;

/// Writes `icu_data.bin` into `out`.
///
/// # Errors
/// Fails if the engine's sources have no data of this version, or data of another form.
pub(crate) fn build(sources: &Path, out: &Path) -> Result<(), String> {
    println!("cargo:rerun-if-changed=icu/build.rs");
    let file = sources.join(format!("config/external/icu/data/icudt{VERSION}l.dat"));
    let data = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let packed = pack(&data).ok_or_else(|| format!("{} has another form than is known", file.display()))?;
    fs::write(out.join("icu_data.bin"), packed).map_err(|error| format!("{}: {error}", out.display()))
}

/// One resource or table of ICU.
struct Item<'a> {
    name: &'a [u8],
    bytes: &'a [u8],
}

/// The items of a data package, in the order of their names. The form: a header, the number of items, for each the places of its
/// name and of its bytes, the names, the bytes.
fn items(data: &[u8]) -> Option<(usize, Vec<Item<'_>>)> {
    let header = usize::from(u16::from_le_bytes(data.get(..2)?.try_into().ok()?));
    let number = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?) as usize);
    let count = number(header)?;
    let mut found = Vec::with_capacity(count);
    for index in 0..count {
        let entry = header + 4 + 8 * index;
        let begin = header + number(entry + 4)?;
        let end = if index + 1 < count { header + number(entry + 12)? } else { data.len() };
        let name = data.get(header + number(entry)?..)?.split(|byte| *byte == 0).next()?;
        found.push(Item { name, bytes: data.get(begin..end)? });
    }
    Some((header, found))
}

/// Whether an item is kept as it is. Names of the others are those of locales: `de.res`, `curr/sr_Latn.res`.
fn is_common(name: &[u8]) -> bool {
    let file = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    let Some(stem) = file.strip_suffix(b".res") else { return true };
    if [&b"root"[..], b"pool", b"res_index", b"en", b"en_US"].contains(&stem) {
        return true;
    }
    let language = stem.split(|byte| *byte == b'_').next().unwrap_or(stem);
    !(matches!(language.len(), 2 | 3) && language.iter().all(u8::is_ascii_lowercase))
}

/// The name of the item that is the dictionary of another one: English, of the same folder.
fn dictionary_name(name: &[u8]) -> Vec<u8> {
    let folder = name.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    [&name[..folder], b"en.res"].concat()
}

fn pack(data: &[u8]) -> Option<Vec<u8>> {
    let (header, items) = items(data)?;
    let names: usize = items.iter().map(|item| item.name.len() + 1).sum();
    let table = header + 4;
    let mut packed = data[..table].to_vec();
    packed.resize(table + 16 * items.len() + names, 0);
    let mut name_at = table + 16 * items.len();
    let mut context = CCtx::create();
    let mut dictionary: Option<(Vec<u8>, CDict<'_>)> = None;
    for (index, item) in items.iter().enumerate() {
        let mut stored = None;
        if !is_common(item.name) {
            let name = dictionary_name(item.name);
            if let Ok(english) = items.binary_search_by(|item| item.name.cmp(&name)) {
                if dictionary.as_ref().is_none_or(|(of, _)| *of != name) {
                    dictionary = Some((name, CDict::create(items[english].bytes, LEVEL)));
                }
                let mut result = Vec::with_capacity(zstd_safe::compress_bound(item.bytes.len()));
                let with = &dictionary.as_ref()?.1;
                context.compress_using_cdict(&mut result, item.bytes, with).ok()?;
                stored = Some(result);
            }
        }
        if stored.is_none() {
            packed.resize(packed.len().next_multiple_of(ALIGNMENT), 0);
        }
        let place = packed.len();
        let stored = stored.as_deref().unwrap_or(item.bytes);
        packed.extend_from_slice(stored);
        packed[name_at..name_at + item.name.len()].copy_from_slice(item.name);
        for (position, value) in [name_at, place, stored.len(), item.bytes.len()].into_iter().enumerate() {
            let at = table + 16 * index + 4 * position;
            packed[at..at + 4].copy_from_slice(&u32::try_from(value).ok()?.to_le_bytes());
        }
        name_at += item.name.len() + 1;
    }
    Some(packed)
}
