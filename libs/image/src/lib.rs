//! Images: PNG, JPEG, WebP, AVIF, GIF, TIFF and BMP to pixels, pixels to all of these but BMP, and what is done between. Input is
//! hostile: sizes are checked before memory is taken for them, and what is broken ends with an error.

mod avif;
mod blur;
mod bmp;
mod exif;
mod geometry;
mod gif;
mod jpeg;
mod palette;
mod png_file;
mod resize;
mod sniff;
mod thumbhash;
mod tiff_file;
mod webp;

pub use geometry::Turn;
pub use resize::Filter;
pub use sniff::{Header, probe};

/// Formats that are known by their first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Jpeg,
    Png,
    Webp,
    Gif,
    Bmp,
    Tiff,
    Heic,
    Avif,
}

/// Why there is no image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The first bytes are those of no format.
    UnknownFormat,
    /// The format is known, and there is no codec for it or for this kind of it.
    Unsupported,
    /// The header or the data are broken.
    Decode,
    /// The codec refuses the pixels: a side is too long for the format.
    Encode,
    /// What is to be cut out is not in the image.
    OutOfImage,
    /// The input or the output has more pixels than the limit allows.
    TooManyPixels,
}

/// Pixels in four bytes: red, green, blue, alpha (not premultiplied), row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
    /// The colour profile of the source, which the encoders write again.
    pub icc: Option<Vec<u8>>,
}

impl Picture {
    /// A part of the picture.
    ///
    /// # Errors
    /// [`Error::OutOfImage`] if not all of the part is in the picture, or it has no pixel.
    fn part(&self, left: u32, top: u32, width: u32, height: u32) -> Result<Picture, Error> {
        let is_inside = |start: u32, length: u32, whole: u32| {
            length > 0 && start.checked_add(length).is_some_and(|end| end <= whole)
        };
        if !is_inside(left, width, self.width) || !is_inside(top, height, self.height) {
            return Err(Error::OutOfImage);
        }
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
        for row in self.pixels.chunks_exact(self.width as usize * 4).skip(top as usize).take(height as usize) {
            pixels.extend_from_slice(&row[left as usize * 4..(left as usize + width as usize) * 4]);
        }
        Ok(Picture { width, height, pixels, icc: self.icc.clone() })
    }
}

/// A picture of an animation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub picture: Picture,
    /// How long it is shown, in milliseconds.
    pub delay: u32,
}

/// Pictures of one size that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Animation {
    /// At least one.
    pub frames: Vec<Frame>,
    /// How often they are shown; 0 for ever.
    pub loops: u32,
}

/// What an animation's file says without its pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    pub width: u32,
    pub height: u32,
    /// How long each frame is shown, in milliseconds.
    pub delays: Vec<u32>,
    /// How often they are shown; 0 for ever.
    pub loops: u32,
}

/// A part of an image, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// How large an output is to be.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub width: u32,
    /// 0 for what keeps the proportions.
    pub height: u32,
    /// Keeps the proportions and stays inside of the box.
    pub inside: bool,
    /// Leaves images as they are that would become larger.
    pub without_enlargement: bool,
    pub filter: Filter,
}

/// What is done between decoding and encoding, in this order.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Pixels that the input and the output may have at most.
    pub max_pixels: u64,
    /// Obeys the orientation in a JPEG's EXIF data, or in the container of an AVIF.
    pub auto_orient: bool,
    pub turn: Turn,
    /// Mirrors top and bottom.
    pub flip: bool,
    /// Mirrors left and right.
    pub flop: bool,
    /// What is kept of the image.
    pub crop: Option<Area>,
    pub size: Option<Size>,
    pub brightness: f32,
    pub saturation: f32,
    /// Standard deviation of a Gaussian blur in pixels; 0 for none.
    pub blur: f32,
}

/// The format of an output, with its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Output {
    Jpeg {
        quality: u8,
        progressive: bool,
    },
    Png {
        level: Option<u8>,
    },
    /// A PNG with a palette of at most so many colours.
    Indexed {
        level: Option<u8>,
        colors: u16,
        dither: bool,
    },
    Webp {
        quality: f32,
        lossless: bool,
    },
    /// A GIF with a palette of at most so many colours for each frame.
    Gif {
        colors: u16,
        dither: bool,
    },
    Tiff,
    /// `quality` is 1 to 100.
    Avif {
        quality: u8,
    },
}

/// Whether an image of this size is allowed.
fn check_size(width: u32, height: u32, max_pixels: u64) -> Result<(), Error> {
    if u64::from(width) * u64::from(height) > max_pixels { Err(Error::TooManyPixels) } else { Ok(()) }
}

/// Zeroed bytes for so many pixels, or an error if there is not that much memory.
fn pixels(width: u32, height: u32) -> Result<Vec<u8>, Error> {
    let bytes = usize::try_from(u64::from(width) * u64::from(height) * 4).map_err(|_| Error::Decode)?;
    // Whether there is that much is asked first, since `vec!` ends the process where there is not; it gives pages that nobody has
    // written to yet, so that a header alone costs nothing.
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(bytes).map_err(|_| Error::TooManyPixels)?;
    drop(std::hint::black_box(room));
    Ok(vec![0; bytes])
}

/// Decodes a file, and says what format it was.
pub fn decode(bytes: &[u8], max_pixels: u64, auto_orient: bool) -> Result<(Picture, Format), Error> {
    decode_at(bytes, max_pixels, auto_orient, jpeg::WHOLE)
}

/// The same at some eighths of the size, which only JPEG can.
fn decode_at(bytes: &[u8], max_pixels: u64, auto_orient: bool, eighths: u8) -> Result<(Picture, Format), Error> {
    let Header { width, height, format, .. } = probe(bytes)?;
    check_size(width, height, max_pixels)?;
    let picture = match format {
        Format::Jpeg => jpeg::decode(bytes, auto_orient, eighths)?,
        Format::Png => png_file::decode(bytes)?,
        Format::Webp => webp::decode(bytes)?,
        Format::Gif => gif::decode(bytes)?,
        Format::Bmp => bmp::decode(bytes)?,
        Format::Tiff => tiff_file::decode(bytes, auto_orient)?,
        Format::Avif => avif::decode(bytes, max_pixels, auto_orient)?,
        Format::Heic => return Err(Error::Unsupported),
    };
    // What was allowed is what the header said, and a codec may have found another size.
    check_size(picture.width, picture.height, max_pixels)?;
    Ok((picture, format))
}

/// How many eighths of a JPEG are enough for what is made of it, and the size of that; nothing where its own size counts.
fn shrunk(bytes: &[u8], plan: &Plan) -> Option<(u8, (u32, u32))> {
    // What is cut out is counted in the image's own pixels. The nearest pixel is one of the smaller image, as in Bun.
    let size = plan.size.filter(|_| plan.crop.is_none())?;
    let header = probe(bytes).ok().filter(|header| header.format == Format::Jpeg)?;
    let is_turned = matches!(plan.turn, Turn::Quarter | Turn::ThreeQuarters)
        != (plan.auto_orient && (5..=8).contains(&header.orientation));
    let swap = |(width, height)| if is_turned { (height, width) } else { (width, height) };
    let target = size.of(swap((header.width, header.height)));
    let (width, height) = swap(target);
    let enough =
        |eighths: u8, side: u32, wanted: u32| (u64::from(side) * u64::from(eighths)).div_ceil(8) >= wanted.into();
    let eighths =
        [1, 2, 4].into_iter().find(|&at| enough(at, header.width, width) && enough(at, header.height, height))?;
    Some((eighths, target))
}

/// Does what the plan says; `target` is the size of the output where that is known already.
fn change(picture: &mut Picture, plan: &Plan, target: Option<(u32, u32)>) -> Result<(), Error> {
    geometry::turn(picture, plan.turn);
    if plan.flip {
        geometry::flip(picture);
    }
    if plan.flop {
        geometry::flop(picture);
    }
    if let Some(Area { left, top, width, height }) = plan.crop {
        *picture = picture.part(left, top, width, height)?;
    }
    if let Some(size) = plan.size {
        let (width, height) = target.unwrap_or_else(|| size.of((picture.width, picture.height)));
        check_size(width, height, plan.max_pixels)?;
        // Rows are resized first: what there is between may be larger than both ends.
        check_size(width, picture.height, plan.max_pixels)?;
        resize::resize(picture, width, height, size.filter)?;
    }
    if plan.brightness != 1.0 || plan.saturation != 1.0 {
        geometry::modulate(picture, plan.brightness, plan.saturation);
    }
    if plan.blur > 0.0 {
        blur::blur(picture, plan.blur);
    }
    Ok(())
}

/// Decodes a file and does what the plan says; of an animation the first frame.
pub fn run(bytes: &[u8], plan: &Plan) -> Result<(Picture, Format), Error> {
    let shrunk = shrunk(bytes, plan);
    let eighths = shrunk.map_or(jpeg::WHOLE, |(eighths, _)| eighths);
    let (mut picture, format) = decode_at(bytes, plan.max_pixels, plan.auto_orient, eighths)?;
    change(&mut picture, plan, shrunk.map(|(_, target)| target))?;
    Ok((picture, format))
}

/// The canvas and the times of all frames, without their pixels; what is no animation has one frame, which is shown once. With
/// `auto_orient` the sides are those that EXIF means.
///
/// # Errors
/// As for [`probe`].
pub fn timing(bytes: &[u8], auto_orient: bool) -> Result<(Timing, Format), Error> {
    let Header { width, height, format, orientation } = probe(bytes)?;
    let (width, height) = if auto_orient && orientation >= 5 { (height, width) } else { (width, height) };
    let timing = match format {
        Format::Gif => gif::timing(bytes)?,
        Format::Webp => webp::timing(bytes)?,
        _ => Timing { width, height, delays: vec![0], loops: 1 },
    };
    Ok((timing, format))
}

/// Decodes all frames of a file and does with each what the plan says. All frames together have at most `max_pixels`.
///
/// # Errors
/// As for [`run`].
pub fn run_all(bytes: &[u8], plan: &Plan) -> Result<(Animation, Format), Error> {
    let Header { width, height, format, .. } = probe(bytes)?;
    check_size(width, height, plan.max_pixels)?;
    let mut animation = match format {
        Format::Gif => gif::decode_all(bytes, plan.max_pixels)?,
        Format::Webp => webp::decode_all(bytes, plan.max_pixels)?,
        _ => {
            let (picture, format) = run(bytes, plan)?;
            return Ok((Animation { frames: vec![Frame { picture, delay: 0 }], loops: 1 }, format));
        }
    };
    // An output of many frames is as large as all of them.
    let share = plan.max_pixels / animation.frames.len() as u64;
    for frame in &mut animation.frames {
        change(&mut frame.picture, &Plan { max_pixels: share, ..*plan }, None)?;
    }
    Ok((animation, format))
}

/// Encodes all frames where the format has them (GIF, WebP), else the first.
///
/// # Errors
/// [`Error::Encode`] if the codec refuses the pixels.
pub fn encode_all(animation: &Animation, output: Output) -> Result<Vec<u8>, Error> {
    match output {
        Output::Webp { quality, lossless } if animation.frames.len() > 1 => {
            webp::encode_all(animation, quality, lossless)
        }
        Output::Gif { colors, dither } => gif::encode(animation, usize::from(colors), dither),
        _ => encode(&animation.frames.first().ok_or(Error::Encode)?.picture, output),
    }
}

/// Encodes a picture.
pub fn encode(picture: &Picture, output: Output) -> Result<Vec<u8>, Error> {
    match output {
        Output::Jpeg { quality, progressive } => jpeg::encode(picture, quality, progressive),
        Output::Png { level } => png_file::encode(picture, level),
        Output::Indexed { level, colors, dither } => {
            png_file::encode_indexed(picture, &palette::quantize(picture, usize::from(colors), dither), level)
        }
        Output::Webp { quality, lossless } => webp::encode(picture, quality, lossless),
        Output::Gif { colors, dither } => {
            let frames = vec![Frame { picture: picture.clone(), delay: 0 }];
            gif::encode(&Animation { frames, loops: 1 }, usize::from(colors), dither)
        }
        Output::Tiff => tiff_file::encode(picture),
        Output::Avif { quality } => avif::encode(picture, quality),
    }
}

/// A small blurred picture of at most 32 pixels a side, as ThumbHash renders it, as PNG.
pub fn placeholder(picture: &Picture) -> Result<Vec<u8>, Error> {
    png_file::encode(&thumbhash::render(picture)?, None)
}
