//! ThumbHash (https://evanw.github.io/thumbhash/): a picture as a few cosine waves, and what they look like.

use std::f32::consts::PI;

use crate::{Error, Filter, Picture, pixels, resize};

/// The longest side of the picture that is analysed.
const ANALYSED: u32 = 100;
/// The longest side of what is rendered.
const RENDERED: f32 = 32.0;

/// Waves of one channel: their mean, and the others scaled to -1 to 1.
struct Waves {
    columns: usize,
    rows: usize,
    mean: f32,
    scale: f32,
    others: Vec<f32>,
}

/// The waves that a channel of so many columns and rows has, other than the mean: those below the diagonal.
fn places(columns: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows)
        .flat_map(move |y| (0..columns).map(move |x| (x, y)))
        .filter(move |(x, y)| (*x, *y) != (0, 0) && x * rows < columns * (rows - y))
}

impl Waves {
    /// `bits` are those that the mean and the scale are kept in; each wave has four.
    fn of(channel: &[f32], width: usize, columns: usize, rows: usize, bits: [u32; 2], signed: bool) -> Waves {
        let height = channel.len() / width;
        let wave = |frequency: usize, length: usize| -> Vec<f32> {
            (0..length).map(|at| (PI / length as f32 * frequency as f32 * (at as f32 + 0.5)).cos()).collect()
        };
        let strength = |(x, y): (usize, usize)| {
            let (across, down) = (wave(x, width), wave(y, height));
            let sum: f32 = channel
                .chunks_exact(width)
                .zip(&down)
                .map(|(row, down)| row.iter().zip(&across).map(|(value, across)| value * across).sum::<f32>() * down)
                .sum();
            sum / (width * height) as f32
        };
        let mut others: Vec<f32> = places(columns, rows).map(strength).collect();
        let largest = others.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        if largest > 0.0 {
            for value in &mut others {
                *value /= largest;
            }
        }
        let keep = |value: f32, bits: u32| {
            let most = ((1_u32 << bits) - 1) as f32;
            (value * most).round().clamp(0.0, most) / most
        };
        let mean = strength((0, 0));
        let mean = if signed { keep((mean + 1.0) / 2.0, bits[0]) * 2.0 - 1.0 } else { keep(mean, bits[0]) };
        let others = others.iter().map(|value| keep((value + 1.0) / 2.0, 4) * 2.0 - 1.0).collect();
        Waves { columns, rows, mean, scale: keep(largest, bits[1]), others }
    }

    /// The value at a place, 0 to 1 in both directions.
    fn at(&self, x: f32, y: f32, boost: f32) -> f32 {
        let sum: f32 = places(self.columns, self.rows)
            .zip(&self.others)
            .map(|((column, row), strength)| strength * (PI * column as f32 * x).cos() * (PI * row as f32 * y).cos())
            .sum();
        self.mean + sum * self.scale * boost * 2.0
    }
}

/// What the ThumbHash of a picture looks like.
pub(crate) fn render(picture: &Picture) -> Result<Picture, Error> {
    let mut small = Picture { icc: None, ..picture.clone() };
    let longest = small.width.max(small.height);
    if longest > ANALYSED {
        let side = |side: u32| (side * ANALYSED / longest).max(1);
        let (width, height) = (side(small.width), side(small.height));
        resize::resize(&mut small, width, height, Filter::Box)?;
    }
    let source = small.pixels.as_chunks::<4>().0;
    let (width, height) = (small.width as f32, small.height as f32);
    // The mean of what is not transparent, which transparent parts take.
    let mut average = [0.0_f32; 4];
    for [red, green, blue, alpha] in source {
        let alpha = f32::from(*alpha) / 255.0;
        for (sum, value) in average.iter_mut().zip([red, green, blue]) {
            *sum += alpha / 255.0 * f32::from(*value);
        }
        average[3] += alpha;
    }
    let weight = average[3];
    if weight > 0.0 {
        for value in &mut average[..3] {
            *value /= weight;
        }
    }
    let has_alpha = weight < source.len() as f32;
    let most = if has_alpha { 5.0 } else { 7.0 };
    let longest = width.max(height);
    let waves = |side: f32| ((most * side / longest).round() as usize).max(1);
    let (columns, rows) = (waves(width), waves(height));
    let channels: [Vec<f32>; 4] = std::array::from_fn(|channel| {
        source
            .iter()
            .map(|pixel| {
                let alpha = f32::from(pixel[3]) / 255.0;
                let [red, green, blue]: [f32; 3] =
                    std::array::from_fn(|at| average[at] * (1.0 - alpha) + alpha / 255.0 * f32::from(pixel[at]));
                match channel {
                    0 => (red + green + blue) / 3.0,
                    1 => (red + green) / 2.0 - blue,
                    2 => red - green,
                    _ => alpha,
                }
            })
            .collect()
    });
    let across = small.width as usize;
    let light = Waves::of(&channels[0], across, columns.max(3), rows.max(3), [6, 5], false);
    let yellow_blue = Waves::of(&channels[1], across, 3, 3, [6, 6], true);
    let red_green = Waves::of(&channels[2], across, 3, 3, [6, 6], true);
    let alpha = has_alpha.then(|| Waves::of(&channels[3], across, 5, 5, [4, 4], false));
    let (to_width, to_height) = if width >= height {
        (RENDERED, (RENDERED * height / width).round().max(1.0))
    } else {
        ((RENDERED * width / height).round().max(1.0), RENDERED)
    };
    let (to_width, to_height) = (to_width as u32, to_height as u32);
    let mut rendered = pixels(to_width, to_height)?;
    for (at, target) in rendered.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let x = ((at as u32 % to_width) as f32 + 0.5) / to_width as f32;
        let y = ((at as u32 / to_width) as f32 + 0.5) / to_height as f32;
        // Colours are made stronger, because quantizing weakens them.
        let (l, p, q) = (light.at(x, y, 1.0), yellow_blue.at(x, y, 1.25), red_green.at(x, y, 1.25));
        let blue = l - 2.0 / 3.0 * p;
        let red = (3.0 * l - blue + q) / 2.0;
        let green = red - q;
        let alpha = alpha.as_ref().map_or(1.0, |waves| waves.at(x, y, 1.0));
        *target = [red, green, blue, alpha].map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8);
    }
    Ok(Picture { width: to_width, height: to_height, pixels: rendered, icc: None })
}
