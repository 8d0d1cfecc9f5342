//! The gzip layer (RFC 1952).
//!
//! The last four bytes of a member are the length of what it inflates to, modulo 2^32. Where that number is plausible the output buffer
//! is made exactly that large and libdeflate fills it in one call. The number is only a hint: a stream that is larger, has several
//! members or is too large for one buffer is inflated in pieces.

use std::ptr::NonNull;

use libdeflate_sys as sys;

use crate::stream::Stream;
use crate::{Error, damaged, is_gzip};

/// Trailers outside of these bounds are not believed.
const SMALLEST_TRAILER: usize = 16;
const LARGEST_TRAILER: usize = 32 << 20;
/// A buffer up to this size is kept for the next tarball of the thread.
const LARGEST_KEPT_BUFFER: usize = 8 << 20;

/// A decompressor with its output buffer; each thread has one.
pub struct Inflater {
    state: NonNull<sys::libdeflate_decompressor>,
    buffer: Vec<u8>,
}

// SAFETY: the decompressor is a plain heap object without ties to the thread that made it, and only `&mut self` reaches it.
unsafe impl Send for Inflater {}

enum OneShot {
    /// The number of compressed bytes that were used.
    Done(usize),
    /// The trailer was not the size of the output.
    TooSmall,
    Damaged,
}

impl Default for Inflater {
    fn default() -> Self {
        Self::new()
    }
}

impl Inflater {
    pub fn new() -> Self {
        // SAFETY: no arguments; the result is checked.
        let state = unsafe { sys::libdeflate_alloc_decompressor() };
        let Some(state) = NonNull::new(state) else {
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u8; 8192]>())
        };
        Self { state, buffer: Vec::new() }
    }

    /// Inflates `input` and gives the result to `sink`, in one piece where possible. Bytes that do not begin a gzip member are given as
    /// they are (an archive that is not compressed).
    ///
    /// # Errors
    /// Damaged or truncated input, more than `limit` bytes of output, or what `sink` returned.
    pub fn inflate<E: From<Error>>(
        &mut self,
        input: &[u8],
        limit: u64,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if !is_gzip(input) {
            return sink(input);
        }
        let trailer = input.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        if trailer > SMALLEST_TRAILER && trailer <= LARGEST_TRAILER && trailer as u64 <= limit {
            match self.one_shot(input, trailer) {
                OneShot::Done(used) => {
                    sink(&self.buffer)?;
                    let written = self.buffer.len() as u64;
                    if self.buffer.capacity() > LARGEST_KEPT_BUFFER {
                        self.buffer = Vec::new();
                    }
                    return members(&input[used..], limit - written, sink);
                }
                OneShot::Damaged => {
                    return Err(damaged("its data does not follow the format or its checksum is wrong").into());
                }
                OneShot::TooSmall => {}
            }
        }
        members(input, limit, sink)
    }

    fn one_shot(&mut self, input: &[u8], size: usize) -> OneShot {
        self.buffer.clear();
        self.buffer.reserve_exact(size);
        let (mut used, mut written) = (0usize, 0usize);
        // SAFETY: the pointers and lengths are those of `input` and of the reserved, unused part of `buffer`; libdeflate writes at most
        // `size` bytes and reports how many it wrote.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.state.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                self.buffer.as_mut_ptr().cast(),
                size,
                &mut used,
                &mut written,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => {
                // SAFETY: the first `written` bytes, at most `size`, were written by the call.
                unsafe { self.buffer.set_len(written) };
                OneShot::Done(used)
            }
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => OneShot::TooSmall,
            _ => OneShot::Damaged,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: made by libdeflate_alloc_decompressor and freed once.
        unsafe { sys::libdeflate_free_decompressor(self.state.as_ptr()) };
    }
}

/// Inflates every member in pieces. What follows the last member and is no member is ignored, as gzip(1) and Node do.
fn members<E: From<Error>>(input: &[u8], limit: u64, sink: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    if !is_gzip(input) {
        return Ok(());
    }
    let mut stream = Stream::new(limit);
    stream.feed(input, sink)?;
    stream.end(sink)
}
