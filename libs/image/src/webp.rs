//! WebP files, by libwebp. The container is read and written here: profiles are chunks of it (RFC 9649, 2.7).

use libwebp_sys::{
    WEBP_CSP_MODE, WEBP_MUX_ABI_VERSION, WebPAnimDecoder, WebPAnimDecoderDelete, WebPAnimDecoderGetInfo,
    WebPAnimDecoderGetNext, WebPAnimDecoderHasMoreFrames, WebPAnimDecoderNew, WebPAnimDecoderOptions,
    WebPAnimDecoderOptionsInit, WebPAnimEncoder, WebPAnimEncoderAdd, WebPAnimEncoderAssemble, WebPAnimEncoderDelete,
    WebPAnimEncoderNewInternal, WebPAnimEncoderOptions, WebPAnimEncoderOptionsInitInternal, WebPAnimEncoderSetChunk,
    WebPAnimInfo, WebPConfig, WebPData, WebPDataClear, WebPMuxError, WebPPicture, WebPPictureFree,
    WebPPictureImportRGBA,
};

use crate::sniff::le32;
use crate::{Animation, Error, Frame, Picture, Timing, check_size, pixels};

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
    if frame.is_none() && chunks.iter().any(|(name, _)| *name == b"ANMF") {
        // The decoder of still images has no canvas on which a smaller frame would lie.
        let first = decode_frames(bytes, u64::MAX, true)?.frames.into_iter().next();
        return first.map(|frame| frame.picture).ok_or(Error::Decode);
    }
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

/// The canvas and the times of all frames, without their pixels; a file without an animation has one frame.
pub(crate) fn timing(bytes: &[u8]) -> Result<Timing, Error> {
    let (width, height) = size(bytes).ok_or(Error::Decode)?;
    let (mut delays, mut loops) = (Vec::new(), 1);
    for (name, data) in chunks(bytes, 12) {
        match name {
            b"ANIM" if data.len() >= 6 => loops = u32::from(u16::from_le_bytes([data[4], data[5]])),
            b"ANMF" if data.len() >= 16 => delays.push(u32::from_le_bytes([data[12], data[13], data[14], 0])),
            _ => {}
        }
    }
    if delays.is_empty() {
        delays.push(0);
    }
    Ok(Timing { width, height, delays, loops })
}

/// A decoder of libwebp, freed at its end.
struct Decoder(*mut WebPAnimDecoder);

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the pointer is the library's own, and nobody uses it any more.
        unsafe { WebPAnimDecoderDelete(self.0) }
    }
}

/// Decodes all frames onto the canvas. All of them together have at most `max_pixels`.
pub(crate) fn decode_all(bytes: &[u8], max_pixels: u64) -> Result<Animation, Error> {
    decode_frames(bytes, max_pixels, false)
}

/// The same, of the first frame only if that is enough.
fn decode_frames(bytes: &[u8], max_pixels: u64, only_first: bool) -> Result<Animation, Error> {
    // The header is looked at before the library takes memory for the canvas that it names.
    let (width, height) = size(bytes).ok_or(Error::Decode)?;
    check_size(width, height, max_pixels)?;
    let data = WebPData { bytes: bytes.as_ptr(), size: bytes.len() };
    let mut options = std::mem::MaybeUninit::<WebPAnimDecoderOptions>::zeroed();
    // SAFETY: the function fills in the struct, all of whose bits may be zero but for the mode, which it sets.
    let mut options = unsafe {
        if WebPAnimDecoderOptionsInit(options.as_mut_ptr()) == 0 {
            return Err(Error::Decode);
        }
        options.assume_init()
    };
    options.color_mode = WEBP_CSP_MODE::MODE_RGBA;
    options.use_threads = 0;
    // SAFETY: the data live longer than the decoder, which only reads them.
    let decoder = Decoder(unsafe { WebPAnimDecoderNew(&raw const data, &raw const options) });
    let mut info = WebPAnimInfo::default();
    // SAFETY: the decoder was made above; the struct is written to.
    if decoder.0.is_null() || unsafe { WebPAnimDecoderGetInfo(decoder.0, &raw mut info) } == 0 {
        return Err(Error::Decode);
    }
    let (width, height) = (info.canvas_width, info.canvas_height);
    let count = if only_first { 1 } else { u64::from(info.frame_count) };
    if (u64::from(width) * u64::from(height)).saturating_mul(count) > max_pixels {
        return Err(Error::TooManyPixels);
    }
    let icc = chunks(bytes, 12).iter().find(|(name, _)| *name == b"ICCP").map(|(_, data)| data.to_vec());
    let mut frames = Vec::new();
    let mut before = 0;
    // SAFETY: the decoder was made above.
    while (frames.len() as u64) < count && unsafe { WebPAnimDecoderHasMoreFrames(decoder.0) } != 0 {
        let (mut canvas, mut time) = (std::ptr::null_mut(), 0);
        // SAFETY: the decoder was made above; both variables are written to.
        if unsafe { WebPAnimDecoderGetNext(decoder.0, &raw mut canvas, &raw mut time) } == 0 {
            // A file that ends too early has the frames before.
            break;
        }
        let mut pixels = pixels(width, height)?;
        // SAFETY: the library's canvas has four bytes for each pixel, until the next call.
        let drawn = unsafe { std::slice::from_raw_parts(canvas, pixels.len()) };
        pixels.copy_from_slice(drawn);
        let delay = u32::try_from(time.saturating_sub(before)).unwrap_or(0);
        before = time;
        frames.push(Frame { picture: Picture { width, height, pixels, icc: icc.clone() }, delay });
    }
    if frames.is_empty() { Err(Error::Decode) } else { Ok(Animation { frames, loops: info.loop_count }) }
}

/// An encoder of libwebp, freed at its end.
struct Encoder(*mut WebPAnimEncoder);

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the pointer is the library's own, and nobody uses it any more.
        unsafe { WebPAnimEncoderDelete(self.0) }
    }
}

/// A frame in the library's memory, freed at its end.
struct Imported(WebPPicture);

impl Imported {
    fn new(picture: &Picture) -> Result<Imported, Error> {
        let side = |side: u32| i32::try_from(side).map_err(|_| Error::Encode);
        let mut imported = Imported(WebPPicture::new().map_err(|()| Error::Encode)?);
        imported.0.use_argb = 1;
        imported.0.width = side(picture.width)?;
        imported.0.height = side(picture.height)?;
        let stride = side(picture.width * 4)?;
        // SAFETY: the struct is initialised, and the pixels have `height` rows of `stride` bytes.
        match unsafe { WebPPictureImportRGBA(&raw mut imported.0, picture.pixels.as_ptr(), stride) } {
            0 => Err(Error::Encode),
            _ => Ok(imported),
        }
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: the struct was initialised by the library, and nobody uses its memory any more.
        unsafe { WebPPictureFree(&raw mut self.0) }
    }
}

/// Encodes an animation; `quality` is 0 to 100.
pub(crate) fn encode_all(animation: &Animation, quality: f32, lossless: bool) -> Result<Vec<u8>, Error> {
    let first = &animation.frames.first().ok_or(Error::Encode)?.picture;
    let side = |side: u32| i32::try_from(side).ok().filter(|side| *side <= 16383).ok_or(Error::Encode);
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut options = std::mem::MaybeUninit::<WebPAnimEncoderOptions>::zeroed();
    // SAFETY: the function fills in the struct, all of whose bits may be zero.
    let mut options = unsafe {
        if WebPAnimEncoderOptionsInitInternal(options.as_mut_ptr(), WEBP_MUX_ABI_VERSION as i32) == 0 {
            return Err(Error::Encode);
        }
        options.assume_init()
    };
    options.anim_params.loop_count = animation.loops.min(65_535) as i32;
    let mut config = WebPConfig::new().map_err(|()| Error::Encode)?;
    config.quality = quality;
    config.lossless = i32::from(lossless);
    // SAFETY: the options are whole.
    let encoder =
        Encoder(unsafe { WebPAnimEncoderNewInternal(width, height, &raw const options, WEBP_MUX_ABI_VERSION as i32) });
    if encoder.0.is_null() {
        return Err(Error::Encode);
    }
    let mut time = 0_i32;
    for Frame { picture, delay } in &animation.frames {
        if (picture.width, picture.height) != (first.width, first.height) {
            return Err(Error::Encode);
        }
        let mut frame = Imported::new(picture)?;
        // SAFETY: the encoder, the frame and the configuration are whole.
        if unsafe { WebPAnimEncoderAdd(encoder.0, &raw mut frame.0, time, &raw const config) } == 0 {
            return Err(Error::Encode);
        }
        time = time.saturating_add(i32::try_from(*delay).unwrap_or(i32::MAX));
    }
    // SAFETY: a frame that is null is the end, as the library has it.
    if unsafe { WebPAnimEncoderAdd(encoder.0, std::ptr::null_mut(), time, std::ptr::null()) } == 0 {
        return Err(Error::Encode);
    }
    if let Some(icc) = &first.icc {
        let data = WebPData { bytes: icc.as_ptr(), size: icc.len() };
        // SAFETY: the name has four characters, and the data are copied.
        let set = unsafe { WebPAnimEncoderSetChunk(encoder.0, c"ICCP".as_ptr(), &raw const data, 1) };
        if set != WebPMuxError::WEBP_MUX_OK {
            return Err(Error::Encode);
        }
    }
    let mut output = WebPData::default();
    // SAFETY: the encoder is whole; the output is written to.
    if unsafe { WebPAnimEncoderAssemble(encoder.0, &raw mut output) } == 0 {
        return Err(Error::Encode);
    }
    // SAFETY: the library gave so many bytes there.
    let file = unsafe { std::slice::from_raw_parts(output.bytes, output.size) }.to_vec();
    // SAFETY: the memory is the library's, and nobody uses it any more.
    unsafe { WebPDataClear(&mut output) };
    Ok(file)
}
