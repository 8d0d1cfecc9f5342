//! deflate, zlib and gzip in one go, by libdeflate where it is the faster one and gives what zlib would.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use libdeflate_sys as d;

use crate::codec::{Codec, Failure, run_all};
use crate::deflate::{Mode, Settings, Zlib};

const FINISH: u8 = 4;
/// Below, the time goes into setting up, and zlib's choices are what programs know from elsewhere.
const LEAST_INPUT: usize = 4096;
/// Most bytes of address space taken for an output of unknown size.
const MAX_GUESS: usize = 1 << 30;

/// A compressor of libdeflate and its level. Kept by the thread for the next time: it is a megabyte to set up.
struct Compressor {
    level: i32,
    raw: NonNull<d::libdeflate_compressor>,
}

impl Compressor {
    fn new(level: i32) -> Option<Self> {
        // SAFETY: any level is accepted; wrong ones give null.
        let raw = unsafe { d::libdeflate_alloc_compressor(level) };
        NonNull::new(raw).map(|raw| Compressor { level, raw })
    }

    /// Compresses `input`; `None` where memory is short.
    fn compress(&mut self, mode: Mode, input: &[u8]) -> Option<Vec<u8>> {
        let mut out: Vec<u8> = Vec::new();
        // SAFETY: a live compressor; pointers and lengths are those of the slice and of reserved memory, of which the
        // first `written` bytes are initialized afterwards.
        unsafe {
            let raw = self.raw.as_ptr();
            let bound = match mode {
                Mode::Gzip => d::libdeflate_gzip_compress_bound(raw, input.len()),
                Mode::Deflate => d::libdeflate_zlib_compress_bound(raw, input.len()),
                _ => d::libdeflate_deflate_compress_bound(raw, input.len()),
            };
            out.try_reserve_exact(bound).ok()?;
            let (from, to) = (input.as_ptr().cast(), out.as_mut_ptr().cast());
            let written = match mode {
                Mode::Gzip => d::libdeflate_gzip_compress(raw, from, input.len(), to, bound),
                Mode::Deflate => d::libdeflate_zlib_compress(raw, from, input.len(), to, bound),
                _ => d::libdeflate_deflate_compress(raw, from, input.len(), to, bound),
            };
            if written == 0 {
                return None;
            }
            out.set_len(written);
        }
        if mode == Mode::Gzip {
            // Compression hint and system as zlib writes them; nothing else of the header depends on the library.
            out[8] = match self.level {
                ..=1 => 4,
                9.. => 2,
                _ => 0,
            };
            out[9] = 3;
        }
        Some(out)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: live, freed once.
        unsafe { d::libdeflate_free_compressor(self.raw.as_ptr()) };
    }
}

thread_local! {
    static LAST: RefCell<Option<Compressor>> = const { RefCell::new(None) };
    /// The same of zlib-rs, with mode and level.
    static LAST_STREAM: RefCell<Option<(Mode, i32, Zlib)>> = const { RefCell::new(None) };
}

/// Compresses all of `input` with default settings except the level: -1 to 9, or to 12 where `libdeflate` has to do it.
pub(crate) fn compress(mode: Mode, level: i32, libdeflate: bool, input: &[u8]) -> Result<Vec<u8>, Failure> {
    // zlib-rs is faster at level 1 and has no rival at 9, where libdeflate takes far more time for 5 % less output.
    let fit = (2..=8).contains(&level) || level == -1;
    if libdeflate || fit && input.len() >= LEAST_INPUT {
        let level = if level < 0 { 6 } else { level };
        let out = LAST.with_borrow_mut(|last| {
            if last.as_ref().is_none_or(|kept| kept.level != level) {
                *last = Compressor::new(level);
            }
            last.as_mut()?.compress(mode, input)
        });
        if let Some(out) = out {
            return Ok(out);
        }
    }
    LAST_STREAM.with_borrow_mut(|last| {
        match last {
            Some((kept_mode, kept_level, codec)) if *kept_mode == mode && *kept_level == level => codec.reset()?,
            _ => {
                let settings = Settings { window_bits: 15, level, mem_level: 8, strategy: 0, one_member: false };
                *last = Some((mode, level, Zlib::new(mode, settings, Vec::new())));
            }
        }
        let Some((_, _, codec)) = last else { return Err(Failure::unexpected_end()) };
        run_all(codec, FINISH, input, usize::MAX).map(|(out, _)| out)
    })
}

/// How much room to give for the output of `input`.
fn guess(mode: Mode, input: &[u8], limit: usize) -> usize {
    // Deflate cannot do better than 1:1032, so that a size beyond that is not one.
    let most = input.len().saturating_mul(1032);
    let told = match (mode, input.last_chunk::<4>()) {
        (Mode::Gunzip, Some(size)) => u32::from_le_bytes(*size) as usize,
        _ => 0,
    };
    let size = if told > 0 && told <= most { told } else { input.len().saturating_mul(12).max(4096) };
    size.min(limit).min(MAX_GUESS)
}

/// Decompresses `input` by libdeflate; `None` where a stream has to: more than one member, bytes after the end, broken
/// data, more than `limit` bytes of output or an output that is larger than the guess.
pub(crate) fn decompress(mode: Mode, input: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mode = match mode {
        Mode::Unzip if input.starts_with(&[0x1f, 0x8b]) => Mode::Gunzip,
        Mode::Unzip => Mode::Inflate,
        other => other,
    };
    let room = guess(mode, input, limit);
    let mut out: Vec<u8> = Vec::new();
    out.try_reserve_exact(room).ok()?;
    // SAFETY: a live decompressor, freed below; pointers and lengths are those of the slice and of reserved memory, of
    // which the first `written` bytes are initialized after success.
    unsafe {
        let raw = d::libdeflate_alloc_decompressor();
        if raw.is_null() {
            return None;
        }
        let spare: *mut MaybeUninit<u8> = out.spare_capacity_mut().as_mut_ptr();
        let (from, to) = (input.as_ptr().cast(), spare.cast());
        let (mut taken, mut written) = (0, 0);
        let run = match mode {
            Mode::Gunzip => d::libdeflate_gzip_decompress_ex,
            Mode::Inflate => d::libdeflate_zlib_decompress_ex,
            _ => d::libdeflate_deflate_decompress_ex,
        };
        let status = run(raw, from, input.len(), to, room, ptr::from_mut(&mut taken), ptr::from_mut(&mut written));
        d::libdeflate_free_decompressor(raw);
        if status != d::libdeflate_result_LIBDEFLATE_SUCCESS || taken != input.len() {
            return None;
        }
        out.set_len(written);
    }
    Some(out)
}

/// CRC-32 (as in gzip) of more data.
pub(crate) fn crc32(data: &[u8], before: u32) -> u32 {
    // SAFETY: pointer and length of a slice.
    unsafe { d::libdeflate_crc32(before, data.as_ptr().cast(), data.len()) }
}
