//! The format of a file by its first bytes, and its size by its header.

use crate::{Error, Format, avif, exif, gif, tiff_file, webp};

/// What a header says.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    pub width: u32,
    pub height: u32,
    pub format: Format,
    /// The orientation of EXIF, 1 to 8, or what an AVIF says instead; 1 where there is none.
    pub orientation: u8,
}

/// The longest side that is read: PNG's limit, and what sizes in JavaScript hold.
const MAX_SIDE: u32 = i32::MAX as u32;

fn format_of(bytes: &[u8]) -> Result<Format, Error> {
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Ok(Format::Jpeg)
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Ok(Format::Png)
    } else if bytes.len() >= 12 && bytes.starts_with(b"RIFF") && &bytes[8..12] == b"WEBP" {
        Ok(Format::Webp)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Ok(Format::Gif)
    } else if bytes.starts_with(b"BM") {
        Ok(Format::Bmp)
    } else if [&b"II*\0"[..], b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|mark| bytes.starts_with(mark)) {
        Ok(Format::Tiff)
    } else if bytes.len() >= 12 && &bytes[4..8] == b"ftyp" {
        brand(bytes).ok_or(Error::UnknownFormat)
    } else {
        Err(Error::UnknownFormat)
    }
}

/// HEIC or AVIF by the brands of an ISO media file.
fn brand(bytes: &[u8]) -> Option<Format> {
    let length = u32::from_be_bytes(bytes[..4].try_into().ok()?) as usize;
    let names = bytes.get(8..length.clamp(12, bytes.len().min(256)))?.as_chunks::<4>().0;
    // The second word is a version.
    let brands = || names.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, name)| name);
    // Both kinds of file may also name the brand of their container.
    if brands().any(|name| matches!(name, b"avif" | b"avis")) {
        return Some(Format::Avif);
    }
    brands().find_map(|name| match name {
        b"heic" | b"heix" | b"hevc" | b"hevx" | b"heim" | b"heis" | b"mif1" | b"msf1" => Some(Format::Heic),
        _ => None,
    })
}

pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

pub(crate) fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

pub(crate) fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.get(8..16)? != b"\0\0\0\x0dIHDR" || bytes.len() < 33 {
        return None;
    }
    let side = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((side(16)?, side(20)?))
}

/// A segment of a JPEG file: its marker and its contents.
pub(crate) struct Segment<'a> {
    pub(crate) marker: u8,
    pub(crate) data: &'a [u8],
}

/// The segments before the first scan, and whether all of them are whole.
pub(crate) fn jpeg_segments(bytes: &[u8]) -> (Vec<Segment<'_>>, bool) {
    let mut segments = Vec::new();
    let mut at = 2;
    loop {
        // Markers may be filled up with bytes 0xff.
        if bytes.get(at) != Some(&0xff) {
            return (segments, false);
        }
        while bytes.get(at) == Some(&0xff) {
            at += 1;
        }
        let Some(&marker) = bytes.get(at) else { return (segments, false) };
        at += 1;
        match marker {
            0x01 | 0xd0..=0xd8 => continue,
            0xd9 | 0xda => return (segments, marker == 0xda),
            _ => {}
        }
        let Some(length) = be16(bytes, at).map(|length| length as usize).filter(|length| *length >= 2) else {
            return (segments, false);
        };
        let Some(data) = bytes.get(at + 2..at + length) else { return (segments, false) };
        segments.push(Segment { marker, data });
        at += length;
    }
}

fn jpeg_header(bytes: &[u8]) -> Option<(u32, u32, u8)> {
    let (segments, _) = jpeg_segments(bytes);
    let frame = segments
        .iter()
        .find(|segment| matches!(segment.marker, 0xc0..=0xcf) && !matches!(segment.marker, 0xc4 | 0xc8 | 0xcc))?;
    let (height, width) = (be16(frame.data, 1)?, be16(frame.data, 3)?);
    Some((width, height, exif::orientation(&segments)))
}

fn bmp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match le32(bytes, 14)? {
        12 => Some((le16(bytes, 18)?, le16(bytes, 20)?)),
        40..=124 => {
            let (width, height) = (le32(bytes, 18)? as i32, le32(bytes, 22)? as i32);
            Some((u32::try_from(width).ok()?, height.unsigned_abs()))
        }
        _ => None,
    }
}

/// What the header of a file says; nothing is decoded.
pub fn probe(bytes: &[u8]) -> Result<Header, Error> {
    let format = format_of(bytes)?;
    let header = match format {
        Format::Jpeg => jpeg_header(bytes),
        Format::Png => png_size(bytes).map(|(width, height)| (width, height, 1)),
        Format::Webp => webp::size(bytes).map(|(width, height)| (width, height, 1)),
        Format::Gif => gif::size(bytes).map(|(width, height)| (width, height, 1)),
        Format::Bmp => bmp_size(bytes).map(|(width, height)| (width, height, 1)),
        Format::Tiff => Some(tiff_file::header(bytes)?),
        Format::Avif => Some(avif::header(bytes)?),
        Format::Heic => return Err(Error::Unsupported),
    };
    let (width, height, orientation) = header.ok_or(Error::Decode)?;
    if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
        return Err(Error::Decode);
    }
    Ok(Header { width, height, format, orientation })
}
