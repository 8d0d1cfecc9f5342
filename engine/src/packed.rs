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

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn unpacks_what_fits_and_nothing_else() {
        let text = "one resource of a language, ".repeat(9);
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
        let mut context = zstd_safe::CCtx::create();
        context
            .compress_using_dict(&mut frame, text.as_bytes(), b"a resource of a language", 19)
            .expect("there is room");

        let bytes = unpack(&frame, b"a resource of a language", text.len()).expect("it is whole");
        assert_eq!(bytes, text.as_bytes());
        assert_eq!(bytes.as_ptr().addr() % 16, 0);
        assert!(unpack(&frame, b"a resource of a language", text.len() - 1).is_none(), "longer than it should be");
        assert!(unpack(&frame, b"a resource of a language", text.len() + 1).is_none(), "shorter than it should be");
        assert!(unpack(&frame[..frame.len() - 1], b"a resource of a language", text.len()).is_none(), "cut off");
        assert!(unpack(b"no frame", b"", 8).is_none());
    }
}
