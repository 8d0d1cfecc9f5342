//! Native half of Bun.Image: one op reads a header, one does a whole pipeline on the thread pool. The numbers of a plan stand in
//! the order of `Plan` in ext/image/pipeline.ts.

use engine::{OpError, PinnedBytes, op, ops};
use picture::{Area, Error, Filter, Format, Output, Plan, Size, Turn};

fn failure(error: Error) -> OpError {
    let (code, message) = match error {
        Error::UnknownFormat => (
            "ERR_IMAGE_UNKNOWN_FORMAT",
            "Image: unrecognised format (expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF)",
        ),
        Error::Unsupported => (
            "ERR_IMAGE_FORMAT_UNSUPPORTED",
            "Image: format not supported (there is no codec for HEIC, nor for this kind of AVIF)",
        ),
        Error::Decode => ("ERR_IMAGE_DECODE_FAILED", "Image: decode failed"),
        Error::Encode => ("ERR_IMAGE_ENCODE_FAILED", "Image: encode failed"),
        Error::OutOfImage => ("ERR_OUT_OF_RANGE", "Image: the area to crop is not inside of the image"),
        Error::TooManyPixels => ("ERR_IMAGE_TOO_MANY_PIXELS", "Image: input exceeds maxPixels limit"),
    };
    OpError::error(message).code(code)
}

const fn name(format: Format) -> &'static str {
    match format {
        Format::Jpeg => "jpeg",
        Format::Png => "png",
        Format::Webp => "webp",
        Format::Gif => "gif",
        Format::Bmp => "bmp",
        Format::Tiff => "tiff",
        Format::Heic => "heic",
        Format::Avif => "avif",
    }
}

/// Width, height and format by the header; `max_pixels` is the limit, and with `auto_orient` the sides are those that EXIF means.
#[op]
fn probe(bytes: &[u8], max_pixels: f64, auto_orient: bool) -> Result<(u32, u32, &'static str), OpError> {
    let header = picture::probe(bytes).map_err(failure)?;
    if f64::from(header.width) * f64::from(header.height) > max_pixels {
        return Err(failure(Error::TooManyPixels));
    }
    let turned = auto_orient && header.orientation >= 5;
    let (width, height) = if turned { (header.height, header.width) } else { (header.width, header.height) };
    Ok((width, height, name(header.format)))
}

/// Width, height and format of the canvas, how long each frame is shown in milliseconds, and how often all of them are (0 for ever).
/// With `auto_orient` the sides are those that EXIF means.
#[op]
fn timing(
    bytes: &[u8],
    max_pixels: f64,
    auto_orient: bool,
) -> Result<(u32, u32, &'static str, Vec<f64>, u32), OpError> {
    let (timing, format) = picture::timing(bytes, auto_orient).map_err(failure)?;
    if f64::from(timing.width) * f64::from(timing.height) > max_pixels {
        return Err(failure(Error::TooManyPixels));
    }
    let delays = timing.delays.into_iter().map(f64::from).collect();
    Ok((timing.width, timing.height, name(format), delays, timing.loops))
}

const FILTERS: [Filter; 9] = [
    Filter::Lanczos3,
    Filter::Lanczos2,
    Filter::Mitchell,
    Filter::Cubic,
    Filter::Mks2013,
    Filter::Mks2021,
    Filter::Bilinear,
    Filter::Box,
    Filter::Nearest,
];

/// What comes out: a format's file, or the placeholder.
enum Wish {
    File(Format),
    SourceFormat,
    Placeholder,
}

/// The plan of ext/image/pipeline.ts as types.
struct Request {
    plan: Plan,
    wish: Wish,
    /// All frames, not only the first.
    is_animated: bool,
    /// 0 to 100.
    quality: f64,
    is_lossless: bool,
    is_progressive: bool,
    has_palette: bool,
    level: Option<u8>,
    colors: u16,
    is_dithered: bool,
}

impl Request {
    fn read(plan: &[f64]) -> Option<Request> {
        let [
            max_pixels,
            auto_orient,
            quarters,
            flip,
            flop,
            has_size,
            width,
            height,
            inside,
            without_enlargement,
            filter,
            brightness,
            saturation,
            wish,
            quality,
            is_lossless,
            is_progressive,
            has_palette,
            level,
            colors,
            is_dithered,
            has_crop,
            crop_left,
            crop_top,
            crop_width,
            crop_height,
            blur,
            is_animated,
        ] = *plan
        else {
            return None;
        };
        let is = |value: f64| value != 0.0;
        let size = is(has_size).then_some(Size {
            width: width as u32,
            height: height as u32,
            inside: is(inside),
            without_enlargement: is(without_enlargement),
            filter: *FILTERS.get(filter as usize)?,
        });
        let turn = [Turn::None, Turn::Quarter, Turn::Half, Turn::ThreeQuarters];
        Some(Request {
            plan: Plan {
                max_pixels: max_pixels as u64,
                auto_orient: is(auto_orient),
                turn: *turn.get(quarters as usize)?,
                flip: is(flip),
                flop: is(flop),
                crop: is(has_crop).then_some(Area {
                    left: crop_left as u32,
                    top: crop_top as u32,
                    width: crop_width as u32,
                    height: crop_height as u32,
                }),
                size,
                brightness: brightness as f32,
                saturation: saturation as f32,
                blur: blur as f32,
            },
            wish: match wish as u32 {
                0 => Wish::SourceFormat,
                1 => Wish::File(Format::Jpeg),
                2 => Wish::File(Format::Png),
                3 => Wish::File(Format::Webp),
                4 => Wish::File(Format::Heic),
                5 => Wish::File(Format::Avif),
                7 => Wish::File(Format::Gif),
                8 => Wish::File(Format::Tiff),
                _ => Wish::Placeholder,
            },
            is_animated: is(is_animated),
            quality,
            is_lossless: is(is_lossless),
            is_progressive: is(is_progressive),
            has_palette: is(has_palette),
            level: if level < 0.0 { None } else { Some(level as u8) },
            colors: colors as u16,
            is_dithered: is(is_dithered),
        })
    }

    fn output(&self, format: Format) -> Result<(Output, &'static str), Error> {
        Ok(match format {
            Format::Jpeg => {
                let quality = (self.quality as u8).max(1);
                (Output::Jpeg { quality, progressive: self.is_progressive }, "image/jpeg")
            }
            Format::Webp => (Output::Webp { quality: self.quality as f32, lossless: self.is_lossless }, "image/webp"),
            Format::Gif => (Output::Gif { colors: self.colors, dither: self.is_dithered }, "image/gif"),
            Format::Tiff => (Output::Tiff, "image/tiff"),
            Format::Avif => (Output::Avif { quality: (self.quality as u8).max(1) }, "image/avif"),
            Format::Png | Format::Bmp => (
                if self.has_palette {
                    Output::Indexed { level: self.level, colors: self.colors, dither: self.is_dithered }
                } else {
                    Output::Png { level: self.level }
                },
                "image/png",
            ),
            Format::Heic => return Err(Error::Unsupported),
        })
    }

    /// The format of the output for a source of this format.
    fn format(&self, source: Format) -> Option<Format> {
        match self.wish {
            Wish::Placeholder => None,
            Wish::File(format) => Some(format),
            // A GIF becomes a PNG, as in Bun, unless it is to stay an animation.
            Wish::SourceFormat if source == Format::Gif && !self.is_animated => Some(Format::Png),
            Wish::SourceFormat => Some(source),
        }
    }
}

/// File, type, width and height.
type Result4 = (Vec<u8>, &'static str, u32, u32);

fn run(bytes: &[u8], request: &Request) -> Result<Result4, Error> {
    if let Wish::File(format) = request.wish {
        // Known before anything is decoded.
        request.output(format)?;
    }
    if request.is_animated {
        let (animation, source) = picture::run_all(bytes, &request.plan)?;
        if let (Some(format), Some(frame)) = (request.format(source), animation.frames.first()) {
            let (output, kind) = request.output(format)?;
            let (width, height) = (frame.picture.width, frame.picture.height);
            return Ok((picture::encode_all(&animation, output)?, kind, width, height));
        }
    }
    let (picture, source) = picture::run(bytes, &request.plan)?;
    let (width, height) = (picture.width, picture.height);
    let Some(format) = request.format(source) else {
        return Ok((picture::placeholder(&picture)?, "image/png", width, height));
    };
    let (output, kind) = request.output(format)?;
    Ok((picture::encode(&picture, output)?, kind, width, height))
}

fn transform_now(bytes: &[u8], plan: &[f64]) -> Result<Result4, OpError> {
    let request = Request::read(plan).ok_or_else(|| OpError::type_error("not a plan of ext/image/pipeline.ts"))?;
    run(bytes, &request).map_err(failure)
}

/// Decodes, changes and encodes by a plan: the file, its type, width and height.
#[op(blocking)]
fn transform(bytes: PinnedBytes, plan: Vec<f64>) -> Result<(Vec<u8>, &'static str, u32, u32), OpError> {
    transform_now(bytes.as_slice(), &plan)
}

/// The same at once.
#[op]
fn transform_sync(bytes: &[u8], plan: Vec<f64>) -> Result<(Vec<u8>, &'static str, u32, u32), OpError> {
    transform_now(bytes, &plan)
}

ops!(pub fn family "image" { probe, timing, transform, transform_sync });
