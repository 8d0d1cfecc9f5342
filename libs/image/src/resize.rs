//! Resampling: the kernels of `resize`, separable and stretched when an image becomes smaller.

use fast_image_resize::images::Image;
use fast_image_resize::{Filter as Kernel, FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use crate::{Error, Picture, Size, pixels};

/// Kernels, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Lanczos3,
    Lanczos2,
    Mitchell,
    Cubic,
    Mks2013,
    Mks2021,
    Bilinear,
    Box,
    Nearest,
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (x * std::f64::consts::PI).sin() / (x * std::f64::consts::PI) }
}

fn lanczos2(x: f64) -> f64 {
    if x.abs() < 2.0 { sinc(x) * sinc(x / 2.0) } else { 0.0 }
}

/// Magic Kernel Sharp (https://johncostella.com/magic/), version of 2013.
fn mks2013(x: f64) -> f64 {
    let x = x.abs();
    if x <= 0.5 {
        17.0 / 16.0 - 7.0 / 4.0 * x * x
    } else if x <= 1.5 {
        (1.0 - x) * (7.0 / 4.0 - x)
    } else if x <= 2.5 {
        -0.125 * (x - 2.5) * (x - 2.5)
    } else {
        0.0
    }
}

/// The same, version of 2021.
fn mks2021(x: f64) -> f64 {
    let x = x.abs();
    if x <= 0.5 {
        577.0 / 576.0 - 239.0 / 144.0 * x * x
    } else if x <= 1.5 {
        35.0 / 36.0 * (x - 1.0) * (x - 239.0 / 140.0)
    } else if x <= 2.5 {
        1.0 / 6.0 * (x - 2.0) * (65.0 / 24.0 - x)
    } else if x <= 3.5 {
        1.0 / 36.0 * (x - 3.0) * (x - 3.75)
    } else if x <= 4.5 {
        -1.0 / 288.0 * (x - 4.5) * (x - 4.5)
    } else {
        0.0
    }
}

fn custom(name: &'static str, function: fn(f64) -> f64, support: f64) -> Result<ResizeAlg, Error> {
    let kernel = Kernel::new(name, function, support).map_err(|_| Error::Encode)?;
    Ok(ResizeAlg::Convolution(FilterType::Custom(kernel)))
}

impl Filter {
    fn algorithm(self) -> Result<ResizeAlg, Error> {
        Ok(ResizeAlg::Convolution(match self {
            Filter::Lanczos3 => FilterType::Lanczos3,
            Filter::Mitchell => FilterType::Mitchell,
            Filter::Cubic => FilterType::CatmullRom,
            Filter::Bilinear => FilterType::Bilinear,
            Filter::Box => FilterType::Box,
            Filter::Nearest => return Ok(ResizeAlg::Nearest),
            Filter::Lanczos2 => return custom("lanczos2", lanczos2, 2.0),
            Filter::Mks2013 => return custom("mks2013", mks2013, 2.5),
            Filter::Mks2021 => return custom("mks2021", mks2021, 4.5),
        }))
    }
}

impl Size {
    /// The size of the output for a picture of a width and a height.
    pub(crate) fn of(&self, full: (u32, u32)) -> (u32, u32) {
        let (width, height) = (f64::from(full.0), f64::from(full.1));
        let scaled = |scale: f64| ((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32);
        let (mut to_width, mut to_height) = (self.width, self.height);
        if to_height == 0 {
            // Not rounded, as in Bun.
            to_height = (height * f64::from(to_width) / width).max(1.0) as u32;
        } else if self.inside {
            (to_width, to_height) = scaled((f64::from(to_width) / width).min(f64::from(to_height) / height));
        }
        if self.without_enlargement && (to_width > full.0 || to_height > full.1) {
            return full;
        }
        (to_width, to_height)
    }
}

/// Makes a picture `width` by `height` pixels large.
pub(crate) fn resize(picture: &mut Picture, width: u32, height: u32, filter: Filter) -> Result<(), Error> {
    if (width, height) == (picture.width, picture.height) {
        return Ok(());
    }
    let opaque = picture.pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255);
    let source = std::mem::take(&mut picture.pixels);
    let source =
        Image::from_vec_u8(picture.width, picture.height, source, PixelType::U8x4).map_err(|_| Error::Encode)?;
    let target = pixels(width, height)?;
    let mut target = Image::from_vec_u8(width, height, target, PixelType::U8x4).map_err(|_| Error::Encode)?;
    // Colours of transparent pixels do not bleed into others: they are weighed by their alpha.
    let options = ResizeOptions::new().resize_alg(filter.algorithm()?).use_alpha(!opaque);
    Resizer::new().resize(&source, &mut target, &options).map_err(|_| Error::Encode)?;
    picture.pixels = target.into_vec();
    (picture.width, picture.height) = (width, height);
    Ok(())
}
