//! What every compressor and decompressor has in common.

use std::borrow::Cow;
use std::mem::MaybeUninit;

/// Room for output that has not been written yet.
pub(crate) type Room = [MaybeUninit<u8>];

/// Why a stream cannot go on: what JavaScript makes an error of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// `message` of the error.
    pub message: Cow<'static, str>,
    /// `errno` of the error: the library's own number.
    pub errno: i32,
    /// `code` of the error, like `Z_DATA_ERROR`.
    pub code: Cow<'static, str>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<Cow<'static, str>>, errno: i32, code: impl Into<Cow<'static, str>>) -> Self {
        Failure { message: message.into(), errno, code: code.into() }
    }

    /// The input ended in the middle of the data.
    pub(crate) fn unexpected_end() -> Self {
        Failure::new("unexpected end of file", -5, "Z_BUF_ERROR")
    }
}

/// Bytes taken from the input and bytes written to the output by one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub consumed: usize,
    pub produced: usize,
}

/// A compressor or decompressor.
pub(crate) trait Codec: Send {
    /// Goes on until the input is used up or the room is full. `flush` is a number of the library (`Z_SYNC_FLUSH`,
    /// `BROTLI_OPERATION_FINISH`, `ZSTD_e_end`, …). Input left while there is room: the compressed data has ended.
    fn run(&mut self, flush: u8, input: &[u8], room: &mut Room) -> Result<Step, Failure>;

    /// Starts again with the same parameters.
    fn reset(&mut self) -> Result<(), Failure>;

    /// Changes level and strategy of deflate in the middle of the data; the others have no such thing.
    fn set_params(&mut self, _level: i32, _strategy: i32) -> Result<(), Failure> {
        Ok(())
    }

    /// A guess at the size of the output for this much input.
    fn output_hint(&self, input: &[u8]) -> usize;
}

/// Most bytes of memory that are asked for before any output has come.
const MAX_HINT: usize = 256 << 20;

/// Runs until all of `input` is through, or the data has ended, or there are more than `limit` bytes of output.
/// Gives the output and how much input was taken.
pub(crate) fn run_all(
    codec: &mut dyn Codec,
    flush: u8,
    input: &[u8],
    limit: usize,
) -> Result<(Vec<u8>, usize), Failure> {
    let mut out: Vec<u8> = Vec::new();
    let first = codec.output_hint(input).clamp(64, MAX_HINT).min(limit.saturating_add(1));
    reserve(&mut out, first)?;
    let mut taken = 0;
    loop {
        let step = codec.run(flush, &input[taken..], out.spare_capacity_mut())?;
        taken += step.consumed;
        let length = out.len() + step.produced;
        // SAFETY: the codec has written that many bytes to the spare capacity.
        unsafe { out.set_len(length) };
        if length < out.capacity() || length > limit {
            return Ok((out, taken));
        }
        let more = length.min(limit.saturating_add(1).saturating_sub(length)).max(64);
        reserve(&mut out, more)?;
    }
}

fn reserve(out: &mut Vec<u8>, more: usize) -> Result<(), Failure> {
    out.try_reserve_exact(more).map_err(|_| Failure::new("Insufficient memory", -4, "Z_MEM_ERROR"))
}

/// Runs until the input is through or `pieces` pieces of `size` bytes are full. A failure that comes after a full piece
/// is kept in `pending` for the next call, so that what came before it is not lost.
pub(crate) fn run_pieces(
    codec: &mut dyn Codec,
    flush: u8,
    input: &[u8],
    size: usize,
    pieces: usize,
    pending: &mut Option<Failure>,
) -> Result<(Vec<u8>, usize), Failure> {
    if let Some(failure) = pending.take() {
        return Err(failure);
    }
    let mut out: Vec<u8> = Vec::new();
    reserve(&mut out, size * pieces)?;
    let mut taken = 0;
    for _ in 0..pieces {
        let step = match codec.run(flush, &input[taken..], &mut out.spare_capacity_mut()[..size]) {
            Ok(step) => step,
            Err(failure) if out.is_empty() => return Err(failure),
            Err(failure) => {
                *pending = Some(failure);
                break;
            }
        };
        taken += step.consumed;
        // SAFETY: the codec has written that many bytes to the spare capacity.
        unsafe { out.set_len(out.len() + step.produced) };
        if step.produced < size {
            break;
        }
    }
    Ok((out, taken))
}
