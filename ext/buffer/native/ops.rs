//! The native functions of the family "encoding".
//!
//! Positions and sizes are bytes, given as numbers that the TypeScript side has checked; they are cut to what is there
//! all the same. Where an op takes a string and bytes, the string comes first: making its characters flat may collect
//! garbage, and bytes borrowed before that could have moved.

use engine::{Exc, IntoJs, JsResult, JsStr, Local, OpError, RawBytes, Scope, op, ops};

use crate::js_strings::{Chars, MAX_STRING_LENGTH, Text, TooLong, as_uninit, range, room, with_short};
use crate::text_decoder::{DecodeError, Decoders, StreamDecoder};
use crate::{base64, fixed_width, hex, search, text_decoder, transcode, utf8};

/// A text on its way to JavaScript, the only one of its thread: nothing in it is borrowed, as making a string may move what was.
///
/// The engine takes over the memory of long ones, so that nothing is copied twice.
enum Out {
    Short(usize),
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
}

impl From<Text<'_>> for Out {
    fn from(text: Text<'_>) -> Out {
        match text.shortened() {
            Text::Short(len) => Out::Short(len),
            Text::Slice(chars) => Out::Latin1(chars.to_vec()),
            Text::Latin1(chars) => Out::Latin1(chars),
            Text::Utf16(units) => Out::Utf16(units),
        }
    }
}

/// In TypeScript: `string`.
impl IntoJs for Out {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self {
            Out::Short(len) => with_short(len, |chars| scope.latin1_string(chars)),
            Out::Latin1(chars) => scope.latin1_string_owned(chars),
            Out::Utf16(units) if units.iter().any(|&unit| unit > 0xff) => scope.utf16_string_owned(units),
            Out::Utf16(units) => scope.utf16_string(&units),
        }
    }
}

impl From<TooLong> for OpError {
    fn from(_: TooLong) -> OpError {
        OpError::error(format!("Cannot create a string longer than 0x{MAX_STRING_LENGTH:x} characters"))
            .code("ERR_STRING_TOO_LONG")
    }
}

fn chars<'a>(text: &JsStr<'a>) -> Chars<'a> {
    if text.is_latin1() { Chars::Latin1(text.latin1()) } else { Chars::Utf16(text.utf16()) }
}

/// -1 for nothing found.
fn index(found: Option<usize>) -> f64 {
    found.map_or(-1.0, |place| place as f64)
}

// ---- bytes to text: bytes start..end; ERR_STRING_TOO_LONG ----

/// UTF-8, malformed bytes as U+FFFD, a byte order mark kept.
#[op]
fn utf8_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(utf8::decode(range(bytes, start, end))?.into())
}

/// One character per byte.
#[op]
fn latin1_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(fixed_width::decode_latin1(range(bytes, start, end))?.into())
}

/// One character per byte, without its eighth bit.
#[op]
fn ascii_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(fixed_width::decode_ascii(range(bytes, start, end))?.into())
}

/// UTF-16LE units; an odd last byte is left out.
#[op]
fn ucs2_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(fixed_width::decode_ucs2(range(bytes, start, end))?.into())
}

/// Lower-case hexadecimal.
#[op]
fn hex_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(hex::encode(range(bytes, start, end))?.into())
}

/// Padded base64.
#[op]
fn base64_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(base64::encode(range(bytes, start, end))?.into())
}

/// URL-safe base64 without padding.
#[op]
fn base64url_slice(bytes: &[u8], start: f64, end: f64) -> Result<Out, OpError> {
    Ok(base64::encode_url(range(bytes, start, end))?.into())
}

// ---- text to bytes: at most `length` bytes at `offset`, whole characters; gives the bytes written ----

/// UTF-8, lone surrogates as U+FFFD.
#[op]
fn utf8_write(text: JsStr<'_>, bytes: &mut [u8], offset: f64, length: f64) -> f64 {
    utf8::encode_into(chars(&text), room(bytes, offset, length)).1 as f64
}

/// The low byte of each unit.
#[op]
fn latin1_write(text: JsStr<'_>, bytes: &mut [u8], offset: f64, length: f64) -> f64 {
    fixed_width::encode_latin1(chars(&text), room(bytes, offset, length)) as f64
}

/// UTF-16LE.
#[op]
fn ucs2_write(text: JsStr<'_>, bytes: &mut [u8], offset: f64, length: f64) -> f64 {
    fixed_width::encode_ucs2(chars(&text), room(bytes, offset, length)) as f64
}

/// Pairs of hexadecimal digits, until the first that is none.
#[op]
fn hex_write(text: JsStr<'_>, bytes: &mut [u8], offset: f64, length: f64) -> f64 {
    hex::decode(chars(&text), as_uninit(room(bytes, offset, length))) as f64
}

/// Base64 in either alphabet.
#[op]
fn base64_write(text: JsStr<'_>, bytes: &mut [u8], offset: f64, length: f64) -> f64 {
    base64::decode(chars(&text), as_uninit(room(bytes, offset, length))) as f64
}

// ---- long text to new bytes: the memory is written once, not zeroed before ----

/// What [`hex_write`] writes to a buffer of half the length.
#[op]
fn hex_bytes(text: JsStr<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let written = hex::decode(chars(&text), &mut bytes.spare_capacity_mut()[..text.len() / 2]);
    // SAFETY: the count of what has been written.
    unsafe { bytes.set_len(written) };
    bytes
}

/// What [`base64_write`] writes to a buffer that is large enough.
#[op]
fn base64_bytes(text: JsStr<'_>) -> Vec<u8> {
    let room = text.len() / 4 * 3 + 3;
    let mut bytes = Vec::with_capacity(room);
    let written = base64::decode(chars(&text), &mut bytes.spare_capacity_mut()[..room]);
    // SAFETY: as above.
    unsafe { bytes.set_len(written) };
    bytes
}

/// The low byte of each unit.
#[op]
fn latin1_bytes(text: JsStr<'_>) -> Vec<u8> {
    if text.is_latin1() { text.latin1().to_vec() } else { text.utf16().iter().map(|&unit| unit as u8).collect() }
}

/// UTF-8, lone surrogates as U+FFFD.
#[op]
fn utf8_bytes(text: JsStr<'_>) -> Vec<u8> {
    utf8::encode(chars(&text))
}

/// `size` bytes of any content.
#[op(ts(returns = "Uint8Array<ArrayBuffer>"))]
fn uninitialized<'s>(scope: &mut Scope<'s>, size: usize) -> Result<Local<'s>, Exc> {
    scope.uninitialized_array(size)
}

/// Size of the text in UTF-8.
#[op]
fn utf8_length(text: JsStr<'_>) -> usize {
    /// As many as one byte can count, and fewer than the general way is worth.
    const FEW: usize = 128;
    if text.is_latin1() && text.len() <= FEW {
        return text.len() + usize::from(text.latin1().iter().map(|char| char >> 7).sum::<u8>());
    }
    utf8::length(chars(&text))
}

/// Fills `bytes` with the UTF-8 of a text, if the text takes no more; gives the number of bytes it takes.
#[op]
fn utf8_fill(text: JsStr<'_>, bytes: &mut [u8]) -> f64 {
    let text = chars(&text);
    let size = utf8::length(text);
    if size <= bytes.len() {
        utf8::encode_into(text, &mut bytes[..size]);
    }
    size as f64
}

/// As many characters as fit into `bytes`; `progress`, the memory of a Uint32Array of two, gets the units read and
/// the bytes written.
#[op]
fn encode_into(text: JsStr<'_>, bytes: &mut [u8], progress: &mut [u8]) {
    let (read, written) = utf8::encode_into(chars(&text), bytes);
    for (slot, value) in progress.chunks_exact_mut(4).zip([read, written]) {
        slot.copy_from_slice(&(value as u32).to_ne_bytes());
    }
}

// ---- bytes ----

/// -1, 0 or 1.
#[op]
fn compare(a: &[u8], b: &[u8]) -> i32 {
    search::compare(a, b)
}

/// -1, 0 or 1 for `a[a_start..a_end]` and `b[b_start..b_end]`.
#[op]
fn compare_range(a: &[u8], a_start: f64, a_end: f64, b: &[u8], b_start: f64, b_end: f64) -> i32 {
    search::compare(range(a, a_start, a_end), range(b, b_start, b_end))
}

/// Place of a byte, -1 for none.
#[op]
fn index_of_byte(bytes: &[u8], byte: u8, offset: f64, forward: bool) -> f64 {
    index(search::find_byte(bytes, byte, offset, forward))
}

/// Place of other bytes, -1 for none.
#[op]
fn index_of_bytes(bytes: &[u8], needle: &[u8], offset: f64, forward: bool) -> f64 {
    index(search::find(bytes, needle, offset, forward))
}

/// Place of 16-bit units, -1 for none; always even.
#[op]
fn index_of_units(bytes: &[u8], needle: &[u8], offset: f64, forward: bool) -> f64 {
    index(search::find_units(bytes, needle, offset, forward))
}

/// Place of a text, -1 for none; `encoding` is 0 for UTF-8, 1 for latin1, 2 for UTF-16LE.
#[op]
fn index_of_string(text: JsStr<'_>, bytes: &[u8], offset: f64, encoding: u32, forward: bool) -> f64 {
    let text = chars(&text);
    match (encoding, text) {
        (2, _) => {
            let units = match text {
                Chars::Latin1(bytes) => bytes.len(),
                Chars::Utf16(units) => units.len(),
            };
            let mut needle = vec![0; units * 2];
            fixed_width::encode_ucs2(text, &mut needle);
            index(search::find_units(bytes, &needle, offset, forward))
        }
        (1, Chars::Latin1(needle)) => index(search::find(bytes, needle, offset, forward)),
        (1, Chars::Utf16(units)) => {
            let needle: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
            index(search::find(bytes, &needle, offset, forward))
        }
        (_, Chars::Latin1(needle)) if needle.is_ascii() => index(search::find(bytes, needle, offset, forward)),
        _ => index(search::find(bytes, &utf8::encode(text), offset, forward)),
    }
}

/// Reverses the bytes of each group of 2, 4 or 8 bytes in place.
#[op]
fn swap_bytes(bytes: &mut [u8], unit: u32) {
    fixed_width::swap(bytes, unit);
}

/// Whether the bytes are well-formed UTF-8.
#[op]
fn is_utf8(bytes: &[u8]) -> bool {
    utf8::is_valid(bytes)
}

/// Whether all bytes are below 128.
#[op]
fn is_ascii(bytes: &[u8]) -> bool {
    bytes.is_ascii()
}

/// Bytes in another encoding, or the code of an ICU error.
enum Transcoded {
    Bytes(Vec<u8>),
    Error(&'static str),
}

/// In TypeScript: `Uint8Array<ArrayBuffer> | string`.
impl IntoJs for Transcoded {
    fn into_js<'s>(self, scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
        match self {
            Transcoded::Bytes(bytes) => scope.uint8_array(bytes),
            Transcoded::Error(code) => scope.string(code),
        }
    }
}

/// `buffer.transcode`; a string result is the code of an error.
#[op]
fn transcode_bytes(bytes: &[u8], from: String, to: String) -> Transcoded {
    match transcode::transcode(bytes, &from, &to) {
        Ok(bytes) => Transcoded::Bytes(bytes),
        Err(code) => Transcoded::Error(code),
    }
}

/// `btoa`; undefined for characters above U+00FF.
#[op]
fn btoa(text: JsStr<'_>) -> Result<Option<Out>, OpError> {
    Ok(base64::btoa(chars(&text)).transpose()?.map(Out::from))
}

/// `atob`; undefined for text that is not base64.
#[op]
fn atob(text: JsStr<'_>) -> Result<Option<Out>, OpError> {
    Ok(base64::atob(chars(&text)).transpose()?.map(Out::from))
}

// ---- TextDecoder ----

/// Canonical name of the encoding with this label; undefined for an unknown one.
#[op]
fn encoding_for_label(label: String) -> Option<String> {
    text_decoder::name_for_label(&label)
}

/// Undefined stands for malformed input.
fn decoded(result: Result<Text<'_>, DecodeError>) -> Result<Option<Out>, OpError> {
    match result {
        Ok(text) => Ok(Some(text.into())),
        Err(DecodeError::Malformed) => Ok(None),
        Err(DecodeError::TooLong) => Err(TooLong.into()),
    }
}

fn unknown_encoding(label: &str) -> OpError {
    OpError::range_error(format!("The \"{label}\" encoding is not supported")).code("ERR_ENCODING_NOT_SUPPORTED")
}

/// A whole text in UTF-8; undefined for malformed input if `fatal`.
#[op]
fn decode_utf8(bytes: &[u8], fatal: bool, keep_bom: bool) -> Result<Option<Out>, OpError> {
    decoded(text_decoder::decode_utf8(bytes, fatal, keep_bom))
}

/// A whole text in UTF-8, without a byte order mark, from bytes that nobody else has: their memory becomes that of a text in ASCII, and is
/// given back at once otherwise (see [`Scope::release_bytes`]).
#[op]
fn decode_body(scope: &mut Scope<'_>, bytes: Local<'_>) -> Result<Option<Out>, OpError> {
    let Some(input) = scope.bytes(bytes) else {
        return Err(OpError::type_error("expected an ArrayBuffer or a view").code("ERR_INVALID_ARG_TYPE"));
    };
    let text = match text_decoder::decode_utf8(input, false, false) {
        Ok(Text::Slice(chars)) if chars.len() == input.len() => None,
        result => Some(decoded(result)?),
    };
    if let Some(text) = text {
        scope.release_bytes(bytes)?;
        return Ok(text);
    }
    if let Some(own) = scope.take_bytes(bytes)? {
        return Ok(Some(Out::Latin1(own)));
    }
    decoded(Ok(Text::Slice(scope.bytes(bytes).unwrap_or_default())))
}

/// A whole text in any encoding; undefined for malformed input if `fatal`.
#[op]
fn decode_once(label: String, bytes: &[u8], fatal: bool, keep_bom: bool) -> Result<Option<Out>, OpError> {
    let result = text_decoder::decode_once(&label, bytes, fatal, keep_bom);
    decoded(result.ok_or_else(|| unknown_encoding(&label))?)
}

/// Makes a decoder for a stream; gives its number, which `decoderFree` must get in the end.
#[op]
fn decoder_create(scope: &mut Scope<'_>, label: String, fatal: bool, keep_bom: bool) -> Result<u32, OpError> {
    let decoder = StreamDecoder::new(&label, fatal, keep_bom).ok_or_else(|| unknown_encoding(&label))?;
    Ok(scope.state().get_or_default::<Decoders>().insert(decoder))
}

/// The text of the next piece of a stream, the end of it if `last`; undefined for malformed input of a fatal decoder.
#[op]
fn decoder_decode(scope: &mut Scope<'_>, id: u32, bytes: Local<'_>, last: bool) -> Result<Option<Out>, OpError> {
    let Some(mut decoder) = scope.state().get_or_default::<Decoders>().lend(id) else {
        return Err(OpError::error("no such decoder"));
    };
    let result = match scope.bytes(bytes) {
        Some(bytes) => decoded(decoder.decode(bytes, last)),
        None => Err(OpError::type_error("expected an ArrayBuffer or a view").code("ERR_INVALID_ARG_TYPE")),
    };
    scope.state().get_or_default::<Decoders>().give_back(id, decoder);
    result
}

/// Drops a decoder.
#[op]
fn decoder_free(scope: &mut Scope<'_>, id: u32) {
    scope.state().get_or_default::<Decoders>().remove(id);
}

/// Copies `count` bytes of `source` from `source_start` on to `target_start` of `target`, or as many as both have; they may be of one
/// memory and overlap. Gives the number of bytes.
#[op]
fn copy_bytes(
    mut target: RawBytes<'_>,
    target_start: usize,
    source: RawBytes<'_>,
    source_start: usize,
    count: usize,
) -> usize {
    target.copy_from(target_start, &source, source_start, count)
}

/// A part of a `Uint8Array` or ArrayBuffer as a view with another prototype: see [`engine::view_bytes_op`]. This one leaves it to the caller.
#[op(ts(
    generic = "T",
    source = "Uint8Array | ArrayBufferLike",
    start = "number | undefined",
    end = "number | undefined",
    like = "T",
    takes_buffers = "boolean",
    returns = "T | undefined"
))]
fn view_bytes<'s>(
    scope: &mut Scope<'s>,
    source: Local<'s>,
    start: Local<'s>,
    end: Local<'s>,
    like: Local<'s>,
    takes_buffers: Local<'s>,
) -> Local<'s> {
    let _ = (source, start, end, like, takes_buffers);
    scope.undefined()
}

/// Whether a value is a `Uint8Array` whose length stays: see [`engine::is_bytes_op`].
#[op(ts(returns = "value is Uint8Array"))]
fn is_bytes(scope: &mut Scope<'_>, value: Local<'_>) -> bool {
    scope.is_uint8_array(value)
}

/// Bytes that are zero, as a `Uint8Array` with another prototype: see [`engine::new_bytes_op`]. This one leaves it to the caller.
#[op(ts(generic = "T", size = "number", like = "T", returns = "T | undefined"))]
fn new_bytes<'s>(scope: &mut Scope<'s>, size: Local<'s>, like: Local<'s>) -> Local<'s> {
    let _ = (size, like);
    scope.undefined()
}

/// The same by the engine itself, where it can.
mod by_engine {
    #![allow(non_upper_case_globals, reason = "ops! finds them by these names")]

    pub(super) const OP_view_bytes: engine::OpDecl = engine::view_bytes_op(super::OP_view_bytes);
    pub(super) const OP_is_bytes: engine::OpDecl = engine::is_bytes_op(super::OP_is_bytes);
    pub(super) const OP_new_bytes: engine::OpDecl = engine::new_bytes_op(super::OP_new_bytes);
}

ops!(pub fn family "encoding" {
    utf8_slice,
    latin1_slice,
    ascii_slice,
    ucs2_slice,
    hex_slice,
    base64_slice,
    base64url_slice,
    utf8_write,
    latin1_write,
    ucs2_write,
    hex_write,
    base64_write,
    hex_bytes,
    base64_bytes,
    latin1_bytes,
    utf8_bytes,
    uninitialized,
    utf8_length,
    utf8_fill,
    encode_into,
    compare,
    compare_range,
    index_of_byte,
    index_of_bytes,
    index_of_units,
    index_of_string,
    swap_bytes,
    is_utf8,
    is_ascii,
    transcode_bytes,
    btoa,
    atob,
    encoding_for_label,
    decode_utf8,
    decode_body,
    decode_once,
    decoder_create,
    decoder_decode,
    decoder_free,
    copy_bytes,
    by_engine::view_bytes,
    by_engine::is_bytes,
    by_engine::new_bytes,
});
