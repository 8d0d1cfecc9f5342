//! Memory that the executable takes.

use std::ffi::{c_int, c_void};
use std::ptr;

/// The system no longer counts pages of code and constants that this process has used so far: what is used again comes from its cache,
/// a microsecond a page. A start touches some 30 MiB, of which a program that then does one thing for long needs a few.
///
/// A breakpoint that a debugger has written into the code is lost, too.
pub(crate) fn forget_pages() {
    // SAFETY: the callback takes what it is called with, and null.
    unsafe { libc::dl_iterate_phdr(Some(forget_of_program), ptr::null_mut()) };
}

/// Called with the executable first, which is all that is wanted.
unsafe extern "C" fn forget_of_program(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    // SAFETY: the system's description of the program: an address and a list of so many headers.
    let (base, headers) = unsafe {
        let info = &*info;
        (info.dlpi_addr as usize, std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)))
    };
    let is_constant = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0;
    for header in headers.iter().filter(is_constant) {
        let start = base + header.p_vaddr as usize;
        let first = start.next_multiple_of(page);
        let end = (start + header.p_filesz as usize) & !(page - 1);
        if first < end {
            // SAFETY: whole pages of a segment that nobody can write: they are the file's, and come from it again. A failure leaves them.
            unsafe { libc::madvise(ptr::with_exposed_provenance_mut(first), end - first, libc::MADV_DONTNEED) };
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// KiB of files that this process has in memory.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("status");
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).expect("RssFile");
        line.trim().trim_end_matches("kB").trim().parse().expect("a number")
    }

    #[test]
    fn pages_are_forgotten_and_come_again() {
        let before = resident();
        forget_pages();
        assert!(resident() < before);
        assert_eq!("constants stay what they are".len(), 28);
    }
}
