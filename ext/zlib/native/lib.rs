//! Native half of `node:zlib`, of CompressionStream and DecompressionStream and of Bun's compression functions (family
//! `zlib`).
//!
//! A stream is a number ([`table`]). Numbers of modes, flush values and parameters are those of `zlib.constants`. Steps
//! give `[output, bytes of input left]`; -1 bytes left means a failure, which `takeFailure` tells.

mod brotli;
mod codec;
mod deflate;
mod one_shot;
mod table;
mod zstd;

use codec::{Codec, Failure};
use deflate::{Mode, Settings, Zlib};
use engine::{Exc, JsResult, JsStr, Local, OpError, PinnedBytes, Scope, op, ops};
use table::{Stream, Table};

/// Output, and bytes of input left.
type Outcome = (Vec<u8>, f64);

fn mode(number: u8) -> Result<Mode, OpError> {
    Mode::from_number(number).ok_or_else(|| OpError::type_error("no such mode"))
}

fn refuse(scope: &mut Scope<'_>, failure: &Failure) -> Exc {
    let error = OpError::error(failure.message.clone()).code(failure.code.clone());
    scope.throw_op_error(&error)
}

fn insert<'s, T: Codec + 'static>(scope: &mut Scope<'s>, codec: Result<T, Failure>) -> JsResult<Local<'s>> {
    match codec {
        Ok(codec) => {
            let table = scope.state().get_or_default::<Table>().clone();
            table.insert(scope, Box::new(codec))
        }
        Err(failure) => Err(refuse(scope, &failure)),
    }
}

/// A stream of deflate, zlib or gzip: an ArrayBuffer with its number. An empty dictionary is none. With `one_member`,
/// only the first member of a gzip file is decompressed.
#[op(ts(returns = "ArrayBuffer"))]
#[allow(clippy::too_many_arguments, reason = "the parameters of deflateInit2")]
fn open_zlib<'s>(
    scope: &mut Scope<'s>,
    number: u8,
    window_bits: i32,
    level: i32,
    mem_level: i32,
    strategy: i32,
    one_member: bool,
    dictionary: Vec<u8>,
) -> JsResult<Local<'s>> {
    let Some(mode) = Mode::from_number(number) else {
        return Err(scope.throw_type_error("no such mode"));
    };
    let settings = Settings { window_bits, level, mem_level, strategy, one_member };
    insert(scope, Ok(Zlib::new(mode, settings, dictionary)))
}

/// A stream of Brotli. `params` are pairs of parameter and value.
#[op(ts(returns = "ArrayBuffer"))]
fn open_brotli<'s>(
    scope: &mut Scope<'s>,
    compress: bool,
    params: Vec<f64>,
    dictionary: Vec<u8>,
) -> JsResult<Local<'s>> {
    let params = params.as_chunks::<2>().0.iter().map(|&[key, value]| (key as u32, value as i64 as u32)).collect();
    if compress {
        insert(scope, brotli::Encoder::new(params, dictionary))
    } else {
        insert(scope, brotli::Decoder::new(params, dictionary))
    }
}

/// A stream of Zstandard. `params` are pairs of parameter and value; `pledged_size` is how many bytes are to be
/// compressed, if that is known.
#[op(ts(returns = "ArrayBuffer"))]
fn open_zstd<'s>(
    scope: &mut Scope<'s>,
    compress: bool,
    params: Vec<f64>,
    pledged_size: Option<f64>,
    dictionary: Vec<u8>,
) -> JsResult<Local<'s>> {
    let params = params.as_chunks::<2>().0.iter().map(|&[key, value]| (key as u32, value as i32)).collect();
    if compress {
        insert(scope, zstd::Encoder::new(params, pledged_size.map(|size| size as u64), dictionary))
    } else {
        insert(scope, zstd::Decoder::new(params, dictionary))
    }
}

/// Frees a stream.
#[op]
fn close_stream(scope: &mut Scope<'_>, id: u32) {
    scope.state().get_or_default::<Table>().clone().remove(id);
}

/// Starts a stream again. False: `takeFailure` tells why not.
#[op]
fn reset_stream(stream: Stream) -> bool {
    let mut entry = stream.lock();
    entry.pending = None;
    entry.failure = entry.codec.reset().err();
    entry.failure.is_none()
}

/// Changes level and strategy of a compressing stream of deflate that has been flushed. False as in `resetStream`.
#[op]
fn set_params(stream: Stream, level: i32, strategy: i32) -> bool {
    let mut entry = stream.lock();
    entry.failure = entry.codec.set_params(level, strategy).err();
    entry.failure.is_none()
}

/// `[message, errno, code]` of the last failure.
#[op]
fn take_failure(stream: Stream) -> Option<(String, i32, String)> {
    let failure = stream.lock().failure.take()?;
    Some((failure.message.into_owned(), failure.errno, failure.code.into_owned()))
}

fn outcome(entry: &mut table::Entry, result: Result<(Vec<u8>, usize), Failure>, length: usize) -> Outcome {
    match result {
        Ok((out, taken)) => (out, (length - taken) as f64),
        Err(failure) => {
            entry.failure = Some(failure);
            (Vec::new(), -1.0)
        }
    }
}

fn part(input: &[u8], offset: usize, length: usize) -> Result<&[u8], OpError> {
    let end = offset.checked_add(length);
    end.and_then(|end| input.get(offset..end)).ok_or_else(|| OpError::range_error("input out of range"))
}

/// Gives part of `input` to a stream until it is used up or `pieces` pieces of `size` bytes are full.
#[op]
fn step_sync(
    stream: Stream,
    flush: u8,
    input: &[u8],
    offset: usize,
    length: usize,
    size: usize,
    pieces: usize,
) -> Result<Outcome, OpError> {
    step_now(&stream, flush, part(input, offset, length)?, size, pieces)
}

fn step_now(stream: &Stream, flush: u8, input: &[u8], size: usize, pieces: usize) -> Result<Outcome, OpError> {
    let entry = &mut *stream.lock();
    let result = codec::run_pieces(&mut *entry.codec, flush, input, size.max(1), pieces.max(1), &mut entry.pending);
    Ok(outcome(entry, result, input.len()))
}

/// The same, off the thread.
#[op(blocking)]
fn step(
    stream: Stream,
    flush: u8,
    input: PinnedBytes,
    offset: usize,
    length: usize,
    size: usize,
    pieces: usize,
) -> Result<Outcome, OpError> {
    step_now(&stream, flush, part(input.as_slice(), offset, length)?, size, pieces)
}

fn all_now(stream: &Stream, flush: u8, input: &[u8], limit: f64) -> Outcome {
    let entry = &mut *stream.lock();
    let result = codec::run_all(&mut *entry.codec, flush, input, limit as usize);
    outcome(entry, result, input.len())
}

/// Gives all of `input` to a stream and takes all output; more than `limit` bytes are cut off anywhere behind it.
#[op]
fn all_sync(stream: Stream, flush: u8, input: &[u8], limit: f64) -> Outcome {
    all_now(&stream, flush, input, limit)
}

/// The same, off the thread.
#[op(blocking)]
fn all(stream: Stream, flush: u8, input: PinnedBytes, limit: f64) -> Outcome {
    all_now(&stream, flush, input.as_slice(), limit)
}

fn compress_now(number: u8, level: i32, libdeflate: bool, input: &[u8]) -> Result<Vec<u8>, OpError> {
    one_shot::compress(mode(number)?, level, libdeflate, input)
        .map_err(|failure| OpError::error(failure.message).code(failure.code))
}

/// Compresses `input` as deflate, zlib or gzip, with default settings except the level: -1 to 9 by the faster library,
/// or 0 to 12 by libdeflate.
#[op]
fn compress_sync(number: u8, level: i32, libdeflate: bool, input: &[u8]) -> Result<Vec<u8>, OpError> {
    compress_now(number, level, libdeflate, input)
}

/// The same, off the thread.
#[op(blocking)]
fn compress(number: u8, level: i32, libdeflate: bool, input: PinnedBytes) -> Result<Vec<u8>, OpError> {
    compress_now(number, level, libdeflate, input.as_slice())
}

/// Decompresses deflate, zlib or gzip with default settings, if that is a simple matter; undefined: a stream has to do
/// it, and to say what is wrong, if something is. Never gives more than `limit` bytes.
#[op]
fn decompress_sync(number: u8, limit: f64, input: &[u8]) -> Result<Option<Vec<u8>>, OpError> {
    Ok(one_shot::decompress(mode(number)?, input, limit as usize))
}

/// The same, off the thread.
#[op(blocking)]
fn decompress(number: u8, limit: f64, input: PinnedBytes) -> Result<Option<Vec<u8>>, OpError> {
    Ok(one_shot::decompress(mode(number)?, input.as_slice(), limit as usize))
}

/// CRC-32 of bytes, going on from `before`.
#[op]
fn crc32(data: &[u8], before: u32) -> u32 {
    one_shot::crc32(data, before)
}

/// CRC-32 of a string's UTF-8.
#[op]
fn crc32_text(data: JsStr<'_>, before: u32) -> u32 {
    if !data.is_latin1() {
        return one_shot::crc32(String::from_utf16_lossy(data.utf16()).as_bytes(), before);
    }
    let bytes = data.latin1();
    if bytes.is_ascii() {
        return one_shot::crc32(bytes, before);
    }
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    one_shot::crc32(text.as_bytes(), before)
}

ops!(pub fn family "zlib" {
    open_zlib, open_brotli, open_zstd, close_stream, reset_stream, set_params, take_failure, step_sync, step, all_sync,
    all, compress_sync, compress, decompress_sync, decompress, crc32, crc32_text,
});

#[cfg(test)]
mod tests;
