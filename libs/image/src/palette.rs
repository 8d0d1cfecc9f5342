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

/// Colours whose nearest one is remembered.
const MAX_KNOWN: usize = 1 << 18;

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

fn palette(mut cells: Vec<Cell>, most: usize) -> Vec<Color> {
    let mut boxes: Vec<(usize, usize)> = vec![(0, cells.len())];
    while boxes.len() < most {
        // The box that differs most, weighed by its pixels.
        let weight = |(start, end): (usize, usize)| {
            let part = &cells[start..end];
            u64::from(widest(part).1) * part.iter().map(|cell| cell.count).sum::<u64>()
        };
        let Some((at, _)) = boxes
            .iter()
            .enumerate()
            .filter(|(_, (start, end))| end - start > 1)
            .max_by_key(|(at, range)| (weight(**range), usize::MAX - at))
        else {
            break;
        };
        let (start, end) = boxes[at];
        let part = &mut cells[start..end];
        let (channel, _) = widest(part);
        part.sort_by_key(|cell| cell.color[channel]);
        let half: u64 = part.iter().map(|cell| cell.count).sum::<u64>() / 2;
        let mut seen = 0;
        let split = part.iter().position(|cell| {
            seen += cell.count;
            seen >= half
        });
        let middle = (start + split.unwrap_or(0) + 1).min(end - 1);
        boxes[at] = (start, middle);
        boxes.push((middle, end));
    }
    boxes.iter().map(|(start, end)| mean(&cells[*start..*end])).collect()
}

fn nearest(palette: &[Color], color: Color) -> u8 {
    let distance =
        |other: &Color| -> i32 { other.iter().zip(color).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum() };
    palette.iter().enumerate().min_by_key(|(_, other)| distance(other)).map_or(0, |(at, _)| at as u8)
}

/// Finds a palette of at most `colors` (2 to 256) colours, and its index for each pixel.
pub(crate) fn quantize(picture: &Picture, colors: usize, dither: bool) -> Indexed {
    let cells = cells(picture);
    let palette = palette(cells, colors);
    let pixels = picture.pixels.as_chunks::<4>().0;
    let mut known: HashMap<Color, u8> = HashMap::new();
    let mut index_of = |color: Color| {
        if known.len() > MAX_KNOWN {
            known.clear();
        }
        *known.entry(color).or_insert_with(|| nearest(&palette, color))
    };
    if !dither {
        let indices = pixels.iter().map(|pixel| index_of(*pixel)).collect();
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
            let index = index_of(wanted);
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
