//! TIFF files (TIFF 6.0, and BigTIFF), by the crate `tiff`: the first image, its orientation and profile.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype::RGBA8};
use tiff::tags::{CompressionMethod, ExtraSamples, Tag};

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
    if Directory::new(bytes).is_some_and(|directory| directory.has_endless_text()) {
        return Err(Error::Decode);
    }
    Decoder::new(Cursor::new(bytes)).map_err(|error| match failure(error) {
        Error::Decode => Error::Unsupported,
        other => other,
    })
}

fn orientation_of(decoder: &mut Decoder<Cursor<&[u8]>>) -> u8 {
    let value = decoder.find_tag_unsigned::<u16>(Tag::Orientation).ok().flatten();
    value.and_then(|value| u8::try_from(value).ok()).filter(|value| (1..=8).contains(value)).unwrap_or(1)
}

/// What `read` gives. The crate asserts some of what files say: a panic would leave who waits for the picture without an answer.
fn guarded<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(Error::Decode))
}

/// Width, height and orientation of the first image.
pub(crate) fn header(bytes: &[u8]) -> Result<(u32, u32, u8), Error> {
    guarded(|| {
        let mut decoder = open(bytes)?;
        let (width, height) = decoder.dimensions().map_err(failure)?;
        Ok((width, height, orientation_of(&mut decoder)))
    })
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
/// The type of an entry that is a text.
const ASCII: u64 = 2;
const RGB_PALETTE: u64 = 3;
const BLACK_IS_ZERO: u8 = 1;

/// The first directory of a file.
struct Directory<'a> {
    bytes: &'a [u8],
    is_little: bool,
    /// BigTIFF, whose entries are longer.
    is_big: bool,
    /// Where its entries begin, and how many there are.
    entries: (usize, usize),
}

impl Directory<'_> {
    fn new(bytes: &[u8]) -> Option<Directory<'_>> {
        let is_little = bytes.first() == Some(&b'I');
        let mut directory = Directory { bytes, is_little, is_big: false, entries: (0, 0) };
        directory.is_big = directory.number(2, 2)? == 43;
        let (pointer_at, pointer_length, count_length) = if directory.is_big { (8, 8, 8) } else { (4, 4, 2) };
        let at = usize::try_from(directory.number(pointer_at, pointer_length)?).ok()?;
        let count = usize::try_from(directory.number(at, count_length)?).ok()?;
        directory.entries = (at.checked_add(count_length)?, count);
        Some(directory)
    }

    /// The number of `length` bytes at a place.
    fn number(&self, at: usize, length: usize) -> Option<u64> {
        let digits = self.bytes.get(at..at.checked_add(length)?)?.iter();
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.is_little { digits.rev().fold(0, add) } else { digits.fold(0, add) })
    }

    /// Where the entries are that the file really has.
    fn places(&self) -> impl Iterator<Item = usize> {
        let (start, count) = self.entries;
        let length = if self.is_big { 20 } else { 12 };
        let whole = self.bytes.len().saturating_sub(start) / length;
        (0..count.min(whole)).map(move |at| start + at * length)
    }

    /// Whether a text is longer than the file. The crate would print to standard error that it refuses one.
    fn has_endless_text(&self) -> bool {
        let count_length = if self.is_big { 8 } else { 4 };
        self.places().any(|at| {
            self.number(at + 2, 2) == Some(ASCII)
                && self.number(at + 4, count_length).is_some_and(|count| count > self.bytes.len() as u64)
        })
    }
}

/// The file with indices into a palette as shades of grey, which the crate reads, as it does not read palettes; nothing if the first
/// image has none.
fn palette_as_grey(bytes: &[u8]) -> Option<Vec<u8>> {
    let directory = Directory::new(bytes)?;
    let entry = directory.places().find(|at| directory.number(*at, 2) == Some(PHOTOMETRIC_INTERPRETATION))?;
    let value = entry + if directory.is_big { 12 } else { 8 };
    if directory.number(value, 2)? != RGB_PALETTE {
        return None;
    }
    let mut changed = bytes.to_vec();
    changed[if directory.is_little { value } else { value + 1 }] = BLACK_IS_ZERO;
    Some(changed)
}

/// Colours that were multiplied by their alpha (0 to 255) as they were before.
fn unmultiplied([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let whole = |value: u8| match u16::from(alpha) {
        0 => 0,
        alpha => ((u16::from(value) * 255 + alpha / 2) / alpha).min(255) as u8,
    };
    [whole(red), whole(green), whole(blue), alpha]
}

/// Decodes the first image of a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8], auto_orient: bool) -> Result<Picture, Error> {
    guarded(|| decode_first(bytes, auto_orient))
}

fn decode_first(bytes: &[u8], auto_orient: bool) -> Result<Picture, Error> {
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
    let extra = decoder.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples).ok().flatten();
    let extra = extra.and_then(|kinds| ExtraSamples::from_u16(*kinds.first()?));
    let is_multiplied = extra == Some(ExtraSamples::AssociatedAlpha);
    let color = match decoder.colortype().map_err(failure)? {
        ColorType::Gray(bits) if changed.is_some() => ColorType::Palette(bits),
        ColorType::Multiband { bit_depth, num_samples: 2 } => ColorType::GrayA(bit_depth),
        color => color,
    };
    // What a second sample means that is not said to be alpha, nobody knows.
    let is_opaque =
        matches!(color, ColorType::GrayA(_)) && !is_multiplied && extra != Some(ExtraSamples::UnassociatedAlpha);
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
    // The crate counts the tiles of all planes as if they were those of one, and gives other samples than those of a JPEG of two.
    let number = |decoder: &mut Decoder<_>, tag| decoder.find_tag_unsigned::<u32>(tag).ok().flatten();
    let has_lower_edge =
        number(&mut decoder, Tag::TileLength).is_some_and(|length| !height.is_multiple_of(length.max(1)));
    let is_jpeg = number(&mut decoder, Tag::Compression) == Some(CompressionMethod::ModernJPEG.to_u16().into());
    if (is_planar && channels > 1 && has_lower_edge) || (is_jpeg && channels == 2) {
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
            ColorType::GrayA(_) => {
                let grey = sample(at, 0);
                [grey, grey, grey, if is_opaque { 255 } else { sample(at, 1) }]
            }
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
        if is_multiplied {
            *target = unmultiplied(*target);
        }
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
