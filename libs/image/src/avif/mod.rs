//! AVIF files (https://aomediacodec.github.io/av1-avif/): AV1 pictures in a container of ISO. Still images are read, also those that
//! are cut into tiles, with alpha, in 8, 10 and 12 bits, of which 8 are kept; of a sequence the still image that stands for it.

mod boxes;
mod color;
mod decoder;
mod encoder;
mod writer;

use boxes::{Container, Description, Layer};
use color::Target;
use decoder::Decoder;

use crate::{Error, Picture, geometry, pixels};

/// Width, height and orientation (of EXIF, though the container says it) of an image, without decoding it.
pub(crate) fn header(bytes: &[u8]) -> Result<(u32, u32, u8), Error> {
    let Description { width, height, crop, orientation, .. } = Container::read(bytes)?.description()?;
    let (width, height) = crop.map_or((width, height), |crop| (crop.width, crop.height));
    Ok((width, height, orientation))
}

/// Decodes the tiles of a layer, and gives each to `write` with its place in an image of this size. A tile may be larger than what is
/// shown of it, so `max_pixels` is its limit, too.
fn decode_tiles(
    layer: &Layer,
    (width, height): (u32, u32),
    max_pixels: u64,
    pixels: &mut [u8],
    mut write: impl FnMut(&decoder::Planes, &mut Target<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (tile_width, tile_height) = layer.tile;
    crate::check_size(tile_width, tile_height, max_pixels)?;
    let mut decoder = Decoder::new(u64::from(tile_width) * u64::from(tile_height), layer.operating_point)?;
    for (at, bytes) in (0..).zip(&layer.tiles) {
        let planes = decoder.decode(bytes)?;
        if planes.size() != layer.tile {
            return Err(Error::Decode);
        }
        let (left, top) = (at % layer.columns * tile_width, at / layer.columns * tile_height);
        write(
            &planes,
            &mut Target {
                pixels: pixels.as_chunks_mut::<4>().0,
                stride: width as usize,
                left: left as usize,
                top: top as usize,
                width: tile_width.min(width - left) as usize,
                height: tile_height.min(height - top) as usize,
            },
        )?;
    }
    Ok(())
}

/// Decodes a file whose size has been checked; `max_pixels` is also the limit of what is cut off.
pub(crate) fn decode(bytes: &[u8], max_pixels: u64, auto_orient: bool) -> Result<Picture, Error> {
    let container = Container::read(bytes)?;
    let Description { width, height, crop, orientation, color_space, icc, is_premultiplied } =
        container.description()?;
    crate::check_size(width, height, max_pixels)?;
    let size = (width, height);
    let (colors, alpha) = (container.colors(size)?, container.alpha(size)?);
    let mut pixels = pixels(width, height)?;
    decode_tiles(&colors, size, max_pixels, &mut pixels, |planes, target| {
        color::write_colors(planes, color_space, target)
    })?;
    if let Some(alpha) = alpha {
        decode_tiles(&alpha, size, max_pixels, &mut pixels, color::write_alpha)?;
        if is_premultiplied {
            color::unmultiply(pixels.as_chunks_mut::<4>().0);
        }
    }
    let mut picture = Picture { width, height, pixels, icc };
    if let Some(crop) = crop {
        picture = picture.part(crop.left, crop.top, crop.width, crop.height)?;
    }
    if auto_orient {
        geometry::orient(&mut picture, orientation);
    }
    Ok(picture)
}

/// Encodes; `quality` is 1 to 100. Light and colours have the same number of samples.
pub(crate) fn encode(picture: &Picture, quality: u8) -> Result<Vec<u8>, Error> {
    let (width, height) = (picture.width, picture.height);
    let pixels = picture.pixels.as_chunks::<4>().0;
    // 255 is the coarsest; 0 would be a mode without loss, which the encoder has not.
    let quantizer = ((100 - usize::from(quality.min(100))) * 255 / 100).max(1);
    let mut planes =
        vec![Vec::with_capacity(pixels.len()), Vec::with_capacity(pixels.len()), Vec::with_capacity(pixels.len())];
    for pixel in pixels {
        for (plane, sample) in planes.iter_mut().zip(color::to_planes(*pixel)) {
            plane.push(sample);
        }
    }
    let colors = encoder::encode(width, height, &planes, quantizer)?;
    drop(planes);
    let alpha = if pixels.iter().any(|pixel| pixel[3] != 255) {
        let plane = pixels.iter().map(|pixel| pixel[3]).collect();
        Some(encoder::encode(width, height, &[plane], quantizer)?)
    } else {
        None
    };
    Ok(writer::container(width, height, &colors, alpha.as_ref(), picture.icc.as_deref()))
}
