//! The wire form of a WebSocket frame (RFC 6455, 5.2): headers read and written, masks. It knows nothing of connections, which
//! lets a fuzzer have it alone (ext/net/native/fuzz).

/// Why a peer is hung up on: a close code and words.
pub(super) type Refusal = (u16, &'static str);

/// What stands before a payload.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The first byte: FIN, reserved bits and opcode.
    pub first: u8,
    /// Bytes before the payload.
    pub length: usize,
    /// Bytes of the payload.
    pub size: u64,
    /// What it is masked with, zeros for none.
    pub key: [u8; 4],
}

/// The last frame of a message.
pub(super) const FIN: u8 = 0x80;
/// Opcode of text.
pub(super) const TEXT: u8 = 1;

/// The header at the beginning of `data`; `None` where it is not complete. `masked`: frames must be masked, or must not be; `limit`: most
/// bytes of a payload.
pub(super) fn header(data: &[u8], masked: bool, limit: u64) -> Result<Option<Header>, Refusal> {
    let &[first, second, ..] = data else { return Ok(None) };
    let opcode = first & 15;
    if first & 0x30 != 0 {
        return Err((1002, "Received unexpected RSV2 or RSV3 bit"));
    }
    if opcode > 10 || (3..8).contains(&opcode) {
        return Err((1002, "Received invalid opcode"));
    }
    if (second & 0x80 != 0) != masked {
        return Err((1002, "Received an incorrectly masked frame"));
    }
    let (mut length, size) = match second & 0x7f {
        126 => match data.get(2..4) {
            Some(bytes) => (4, u64::from(u16::from_be_bytes([bytes[0], bytes[1]]))),
            None => return Ok(None),
        },
        127 => match data.get(2..10).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
            Some(bytes) => (10, u64::from_be_bytes(bytes)),
            None => return Ok(None),
        },
        size => (2, u64::from(size)),
    };
    if opcode >= 8 && first & FIN == 0 {
        return Err((1002, "Received fragmented control frame"));
    }
    if opcode >= 8 && size > 125 {
        return Err((1002, "Received too big control frame"));
    }
    if size > limit {
        return Err((1009, "Received too big message"));
    }
    let mut key = [0; 4];
    if masked {
        match data.get(length..length + 4) {
            Some(bytes) => key.copy_from_slice(bytes),
            None => return Ok(None),
        }
        length += 4;
    }
    Ok(Some(Header { first, length, size, key }))
}

/// Masks or unmasks in place.
pub(super) fn mask(bytes: &mut [u8], key: [u8; 4]) {
    let wide = u64::from_ne_bytes([key[0], key[1], key[2], key[3], key[0], key[1], key[2], key[3]]);
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(key.iter().cycle()) {
        *byte ^= mask;
    }
}

/// Room for the longest header.
pub(super) const HEADER: usize = 14;

/// Begins a frame in `out`, which is emptied: [`finish`] puts the header before the payload that is appended meanwhile.
pub fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEADER, 0);
}

/// Writes the header of a frame whose payload stands in `out` from [`HEADER`] on (`size` bytes, of which there may be
/// fewer in `out`), and masks it with `key`: the frame begins at the number returned.
pub fn finish(out: &mut [u8], first: u8, size: usize, key: Option<[u8; 4]>) -> usize {
    let extended = if size < 126 {
        0
    } else if size < 1 << 16 {
        2
    } else {
        8
    };
    let start = HEADER - 2 - extended - if key.is_some() { 4 } else { 0 };
    let masked = if key.is_some() { 0x80 } else { 0 };
    out[start] = first;
    out[start + 1] = masked
        | if extended == 0 {
            size as u8
        } else if extended == 2 {
            126
        } else {
            127
        };
    let length = (size as u64).to_be_bytes();
    out[start + 2..start + 2 + extended].copy_from_slice(&length[8 - extended..]);
    if let Some(key) = key {
        out[HEADER - 4..HEADER].copy_from_slice(&key);
        mask(&mut out[HEADER..], key);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::{begin, finish, header, mask};

    #[test]
    fn frames_out_and_in() {
        for size in [0usize, 1, 125, 126, 65_535, 65_536] {
            for key in [None, Some([1, 2, 3, 250])] {
                let mut out = Vec::new();
                begin(&mut out);
                out.extend((0..size).map(|i| i as u8));
                let start = finish(&mut out, 0x82, size, key);
                let frame = &out[start..];
                let found = header(frame, key.is_some(), 1 << 20).unwrap().unwrap();
                assert_eq!((found.first, found.size as usize), (0x82, size));
                let mut payload = frame[found.length..].to_vec();
                mask(&mut payload, found.key);
                assert!(payload.iter().enumerate().all(|(i, &byte)| byte == i as u8));
                // No prefix of it is a header of another size.
                for cut in 0..found.length {
                    assert_eq!(header(&frame[..cut], key.is_some(), 1 << 20), Ok(None));
                }
            }
        }
    }

    #[test]
    fn refused() {
        assert!(header(&[0x83, 0], false, 10).is_err());
        assert!(header(&[0xb1, 0], false, 10).is_err());
        assert!(header(&[0x81, 0], true, 10).is_err());
        assert!(header(&[0x81, 0x80], false, 10).is_err());
        assert!(header(&[0x09, 0], false, 10).is_err());
        assert!(header(&[0x89, 126, 0, 200], false, 1000).is_err());
        assert_eq!(header(&[0x82, 11], false, 10).unwrap_err().0, 1009);
        assert_eq!(header(&[0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], false, 10).unwrap_err().0, 1009);
    }
}
