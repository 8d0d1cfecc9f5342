//! ICU's data, with the resources of most languages compressed (icu/build.rs): 12.9 MB that are 5.3 in the executable.
//!
//! ICU finds an item of its data through a table of functions that `udata_checkCommonData` sets. This file has that function, the
//! two others of ICU's file `ucmndata.cpp`, and the data, under the names that ICU's other files ask for: the linker meets them
//! before the engine's archive and leaves the archive's out. What is compressed is unpacked when ICU first asks for it, and stays:
//! ICU keeps addresses into it. A locale has two to four items of 1 to 30 KB, which takes 0.1 ms.
//!
//! The form of the data: ICU's header, which begins with its size in 16 bits; the number of items; for each item in the order of
//! the names the place of its name, of its bytes, the number of bytes there and the number that the item has, each in 32 bits;
//! the names, which end with 0. If the numbers of bytes differ, the bytes are a frame of zstd whose dictionary is the item `en.res`
//! of the same folder. Data files beside the executable (`ICU_DATA`) are not read.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::packed;

const LENGTH: usize = include_bytes!(concat!(env!("OUT_DIR"), "/icu_data.bin")).len();

/// Items begin at multiples of 16.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

#[unsafe(export_name = "icudt78_dat")]
static DATA: Aligned<[u8; LENGTH]> = Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/icu_data.bin")));

/// `UErrorCode`; what is above 0 is an error.
type ErrorCode = i32;
const INVALID_FORMAT_ERROR: ErrorCode = 3;

/// `DataHeader`, of which only the place is of interest here, but for the size.
type DataHeader = u8;

/// `UDataMemory` (udatamem.h): data that ICU has opened.
#[repr(C)]
pub(crate) struct DataMemory {
    functions: *const Functions,
    header: *const DataHeader,
    table: *const c_void,
    heap_allocated: i8,
    mapped_address: *mut c_void,
    map: *mut c_void,
    length: i32,
}

/// `commonDataFuncs` (ucmndata.h).
#[repr(C)]
struct Functions {
    look_up: unsafe extern "C" fn(*const DataMemory, *const c_char, *mut i32, *mut ErrorCode) -> *const DataHeader,
    count: extern "C" fn(*const DataMemory) -> u32,
}

static FUNCTIONS: Functions = Functions { look_up, count };

/// An item's row in the table.
struct Entry {
    place: usize,
    stored: usize,
    length: usize,
}

/// A number of 32 bits in the data.
fn number(at: usize) -> usize {
    let bytes = &DATA.0[at..at + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
}

/// Where the table begins: behind the header.
fn table() -> usize {
    usize::from(u16::from_le_bytes([DATA.0[0], DATA.0[1]]))
}

/// The row of the item of this name.
fn find(name: &[u8]) -> Option<Entry> {
    let rows = table() + 4;
    let (mut low, mut high) = (0, number(table()));
    while low < high {
        let middle = usize::midpoint(low, high);
        let row = rows + 16 * middle;
        let found = CStr::from_bytes_until_nul(&DATA.0[number(row)..]).ok()?.to_bytes();
        match found.cmp(name) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => {
                return Some(Entry { place: number(row + 4), stored: number(row + 8), length: number(row + 12) });
            }
        }
    }
    None
}

/// The bytes of an item that is not compressed.
fn plain(entry: &Entry) -> Option<&'static [u8]> {
    (entry.stored == entry.length).then(|| &DATA.0[entry.place..entry.place + entry.stored])
}

/// The bytes of the item of this name, which begin at a multiple of 16; `None` if there is no such item.
///
/// # Errors
/// Fails if the executable's data is damaged.
fn item(name: &[u8]) -> Result<Option<&'static [u8]>, ErrorCode> {
    /// Items that have been unpacked, by their place.
    static UNPACKED: Mutex<BTreeMap<usize, &'static [u8]>> = Mutex::new(BTreeMap::new());

    let Some(entry) = find(name) else { return Ok(None) };
    if let Some(bytes) = plain(&entry) {
        return Ok(Some(bytes));
    }
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = unpacked.get(&entry.place) {
        return Ok(Some(bytes));
    }
    let bytes = unpack(name, &entry).ok_or(INVALID_FORMAT_ERROR)?;
    unpacked.insert(entry.place, bytes);
    Ok(Some(bytes))
}

/// The bytes of a compressed item, in memory that stays.
fn unpack(name: &[u8], entry: &Entry) -> Option<&'static [u8]> {
    let folder = name.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let dictionary = plain(&find(&[&name[..folder], b"en.res"].concat())?)?;
    let frame = &DATA.0[entry.place..entry.place + entry.stored];
    packed::unpack(frame, dictionary, entry.length)
}

/// `LookupFn`: the item of a name, with its length; null if there is none.
///
/// # Safety
/// `name` is a C string; `length` and `error` can be written to.
unsafe extern "C" fn look_up(
    _: *const DataMemory,
    name: *const c_char,
    length: *mut i32,
    error: *mut ErrorCode,
) -> *const DataHeader {
    // SAFETY: by the contract.
    let name = unsafe { CStr::from_ptr(name) };
    match item(name.to_bytes()) {
        Ok(None) => ptr::null(),
        Ok(Some(bytes)) => {
            // SAFETY: by the contract.
            unsafe { *length = i32::try_from(bytes.len()).unwrap_or(-1) };
            bytes.as_ptr()
        }
        Err(code) => {
            // SAFETY: by the contract.
            unsafe { *error = code };
            ptr::null()
        }
    }
}

/// `NumEntriesFn`: the number of items.
extern "C" fn count(_: *const DataMemory) -> u32 {
    u32::try_from(number(table())).unwrap_or(0)
}

/// Sets the functions by which items are found in data that has just been opened, if it is the executable's.
///
/// # Safety
/// `memory` is null or points to a `UDataMemory`; `error` points to an error code.
#[unsafe(export_name = "udata_checkCommonData_78")]
pub(crate) unsafe extern "C" fn check_common_data(memory: *mut DataMemory, error: *mut ErrorCode) {
    unsafe extern "C" {
        #[link_name = "udata_close_78"]
        fn close(memory: *mut DataMemory);
    }
    // SAFETY: by the contract.
    let (memory, error) = unsafe { (memory.as_mut(), &mut *error) };
    if *error > 0 {
        return;
    }
    match memory {
        Some(memory) if ptr::eq(memory.header, DATA.0.as_ptr()) => {
            memory.functions = &raw const FUNCTIONS;
            memory.table = DATA.0[table()..].as_ptr().cast();
        }
        memory => {
            *error = INVALID_FORMAT_ERROR;
            // A file that ICU has mapped is unmapped.
            // SAFETY: ICU's own function, which takes null as well.
            unsafe { close(memory.map_or(ptr::null_mut(), ptr::from_mut)) };
        }
    }
}

/// The size of an item's header in bytes, 0 for null. Items of the other byte order are read by nobody.
///
/// # Safety
/// `header` is null or points to the header of an item.
#[unsafe(export_name = "udata_getHeaderSize_78")]
pub(crate) unsafe extern "C" fn header_size(header: *const u16) -> u16 {
    // SAFETY: by the contract; a header begins with its size.
    unsafe { header.as_ref() }.copied().unwrap_or(0)
}

/// The size of the description in an item's header in bytes, 0 for null.
///
/// # Safety
/// `info` is null or points to a `UDataInfo`.
#[unsafe(export_name = "udata_getInfoSize_78")]
pub(crate) unsafe extern "C" fn info_size(info: *const u16) -> u16 {
    // SAFETY: by the contract; a description begins with its size.
    unsafe { info.as_ref() }.copied().unwrap_or(0)
}
