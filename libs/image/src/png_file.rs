//! PNG files, by the crate `png`.

use std::borrow::Cow;
use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, DeflateCompression, Encoder, Info, Limits, Transformations};

use crate::palette::Indexed;
use crate::{Error, Picture, pixels};

/// Whether the colours of a palette are whole ones, and not fewer than what is said of their transparency: the crate takes that as given.
fn is_palette_whole(info: &Info<'_>) -> bool {
    let palette = info.palette.as_deref().unwrap_or_default();
    let transparency =
        if info.color_type == ColorType::Indexed { info.trns.as_deref().map_or(0, <[u8]>::len) } else { 0 };
    palette.len().is_multiple_of(3) && palette.len() <= 256 * 3 && transparency <= palette.len() / 3
}

/// Decodes a file whose size has been checked. Sixteen bits become eight.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    // The size is known to be allowed; this is for what stands beside the pixels, such as profiles.
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 1 << 30 });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|_| Error::Decode)?;
    if !is_palette_whole(reader.info()) {
        return Err(Error::Decode);
    }
    let length = reader.output_buffer_size().ok_or(Error::Decode)?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(length).map_err(|_| Error::TooManyPixels)?;
    buffer.resize(length, 0);
    let frame = reader.next_frame(&mut buffer).map_err(|_| Error::Decode)?;
    let icc = reader.info().icc_profile.as_ref().map(|profile| profile.to_vec());
    let (width, height) = (frame.width, frame.height);
    buffer.truncate(frame.buffer_size());
    if frame.color_type == ColorType::Rgba {
        return Ok(Picture { width, height, pixels: buffer, icc });
    }
    let mut pixels = pixels(width, height)?;
    let targets = pixels.as_chunks_mut::<4>().0;
    match frame.color_type {
        ColorType::Rgb => {
            for (target, [red, green, blue]) in targets.iter_mut().zip(buffer.as_chunks::<3>().0) {
                *target = [*red, *green, *blue, 255];
            }
        }
        ColorType::Grayscale => {
            for (target, grey) in targets.iter_mut().zip(&buffer) {
                *target = [*grey, *grey, *grey, 255];
            }
        }
        ColorType::GrayscaleAlpha => {
            for (target, [grey, alpha]) in targets.iter_mut().zip(buffer.as_chunks::<2>().0) {
                *target = [*grey, *grey, *grey, *alpha];
            }
        }
        ColorType::Rgba | ColorType::Indexed => return Err(Error::Decode),
    }
    Ok(Picture { width, height, pixels, icc })
}

fn write(info: Info<'_>, level: Option<u8>, data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = Vec::new();
    let mut encoder = Encoder::with_info(&mut file, info).map_err(|_| Error::Encode)?;
    if let Some(level) = level {
        encoder.set_deflate_compression(match level {
            0 => DeflateCompression::NoCompression,
            level => DeflateCompression::Level(level),
        });
    }
    let mut writer = encoder.write_header().map_err(|_| Error::Encode)?;
    writer.write_image_data(data).map_err(|_| Error::Encode)?;
    writer.finish().map_err(|_| Error::Encode)?;
    Ok(file)
}

fn info(picture: &Picture, color_type: ColorType, bit_depth: BitDepth) -> Info<'_> {
    let mut info = Info::with_size(picture.width, picture.height);
    info.color_type = color_type;
    info.bit_depth = bit_depth;
    info.icc_profile = picture.icc.as_deref().map(Cow::Borrowed);
    info
}

/// Encodes as RGBA; `level` is that of zlib, 0 to 9.
pub(crate) fn encode(picture: &Picture, level: Option<u8>) -> Result<Vec<u8>, Error> {
    write(info(picture, ColorType::Rgba, BitDepth::Eight), level, &picture.pixels)
}

/// Encodes with a palette.
pub(crate) fn encode_indexed(picture: &Picture, indexed: &Indexed, level: Option<u8>) -> Result<Vec<u8>, Error> {
    let mut info = info(picture, ColorType::Indexed, BitDepth::Eight);
    let colors: Vec<u8> = indexed.palette.iter().flat_map(|color| color[..3].to_vec()).collect();
    info.palette = Some(Cow::Owned(colors));
    if indexed.palette.iter().any(|color| color[3] != 255) {
        info.trns = Some(Cow::Owned(indexed.palette.iter().map(|color| color[3]).collect()));
    }
    write(info, level, &indexed.indices)
}
