//! What a finished tarball holds, for `publish FILE`.

use crate::error::{Code, Error, Result};
use tar::{Inflater, Limits};

/// The names in a tarball, without their first part, and the two files that the registry's document is made of.
#[derive(Default)]
pub(crate) struct Listing {
    pub files: Vec<(String, u64)>,
    pub manifest: Option<String>,
    /// Name and text.
    pub readme: Option<(String, String)>,
    /// The file that is being read, where its content is wanted.
    open: Option<(String, Vec<u8>)>,
}

/// A readme of more bytes is not sent.
const LARGEST_README: u64 = 8 << 20;

impl tar::Sink for Listing {
    type Error = Error;

    fn file(&mut self, path: &[u8], _: u32, size: u64) -> Result<()> {
        let path = String::from_utf8_lossy(path).into_owned();
        let path = path.trim_start_matches("./");
        let path = path.split_once('/').map_or(path, |(_, rest)| rest).to_owned();
        let wanted = path == "package.json" || crate::pack::is_readme(&path);
        self.open = (wanted && size <= LARGEST_README).then(|| (path.clone(), Vec::new()));
        self.files.push((path, size));
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some((_, content)) = &mut self.open {
            content.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let Some((path, content)) = self.open.take() else { return Ok(()) };
        if path == "package.json" {
            let text = String::from_utf8(content)
                .map_err(|_| Error::new(Code::Parse, "package.json in the tarball is not UTF-8"))?;
            self.manifest = Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned));
        } else if self.readme.is_none() {
            self.readme = Some((path, String::from_utf8_lossy(&content).into_owned()));
        }
        Ok(())
    }

    fn symlink(&mut self, path: &[u8], _: &[u8]) -> Result<()> {
        Err(Error::new(Code::Tarball, format!("the tarball has a link: {}", path.escape_ascii())))
    }

    fn hardlink(&mut self, path: &[u8], _: &[u8]) -> Result<()> {
        Err(Error::new(Code::Tarball, format!("the tarball has a link: {}", path.escape_ascii())))
    }
}

/// Reads a tarball from memory.
pub(crate) fn read(bytes: &[u8]) -> Result<Listing> {
    let limits = Limits::for_tarball(bytes.len());
    let mut parser = tar::Parser::new(limits);
    let mut listing = Listing::default();
    Inflater::new().inflate(bytes, limits.bytes, &mut |piece| parser.feed(piece, &mut listing))?;
    parser.finish()?;
    Ok(listing)
}
