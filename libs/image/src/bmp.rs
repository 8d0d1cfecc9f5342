//! BMP files: headers from the BITMAPCOREHEADER to BITMAPV5, palettes, bit fields and run lengths.

use crate::sniff::{le16, le32};
use crate::{Error, Picture, pixels};

const RGB: u32 = 0;
const RLE8: u32 = 1;
const RLE4: u32 = 2;
const BIT_FIELDS: u32 = 3;
const ALPHA_BIT_FIELDS: u32 = 6;

/// Where a channel is in a pixel.
#[derive(Clone, Copy)]
struct Channel {
    shift: u32,
    bits: u32,
}

impl Channel {
    /// `None` for a mask with gaps or of more than sixteen bits.
    fn of(mask: u32) -> Option<Channel> {
        if mask == 0 {
            return Some(Channel { shift: 0, bits: 0 });
        }
        let (shift, bits) = (mask.trailing_zeros(), mask.count_ones());
        if bits > 16 || (u64::from(mask) >> shift) != (1 << bits) - 1 { None } else { Some(Channel { shift, bits }) }
    }

    /// The value of a pixel's channel, 0 to 255; `absent` where there is none.
    fn value(self, pixel: u32, absent: u8) -> u8 {
        if self.bits == 0 {
            return absent;
        }
        let most = (1_u32 << self.bits) - 1;
        let value = (pixel >> self.shift) & most;
        ((value * 255 + most / 2) / most) as u8
    }
}

struct Header {
    width: usize,
    height: usize,
    top_down: bool,
    bits: u32,
    compression: u32,
    palette: Vec<[u8; 4]>,
    masks: [u32; 4],
    /// Where the pixels begin.
    data: usize,
}

fn header(bytes: &[u8]) -> Option<Header> {
    let data = le32(bytes, 10)? as usize;
    let length = le32(bytes, 14)? as usize;
    let core = length == 12;
    let (width, height, top_down, bits) = if core {
        (le16(bytes, 18)? as usize, le16(bytes, 20)? as usize, false, le16(bytes, 24)?)
    } else if (40..=124).contains(&length) {
        let height = le32(bytes, 22)? as i32;
        (le32(bytes, 18)? as usize, height.unsigned_abs() as usize, height < 0, le16(bytes, 28)?)
    } else {
        return None;
    };
    let compression = if core { RGB } else { le32(bytes, 30)? };
    let mut masks = match bits {
        16 => [0x7c00, 0x3e0, 0x1f, 0],
        _ => [0xff_0000, 0xff00, 0xff, 0],
    };
    let mut palette_at = 14 + length;
    if matches!(compression, BIT_FIELDS | ALPHA_BIT_FIELDS) {
        // Behind a header of 40 bytes, or a part of a longer one.
        let count = if length >= 56 || compression == ALPHA_BIT_FIELDS { 4 } else { 3 };
        for (at, mask) in masks.iter_mut().enumerate().take(count) {
            *mask = le32(bytes, 54 + at * 4)?;
        }
        if length == 40 {
            palette_at += count * 4;
        }
    }
    let mut palette = Vec::new();
    if bits <= 8 {
        let used = if core { 0 } else { le32(bytes, 46)? as usize };
        let most = 1_usize << bits;
        let count = if used == 0 { most } else { used.min(most) };
        let size = if core { 3 } else { 4 };
        let colors = bytes.get(palette_at..)?;
        palette = colors.chunks_exact(size).take(count).map(|color| [color[2], color[1], color[0], 255]).collect();
    }
    Some(Header { width, height, top_down, bits, compression, palette, masks, data })
}

/// Indices of run lengths (RLE8 and RLE4); those that are left out are 0.
fn run_lengths(data: &[u8], header: &Header) -> Result<Vec<u8>, Error> {
    let (width, height) = (header.width, header.height);
    let mut indices = vec![0; width * height];
    let four = header.compression == RLE4;
    let (mut x, mut y) = (0, 0);
    let mut input = data.iter().copied();
    let mut next = || input.next().ok_or(Error::Decode);
    let mut put = |x: &mut usize, y: usize, index: u8| {
        if *x < width && y < height {
            indices[y * width + *x] = index;
        }
        *x += 1;
    };
    while y < height {
        let (count, value) = (next()?, next()?);
        match (count, value) {
            (0, 0) => (x, y) = (0, y + 1),
            (0, 1) => break,
            (0, 2) => (x, y) = (x + usize::from(next()?), y + usize::from(next()?)),
            (0, count) => {
                let count = usize::from(count);
                let bytes = if four { count.div_ceil(2) } else { count };
                for at in 0..bytes {
                    let byte = next()?;
                    if !four {
                        put(&mut x, y, byte);
                        continue;
                    }
                    put(&mut x, y, byte >> 4);
                    if at * 2 + 1 < count {
                        put(&mut x, y, byte & 15);
                    }
                }
                if bytes % 2 == 1 {
                    next()?;
                }
            }
            (count, value) => {
                for at in 0..count {
                    let index = if !four {
                        value
                    } else if at % 2 == 0 {
                        value >> 4
                    } else {
                        value & 15
                    };
                    put(&mut x, y, index);
                }
            }
        }
    }
    Ok(indices)
}

/// Decodes a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let header = header(bytes).ok_or(Error::Decode)?;
    let (width, height, bits) = (header.width, header.height, header.bits);
    let fits = match header.compression {
        RGB => matches!(bits, 1 | 2 | 4 | 8 | 16 | 24 | 32),
        RLE8 => bits == 8 && !header.top_down,
        RLE4 => bits == 4 && !header.top_down,
        BIT_FIELDS | ALPHA_BIT_FIELDS => matches!(bits, 16 | 32),
        _ => false,
    };
    let data = bytes.get(header.data..).ok_or(Error::Decode)?;
    let stride = (width * bits as usize).div_ceil(32) * 4;
    let is_packed = matches!(header.compression, RLE8 | RLE4);
    if !fits || (!is_packed && data.len() < stride.checked_mul(height).ok_or(Error::Decode)?) {
        return Err(Error::Decode);
    }
    let channels = header.masks.map(Channel::of);
    let [Some(red), Some(green), Some(blue), Some(alpha)] = channels else { return Err(Error::Decode) };
    let packed = if is_packed { run_lengths(data, &header)? } else { Vec::new() };
    let mut pixels = pixels(width as u32, height as u32)?;
    let color = |index: u32| header.palette.get(index as usize).copied().unwrap_or([0, 0, 0, 255]);
    for (row, target) in pixels.as_chunks_mut::<4>().0.chunks_exact_mut(width).enumerate() {
        let row = if header.top_down { row } else { height - 1 - row };
        if is_packed {
            for (target, index) in target.iter_mut().zip(&packed[row * width..]) {
                *target = color(u32::from(*index));
            }
            continue;
        }
        let line = &data[row * stride..(row + 1) * stride];
        for (x, target) in target.iter_mut().enumerate() {
            *target = match bits {
                1 | 2 | 4 | 8 => {
                    let bit = x as u32 * bits;
                    let byte = u32::from(line[(bit / 8) as usize]);
                    color((byte >> (8 - bits - bit % 8)) & ((1 << bits) - 1))
                }
                24 => [line[x * 3 + 2], line[x * 3 + 1], line[x * 3], 255],
                _ => {
                    let pixel = if bits == 16 { le16(line, x * 2) } else { le32(line, x * 4) }.ok_or(Error::Decode)?;
                    [red.value(pixel, 0), green.value(pixel, 0), blue.value(pixel, 0), alpha.value(pixel, 255)]
                }
            };
        }
    }
    Ok(Picture { width: width as u32, height: height as u32, pixels, icc: None })
}
