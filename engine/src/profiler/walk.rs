//! What the signal handler does: the JavaScript stack of the thread that was interrupted, written into memory that is there
//! already. Nothing here allocates, locks or waits.
//!
//! Frames of machine code come from `JS::ProfilingFrameIterator` (js/public/ProfilingFrameIterator.h), those of the C++ interpreter
//! from the `ProfilingStack` that the engine pushes them on (js/public/ProfilingStack.h); addresses on the stack say which of
//! two is the younger one.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use mozjs::jsapi::{JS, JSContext};

/// The youngest frames of a stack are kept, as many as V8 keeps.
pub(super) const MAX_FRAMES: usize = 256;
/// Bytes of the names of a stack's functions.
const MAX_TEXT: usize = 128 << 10;
/// Functions that a frame of optimized code stands for, at most: `InlineScriptTree::MaxDepth` of the engine is 8.
const MAX_INLINED: usize = 16;
/// Remembered return addresses; a power of two.
const REMEMBERED: usize = 4096;
/// Functions of a remembered address, at most.
const MAX_REMEMBERED: usize = 8;
/// Names that were copied; a power of two.
const COPIED: usize = 4096;

/// `ProfilingStackFrame`.
#[repr(C)]
struct StackEntry {
    label: *const c_char,
    dynamic: *const c_char,
    /// Address on the stack of a label or a marker; the script of a frame of the interpreter.
    address: *const c_void,
    realm: u64,
    source: u32,
    offset: i32,
    flags: u32,
}

const IS_LABEL: u32 = 1;
const IS_MARKER: u32 = 1 << 1;
const IS_SCRIPT: u32 = 1 << 2;
/// The interpreter's frame goes on in machine code.
const IS_REPLACED: u32 = 1 << 3;
/// A function of the language's own library.
const IS_METHOD: u32 = 1 << 7;

/// `ProfilingStack`. The engine keeps its address and writes it.
#[repr(C)]
pub(super) struct EntryStack {
    capacity: u32,
    entries: *mut StackEntry,
    /// Entries in use; may be more than the capacity for a moment.
    used: u32,
}

impl EntryStack {
    pub(super) fn new() -> Self {
        EntryStack { capacity: 0, entries: ptr::null_mut(), used: 0 }
    }
}

impl Drop for EntryStack {
    fn drop(&mut self) {
        self.used = 0;
        // SAFETY: a `ProfilingStack` by its layout, of which no context knows any more.
        unsafe { DestroyProfilingStack(self) };
    }
}

/// `JS::ProfilingFrameIterator::RegisterState`.
#[repr(C)]
struct Registers {
    pc: *const c_void,
    sp: *const c_void,
    fp: *const c_void,
    unused: [*const c_void; 2],
}

/// `JS::ProfilingFrameIterator`.
#[repr(C, align(8))]
struct FrameIterator {
    cx: *mut JSContext,
    position: MaybeU64,
    /// Null at the end.
    activation: *const c_void,
    end: *const c_void,
    kind: u8,
    storage: [usize; 9],
}

/// `mozilla::Maybe<uint64_t>`.
#[repr(C)]
struct MaybeU64 {
    value: u64,
    is_some: bool,
}

/// `JS::ProfilingFrameIterator::Frame`.
#[derive(Clone, Copy)]
#[repr(C)]
struct RawFrame {
    kind: i32,
    stack_address: *const c_void,
    return_address: *const c_void,
    activation: *const c_void,
    end: *const c_void,
    label: *const c_char,
    script: *const c_void,
    realm: u64,
    source: u32,
    line: u32,
    column: u32,
}

/// `FrameKind::Frame_Baseline` and `Frame_Ion`.
const KIND_BASELINE: i32 = 1;
const KIND_ION: i32 = 2;

/// `mozilla::Maybe<Frame>`.
#[repr(C)]
struct MaybeFrame {
    frame: MaybeUninit<RawFrame>,
    is_some: bool,
}

unsafe extern "C" {
    #[link_name = "\u{1}_ZN14ProfilingStackD1Ev"]
    fn DestroyProfilingStack(stack: *mut EntryStack);

    #[link_name = "\u{1}_ZN2JS22ProfilingFrameIteratorC1EP9JSContextRKNS0_13RegisterStateERKN7mozilla5MaybeImEE"]
    fn ConstructIterator(
        this: *mut FrameIterator,
        cx: *mut JSContext,
        registers: *const Registers,
        position: *const MaybeU64,
    );

    #[link_name = "\u{1}_ZN2JS22ProfilingFrameIteratorD1Ev"]
    fn DestroyIterator(this: *mut FrameIterator);

    #[link_name = "\u{1}_ZN2JS22ProfilingFrameIteratorppEv"]
    fn AdvanceIterator(this: *mut FrameIterator);

    #[link_name = "\u{1}_ZNK2JS22ProfilingFrameIterator12extractStackEPNS0_5FrameEjj"]
    fn ExtractStack(this: *const FrameIterator, frames: *mut RawFrame, offset: u32, end: u32) -> u32;

    #[link_name = "\u{1}_ZNK2JS22ProfilingFrameIterator28getPhysicalFrameWithoutLabelEv"]
    fn PhysicalFrame(this: *const FrameIterator) -> MaybeFrame;
}

/// A frame of a sample.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameRecord {
    /// The address of the function's name, which is the name's as long as no collection goes on.
    pub(super) name: usize,
    /// Where its name is in the text, and its length; 0 where it was in a sample since the last step of a collection.
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) source: u32,
    /// Where the function was; 0 if that is not known.
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A function of a remembered address.
#[derive(Clone, Copy)]
struct KnownFrame {
    label: *const c_char,
    source: u32,
    line: u32,
    column: u32,
}

/// A return address into machine code, and its functions: the engine finds the line of one by going through all code.
#[derive(Clone, Copy)]
struct Remembered {
    address: *const c_void,
    /// Of the heap when it was looked up: code lives as long as no collection goes on.
    generation: u32,
    count: u32,
    frames: [KnownFrame; MAX_REMEMBERED],
}

/// What a handler has found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// The frames, from the youngest; none where no JavaScript runs.
    Stack,
    /// A collection.
    Collection,
}

/// Memory of a thread's samples. The sampler asks by [`Buffer::requested`] and reads the rest when [`Buffer::done`] says so.
pub(super) struct Buffer {
    pub(super) requested: AtomicBool,
    /// Posted when a sample is complete.
    pub(super) done: libc::sem_t,
    /// Changes with each step of a collection.
    generation: AtomicU32,
    /// What it was at the last sample.
    pub(super) sampled: u32,
    cx: *mut JSContext,
    stack: *const EntryStack,
    pub(super) found: Found,
    count: usize,
    frames: [FrameRecord; MAX_FRAMES],
    used: usize,
    text: Box<[u8]>,
    remembered: Box<[Remembered]>,
    /// Addresses of names, and the generation in which they were copied.
    copied: Box<[(usize, u32)]>,
}

// SAFETY: the pointers are used on the context's thread only; the other fields by the thread whose turn it is.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

const NO_FRAME: RawFrame = RawFrame {
    kind: 0,
    stack_address: ptr::null(),
    return_address: ptr::null(),
    activation: ptr::null(),
    end: ptr::null(),
    label: ptr::null(),
    script: ptr::null(),
    realm: 0,
    source: 0,
    line: 0,
    column: 0,
};

thread_local! {
    /// The buffer of this thread's samples; null if none are taken.
    static BUFFER: Cell<*mut Buffer> = const { Cell::new(ptr::null_mut()) };
}

/// Has this thread's signals fill `buffer` from now on; null for nothing.
pub(super) fn set_buffer(buffer: *mut Buffer) {
    BUFFER.set(buffer);
}

impl Buffer {
    /// # Safety
    /// `cx` is the context of this thread, `stack` the one that it was given.
    pub(super) unsafe fn new(cx: *mut JSContext, stack: *const EntryStack) -> Box<Buffer> {
        let frame = KnownFrame { label: ptr::null(), source: 0, line: 0, column: 0 };
        let nothing = Remembered { address: ptr::null(), generation: 0, count: 0, frames: [frame; MAX_REMEMBERED] };
        let mut buffer = Box::new(Buffer {
            requested: AtomicBool::new(false),
            // SAFETY: plain data, initialized below.
            done: unsafe { std::mem::zeroed() },
            generation: AtomicU32::new(1),
            sampled: 0,
            cx,
            stack,
            found: Found::Stack,
            count: 0,
            frames: [FrameRecord::default(); MAX_FRAMES],
            used: 0,
            text: vec![0; MAX_TEXT].into_boxed_slice(),
            remembered: vec![nothing; REMEMBERED].into_boxed_slice(),
            copied: vec![(0, 0); COPIED].into_boxed_slice(),
        });
        // SAFETY: it stays where it is in its box.
        unsafe { libc::sem_init(&mut buffer.done, 0, 0) };
        buffer
    }

    /// The frames of the last sample, from the youngest.
    pub(super) fn frames(&self) -> &[FrameRecord] {
        &self.frames[..self.count]
    }

    /// The name of a frame's function, as the engine writes it.
    pub(super) fn label(&self, frame: &FrameRecord) -> &[u8] {
        &self.text[frame.start as usize..(frame.start + frame.length) as usize]
    }

    /// Adds a frame; false where there is no room.
    ///
    /// # Safety
    /// The label is a C string.
    unsafe fn push(&mut self, label: *const c_char, source: u32, line: u32, column: u32) -> bool {
        let name = label as usize;
        let slot = (name >> 3).wrapping_mul(0x9E37_79B1) >> 9 & (COPIED - 1);
        let is_copied = self.copied[slot] == (name, self.sampled);
        // SAFETY: the caller's.
        let length = if label.is_null() || is_copied { 0 } else { unsafe { libc::strlen(label) } };
        if self.count == MAX_FRAMES || self.used + length > MAX_TEXT {
            return false;
        }
        self.copied[slot] = (name, self.sampled);
        let start = self.used as u32;
        if length > 0 {
            // SAFETY: so many bytes are readable, and there is room for them.
            unsafe {
                ptr::copy_nonoverlapping(label.cast::<u8>(), self.text.as_mut_ptr().add(self.used), length);
            }
        }
        self.used += length;
        self.frames[self.count] = FrameRecord { name, start, length: length as u32, source, line, column };
        self.count += 1;
        true
    }

    /// The functions that the iterator's frame stands for, from the youngest, and their number.
    ///
    /// # Safety
    /// The iterator is not at its end.
    unsafe fn extract(&mut self, iterator: &FrameIterator, into: &mut [RawFrame; MAX_INLINED]) -> usize {
        // SAFETY: the caller's; the engine writes `MAX_INLINED` frames at most.
        unsafe {
            let physical = PhysicalFrame(iterator);
            if !physical.is_some {
                return 0;
            }
            let physical = physical.frame.assume_init();
            if physical.kind != KIND_BASELINE && physical.kind != KIND_ION {
                return ExtractStack(iterator, into.as_mut_ptr(), 0, MAX_INLINED as u32) as usize;
            }
            let slot = (physical.return_address as usize >> 2).wrapping_mul(0x9E37_79B1) >> 7 & (REMEMBERED - 1);
            let known = &mut self.remembered[slot];
            if known.address == physical.return_address && known.generation == self.sampled {
                let count = known.count as usize;
                for (frame, known) in into.iter_mut().zip(&known.frames[..count]) {
                    *frame = RawFrame {
                        label: known.label,
                        source: known.source,
                        line: known.line,
                        column: known.column,
                        ..physical
                    };
                }
                return count;
            }
            let count = ExtractStack(iterator, into.as_mut_ptr(), 0, MAX_INLINED as u32) as usize;
            if count <= MAX_REMEMBERED {
                (known.address, known.generation, known.count) = (physical.return_address, self.sampled, count as u32);
                for (known, frame) in known.frames.iter_mut().zip(&into[..count]) {
                    *known =
                        KnownFrame { label: frame.label, source: frame.source, line: frame.line, column: frame.column };
                }
            }
            count
        }
    }

    /// Writes the stack of this thread.
    ///
    /// # Safety
    /// On the context's thread, in a handler that interrupted it with these registers.
    unsafe fn walk(&mut self, registers: &Registers) {
        (self.count, self.used) = (0, 0);
        self.sampled = self.generation.load(Ordering::Relaxed);
        // SAFETY: the context is this thread's; a read.
        let state = unsafe { JS::RuntimeHeapState() };
        if state != JS::HeapState::Idle {
            self.found = Found::Collection;
            return;
        }
        self.found = Found::Stack;
        // SAFETY: the stack's entries in use are complete at each moment (js/public/ProfilingStack.h), and this thread is the one
        // that changes them; the engine's iterator is made for threads that stopped anywhere.
        unsafe {
            let stack = &*self.stack;
            let entries = stack.entries;
            let mut next = stack.used.min(stack.capacity) as usize;
            let mut iterator = MaybeUninit::<FrameIterator>::zeroed();
            let nothing = MaybeU64 { value: 0, is_some: false };
            ConstructIterator(iterator.as_mut_ptr(), self.cx, registers, &nothing);
            let iterator = iterator.assume_init_mut();
            let mut compiled = [NO_FRAME; MAX_INLINED];
            let (mut at, mut count) = (0, 0);
            loop {
                if at == count {
                    if !iterator.activation.is_null() {
                        (at, count) = (0, self.extract(iterator, &mut compiled).min(MAX_INLINED));
                        AdvanceIterator(iterator);
                        if count == 0 {
                            continue;
                        }
                    } else {
                        count = 0;
                        at = 0;
                    }
                }
                while next > 0 && !is_function(&*entries.add(next - 1)) {
                    next -= 1;
                }
                let is_compiled = at < count;
                let pushed = if is_compiled
                    && (next == 0 || (compiled[at].stack_address as usize) < address_of(entries, next - 1))
                {
                    let frame = compiled[at];
                    at += 1;
                    self.push(frame.label, frame.source, frame.line, frame.column)
                } else if next > 0 {
                    let entry = &*entries.add(next - 1);
                    next -= 1;
                    let name = if entry.dynamic.is_null() { entry.label } else { entry.dynamic };
                    let source = if entry.flags & IS_SCRIPT != 0 { entry.source } else { 0 };
                    self.push(name, source, 0, 0)
                } else {
                    break;
                };
                if !pushed {
                    break;
                }
            }
            DestroyIterator(iterator);
        }
    }
}

/// Whether an entry stands for a function that is not also among the frames of machine code.
fn is_function(entry: &StackEntry) -> bool {
    if entry.flags & IS_SCRIPT != 0 {
        // The entry of the engine's own function that runs a script has a label only.
        return entry.flags & IS_REPLACED == 0 && !entry.dynamic.is_null();
    }
    entry.flags & IS_METHOD != 0 && entry.flags & IS_LABEL != 0 && !entry.label.is_null()
}

/// Where on the stack the entry is: frames of the interpreter have the place of what called it.
///
/// # Safety
/// `index` is that of an entry in use.
unsafe fn address_of(entries: *const StackEntry, index: usize) -> usize {
    for index in (0..=index).rev() {
        // SAFETY: the caller's.
        let entry = unsafe { &*entries.add(index) };
        if entry.flags & (IS_LABEL | IS_MARKER) != 0 {
            return entry.address as usize;
        }
    }
    usize::MAX
}

/// The registers of what a signal has interrupted.
///
/// # Safety
/// `context` is what a handler with `SA_SIGINFO` was given.
unsafe fn registers_of(context: *const libc::ucontext_t) -> Registers {
    // SAFETY: the caller's.
    let machine = unsafe { &(*context).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    let (pc, sp, fp, lr) = {
        let register = |index: i32| machine.gregs[index as usize] as usize;
        (register(libc::REG_RIP), register(libc::REG_RSP), register(libc::REG_RBP), 0)
    };
    #[cfg(target_arch = "aarch64")]
    let (pc, sp, fp, lr) =
        (machine.pc as usize, machine.sp as usize, machine.regs[29] as usize, machine.regs[30] as usize);
    let pointer = ptr::without_provenance;
    Registers { pc: pointer(pc), sp: pointer(sp), fp: pointer(fp), unused: [pointer(lr), ptr::null()] }
}

/// The handler of the sampler's signal. One that comes when nobody has asked is nothing.
unsafe extern "C" fn handle(_signal: i32, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let buffer = BUFFER.get();
    if buffer.is_null() {
        return;
    }
    // SAFETY: the buffer lives as long as it is set. While a request stands, it is the handler's.
    unsafe {
        if !(*buffer).requested.swap(false, Ordering::AcqRel) {
            return;
        }
        let errno = *libc::__errno_location();
        let registers = registers_of(context.cast());
        (*buffer).walk(&registers);
        libc::sem_post(&raw mut (*buffer).done);
        *libc::__errno_location() = errno;
    }
}

/// Installs the handler, for good: a signal may be on its way when the last profile ends, and would end the process.
pub(super) fn install_handler() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: a handler that only does what is allowed in one.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGPROF, &action, ptr::null_mut());
        }
    });
}

/// The engine's callback about steps of collections.
pub(super) unsafe extern "C" fn note_collection(
    _cx: *mut JSContext,
    _progress: JS::GCProgress,
    _description: *const JS::GCDescription,
) {
    let buffer = BUFFER.get();
    if !buffer.is_null() {
        // SAFETY: as in the handler, which reads this field only.
        unsafe { (*buffer).generation.fetch_add(1, Ordering::Relaxed) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layouts are those of mozjs_sys 153.6.
    #[test]
    fn layouts_are_the_engine_s() {
        assert_eq!(size_of::<StackEntry>(), 48);
        assert_eq!(size_of::<EntryStack>(), 24);
        assert_eq!(size_of::<FrameIterator>(), 120);
        assert_eq!(size_of::<RawFrame>(), 80);
        assert_eq!(std::mem::offset_of!(FrameIterator, activation), 24);
        assert_eq!(std::mem::offset_of!(RawFrame, label), 40);
    }
}
