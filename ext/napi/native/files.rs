//! Files that addons open by themselves, in packages that are in archives of the store.
//!
//! Machine code calls the C library, which knows no archives: Next's compiler reads the sources of packages so. In a program with
//! packages in archives, the references of a library to the functions that take a path (`open`, `stat`, ...) are turned to those of
//! this module once it is loaded: a path that leads into an archive is put on the disk first ([`store::place_on_disk`]), and
//! the system is called with the place. What else is loaded, bao itself among it, is left as it is. Reading a directory of
//! `node_modules` itself gives what the disk has.

use std::collections::HashSet;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use store::{Kind, Place};

/// Libraries whose references were turned, by address.
static TURNED: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

/// `Elf64_Rela`
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// Relocations that put the address of a function into a slot: `GLOB_DAT`, `JUMP_SLOT` and the plain address.
#[cfg(target_arch = "x86_64")]
const OF_FUNCTIONS: [u64; 3] = [6, 7, 1];
#[cfg(target_arch = "aarch64")]
const OF_FUNCTIONS: [u64; 3] = [1025, 1026, 257];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OF_FUNCTIONS: [u64; 3] = [u64::MAX; 3];

/// What takes the place of a function of the C library.
fn replacement(name: &[u8]) -> Option<*mut c_void> {
    let address: *const () = match name {
        b"open" | b"open64" => open as *const (),
        b"openat" | b"openat64" => openat as *const (),
        b"fopen" | b"fopen64" => fopen as *const (),
        b"stat" | b"stat64" => stat as *const (),
        b"lstat" | b"lstat64" => lstat as *const (),
        b"__xstat" | b"__xstat64" => xstat as *const (),
        b"__lxstat" | b"__lxstat64" => lxstat as *const (),
        b"statx" => statx as *const (),
        b"access" => access as *const (),
        b"opendir" => opendir as *const (),
        b"readlink" => readlink as *const (),
        b"realpath" => realpath as *const (),
        _ => return None,
    };
    Some(address.cast_mut().cast())
}

/// Turns the references of libraries below a `node_modules`, or of the file `path`, that have been loaded since the last call.
/// Does nothing in programs without packages in archives.
pub(crate) fn show_archives(path: &str) {
    if !store::is_active() {
        return;
    }
    let mut turned = TURNED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut visit = Visit { path: path.as_bytes(), turned: turned.get_or_insert_default() };
    // SAFETY: the callback has the type that is asked for, and gets the value that lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(visit_object), (&raw mut visit).cast()) };
}

fn page_size() -> usize {
    // SAFETY: no pointers.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

struct Visit<'a> {
    path: &'a [u8],
    turned: &'a mut HashSet<usize>,
}

unsafe extern "C" fn visit_object(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: what `dl_iterate_phdr` and `show_archives` give.
    let (info, visit) = unsafe { (&*info, &mut *data.cast::<Visit<'_>>()) };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: a text that ends with NUL.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    let is_of_package = name == visit.path || name.windows(14).any(|part| part == b"/node_modules/");
    if is_of_package && visit.turned.insert(info.dlpi_addr as usize) {
        // SAFETY: a library that is loaded, and stays so: addons are never unloaded.
        unsafe { turn(info) };
    }
    0
}

/// # Safety
/// `info` is that of a library which is loaded and whose references were resolved.
unsafe fn turn(info: &libc::dl_phdr_info) {
    if info.dlpi_phdr.is_null() {
        return;
    }
    let base = info.dlpi_addr as usize;
    // SAFETY: the headers that the loader has mapped.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let part = |kind| headers.iter().find(|header| header.p_type == kind);
    let Some(dynamic) = part(libc::PT_DYNAMIC) else { return };
    // The loader closes whole pages only.
    let read_only = part(libc::PT_GNU_RELRO).map_or(0..0, |header| {
        let start = base + header.p_vaddr as usize;
        start..(start + header.p_memsz as usize) & !(page_size() - 1)
    });
    // The loader has made addresses of most of these offsets.
    let address = |value: u64| if (value as usize) < base { base + value as usize } else { value as usize };
    let (mut symbols, mut texts) = (0usize, 0usize);
    let (mut tables, mut skipped) = ([(0usize, 0usize); 2], 0usize);
    let mut at = (base + dynamic.p_vaddr as usize) as *const [u64; 2];
    loop {
        // SAFETY: the dynamic section ends with an entry of the kind 0.
        let [kind, value] = unsafe { *at };
        match kind {
            0 => break,
            5 => texts = address(value),
            6 => symbols = address(value),
            7 => tables[0].0 = address(value),
            8 => tables[0].1 = value as usize,
            0x6fff_fff9 => skipped = value as usize,
            2 => tables[1].1 = value as usize,
            23 => tables[1].0 = address(value),
            _ => {}
        }
        at = at.wrapping_add(1);
    }
    if symbols == 0 || texts == 0 {
        return;
    }
    for (index, (start, bytes)) in tables.into_iter().enumerate() {
        if start == 0 {
            continue;
        }
        // SAFETY: the tables that the dynamic section names.
        let table = unsafe { std::slice::from_raw_parts(start as *const Relocation, bytes / size_of::<Relocation>()) };
        // Relocations without a symbol come first in the first table.
        for one in table.iter().skip(if index == 0 { skipped } else { 0 }) {
            let (kind, number) = (one.info & 0xffff_ffff, (one.info >> 32) as usize);
            if !OF_FUNCTIONS.contains(&kind) || number == 0 {
                continue;
            }
            // SAFETY: a symbol of the table (24 bytes each), whose first 4 bytes say where its name is.
            let name =
                unsafe { CStr::from_ptr((texts + *((symbols + number * 24) as *const u32) as usize) as *const c_char) };
            if let Some(function) = replacement(name.to_bytes()) {
                // SAFETY: the slot of a relocation that was done.
                unsafe { set(base + one.offset as usize, function, &read_only) };
            }
        }
    }
}

/// # Safety
/// `slot` is one that the loader has filled with the address of a function.
unsafe fn set(slot: usize, function: *mut c_void, read_only: &std::ops::Range<usize>) {
    let size = page_size();
    let page = (slot & !(size - 1)) as *mut c_void;
    let is_closed = read_only.contains(&slot);
    // SAFETY: a page of the library, which is written to by nobody else but for this purpose, under the lock of `TURNED`.
    if is_closed && unsafe { libc::mprotect(page, size, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        return;
    }
    // SAFETY: aligned, as the loader has it. Another thread calls either function.
    unsafe { AtomicPtr::from_ptr(slot as *mut *mut c_void) }.store(function, Ordering::Release);
    if is_closed {
        // SAFETY: as above.
        unsafe { libc::mprotect(page, size, libc::PROT_READ) };
    }
}

/// What a function is called with: the place on the disk of what is in an archive.
struct Placed {
    given: *const c_char,
    place: Option<CString>,
}

impl Placed {
    /// # Safety
    /// `path` is null or a text that ends with NUL.
    unsafe fn new(path: *const c_char) -> Placed {
        // SAFETY: as the caller says.
        let text = (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_bytes());
        let found = text.filter(|text| store::concerns(text)).and_then(store::place_on_disk);
        let place = found.and_then(|place| CString::new(place.ok()?.into_os_string().into_vec()).ok());
        Placed { given: path, place }
    }

    fn as_ptr(&self) -> *const c_char {
        self.place.as_ref().map_or(self.given, |place| place.as_ptr())
    }
}

/// The target of a link of an index, which the disk need not have.
///
/// # Safety
/// `path` is null or a text that ends with NUL.
unsafe fn link(path: *const c_char) -> Option<&'static [u8]> {
    // SAFETY: as the caller says.
    let text = (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_bytes())?;
    match store::concerns(text).then(|| store::find(text, false))? {
        Place::Node(node) if node.kind() == Kind::Link => node.content().ok(),
        _ => None,
    }
}

// What follows is called as the functions of the C library whose names it has, with what those take.

unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: see above.
    unsafe { libc::open64(Placed::new(path).as_ptr(), flags, mode) }
}

unsafe extern "C" fn openat(dir: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: see above.
    unsafe {
        let is_whole = dir == libc::AT_FDCWD || (!path.is_null() && *path == b'/' as c_char);
        let placed = if is_whole { Placed::new(path) } else { Placed { given: path, place: None } };
        libc::openat64(dir, placed.as_ptr(), flags, mode)
    }
}

unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: see above.
    unsafe { libc::fopen64(Placed::new(path).as_ptr(), mode) }
}

unsafe extern "C" fn stat(path: *const c_char, out: *mut libc::stat64) -> c_int {
    // SAFETY: see above.
    unsafe { libc::stat64(Placed::new(path).as_ptr(), out) }
}

unsafe extern "C" fn lstat(path: *const c_char, out: *mut libc::stat64) -> c_int {
    // SAFETY: see above.
    unsafe {
        let Some(target) = link(path) else { return libc::lstat64(Placed::new(path).as_ptr(), out) };
        let mut status: libc::stat64 = std::mem::zeroed();
        status.st_mode = libc::S_IFLNK | 0o777;
        status.st_nlink = 1;
        status.st_size = target.len() as _;
        out.write(status);
        0
    }
}

unsafe extern "C" fn xstat(_: c_int, path: *const c_char, out: *mut libc::stat64) -> c_int {
    // SAFETY: see above.
    unsafe { stat(path, out) }
}

unsafe extern "C" fn lxstat(_: c_int, path: *const c_char, out: *mut libc::stat64) -> c_int {
    // SAFETY: see above.
    unsafe { lstat(path, out) }
}

unsafe extern "C" fn statx(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    mask: libc::c_uint,
    out: *mut libc::statx,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        let is_whole = dir == libc::AT_FDCWD || (!path.is_null() && *path == b'/' as c_char);
        if !is_whole || out.is_null() {
            return libc::statx(dir, path, flags, mask, out);
        }
        if flags & libc::AT_SYMLINK_NOFOLLOW != 0
            && let Some(target) = link(path)
        {
            let mut status: libc::statx = std::mem::zeroed();
            status.stx_mask = libc::STATX_BASIC_STATS;
            status.stx_mode = (libc::S_IFLNK | 0o777) as u16;
            status.stx_nlink = 1;
            status.stx_size = target.len() as u64;
            out.write(status);
            return 0;
        }
        libc::statx(dir, Placed::new(path).as_ptr(), flags, mask, out)
    }
}

unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { libc::access(Placed::new(path).as_ptr(), mode) }
}

unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    // SAFETY: see above.
    unsafe { libc::opendir(Placed::new(path).as_ptr()) }
}

unsafe extern "C" fn readlink(path: *const c_char, out: *mut c_char, room: usize) -> isize {
    // SAFETY: see above.
    unsafe {
        let Some(target) = link(path) else { return libc::readlink(path, out, room) };
        let length = target.len().min(room);
        std::ptr::copy_nonoverlapping(target.as_ptr(), out.cast(), length);
        length as isize
    }
}

unsafe extern "C" fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char {
    // SAFETY: see above.
    unsafe { libc::realpath(Placed::new(path).as_ptr(), out) }
}
