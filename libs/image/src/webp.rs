//! WebP files, by libwebp. The container is read and written here: profiles are chunks of it (RFC 9649, 2.7).

use crate::sniff::le32;
use crate::{Error, Picture, pixels};

/// A chunk of the container: its name and contents.
type Chunk<'a> = (&'a [u8], &'a [u8]);

/// The chunks behind the header, as far as they are whole.
fn chunks(bytes: &[u8], start: usize) -> Vec<Chunk<'_>> {
    let mut found = Vec::new();
    let mut at = start;
    while let Some(length) = le32(bytes, at + 4) {
        let Some(data) = bytes.get(at + 8..(at + 8).saturating_add(length as usize)) else { break };
        found.push((&bytes[at..at + 4], data));
        at += 8 + length as usize + (length as usize & 1);
    }
    found
}

/// Width and height; `None` if the header is broken.
pub(crate) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let (mut width, mut height) = (0, 0);
    // SAFETY: the pointer and the length are those of one slice, and the function only reads it.
    let known = unsafe { libwebp_sys::WebPGetInfo(bytes.as_ptr(), bytes.len(), &raw mut width, &raw mut height) };
    if known == 0 { None } else { Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?)) }
}

/// The first frame of an animation as a file of its own, if it fills the canvas.
fn first_frame(bytes: &[u8], chunks: &[Chunk<'_>]) -> Option<Vec<u8>> {
    let (_, frame) = chunks.iter().find(|(name, _)| *name == b"ANMF")?;
    let (width, height) = size(bytes)?;
    let u24 = |at: usize| Some(u32::from_le_bytes([*frame.get(at)?, *frame.get(at + 1)?, *frame.get(at + 2)?, 0]));
    if u24(0)? != 0 || u24(3)? != 0 || u24(6)? + 1 != width || u24(9)? + 1 != height {
        return None;
    }
    let image = frame.get(16..)?;
    let mut flags = [0; 10];
    flags[0] = 0x10;
    flags[4..7].copy_from_slice(&frame[6..9]);
    flags[7..].copy_from_slice(&frame[9..12]);
    Some(container(&[(b"VP8X", &flags[..])], image))
}

/// A file with some chunks, and other chunks that are written already.
fn container(first: &[(&[u8; 4], &[u8])], rest: &[u8]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, data) in first {
        body.extend_from_slice(*name);
        body.extend_from_slice(&(data.len() as u32).to_le_bytes());
        body.extend_from_slice(data);
        if data.len() % 2 == 1 {
            body.push(0);
        }
    }
    body.extend_from_slice(rest);
    let mut file = b"RIFF".to_vec();
    file.extend_from_slice(&(body.len() as u32).to_le_bytes());
    file.extend(body);
    file
}

/// Decodes a file whose size has been checked; of an animation the first frame.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let chunks = chunks(bytes, 12);
    let frame = first_frame(bytes, &chunks);
    let file = frame.as_deref().unwrap_or(bytes);
    let (width, height) = size(file).ok_or(Error::Decode)?;
    let mut pixels = pixels(width, height)?;
    let stride = i32::try_from(width * 4).map_err(|_| Error::Decode)?;
    // SAFETY: the input is one slice; the output has `height` rows of `stride` bytes, as its length says.
    let decoded = unsafe {
        libwebp_sys::WebPDecodeRGBAInto(file.as_ptr(), file.len(), pixels.as_mut_ptr(), pixels.len(), stride)
    };
    if decoded.is_null() {
        return Err(Error::Decode);
    }
    let icc = chunks.iter().find(|(name, _)| *name == b"ICCP").map(|(_, data)| data.to_vec());
    Ok(Picture { width, height, pixels, icc })
}

/// Encodes; `quality` is 0 to 100.
pub(crate) fn encode(picture: &Picture, quality: f32, lossless: bool) -> Result<Vec<u8>, Error> {
    let side = |side: u32| i32::try_from(side).ok().filter(|side| *side <= 16383).ok_or(Error::Encode);
    let (width, height) = (side(picture.width)?, side(picture.height)?);
    let stride = width * 4;
    let mut output = std::ptr::null_mut();
    // SAFETY: the input has `height` rows of `stride` bytes; the output pointer is written to.
    let length = unsafe {
        if lossless {
            libwebp_sys::WebPEncodeLosslessRGBA(picture.pixels.as_ptr(), width, height, stride, &raw mut output)
        } else {
            libwebp_sys::WebPEncodeRGBA(picture.pixels.as_ptr(), width, height, stride, quality, &raw mut output)
        }
    };
    if length == 0 || output.is_null() {
        return Err(Error::Encode);
    }
    // SAFETY: the encoder gave `length` bytes at `output`.
    let file = unsafe { std::slice::from_raw_parts(output, length) }.to_vec();
    // SAFETY: the memory is the encoder's, and nobody uses it any more.
    unsafe { libwebp_sys::WebPFree(output.cast()) };
    let Some(profile) = &picture.icc else { return Ok(file) };
    let has_alpha = picture.pixels.as_chunks::<4>().0.iter().any(|pixel| pixel[3] != 255);
    let mut flags = [0; 10];
    flags[0] = 0x20 | if has_alpha { 0x10 } else { 0 };
    flags[4..7].copy_from_slice(&(picture.width - 1).to_le_bytes()[..3]);
    flags[7..].copy_from_slice(&(picture.height - 1).to_le_bytes()[..3]);
    // The file of an image with alpha may have a VP8X chunk already.
    let images: Vec<u8> = chunks(&file, 12)
        .iter()
        .filter(|(name, _)| *name != b"VP8X")
        .flat_map(|(name, data)| {
            let mut chunk = name.to_vec();
            chunk.extend_from_slice(&(data.len() as u32).to_le_bytes());
            chunk.extend_from_slice(data);
            if data.len() % 2 == 1 {
                chunk.push(0);
            }
            chunk
        })
        .collect();
    Ok(container(&[(b"VP8X", &flags[..]), (b"ICCP", &profile[..])], &images))
}
