//! Gaussian blur: an exact kernel where it is small, three boxes that come near to it (Kovesi, "Fast Almost-Gaussian Filtering") where
//! it is large, so that the time does not depend on the width.

use crate::Picture;

/// Above this deviation the kernel is three boxes.
const LARGEST_EXACT: f32 = 4.0;

/// Pixels of a line that are blurred at once.
const SEGMENT: usize = 1 << 14;
/// Columns that are blurred at once.
const GROUP: usize = 16;

/// One channel-interleaved row or column of premultiplied colours.
type Line = Vec<[f32; 4]>;

/// What is done to a line of pixels; the pixels beyond its ends are those at its ends.
enum Kernel {
    /// The weights from the middle outward.
    Weights(Vec<f32>),
    /// The radii of three boxes.
    Boxes([usize; 3]),
}

fn kernel(sigma: f32) -> Kernel {
    if sigma <= LARGEST_EXACT {
        let radius = (sigma * 3.0).ceil() as usize;
        let weight = |at: usize| (-((at * at) as f32) / (2.0 * sigma * sigma)).exp();
        let half: Vec<f32> = (0..=radius).map(weight).collect();
        let sum = half[0] + 2.0 * half[1..].iter().sum::<f32>();
        return Kernel::Weights(half.into_iter().map(|weight| weight / sum).collect());
    }
    // Boxes of two odd widths, so many of the smaller one that the variances add up to that of the bell.
    let variance = 12.0 * f64::from(sigma) * f64::from(sigma);
    let mut lower = (variance / 3.0 + 1.0).sqrt().floor() as i64;
    lower -= i64::from(lower % 2 == 0);
    let width = lower as f64;
    let smaller = ((variance - 3.0 * width * width - 12.0 * width - 9.0) / (-4.0 * width - 4.0)).round() as i64;
    let radius = |at: i64| ((if at < smaller { lower } else { lower + 2 }) / 2) as usize;
    Kernel::Boxes([radius(0), radius(1), radius(2)])
}

fn exact(line: &Line, out: &mut Line, weights: &[f32]) {
    let last = line.len() - 1;
    for (at, target) in out.iter_mut().enumerate() {
        let mut sum = line[at].map(|value| value * weights[0]);
        for (offset, weight) in weights.iter().enumerate().skip(1) {
            let (before, after) = (line[at.saturating_sub(offset)], line[(at + offset).min(last)]);
            for channel in 0..4 {
                sum[channel] += (before[channel] + after[channel]) * weight;
            }
        }
        *target = sum;
    }
}

fn boxed(line: &Line, out: &mut Line, radius: usize) {
    let last = line.len() - 1;
    let scale = 1.0 / (2 * radius + 1) as f64;
    // The sums are exact enough in double precision, however long the line is.
    let mut sum = [0.0_f64; 4];
    for offset in 0..=2 * radius {
        let pixel = line[offset.saturating_sub(radius).min(last)];
        for channel in 0..4 {
            sum[channel] += f64::from(pixel[channel]);
        }
    }
    for (at, target) in out.iter_mut().enumerate() {
        *target = sum.map(|value| (value * scale) as f32);
        let (goes, comes) = (line[at.saturating_sub(radius)], line[(at + radius + 1).min(last)]);
        for channel in 0..4 {
            sum[channel] += f64::from(comes[channel]) - f64::from(goes[channel]);
        }
    }
}

impl Kernel {
    /// How far away a pixel may be that counts for another.
    fn reach(&self) -> usize {
        match self {
            Kernel::Weights(weights) => weights.len() - 1,
            Kernel::Boxes(radii) => radii.iter().sum(),
        }
    }

    /// Blurs `line`, with `spare` of the same length as room.
    fn apply(&self, line: &mut Line, spare: &mut Line) {
        match self {
            Kernel::Weights(weights) => {
                exact(line, spare, weights);
                std::mem::swap(line, spare);
            }
            Kernel::Boxes(radii) => {
                for radius in radii {
                    boxed(line, spare, *radius);
                    std::mem::swap(line, spare);
                }
            }
        }
    }
}

/// Colours weighed by their alpha, so that those of transparent pixels do not bleed into others.
fn weighed([red, green, blue, alpha]: [u8; 4]) -> [f32; 4] {
    let part = f32::from(alpha) / 255.0;
    [f32::from(red) * part, f32::from(green) * part, f32::from(blue) * part, f32::from(alpha)]
}

fn plain([red, green, blue, alpha]: [f32; 4]) -> [u8; 4] {
    let part = if alpha > 0.0 { 255.0 / alpha } else { 0.0 };
    // A conversion to u8 stays between 0 and 255.
    [red * part, green * part, blue * part, alpha].map(|value| value.round() as u8)
}

/// Memory that is used for each line in turn.
#[derive(Default)]
struct Room {
    lines: Vec<Line>,
    spare: Line,
    /// The pixels before a segment as they were, those of all lines at one place beside each other.
    before: Vec<[u8; 4]>,
}

/// Blurs `count` lines of `length` pixels, of which `index` says where they are, given the line and the place in it. Long lines are blurred
/// in segments, with as much around each as the kernel reaches: what lines take as numbers is four times as much as the image.
fn blur_lines(
    pixels: &mut [[u8; 4]],
    (count, length): (usize, usize),
    index: impl Fn(usize, usize) -> usize,
    kernel: &Kernel,
    Room { lines, spare, before }: &mut Room,
) {
    let reach = kernel.reach();
    lines.resize_with(count, Line::new);
    before.clear();
    for start in (0..length).step_by(SEGMENT) {
        let end = length.min(start + SEGMENT);
        let from = start - before.len() / count;
        let size = length.min(end + reach) - from;
        spare.resize(size, [0.0; 4]);
        lines.iter_mut().for_each(|line| line.resize(size, [0.0; 4]));
        for at in 0..size {
            for (number, line) in lines.iter_mut().enumerate() {
                let pixel = before.get(at * count + number).copied();
                line[at] = weighed(pixel.unwrap_or_else(|| pixels[index(number, from + at)]));
            }
        }
        let kept = end.saturating_sub(reach).max(start)..end;
        if end < length {
            before.drain(..before.len() - before.len().min((reach - kept.len()) * count));
            before.extend(
                kept.flat_map(|at| (0..count).map(move |number| (number, at)))
                    .map(|(number, at)| pixels[index(number, at)]),
            );
        }
        for line in &mut *lines {
            kernel.apply(line, spare);
        }
        for at in start..end {
            for (number, line) in lines.iter().enumerate() {
                pixels[index(number, at)] = plain(line[at - from]);
            }
        }
    }
}

/// Blurs by a bell of this standard deviation in pixels.
pub(crate) fn blur(picture: &mut Picture, sigma: f32) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let kernel = kernel(sigma);
    let pixels = picture.pixels.as_chunks_mut::<4>().0;
    let mut room = Room::default();
    for row in pixels.chunks_exact_mut(width) {
        blur_lines(row, (1, width), |_, x| x, &kernel, &mut room);
    }
    // Columns go in groups, so that each row of the image is touched once for all of them.
    for left in (0..width).step_by(GROUP) {
        let count = GROUP.min(width - left);
        blur_lines(pixels, (count, height), |column, y| y * width + left + column, &kernel, &mut room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(side: u32) -> Picture {
        let mut pixels = vec![0; (side * side * 4) as usize];
        for pixel in pixels.as_chunks_mut::<4>().0 {
            *pixel = [0, 0, 0, 255];
        }
        let middle = ((side / 2 * side + side / 2) * 4) as usize;
        pixels[middle..middle + 3].fill(255);
        Picture { width: side, height: side, pixels, icc: None }
    }

    #[test]
    fn a_plain_picture_stays_as_it_is() {
        for sigma in [0.3, 1.0, 3.9, 4.1, 30.0, 500.0] {
            let mut picture = Picture { width: 7, height: 5, pixels: [9, 90, 200, 255].repeat(35), icc: None };
            let before = picture.clone();
            blur(&mut picture, sigma);
            assert_eq!(picture, before, "deviation {sigma}");
        }
    }

    #[test]
    fn colors_of_transparent_pixels_do_not_bleed() {
        let mut picture = Picture { width: 2, height: 1, pixels: vec![255, 0, 0, 255, 0, 255, 0, 0], icc: None };
        blur(&mut picture, 1.0);
        assert!(picture.pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[1] == 0 && pixel[3] > 0));
    }

    #[test]
    fn a_dot_becomes_a_bell() {
        let mut picture = dot(9);
        blur(&mut picture, 0.8);
        let at = |x: usize, y: usize| picture.pixels[(y * 9 + x) * 4];
        assert!(at(4, 4) > at(3, 4) && at(3, 4) > at(3, 3));
        assert_eq!((at(3, 4), at(5, 4)), (at(4, 3), at(4, 5)), "the same in all directions");
    }

    #[test]
    fn segments_of_long_lines_have_no_seams() {
        let length = 2 * SEGMENT + 777;
        let pixels: Vec<[u8; 4]> = (0..length as u32)
            .map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes())
            .map(|[red, green, blue, alpha]| [red, green, blue, alpha | 128])
            .collect();
        for sigma in [1.5, 300.0] {
            let kernel = kernel(sigma);
            let mut line: Line = pixels.iter().map(|pixel| weighed(*pixel)).collect();
            kernel.apply(&mut line, &mut vec![[0.0; 4]; length]);
            let expected: Vec<[u8; 4]> = line.iter().map(|value| plain(*value)).collect();
            for (count, at) in [(1, 0), (3, 1)] {
                // Lines beside each other, all of the same pixels.
                let mut all: Vec<[u8; 4]> = pixels.iter().flat_map(|pixel| vec![*pixel; count]).collect();
                blur_lines(&mut all, (count, length), |line, at| at * count + line, &kernel, &mut Room::default());
                let found: Vec<[u8; 4]> = all.iter().skip(at).step_by(count).copied().collect();
                // The sums of a segment begin anew, which may decide about a half.
                let is_near =
                    |(one, other): (&[u8; 4], &[u8; 4])| one.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= 1);
                assert!(found.iter().zip(&expected).all(is_near), "deviation {sigma}, {count} lines");
            }
        }
    }
}
