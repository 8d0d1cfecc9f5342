//! Files that are nearly images: every decoder gets mutations of whole files, each from a seed, and must end with pixels or with an
//! error. `BAO_FUZZ_SECONDS` says how long each format is tried (without it: 400 files each), `BAO_FUZZ_FORMAT` names one of them,
//! `BAO_FUZZ_SEED` another seed. `BAO_FUZZ_KEEP` names a file that each input is written to before it is decoded: what it holds after a
//! crash is what crashed.

use picture::{
    Animation, Area, Error, Filter, Frame, Output, Picture, Plan, Size, Turn, decode, encode, encode_all, placeholder,
    probe, run, run_all, timing,
};

/// Pixels that the decoders may make: small, so that many files are tried, and a limit that is really met.
const MAX_PIXELS: u64 = 1 << 18;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

fn picture(width: u32, height: u32) -> Picture {
    let mut random = Random(u64::from(width) << 32 | u64::from(height) | 1);
    let pixels = (0..width * height)
        .flat_map(|at| {
            let noise = random.below(32) as u8;
            [(at % width * 7) as u8, (at / width * 5) as u8 ^ noise, noise * 8, if at % 11 == 0 { 100 } else { 255 }]
        })
        .collect();
    Picture { width, height, pixels, icc: None }
}

/// A GIF of two frames, the second one interlaced and smaller, with transparent pixels; codes are never compressed.
fn gif() -> Vec<u8> {
    let mut out = b"GIF89a\x10\0\x08\0\x91\0\0".to_vec();
    out.extend_from_slice(&[0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
    out.extend_from_slice(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0");
    for (left, top, width, height, flags) in [(0u8, 0u8, 16u8, 8u8, 0u8), (3, 1, 8, 6, 0x40)] {
        out.extend_from_slice(&[0x21, 0xf9, 4, 0b1001, 5, 0, 2, 0]);
        out.extend_from_slice(&[0x2c, left, 0, top, 0, width, 0, height, 0, flags, 2]);
        // Codes of three bits: a clear code before every second pixel keeps the width of codes.
        let mut bits: Vec<u8> = Vec::new();
        let (mut word, mut filled) = (0u32, 0);
        let mut put = |code: u32, bits: &mut Vec<u8>| {
            word |= code << filled;
            filled += 3;
            while filled >= 8 {
                bits.push(word as u8);
                word >>= 8;
                filled -= 8;
            }
        };
        for at in 0..u32::from(width) * u32::from(height) {
            if at % 2 == 0 {
                put(4, &mut bits);
            }
            put(at * 7 / 3 % 4, &mut bits);
        }
        for code in [5, 0, 0] {
            put(code, &mut bits);
        }
        for block in bits.chunks(255) {
            out.push(block.len() as u8);
            out.extend_from_slice(block);
        }
        out.push(0);
    }
    out.push(0x3b);
    out
}

/// A BMP with so many bits a pixel, from the top or from the bottom; with a palette up to 8 bits, and with masks above.
fn bmp(bits: u16, from_top: bool, compression: u32) -> Vec<u8> {
    let (width, height) = (13u32, 9u32);
    let colors = if bits <= 8 { 1u32 << bits } else { 0 };
    let masks: &[u32] = if compression == 3 { &[0xff_0000, 0xff00, 0xff] } else { &[] };
    let row = (width * u32::from(bits)).div_ceil(32) * 4;
    let start = 54 + colors * 4 + masks.len() as u32 * 4;
    let mut out = b"BM".to_vec();
    let height_field = if from_top { 0u32.wrapping_sub(height) } else { height };
    for value in [start + row * height, 0, start, 40, width, height_field] {
        out.extend_from_slice(&value.to_le_bytes());
    }
    out.extend_from_slice(&1u16.to_le_bytes());
    out.extend_from_slice(&bits.to_le_bytes());
    for value in [compression, row * height, 2835, 2835, colors, 0] {
        out.extend_from_slice(&value.to_le_bytes());
    }
    for mask in masks.iter().copied().chain((0..colors).map(|color| color.wrapping_mul(0x01_0203))) {
        out.extend_from_slice(&mask.to_le_bytes());
    }
    // Run lengths where the compression has them: pairs of a count and a colour, and the codes for ends of lines.
    match compression {
        1 | 2 => {
            for line in 0..height as u8 {
                out.extend_from_slice(&[6, line, 0, 4, 1, 2, 3, 4, 0, 2, 1, 0, 2, line, 0, 0]);
            }
            out.extend_from_slice(&[0, 1]);
        }
        _ => out.extend((0..row * height).map(|at| (at * 13) as u8)),
    }
    out
}

/// A TIFF of one sample a pixel, by bits, photometric interpretation (3: with a palette; 2: three samples) and byte order.
fn tiff(bits: u16, kind: u16, is_big: bool) -> Vec<u8> {
    let (width, height) = (11u16, 7u16);
    let samples = if kind == 2 { 3 } else { 1 };
    let row = (u32::from(width) * u32::from(bits) * samples).div_ceil(8);
    let two = |value: u16| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let four = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let colors = if kind == 3 { 1u32 << bits } else { 0 };
    let count = if kind == 3 { 10 } else { 9 };
    let map = 8 + 2 + count * 12 + 4;
    let data = map + colors * 6 + 6;
    let mut out = if is_big { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
    out.extend(four(8));
    out.extend(two(count as u16));
    let mut entry = |tag: u16, is_long: bool, many: u32, value: u32| {
        out.extend(two(tag));
        out.extend(two(if is_long { 4 } else { 3 }));
        out.extend(four(many));
        if is_long || many > 2 {
            out.extend(four(value));
        } else {
            out.extend(two(value as u16));
            out.extend([0, 0]);
        }
    };
    entry(256, false, 1, width.into());
    entry(257, false, 1, height.into());
    entry(258, false, samples, if samples == 3 { map + colors * 6 } else { bits.into() });
    entry(259, false, 1, 1);
    entry(262, false, 1, kind.into());
    entry(273, true, 1, data);
    entry(277, false, 1, samples);
    entry(278, false, 1, height.into());
    entry(279, true, 1, row * u32::from(height));
    if kind == 3 {
        entry(320, false, colors * 3, map);
    }
    out.extend([0; 4]);
    out.extend((0..colors * 3).flat_map(|at| two((at * 999) as u16)));
    out.extend([bits; 3].into_iter().flat_map(two));
    out.extend((0..row * u32::from(height)).map(|at| (at * 37) as u8));
    out
}

/// A TIFF of 20 times 16 pixels in tiles of 16 times 16: red, green, blue and a premultiplied alpha, each in a plane of its own or not.
fn tiled_tiff(is_planar: bool) -> Vec<u8> {
    let (tiles, size) = if is_planar { (8_u32, 256_u32) } else { (2, 1024) };
    let behind = 8 + 2 + 12 * 12 + 4;
    let (offsets, sizes) = (behind + 8, behind + 8 + tiles * 4);
    let data = sizes + tiles * 4;
    let mut out = b"II*\0\x08\0\0\0\x0c\0".to_vec();
    let planes = if is_planar { 2 } else { 1 };
    let entries = [
        (256, 4, 1, 20),
        (257, 4, 1, 16),
        (258, 3, 4, behind),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (277, 3, 1, 4),
        (284, 3, 1, planes),
        (322, 4, 1, 16),
        (323, 4, 1, 16),
        (324, 4, tiles, offsets),
        (325, 4, tiles, sizes),
        (338, 3, 1, 1),
    ];
    for (tag, kind, count, value) in entries {
        out.extend([tag as u8, (tag >> 8) as u8, kind, 0]);
        out.extend([count, value].into_iter().flat_map(u32::to_le_bytes));
    }
    out.extend([0; 4]);
    out.extend([8, 0].repeat(4));
    out.extend((0..tiles).flat_map(|at| (data + at * size).to_le_bytes()));
    out.extend((0..tiles).flat_map(|_| size.to_le_bytes()));
    out.extend((0..tiles * size).map(|at| (at * 37) as u8));
    out
}

/// AVIF files that libavif has written, with what the encoder here does not write: fewer samples of colour, more bits, turns.
fn foreign_avif() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/image/support");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of images")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "avif"))
        .collect();
    paths.sort();
    assert!(paths.len() > 8, "files in {folder}");
    paths.iter().map(|path| std::fs::read(path).expect("an image")).collect()
}

/// Whole files of each format.
fn seeds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let made = |width, height, output| encode(&picture(width, height), output).expect("a picture that can be encoded");
    let mut with_profile = picture(20, 12);
    with_profile.icc = Some((0..200).map(|at| at as u8).collect());
    let png = vec![
        made(33, 17, Output::Png { level: Some(1) }),
        made(17, 9, Output::Indexed { level: None, colors: 16, dither: true }),
        made(17, 9, Output::Indexed { level: None, colors: 2, dither: false }),
        encode(&with_profile, Output::Png { level: None }).expect("a picture with a profile"),
    ];
    let jpeg = vec![
        made(33, 17, Output::Jpeg { quality: 80, progressive: false }),
        made(40, 40, Output::Jpeg { quality: 30, progressive: true }),
        encode(&with_profile, Output::Jpeg { quality: 90, progressive: false }).expect("a picture with a profile"),
    ];
    let webp = vec![
        made(33, 17, Output::Webp { quality: 80.0, lossless: false }),
        made(33, 17, Output::Webp { quality: 80.0, lossless: true }),
        encode(&with_profile, Output::Webp { quality: 50.0, lossless: false }).expect("a picture with a profile"),
    ];
    let bmp = vec![
        bmp(1, false, 0),
        bmp(4, true, 0),
        bmp(8, false, 0),
        bmp(8, false, 1),
        bmp(4, false, 2),
        bmp(16, false, 0),
        bmp(24, true, 0),
        bmp(32, false, 0),
        bmp(32, false, 3),
    ];
    let frames = [1, 5, 9].map(|at| Frame { picture: picture(24 + at % 2, 20), delay: 40 * at });
    let moving = Animation { frames: frames.to_vec(), loops: 3 };
    let all = |output| encode_all(&moving, output).expect("an animation that can be encoded");
    let webp = [
        webp,
        vec![all(Output::Webp { quality: 60.0, lossless: false }), all(Output::Webp { quality: 60.0, lossless: true })],
    ]
    .concat();
    let gif = vec![gif(), all(Output::Gif { colors: 32, dither: true })];
    let tiff = vec![
        made(33, 17, Output::Tiff),
        encode(&with_profile, Output::Tiff).expect("a picture with a profile"),
        tiff(1, 1, false),
        tiff(4, 3, true),
        tiff(8, 2, false),
        tiff(8, 0, true),
        tiff(16, 1, true),
        tiled_tiff(false),
        tiled_tiff(true),
    ];
    let mut avif = foreign_avif();
    avif.push(made(33, 17, Output::Avif { quality: 50 }));
    avif.push(encode(&with_profile, Output::Avif { quality: 90 }).expect("a picture with a profile"));
    vec![("png", png), ("jpeg", jpeg), ("webp", webp), ("gif", gif), ("bmp", bmp), ("tiff", tiff), ("avif", avif)]
}

/// The checksum of a PNG's chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// Makes the checksums of a PNG right, so that what is behind them is read.
fn mend_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4).map(|length| u32::from_be_bytes(length.try_into().unwrap())) {
        let end = at.saturating_add(8).saturating_add(length as usize);
        if bytes.get(end..end.saturating_add(4)).is_none() {
            break;
        }
        let sum = crc(&bytes[at + 4..end]);
        bytes[end..end + 4].copy_from_slice(&sum.to_be_bytes());
        at = end + 4;
    }
}

fn mutate(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..1 + random.below(5) {
        if bytes.is_empty() {
            break;
        }
        // Headers are where sizes lie: half of what changes is there.
        let at = if random.below(2) == 0 { random.below(bytes.len().min(64)) } else { random.below(bytes.len()) };
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][random.below(6)],
            2 => bytes[at] = random.below(256) as u8,
            3 => bytes[at] ^= 1 << random.below(8),
            4 => {
                let length = random.below(48).min(bytes.len() - at);
                let copied = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            5 => {
                let end = (at + random.below(24)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let value = [0u32, 1, 2, 7, 255, 256, 65_535, 65_536, 1 << 24, i32::MAX as u32, 1 << 31, u32::MAX]
                    [random.below(12)];
                let value = if random.below(2) == 0 { value.to_le_bytes() } else { value.to_be_bytes() };
                let width = [1, 2, 4][random.below(3)];
                for (place, byte) in bytes[at..].iter_mut().zip(&value[..width]) {
                    *place = *byte;
                }
            }
        }
    }
    bytes
}

/// Decodes and, of what could be decoded, does all that a program can ask for.
fn use_up(bytes: &[u8], random: &mut Random) -> Result<(), Error> {
    // What the header says and what the decoder finds may differ; both must end.
    let _ = probe(bytes);
    let _ = timing(bytes, true);
    let (picture, _) = decode(bytes, MAX_PIXELS, random.below(2) == 0)?;
    assert_eq!(
        picture.pixels.len() as u64,
        u64::from(picture.width) * u64::from(picture.height) * 4,
        "pixels of a picture"
    );
    if random.below(8) != 0 {
        return Ok(());
    }
    let filters = [Filter::Nearest, Filter::Lanczos3];
    let plan = Plan {
        max_pixels: MAX_PIXELS,
        auto_orient: true,
        turn: Turn::Quarter,
        flip: true,
        flop: true,
        size: Some(Size {
            width: 1 + random.below(64) as u32,
            height: random.below(64) as u32,
            inside: random.below(2) == 0,
            without_enlargement: false,
            filter: filters[random.below(2)],
        }),
        crop: (random.below(3) == 0).then(|| Area {
            left: 1,
            top: 1,
            width: 1 + random.below(8) as u32,
            height: 1 + random.below(8) as u32,
        }),
        brightness: 1.2,
        saturation: 0.5,
        blur: [0.0, 0.7, 9.0][random.below(3)],
    };
    let (animation, _) = run_all(bytes, &plan)?;
    let gif =
        encode_all(&animation, Output::Gif { colors: 2 + random.below(255) as u16, dither: random.below(2) == 0 })?;
    let frames = |bytes: &[u8]| timing(bytes, true).map(|(timing, _)| timing.delays.len());
    assert_eq!(frames(&gif)?, animation.frames.len(), "frames of a GIF");
    let webp = encode_all(&animation, Output::Webp { quality: 50.0, lossless: random.below(2) == 0 })?;
    run_all(&webp, &Plan { crop: None, ..plan })?;
    let (picture, _) = run(bytes, &plan)?;
    let output = match random.below(8) {
        0 => Output::Jpeg { quality: 50, progressive: random.below(2) == 0 },
        1 => Output::Png { level: Some(1) },
        2 => Output::Indexed { level: Some(1), colors: 8, dither: true },
        3 => Output::Webp { quality: 50.0, lossless: random.below(2) == 0 },
        4 => Output::Tiff,
        5 => Output::Gif { colors: 256, dither: false },
        6 => Output::Avif { quality: 1 + random.below(100) as u8 },
        _ => return placeholder(&picture).map(drop),
    };
    let again = encode(&picture, output)?;
    decode(&again, MAX_PIXELS, true).map(drop)
}

#[test]
fn mutations_end() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seconds, only, keep) =
        (number("BAO_FUZZ_SECONDS"), std::env::var("BAO_FUZZ_FORMAT").ok(), std::env::var_os("BAO_FUZZ_KEEP"));
    for (format, files) in seeds() {
        if only.as_deref().is_some_and(|only| only != format) {
            continue;
        }
        for file in &files {
            decode(file, MAX_PIXELS, true)
                .unwrap_or_else(|error| panic!("a whole {format} file of {} bytes: {error:?}", file.len()));
        }
        let mut random = Random(number("BAO_FUZZ_SEED").unwrap_or(0x2545_F491_4F6C_DD1D) | 1);
        let start = std::time::Instant::now();
        let (mut tried, mut decoded) = (0u64, 0u64);
        while seconds.map_or(tried < 400, |seconds| start.elapsed().as_secs() < seconds) {
            tried += 1;
            let mut bytes = mutate(&files[random.below(files.len())], &mut random);
            if format == "png" && random.below(4) != 0 {
                mend_checksums(&mut bytes);
            }
            if let Some(keep) = &keep {
                std::fs::write(keep, &bytes).expect("BAO_FUZZ_KEEP is a file");
            }
            decoded += u64::from(use_up(&bytes, &mut random).is_ok());
        }
        assert!(decoded > 0 && decoded < tried, "{format}: {decoded} of {tried} files were images");
        eprintln!("{format}: {tried} files in {:.0} s, {decoded} were images", start.elapsed().as_secs_f64());
    }
}

/// What the fuzzer has found, mended: a palette of six colours and two thirds.
#[test]
fn a_palette_that_is_cut_off_is_refused() {
    let mut png = encode(&picture(9, 9), Output::Indexed { level: None, colors: 6, dither: false }).expect("a picture");
    let at = png.windows(4).position(|name| name == b"PLTE").expect("a palette");
    let length = u32::from_be_bytes(png[at - 4..at].try_into().unwrap());
    png[at - 4..at].copy_from_slice(&(length - 1).to_be_bytes());
    png.remove(at + 4 + length as usize - 1);
    mend_checksums(&mut png);
    assert_eq!(decode(&png, MAX_PIXELS, true).err(), Some(Error::Decode));
}
