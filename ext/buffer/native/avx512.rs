//! The conversions of `simd.rs` for processors with AVX-512 VBMI2, which packs the wanted lanes of a vector in one
//! instruction: 32 or 64 bytes at a time, whole texts including their ends, and nothing written behind the result.
//!
//! Loads and stores are masked where a block is not whole; masked lanes are not touched, so that nothing outside of the
//! slices is read or written.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Whether the instructions are there.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// The lowest `count` bits, at most 64.
#[inline]
fn low64(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

#[inline]
fn low32(count: usize) -> u32 {
    low64(count.min(32)) as u32
}

/// 64 bytes from `at` on, zeros behind the end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load64(bytes: &[u8], at: usize) -> __m512i {
    let rest = &bytes[at..];
    if rest.len() >= 64 {
        // SAFETY: the slice is at least as large as the vector.
        return unsafe { _mm512_loadu_si512(rest.as_ptr().cast()) };
    }
    // SAFETY: masked to what is there.
    unsafe { _mm512_maskz_loadu_epi8(low64(rest.len()), rest.as_ptr().cast()) }
}

/// The 32 bytes at `at + shift`, zeros outside of the slice.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn bytes_at<const SHIFT: isize>(bytes: &[u8], at: usize) -> __m512i {
    let mut mask = low32((bytes.len() as isize - at as isize - SHIFT).max(0) as usize);
    let before = -(at as isize + SHIFT);
    if before > 0 {
        mask &= u32::MAX << before;
    }
    let from = bytes.as_ptr().wrapping_offset(at as isize + SHIFT);
    // SAFETY: masked to what is there.
    _mm512_cvtepu8_epi16(unsafe { _mm256_maskz_loadu_epi8(mask, from.cast()) })
}

/// As [`bytes_at`]; `whole` says that all of the 32 bytes are there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn block_at<const SHIFT: isize>(bytes: &[u8], at: usize, whole: bool) -> __m512i {
    if !whole {
        return bytes_at::<SHIFT>(bytes, at);
    }
    let from = &bytes[at.wrapping_add_signed(SHIFT)..][..32];
    // SAFETY: the slice has the size of the vector.
    _mm512_cvtepu8_epi16(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
}

/// 32 units from `at` on, zeros behind the end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn units_at(units: &[u16], at: usize) -> __m512i {
    let rest = units.get(at..).unwrap_or(&[]);
    if rest.len() >= 32 {
        // SAFETY: the slice is at least as large as the vector.
        return unsafe { _mm512_loadu_si512(rest.as_ptr().cast()) };
    }
    // SAFETY: masked to what is there.
    unsafe { _mm512_maskz_loadu_epi16(low32(rest.len()), rest.as_ptr().cast()) }
}

/// The first `count` bytes of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store8(out: &mut [MaybeUninit<u8>], at: usize, vector: __m512i, count: usize) {
    let to = &mut out[at..at + count];
    // SAFETY: masked to the slice.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), low64(count), vector) }
}

/// The first `count` units of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store16(out: &mut [MaybeUninit<u16>], at: usize, vector: __m512i, count: usize) {
    let to = &mut out[at..at + count];
    // SAFETY: masked to the slice.
    unsafe { _mm512_mask_storeu_epi16(to.as_mut_ptr().cast(), low32(count), vector) }
}

/// Number of bytes above 0x7f.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(crate) fn count_high(bytes: &[u8]) -> usize {
    let mut total = 0;
    for at in (0..bytes.len()).step_by(64) {
        total += _mm512_movepi8_mask(load64(bytes, at)).count_ones() as usize;
    }
    total
}

/// Number of UTF-16 units of well-formed UTF-8: one for each byte that begins a character, another one where that takes
/// four bytes.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(crate) fn count_units(bytes: &[u8]) -> usize {
    let mut total = bytes.len();
    for at in (0..bytes.len()).step_by(64) {
        let block = load64(bytes, at);
        total -= _mm512_cmplt_epi8_mask(block, _mm512_set1_epi8(-0x40)).count_ones() as usize;
        total += _mm512_cmpge_epu8_mask(block, _mm512_set1_epi8(0xf0_u8 as i8)).count_ones() as usize;
    }
    total
}

/// Number of bytes that UTF-16 takes in UTF-8, three for a lone surrogate.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(crate) fn count_utf8(units: &[u16]) -> usize {
    let mut total = units.len();
    for at in (0..units.len()).step_by(32) {
        let block = units_at(units, at);
        let two = _mm512_cmpge_epu16_mask(block, _mm512_set1_epi16(0x80));
        if two == 0 {
            continue;
        }
        let three = _mm512_cmpge_epu16_mask(block, _mm512_set1_epi16(0x800));
        total += (two.count_ones() + three.count_ones()) as usize;
        let high = surrogates(block, 0xd800);
        if high != 0 {
            // Each half of a pair was counted as three bytes, and a pair takes four.
            total -= 2 * (high & surrogates(units_at(units, at + 1), 0xdc00)).count_ones() as usize;
        }
    }
    total
}

/// The lanes with a surrogate of the kind that begins with `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn surrogates(units: __m512i, first: u16) -> u32 {
    let kind = _mm512_and_si512(units, _mm512_set1_epi16(0xfc00_u16 as i16));
    _mm512_cmpeq_epi16_mask(kind, _mm512_set1_epi16(first as i16))
}

/// Well-formed UTF-8 to UTF-16. `out` has room for all of it. Returns the units written.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) fn utf8_to_utf16(text: &str, out: &mut [MaybeUninit<u16>]) -> usize {
    let bytes = text.as_bytes();
    let mut written = 0;
    let low6 = _mm512_set1_epi16(0x3f);
    let lead4 = _mm512_set1_epi16(0xf0);
    for at in (0..bytes.len()).step_by(32) {
        // Inside of the text, with room for a whole vector, nothing has to be masked.
        let whole = at >= 3 && at + 33 <= bytes.len() && written + 32 <= out.len();
        let here = if whole { u32::MAX } else { low32(bytes.len() - at) };
        // The lane of the last byte of a character gets the character, put together with the bytes before it.
        let byte = block_at::<0>(bytes, at, whole);
        let wide = _mm512_mask_cmpge_epu16_mask(here, byte, _mm512_set1_epi16(0x80));
        if wide == 0 {
            let count = here.count_ones() as usize;
            store16(out, written, byte, count);
            written += count;
            continue;
        }
        let before = block_at::<-1>(bytes, at, whole);
        let first = block_at::<-2>(bytes, at, whole);
        let next = block_at::<1>(bytes, at, whole);
        let continued =
            _mm512_cmpeq_epi16_mask(_mm512_and_si512(next, _mm512_set1_epi16(0xc0)), _mm512_set1_epi16(0x80));
        let mut keep = here & !continued;
        // A lead of two bytes has its bits where those of a middle byte are; then what lies before it does not count.
        let two = _mm512_or_si512(_mm512_slli_epi16(_mm512_and_si512(before, low6), 6), _mm512_and_si512(byte, low6));
        let three = _mm512_or_si512(two, _mm512_slli_epi16(first, 12));
        let is_lead = _mm512_cmpge_epu16_mask(before, _mm512_set1_epi16(0xc0));
        let mut units = _mm512_mask_blend_epi16(is_lead, three, two);
        units = _mm512_mask_blend_epi16(wide, byte, units);
        let zeroth = block_at::<-3>(bytes, at, whole);
        let last_of_four = _mm512_mask_cmpge_epu16_mask(here, zeroth, lead4) & wide & !is_lead;
        let third_of_four = _mm512_mask_cmpge_epu16_mask(here, first, lead4) & wide & !is_lead;
        if last_of_four | third_of_four != 0 {
            // The third byte's lane gets the first half of the pair, the last byte's lane the second.
            let low =
                _mm512_or_si512(_mm512_and_si512(two, _mm512_set1_epi16(0x3ff)), _mm512_set1_epi16(0xdc00_u16 as i16));
            units = _mm512_mask_mov_epi16(units, last_of_four, low);
            let bits = _mm512_or_si512(
                _mm512_slli_epi16(_mm512_and_si512(first, _mm512_set1_epi16(7)), 8),
                _mm512_or_si512(
                    _mm512_slli_epi16(_mm512_and_si512(before, low6), 2),
                    _mm512_srli_epi16(_mm512_and_si512(byte, low6), 4),
                ),
            );
            let high = _mm512_add_epi16(bits, _mm512_set1_epi16((0xd800 - 0x40) as u16 as i16));
            units = _mm512_mask_mov_epi16(units, third_of_four, high);
            keep |= third_of_four;
        }
        let count = keep.count_ones() as usize;
        let packed = _mm512_maskz_compress_epi16(keep, units);
        if whole {
            let to = &mut out[written..written + 32];
            // SAFETY: the slice has the size of the vector; what is too much is overwritten by what follows.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), packed) };
        } else {
            store16(out, written, packed, count);
        }
        written += count;
    }
    written
}

/// Well-formed UTF-8 without characters above U+00FF to Latin-1. `out` has room for all of it. Returns the bytes written.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) fn utf8_to_latin1(text: &str, out: &mut [MaybeUninit<u8>]) -> usize {
    let bytes = text.as_bytes();
    let mut written = 0;
    for at in (0..bytes.len()).step_by(64) {
        let here = low64(bytes.len() - at);
        let block = load64(bytes, at);
        // Leads are dropped; what follows 0xc3 gets the bit that the lead stood for.
        let skipped = if at == 0 { 1 } else { 0 };
        let from = bytes.as_ptr().wrapping_add(at).wrapping_sub(1);
        // SAFETY: masked to what is there: not the byte before the first one.
        let before = unsafe { _mm512_maskz_loadu_epi8(here & !skipped, from.cast()) };
        let high = _mm512_cmpeq_epi8_mask(before, _mm512_set1_epi8(0xc3_u8 as i8));
        let chars = _mm512_mask_blend_epi8(high, block, _mm512_or_si512(block, _mm512_set1_epi8(0x40)));
        let keep = _mm512_mask_cmplt_epu8_mask(here, block, _mm512_set1_epi8(0xc0_u8 as i8));
        let count = keep.count_ones() as usize;
        store8(out, written, _mm512_maskz_compress_epi8(keep, chars), count);
        written += count;
    }
    written
}

/// Units below U+0800 as UTF-8: the bytes, packed, and their number. Only the lanes of `here` count.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn narrow(units: __m512i, here: u32) -> (__m512i, usize) {
    let wide = _mm512_mask_cmpge_epu16_mask(here, units, _mm512_set1_epi16(0x80));
    let lead = _mm512_or_si512(_mm512_srli_epi16(units, 6), _mm512_set1_epi16(0xc0));
    let last = _mm512_or_si512(_mm512_and_si512(units, _mm512_set1_epi16(0x3f)), _mm512_set1_epi16(0x80));
    let pairs = _mm512_or_si512(lead, _mm512_slli_epi16(last, 8));
    let bytes = _mm512_mask_blend_epi16(wide, units, pairs);
    let kept = _mm512_mask_blend_epi16(wide, _mm512_maskz_set1_epi16(here, 0xff), _mm512_set1_epi16(-1));
    let keep = _mm512_movepi8_mask(kept);
    (_mm512_maskz_compress_epi8(keep, bytes), keep.count_ones() as usize)
}

/// Latin-1 to UTF-8, as many characters as fit. Returns the characters read and the bytes written.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) fn latin1_to_utf8(chars: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < chars.len() {
        let block = load64(chars, read);
        let there = (chars.len() - read).min(64);
        if _mm512_movepi8_mask(block) == 0 {
            if there > out.len() - written {
                break;
            }
            store8(out, written, block, there);
            written += there;
            read += there;
            continue;
        }
        let there = there.min(32);
        let (bytes, count) = narrow(bytes_at::<0>(chars, read), low32(there));
        if count > out.len() - written {
            break;
        }
        store8(out, written, bytes, count);
        written += count;
        read += there;
    }
    (read, written)
}

/// UTF-16 to UTF-8, lone surrogates as U+FFFD, as many whole blocks as fit. Returns the units read and the bytes written.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) fn utf16_to_utf8(units: &[u16], out: &mut [MaybeUninit<u8>]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while read < units.len() {
        let there = (units.len() - read).min(32);
        let block = units_at(units, read);
        let here = low32(there);
        if _mm512_cmpge_epu16_mask(block, _mm512_set1_epi16(0x800)) == 0 {
            let (bytes, count) = if _mm512_cmpge_epu16_mask(block, _mm512_set1_epi16(0x80)) == 0 {
                (_mm512_castsi256_si512(_mm512_cvtepi16_epi8(block)), there)
            } else {
                narrow(block, here)
            };
            if count > out.len() - written {
                break;
            }
            store8(out, written, bytes, count);
            written += count;
            read += there;
            continue;
        }
        // 16 units in lanes of four bytes. Both halves of a pair are told by their neighbours.
        let there = there.min(16);
        let high = surrogates(block, 0xd800);
        let low = surrogates(block, 0xdc00);
        let mut codes = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(block));
        let (mut first, mut second) = (0, 0);
        if (high | low) & 0xffff != 0 {
            let next = surrogates(units_at(units, read + 1), 0xdc00);
            let previous = read > 0 && units[read - 1] & 0xfc00 == 0xd800;
            first = (high & next) as u16;
            second = (low & (high << 1 | u32::from(previous))) as u16;
            let lone = (high | low) as u16 & !(first | second);
            let tail = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(units_at(units, read + 1)));
            let ten = _mm512_set1_epi32(0x3ff);
            let pair = _mm512_add_epi32(
                _mm512_or_si512(_mm512_slli_epi32(_mm512_and_si512(codes, ten), 10), _mm512_and_si512(tail, ten)),
                _mm512_set1_epi32(0x10000),
            );
            codes = _mm512_mask_mov_epi32(codes, first, pair);
            codes = _mm512_mask_mov_epi32(codes, lone, _mm512_set1_epi32(0xfffd));
        }
        let here = low32(there) as u16 & !second;
        let six = _mm512_set1_epi32(0x3f);
        let mark = _mm512_set1_epi32(0x80);
        let two = _mm512_mask_cmpge_epu32_mask(here, codes, mark);
        let three = _mm512_mask_cmpge_epu32_mask(here, codes, _mm512_set1_epi32(0x800));
        let last = _mm512_or_si512(_mm512_and_si512(codes, six), mark);
        let middle = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi32(codes, 6), six), mark);
        let pairs = _mm512_or_si512(
            _mm512_or_si512(_mm512_srli_epi32(codes, 6), _mm512_set1_epi32(0xc0)),
            _mm512_slli_epi32(last, 8),
        );
        let triples = _mm512_or_si512(
            _mm512_or_si512(_mm512_srli_epi32(codes, 12), _mm512_set1_epi32(0xe0)),
            _mm512_or_si512(_mm512_slli_epi32(middle, 8), _mm512_slli_epi32(last, 16)),
        );
        let mut bytes = _mm512_mask_mov_epi32(codes, two, pairs);
        bytes = _mm512_mask_mov_epi32(bytes, three, triples);
        let mut kept = _mm512_maskz_set1_epi32(here, 0xff);
        kept = _mm512_mask_mov_epi32(kept, two, _mm512_set1_epi32(0xffff));
        kept = _mm512_mask_mov_epi32(kept, three, _mm512_set1_epi32(0xff_ffff));
        if first != 0 {
            let upper = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi32(codes, 12), six), mark);
            let quads = _mm512_or_si512(
                _mm512_or_si512(
                    _mm512_or_si512(_mm512_srli_epi32(codes, 18), _mm512_set1_epi32(0xf0)),
                    _mm512_slli_epi32(upper, 8),
                ),
                _mm512_or_si512(_mm512_slli_epi32(middle, 16), _mm512_slli_epi32(last, 24)),
            );
            bytes = _mm512_mask_mov_epi32(bytes, first & here, quads);
            kept = _mm512_mask_mov_epi32(kept, first & here, _mm512_set1_epi32(-1));
        }
        let keep = _mm512_movepi8_mask(kept);
        let count = keep.count_ones() as usize;
        // The second half of a pair belongs to what was written with the first: a block may end between them, which is
        // why only the whole text or nothing more than what fits is promised.
        if count > out.len() - written {
            break;
        }
        store8(out, written, _mm512_maskz_compress_epi8(keep, bytes), count);
        written += count;
        read += there;
    }
    // Not between the halves of a pair: the caller goes on with a whole character.
    if read > 0 && read < units.len() && units[read - 1] & 0xfc00 == 0xd800 && units[read] & 0xfc00 == 0xdc00 {
        read += 1;
    }
    (read, written)
}
