//! Images: PNG, JPEG, WebP, GIF and BMP to pixels, pixels to PNG, JPEG and WebP, and what is done between. Input is hostile:
//! sizes are checked before memory is taken for them, and what is broken ends with an error.

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
    /// The format is known, and there is no codec for it.
    Unsupported,
    /// The header or the data are broken.
    Decode,
    /// The codec refuses the pixels: a side is too long for the format.
    Encode,
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
    /// Obeys the orientation in a JPEG's EXIF data.
    pub auto_orient: bool,
    pub turn: Turn,
    /// Mirrors top and bottom.
    pub flip: bool,
    /// Mirrors left and right.
    pub flop: bool,
    pub size: Option<Size>,
    pub brightness: f32,
    pub saturation: f32,
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
        Format::Tiff | Format::Heic | Format::Avif => return Err(Error::Unsupported),
    };
    // What was allowed is what the header said, and a codec may have found another size.
    check_size(picture.width, picture.height, max_pixels)?;
    Ok((picture, format))
}

/// How many eighths of a JPEG are enough for what is made of it, and the size of that; nothing where its own size counts.
fn shrunk(bytes: &[u8], plan: &Plan) -> Option<(u8, (u32, u32))> {
    // The nearest pixel is one of the image's own.
    let size = plan.size.filter(|size| size.filter != Filter::Nearest)?;
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

/// Decodes a file and does what the plan says.
pub fn run(bytes: &[u8], plan: &Plan) -> Result<(Picture, Format), Error> {
    let shrunk = shrunk(bytes, plan);
    let eighths = shrunk.map_or(jpeg::WHOLE, |(eighths, _)| eighths);
    let (mut picture, format) = decode_at(bytes, plan.max_pixels, plan.auto_orient, eighths)?;
    geometry::turn(&mut picture, plan.turn);
    if plan.flip {
        geometry::flip(&mut picture);
    }
    if plan.flop {
        geometry::flop(&mut picture);
    }
    if let Some(size) = plan.size {
        let (width, height) = shrunk.map_or_else(|| size.of((picture.width, picture.height)), |(_, target)| target);
        check_size(width, height, plan.max_pixels)?;
        // Rows are resized first: what there is between may be larger than both ends.
        check_size(width, picture.height, plan.max_pixels)?;
        resize::resize(&mut picture, width, height, size.filter)?;
    }
    if plan.brightness != 1.0 || plan.saturation != 1.0 {
        geometry::modulate(&mut picture, plan.brightness, plan.saturation);
    }
    Ok((picture, format))
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
    }
}

/// A small blurred picture of at most 32 pixels a side, as ThumbHash renders it, as PNG.
pub fn placeholder(picture: &Picture) -> Result<Vec<u8>, Error> {
    png_file::encode(&thumbhash::render(picture)?, None)
}
