//! JPEG files, by libjpeg-turbo as mozjpeg has it.
//!
//! The library reports errors by unwinding, which never leaves this file. Damage in the data is no error to it: what cannot be read is
//! grey. libjpeg can decode to an eighth, a quarter or half of the size at a fraction of the cost.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mozjpeg::{ColorSpace, Compress, Decompress, Marker};

use crate::sniff::{Segment, be16, jpeg_segments};
use crate::{Error, Picture, exif, geometry, pixels};

/// The whole size, in eighths.
pub(crate) const WHOLE: u8 = 8;
/// Progressive files have as many scans as they like, and each goes over all of the image.
const MAX_SCANS: usize = 500;
/// Bytes of a colour profile in one segment, behind its name and two numbers.
const PROFILE_PART: usize = 65_533 - 14;

/// The colour profile that APP2 segments hold in parts.
fn profile(segments: &[Segment<'_>]) -> Option<Vec<u8>> {
    let mut parts: Vec<(u8, &[u8])> = segments
        .iter()
        .filter(|segment| segment.marker == 0xe2)
        .filter_map(|segment| segment.data.strip_prefix(b"ICC_PROFILE\0"))
        .filter_map(|part| part.split_at_checked(2).map(|(numbers, data)| (numbers[0], data)))
        .collect();
    parts.sort_by_key(|(number, _)| *number);
    let profile: Vec<u8> = parts.iter().flat_map(|(_, data)| data.iter().copied()).collect();
    if profile.is_empty() { None } else { Some(profile) }
}

/// Inks to light. Adobe's files, which say so in an APP14 segment, hold the inverse of the inks.
fn from_inks(pixels: &mut [[u8; 4]], is_inverse: bool) {
    for pixel in pixels {
        let [cyan, magenta, yellow, black] = if is_inverse { *pixel } else { pixel.map(|ink| 255 - ink) };
        let light = |ink: u8| (u32::from(ink) * u32::from(black) / 255) as u8;
        *pixel = [light(cyan), light(magenta), light(yellow), 255];
    }
}

/// Whether there are more scans than any image needs. What segments hold and what is behind the end does not count.
fn has_too_many_scans(bytes: &[u8]) -> bool {
    let (mut at, mut scans) = (2, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(0xff, rest)) {
        at += next + 1;
        match bytes.get(at) {
            None | Some(0xd9) => return false,
            Some(0xff) => continue,
            // In the data of a scan: the byte itself, or a restart.
            Some(0x00 | 0x01 | 0xd0..=0xd8) => {
                at += 1;
                continue;
            }
            Some(0xda) => scans += 1,
            Some(_) => {}
        }
        if scans > MAX_SCANS {
            return true;
        }
        let Some(length) = be16(bytes, at + 1) else { return false };
        at += 1 + length as usize;
    }
    false
}

/// Decodes a file whose size has been checked, at `eighths` of it (1, 2, 4 or 8).
pub(crate) fn decode(bytes: &[u8], auto_orient: bool, eighths: u8) -> Result<Picture, Error> {
    let (segments, _) = jpeg_segments(bytes);
    if has_too_many_scans(bytes) {
        return Err(Error::Decode);
    }
    let read = || -> Result<Picture, Error> {
        let mut decoder = Decompress::new_mem(bytes).map_err(|_| Error::Decode)?;
        if eighths != WHOLE {
            decoder.scale(eighths);
        }
        let has_inks = matches!(decoder.color_space(), ColorSpace::JCS_CMYK | ColorSpace::JCS_YCCK);
        let space = if has_inks { ColorSpace::JCS_CMYK } else { ColorSpace::JCS_EXT_RGBA };
        let mut started = decoder.to_colorspace(space).map_err(|_| Error::Decode)?;
        let side = |side: usize| u32::try_from(side).map_err(|_| Error::Decode);
        let (width, height) = (side(started.width())?, side(started.height())?);
        let mut pixels = pixels(width, height)?;
        let targets = pixels.as_chunks_mut::<4>().0;
        started.read_scanlines_into(targets).map_err(|_| Error::Decode)?;
        // What is behind the image is nobody's concern.
        let _ = started.finish();
        if has_inks {
            let is_inverse = segments.iter().any(|part| part.marker == 0xee && part.data.starts_with(b"Adobe"));
            from_inks(targets, is_inverse);
        }
        Ok(Picture { width, height, pixels, icc: profile(&segments) })
    };
    let mut picture = catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(Error::Decode))?;
    if auto_orient {
        geometry::orient(&mut picture, exif::orientation(&segments));
    }
    Ok(picture)
}

/// Encodes; alpha is left out. `quality` is 1 to 100.
pub(crate) fn encode(picture: &Picture, quality: u8, progressive: bool) -> Result<Vec<u8>, Error> {
    let write = || -> std::io::Result<Vec<u8>> {
        let mut encoder = Compress::new(ColorSpace::JCS_EXT_RGBA);
        // mozjpeg's own search for smaller files takes ten times as long.
        encoder.set_fastest_defaults();
        encoder.set_size(picture.width as usize, picture.height as usize);
        encoder.set_quality(f32::from(quality));
        if progressive {
            encoder.set_progressive_mode();
        }
        let mut started = encoder.start_compress(Vec::new())?;
        let parts = picture.icc.as_deref().unwrap_or_default().chunks(PROFILE_PART);
        let count = parts.len();
        // A number of parts that does not fit is a profile that no file can hold.
        for (at, part) in parts.enumerate().take_while(|_| count <= 255) {
            let head = [b"ICC_PROFILE\0", &[at as u8 + 1, count as u8][..]].concat();
            started.write_marker(Marker::APP(2), &[&head, part].concat());
        }
        started.write_scanlines(&picture.pixels)?;
        started.finish()
    };
    // A side of more than 65,500 pixels, which no JPEG has.
    catch_unwind(AssertUnwindSafe(write)).ok().and_then(Result::ok).ok_or(Error::Encode)
}
