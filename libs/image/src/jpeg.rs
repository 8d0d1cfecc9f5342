//! JPEG files: decoded by `zune-jpeg`, encoded by `jpeg-encoder`.

use jpeg_encoder::{ColorType, Encoder};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::sniff::{Segment, jpeg_segments};
use crate::{Error, Picture, exif, geometry, pixels};

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

/// A decoder that gives pixels in `colorspace`, behind the headers.
fn decoder(bytes: &[u8], colorspace: ColorSpace) -> Result<JpegDecoder<ZCursor<&[u8]>>, Error> {
    let options = DecoderOptions::default()
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_out_colorspace(colorspace);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| Error::Decode)?;
    Ok(decoder)
}

/// Decodes a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8], auto_orient: bool) -> Result<Picture, Error> {
    let (segments, _) = jpeg_segments(bytes);
    let mut wide = decoder(bytes, ColorSpace::RGBA)?;
    let info = wide.info().ok_or(Error::Decode)?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    let mut pixels = pixels(width, height)?;
    if wide.input_colorspace() == Some(ColorSpace::RGB) {
        // The one kind of file (RGB without a transform) to which the decoder does not add alpha.
        let data = decoder(bytes, ColorSpace::RGB)?.decode().map_err(|_| Error::Decode)?;
        let targets = pixels.as_chunks_mut::<4>().0;
        if data.len() != targets.len() * 3 {
            return Err(Error::Decode);
        }
        for (target, [red, green, blue]) in targets.iter_mut().zip(data.as_chunks::<3>().0) {
            *target = [*red, *green, *blue, 255];
        }
    } else {
        if wide.output_buffer_size() != Some(pixels.len()) {
            return Err(Error::Decode);
        }
        wide.decode_into(&mut pixels).map_err(|_| Error::Decode)?;
    }
    let mut picture = Picture { width, height, pixels, icc: profile(&segments) };
    if auto_orient {
        geometry::orient(&mut picture, exif::orientation(&segments));
    }
    Ok(picture)
}

/// Encodes; alpha is left out. `quality` is 1 to 100.
pub(crate) fn encode(picture: &Picture, quality: u8, progressive: bool) -> Result<Vec<u8>, Error> {
    let side = |side: u32| u16::try_from(side).map_err(|_| Error::Encode);
    let (width, height) = (side(picture.width)?, side(picture.height)?);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, quality);
    encoder.set_progressive(progressive);
    if let Some(profile) = &picture.icc {
        encoder.add_icc_profile(profile).map_err(|_| Error::Encode)?;
    }
    encoder.encode(&picture.pixels, width, height, ColorType::Rgba).map_err(|_| Error::Encode)?;
    Ok(file)
}
