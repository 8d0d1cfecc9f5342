//! The container of an AVIF file with one image, and its alpha if it has one (https://aomediacodec.github.io/av1-avif/).

use super::encoder::Stream;

/// The numbers of the image and of its alpha.
const COLORS: u16 = 1;
const ALPHA: u16 = 2;

/// A box of a type with contents.
fn packed(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend((length as u32).to_be_bytes());
    out.extend(kind);
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out
}

/// The same with a version and flags before the contents.
fn full(kind: &[u8; 4], version: u8, parts: &[&[u8]]) -> Vec<u8> {
    let head = [version, 0, 0, 0];
    packed(kind, &[&[&head[..]], parts].concat())
}

fn two(number: u16) -> [u8; 2] {
    number.to_be_bytes()
}

fn four(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

/// What a decoder has to be able to do.
fn configuration(stream: &Stream) -> Vec<u8> {
    // Without alpha's colours there are no samples of them, which counts as one for four.
    let layout = if stream.is_gray { 0b0001_1100 } else { 0 };
    packed(b"av1C", &[&[0x81, stream.profile << 5 | stream.level, layout, 0]])
}

/// The name of a kind of item.
fn entry(id: u16, name: &[u8]) -> Vec<u8> {
    full(b"infe", 2, &[&two(id), &two(0), b"av01", name, &[0]])
}

/// The properties of an item, by their numbers; those with the highest bit have to be known.
fn association(id: u16, properties: &[u8]) -> Vec<u8> {
    [&two(id)[..], &[properties.len() as u8], properties].concat()
}

/// A file of an image of this size in sRGB or in a colour profile's space.
pub(super) fn container(
    width: u32,
    height: u32,
    colors: &Stream,
    alpha: Option<&Stream>,
    icc: Option<&[u8]>,
) -> Vec<u8> {
    const ESSENTIAL: u8 = 0x80;
    // BT.709's primaries, sRGB's curve, BT.601's matrix, full range.
    let mut properties = vec![
        full(b"ispe", 0, &[&four(width), &four(height)]),
        full(b"pixi", 0, &[&[3, 8, 8, 8]]),
        configuration(colors),
        packed(b"colr", &[b"nclx", &two(1), &two(13), &two(6), &[0x80]]),
    ];
    let mut of_colors = vec![1, 2, 3 | ESSENTIAL, 4];
    if let Some(icc) = icc {
        properties.push(packed(b"colr", &[b"prof", icc]));
        of_colors.push(5);
    }
    let mut associations = vec![association(COLORS, &of_colors)];
    let mut items = vec![entry(COLORS, b"Color")];
    let mut references = Vec::new();
    if let Some(alpha) = alpha {
        let first = properties.len() as u8 + 1;
        properties.push(full(b"pixi", 0, &[&[1, 8]]));
        properties.push(configuration(alpha));
        properties.push(full(b"auxC", 0, &[b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"]));
        associations.push(association(ALPHA, &[1, first, (first + 1) | ESSENTIAL, first + 2]));
        items.push(entry(ALPHA, b"Alpha"));
        references = full(b"iref", 0, &[&packed(b"auxl", &[&two(ALPHA), &two(1), &two(COLORS)])]);
    }
    let count = items.len() as u16;
    let lengths: Vec<u32> =
        [Some(colors), alpha].into_iter().flatten().map(|stream| stream.bytes.len() as u32).collect();
    let kind =
        packed(b"ftyp", &[b"avif", &four(0), b"avifmif1miaf", if colors.profile == 1 { b"MA1A" } else { b"MA1B" }]);
    let meta = |start: u32| {
        let mut locations = [&[0x44, 0][..], &two(count)].concat();
        let mut at = start;
        for (id, length) in (COLORS..).zip(&lengths) {
            locations.extend([&two(id)[..], &two(0), &two(1), &four(at), &four(*length)].concat());
            at += length;
        }
        let properties = packed(
            b"iprp",
            &[
                &packed(b"ipco", &[&properties.concat()]),
                &full(b"ipma", 0, &[&four(u32::from(count)), &associations.concat()]),
            ],
        );
        full(
            b"meta",
            0,
            &[
                &full(b"hdlr", 0, &[&[0; 4], b"pict", &[0; 13]]),
                &full(b"pitm", 0, &[&two(COLORS)]),
                &full(b"iloc", 0, &[&locations]),
                &full(b"iinf", 0, &[&two(count), &items.concat()]),
                &references,
                &properties,
            ],
        )
    };
    // The size of the box does not depend on what it says.
    let start = (kind.len() + meta(0).len() + 8) as u32;
    let data: Vec<&[u8]> = [Some(colors), alpha].into_iter().flatten().map(|stream| &stream.bytes[..]).collect();
    [kind, meta(start), packed(b"mdat", &data)].concat()
}

#[cfg(test)]
mod tests {
    use super::super::{decode, encoder, header};
    use super::*;
    use crate::Error;

    /// A file of two tiles beside each other, the second of which is cut off, or of the first alone; `columns` is what the grid says.
    fn grid(columns: u8, whole: (u16, u16)) -> Vec<u8> {
        let tile = |light: u8| encoder::encode(64, 64, &[vec![light; 64 * 64]], 20).expect("a tile");
        let (left, right) = (tile(40), tile(200));
        let form = [&[0, 0, 0, columns - 1][..], &two(whole.0), &two(whole.1)].concat();
        let properties = [
            full(b"ispe", 0, &[&four(whole.0.into()), &four(whole.1.into())]),
            full(b"ispe", 0, &[&four(64), &four(64)]),
            configuration(&left),
            packed(b"irot", &[&[1]]),
        ];
        let associations = [association(1, &[1, 0x84]), association(2, &[2, 0x83]), association(3, &[2, 0x83])];
        let kind = packed(b"ftyp", &[b"avif", &four(0), b"avifmif1"]);
        let lengths = [left.bytes.len() as u32, right.bytes.len() as u32];
        let (tiles, third) = (u16::from(columns).min(2), two(3));
        let meta = |start: u32| {
            let locations = [
                &[0x44, 0][..],
                &two(3),
                // The grid lies in the box of small data.
                &[&two(1)[..], &two(1), &two(0), &two(1), &four(0), &four(8)].concat(),
                &[&two(2)[..], &two(0), &two(0), &two(1), &four(start), &four(lengths[0])].concat(),
                &[&two(3)[..], &two(0), &two(0), &two(1), &four(start + lengths[0]), &four(lengths[1])].concat(),
            ]
            .concat();
            let first = full(b"infe", 2, &[&two(1), &two(0), b"grid\0"]);
            full(
                b"meta",
                0,
                &[
                    &full(b"pitm", 0, &[&two(1)]),
                    &full(b"iloc", 1, &[&locations]),
                    &full(b"iinf", 0, &[&two(3), &first, &entry(2, b""), &entry(3, b"")]),
                    &full(
                        b"iref",
                        0,
                        &[&packed(
                            b"dimg",
                            &[&two(1), &two(tiles), &two(2), if tiles == 2 { &third[..] } else { &[] }],
                        )],
                    ),
                    &packed(
                        b"iprp",
                        &[
                            &packed(b"ipco", &[&properties.concat()]),
                            &full(b"ipma", 0, &[&four(3), &associations.concat()]),
                        ],
                    ),
                    &packed(b"idat", &[&form]),
                ],
            )
        };
        let start = (kind.len() + meta(0).len() + 8) as u32;
        [kind, meta(start), packed(b"mdat", &[&left.bytes, &right.bytes])].concat()
    }

    #[test]
    fn a_grid_is_put_together_cut_off_and_turned() {
        let file = grid(2, (100, 60));
        assert_eq!(header(&file), Ok((100, 60, 8)));
        let picture = decode(&file, 10_000, true).expect("a picture");
        assert_eq!((picture.width, picture.height), (60, 100));
        let at = |x: usize, y: usize| picture.pixels[(y * 60 + x) * 4];
        // Turned against the clock: the right tile is on top, 36 of its pixels high.
        assert!(at(5, 0).abs_diff(200) < 4 && at(59, 34).abs_diff(200) < 4, "{} {}", at(5, 0), at(59, 34));
        assert!(at(5, 37).abs_diff(40) < 4 && at(59, 99).abs_diff(40) < 4, "{} {}", at(5, 37), at(59, 99));
    }

    #[test]
    fn grids_that_lie_are_refused() {
        // More columns than tiles, an image that is wider than its tiles, one that has no part of the second.
        for (columns, whole) in [(3, (100, 60)), (2, (129, 60)), (2, (64, 60)), (1, (65, 60))] {
            assert_eq!(decode(&grid(columns, whole), 100_000, true).err(), Some(Error::Decode), "{columns} {whole:?}");
        }
        assert_eq!(decode(&grid(2, (100, 60)), 5_999, true).err(), Some(Error::TooManyPixels));
        // The image is small enough, the tile that it is cut out of is not.
        assert_eq!(
            decode(&grid(1, (60, 60)), 64 * 64, true).map(|picture| (picture.width, picture.height)),
            Ok((60, 60))
        );
        assert_eq!(decode(&grid(1, (60, 60)), 64 * 64 - 1, true).err(), Some(Error::TooManyPixels));
    }
}
