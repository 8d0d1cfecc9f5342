//! The tar layer: POSIX ustar, pax extended headers, GNU long names, and the older form without a magic number.
//!
//! The parser is fed with pieces of the archive and calls a [`Sink`]; where the whole archive is one piece, so is every file's content.
//! It holds no more than one block and one extended header.

use crate::{Error, Kind, Limits, bomb, damaged as broken, refused};

const BLOCK: usize = 512;
/// The longest pax header or long name that is accepted.
const LONGEST_META: u64 = 1 << 20;

/// Receives the entries. Names are as the archive has them, without a check. What is not said about directories and links leaves them
/// out.
pub trait Sink {
    type Error: From<Error>;
    /// Whether an entry is of any use. Formats that can leave one out without reading it ask; others do not.
    fn wants(&mut self, _path: &[u8]) -> bool {
        true
    }
    /// Permissions of the entry that the next call is about, and when it was modified, in seconds since 1970.
    fn attributes(&mut self, _mode: u32, _modified: f64) {}
    fn directory(&mut self, _path: &[u8]) -> Result<(), Self::Error> {
        Ok(())
    }
    /// A file begins; `size` bytes of content follow by [`Sink::data`], then [`Sink::end`].
    fn file(&mut self, path: &[u8], mode: u32, size: u64) -> Result<(), Self::Error>;
    fn data(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
    fn end(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
    fn symlink(&mut self, _path: &[u8], _target: &[u8]) -> Result<(), Self::Error> {
        Ok(())
    }
    fn hardlink(&mut self, _path: &[u8], _target: &[u8]) -> Result<(), Self::Error> {
        Ok(())
    }
    /// A device or a pipe.
    fn device(&mut self, path: &[u8]) -> Result<(), Self::Error> {
        Err(refused("a device file", path).into())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    File,
    Skip,
    Pax,
    LongName,
    LongLink,
}

enum State {
    Header,
    Body { kind: Body, left: u64, padding: usize },
    Padding(usize),
    End,
}

/// An incremental parser.
pub struct Parser {
    state: State,
    block: [u8; BLOCK],
    filled: usize,
    meta: Vec<u8>,
    /// A buffer for short names.
    name: Vec<u8>,
    /// From an extended header, for the next entry.
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<f64>,
    zero_blocks: u8,
    entries: u32,
    limits: Limits,
    /// Bytes announced by headers so far.
    announced: u64,
}

impl Parser {
    pub fn new(limits: Limits) -> Self {
        Self {
            state: State::Header,
            block: [0; BLOCK],
            filled: 0,
            meta: Vec::new(),
            name: Vec::new(),
            path: None,
            link: None,
            size: None,
            modified: None,
            zero_blocks: 0,
            entries: 0,
            limits,
            announced: 0,
        }
    }

    /// Takes the next piece of the archive.
    ///
    /// # Errors
    /// Damage, what is refused, and what `sink` returned.
    pub fn feed<S: Sink>(&mut self, mut input: &[u8], sink: &mut S) -> Result<(), S::Error> {
        loop {
            match &mut self.state {
                State::Header => {
                    if self.filled == 0 && input.len() >= BLOCK {
                        let (block, rest) = input.split_at(BLOCK);
                        input = rest;
                        self.header(block, sink)?;
                        continue;
                    }
                    if input.is_empty() {
                        return Ok(());
                    }
                    let count = input.len().min(BLOCK - self.filled);
                    self.block[self.filled..self.filled + count].copy_from_slice(&input[..count]);
                    self.filled += count;
                    input = &input[count..];
                    if self.filled == BLOCK {
                        self.filled = 0;
                        let block = self.block;
                        self.header(&block, sink)?;
                    }
                }
                State::Body { kind, left, padding } => {
                    let (kind, padding) = (*kind, *padding);
                    if *left > 0 {
                        if input.is_empty() {
                            return Ok(());
                        }
                        let count = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
                        *left -= count as u64;
                        let (bytes, rest) = input.split_at(count);
                        input = rest;
                        match kind {
                            Body::File => sink.data(bytes)?,
                            Body::Skip => {}
                            Body::Pax | Body::LongName | Body::LongLink => self.meta.extend_from_slice(bytes),
                        }
                        continue;
                    }
                    self.state = State::Padding(padding);
                    self.end_of_body(kind, sink)?;
                }
                State::Padding(left) => {
                    let count = (*left).min(input.len());
                    *left -= count;
                    input = &input[count..];
                    if *left > 0 {
                        return Ok(());
                    }
                    self.state = State::Header;
                }
                State::End => return Ok(()),
            }
        }
    }

    /// The archive is over.
    ///
    /// # Errors
    /// It ends inside of a header or a file, or holds nothing at all. A missing end mark alone is accepted, as everywhere; so is missing
    /// padding after the last file.
    pub fn finish(&self) -> Result<(), Error> {
        match self.state {
            State::Body { left, .. } if left > 0 => Err(broken("it ends in the middle of a file")),
            State::Header if self.filled > 0 && self.block[..self.filled].iter().any(|&byte| byte != 0) => {
                Err(broken("it ends in the middle of a header"))
            }
            _ if self.path.is_some() || self.link.is_some() => Err(broken("it ends after an extended header")),
            _ if self.entries == 0 => Err(broken("it holds no files")),
            _ => Ok(()),
        }
    }

    /// Entries that have come.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    fn header<S: Sink>(&mut self, block: &[u8], sink: &mut S) -> Result<(), S::Error> {
        if block[0] == 0 && block.iter().all(|&byte| byte == 0) {
            self.zero_blocks += 1;
            if self.zero_blocks == 2 {
                self.state = State::End;
            }
            return Ok(());
        }
        self.zero_blocks = 0;
        check_sum(block)?;
        let mut size = number(&block[124..136])?;
        let kind = block[156];
        if !matches!(kind, b'x' | b'X' | b'g' | b'L' | b'K')
            && let Some(larger) = self.size.take()
        {
            size = larger;
        }
        // Links and directories have no content, whatever their header says.
        if matches!(kind, b'1' | b'2' | b'3' | b'4' | b'5' | b'6') {
            size = 0;
        }
        self.announced = self.announced.saturating_add(size).saturating_add(BLOCK as u64);
        if self.announced > self.limits.bytes {
            return Err(bomb(self.limits.bytes).into());
        }
        let body = match kind {
            b'x' | b'X' => Body::Pax,
            b'L' => Body::LongName,
            b'K' => Body::LongLink,
            b'g' => Body::Skip,
            _ => self.entry(block, kind, size, sink)?,
        };
        if matches!(body, Body::Pax | Body::LongName | Body::LongLink) {
            if size > LONGEST_META {
                return Err(broken("an extended header is too long").into());
            }
            self.meta.clear();
        }
        let padding = (BLOCK - (size % BLOCK as u64) as usize) % BLOCK;
        self.state = State::Body { kind: body, left: size, padding };
        Ok(())
    }

    fn entry<S: Sink>(&mut self, block: &[u8], kind: u8, size: u64, sink: &mut S) -> Result<Body, S::Error> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(Error::new(
                Kind::Entries,
                format!("The tarball was refused: it has more than {} entries", self.limits.entries),
            )
            .into());
        }
        let mut path = std::mem::take(&mut self.name);
        match self.path.take() {
            Some(long) => path = long,
            None => short_name(block, &mut path),
        }
        let result = self.entry_named(block, kind, size, &path, sink);
        self.name = path;
        result
    }

    fn entry_named<S: Sink>(
        &mut self,
        block: &[u8],
        kind: u8,
        size: u64,
        path: &[u8],
        sink: &mut S,
    ) -> Result<Body, S::Error> {
        let link = self.link.take();
        let target = || link.unwrap_or_else(|| text(&block[157..257]).to_vec());
        let mode = u32::try_from(number(&block[100..108]).unwrap_or(0o644) & 0o777).unwrap_or(0o644);
        let modified = self.modified.take();
        sink.attributes(mode, modified.unwrap_or_else(|| number(&block[136..148]).unwrap_or(0) as f64));
        match kind {
            // Before POSIX a directory was a file whose name ends in a slash.
            b'0' | 0 if path.ends_with(b"/") => sink.directory(path)?,
            b'0' | 0 | b'7' => {
                sink.file(path, mode, size)?;
                return Ok(Body::File);
            }
            b'5' => sink.directory(path)?,
            b'1' => sink.hardlink(path, &target())?,
            b'2' => sink.symlink(path, &target())?,
            b'3' | b'4' | b'6' => sink.device(path)?,
            b'S' => return Err(refused("a sparse file", path).into()),
            _ => {}
        }
        Ok(Body::Skip)
    }

    fn end_of_body<S: Sink>(&mut self, kind: Body, sink: &mut S) -> Result<(), S::Error> {
        match kind {
            Body::File => sink.end(),
            Body::Skip => Ok(()),
            Body::Pax => Ok(self.pax()?),
            Body::LongName => {
                self.path = Some(text(&self.meta).to_vec());
                Ok(())
            }
            Body::LongLink => {
                self.link = Some(text(&self.meta).to_vec());
                Ok(())
            }
        }
    }

    /// Records of the form `<length> <key>=<value>\n`, the length counting all of the record.
    fn pax(&mut self) -> Result<(), Error> {
        let mut rest = self.meta.as_slice();
        while !rest.is_empty() && rest[0] != 0 {
            let space =
                rest.iter().position(|&byte| byte == b' ').ok_or_else(|| broken("a pax header has no length"))?;
            let length = decimal(&rest[..space])?;
            if length <= space + 1 || length > rest.len() || rest[length - 1] != b'\n' {
                return Err(broken("a pax header has a wrong length"));
            }
            let record = &rest[space + 1..length - 1];
            rest = &rest[length..];
            let equals =
                record.iter().position(|&byte| byte == b'=').ok_or_else(|| broken("a pax header has no value"))?;
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => self.path = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"mtime" => self.modified = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
                b"size" => self.size = Some(decimal(value)? as u64),
                key if key.starts_with(b"GNU.sparse.") => {
                    return Err(broken("sparse files are not supported"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Up to the first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or(field)
}

fn short_name(block: &[u8], path: &mut Vec<u8>) {
    let name = text(&block[..100]);
    path.clear();
    // GNU's own magic ("ustar  ") has other fields where POSIX has the prefix.
    if &block[257..263] == b"ustar\0" {
        let prefix = text(&block[345..500]);
        if !prefix.is_empty() {
            path.extend_from_slice(prefix);
            path.push(b'/');
        }
    }
    path.extend_from_slice(name);
}

/// The sum of all bytes, the field itself counting as spaces. Some old programs added signed bytes.
fn check_sum(block: &[u8]) -> Result<(), Error> {
    let expected = number(&block[148..156])?;
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
    let unsigned = sum(block) - sum(&block[148..156]) + 8 * u32::from(b' ');
    if expected == u64::from(unsigned) {
        return Ok(());
    }
    let high = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte >= 0x80).count() as i64;
    let signed = i64::from(unsigned) - 256 * (high(block) - high(&block[148..156]));
    if i64::try_from(expected) == Ok(signed) { Ok(()) } else { Err(broken("a header has a wrong checksum")) }
}

/// An octal number with spaces or NULs around it, or GNU's big-endian form (first bit set).
fn number(field: &[u8]) -> Result<u64, Error> {
    let wrong = || broken("a header has a malformed number");
    if field[0] & 0x80 != 0 {
        let mut value = u64::from(field[0] & 0x7f);
        for &byte in &field[1..] {
            if value >> 56 != 0 {
                return Err(wrong());
            }
            value = value << 8 | u64::from(byte);
        }
        return Ok(value);
    }
    let mut value = 0u64;
    let mut digits = field.iter().copied().skip_while(|&byte| byte == b' ' || byte == 0);
    for byte in digits.by_ref() {
        match byte {
            b'0'..=b'7' if value >> 60 == 0 => value = value << 3 | u64::from(byte - b'0'),
            b' ' | 0 => break,
            _ => return Err(wrong()),
        }
    }
    Ok(value)
}

fn decimal(digits: &[u8]) -> Result<usize, Error> {
    let wrong = || broken("a pax header has a malformed number");
    if digits.is_empty() || digits.len() > 15 {
        return Err(wrong());
    }
    digits.iter().try_fold(0usize, |value, &byte| {
        if byte.is_ascii_digit() { Ok(value * 10 + usize::from(byte - b'0')) } else { Err(wrong()) }
    })
}
