//! `buffer.transcode`: text from one of four encodings into another, with "?" for characters the target lacks.

use crate::fixed_width;
use crate::js_strings::Chars;
use crate::utf8;

/// Codes of the errors, as ICU names them.
pub(crate) const ILLEGAL_ARGUMENT: &str = "U_ILLEGAL_ARGUMENT_ERROR";
pub(crate) const INVALID_CHAR: &str = "U_INVALID_CHAR_FOUND";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Ascii,
    Latin1,
    Utf8,
    Ucs2,
}

fn encoding(name: &str) -> Result<Encoding, &'static str> {
    Ok(match name {
        "ascii" => Encoding::Ascii,
        "latin1" => Encoding::Latin1,
        "utf8" => Encoding::Utf8,
        "utf16le" => Encoding::Ucs2,
        _ => return Err(ILLEGAL_ARGUMENT),
    })
}

/// The bytes of `source`, text in the encoding `from`, in the encoding `to` (canonical names of Node).
///
/// The ways between utf8 and utf16le refuse malformed text, the others replace it; this is Node's behaviour.
pub(crate) fn transcode(source: &[u8], from: &str, to: &str) -> Result<Vec<u8>, &'static str> {
    let (from, to) = (encoding(from)?, encoding(to)?);
    match (from, to) {
        (Encoding::Utf8, Encoding::Ucs2) => {
            let text = str::from_utf8(source).map_err(|_| INVALID_CHAR)?;
            Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
        }
        (Encoding::Ucs2, Encoding::Utf8) => {
            let text = String::from_utf16(&pairs(source)).map_err(|_| INVALID_CHAR)?;
            if text.is_empty() { Err(INVALID_CHAR) } else { Ok(text.into_bytes()) }
        }
        (Encoding::Ascii | Encoding::Latin1, Encoding::Ucs2) => {
            let mut out = vec![0; source.len() * 2];
            fixed_width::encode_ucs2(Chars::Latin1(source), &mut out);
            Ok(out)
        }
        (Encoding::Latin1, Encoding::Utf8) => Ok(utf8::encode(Chars::Latin1(source))),
        (Encoding::Ucs2, Encoding::Ucs2) => {
            let mut out: Vec<u8> = char::decode_utf16(pairs(source))
                .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
                .flat_map(|char| char.encode_utf16(&mut [0; 2]).to_vec())
                .flat_map(u16::to_le_bytes)
                .collect();
            if source.len() % 2 == 1 {
                out.extend_from_slice(&0xfffd_u16.to_le_bytes());
            }
            Ok(out)
        }
        _ => {
            let text = match from {
                Encoding::Ascii => {
                    source.iter().map(|&b| if b < 0x80 { b as char } else { char::REPLACEMENT_CHARACTER }).collect()
                }
                Encoding::Latin1 => source.iter().map(|&b| b as char).collect(),
                Encoding::Utf8 => String::from_utf8_lossy(source).into_owned(),
                Encoding::Ucs2 => String::from_utf16_lossy(&pairs(source)),
            };
            Ok(match to {
                Encoding::Utf8 => text.into_bytes(),
                Encoding::Ascii => text.chars().map(|char| if char.is_ascii() { char as u8 } else { b'?' }).collect(),
                _ => text.chars().map(|char| u8::try_from(char).unwrap_or(b'?')).collect(),
            })
        }
    }
}

fn pairs(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_node_gives() {
        // Recorded from Node 20.
        let cases: &[(&str, &str, &[u8], &[u8])] = &[
            ("ascii", "ascii", b"A\xff", b"A?"),
            ("ascii", "utf8", b"\x80", b"\xef\xbf\xbd"),
            ("ascii", "utf16le", b"\x80\xff", b"\x80\0\xff\0"),
            ("latin1", "latin1", b"\x80\xff", b"\x80\xff"),
            ("latin1", "ascii", b"A\xff", b"A?"),
            ("latin1", "utf8", b"\x80\xff", b"\xc2\x80\xc3\xbf"),
            ("utf8", "ascii", b"\xe2\x82\xac", b"?"),
            ("utf8", "latin1", b"\xc3\xa9", b"\xe9"),
            ("utf8", "utf8", b"\x80\xff", b"\xef\xbf\xbd\xef\xbf\xbd"),
            ("utf8", "utf16le", b"\xf0\x9f\x98\x80", b"\x3d\xd8\x00\xde"),
            ("utf16le", "utf8", b"\x3d\xd8\x00\xde", b"\xf0\x9f\x98\x80"),
            ("utf16le", "latin1", b"\x3d\xd8\x00\xde", b"?"),
            ("utf16le", "ascii", b"A\0B", b"A"),
            ("utf16le", "utf16le", b"A\0B", b"A\0\xfd\xff"),
            ("utf16le", "utf16le", b"\0\xd8A\0", b"\xfd\xffA\0"),
        ];
        for &(from, to, source, expected) in cases {
            assert_eq!(transcode(source, from, to).as_deref(), Ok(expected), "{from} {to} {source:x?}");
        }
        assert_eq!(transcode(b"\xff", "utf8", "utf16le"), Err(INVALID_CHAR));
        assert_eq!(transcode(b"A", "utf16le", "utf8"), Err(INVALID_CHAR));
        assert_eq!(transcode(b"A", "hex", "utf8"), Err(ILLEGAL_ARGUMENT));
        assert_eq!(transcode(b"A", "utf8", "base64"), Err(ILLEGAL_ARGUMENT));
    }
}
