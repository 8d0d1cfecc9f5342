//! Turning, mirroring and changing the light of pixels.

use crate::Picture;

/// Quarters of a turn, clockwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

/// Turns clockwise.
pub(crate) fn turn(picture: &mut Picture, turn: Turn) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    match turn {
        Turn::None => {}
        Turn::Half => picture.pixels.as_chunks_mut::<4>().0.reverse(),
        Turn::Quarter | Turn::ThreeQuarters => {
            let source = picture.pixels.as_chunks::<4>().0;
            let mut turned = vec![0; picture.pixels.len()];
            let target = turned.as_chunks_mut::<4>().0;
            // In blocks, so that both sides stay in the cache.
            const BLOCK: usize = 32;
            for top in (0..height).step_by(BLOCK) {
                for left in (0..width).step_by(BLOCK) {
                    for y in top..(top + BLOCK).min(height) {
                        for x in left..(left + BLOCK).min(width) {
                            let at = match turn {
                                Turn::Quarter => x * height + (height - 1 - y),
                                _ => (width - 1 - x) * height + y,
                            };
                            target[at] = source[y * width + x];
                        }
                    }
                }
            }
            picture.pixels = turned;
            (picture.width, picture.height) = (picture.height, picture.width);
        }
    }
}

/// Mirrors top and bottom.
pub(crate) fn flip(picture: &mut Picture) {
    let row = picture.width as usize * 4;
    let mut rows = picture.pixels.chunks_exact_mut(row);
    while let (Some(top), Some(bottom)) = (rows.next(), rows.next_back()) {
        top.swap_with_slice(bottom);
    }
}

/// Mirrors left and right.
pub(crate) fn flop(picture: &mut Picture) {
    for row in picture.pixels.chunks_exact_mut(picture.width as usize * 4) {
        row.as_chunks_mut::<4>().0.reverse();
    }
}

/// Undoes an orientation of EXIF.
pub(crate) fn orient(picture: &mut Picture, orientation: u8) {
    match orientation {
        2 => flop(picture),
        3 => turn(picture, Turn::Half),
        4 => flip(picture),
        5 => {
            turn(picture, Turn::Quarter);
            flop(picture);
        }
        6 => turn(picture, Turn::Quarter),
        7 => {
            turn(picture, Turn::Quarter);
            flip(picture);
        }
        8 => turn(picture, Turn::ThreeQuarters),
        _ => {}
    }
}

/// Multiplies the light and the distance of colours from grey (weights of ITU-R BT.601).
pub(crate) fn modulate(picture: &mut Picture, brightness: f32, saturation: f32) {
    for [red, green, blue, _] in picture.pixels.as_chunks_mut::<4>().0 {
        let color = [f32::from(*red), f32::from(*green), f32::from(*blue)].map(|value| value * brightness);
        let grey = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
        // A conversion to u8 stays between 0 and 255.
        [*red, *green, *blue] = color.map(|value| (grey + (value - grey) * saturation).round() as u8);
    }
}
