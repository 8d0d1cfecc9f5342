//! Planes of light and colour to red, green and blue, and back (ITU-T H.273).

use super::boxes::ColorSpace;
use super::decoder::{Layout, Planes};
use crate::Error;

/// The parts of red and blue in light, by the number of a matrix; those of matrix 12 are in the primaries.
fn weights(space: ColorSpace) -> Option<(f32, f32)> {
    match (space.matrix, space.primaries) {
        (1, _) | (12, 1) => Some((0.2126, 0.0722)),
        (4, _) | (12, 4) => Some((0.30, 0.11)),
        // Where nothing is said it is that of JPEG, as in other readers.
        (2 | 5 | 6, _) | (12, 2 | 5 | 6) => Some((0.299, 0.114)),
        (7, _) | (12, 7) => Some((0.212, 0.087)),
        (9, _) | (12, 9) => Some((0.2627, 0.0593)),
        _ => None,
    }
}

/// What each sample gives to red, green and blue, after its offset is taken from it.
struct Conversion {
    offsets: [f32; 3],
    /// Red, green and blue, each of the three samples.
    factors: [[f32; 3]; 3],
}

/// The factors from samples of so many bits to bytes.
fn conversion(space: ColorSpace, bits: u32, layout: Layout) -> Result<Conversion, Error> {
    let step = (1 << (bits - 8)) as f32;
    let largest = ((1 << bits) - 1) as f32;
    let (black, light, color) = if space.is_full_range {
        (0.0, 255.0 / largest, 255.0 / largest)
    } else {
        (16.0 * step, 255.0 / (219.0 * step), 255.0 / (224.0 * step))
    };
    let middle = 128.0 * step;
    if layout == Layout::Gray {
        return Ok(Conversion { offsets: [black, 0.0, 0.0], factors: [[light, 0.0, 0.0]; 3] });
    }
    match space.matrix {
        // The planes are green, blue and red.
        0 if layout == Layout::Full => {
            Ok(Conversion { offsets: [black; 3], factors: [[0.0, 0.0, light], [light, 0.0, 0.0], [0.0, light, 0.0]] })
        }
        // YCgCo.
        8 => Ok(Conversion {
            offsets: [black, middle, middle],
            factors: [[light, -color, color], [light, color, 0.0], [light, -color, -color]],
        }),
        _ => {
            let (red, blue) = weights(space).ok_or(Error::Unsupported)?;
            let green = 1.0 - red - blue;
            let (from_red, from_blue) = (2.0 * (1.0 - red), 2.0 * (1.0 - blue));
            Ok(Conversion {
                offsets: [black, middle, middle],
                factors: [
                    [light, 0.0, from_red * color],
                    [light, -from_blue * blue / green * color, -from_red * red / green * color],
                    [light, from_blue * color, 0.0],
                ],
            })
        }
    }
}

/// Rows of one plane of colour, made as wide and as high as those of light.
struct Upsampled<'a> {
    planes: &'a Planes,
    plane: usize,
    /// The row itself, its neighbour, and what is between them.
    near: Vec<u16>,
    far: Vec<u16>,
}

impl<'a> Upsampled<'a> {
    fn new(planes: &'a Planes, plane: usize) -> Upsampled<'a> {
        let width = planes.size().0 as usize;
        let samples = if planes.layout() == Layout::Full { 0 } else { width.div_ceil(2) };
        Upsampled { planes, plane, near: vec![0; samples], far: vec![0; samples] }
    }

    /// Fills `row`: a sample lies in the middle of those of light that it stands for, and counts three times beside its neighbour.
    fn read(&mut self, y: u32, row: &mut [u16]) {
        let mut is_quarter = false;
        match self.planes.layout() {
            Layout::Gray => return row.fill(0),
            Layout::Full => return self.planes.read_row(self.plane, y, row),
            Layout::Half => self.planes.read_row(self.plane, y, &mut self.near),
            Layout::Quarter => {
                is_quarter = true;
                let last = self.planes.size().1.div_ceil(2) - 1;
                let neighbour = if y.is_multiple_of(2) { (y / 2).saturating_sub(1) } else { (y / 2 + 1).min(last) };
                self.planes.read_row(self.plane, y / 2, &mut self.near);
                self.planes.read_row(self.plane, neighbour, &mut self.far);
                // Four times as much as a sample, which has twelve bits at most.
                self.near.iter_mut().zip(&self.far).for_each(|(near, far)| *near = 3 * *near + *far);
            }
        }
        let between = |near: u16, far: u16| {
            let sum = 3 * u32::from(near) + u32::from(far);
            (if is_quarter { (sum + 8) >> 4 } else { (sum + 2) >> 2 }) as u16
        };
        let samples = &self.near;
        let last = samples.len() - 1;
        for (at, pair) in row.chunks_mut(2).enumerate() {
            pair[0] = between(samples[at], samples[at.saturating_sub(1)]);
            if let Some(second) = pair.get_mut(1) {
                *second = between(samples[at], samples[(at + 1).min(last)]);
            }
        }
    }
}

/// A rectangle of an image's pixels that planes are written to.
pub(super) struct Target<'a> {
    pub(super) pixels: &'a mut [[u8; 4]],
    /// The width of the whole image.
    pub(super) stride: usize,
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Target<'_> {
    fn rows(&mut self) -> impl Iterator<Item = &mut [[u8; 4]]> {
        let (left, width) = (self.left, self.width);
        self.pixels
            .chunks_exact_mut(self.stride)
            .skip(self.top)
            .take(self.height)
            .map(move |row| &mut row[left..left + width])
    }
}

fn byte(value: f32) -> u8 {
    // A conversion to u8 stays between 0 and 255.
    (value + 0.5) as u8
}

/// Writes the colours of planes that are at least as large as the target.
///
/// # Errors
/// [`Error::Unsupported`] if the matrix is one of those that are not read: of constant luminance, ICtCp.
pub(super) fn write_colors(planes: &Planes, said: Option<ColorSpace>, target: &mut Target<'_>) -> Result<(), Error> {
    let space = said.unwrap_or_else(|| planes.color_space());
    let Conversion { offsets, factors } = conversion(space, planes.bits(), planes.layout())?;
    let width = planes.size().0 as usize;
    let mut rows = [vec![0; width], vec![0; width], vec![0; width]];
    let mut colors = [Upsampled::new(planes, 1), Upsampled::new(planes, 2)];
    for (y, pixels) in (0..).zip(target.rows()) {
        planes.read_row(0, y, &mut rows[0]);
        colors[0].read(y, &mut rows[1]);
        colors[1].read(y, &mut rows[2]);
        let [light, first, second] = &rows;
        for (((pixel, light), first), second) in pixels.iter_mut().zip(light).zip(first).zip(second) {
            let samples =
                [f32::from(*light) - offsets[0], f32::from(*first) - offsets[1], f32::from(*second) - offsets[2]];
            let sum =
                |factors: [f32; 3]| byte(factors[0] * samples[0] + factors[1] * samples[1] + factors[2] * samples[2]);
            *pixel = [sum(factors[0]), sum(factors[1]), sum(factors[2]), 255];
        }
    }
    Ok(())
}

/// Writes the light of planes that are at least as large as the target as its alpha.
pub(super) fn write_alpha(planes: &Planes, target: &mut Target<'_>) -> Result<(), Error> {
    let Conversion { offsets, factors } = conversion(planes.color_space(), planes.bits(), Layout::Gray)?;
    let mut row = vec![0; planes.size().0 as usize];
    for (y, pixels) in (0..).zip(target.rows()) {
        planes.read_row(0, y, &mut row);
        for (pixel, sample) in pixels.iter_mut().zip(&row) {
            pixel[3] = byte((f32::from(*sample) - offsets[0]) * factors[0][0]);
        }
    }
    Ok(())
}

/// Light and two colours of a pixel, by the matrix of JPEG in full range (ITU-R BT.601).
pub(super) fn to_planes([red, green, blue, _]: [u8; 4]) -> [u8; 3] {
    let [red, green, blue] = [red, green, blue].map(f32::from);
    let light = 0.299 * red + 0.587 * green + 0.114 * blue;
    [byte(light), byte((blue - light) / 1.772 + 128.0), byte((red - light) / 1.402 + 128.0)]
}

/// Divides colours by their alpha.
pub(super) fn unmultiply(pixels: &mut [[u8; 4]]) {
    for [red, green, blue, alpha] in pixels.iter_mut().filter(|pixel| !matches!(pixel[3], 0 | 255)) {
        let part = 255.0 / f32::from(*alpha);
        [*red, *green, *blue] = [*red, *green, *blue].map(|value| byte(f32::from(value) * part));
    }
}
