//! Constants of the executable that are compressed because programs seldom need them. They are unpacked once for the process.

use zstd_safe::DCtx;

/// Unpacks a frame of zstd into memory that stays and begins at a multiple of 16. `dictionary` is what it was compressed with,
/// `length` the number of bytes that it has. `None` if the frame is not of that kind or memory is out.
#[must_use]
pub fn unpack(frame: &[u8], dictionary: &[u8], length: usize) -> Option<&'static [u8]> {
    let memory: &'static mut [u128] = vec![0; length.div_ceil(size_of::<u128>())].leak();
    // SAFETY: `memory` has at least `length` bytes, all of them written, and nobody else knows of it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<u8>(), length) };
    let unpacked = DCtx::try_create()?.decompress_using_dict(bytes, frame, dictionary).ok()?;
    (unpacked == length).then_some(bytes)
}
