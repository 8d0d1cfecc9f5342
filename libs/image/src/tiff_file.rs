//! TIFF files (TIFF 6.0, and BigTIFF), by the crate `tiff`: the first image, its orientation and profile.

use std::io::Cursor;

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype::RGBA8};
use tiff::tags::{ExtraSamples, Tag};

use crate::{Error, Picture, geometry, pixels};

/// What stands beside the pixels, such as a profile or the places of strips, in bytes: in the file, and as the crate has it in memory.
const MAX_TAG: usize = 16 << 20;
const MAX_TAG_IN_MEMORY: usize = 64 << 20;

/// What the crate does not know is a kind of TIFF that is not supported, and so is a file without a directory: its header is all that
/// tells that it is one.
fn failure(error: tiff::TiffError) -> Error {
    match error {
        tiff::TiffError::UnsupportedError(_) => Error::Unsupported,
        tiff::TiffError::LimitsExceeded => Error::TooManyPixels,
        _ => Error::Decode,
    }
}

fn open(bytes: &[u8]) -> Result<Decoder<Cursor<&[u8]>>, Error> {
    Decoder::new(Cursor::new(bytes)).map_err(|error| match failure(error) {
        Error::Decode => Error::Unsupported,
        other => other,
    })
}

fn orientation_of(decoder: &mut Decoder<Cursor<&[u8]>>) -> u8 {
    let value = decoder.find_tag_unsigned::<u16>(Tag::Orientation).ok().flatten();
    value.and_then(|value| u8::try_from(value).ok()).filter(|value| (1..=8).contains(value)).unwrap_or(1)
}

/// Width, height and orientation of the first image.
pub(crate) fn header(bytes: &[u8]) -> Result<(u32, u32, u8), Error> {
    let mut decoder = open(bytes)?;
    let (width, height) = decoder.dimensions().map_err(failure)?;
    Ok((width, height, orientation_of(&mut decoder)))
}

/// Samples as eight bits each: of more bits the upper ones, of fractions 0 to 1.
fn eight_bits(samples: DecodingResult, bits: u8) -> Result<Vec<u8>, Error> {
    let whole = |value: f32| (value * 255.0).round() as u8;
    Ok(match samples {
        DecodingResult::U8(values) if bits >= 8 => values,
        DecodingResult::U16(values) => values.into_iter().map(|value| (value >> 8) as u8).collect(),
        DecodingResult::U32(values) => values.into_iter().map(|value| (value >> 24) as u8).collect(),
        DecodingResult::U64(values) => values.into_iter().map(|value| (value >> 56) as u8).collect(),
        DecodingResult::F16(values) => values.into_iter().map(|value| whole(value.to_f32())).collect(),
        DecodingResult::F32(values) => values.into_iter().map(whole).collect(),
        DecodingResult::F64(values) => values.into_iter().map(|value| whole(value as f32)).collect(),
        _ => return Err(Error::Unsupported),
    })
}

/// Samples of one, two or four bits, whose rows end with whole bytes, as one byte each.
fn spread(packed: &[u8], bits: u8, width: usize, height: usize) -> Vec<u8> {
    let row = (width * usize::from(bits)).div_ceil(8);
    let mask = (1_u16 << bits) - 1;
    let each = usize::from(8 / bits);
    let mut out = Vec::with_capacity(width * height);
    for line in packed.chunks(row.max(1)).take(height) {
        out.extend((0..width).map(|x| {
            let byte = line.get(x / each).copied().unwrap_or(0);
            (u16::from(byte) >> (8 - usize::from(bits) * (x % each + 1)) & mask) as u8
        }));
    }
    out.resize(width * height, 0);
    out
}

const PHOTOMETRIC_INTERPRETATION: u64 = 262;
const RGB_PALETTE: u64 = 3;
const BLACK_IS_ZERO: u8 = 1;

/// The file with indices into a palette as shades of grey, which the crate reads, as it does not read palettes; nothing if the first
/// image has none.
fn palette_as_grey(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_little = bytes.first() == Some(&b'I');
    let number = |at: usize, length: usize| {
        let digits = bytes.get(at..at.checked_add(length)?)?.iter();
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if is_little { digits.rev().fold(0, add) } else { digits.fold(0, add) })
    };
    let is_big_tiff = number(2, 2)? == 43;
    // Where the directory is, how many bytes its count has, and an entry, and where a value of two bytes stands in one.
    let (directory, count_length, entry_length, value_at) =
        if is_big_tiff { (number(8, 8)?, 8, 20, 12) } else { (number(4, 4)?, 2, 12, 8) };
    let directory = usize::try_from(directory).ok()?;
    let entries = directory.checked_add(count_length)?;
    let at =
        bytes.get(entries..)?.chunks_exact(entry_length).take(number(directory, count_length)? as usize).position(
            |entry| {
                let tag = [entry[0], entry[1]];
                u64::from(if is_little { u16::from_le_bytes(tag) } else { u16::from_be_bytes(tag) })
                    == PHOTOMETRIC_INTERPRETATION
            },
        )?;
    let value = entries + at * entry_length + value_at;
    if number(value, 2)? != RGB_PALETTE {
        return None;
    }
    let mut changed = bytes.to_vec();
    changed[if is_little { value } else { value + 1 }] = BLACK_IS_ZERO;
    Some(changed)
}

/// Decodes the first image of a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8], auto_orient: bool) -> Result<Picture, Error> {
    let changed = palette_as_grey(bytes);
    let mut decoder = open(changed.as_deref().unwrap_or(bytes))?;
    let (width, height) = decoder.dimensions().map_err(failure)?;
    let count = usize::try_from(u64::from(width) * u64::from(height)).map_err(|_| Error::Decode)?;
    let mut limits = Limits::default();
    // The size is allowed; samples have at most eight bytes, and pixels five of them.
    limits.decoding_buffer_size = count.saturating_mul(40).saturating_add(MAX_TAG_IN_MEMORY);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    limits.ifd_value_size = MAX_TAG;
    decoder = decoder.with_limits(limits);
    let orientation = if auto_orient { orientation_of(&mut decoder) } else { 1 };
    let icc = decoder.find_tag(Tag::IccProfile).ok().flatten().and_then(|value| value.into_u8_vec().ok());
    let color = match decoder.colortype().map_err(failure)? {
        ColorType::Gray(bits) if changed.is_some() => ColorType::Palette(bits),
        ColorType::Multiband { bit_depth, num_samples: 2 } => ColorType::GrayA(bit_depth),
        color => color,
    };
    let map = match color {
        ColorType::Palette(_) => Some(decoder.get_tag_u16_vec(Tag::ColorMap).map_err(failure)?),
        _ => None,
    };
    let is_planar = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).ok().flatten() == Some(2);
    let (bits, channels) = match color {
        ColorType::Gray(bits) | ColorType::Palette(bits) => (bits, 1),
        ColorType::GrayA(bits) => (bits, 2),
        ColorType::RGB(bits) | ColorType::YCbCr(bits) => (bits, 3),
        ColorType::RGBA(bits) | ColorType::CMYK(bits) => (bits, 4),
        ColorType::CMYKA(bits) => (bits, 5),
        _ => return Err(Error::Unsupported),
    };
    // In 16 bits a palette would have 65,536 colours; nobody writes that.
    if (bits < 8 && channels > 1) || (map.is_some() && bits > 8) {
        return Err(Error::Unsupported);
    }
    let mut pixels = pixels(width, height)?;
    let mut samples = DecodingResult::U8(Vec::new());
    decoder.read_image_to_buffer(&mut samples).map_err(failure)?;
    let samples = match (&samples, bits) {
        (DecodingResult::U8(packed), 1 | 2 | 4) => spread(packed, bits, width as usize, height as usize),
        _ => eight_bits(samples, bits)?,
    };
    if samples.len() < count * channels {
        return Err(Error::Decode);
    }
    let sample = |at: usize, channel: usize| {
        if is_planar { samples[channel * count + at] } else { samples[at * channels + channel] }
    };
    let scale = if bits < 8 { 255 / ((1_u16 << bits) - 1) } else { 1 } as u8;
    for (at, target) in pixels.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let ink = |channel: usize| {
            // Ink takes light away, and black ink takes from all.
            (u16::from(255 - sample(at, channel)) * u16::from(255 - sample(at, 3)) / 255) as u8
        };
        *target = match color {
            ColorType::Palette(_) => {
                let map = map.as_deref().unwrap_or_default();
                let colors = map.len() / 3;
                let index = usize::from(sample(at, 0)).min(colors.saturating_sub(1));
                let part = |channel: usize| map.get(channel * colors + index).map_or(0, |value| (value >> 8) as u8);
                [part(0), part(1), part(2), 255]
            }
            ColorType::Gray(_) => {
                let grey = sample(at, 0).wrapping_mul(scale);
                [grey, grey, grey, 255]
            }
            ColorType::GrayA(_) => [sample(at, 0), sample(at, 0), sample(at, 0), sample(at, 1)],
            ColorType::RGB(_) => [sample(at, 0), sample(at, 1), sample(at, 2), 255],
            ColorType::RGBA(_) => [sample(at, 0), sample(at, 1), sample(at, 2), sample(at, 3)],
            ColorType::CMYK(_) => [ink(0), ink(1), ink(2), 255],
            ColorType::CMYKA(_) => [ink(0), ink(1), ink(2), sample(at, 4)],
            ColorType::YCbCr(_) => {
                let (light, blue, red) =
                    (f32::from(sample(at, 0)), f32::from(sample(at, 1)) - 128.0, f32::from(sample(at, 2)) - 128.0);
                let color = [light + 1.402 * red, light - 0.344_136 * blue - 0.714_136 * red, light + 1.772 * blue];
                let [red, green, blue] = color.map(|value| value.round() as u8);
                [red, green, blue, 255]
            }
            _ => return Err(Error::Unsupported),
        };
    }
    let mut picture = Picture { width, height, pixels, icc };
    geometry::orient(&mut picture, orientation);
    Ok(picture)
}

/// Encodes as RGBA with deflate.
pub(crate) fn encode(picture: &Picture) -> Result<Vec<u8>, Error> {
    let failure = |_| Error::Encode;
    let mut file = Cursor::new(Vec::new());
    let mut encoder =
        TiffEncoder::new(&mut file).map_err(failure)?.with_compression(Compression::Deflate(DeflateLevel::Balanced));
    let mut image = encoder.new_image::<RGBA8>(picture.width, picture.height).map_err(failure)?;
    // Not premultiplied. By the method of this name the crate would count a fifth sample.
    let kind = [ExtraSamples::UnassociatedAlpha.to_u16()];
    image.encoder().write_tag(Tag::ExtraSamples, &kind[..]).map_err(failure)?;
    if let Some(icc) = &picture.icc {
        image.encoder().write_tag(Tag::IccProfile, icc.as_slice()).map_err(failure)?;
    }
    image.write_data(&picture.pixels).map_err(failure)?;
    Ok(file.into_inner())
}
