//! Conversions between UTF-8, UTF-16 and Latin-1, sixteen bytes at a time.
//!
//! Each function converts as much as it can in whole blocks, never part of a character, and gives back how far it got;
//! the caller converts the rest character by character. Blocks are stored whole, so bytes behind the result may be
//! written to, but only where the caller, going on with the rest, is bound to overwrite them. On machines without the
//! instructions nothing is converted here.

/// Number of ASCII bytes at the beginning.
pub(crate) fn ascii_prefix(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + 64) {
        if !block.is_ascii() {
            break;
        }
        at += 64;
    }
    while let Some(block) = bytes.get(at..at + 8) {
        if !block.is_ascii() {
            break;
        }
        at += 8;
    }
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Number of bytes that `class` marks: it gets eight bytes and sets the highest bit of those that count. A zero byte
/// must not count.
fn count(bytes: &[u8], class: impl Fn(u64) -> u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut total = 0;
    // Eight counters of one byte each, emptied before they overflow.
    for block in bytes.chunks(8 * 255) {
        let (groups, rest) = block.as_chunks::<8>();
        let mut counters = 0;
        for group in groups {
            counters += class(u64::from_le_bytes(*group)) >> 7 & ONES;
        }
        let pairs = (counters & 0x00ff_00ff_00ff_00ff) + (counters >> 8 & 0x00ff_00ff_00ff_00ff);
        total += (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        total += (class(u64::from_le_bytes(last)) >> 7 & ONES).count_ones() as usize;
    }
    total
}

/// Number of bytes above 0x7f.
pub(crate) fn count_high(bytes: &[u8]) -> usize {
    count(bytes, |group| group)
}

/// Number of bytes that begin a character of several bytes.
pub(crate) fn count_leads(bytes: &[u8]) -> usize {
    // A shift to the left brings the next lower bit of each byte to the place that is looked at.
    count(bytes, |group| group & group << 1)
}

/// Number of UTF-16 units of well-formed UTF-8: one for each byte that begins a character, another one where that
/// takes four bytes.
pub(crate) fn count_units(bytes: &[u8]) -> usize {
    let continuations = count(bytes, |group| group & !(group << 1));
    let long = count(bytes, |group| group & group << 1 & group << 2 & group << 3);
    bytes.len() - continuations + long
}

/// How far a conversion got: elements of the input read, elements of the output written.
pub(crate) type Progress = (usize, usize);

/// Latin-1 to UTF-8.
pub(crate) fn latin1_to_utf8(chars: &[u8], out: &mut [u8]) -> Progress {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        // SAFETY: the instructions are there.
        return unsafe { x86::latin1_to_utf8(chars, out) };
    }
    let _ = (chars, out);
    (0, 0)
}

/// UTF-16 to UTF-8, lone surrogates as U+FFFD.
pub(crate) fn utf16_to_utf8(units: &[u16], out: &mut [u8]) -> Progress {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        // SAFETY: the instructions are there.
        return unsafe { x86::utf16_to_utf8(units, out) };
    }
    let _ = (units, out);
    (0, 0)
}

/// Elements behind the result that [`utf8_to_utf16`] wants to be there.
pub(crate) const UTF16_ROOM: usize = 80;

/// Well-formed UTF-8 to UTF-16.
pub(crate) fn utf8_to_utf16(text: &str, out: &mut [u16]) -> Progress {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        // SAFETY: the instructions are there.
        return unsafe { x86::utf8_to_utf16(text, out) };
    }
    let _ = (text, out);
    (0, 0)
}

/// Well-formed UTF-8 without characters above U+00FF to Latin-1.
pub(crate) fn utf8_to_latin1(text: &str, out: &mut [u8]) -> Progress {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        // SAFETY: the instructions are there.
        return unsafe { x86::utf8_to_latin1(text, out) };
    }
    let _ = (text, out);
    (0, 0)
}

/// The character at the beginning of `units`, U+FFFD for a lone surrogate, and the units it takes.
pub(crate) fn utf16_char(units: &[u16]) -> (char, usize) {
    let unit = units[0];
    if unit & 0xfc00 == 0xd800
        && let Some(low) = units.get(1)
        && low & 0xfc00 == 0xdc00
    {
        let code = 0x10000 + ((u32::from(unit) & 0x3ff) << 10) + (u32::from(*low) & 0x3ff);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 2);
    }
    (char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER), 1)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Progress, tables, utf16_char};

    pub(super) fn available() -> bool {
        is_x86_feature_detected!("ssse3")
    }

    #[inline]
    #[target_feature(enable = "ssse3")]
    fn load<T>(from: &[T]) -> __m128i {
        assert!(size_of_val(from) >= 16);
        // SAFETY: in bounds, and any bytes are a vector.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "ssse3")]
    fn store<T: Copy>(to: &mut [T], vector: __m128i) {
        assert!(size_of_val(to) >= 16);
        // SAFETY: in bounds; only used with integers, for which any bytes are a value.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), vector) }
    }

    #[inline]
    #[target_feature(enable = "ssse3")]
    fn select(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no))
    }

    /// Eight units below U+0800 as one or two bytes each; returns how many bytes that is. Writes 16 bytes.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn put_narrow(units: __m128i, out: &mut [u8]) -> usize {
        let lead = _mm_or_si128(_mm_srli_epi16(units, 6), _mm_set1_epi16(0xc0));
        let last = _mm_or_si128(_mm_and_si128(units, _mm_set1_epi16(0x3f)), _mm_set1_epi16(0x80));
        let pairs = _mm_or_si128(lead, _mm_slli_epi16(last, 8));
        let wide = _mm_cmpgt_epi16(units, _mm_set1_epi16(0x7f));
        let bytes = select(wide, pairs, units);
        let mask = _mm_movemask_epi8(_mm_packs_epi16(wide, _mm_setzero_si128())) as usize & 0xff;
        store(out, _mm_shuffle_epi8(bytes, load(&tables::PACK2[mask])));
        8 + mask.count_ones() as usize
    }

    #[target_feature(enable = "ssse3")]
    pub(super) fn latin1_to_utf8(chars: &[u8], out: &mut [u8]) -> Progress {
        let (mut read, mut written) = (0, 0);
        // What is stored beyond the result, at most 8 bytes, must be overwritten by what the 8 next characters give.
        while read + 24 <= chars.len() && written + 32 <= out.len() {
            let block = load(&chars[read..]);
            if _mm_movemask_epi8(block) == 0 {
                store(&mut out[written..], block);
                written += 16;
            } else {
                let zero = _mm_setzero_si128();
                written += put_narrow(_mm_unpacklo_epi8(block, zero), &mut out[written..]);
                written += put_narrow(_mm_unpackhi_epi8(block, zero), &mut out[written..]);
            }
            read += 16;
        }
        (read, written)
    }

    /// Four units that are no surrogates, in the low halves of the lanes, as one to three bytes each. Writes 16 bytes.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn put_wide(units: __m128i, out: &mut [u8]) -> usize {
        let six = _mm_set1_epi32(0x3f);
        let mark = _mm_set1_epi32(0x80);
        let two = _mm_cmpgt_epi32(units, _mm_set1_epi32(0x7f));
        let three = _mm_cmpgt_epi32(units, _mm_set1_epi32(0x7ff));
        let high = _mm_srli_epi32(units, 6);
        let lead2 = _mm_or_si128(high, _mm_set1_epi32(0xc0));
        let lead3 = _mm_or_si128(_mm_srli_epi32(units, 12), _mm_set1_epi32(0xe0));
        let lead = select(three, lead3, select(two, lead2, units));
        let middle = _mm_or_si128(_mm_and_si128(high, six), mark);
        let last = _mm_or_si128(_mm_and_si128(units, six), mark);
        let bytes = _mm_or_si128(lead, _mm_or_si128(_mm_slli_epi32(middle, 8), _mm_slli_epi32(last, 16)));
        let mask2 = _mm_movemask_ps(_mm_castsi128_ps(two)) as usize;
        let mask3 = _mm_movemask_ps(_mm_castsi128_ps(three)) as usize;
        store(out, _mm_shuffle_epi8(bytes, load(&tables::PACK3[mask2 | mask3 << 4])));
        4 + mask2.count_ones() as usize + mask3.count_ones() as usize
    }

    /// Four units from U+0800 on that are no surrogates, in the low halves of the lanes, as 12 bytes. Writes 16 bytes.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn put_three(units: __m128i, out: &mut [u8]) {
        let lead = _mm_srli_epi32(units, 12);
        let middle = _mm_slli_epi32(_mm_and_si128(units, _mm_set1_epi32(0xfc0)), 2);
        let last = _mm_slli_epi32(_mm_and_si128(units, _mm_set1_epi32(0x3f)), 16);
        let bytes = _mm_or_si128(_mm_or_si128(lead, middle), _mm_or_si128(last, _mm_set1_epi32(0x80_80e0)));
        let pack = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
        store(out, _mm_shuffle_epi8(bytes, pack));
    }

    #[target_feature(enable = "ssse3")]
    pub(super) fn utf16_to_utf8(units: &[u16], out: &mut [u8]) -> Progress {
        let (mut read, mut written) = (0, 0);
        let zero = _mm_setzero_si128();
        // What is stored beyond the result, at most 12 bytes, must be overwritten by what the 12 next units give, or, if
        // there is no room for that, lie before the last four bytes of the output, which is where they stop to fit.
        while read + 20 <= units.len() && written + 32 <= out.len() {
            let block = load(&units[read..]);
            let above = |vector: __m128i, bits: i16| {
                _mm_movemask_epi8(_mm_cmpeq_epi16(_mm_and_si128(vector, _mm_set1_epi16(bits)), zero)) != 0xffff
            };
            if !above(block, !0x7f) {
                let next = load(&units[read + 8..]);
                if above(next, !0x7f) {
                    store(&mut out[written..], _mm_packus_epi16(block, block));
                    written += 8;
                    read += 8;
                } else {
                    store(&mut out[written..], _mm_packus_epi16(block, next));
                    written += 16;
                    read += 16;
                }
            } else if !above(block, !0x7ff) {
                written += put_narrow(block, &mut out[written..]);
                read += 8;
            } else {
                let kind = _mm_and_si128(block, _mm_set1_epi16(0xf800_u16 as i16));
                let surrogates = _mm_cmpeq_epi16(kind, _mm_set1_epi16(0xd800_u16 as i16));
                if _mm_movemask_epi8(surrogates) == 0 {
                    if _mm_movemask_epi8(_mm_cmpeq_epi16(kind, zero)) == 0 {
                        // Three bytes each: the usual case of many scripts, and faster with the sizes known.
                        put_three(_mm_unpacklo_epi16(block, zero), &mut out[written..]);
                        put_three(_mm_unpackhi_epi16(block, zero), &mut out[written + 12..]);
                        written += 24;
                        read += 8;
                        continue;
                    }
                    written += put_wide(_mm_unpacklo_epi16(block, zero), &mut out[written..]);
                    written += put_wide(_mm_unpackhi_epi16(block, zero), &mut out[written..]);
                    read += 8;
                } else {
                    let end = read + 8;
                    while read < end {
                        let (char, used) = utf16_char(&units[read..read + 2]);
                        read += used;
                        if used == 2 {
                            let code = char as u32;
                            out[written..written + 4].copy_from_slice(&[
                                0xf0 | (code >> 18) as u8,
                                0x80 | (code >> 12) as u8 & 0x3f,
                                0x80 | (code >> 6) as u8 & 0x3f,
                                0x80 | code as u8 & 0x3f,
                            ]);
                            written += 4;
                        } else {
                            written += char.encode_utf8(&mut out[written..]).len();
                        }
                    }
                }
            }
        }
        (read, written)
    }

    /// Bits of the bytes that continue a character.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn continuations(block: __m128i) -> usize {
        _mm_movemask_epi8(_mm_cmplt_epi8(block, _mm_set1_epi8(-0x40))) as usize
    }

    /// Six characters of one or two bytes, shuffled into lanes of 16 bits, last byte first.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn join_narrow(lanes: __m128i) -> __m128i {
        let low = _mm_and_si128(lanes, _mm_set1_epi16(0x7f));
        let high = _mm_and_si128(lanes, _mm_set1_epi16(0x1f00));
        _mm_or_si128(low, _mm_srli_epi16(high, 2))
    }

    /// Four characters of one to three bytes, shuffled into lanes of 32 bits, last byte first.
    #[inline]
    #[target_feature(enable = "ssse3")]
    fn join_wide(lanes: __m128i) -> __m128i {
        let low = _mm_and_si128(lanes, _mm_set1_epi32(0x7f));
        let middle = _mm_and_si128(lanes, _mm_set1_epi32(0x3f00));
        let high = _mm_and_si128(lanes, _mm_set1_epi32(0xf_0000));
        let units = _mm_or_si128(low, _mm_or_si128(_mm_srli_epi32(middle, 2), _mm_srli_epi32(high, 4)));
        let pack = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
        _mm_shuffle_epi8(units, pack)
    }

    /// One character of `size` bytes; returns the units written.
    #[inline]
    fn put_char(bytes: &[u8], size: usize, out: &mut [u16]) -> usize {
        let (bytes, out) = (&bytes[..4], &mut out[..2]);
        let bits = |at: usize| u32::from(bytes[at] & 0x3f);
        let first = u32::from(bytes[0]);
        let code = match size {
            1 => first,
            2 => (first & 0x1f) << 6 | bits(1),
            3 => (first & 0xf) << 12 | bits(1) << 6 | bits(2),
            _ => {
                let code = ((first & 7) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)) - 0x10000;
                out[0] = 0xd800 | (code >> 10) as u16;
                out[1] = 0xdc00 | (code & 0x3ff) as u16;
                return 2;
            }
        };
        out[0] = code as u16;
        1
    }

    #[target_feature(enable = "ssse3")]
    pub(super) fn utf8_to_utf16(text: &str, out: &mut [u16]) -> Progress {
        let bytes = text.as_bytes();
        let (mut read, mut written) = (0, 0);
        let zero = _mm_setzero_si128();
        // The marks of the last bytes of characters are found for 64 bytes at once, so that going from one group of
        // characters to the next only takes a shift of them. Of a block, at most 64 units and 16 behind them are stored.
        while read + 64 <= bytes.len() && written + super::UTF16_ROOM <= out.len() {
            let mut marks = 0;
            for part in (0..4).rev() {
                marks = marks << 16 | continuations(load(&bytes[read + part * 16..]));
            }
            // Bit i: the byte at i is the last one of a character. The one at 63 is not known.
            let mut ends = !(marks >> 1);
            let limit = read + 47;
            while read <= limit {
                let block = &bytes[read..read + 16];
                let vector = load(block);
                let used;
                if ends & 0xffff == 0xffff {
                    store(&mut out[written..], _mm_unpacklo_epi8(vector, zero));
                    store(&mut out[written + 8..], _mm_unpackhi_epi8(vector, zero));
                    written += 16;
                    used = 16;
                } else if ends & 0xfff == 0x924 {
                    // Four characters of three bytes. This and the next case are in the table as well, but a predicted
                    // branch is faster than waiting for what the table says.
                    let shuffle = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
                    store(&mut out[written..], join_wide(_mm_shuffle_epi8(vector, shuffle)));
                    written += 4;
                    used = 12;
                } else if ends & 0xfff == 0xaaa {
                    let shuffle = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, -1, -1, -1, -1);
                    store(&mut out[written..], join_narrow(_mm_shuffle_epi8(vector, shuffle)));
                    written += 6;
                    used = 12;
                } else if ends & 0xf == 8 {
                    written += put_char(block, 4, &mut out[written..]);
                    used = 4;
                } else {
                    let (shuffle, taken) = tables::UTF8[ends & 0xfff];
                    if shuffle == tables::NO_SHUFFLE {
                        // A character of four bytes is near: one character by itself.
                        used = ends.trailing_zeros() as usize + 1;
                        written += put_char(block, used, &mut out[written..]);
                    } else {
                        let lanes = _mm_shuffle_epi8(vector, load(&tables::UTF8_SHUFFLES[shuffle as usize]));
                        if shuffle < tables::NARROW as u8 {
                            store(&mut out[written..], join_narrow(lanes));
                            written += 6;
                        } else {
                            store(&mut out[written..], join_wide(lanes));
                            written += 4;
                        }
                        used = taken as usize;
                    }
                }
                ends >>= used;
                read += used;
            }
        }
        (read, written)
    }

    #[target_feature(enable = "ssse3")]
    pub(super) fn utf8_to_latin1(text: &str, out: &mut [u8]) -> Progress {
        let bytes = text.as_bytes();
        let (mut read, mut written) = (0, 0);
        // One byte before each block is looked at as well, so the first character is converted by itself.
        let (Some(char), Some(first)) = (text.chars().next(), out.first_mut()) else { return (0, 0) };
        *first = char as u8;
        read += char.len_utf8();
        written += 1;
        while read + 16 <= bytes.len() && written + 24 <= out.len() {
            let block = load(&bytes[read..]);
            if _mm_movemask_epi8(block) == 0 {
                store(&mut out[written..], block);
                read += 16;
                written += 16;
                continue;
            }
            // Leads are dropped; what follows 0xc3 gets the bit that the lead stood for.
            let before = load(&bytes[read - 1..]);
            let bit = _mm_and_si128(_mm_cmpeq_epi8(before, _mm_set1_epi8(0xc3_u8 as i8)), _mm_set1_epi8(0x40));
            let chars = _mm_or_si128(block, bit);
            let leads = _mm_movemask_epi8(_mm_and_si128(block, _mm_slli_epi16(block, 1))) as usize;
            let (low, high) = (leads & 0xff, leads >> 8);
            // Two halves, each packed to the front; the second one overwrites what the first has too much.
            store(&mut out[written..], _mm_shuffle_epi8(chars, load(&tables::KEEP[low])));
            written += 8 - low.count_ones() as usize;
            let upper = _mm_srli_si128(chars, 8);
            store(&mut out[written..], _mm_shuffle_epi8(upper, load(&tables::KEEP[high])));
            written += 8 - high.count_ones() as usize;
            read += 16;
        }
        // A lead at the very end of the last block belongs to a character that has not been written.
        if bytes[read - 1] >= 0xc0 {
            read -= 1;
        }
        (read, written)
    }
}

/// Shuffle masks: for each place of the result, the place it comes from, or 0x80 for zero.
#[cfg(any(target_arch = "x86_64", test))]
mod tables {
    const ZERO: u8 = 0x80;

    /// Eight pairs of bytes; bit i: both bytes of pair i are wanted, otherwise only the first.
    pub(super) static PACK2: [[u8; 16]; 256] = {
        let mut table = [[ZERO; 16]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut at) = (0, 0);
            while lane < 8 {
                table[mask][at] = lane * 2;
                at += 1;
                if mask >> lane & 1 == 1 {
                    table[mask][at] = lane * 2 + 1;
                    at += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        table
    };

    /// Four groups of bytes 0, 1, 2: all of them where bit 4 + i is set, 0 and 2 where bit i is, otherwise 0.
    pub(super) static PACK3: [[u8; 16]; 256] = {
        let mut table = [[ZERO; 16]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut at) = (0, 0);
            while lane < 4 {
                table[mask][at] = lane * 4;
                at += 1;
                if mask >> (lane + 4) & 1 == 1 {
                    table[mask][at] = lane * 4 + 1;
                    at += 1;
                }
                if mask >> lane & 1 == 1 {
                    table[mask][at] = lane * 4 + 2;
                    at += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        table
    };

    /// The bytes of eight whose bit is not set, at the front.
    pub(super) static KEEP: [[u8; 16]; 256] = {
        let mut table = [[ZERO; 16]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut at) = (0, 0);
            while lane < 8 {
                if mask >> lane & 1 == 0 {
                    table[mask][at] = lane;
                    at += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        table
    };

    /// Shuffles of six characters of one or two bytes; those of four characters of one to three bytes follow.
    pub(super) const NARROW: usize = 64;
    const WIDE: usize = 81;
    /// No shuffle: a character of four bytes is among the first.
    pub(super) const NO_SHUFFLE: u8 = 0xff;

    /// Lengths of the first six characters whose last bytes are marked, 0 where the mark lies outside.
    const fn lengths(ends: usize) -> [usize; 6] {
        let mut lengths = [0; 6];
        let (mut found, mut start, mut at) = (0, 0, 0);
        while at < 12 && found < 6 {
            if ends >> at & 1 == 1 {
                lengths[found] = at + 1 - start;
                start = at + 1;
                found += 1;
            }
            at += 1;
        }
        lengths
    }

    /// By the marks of the last bytes of characters in twelve bytes: the shuffle to use and the bytes it takes.
    pub(super) static UTF8: [(u8, u8); 4096] = {
        let mut table = [(NO_SHUFFLE, 0); 4096];
        let mut ends = 0;
        while ends < 4096 {
            let lengths = lengths(ends);
            let (mut narrow, mut wide) = (true, true);
            let (mut narrow_id, mut wide_id, mut narrow_used, mut wide_used) = (0, 0, 0, 0);
            let (mut k, mut power) = (0, 1);
            while k < 6 {
                let length = lengths[k];
                if length == 0 || length > 2 {
                    narrow = false;
                } else {
                    narrow_id += (length - 1) << k;
                    narrow_used += length;
                }
                if k < 4 {
                    if length == 0 || length > 3 {
                        wide = false;
                    } else {
                        wide_id += (length - 1) * power;
                        wide_used += length;
                        power *= 3;
                    }
                }
                k += 1;
            }
            if narrow {
                table[ends] = (narrow_id as u8, narrow_used as u8);
            } else if wide {
                table[ends] = ((NARROW + wide_id) as u8, wide_used as u8);
            }
            ends += 1;
        }
        table
    };

    /// Last byte first, in lanes of two bytes (narrow) or four (wide).
    pub(super) static UTF8_SHUFFLES: [[u8; 16]; NARROW + WIDE] = {
        let mut table = [[ZERO; 16]; NARROW + WIDE];
        let mut id = 0;
        while id < NARROW + WIDE {
            let narrow = id < NARROW;
            let (mut rest, mut lane, mut at) = (if narrow { id } else { id - NARROW }, 0, 0);
            while lane < if narrow { 6 } else { 4 } {
                let base = if narrow { 2 } else { 3 };
                let length = rest % base + 1;
                rest /= base;
                let width = if narrow { 2 } else { 4 };
                let mut k = 0;
                while k < length {
                    table[id][lane * width + k] = (at + length - 1 - k) as u8;
                    k += 1;
                }
                at += length;
                lane += 1;
            }
            id += 1;
        }
        table
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of all mixtures of character sizes, longer than several blocks.
    fn texts() -> Vec<String> {
        let kinds = [
            &['a', 'Z', '~', '\0'][..],
            &['é', '\u{80}', '\u{ff}'],
            &['ж', '\u{100}', '\u{7ff}'],
            &['€', '日', '\u{800}', '\u{ffff}', '\u{e000}'],
            &['😀', '\u{10000}', '\u{10ffff}'],
        ];
        let mut seed = 7u32;
        let mut next = move |below: usize| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            (seed >> 10) as usize % below
        };
        let mut all = Vec::new();
        for used in 1..32 {
            for round in 0..12 {
                let mut text = String::new();
                let mut kind = 0;
                for _ in 0..next(150) + 20 {
                    if round % 3 != 0 || next(8) == 0 {
                        kind = next(5);
                    }
                    if used >> kind & 1 == 1 {
                        text.push(kinds[kind][next(kinds[kind].len())]);
                    }
                }
                all.push(text);
            }
        }
        all
    }

    #[test]
    fn blocks_agree_with_rust() {
        for text in texts() {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut out = vec![0; text.len() + 40];
            let (read, written) = utf16_to_utf8(&units, &mut out);
            assert_eq!(str::from_utf8(&out[..written]).unwrap(), String::from_utf16(&units[..read]).unwrap());

            let mut out = vec![0; units.len() + 40];
            let (read, written) = utf8_to_utf16(&text, &mut out);
            assert_eq!(out[..written], text[..read].encode_utf16().collect::<Vec<_>>());

            if text.chars().all(|char| char <= '\u{ff}') {
                let chars: Vec<u8> = text.chars().map(|char| char as u8).collect();
                let mut out = vec![0; text.len() + 40];
                let (read, written) = utf8_to_latin1(&text, &mut out);
                assert_eq!(out[..written], text[..read].chars().map(|char| char as u8).collect::<Vec<_>>());
                let (read, written) = latin1_to_utf8(&chars, &mut out);
                assert_eq!(out[..written], chars[..read].iter().map(|&c| c as char).collect::<String>().into_bytes());
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn blocks_leave_only_an_end() {
        let latin1 = "naïve café ".repeat(20);
        assert!(utf8_to_latin1(&latin1, &mut vec![0; 600]).0 + 24 > latin1.len());
        let mixed = "日本 ru жук 😀 é".repeat(20);
        assert!(utf8_to_utf16(&mixed, &mut vec![0; 900]).0 + 64 > mixed.len());
        let units: Vec<u16> = mixed.encode_utf16().collect();
        assert!(utf16_to_utf8(&units, &mut vec![0; 1500]).0 + 20 > units.len());
    }

    #[test]
    fn lone_surrogates_and_small_outputs() {
        let mut units = vec![0x61; 40];
        units[3] = 0xdc00;
        units[7] = 0xd800;
        units[15] = 0xd83d;
        units[16] = 0xde00;
        units[20] = 0xd83d;
        let expected = String::from_utf16_lossy(&units);
        let mut out = vec![0; 200];
        let (read, written) = utf16_to_utf8(&units, &mut out);
        assert_eq!(out[..written], String::from_utf16_lossy(&units[..read]).as_bytes()[..]);
        assert!(expected.as_bytes().starts_with(&out[..written]));
        for room in 0..60 {
            let (_, written) = utf16_to_utf8(&units, &mut out[..room]);
            assert!(written <= room);
        }
    }

    #[test]
    fn counting() {
        assert_eq!(ascii_prefix(b""), 0);
        for len in [1, 7, 8, 63, 64, 65, 200] {
            let mut bytes = vec![b'a'; len];
            assert_eq!(ascii_prefix(&bytes), len);
            bytes[len - 1] = 0x80;
            assert_eq!(ascii_prefix(&bytes), len - 1);
        }
        let bytes: Vec<u8> = (0..10000).map(|i| (i * 7) as u8).collect();
        assert_eq!(count_high(&bytes), bytes.iter().filter(|&&byte| byte >= 0x80).count());
        for char in ["a", "é", "€", "😀", "aé€😀"] {
            let text = char.repeat(5000);
            assert_eq!(count_leads(text.as_bytes()), text.chars().filter(|char| !char.is_ascii()).count());
            assert_eq!(count_units(text.as_bytes()), text.encode_utf16().count());
        }
    }
}
