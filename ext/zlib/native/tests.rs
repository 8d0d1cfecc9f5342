use crate::codec::{Codec, Failure, run_all, run_pieces};
use crate::deflate::{Mode, Settings, Zlib};
use crate::{brotli, one_shot, zstd};

const PAIRS: [(Mode, Mode); 3] =
    [(Mode::Gzip, Mode::Gunzip), (Mode::Deflate, Mode::Inflate), (Mode::DeflateRaw, Mode::InflateRaw)];

fn text(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i / 7 % 61) as u8 + b' ').collect()
}

fn zlib(mode: Mode) -> Zlib {
    zlib_with(mode, false, b"")
}

fn zlib_with(mode: Mode, one_member: bool, dictionary: &[u8]) -> Zlib {
    let settings = Settings { window_bits: 15, level: 6, mem_level: 8, strategy: 0, one_member };
    Zlib::new(mode, settings, dictionary.to_vec())
}

fn all(codec: &mut dyn Codec, finish: u8, input: &[u8]) -> Result<Vec<u8>, Failure> {
    run_all(codec, finish, input, usize::MAX).map(|(out, taken)| {
        assert_eq!(taken, input.len());
        out
    })
}

/// Small steps of input and output.
fn slowly(codec: &mut dyn Codec, finish: u8, input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, piece) in input.chunks(7).enumerate() {
        let flush = if (index + 1) * 7 >= input.len() { finish } else { 0 };
        let mut at = 0;
        loop {
            let (bytes, taken) = run_pieces(codec, flush, &piece[at..], 5, 2, &mut None).unwrap();
            at += taken;
            let full = !bytes.is_empty() && bytes.len() % 5 == 0;
            out.extend(bytes);
            if !full {
                break;
            }
        }
    }
    out
}

/// The size of the output is known for gzip; otherwise it may be more than the guess.
fn check_whole(mode: Mode, packed: &[u8], data: &[u8]) {
    match one_shot::decompress(mode, packed, usize::MAX) {
        Some(out) => assert_eq!(out, data),
        None => assert!(mode != Mode::Gunzip && data.len() > packed.len() * 12),
    }
}

#[test]
fn wholes_and_streams_agree() {
    for length in [0, 1, 100, 5000, 300_000] {
        let data = text(length);
        for (compress, decompress) in PAIRS {
            for level in [-1, 0, 1, 6, 9] {
                let packed = one_shot::compress(compress, level, false, &data).unwrap();
                assert_eq!(all(&mut zlib(decompress), 4, &packed).unwrap(), data);
                check_whole(decompress, &packed, &data);
            }
            let packed = one_shot::compress(compress, 12, true, &data).unwrap();
            check_whole(decompress, &packed, &data);
        }
    }
}

#[test]
fn small_steps() {
    let data = text(2000);
    for (compress, decompress) in PAIRS {
        let packed = slowly(&mut zlib(compress), 4, &data);
        assert_eq!(slowly(&mut zlib(decompress), 4, &packed), data);
    }
    let packed = slowly(&mut zlib(Mode::Gzip), 4, &data);
    assert_eq!(slowly(&mut zlib(Mode::Unzip), 4, &packed), data);
    let packed = slowly(&mut brotli::Encoder::new(vec![(1, 5)], vec![]).unwrap(), 2, &data);
    assert_eq!(slowly(&mut brotli::Decoder::new(vec![], vec![]).unwrap(), 2, &packed), data);
    let packed = slowly(&mut zstd::Encoder::new(vec![(100, 3)], None, vec![]).unwrap(), 2, &data);
    assert_eq!(slowly(&mut zstd::Decoder::new(vec![], vec![]).unwrap(), 2, &packed), data);
}

#[test]
fn members_and_frames() {
    let data = text(5000);
    let packed = one_shot::compress(Mode::Gzip, 6, false, &data).unwrap();
    let double = [&packed[..], &packed[..]].concat();
    assert!(one_shot::decompress(Mode::Gunzip, &double, usize::MAX).is_none());
    assert_eq!(all(&mut zlib(Mode::Gunzip), 4, &double).unwrap(), [&data[..], &data[..]].concat());
    let (out, taken) = run_all(&mut zlib_with(Mode::Gunzip, true, b""), 4, &double, usize::MAX).unwrap();
    assert_eq!((out, taken), (data.clone(), packed.len()));

    let frame = all(&mut zstd::Encoder::new(vec![], None, vec![]).unwrap(), 2, &data).unwrap();
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, b'x'];
    let three = [&frame[..], &skippable, &frame[..]].concat();
    let mut decoder = zstd::Decoder::new(vec![], vec![]).unwrap();
    assert_eq!(all(&mut decoder, 2, &three).unwrap().len(), 10_000);
    let junk = [&frame[..], b"junk"].concat();
    decoder.reset().unwrap();
    assert_eq!(run_all(&mut decoder, 2, &junk, usize::MAX).unwrap().1, frame.len());
}

#[test]
fn failures() {
    let code = |result: Result<Vec<u8>, Failure>| result.unwrap_err().code.into_owned();
    assert_eq!(code(all(&mut zlib(Mode::Gunzip), 4, b"junk")), "Z_DATA_ERROR");
    assert_eq!(code(all(&mut zlib(Mode::Gunzip), 4, b"")), "Z_BUF_ERROR");
    assert_eq!(code(all(&mut brotli::Decoder::new(vec![], vec![]).unwrap(), 2, b"")), "Z_BUF_ERROR");
    let mut decoder = zstd::Decoder::new(vec![], vec![]).unwrap();
    assert_eq!(code(all(&mut decoder, 2, b"junkjunk")), "ZSTD_error_prefix_unknown");
    let frame = all(&mut zstd::Encoder::new(vec![], None, vec![]).unwrap(), 2, &text(1000)).unwrap();
    let mut decoder = zstd::Decoder::new(vec![], vec![]).unwrap();
    assert_eq!(code(all(&mut decoder, 2, &frame[..frame.len() - 1])), "Z_BUF_ERROR");
    let mut encoder = zstd::Encoder::new(vec![], Some(3), vec![]).unwrap();
    assert_eq!(code(all(&mut encoder, 2, b"four")), "ZSTD_error_srcSize_wrong");
    assert!(zstd::Encoder::new(vec![(107, 130)], None, vec![]).is_err());
    assert!(brotli::Encoder::new(vec![(4, 42)], vec![]).is_err());

    // What came before a failure comes out before it does.
    let mut packed = all(&mut zlib(Mode::Deflate), 4, &text(5000)).unwrap();
    let last = packed.len() - 1;
    packed[last] ^= 1;
    let mut codec = zlib(Mode::Inflate);
    let mut pending = None;
    let (out, taken) = run_pieces(&mut codec, 4, &packed, 1000, 10, &mut pending).unwrap();
    assert_eq!(out, &text(5000)[..out.len()]);
    assert!(out.len() % 1000 == 0 && pending.is_some());
    assert!(run_pieces(&mut codec, 4, &packed[taken..], 1000, 10, &mut pending).is_err());
}

#[test]
fn dictionaries() {
    let (data, dictionary) = (b"hello hello world", b"hello world");
    for (compress, decompress) in [(Mode::Deflate, Mode::Inflate), (Mode::DeflateRaw, Mode::InflateRaw)] {
        let packed = all(&mut zlib_with(compress, false, dictionary), 4, data).unwrap();
        let mut codec = zlib_with(decompress, false, dictionary);
        assert_eq!(all(&mut codec, 4, &packed).unwrap(), data);
        codec.reset().unwrap();
        assert_eq!(all(&mut codec, 4, &packed).unwrap(), data);
        assert!(all(&mut zlib_with(decompress, false, b"other"), 4, &packed).is_err());
    }
}

#[test]
fn params_change_in_the_middle() {
    let mut codec = zlib(Mode::Deflate);
    codec.set_params(9, 0).unwrap();
    let mut packed = run_all(&mut codec, 2, &text(3000), usize::MAX).unwrap().0;
    codec.set_params(0, 0).unwrap();
    packed.extend(all(&mut codec, 4, &text(3000)).unwrap());
    assert!(packed.len() > 3000);
    assert_eq!(all(&mut zlib(Mode::Inflate), 4, &packed).unwrap(), [text(3000), text(3000)].concat());
}

#[test]
fn crc() {
    assert_eq!(one_shot::crc32(b"123456789", 0), 0xcbf4_3926);
    assert_eq!(one_shot::crc32(b"6789", one_shot::crc32(b"12345", 0)), 0xcbf4_3926);
}
