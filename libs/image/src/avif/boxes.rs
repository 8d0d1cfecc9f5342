//! The container of an AVIF file: where its pictures lie and what is said about them (ISO/IEC 14496-12 and 23008-12, and
//! https://aomediacodec.github.io/av1-avif/). Nothing is decoded here. Lists are read as far as the bytes go, so that a number in a
//! header alone costs nothing.

use std::collections::HashMap;

use crate::{Area, Error};

/// The shortest side of a tile of a grid, by MIAF. It bounds how many there are.
const MIN_TILE_SIDE: u32 = 64;

/// Bytes that are read from the front.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// An unsigned number of up to eight bytes, big-endian; 0 of no bytes.
    fn number(&mut self, length: usize) -> Option<u64> {
        Some(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn u8(&mut self) -> Option<u8> {
        self.number(1).map(|number| number as u8)
    }

    fn u16(&mut self) -> Option<u16> {
        self.number(2).map(|number| number as u16)
    }

    fn u32(&mut self) -> Option<u32> {
        self.number(4).map(|number| number as u32)
    }

    /// The identifier of an item, or a count, in two bytes or four.
    fn id(&mut self, is_long: bool) -> Option<u32> {
        if is_long { self.u32() } else { self.u16().map(u32::from) }
    }

    /// Version and flags of a full box.
    fn version(&mut self) -> Option<(u8, u32)> {
        self.u32().map(|word| ((word >> 24) as u8, word & 0xff_ffff))
    }

    /// The next box: its type and what is in it.
    fn next_box(&mut self) -> Option<([u8; 4], Reader<'a>)> {
        let whole = self.0;
        let length = self.u32()?;
        let kind = self.take(4)?.try_into().ok()?;
        let length = match length {
            0 => whole.len() as u64,
            1 => self.number(8)?,
            length => length.into(),
        };
        let header = (whole.len() - self.0.len()) as u64;
        let body = self.take(usize::try_from(length.checked_sub(header)?).ok()?)?;
        Some((kind, Reader(body)))
    }

    /// The boxes that follow each other up to the end, or to what is none.
    fn boxes(mut self) -> impl Iterator<Item = ([u8; 4], Reader<'a>)> {
        std::iter::from_fn(move || self.next_box())
    }
}

/// How samples are to be read as colours; the numbers are those of ITU-T H.273.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColorSpace {
    pub(super) primaries: u16,
    pub(super) matrix: u16,
    pub(super) is_full_range: bool,
}

/// Samples of one kind (colours or alpha): one bitstream, or tiles row by row.
pub(super) struct Layer {
    /// The bitstreams. There are `columns` in a row.
    pub(super) tiles: Vec<Vec<u8>>,
    pub(super) columns: u32,
    /// The size of each tile.
    pub(super) tile: (u32, u32),
    /// Which of the operating points of a scalable bitstream is meant.
    pub(super) operating_point: u8,
}

/// What a file holds, without its samples.
pub(super) struct Description {
    pub(super) width: u32,
    pub(super) height: u32,
    /// What is shown of that, before it is turned.
    pub(super) crop: Option<Area>,
    /// How it is to be turned, as a number of EXIF.
    pub(super) orientation: u8,
    pub(super) color_space: Option<ColorSpace>,
    pub(super) icc: Option<Vec<u8>>,
    /// Colours are multiplied by the alpha.
    pub(super) is_premultiplied: bool,
}

/// Pieces of the file or of its `idat` box, which make up an item together.
struct Location {
    is_in_idat: bool,
    /// Offset and length; 0 is all that follows.
    extents: Vec<(u64, u64)>,
}

/// What the `meta` box says.
#[derive(Default)]
struct Meta<'a> {
    primary: u32,
    kinds: HashMap<u32, [u8; 4]>,
    locations: HashMap<u32, Location>,
    /// Type, from, to.
    references: Vec<([u8; 4], u32, Vec<u32>)>,
    properties: Vec<([u8; 4], Reader<'a>)>,
    /// Numbers of properties, from 1, and whether a reader has to know them; at most 255 of an item.
    associations: HashMap<u32, Vec<(usize, bool)>>,
    idat: &'a [u8],
}

impl<'a> Meta<'a> {
    fn read(mut body: Reader<'a>) -> Option<Meta<'a>> {
        body.version()?;
        let mut meta = Meta::default();
        for (kind, mut body) in body.boxes() {
            match &kind {
                b"pitm" => {
                    let (version, _) = body.version()?;
                    meta.primary = body.id(version > 0)?;
                }
                b"iinf" => meta.read_kinds(body)?,
                b"iloc" => meta.read_locations(body)?,
                b"iref" => meta.read_references(body)?,
                b"iprp" => {
                    for (kind, body) in body.boxes() {
                        match &kind {
                            b"ipco" => meta.properties.extend(body.boxes()),
                            b"ipma" => meta.read_associations(body)?,
                            _ => {}
                        }
                    }
                }
                b"idat" => meta.idat = body.0,
                _ => {}
            }
        }
        Some(meta)
    }

    fn read_kinds(&mut self, mut body: Reader<'a>) -> Option<()> {
        let (version, _) = body.version()?;
        body.id(version > 0)?;
        for (kind, mut body) in body.boxes() {
            let (version, _) = body.version()?;
            if kind == *b"infe" && version >= 2 {
                let id = body.id(version > 2)?;
                body.u16()?;
                self.kinds.entry(id).or_insert(body.take(4)?.try_into().ok()?);
            }
        }
        Some(())
    }

    fn read_locations(&mut self, mut body: Reader<'a>) -> Option<()> {
        let (version, _) = body.version()?;
        let sizes = body.u16()?;
        let size = |shift: u16| usize::from(sizes >> shift & 15);
        let (offset_size, length_size, base_size) = (size(12), size(8), size(4));
        let index_size = if version > 0 { size(0) } else { 0 };
        if [offset_size, length_size, base_size, index_size].iter().any(|size| *size > 8) {
            return None;
        }
        for _ in 0..body.id(version > 1)? {
            let id = body.id(version > 1)?;
            let method = if version > 0 { body.u16()? & 15 } else { 0 };
            let is_elsewhere = body.u16()? != 0;
            let base = body.number(base_size)?;
            let count = body.u16()?;
            // Extents of no bytes would be a list that is longer than the file.
            if count > 1 && offset_size + length_size == 0 {
                return None;
            }
            let mut extents = Vec::new();
            for _ in 0..count {
                body.number(index_size)?;
                let offset = base.checked_add(body.number(offset_size)?)?;
                extents.push((offset, body.number(length_size)?));
            }
            if method < 2 && !is_elsewhere {
                self.locations.entry(id).or_insert(Location { is_in_idat: method == 1, extents });
            }
        }
        Some(())
    }

    fn read_references(&mut self, mut body: Reader<'a>) -> Option<()> {
        let (version, _) = body.version()?;
        for (kind, mut body) in body.boxes() {
            let from = body.id(version > 0)?;
            let count = body.u16()?;
            let to = (0..count).map(|_| body.id(version > 0)).collect::<Option<_>>()?;
            self.references.push((kind, from, to));
        }
        Some(())
    }

    fn read_associations(&mut self, mut body: Reader<'a>) -> Option<()> {
        let (version, flags) = body.version()?;
        for _ in 0..body.u32()? {
            let id = body.id(version > 0)?;
            let mut list = Vec::new();
            for _ in 0..body.u8()? {
                let is_long = flags & 1 == 1;
                let word = if is_long { body.u16()? } else { u16::from(body.u8()?) };
                let essential = if is_long { 0x8000 } else { 0x80 };
                list.push((usize::from(word & (essential - 1)), word & essential != 0));
            }
            // Each item is there once, so its list is short.
            if self.associations.insert(id, list).is_some() {
                return None;
            }
        }
        Some(())
    }

    /// The properties of an item.
    fn properties(&self, id: u32) -> impl Iterator<Item = (&[u8; 4], Reader<'a>, bool)> {
        let list = self.associations.get(&id).map_or(&[][..], |list| list);
        list.iter().filter_map(|(at, is_essential)| {
            let (kind, body) = self.properties.get(at.checked_sub(1)?)?;
            Some((kind, *body, *is_essential))
        })
    }

    fn property(&self, id: u32, name: [u8; 4]) -> Option<Reader<'a>> {
        self.properties(id).find(|(kind, ..)| **kind == name).map(|(_, body, _)| body)
    }

    /// Width and height of an item.
    fn size(&self, id: u32) -> Option<(u32, u32)> {
        let mut body = self.property(id, *b"ispe")?;
        body.version()?;
        Some((body.u32()?, body.u32()?))
    }

    /// The items that this one refers to by such references.
    fn referred(&self, name: [u8; 4], id: u32) -> impl Iterator<Item = u32> {
        let from = move |(kind, from, _): &&([u8; 4], u32, Vec<u32>)| *kind == name && *from == id;
        self.references.iter().filter(from).flat_map(|(.., to)| to.iter().copied())
    }

    /// The item that is the alpha of another.
    fn alpha(&self, id: u32) -> Option<u32> {
        let is_alpha = |from: u32| {
            let Some(mut body) = self.property(from, *b"auxC") else { return false };
            let name = body.version().and_then(|_| body.0.split(|byte| *byte == 0).next());
            matches!(name, Some(b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha" | b"urn:mpeg:hevc:2015:auxid:1"))
        };
        let mut auxiliary = self.references.iter().filter(|(kind, _, to)| kind == b"auxl" && to.contains(&id));
        auxiliary.find(|(_, from, _)| is_alpha(*from)).map(|(_, from, _)| *from)
    }

    /// The bytes of an item. Together they are no more than the file, so that extents that overlap cost nothing.
    fn data(&self, id: u32, file: &[u8]) -> Result<Vec<u8>, Error> {
        let location = self.locations.get(&id).ok_or(Error::Decode)?;
        let source = if location.is_in_idat { self.idat } else { file };
        let mut data = Vec::new();
        for &(offset, length) in &location.extents {
            let rest = usize::try_from(offset).ok().and_then(|offset| source.get(offset..)).ok_or(Error::Decode)?;
            let length = if length == 0 { rest.len() } else { usize::try_from(length).map_err(|_| Error::Decode)? };
            let part = rest.get(..length).ok_or(Error::Decode)?;
            if data.len() + part.len() > file.len() {
                return Err(Error::Decode);
            }
            data.extend_from_slice(part);
        }
        Ok(data)
    }

    /// An error if a reader that does not know a property of the item may not show it.
    fn check_known(&self, id: u32) -> Result<(), Error> {
        let is_known = |kind: &[u8; 4]| {
            matches!(kind, b"ispe" | b"pixi" | b"pasp" | b"colr" | b"av1C" | b"auxC" | b"irot" | b"imir" | b"clap")
                || matches!(kind, b"a1op" | b"clli" | b"mdcv" | b"cclv" | b"amve")
        };
        let mut essential = self.properties(id).filter(|(.., is_essential)| *is_essential);
        // `lsel` chooses a layer; 0xffff stands for the one that is shown anyway.
        let is_unknown = |(kind, mut body, _): (&[u8; 4], Reader<'_>, bool)| {
            !(is_known(kind) || kind == b"lsel" && body.u16() == Some(0xffff))
        };
        if essential.any(is_unknown) { Err(Error::Unsupported) } else { Ok(()) }
    }

    /// The bitstreams of an item that has this size.
    fn layer(&self, id: u32, size: (u32, u32), file: &[u8]) -> Result<Layer, Error> {
        self.check_known(id)?;
        let operating_point = |id: u32| {
            let point = self.property(id, *b"a1op").and_then(|mut body| body.u8()).unwrap_or(0);
            if point < 32 { Ok(point) } else { Err(Error::Decode) }
        };
        match self.kinds.get(&id) {
            Some(b"av01") => Ok(Layer {
                tiles: vec![self.data(id, file)?],
                columns: 1,
                tile: size,
                operating_point: operating_point(id)?,
            }),
            Some(b"grid") => {
                let grid = self.data(id, file)?;
                let (columns, rows) = grid_size(&grid, size).ok_or(Error::Decode)?;
                let ids: Vec<u32> = self.referred(*b"dimg", id).collect();
                let first = *ids.first().ok_or(Error::Decode)?;
                let tile = self.size(first).ok_or(Error::Decode)?;
                // The tiles cover the image, and each has a part of it.
                let fits = |count: u32, side: u32, whole: u32| {
                    side >= MIN_TILE_SIDE
                        && (u64::from(count - 1) * u64::from(side)..=u64::from(count) * u64::from(side))
                            .contains(&u64::from(whole))
                        && u64::from(count - 1) * u64::from(side) < u64::from(whole)
                };
                if ids.len() as u64 != u64::from(columns) * u64::from(rows)
                    || !fits(columns, tile.0, size.0)
                    || !fits(rows, tile.1, size.1)
                {
                    return Err(Error::Decode);
                }
                let mut tiles = Vec::new();
                let mut total = 0;
                for id in ids {
                    self.check_known(id)?;
                    if self.kinds.get(&id) != Some(b"av01") || self.size(id) != Some(tile) {
                        return Err(Error::Decode);
                    }
                    let data = self.data(id, file)?;
                    total += data.len();
                    if total > file.len() {
                        return Err(Error::Decode);
                    }
                    tiles.push(data);
                }
                Ok(Layer { tiles, columns, tile, operating_point: operating_point(first)? })
            }
            _ => Err(Error::Unsupported),
        }
    }

    fn description(&self) -> Result<Description, Error> {
        let id = self.primary;
        if !matches!(self.kinds.get(&id), Some(b"av01" | b"grid")) {
            return Err(Error::Unsupported);
        }
        let (width, height) = self.size(id).ok_or(Error::Decode)?;
        let (mut color_space, mut icc, mut crop) = (None, None, None);
        let (mut quarters, mut mirror) = (0, None);
        for (kind, mut body, _) in self.properties(id) {
            match kind {
                b"colr" => match body.take(4) {
                    Some(b"nclx") => color_space = Some(nclx(body).ok_or(Error::Decode)?),
                    Some(b"prof" | b"rICC") => icc = Some(body.0.to_vec()),
                    _ => {}
                },
                b"clap" => crop = Some(clean_aperture(body, width, height).ok_or(Error::Decode)?),
                b"irot" => quarters = body.u8().ok_or(Error::Decode)? & 3,
                b"imir" => mirror = Some(body.u8().ok_or(Error::Decode)? & 1),
                _ => {}
            }
        }
        let is_premultiplied = self.alpha(id).is_some_and(|alpha| self.referred(*b"prem", id).any(|to| to == alpha));
        let orientation = orientation(quarters, mirror);
        Ok(Description { width, height, crop, orientation, color_space, icc, is_premultiplied })
    }
}

/// Columns and rows of a grid of this size.
fn grid_size(data: &[u8], size: (u32, u32)) -> Option<(u32, u32)> {
    let mut body = Reader(data);
    let (version, flags) = (body.u8()?, body.u8()?);
    let (rows, columns) = (u32::from(body.u8()?) + 1, u32::from(body.u8()?) + 1);
    let is_long = flags & 1 == 1;
    let whole = (body.id(is_long)?, body.id(is_long)?);
    (version == 0 && whole == size).then_some((columns, rows))
}

fn nclx(mut body: Reader<'_>) -> Option<ColorSpace> {
    let primaries = body.u16()?;
    let _transfer = body.u16()?;
    Some(ColorSpace { primaries, matrix: body.u16()?, is_full_range: body.u8()? & 0x80 != 0 })
}

/// The part of an image that is shown, by fractions for its size and for the distance of its middle from the image's.
fn clean_aperture(mut body: Reader<'_>, width: u32, height: u32) -> Option<Area> {
    let mut fraction = || Some((body.u32()?, body.u32()?));
    let (shown_width, shown_height) = (fraction()?, fraction()?);
    let (across, down) = (fraction()?, fraction()?);
    let whole = |(number, by): (u32, u32)| (by != 0 && number.is_multiple_of(by)).then(|| number / by);
    let start = |side: u32, shown: u32, (number, by): (u32, u32)| {
        // The distance is signed, and twice of everything has no halves.
        let by = i64::from(by);
        let twice = (i64::from(side) - i64::from(shown)) * by + 2 * i64::from(number as i32);
        (by != 0 && twice % (2 * by) == 0).then(|| u32::try_from(twice / (2 * by)).ok()).flatten()
    };
    let (shown_width, shown_height) = (whole(shown_width)?, whole(shown_height)?);
    let (left, top) = (start(width, shown_width, across)?, start(height, shown_height, down)?);
    let is_inside =
        |start: u32, length: u32, whole: u32| length > 0 && start.checked_add(length).is_some_and(|end| end <= whole);
    let fits = is_inside(left, shown_width, width) && is_inside(top, shown_height, height);
    fits.then_some(Area { left, top, width: shown_width, height: shown_height })
}

/// The orientation of EXIF that does the same as turning by quarters against the clock, then mirroring: 0 exchanges top and bottom,
/// 1 left and right.
fn orientation(quarters: u8, mirror: Option<u8>) -> u8 {
    let table = match mirror {
        None => [1, 8, 3, 6],
        Some(0) => [4, 5, 2, 7],
        Some(_) => [2, 7, 4, 5],
    };
    table[usize::from(quarters & 3)]
}

/// A file whose container has been read.
pub(super) struct Container<'a> {
    meta: Meta<'a>,
    file: &'a [u8],
}

impl<'a> Container<'a> {
    /// Reads the boxes of a file.
    ///
    /// # Errors
    /// [`Error::Decode`] if there is no `meta` box or one of its lists is broken.
    pub(super) fn read(file: &'a [u8]) -> Result<Container<'a>, Error> {
        let (_, body) = Reader(file).boxes().find(|(kind, _)| kind == b"meta").ok_or(Error::Decode)?;
        Ok(Container { meta: Meta::read(body).ok_or(Error::Decode)?, file })
    }

    /// What is said about the primary image.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it is neither an AV1 image nor a grid of them, [`Error::Decode`] if what is said is broken.
    pub(super) fn description(&self) -> Result<Description, Error> {
        self.meta.description()
    }

    /// The bitstreams of the colours.
    ///
    /// # Errors
    /// As for [`Container::description`]; also if bytes are missing.
    pub(super) fn colors(&self, size: (u32, u32)) -> Result<Layer, Error> {
        self.meta.layer(self.meta.primary, size, self.file)
    }

    /// The bitstreams of the alpha, where there is one. It has the size of the colours.
    ///
    /// # Errors
    /// As for [`Container::colors`].
    pub(super) fn alpha(&self, size: (u32, u32)) -> Result<Option<Layer>, Error> {
        let Some(id) = self.meta.alpha(self.meta.primary) else { return Ok(None) };
        if self.meta.size(id) != Some(size) {
            return Err(Error::Decode);
        }
        self.meta.layer(id, size, self.file).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Picture, geometry};

    /// Four corners in four colours, so that each orientation is another picture.
    fn corners() -> Picture {
        let pixels = [[1; 4], [2; 4], [3; 4], [4; 4]].concat();
        Picture { width: 2, height: 2, pixels, icc: None }
    }

    #[test]
    fn turns_and_mirrors_are_orientations_of_exif() {
        for quarters in 0..4 {
            for mirror in [None, Some(0), Some(1)] {
                let mut expected = corners();
                for _ in 0..quarters {
                    geometry::turn(&mut expected, geometry::Turn::ThreeQuarters);
                }
                match mirror {
                    Some(0) => geometry::flip(&mut expected),
                    Some(_) => geometry::flop(&mut expected),
                    None => {}
                }
                let mut found = corners();
                geometry::orient(&mut found, orientation(quarters, mirror));
                assert_eq!(found.pixels, expected.pixels, "{quarters} quarters, mirror {mirror:?}");
            }
        }
    }

    #[test]
    fn a_clean_aperture_is_a_part_of_whole_pixels() {
        let area = |numbers: [u32; 8]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
            clean_aperture(Reader(&bytes), 100, 50).map(|area| (area.left, area.top, area.width, area.height))
        };
        assert_eq!(area([80, 1, 50, 1, 0, 1, 0, 1]), Some((10, 0, 80, 50)));
        assert_eq!(area([160, 2, 50, 1, (-10_i32) as u32, 1, 0, 1]), Some((0, 0, 80, 50)));
        assert_eq!(area([81, 1, 50, 1, 1, 2, 0, 1]), Some((10, 0, 81, 50)));
        assert_eq!(area([81, 1, 50, 1, 0, 1, 0, 1]), None, "half a pixel");
        assert_eq!(area([80, 1, 50, 1, 11, 1, 0, 1]), None, "beyond the side");
        assert_eq!(area([80, 0, 50, 1, 0, 1, 0, 1]), None, "divided by zero");
        assert_eq!(area([0, 1, 50, 1, 0, 1, 0, 1]), None, "nothing");
    }
}
