//! Functions of the system's libraries that are looked up when they are first called.
//!
//! Rust calls them through pointers that the dynamic linker fills before `main`, which costs a start a lookup each and a
//! copy of the pages where the pointers are, though a short program calls a seventh of them. The linker's `--wrap`
//! makes every use of a listed name one of a stub here (build.rs writes them from `lazy_calls.list`). A stub of libc jumps to
//! the entry in the procedure linkage table, which looks its function up once. One of libm jumps through a pointer that
//! first leads to `find`: the library is loaded by the first program that calculates with it.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

core::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/lazy_calls.s")), options(att_syntax));

// What the pointers of libm first lead to, with the number of the function on the stack. The functions take and give floating point
// and integers in registers; a call leaves nothing else in registers that it still needs.
core::arch::global_asm!(
    ".text",
    "bao_lazy_find:",
    ".cfi_startproc",
    ".cfi_adjust_cfa_offset 8",
    "push %rdi",
    ".cfi_adjust_cfa_offset 8",
    "push %rsi",
    ".cfi_adjust_cfa_offset 8",
    "sub $32, %rsp",
    ".cfi_adjust_cfa_offset 32",
    "movups %xmm0, (%rsp)",
    "movups %xmm1, 16(%rsp)",
    "mov 48(%rsp), %rdi",
    "call {find}",
    "mov %rax, %r11",
    "movups (%rsp), %xmm0",
    "movups 16(%rsp), %xmm1",
    "add $32, %rsp",
    ".cfi_adjust_cfa_offset -32",
    "pop %rsi",
    ".cfi_adjust_cfa_offset -8",
    "pop %rdi",
    ".cfi_adjust_cfa_offset -8",
    "add $8, %rsp",
    ".cfi_adjust_cfa_offset -8",
    "jmp *%r11",
    ".cfi_endproc",
    find = sym find,
    options(att_syntax),
);

unsafe extern "C" {
    /// Where the stubs of libm's functions jump to.
    static bao_lazy_targets: [AtomicPtr<c_void>; LIBM.len()];
}

/// The functions of libm, in the order of their numbers.
const LIBM: &[&CStr] = &include!(concat!(env!("OUT_DIR"), "/lazy_calls.rs"));

/// Looks up libm's function of a number, to which its stub jumps from now on.
///
/// Any thread may come here at any time: all find the same function.
extern "C" fn find(number: usize) -> *mut c_void {
    let name = LIBM[number];
    // SAFETY: build.rs writes as many as there are names.
    let target = unsafe { &bao_lazy_targets[number] };
    let library = match open_libm() {
        library if library.is_null() => open_libm_without_descriptors(),
        library => library,
    };
    // SAFETY: the handle of a library that stays, and a name.
    let function = if library.is_null() { library } else { unsafe { libc::dlsym(library, name.as_ptr()) } };
    if function.is_null() {
        let message = format!("bao: libm.so.6 or its function {} is missing\n", name.to_string_lossy());
        // SAFETY: the message is valid for its length.
        unsafe {
            libc::write(2, message.as_ptr().cast(), message.len());
            libc::_exit(crate::BUG)
        }
    }
    target.store(function, Ordering::Relaxed);
    function
}

/// The library, whose handle is kept for good; null if it cannot be opened.
fn open_libm() -> *mut c_void {
    // SAFETY: the system's own library, whose constructors do nothing but choose functions for the processor.
    unsafe { libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_LAZY) }
}

/// The same where the process has no descriptor left for the file: by a thread that has a table of descriptors of its own.
fn open_libm_without_descriptors() -> *mut c_void {
    // SAFETY: sets of signals are plain data; the calls get pointers to live values. No handler runs on the thread, where it would not
    // find its descriptors.
    let thread = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        let thread = std::thread::Builder::new().spawn(|| {
            // SAFETY: closes what the thread alone has: the system copies the table first (close_range(2)), or refuses.
            let closed = libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_UNSHARE) == 0;
            if closed { open_libm() as usize } else { 0 }
        });
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, std::ptr::null_mut());
        thread
    };
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(0) as *mut c_void
}
