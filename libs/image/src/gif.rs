//! GIF files (GIF89a): the first image, all images as an animation, and writing (https://www.w3.org/Graphics/GIF/spec-gif89a.txt).

use crate::palette::quantize;
use crate::sniff::le16;
use crate::{Animation, Error, Frame, Picture, Timing, check_size, pixels};

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

/// What becomes of an image when the next one comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disposal {
    Keep,
    Clear,
    Restore,
}

/// What stands before the data of an image.
struct Image {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    /// Colours in three bytes; `None` in a file that has none.
    palette: Option<Vec<u8>>,
    transparent: Option<u8>,
    is_interlaced: bool,
    disposal: Disposal,
    /// Hundredths of a second.
    delay: u16,
}

/// A file behind its header: the size of its screen, its palette, and how often it runs.
struct Reader<'a> {
    cursor: Cursor<'a>,
    screen: (u32, u32),
    global: Option<Vec<u8>>,
    /// 0 for ever; 1 for a file that does not say.
    loops: u32,
}

fn colors(cursor: &mut Cursor<'_>, flags: u8) -> Result<Option<Vec<u8>>, Error> {
    if flags & 0x80 == 0 { Ok(None) } else { Ok(Some(cursor.take(3 << ((flags & 7) + 1))?.to_vec())) }
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Reader<'a>, Error> {
        let mut cursor = Cursor { bytes, at: 0 };
        cursor.take(6)?;
        let screen = (cursor.u16()? as u32, cursor.u16()? as u32);
        let flags = cursor.byte()?;
        cursor.take(2)?;
        let global = colors(&mut cursor, flags)?;
        Ok(Reader { cursor, screen, global, loops: 1 })
    }

    /// Reads up to the data of the next image; nothing at the end of the file.
    fn next(&mut self) -> Result<Option<Image>, Error> {
        let cursor = &mut self.cursor;
        let (mut transparent, mut disposal, mut delay) = (None, Disposal::Keep, 0);
        loop {
            match cursor.byte()? {
                0x21 => {
                    let label = cursor.byte()?;
                    let data = cursor.blocks();
                    if label == 0xf9 && data.len() >= 4 {
                        transparent = if data[0] & 1 == 1 { Some(data[3]) } else { None };
                        delay = u16::from_le_bytes([data[1], data[2]]);
                        disposal = match data[0] >> 2 & 7 {
                            2 => Disposal::Clear,
                            3 => Disposal::Restore,
                            _ => Disposal::Keep,
                        };
                    } else if label == 0xff && data.len() >= 14 && data.starts_with(b"NETSCAPE2.0\x01") {
                        self.loops = u32::from(u16::from_le_bytes([data[12], data[13]]));
                    }
                }
                0x2c => break,
                0x3b => return Ok(None),
                // Something else comes before an image.
                _ => return Err(Error::Decode),
            }
        }
        let (left, top) = (cursor.u16()?, cursor.u16()?);
        let (width, height) = (cursor.u16()?, cursor.u16()?);
        let flags = cursor.byte()?;
        let palette = colors(cursor, flags)?.or_else(|| self.global.clone());
        let is_interlaced = flags & 0x40 != 0;
        Ok(Some(Image { left, top, width, height, palette, transparent, is_interlaced, disposal, delay }))
    }

    /// Reads the data of an image, and draws its pixels at a place of a canvas, as far as they are on it.
    fn draw(&mut self, image: &Image, canvas: &mut Picture, left: usize, top: usize) -> Result<(), Error> {
        let palette = image.palette.as_deref().ok_or(Error::Decode)?;
        let smallest = self.cursor.byte()?;
        let indices = unpack(&self.cursor.blocks(), smallest, image.width * image.height)?;
        let (width, height) = (canvas.width as usize, canvas.height as usize);
        let targets = canvas.pixels.as_chunks_mut::<4>().0;
        let order: Vec<usize> =
            if image.is_interlaced { interlaced(image.height).collect() } else { (0..image.height).collect() };
        for (row, line) in order.into_iter().zip(indices.chunks_exact(image.width.max(1))) {
            if top + row >= height || left >= width {
                continue;
            }
            let start = (top + row) * width;
            for (target, index) in targets[start + left..start + width].iter_mut().zip(line) {
                if Some(*index) == image.transparent {
                    continue;
                }
                let at = usize::from(*index) * 3;
                // An index that the palette does not have is black.
                let [red, green, blue] = palette.get(at..at + 3).map_or([0; 3], |color| [color[0], color[1], color[2]]);
                *target = [red, green, blue, 255];
            }
        }
        Ok(())
    }
}

/// The size of the first image.
pub(crate) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let image = Reader::new(bytes).ok()?.next().ok()??;
    Some((image.width as u32, image.height as u32))
}

/// Decodes the first image of a file whose size has been checked.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let mut reader = Reader::new(bytes)?;
    let image = reader.next()?.ok_or(Error::Decode)?;
    let (width, height) = (image.width as u32, image.height as u32);
    let mut picture = Picture { width, height, pixels: pixels(width, height)?, icc: None };
    reader.draw(&image, &mut picture, 0, 0)?;
    Ok(picture)
}

/// The size of the screen and the times of all images, without their pixels. What is broken behind the first image is the end.
pub(crate) fn timing(bytes: &[u8]) -> Result<Timing, Error> {
    let mut reader = Reader::new(bytes)?;
    let mut delays = Vec::new();
    while let Ok(Some(image)) = reader.next() {
        delays.push(u32::from(image.delay) * 10);
        if reader.cursor.byte().is_err() {
            break;
        }
        reader.cursor.blocks();
    }
    if delays.is_empty() {
        return Err(Error::Decode);
    }
    Ok(Timing { width: reader.screen.0, height: reader.screen.1, delays, loops: reader.loops })
}

/// Decodes all images onto the screen, each with what is left of those before it. All frames together, and what is drawn for them,
/// have at most `max_pixels`.
pub(crate) fn decode_all(bytes: &[u8], max_pixels: u64) -> Result<Animation, Error> {
    let mut reader = Reader::new(bytes)?;
    let (width, height) = reader.screen;
    if width == 0 || height == 0 {
        return Err(Error::Decode);
    }
    check_size(width, height, max_pixels)?;
    let mut canvas = Picture { width, height, pixels: pixels(width, height)?, icc: None };
    let (mut frames, mut spent): (Vec<Frame>, u64) = (Vec::new(), 0);
    loop {
        // A file that ends too early has the images before.
        let image = match reader.next() {
            Ok(Some(image)) => image,
            Ok(None) => break,
            Err(error) if frames.is_empty() => return Err(error),
            Err(_) => break,
        };
        spent += (u64::from(width) * u64::from(height)).max((image.width * image.height) as u64);
        if spent > max_pixels {
            return Err(Error::TooManyPixels);
        }
        let before = (image.disposal == Disposal::Restore).then(|| canvas.pixels.clone());
        match reader.draw(&image, &mut canvas, image.left, image.top) {
            Ok(()) => {}
            Err(error) if frames.is_empty() => return Err(error),
            Err(_) => break,
        }
        frames.push(Frame { picture: canvas.clone(), delay: u32::from(image.delay) * 10 });
        match (image.disposal, before) {
            (Disposal::Restore, Some(pixels)) => canvas.pixels = pixels,
            (Disposal::Clear, _) => {
                let right = (image.left + image.width).min(width as usize);
                for row in image.top..(image.top + image.height).min(height as usize) {
                    let start = row * width as usize;
                    if image.left < right {
                        canvas.pixels[(start + image.left) * 4..(start + right) * 4].fill(0);
                    }
                }
            }
            _ => {}
        }
    }
    if frames.is_empty() { Err(Error::Decode) } else { Ok(Animation { frames, loops: reader.loops }) }
}

/// The part of a picture that differs from the one before it: left, top, width and height, at least one pixel.
fn changed(picture: &Picture, before: &Picture) -> (usize, usize, usize, usize) {
    let width = picture.width as usize;
    let rows = || picture.pixels.chunks_exact(width * 4).zip(before.pixels.chunks_exact(width * 4)).enumerate();
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for (y, (row, other)) in rows() {
        let differs = |x: &usize| row[x * 4..x * 4 + 4] != other[x * 4..x * 4 + 4];
        let Some(first) = (0..width).find(differs) else { continue };
        let last = (0..width).rev().find(differs).unwrap_or(first);
        (left, right, top, bottom) = (left.min(first), right.max(last), top.min(y), y);
    }
    if top == usize::MAX { (0, 0, 1, 1) } else { (left, top, right - left + 1, bottom - top + 1) }
}

/// Writes one image, with what is said about it before.
fn write_image(file: &mut Vec<u8>, part: &Picture, at: (usize, usize), delay: u32, colors: usize, dither: bool) {
    let is_clear = |pixel: &[u8; 4]| pixel[3] < 128;
    let source = part.pixels.as_chunks::<4>().0;
    let has_clear = source.iter().any(is_clear);
    // Transparency is one index of the palette, so colours are whole or not there; what is not there takes a colour of the rest.
    let filler = source.iter().find(|pixel| !is_clear(pixel)).map_or([0; 4], |pixel| *pixel);
    let mut whole = part.clone();
    for pixel in whole.pixels.as_chunks_mut::<4>().0 {
        if is_clear(pixel) {
            *pixel = filler;
        }
        pixel[3] = 255;
    }
    let most = if has_clear { colors.min(255) } else { colors };
    let mut indexed = quantize(&whole, most, dither);
    let transparent = indexed.palette.len() as u8;
    if has_clear {
        for (index, pixel) in indexed.indices.iter_mut().zip(source) {
            if is_clear(pixel) {
                *index = transparent;
            }
        }
    }
    let count = indexed.palette.len() + usize::from(has_clear);
    let bits = (usize::BITS - (count.max(2) - 1).leading_zeros()) as u8;
    // A frame with holes is cleared away before the next one, which is whole.
    let packed = if has_clear { 2 << 2 | 1 } else { 1 << 2 };
    file.extend_from_slice(&[0x21, 0xf9, 4, packed]);
    file.extend_from_slice(&u16::try_from(delay.div_ceil(10)).unwrap_or(u16::MAX).to_le_bytes());
    file.extend_from_slice(&[if has_clear { transparent } else { 0 }, 0, 0x2c]);
    for side in [at.0, at.1, part.width as usize, part.height as usize] {
        file.extend_from_slice(&(side as u16).to_le_bytes());
    }
    file.push(0x80 | (bits - 1));
    let mut palette: Vec<u8> = indexed.palette.iter().flat_map(|color| [color[0], color[1], color[2]]).collect();
    palette.resize(3 << bits, 0);
    file.extend(palette);
    let smallest = bits.max(2);
    file.push(smallest);
    let data = weezl::encode::Encoder::new(weezl::BitOrder::Lsb, smallest).encode(&indexed.indices).unwrap_or_default();
    for block in data.chunks(255) {
        file.push(block.len() as u8);
        file.extend_from_slice(block);
    }
    file.push(0);
}

/// Encodes an animation, or one picture; `colors` (2 to 256) are those of each frame.
pub(crate) fn encode(animation: &Animation, colors: usize, dither: bool) -> Result<Vec<u8>, Error> {
    let first = &animation.frames.first().ok_or(Error::Encode)?.picture;
    let side = |side: u32| u16::try_from(side).map_err(|_| Error::Encode);
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut file = b"GIF89a".to_vec();
    file.extend_from_slice(&width.to_le_bytes());
    file.extend_from_slice(&height.to_le_bytes());
    // Eight bits a colour, and no palette for all.
    file.extend_from_slice(&[0x70, 0, 0]);
    if animation.loops != 1 {
        file.extend_from_slice(b"\x21\xff\x0bNETSCAPE2.0\x03\x01");
        file.extend_from_slice(&u16::try_from(animation.loops).unwrap_or(u16::MAX).to_le_bytes());
        file.push(0);
    }
    let is_opaque =
        animation.frames.iter().all(|frame| frame.picture.pixels.as_chunks::<4>().0.iter().all(|p| p[3] >= 128));
    let mut before: Option<&Picture> = None;
    for Frame { picture, delay } in &animation.frames {
        if (picture.width, picture.height) != (first.width, first.height) {
            return Err(Error::Encode);
        }
        match before.filter(|_| is_opaque) {
            // Only what has changed is written.
            Some(before) => {
                let (left, top, width, height) = changed(picture, before);
                let part = picture.part(left as u32, top as u32, width as u32, height as u32)?;
                write_image(&mut file, &part, (left, top), *delay, colors, dither);
            }
            None => write_image(&mut file, picture, (0, 0), *delay, colors, dither),
        }
        before = Some(picture);
    }
    file.push(0x3b);
    Ok(file)
}
