//! Memory for machine code. No page can be written to and executed at the same time: code is written, then the page is made
//! executable and never written to again.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// Pages of code, freed when this is dropped.
pub(crate) struct Code {
    start: *mut c_void,
    length: usize,
}

fn map(length: usize) -> io::Result<*mut c_void> {
    // SAFETY: a new mapping.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start) }
}

impl Code {
    /// Executable memory with these bytes.
    ///
    /// # Errors
    /// What the system says where it gives no memory, or forbids that code is made at run time.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Code> {
        let code = Code { start: map(bytes.len().max(1))?, length: bytes.len().max(1) };
        // SAFETY: our own pages, as long as the bytes.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), code.start.cast(), bytes.len());
            if libc::mprotect(code.start, code.length, libc::PROT_READ | libc::PROT_EXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(code)
    }

    /// The address of a byte.
    pub(crate) fn at(&self, offset: usize) -> *const c_void {
        // SAFETY: within the mapping.
        unsafe { self.start.cast::<u8>().add(offset).cast() }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: our own mapping; whoever runs its code keeps this alive.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

/// Bytes of code of a stub, and of its word.
const STUB: usize = 16;
const WORD: usize = 8;
/// A page of stubs, then a page with their words.
const PAGE: usize = 4096;
/// Where in its page the word of the first stub is; the target of all stubs is at the start.
const FIRST_WORD: usize = 16;

/// A stub: a function of C's that jumps to one place with the address of a word of its own in r10.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stub {
    /// What C calls.
    pub(crate) address: u64,
    pub(crate) word: *mut u64,
}

/// A page of stubs that lead to `target`. It is never freed: C may keep the addresses for ever.
///
/// # Errors
/// As for [`Code::new`].
pub(crate) fn stubs(target: *const ()) -> io::Result<Vec<Stub>> {
    let start = map(2 * PAGE)?.cast::<u8>();
    let mut made = Vec::new();
    // SAFETY: within the new mapping; distances are below two pages.
    unsafe {
        start.add(PAGE).cast::<u64>().write(target as u64);
        for index in 0..PAGE / STUB {
            let stub = start.add(index * STUB);
            let word = start.add(PAGE + FIRST_WORD + index * WORD);
            // lea r10, [rip + distance of the word]; jmp [rip + distance of the target]
            let mut code = vec![0x4c, 0x8d, 0x15];
            code.extend_from_slice(&(word.offset_from(stub.add(7)) as i32).to_le_bytes());
            code.extend_from_slice(&[0xff, 0x25]);
            code.extend_from_slice(&(start.add(PAGE).offset_from(stub.add(13)) as i32).to_le_bytes());
            ptr::copy_nonoverlapping(code.as_ptr(), stub, code.len());
            made.push(Stub { address: stub as u64, word: word.cast() });
        }
        if libc::mprotect(start.cast(), PAGE, libc::PROT_READ | libc::PROT_EXEC) != 0 {
            let error = io::Error::last_os_error();
            libc::munmap(start.cast(), 2 * PAGE);
            return Err(error);
        }
    }
    Ok(made)
}
