//! What is said when an addon ends the process by a fault or abort(3): its file and the function.
//!
//! The handler runs in a process that may be broken in any way. It takes no lock and allocates nothing: where code lies was noted when
//! addons were loaded, names of functions come from the file. Signals of other code go on to whoever had them before, which is how
//! the engine gets the faults of WebAssembly.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
];

/// What had the signals before.
static PREVIOUS: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Program,
    Library,
    Addon,
}

/// A file whose code is in memory.
struct Object {
    code: Vec<Range<usize>>,
    /// What is added to the file's own addresses.
    bias: usize,
    path: CString,
    kind: Kind,
}

/// The files of the process, as they were when the last addon was loaded. A list that is replaced stays: a handler may be reading it.
static OBJECTS: AtomicPtr<Vec<Object>> = AtomicPtr::new(ptr::null_mut());

/// The address that an address in `frames` was called from, or the faulty one itself.
struct Place<'a> {
    addon: &'a Object,
    address: usize,
    /// Whether other code that it has called is where the process ended.
    is_caller: bool,
}

/// Notes an addon that was loaded for the first time. Called under the lock of loading.
pub(crate) fn note(handle: *mut c_void) {
    let mut map: *mut usize = ptr::null_mut();
    // SAFETY: an open handle; what is asked for is a `struct link_map`, whose first word is the bias.
    let bias = unsafe {
        if libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) != 0 || map.is_null() {
            return;
        }
        *map
    };
    let mut objects: Vec<Object> = Vec::new();
    // SAFETY: the callback gets the vector back, and keeps nothing of what it is shown.
    unsafe { libc::dl_iterate_phdr(Some(add_object), (&raw mut objects).cast()) };
    // SAFETY: null, or a list that is never freed.
    let known = unsafe { OBJECTS.load(Ordering::Acquire).as_ref() };
    for object in &mut objects {
        let was_addon = |other: &Object| other.kind == Kind::Addon && other.bias == object.bias;
        if object.bias == bias || known.is_some_and(|known| known.iter().any(was_addon)) {
            object.kind = Kind::Addon;
        }
    }
    OBJECTS.store(Box::into_raw(Box::new(objects)), Ordering::Release);
    install();
}

/// A stack for the handler: where a thread's own is at its end, there is no room for it.
struct HandlerStack(*mut c_void);

impl HandlerStack {
    /// A signal's registers take up to 12 KiB, and walking the stack some more.
    const BYTES: usize = 64 << 10;

    /// Null inside where the thread has one already, or memory is short.
    fn new() -> Self {
        // SAFETY: valid structures; the memory is this thread's alone until it is dropped.
        unsafe {
            let mut old: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(ptr::null(), &raw mut old) != 0 || old.ss_flags & libc::SS_DISABLE == 0 {
                return Self(ptr::null_mut());
            }
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let memory = libc::mmap(ptr::null_mut(), Self::BYTES, access, kind, -1, 0);
            if memory == libc::MAP_FAILED {
                return Self(ptr::null_mut());
            }
            let new = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: Self::BYTES };
            libc::sigaltstack(&raw const new, ptr::null_mut());
            Self(memory)
        }
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        if self.0.is_null() {
            return;
        }
        // SAFETY: the thread ends, in no handler. Where somebody has put another stack in this one's place, that stays.
        unsafe {
            let mut old: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &raw mut old);
            if old.ss_sp == self.0 {
                old.ss_flags = libc::SS_DISABLE;
                libc::sigaltstack(&raw const old, ptr::null_mut());
            }
            libc::munmap(self.0, Self::BYTES);
        }
    }
}

thread_local! {
    /// The name of the plugin of the bundler that this thread is in, a text that stays; null outside of one.
    pub(crate) static PLUGIN: Cell<*const c_char> = const { Cell::new(ptr::null()) };
}

/// Makes sure that the handler has a stack on this thread, which has loaded an addon or calls one.
pub(crate) fn give_stack() {
    thread_local!(static STACK: HandlerStack = HandlerStack::new());
    // A thread that ends needs none.
    let _ = STACK.try_with(|_| ());
}

/// # Safety
/// As dl_iterate_phdr(3) calls it, with a `Vec<Object>`.
unsafe extern "C" fn add_object(info: *mut libc::dl_phdr_info, _size: libc::size_t, objects: *mut c_void) -> c_int {
    // SAFETY: the system's description of a file, and the caller's vector.
    unsafe {
        let (info, objects) = (&*info, &mut *objects.cast::<Vec<Object>>());
        let bias = info.dlpi_addr as usize;
        let segments = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let code = segments
            .iter()
            .filter(|segment| segment.p_type == libc::PT_LOAD && segment.p_flags & libc::PF_X != 0)
            .map(|segment| bias + segment.p_vaddr as usize..bias + (segment.p_vaddr + segment.p_memsz) as usize)
            .collect();
        // The first one is the program.
        let kind = if objects.is_empty() { Kind::Program } else { Kind::Library };
        let path = if info.dlpi_name.is_null() { c"".into() } else { CStr::from_ptr(info.dlpi_name).into() };
        objects.push(Object { code, bias, path, kind });
    }
    0
}

fn install() {
    for ((signal, _), previous) in SIGNALS.iter().zip(&PREVIOUS) {
        previous.get_or_init(|| {
            // SAFETY: valid structures, and a handler of that kind.
            unsafe {
                let mut new: libc::sigaction = std::mem::zeroed();
                let mut old: libc::sigaction = std::mem::zeroed();
                new.sa_sigaction = on_signal as *const () as usize;
                new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(*signal, &raw const new, &raw mut old);
                old
            }
        });
    }
    // The first walk loads what it needs; none of that may happen in the handler.
    let mut frame = ptr::null_mut();
    // SAFETY: room for one frame.
    unsafe { libc::backtrace(&raw mut frame, 1) };
}

/// # Safety
/// Called by the system only.
unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|(number, _)| *number == signal);
    let previous = index.and_then(|index| PREVIOUS[index].get());
    // SAFETY: what the system has called this with.
    unsafe {
        // SAFETY: null, or a list that is never freed.
        let objects = OBJECTS.load(Ordering::Acquire).as_ref();
        let place = objects.and_then(|objects| find(objects, &*context.cast::<libc::ucontext_t>()));
        report_plugin();
        // What is sent can be ignored; a fault that is would happen again and again, and ends the process as without this handler.
        let is_sent = (*info).si_code <= 0;
        match (place, previous) {
            (Some(place), _) => report(index.map_or("a signal", |index| SIGNALS[index].1), &place),
            (None, Some(previous)) if previous.sa_sigaction == libc::SIG_IGN && is_sent => return,
            (None, Some(previous)) if previous.sa_sigaction == libc::SIG_IGN => {}
            (None, Some(previous)) if previous.sa_sigaction != libc::SIG_DFL => {
                if previous.sa_flags & libc::SA_SIGINFO != 0 {
                    type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
                    std::mem::transmute::<usize, Handler>(previous.sa_sigaction)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(previous.sa_sigaction)(signal);
                }
                return;
            }
            _ => {}
        }
        // The end that the signal has by itself, with a core of the faulty place: a fault happens again on return, what was sent is sent again.
        libc::signal(signal, libc::SIG_DFL);
        if is_sent {
            libc::raise(signal);
        }
    }
}

/// The faulty address and the stack pointer.
fn registers(context: &libc::ucontext_t) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    {
        let registers = &context.uc_mcontext.gregs;
        (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize)
    }
    #[cfg(target_arch = "aarch64")]
    {
        (context.uc_mcontext.pc as usize, context.uc_mcontext.sp as usize)
    }
}

/// Where an addon has ended the process; `None` where it was other code: the engine's own, that of a library nobody has called from
/// an addon, or machine code that is in no file.
fn find<'a>(objects: &'a [Object], context: &libc::ucontext_t) -> Option<Place<'a>> {
    /// Addresses that never are code: a call of null or of a field of it.
    const NOWHERE: usize = 4096;
    const FRAMES: usize = 48;
    /// Functions of the program between its interface and what an addon's wrong argument breaks.
    const DEPTH: usize = 8;
    let at = |address: usize| objects.iter().find(|object| object.code.iter().any(|range| range.contains(&address)));
    let (address, stack) = registers(context);
    match at(address) {
        Some(addon) if addon.kind == Kind::Addon => return Some(Place { addon, address, is_caller: false }),
        Some(_) => {}
        None if address < NOWHERE && cfg!(target_arch = "x86_64") => {
            // SAFETY: the caller's address is what a call leaves on the stack. If there is no stack, the process ends here.
            let caller = unsafe { *(stack as *const usize) } - 1;
            let addon = at(caller).filter(|object| object.kind == Kind::Addon)?;
            return Some(Place { addon, address: caller, is_caller: true });
        }
        None => return None,
    }
    let mut frames = [ptr::null_mut(); FRAMES];
    // SAFETY: room for so many frames.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as c_int) };
    let frames = &frames[..count.max(0) as usize];
    let begin = frames.iter().position(|frame| frame.addr() == address)? + 1;
    let mut own = 0;
    for frame in &frames[begin..] {
        // An address that is returned to is behind the call.
        let address = frame.addr().wrapping_sub(1);
        let object = at(address)?;
        match object.kind {
            Kind::Addon => return Some(Place { addon: object, address, is_caller: true }),
            Kind::Program if own == DEPTH => return None,
            Kind::Program => own += 1,
            Kind::Library => {}
        }
    }
    None
}

/// A line of text without memory of its own; what is too long is cut.
struct Line {
    bytes: [u8; 1024],
    length: usize,
}

impl Line {
    fn push(&mut self, text: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let count = text.len().min(room.len());
        room[..count].copy_from_slice(&text[..count]);
        self.length += count;
    }

    /// Writes it to standard error.
    fn write(&self) {
        // SAFETY: bytes of that length.
        unsafe { libc::write(2, self.bytes.as_ptr().cast(), self.length) };
    }

    fn push_hex(&mut self, number: usize) {
        self.push(b"0x");
        let digits = (usize::BITS - number.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            self.push(&[b"0123456789abcdef"[number >> (4 * digit) & 15]]);
        }
    }
}

/// Names the plugin that this thread is in, with the words and colors that Bun has for it.
fn report_plugin() {
    let name = PLUGIN.get();
    if name.is_null() {
        return;
    }
    let mut line = Line { bytes: [0; 1024], length: 0 };
    line.push(b"bao has encountered a crash while running the \x1b[31m\x1b[2m\"");
    // SAFETY: a text of an addon's, which is never unloaded.
    line.push(unsafe { CStr::from_ptr(name) }.to_bytes());
    line.push(b"\"\x1b[0m native plugin.\n");
    line.write();
}

fn report(signal: &str, place: &Place<'_>) {
    let mut line = Line { bytes: [0; 1024], length: 0 };
    let own_address = place.address - place.addon.bias;
    for part in ["FATAL ERROR: ", signal, " in "] {
        line.push(part.as_bytes());
    }
    if place.is_caller {
        line.push(b"a function called by ");
    }
    line.push(b"the addon ");
    line.push(place.addon.path.to_bytes());
    line.push(b", ");
    if !with_function_at(&place.addon.path, own_address, |name| line.push(name)) {
        line.push(b"at ");
        line.push_hex(own_address);
    }
    line.push(b"\n");
    line.write();
}

/// Calls `f` with the name of the function of a file that is at `address`; false where the file does not say it.
fn with_function_at(path: &CStr, address: usize, f: impl FnMut(&[u8])) -> bool {
    // SAFETY: system calls with valid arguments; the mapping is read while it is there. A file that somebody cuts off now ends the process,
    // which ends anyway.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let mut status: libc::stat = std::mem::zeroed();
        let length = if libc::fstat(file, &raw mut status) == 0 { status.st_size as usize } else { 0 };
        let memory = libc::mmap(ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file, 0);
        libc::close(file);
        if memory == libc::MAP_FAILED {
            return false;
        }
        let found = function_at(std::slice::from_raw_parts(memory.cast(), length), address).map(f).is_some();
        libc::munmap(memory, length);
        found
    }
}

/// A structure of an ELF file; `None` outside of it.
fn read<T: Copy>(file: &[u8], offset: u64) -> Option<T> {
    let offset = usize::try_from(offset).ok()?;
    let bytes = file.get(offset..offset.checked_add(size_of::<T>())?)?;
    // SAFETY: as many bytes as the structure has, which is made of integers.
    Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// The name of the function at an address of the file's own, from the symbols that debuggers read, or else those that are exported.
fn function_at(file: &[u8], address: usize) -> Option<&[u8]> {
    const FUNCTION: u8 = 2;
    const SYMBOLS: u32 = 2;
    const EXPORTED_SYMBOLS: u32 = 11;
    let header: libc::Elf64_Ehdr = read(file, 0)?;
    if header.e_ident[..5] != *b"\x7fELF\x02" {
        return None;
    }
    let section = |index: u64| -> Option<libc::Elf64_Shdr> {
        read(file, header.e_shoff.checked_add(index.checked_mul(size_of::<libc::Elf64_Shdr>() as u64)?)?)
    };
    for wanted in [SYMBOLS, EXPORTED_SYMBOLS] {
        let sections = (0..u64::from(header.e_shnum)).map_while(section);
        for table in sections.filter(|section| section.sh_type == wanted) {
            let names = section(u64::from(table.sh_link))?;
            let size = size_of::<libc::Elf64_Sym>() as u64;
            let symbols = (0..table.sh_size / size).map_while(|n| read(file, table.sh_offset.checked_add(n * size)?));
            let found = symbols.into_iter().find(|symbol: &libc::Elf64_Sym| {
                let begin = symbol.st_value as usize;
                symbol.st_info & 15 == FUNCTION
                    && (begin..begin.saturating_add(symbol.st_size as usize)).contains(&address)
            });
            if let Some(symbol) = found {
                let begin = usize::try_from(names.sh_offset.checked_add(u64::from(symbol.st_name))?).ok()?;
                let text = file.get(begin..)?;
                return text.split(|byte| *byte == 0).next();
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_file_are_found_and_anything_else_is_not_one() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let mut objects: Vec<Object> = Vec::new();
        // SAFETY: as in `note`.
        unsafe { libc::dl_iterate_phdr(Some(add_object), (&raw mut objects).cast()) };
        let address = function_at as *const () as usize;
        assert!(objects[0].code.iter().any(|range| range.contains(&address)));
        let name = function_at(&file, address - objects[0].bias).expect("its own symbol");
        assert!(String::from_utf8_lossy(name).contains("function_at"));
        assert_eq!(function_at(&file, 0), None);
        assert_eq!(function_at(b"\x7fELF\x02 and no more", 0), None);
        for cut in (0..file.len().min(100_000)).step_by(997) {
            function_at(&file[..cut], address);
        }
    }

    #[test]
    fn numbers_are_written_in_hexadecimal() {
        let mut line = Line { bytes: [0; 1024], length: 0 };
        for number in [0, 0x1f, usize::MAX] {
            line.push_hex(number);
        }
        assert_eq!(&line.bytes[..line.length], b"0x00x1f0xffffffffffffffff");
        line.push(&[b'x'; 2000]);
        assert_eq!(line.length, 1024);
    }
}
