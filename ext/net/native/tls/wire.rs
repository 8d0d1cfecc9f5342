//! What the library reads from and writes to: ciphertext in memory.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_long, c_void};
use std::ptr;
use std::sync::OnceLock;

use ssl::crypto as lc;

/// Ciphertext of one connection. It does not move while a [`lc::BIO`] refers to it.
#[derive(Default)]
pub(super) struct Wire {
    /// What has come and is not read: bytes of the caller's, which are there during one call.
    input: Cell<(usize, usize)>,
    output: RefCell<Vec<u8>>,
}

impl Wire {
    /// Lets the library read `input` while `f` runs; gives what it has left, too.
    pub(super) fn reading<T>(&self, input: &[u8], f: impl FnOnce() -> T) -> (T, usize) {
        self.input.set((input.as_ptr() as usize, input.len()));
        let result = f();
        let (_, left) = self.input.replace((0, 0));
        (result, left)
    }

    /// Bytes that are not read.
    pub(super) fn left(&self) -> usize {
        self.input.get().1
    }

    /// What the library has written, behind what is in `out`.
    pub(super) fn take(&self, out: &mut Vec<u8>) {
        let mut output = self.output.borrow_mut();
        if out.is_empty() {
            *out = std::mem::take(&mut output);
        } else {
            out.append(&mut output);
        }
    }

    /// An object of the library that reads and writes here. `self` must outlive it.
    pub(super) fn bio(&self) -> *mut lc::BIO {
        // SAFETY: the method lives for ever; the pointer is given back to the functions below only.
        unsafe {
            let bio = lc::BIO_new(method());
            assert!(!bio.is_null(), "out of memory");
            lc::BIO_set_data(bio, ptr::from_ref(self).cast_mut().cast());
            lc::BIO_set_init(bio, 1);
            bio
        }
    }
}

fn method() -> *const lc::BIO_METHOD {
    static METHOD: OnceLock<usize> = OnceLock::new();
    let made = METHOD.get_or_init(|| {
        // SAFETY: a method of an own kind, which is never freed.
        unsafe {
            let method = lc::BIO_meth_new(lc::BIO_get_new_index() | 0x400, c"bao wire".as_ptr());
            assert!(!method.is_null(), "out of memory");
            lc::BIO_meth_set_read(method, Some(read));
            lc::BIO_meth_set_write(method, Some(write));
            lc::BIO_meth_set_ctrl(method, Some(control));
            method as usize
        }
    });
    *made as *const lc::BIO_METHOD
}

unsafe extern "C" fn read(bio: *mut lc::BIO, out: *mut c_char, length: c_int) -> c_int {
    // SAFETY: `bio` is one of `Wire::bio`; its input is valid during the call that `reading` makes, and `out` has `length` bytes.
    unsafe {
        let wire = &*lc::BIO_get_data(bio).cast::<Wire>();
        let (from, left) = wire.input.get();
        let count = left.min(usize::try_from(length).unwrap_or(0));
        lc::BIO_clear_flags(bio, lc::BIO_FLAGS_RWS | lc::BIO_FLAGS_SHOULD_RETRY);
        if count == 0 {
            lc::BIO_set_retry_read(bio);
            return -1;
        }
        ptr::copy_nonoverlapping(from as *const u8, out.cast(), count);
        wire.input.set((from + count, left - count));
        count as c_int
    }
}

unsafe extern "C" fn write(bio: *mut lc::BIO, bytes: *const c_char, length: c_int) -> c_int {
    // SAFETY: `bio` is one of `Wire::bio`, and `bytes` has `length` bytes.
    unsafe {
        let wire = &*lc::BIO_get_data(bio).cast::<Wire>();
        let count = usize::try_from(length).unwrap_or(0);
        wire.output.borrow_mut().extend_from_slice(std::slice::from_raw_parts(bytes.cast(), count));
        length
    }
}

unsafe extern "C" fn control(_: *mut lc::BIO, command: c_int, _: c_long, _: *mut c_void) -> c_long {
    c_long::from(command == lc::BIO_CTRL_FLUSH)
}
