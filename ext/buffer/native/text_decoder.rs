//! `TextDecoder`: every encoding of https://encoding.spec.whatwg.org, in one go or piece by piece.

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding, UTF_8, mem};

use crate::js_strings::{Text, TooLong, check_length};
use crate::utf8;

/// Why there is no text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// Malformed input for a fatal decoder.
    Malformed,
    /// More units than a string can have.
    TooLong,
}

impl From<TooLong> for DecodeError {
    fn from(_: TooLong) -> Self {
        DecodeError::TooLong
    }
}

/// Canonical name, in lower case, of the encoding with this label.
pub(crate) fn name_for_label(label: &str) -> Option<String> {
    Encoding::for_label(label.as_bytes()).map(|encoding| encoding.name().to_ascii_lowercase())
}

/// A decoder between two pieces of a stream.
pub(crate) struct StreamDecoder {
    decoder: Decoder,
    fatal: bool,
}

impl StreamDecoder {
    /// A decoder for the encoding with this label. `keep_bom`: a byte order mark is text.
    pub(crate) fn new(label: &str, fatal: bool, keep_bom: bool) -> Option<Self> {
        let encoding = Encoding::for_label(label.as_bytes())?;
        let decoder = if keep_bom {
            encoding.new_decoder_without_bom_handling()
        } else {
            encoding.new_decoder_with_bom_removal()
        };
        Some(StreamDecoder { decoder, fatal })
    }

    /// The text of the next piece. After `last`, and after an error, the decoder must not be used any more.
    pub(crate) fn decode(&mut self, bytes: &[u8], last: bool) -> Result<Text<'static>, DecodeError> {
        let most = self.decoder.max_utf16_buffer_length(bytes.len()).ok_or(DecodeError::TooLong)?;
        let mut units = vec![0u16; most];
        let written = if self.fatal {
            let (result, _, written) = self.decoder.decode_to_utf16_without_replacement(bytes, &mut units, last);
            if result != DecoderResult::InputEmpty {
                return Err(DecodeError::Malformed);
            }
            written
        } else {
            let (result, _, written, _) = self.decoder.decode_to_utf16(bytes, &mut units, last);
            debug_assert_eq!(result, CoderResult::InputEmpty);
            written
        };
        units.truncate(written);
        narrowed(units)
    }
}

/// The text in one byte per character, if its characters allow it.
fn narrowed(units: Vec<u16>) -> Result<Text<'static>, DecodeError> {
    check_length(units.len())?;
    if !mem::is_utf16_latin1(&units) {
        return Ok(Text::Utf16(units));
    }
    Ok(Text::latin1_with(units.len(), |out| {
        for (to, from) in out.iter_mut().zip(&units) {
            to.write(*from as u8);
        }
        units.len()
    })?)
}

/// The text of UTF-8 bytes that are all there is.
pub(crate) fn decode_utf8(bytes: &[u8], fatal: bool, keep_bom: bool) -> Result<Text<'_>, DecodeError> {
    let bytes = if keep_bom { bytes } else { utf8::without_bom(bytes) };
    if fatal && !utf8::is_valid(bytes) {
        return Err(DecodeError::Malformed);
    }
    Ok(utf8::decode(bytes)?)
}

/// The text of bytes that are all there is. `None` for an unknown label.
pub(crate) fn decode_once<'a>(
    label: &str,
    bytes: &'a [u8],
    fatal: bool,
    keep_bom: bool,
) -> Option<Result<Text<'a>, DecodeError>> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    if encoding == UTF_8 {
        return Some(decode_utf8(bytes, fatal, keep_bom));
    }
    if encoding.is_ascii_compatible() && bytes.is_ascii() {
        return Some(Text::latin1(bytes).map_err(DecodeError::from));
    }
    Some(StreamDecoder::new(label, fatal, keep_bom)?.decode(bytes, true))
}

/// The decoders of streams in progress, by number.
#[derive(Default)]
pub(crate) struct Decoders {
    slots: Vec<Option<StreamDecoder>>,
    free: Vec<u32>,
}

impl Decoders {
    /// Keeps a decoder; its number is not 0.
    pub(crate) fn insert(&mut self, decoder: StreamDecoder) -> u32 {
        if let Some(id) = self.free.pop() {
            self.slots[id as usize - 1] = Some(decoder);
            return id;
        }
        self.slots.push(Some(decoder));
        self.slots.len() as u32
    }

    fn slot(&mut self, id: u32) -> Option<&mut Option<StreamDecoder>> {
        self.slots.get_mut((id as usize).checked_sub(1)?)
    }

    /// Takes the decoder out for a moment; its number stays taken.
    pub(crate) fn lend(&mut self, id: u32) -> Option<StreamDecoder> {
        self.slot(id)?.take()
    }

    /// Puts a lent decoder back.
    pub(crate) fn give_back(&mut self, id: u32, decoder: StreamDecoder) {
        if let Some(slot) = self.slot(id) {
            *slot = Some(decoder);
        }
    }

    /// Drops the decoder; the number may be given out again.
    pub(crate) fn remove(&mut self, id: u32) {
        if self.slot(id).is_some_and(|slot| slot.take().is_some()) {
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(label: &str, bytes: &[u8], fatal: bool, keep_bom: bool) -> Result<String, DecodeError> {
        decode_once(label, bytes, fatal, keep_bom).unwrap().map(|text| String::from_utf16(&text.to_utf16()).unwrap())
    }

    #[test]
    fn labels() {
        for (label, name) in [
            ("latin1", "windows-1252"),
            (" UTF8\n", "utf-8"),
            ("utf-16", "utf-16le"),
            ("sjis", "shift_jis"),
            ("hz-gb-2312", "replacement"),
            ("x-user-defined", "x-user-defined"),
        ] {
            assert_eq!(name_for_label(label).as_deref(), Some(name));
        }
        assert_eq!(name_for_label("made-up"), None);
        assert_eq!(name_for_label("utf\u{2d}8\0"), None);
    }

    #[test]
    fn whole_texts() {
        assert_eq!(once("utf-8", b"\xef\xbb\xbfa", false, false).unwrap(), "a");
        assert_eq!(once("utf-8", b"\xef\xbb\xbfa", false, true).unwrap(), "\u{feff}a");
        assert_eq!(once("utf-8", b"\xff", true, false), Err(DecodeError::Malformed));
        assert_eq!(once("utf-16be", b"\xfe\xff\x20\xac", false, false).unwrap(), "€");
        assert_eq!(once("utf-16le", b"\x00\xd8", false, false).unwrap(), "\u{fffd}");
        assert_eq!(once("utf-16le", b"\x00\xd8", true, false), Err(DecodeError::Malformed));
        assert_eq!(once("windows-1252", b"\x80\xe9", false, false).unwrap(), "€é");
        assert_eq!(once("shift_jis", b"\x83\x65a", false, false).unwrap(), "テa");
        assert_eq!(once("gbk", b"\xc4\xe3", false, false).unwrap(), "你");
        assert_eq!(once("iso-2022-jp", b"\x1b$B$\"", false, false).unwrap(), "あ");
        assert_eq!(once("koi8-r", b"plain", true, false).unwrap(), "plain");
        assert!(decode_once("nope", b"", false, false).is_none());
    }

    #[test]
    fn pieces() {
        for label in ["utf-8", "utf-16le", "utf-16be", "gb18030", "euc-jp", "big5"] {
            let bytes: Vec<u8> = match label {
                "utf-16le" => "a€😀b".encode_utf16().flat_map(u16::to_le_bytes).collect(),
                "utf-16be" => "a€😀b".encode_utf16().flat_map(u16::to_be_bytes).collect(),
                "utf-8" => "a€😀b".into(),
                _ => Encoding::for_label(label.as_bytes()).unwrap().encode("aテキb").0.into_owned(),
            };
            let whole = once(label, &bytes, true, false).unwrap();
            for cut in 0..=bytes.len() {
                let mut decoder = StreamDecoder::new(label, true, false).unwrap();
                let mut units = decoder.decode(&bytes[..cut], false).unwrap().to_utf16();
                units.extend(decoder.decode(&bytes[cut..], true).unwrap().to_utf16());
                assert_eq!(String::from_utf16(&units).unwrap(), whole);
            }
        }
        let mut decoder = StreamDecoder::new("utf-8", true, false).unwrap();
        assert!(decoder.decode(b"\xe2", false).is_ok());
        assert_eq!(decoder.decode(b"", true), Err(DecodeError::Malformed));
    }

    #[test]
    fn table() {
        let decoder = || StreamDecoder::new("utf-8", false, false).unwrap();
        let mut table = Decoders::default();
        let (a, b) = (table.insert(decoder()), table.insert(decoder()));
        assert_eq!((a, b), (1, 2));
        let lent = table.lend(a).unwrap();
        assert!(table.lend(a).is_none());
        table.give_back(a, lent);
        table.remove(a);
        table.remove(a);
        table.remove(0);
        table.remove(99);
        assert_eq!(table.insert(decoder()), a);
        assert_eq!(table.insert(decoder()), 3);
    }
}
