//! Palettes of at most 256 colours: median cut, with error diffusion after Floyd and Steinberg.

use std::collections::HashMap;

use crate::Picture;

pub(crate) type Color = [u8; 4];

/// A picture as indices into a palette.
pub(crate) struct Indexed {
    pub(crate) palette: Vec<Color>,
    pub(crate) indices: Vec<u8>,
}

/// Distinct colours that are kept apart; of more, five bits of each channel count.
const MAX_DISTINCT: usize = 1 << 16;

/// Pixels of one colour, or of colours that count as one: their sums and their number.
struct Cell {
    color: Color,
    count: u64,
}

fn cells(picture: &Picture) -> Vec<Cell> {
    let pixels = picture.pixels.as_chunks::<4>().0;
    let mut exact: HashMap<Color, u64> = HashMap::new();
    for pixel in pixels {
        *exact.entry(*pixel).or_default() += 1;
        if exact.len() > MAX_DISTINCT {
            exact.clear();
            break;
        }
    }
    let mut cells: Vec<Cell> = if !exact.is_empty() {
        exact.into_iter().map(|(color, count)| Cell { color, count }).collect()
    } else {
        let mut coarse: HashMap<[u8; 4], ([u64; 4], u64)> = HashMap::new();
        for pixel in pixels {
            let (sums, count) = coarse.entry(pixel.map(|value| value >> 3)).or_default();
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(*value);
            }
            *count += 1;
        }
        coarse.into_values().map(|(sums, count)| Cell { color: sums.map(|sum| (sum / count) as u8), count }).collect()
    };
    // The order of a map is chance; the same input has to give the same palette.
    cells.sort_unstable_by_key(|cell| cell.color);
    cells
}

/// The channel in which the colours differ most, and by how much.
fn widest(cells: &[Cell]) -> (usize, u8) {
    let range = |channel: usize| {
        let values = || cells.iter().map(|cell| cell.color[channel]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    (0..4)
        .map(|channel| (channel, range(channel)))
        .max_by_key(|(channel, range)| (*range, 4 - channel))
        .unwrap_or((0, 0))
}

fn mean(cells: &[Cell]) -> Color {
    let total: u64 = cells.iter().map(|cell| cell.count).sum();
    std::array::from_fn(|channel| {
        let sum: u64 = cells.iter().map(|cell| u64::from(cell.color[channel]) * cell.count).sum();
        ((sum + total / 2) / total.max(1)) as u8
    })
}

/// A box of median cut: a part of the cells, the channel in which they differ most, and how much it is worth to split it.
struct Part {
    start: usize,
    end: usize,
    channel: usize,
    weight: u64,
}

impl Part {
    fn of(cells: &[Cell], start: usize, end: usize) -> Part {
        let part = &cells[start..end];
        let (channel, range) = widest(part);
        let weight = u64::from(range) * part.iter().map(|cell| cell.count).sum::<u64>();
        Part { start, end, channel, weight }
    }
}

fn palette(mut cells: Vec<Cell>, most: usize) -> Vec<Color> {
    let mut parts = vec![Part::of(&cells, 0, cells.len())];
    while parts.len() < most {
        let splittable = parts.iter().enumerate().filter(|(_, part)| part.end - part.start > 1);
        let Some((at, _)) = splittable.max_by_key(|(at, part)| (part.weight, usize::MAX - at)) else { break };
        let Part { start, end, channel, .. } = parts[at];
        let inside = &mut cells[start..end];
        inside.sort_by_key(|cell| cell.color[channel]);
        let half: u64 = inside.iter().map(|cell| cell.count).sum::<u64>() / 2;
        let mut seen = 0;
        let split = inside.iter().position(|cell| {
            seen += cell.count;
            seen >= half
        });
        let middle = (start + split.unwrap_or(0) + 1).min(end - 1);
        parts[at] = Part::of(&cells, start, middle);
        parts.push(Part::of(&cells, middle, end));
    }
    parts.iter().map(|part| mean(&cells[part.start..part.end])).collect()
}

/// Finds the nearest colour of a palette, and remembers what it has found.
struct Finder<'a> {
    palette: &'a [Color],
    /// By a hash of the colour.
    found: Vec<(Color, u8)>,
}

/// Colours that are remembered; a power of two.
const REMEMBERED: usize = 1 << 14;

impl<'a> Finder<'a> {
    fn new(palette: &'a [Color]) -> Finder<'a> {
        // All places hold a colour whose place is the first one.
        let black = [0; 4];
        let found = vec![(black, nearest(palette, black)); REMEMBERED];
        Finder { palette, found }
    }

    fn place(color: Color) -> usize {
        (u32::from_le_bytes(color).wrapping_mul(0x9e37_79b1) >> 18) as usize
    }

    fn index(&mut self, color: Color) -> u8 {
        let entry = &mut self.found[Self::place(color)];
        if entry.0 != color {
            *entry = (color, nearest(self.palette, color));
        }
        entry.1
    }
}

fn nearest(palette: &[Color], color: Color) -> u8 {
    let (mut best, mut least) = (0, i32::MAX);
    for (at, other) in palette.iter().enumerate() {
        let difference = |channel: usize| i32::from(other[channel]) - i32::from(color[channel]);
        let (green, red, blue, alpha) = (difference(1), difference(0), difference(2), difference(3));
        let distance = green * green + red * red + blue * blue + alpha * alpha;
        if distance < least {
            (best, least) = (at as u8, distance);
        }
    }
    best
}

/// Finds a palette of at most `colors` (2 to 256) colours, and its index for each pixel.
pub(crate) fn quantize(picture: &Picture, colors: usize, dither: bool) -> Indexed {
    let cells = cells(picture);
    let palette = palette(cells, colors);
    let pixels = picture.pixels.as_chunks::<4>().0;
    let mut finder = Finder::new(&palette);
    if !dither {
        let indices = pixels.iter().map(|pixel| finder.index(*pixel)).collect();
        return Indexed { palette, indices };
    }
    let width = picture.width as usize;
    let mut indices = Vec::with_capacity(pixels.len());
    // Errors in sixteenths for this row and the next, with a column beside each end.
    let mut errors = vec![[0_i32; 4]; width + 2];
    let mut below = errors.clone();
    for row in pixels.chunks_exact(width) {
        below.fill([0; 4]);
        for (x, pixel) in row.iter().enumerate() {
            let wanted: Color = std::array::from_fn(|channel| {
                (i32::from(pixel[channel]) + errors[x + 1][channel] / 16).clamp(0, 255) as u8
            });
            let index = finder.index(wanted);
            indices.push(index);
            for channel in 0..4 {
                let error = i32::from(wanted[channel]) - i32::from(palette[usize::from(index)][channel]);
                errors[x + 2][channel] += error * 7;
                below[x][channel] += error * 3;
                below[x + 1][channel] += error * 5;
                below[x + 2][channel] += error;
            }
        }
        std::mem::swap(&mut errors, &mut below);
    }
    Indexed { palette, indices }
}
