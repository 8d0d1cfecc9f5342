//! JPEG: what is decoded at a part of its size is what would be made of the whole, in each orientation; inks become light; damage and
//! impossible sizes end with an error.

use mozjpeg::{ColorSpace, Compress};
use picture::{Error, Filter, Output, Picture, Plan, Size, Turn, decode, encode, run};

fn picture(width: u32, height: u32) -> Picture {
    let pixels = (0..width * height)
        .flat_map(|at| [(at % width * 255 / width) as u8, (at / width * 255 / height) as u8, 90, 255])
        .collect();
    Picture { width, height, pixels, icc: None }
}

fn plan(width: u32, height: u32) -> Plan {
    Plan {
        max_pixels: 1 << 24,
        auto_orient: true,
        turn: Turn::None,
        flip: false,
        flop: false,
        size: Some(Size { width, height, inside: false, without_enlargement: false, filter: Filter::Lanczos3 }),
        crop: None,
        brightness: 1.0,
        saturation: 1.0,
        blur: 0.0,
    }
}

/// A JPEG with an EXIF orientation.
fn oriented(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let exif = [&b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[orientation], &[0; 6]].concat();
    let length = (exif.len() as u16 + 2).to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length[..], &exif, &jpeg[2..]].concat()
}

/// The mean difference of two pictures of one size.
fn difference(one: &Picture, other: &Picture) -> f64 {
    assert_eq!((one.width, one.height), (other.width, other.height));
    let sum: u64 = one.pixels.iter().zip(&other.pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / one.pixels.len() as f64
}

#[test]
fn a_part_of_the_size_is_the_whole_made_smaller() {
    let jpeg = encode(&picture(203, 101), Output::Jpeg { quality: 95, progressive: false }).unwrap();
    for orientation in 1..=8 {
        let file = oriented(&jpeg, orientation);
        for turn in [Turn::None, Turn::Quarter, Turn::Half, Turn::ThreeQuarters] {
            for (width, height) in
                [(25, 13), (13, 25), (20, 0), (101, 101), (60, 30), (202, 100), (203, 101), (300, 200)]
            {
                let plan = Plan { turn, ..plan(width, height) };
                let (part, _) = run(&file, &plan).unwrap();
                // As PNG it can only be decoded whole.
                let (whole, _) = decode(&file, plan.max_pixels, true).unwrap();
                let png = encode(&whole, Output::Png { level: Some(1) }).unwrap();
                let (wanted, _) = run(&png, &plan).unwrap();
                let difference = difference(&part, &wanted);
                assert!(difference < 3.0, "{orientation} {turn:?} {width}x{height}: {difference}");
            }
        }
    }
}

#[test]
fn limits_are_those_of_the_whole() {
    let jpeg = encode(&picture(203, 101), Output::Jpeg { quality: 80, progressive: true }).unwrap();
    assert_eq!(run(&jpeg, &Plan { max_pixels: 203 * 101 - 1, ..plan(10, 10) }).err(), Some(Error::TooManyPixels));
    let no_larger = Size { without_enlargement: true, ..plan(400, 0).size.unwrap() };
    let (kept, _) = run(&jpeg, &Plan { size: Some(no_larger), ..plan(1, 1) }).unwrap();
    assert_eq!((kept.width, kept.height), (203, 101));
}

#[test]
fn inks_become_light() {
    let mut encoder = Compress::new(ColorSpace::JCS_CMYK);
    encoder.set_size(16, 8);
    encoder.set_quality(100.0);
    let mut started = encoder.start_compress(Vec::new()).unwrap();
    // Adobe's inverse: no ink is 255.
    started.write_scanlines(&[255, 0, 128, 255].repeat(16 * 8)).unwrap();
    let jpeg = started.finish().unwrap();
    let (picture, _) = decode(&jpeg, 1 << 20, true).unwrap();
    let [red, green, blue, alpha] = picture.pixels[..4] else { panic!("four bytes a pixel") };
    assert!(red > 250 && green < 5 && blue.abs_diff(128) < 5 && alpha == 255, "{red} {green} {blue} {alpha}");
}

#[test]
fn profiles_of_several_segments_come_back() {
    let profile: Vec<u8> = (0..150_000u32).map(|at| (at * 7) as u8).collect();
    let with = Picture { icc: Some(profile.clone()), ..picture(8, 8) };
    let jpeg = encode(&with, Output::Jpeg { quality: 80, progressive: false }).unwrap();
    assert_eq!(decode(&jpeg, 1 << 20, true).unwrap().0.icc, Some(profile));
}

#[test]
fn what_is_no_jpeg_and_what_none_can_hold_are_errors() {
    let jpeg = encode(&picture(40, 40), Output::Jpeg { quality: 80, progressive: false }).unwrap();
    assert_eq!(decode(&jpeg[..20], 1 << 20, true).err(), Some(Error::Decode));
    let long = Picture { width: 70_000, height: 1, pixels: vec![0; 280_000], icc: None };
    assert_eq!(encode(&long, Output::Jpeg { quality: 80, progressive: false }).err(), Some(Error::Encode));
    // Each of its scans goes over the whole image.
    let scan = jpeg.windows(2).position(|marker| marker == [0xff, 0xda]).unwrap();
    let bomb = [&jpeg[..scan], &jpeg[scan..scan + 14].repeat(600), &jpeg[scan..]].concat();
    assert_eq!(decode(&bomb, 1 << 20, true).err(), Some(Error::Decode));
}
