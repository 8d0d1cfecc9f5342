//! GIF files (GIF89a): the first image.

use crate::sniff::le16;
use crate::{Error, Picture, pixels};

/// Codes have at most twelve bits.
const MAX_CODES: usize = 4096;

/// A place in the file; what is read behind the end is an error.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let taken = self.bytes.get(self.at..self.at + count).ok_or(Error::Decode)?;
        self.at += count;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<usize, Error> {
        le16(self.take(2)?, 0).map(|value| value as usize).ok_or(Error::Decode)
    }

    /// The contents of sub-blocks; a file that ends too early gives what is there.
    fn blocks(&mut self) -> Vec<u8> {
        let mut data = Vec::new();
        while let Ok(length) = self.byte() {
            if length == 0 {
                break;
            }
            let end = (self.at + usize::from(length)).min(self.bytes.len());
            data.extend_from_slice(&self.bytes[self.at..end]);
            self.at = end;
        }
        data
    }
}

/// The indices of an image; those that the data do not give are 0.
fn unpack(data: &[u8], smallest: u8, count: usize) -> Result<Vec<u8>, Error> {
    if !(1..=11).contains(&smallest) {
        return Err(Error::Decode);
    }
    let (clear, end) = (1_usize << smallest, (1_usize << smallest) + 1);
    // For each code the code before it, its last index, and its length.
    let mut table: Vec<(u16, u8, u16)> = (0..clear).map(|index| (0, index as u8, 1)).collect();
    table.resize(end + 1, (0, 0, 0));
    let mut output = Vec::with_capacity(count);
    let mut width = u32::from(smallest) + 1;
    let mut previous: Option<usize> = None;
    let (mut held, mut bits, mut input) = (0_u32, 0_u32, data.iter());
    while output.len() < count {
        while bits < width {
            let Some(byte) = input.next() else { break };
            held |= u32::from(*byte) << bits;
            bits += 8;
        }
        if bits == 0 {
            break;
        }
        // The bits left at the end of the data are a code, too.
        let used = width.min(bits);
        let code = (held & ((1 << used) - 1)) as usize;
        held >>= used;
        bits -= used;
        if code == clear {
            table.truncate(end + 1);
            width = u32::from(smallest) + 1;
            previous = None;
            continue;
        }
        if code == end {
            break;
        }
        let first_of = |table: &[(u16, u8, u16)], mut code: usize| {
            while table[code].2 > 1 {
                code = usize::from(table[code].0);
            }
            table[code].1
        };
        let Some(before) = previous else {
            if code > end {
                return Err(Error::Decode);
            }
            output.push(table[code].1);
            previous = Some(code);
            continue;
        };
        let first = match code {
            _ if code < table.len() => first_of(&table, code),
            // The code that is being made: the string before it with its own first index.
            _ if code == table.len() && table.len() < MAX_CODES => first_of(&table, before),
            _ => return Err(Error::Decode),
        };
        if table.len() < MAX_CODES {
            table.push((before as u16, first, table[before].2 + 1));
            if table.len() == 1 << width && width < 12 {
                width += 1;
            }
        }
        let length = usize::from(table[code].2);
        let start = output.len();
        output.resize(start + length, 0);
        let mut at = code;
        for place in output[start..].iter_mut().rev() {
            *place = table[at].1;
            at = usize::from(table[at].0);
        }
        previous = Some(code);
    }
    output.resize(count, 0);
    Ok(output)
}

/// The rows of an interlaced image in the order in which they come.
fn interlaced(height: usize) -> impl Iterator<Item = usize> {
    [(0, 8), (4, 8), (2, 4), (1, 2)].into_iter().flat_map(move |(start, step)| (start..height).step_by(step))
}

/// What stands before the data of the first image.
struct Frame {
    width: usize,
    height: usize,
    /// Colours in three bytes; `None` in a file that has none.
    palette: Option<Vec<u8>>,
    transparent: Option<u8>,
    is_interlaced: bool,
}

/// Reads up to the data of the first image.
fn frame(cursor: &mut Cursor<'_>) -> Result<Frame, Error> {
    let colors = |cursor: &mut Cursor<'_>, flags: u8| -> Result<Option<Vec<u8>>, Error> {
        if flags & 0x80 == 0 { Ok(None) } else { Ok(Some(cursor.take(3 << ((flags & 7) + 1))?.to_vec())) }
    };
    cursor.take(10)?;
    let flags = cursor.byte()?;
    cursor.take(2)?;
    let global = colors(cursor, flags)?;
    let mut transparent = None;
    loop {
        match cursor.byte()? {
            0x21 => {
                let label = cursor.byte()?;
                let data = cursor.blocks();
                if label == 0xf9 && data.len() >= 4 {
                    transparent = if data[0] & 1 == 1 { Some(data[3]) } else { None };
                }
            }
            0x2c => break,
            // The file ends, or something else comes, before an image.
            _ => return Err(Error::Decode),
        }
    }
    cursor.take(4)?;
    let (width, height) = (cursor.u16()?, cursor.u16()?);
    let flags = cursor.byte()?;
    let palette = colors(cursor, flags)?.or(global);
    Ok(Frame { width, height, palette, transparent, is_interlaced: flags & 0x40 != 0 })
}

/// The size of the first image.
pub(crate) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let frame = frame(&mut Cursor { bytes, at: 0 }).ok()?;
    Some((frame.width as u32, frame.height as u32))
}

/// Decodes the first image of a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let mut cursor = Cursor { bytes, at: 0 };
    let Frame { width, height, palette, transparent, is_interlaced } = frame(&mut cursor)?;
    let palette = palette.ok_or(Error::Decode)?;
    let smallest = cursor.byte()?;
    let indices = unpack(&cursor.blocks(), smallest, width * height)?;
    let mut pixels = pixels(width as u32, height as u32)?;
    let targets = pixels.as_chunks_mut::<4>().0;
    let order: Vec<usize> = if is_interlaced { interlaced(height).collect() } else { (0..height).collect() };
    for (row, line) in order.into_iter().zip(indices.chunks_exact(width)) {
        for (target, index) in targets[row * width..(row + 1) * width].iter_mut().zip(line) {
            if Some(*index) == transparent {
                continue;
            }
            let at = usize::from(*index) * 3;
            // An index that the palette does not have is black.
            let [red, green, blue] = palette.get(at..at + 3).map_or([0; 3], |color| [color[0], color[1], color[2]]);
            *target = [red, green, blue, 255];
        }
    }
    Ok(Picture { width: width as u32, height: height as u32, pixels, icc: None })
}
