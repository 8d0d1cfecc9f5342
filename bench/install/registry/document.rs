//! Documents as they are sent: manifests with rewritten addresses, in npm's full and abbreviated form.

use install::bench::Cursor;

/// What is sent for one URL and variant.
pub(crate) struct Document {
    pub etag: String,
    pub kind: &'static str,
    pub plain: Vec<u8>,
    pub gzip: Option<Vec<u8>>,
}

impl Document {
    pub(crate) fn tarball(bytes: Vec<u8>) -> Self {
        Self { etag: tag(&bytes), kind: "application/octet-stream", plain: bytes, gzip: None }
    }

    /// A manifest from the text that upstream gave; `abbreviated` is the form that the npm registry calls
    /// `application/vnd.npm.install-v1+json`, made here because not every mirror knows it.
    pub(crate) fn manifest(text: &[u8], abbreviated: bool, upstream: &str, origin: &str) -> Option<Self> {
        let text = if abbreviated { abbreviate(text)? } else { text.to_vec() };
        let mut text = String::from_utf8(text).ok()?;
        for other in [upstream, "https://registry.npmjs.org"] {
            if !other.is_empty() {
                text = text.replace(&format!("\"{other}/"), &format!("\"{origin}/"));
            }
        }
        let plain = text.into_bytes();
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap_or_default());
        let mut gzip = vec![0; compressor.gzip_compress_bound(plain.len())];
        let length = compressor.gzip_compress(&plain, &mut gzip).unwrap_or(0);
        gzip.truncate(length);
        gzip.shrink_to_fit();
        let kind = if abbreviated { "application/vnd.npm.install-v1+json" } else { "application/json" };
        Some(Self { etag: tag(&plain), kind, gzip: (length > 0).then_some(gzip), plain })
    }
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{:016x}\"", xxhash_rust::xxh3::xxh3_64(bytes))
}

/// What the abbreviated form keeps of a version (npm registry, docs/responses/package-metadata.md), besides `hasInstallScript`.
const KEPT: [&[u8]; 18] = [
    b"name",
    b"version",
    b"deprecated",
    b"dependencies",
    b"optionalDependencies",
    b"devDependencies",
    b"bundleDependencies",
    b"bundledDependencies",
    b"peerDependencies",
    b"peerDependenciesMeta",
    b"bin",
    b"directories",
    b"dist",
    b"engines",
    b"os",
    b"cpu",
    b"libc",
    b"funding",
];

/// Copies members of an object that `keep` wants; what `keep` appends to the output stands for the value.
fn members<'a>(
    cursor: &mut Cursor<'a>,
    out: &mut Vec<u8>,
    mut keep: impl FnMut(&mut Cursor<'a>, &'a [u8], &mut Vec<u8>) -> Option<bool>,
) -> Option<()> {
    if !cursor.eat(b'{') {
        return None;
    }
    out.push(b'{');
    let empty = out.len();
    let mut first = true;
    while cursor.more(b'}', &mut first)? {
        let key = cursor.key()?;
        let before = out.len();
        if before > empty {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(key);
        out.extend_from_slice(b"\":");
        if !keep(cursor, key, out)? {
            out.truncate(before);
        }
    }
    out.push(b'}');
    Some(())
}

/// Copies a value without white space.
fn copy(cursor: &mut Cursor<'_>, text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    cursor.peek();
    let from = cursor.at;
    cursor.skip()?;
    let mut quoted = false;
    let mut escaped = false;
    for &byte in &text[from..cursor.at] {
        if quoted {
            out.push(byte);
            quoted = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
        } else if !byte.is_ascii_whitespace() {
            out.push(byte);
            quoted = byte == b'"';
        }
    }
    Some(())
}

fn abbreviate(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 3);
    let mut cursor = Cursor::unchecked(text);
    members(&mut cursor, &mut out, |cursor, key, out| match key {
        b"name" | b"dist-tags" | b"modified" => copy(cursor, text, out).map(|()| true),
        b"versions" => members(cursor, out, |cursor, _, out| version(cursor, text, out).map(|()| true)).map(|()| true),
        _ => cursor.skip().map(|()| false),
    })?;
    Some(out)
}

fn version(cursor: &mut Cursor<'_>, text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut script = false;
    members(cursor, out, |cursor, key, out| {
        if key == b"scripts" && cursor.peek() == b'{' {
            cursor.eat(b'{');
            let mut first = true;
            while cursor.more(b'}', &mut first)? {
                script |= matches!(cursor.key()?, b"preinstall" | b"install" | b"postinstall");
                cursor.skip()?;
            }
            return Some(false);
        }
        if KEPT.contains(&key) {
            return copy(cursor, text, out).map(|()| true);
        }
        if key == b"hasInstallScript" {
            script |= cursor.boolean() == Some(true);
            return Some(false);
        }
        cursor.skip().map(|()| false)
    })?;
    if script {
        out.pop();
        out.extend_from_slice(b",\"hasInstallScript\":true}");
    }
    Some(())
}
