//! Lexical work on paths and specifiers. Nothing here touches the file system.
//!
//! Paths are absolute UTF-8 strings with `/` as separator and, except for the root, without a
//! trailing slash. JavaScript can only name files by strings, so a path that is not UTF-8 has no
//! specifier that could reach it.

use std::borrow::Cow;

/// Directory part of an absolute path: `/a/b` gives `/a`, `/a` gives `/`, `/` gives nothing.
pub fn parent(path: &str) -> Option<&str> {
    match path.rfind('/') {
        Some(0) if path.len() == 1 => None,
        Some(0) => Some("/"),
        Some(at) => Some(&path[..at]),
        None => None,
    }
}

/// Last segment of a path: `/a/b` gives `b`, `/` gives the empty string.
pub fn base_name(path: &str) -> &str {
    path.rfind('/').map_or(path, |at| &path[at + 1..])
}

/// Extension with its dot as Node's `path.extname` has it: `x.d.ts` gives `.ts`, `.bashrc` nothing.
pub fn extension(path: &str) -> &str {
    let name = base_name(path);
    match name.rfind('.') {
        Some(at) if at > 0 => &name[at..],
        _ => "",
    }
}

/// `dir/name` into `out` (cleared first).
pub(crate) fn join_into(out: &mut String, dir: &str, name: &str) {
    out.clear();
    out.push_str(dir);
    if !dir.ends_with('/') {
        out.push('/');
    }
    out.push_str(name);
}

/// Joins `rel` (absolute or relative) to the absolute `base` and removes `.`, `..`, empty segments
/// and the trailing slash.
pub fn join(base: &str, rel: &str) -> String {
    let mut out = String::with_capacity(base.len() + rel.len() + 1);
    if !rel.starts_with('/') {
        push_segments(&mut out, base);
    }
    push_segments(&mut out, rel);
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// Absolute path without `.`, `..`, doubled or trailing slashes; borrowed when it already is so.
pub fn normalize(path: &str) -> Cow<'_, str> {
    if is_normal(path) { Cow::Borrowed(path) } else { Cow::Owned(join("/", path)) }
}

fn is_normal(path: &str) -> bool {
    if path == "/" {
        return true;
    }
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    // A memory scan decides the common case: only paths holding "//" or "/." need a closer look.
    let bytes = path.as_bytes();
    if bytes[bytes.len() - 1] == b'/' {
        return false;
    }
    if !bytes.windows(2).any(|pair| pair[0] == b'/' && (pair[1] == b'/' || pair[1] == b'.')) {
        return true;
    }
    rest.split('/').all(|s| !matches!(s, "" | "." | ".."))
}

fn push_segments(out: &mut String, path: &str) {
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                let cut = out.rfind('/').unwrap_or(0);
                out.truncate(cut);
            }
            name => {
                out.push('/');
                out.push_str(name);
            }
        }
    }
}

/// `.`, `..`, `./x`, `../x`: what both module systems resolve against the importing file.
pub fn is_relative(specifier: &str) -> bool {
    match specifier.strip_prefix('.') {
        Some(rest) => {
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            rest.is_empty() || rest.starts_with('/')
        }
        None => false,
    }
}

/// Whether the specifier can only mean a directory: it ends in `/`, `/.` or `/..`, or is `.` or `..`.
pub fn names_directory(specifier: &str) -> bool {
    matches!(base_name(specifier), "" | "." | "..")
}

/// The extensions, with their dots, of the TypeScript files that a JavaScript file of this extension may be made of. Empty for others.
pub fn typescript_sources(extension: &str) -> &'static [&'static str] {
    match extension {
        ".js" | ".jsx" => &[".ts", ".tsx"],
        ".mjs" => &[".mts"],
        ".cjs" => &[".cts"],
        _ => &[],
    }
}

/// Splits `./x.js?v=1#top` into `./x.js` and `?v=1#top`.
pub fn split_suffix(specifier: &str) -> (&str, &str) {
    match specifier.bytes().position(|b| b == b'?' || b == b'#') {
        Some(at) => specifier.split_at(at),
        None => (specifier, ""),
    }
}

/// Splits at the first `?` only.
pub(crate) fn split_query(specifier: &str) -> (&str, &str) {
    match specifier.find('?') {
        Some(at) => specifier.split_at(at),
        None => (specifier, ""),
    }
}

fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|d| d as u8)
}

/// Percent-decodes; text without escapes is borrowed, malformed escapes stay as they are, and text
/// that would not be UTF-8 afterwards is left alone altogether.
pub fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%'
            && at + 2 < bytes.len()
            && let (Some(high), Some(low)) = (hex(bytes[at + 1]), hex(bytes[at + 2]))
        {
            out.push(high * 16 + low);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `%2f` or `%5c` in any case: Node refuses them in module paths.
pub(crate) fn has_encoded_separator(text: &str) -> bool {
    text.contains('%')
        && text.as_bytes().windows(3).any(|w| {
            w[0] == b'%'
                && ((w[1] == b'2' && w[2].eq_ignore_ascii_case(&b'f'))
                    || (w[1] == b'5' && w[2].eq_ignore_ascii_case(&b'c')))
        })
}

/// Scheme of an absolute URL (`https`, `data`, `file`, ...), if the specifier is one.
pub fn url_scheme(specifier: &str) -> Option<&str> {
    let colon = specifier.find(':')?;
    let scheme = &specifier[..colon];
    let mut bytes = scheme.bytes();
    let first = bytes.next()?;
    (first.is_ascii_alphabetic() && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))
        .then_some(scheme)
}

/// What a `file:` URL names.
pub(crate) enum FileUrl<'a> {
    /// Percent-encoded absolute path, and the query and hash.
    Path(&'a str, &'a str),
    /// The URL has a host that is neither empty nor `localhost`.
    ForeignHost,
}

/// Takes a `file:` URL apart (WHATWG URL, only the forms that name a local path).
pub(crate) fn parse_file_url(url: &str) -> FileUrl<'_> {
    let rest = &url["file:".len()..];
    let (rest, suffix) = split_suffix(rest);
    match rest.strip_prefix("//") {
        Some(after) => {
            let slash = after.find('/').unwrap_or(after.len());
            let (host, path) = after.split_at(slash);
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return FileUrl::ForeignHost;
            }
            FileUrl::Path(if path.is_empty() { "/" } else { path }, suffix)
        }
        None => FileUrl::Path(rest, suffix),
    }
}

/// Splits a bare specifier into package name and the rest (`""` or `/sub/path`), and says whether
/// Node takes the name as valid: not starting with a dot, without `\` or `%`, and with two segments
/// when it starts with `@`.
pub fn parse_package_name(specifier: &str) -> (&str, &str, bool) {
    let mut end = specifier.find('/').unwrap_or(specifier.len());
    let mut valid = !specifier.is_empty();
    if specifier.starts_with('@') {
        if end == specifier.len() {
            valid = false;
        } else {
            end = specifier[end + 1..].find('/').map_or(specifier.len(), |at| end + 1 + at);
            // `@scope/` names no package.
            valid = valid && !specifier[..end].ends_with('/');
        }
    }
    let name = &specifier[..end];
    valid = valid && !name.starts_with('.') && !name.contains(['\\', '%']);
    (name, &specifier[end..], valid)
}

/// The directories that Node's `module.paths` lists for a module in `dir`: `dir/node_modules`, then
/// the same in each parent, leaving out parents that are themselves called `node_modules`.
pub fn node_modules_paths(dir: &str) -> Vec<String> {
    let dir = normalize(dir);
    let mut out = Vec::new();
    let mut at: Option<&str> = Some(&dir);
    while let Some(path) = at {
        if base_name(path) != "node_modules" {
            let mut entry = String::with_capacity(path.len() + 13);
            join_into(&mut entry, path, "node_modules");
            out.push(entry);
        }
        at = parent(path);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_names() {
        assert_eq!(parent("/a/b"), Some("/a"));
        assert_eq!(parent("/a"), Some("/"));
        assert_eq!(parent("/"), None);
        assert_eq!(base_name("/a/b.c"), "b.c");
        assert_eq!(extension("/a.b/c"), "");
        assert_eq!(extension("/a/.bashrc"), "");
        assert_eq!(extension("/a/x.d.ts"), ".ts");
    }

    #[test]
    fn joins() {
        assert_eq!(join("/a/b", "../c//./d/"), "/a/c/d");
        assert_eq!(join("/a", "../../.."), "/");
        assert_eq!(join("/a", "/x/y/"), "/x/y");
        assert_eq!(join("/", "x"), "/x");
        assert_eq!(normalize("/a/.x/..y"), "/a/.x/..y");
        assert_eq!(normalize("/a/./y/"), "/a/y");
        assert_eq!(normalize("//host/x"), "/host/x");
    }

    #[test]
    fn relative_forms() {
        for yes in [".", "..", "./", "../", "./a", "../a", ".//a"] {
            assert!(is_relative(yes), "{yes}");
        }
        for no in ["", ".a", "...", "..a", "a", "/a", "#a", "@a/b"] {
            assert!(!is_relative(no), "{no}");
        }
        for yes in [".", "..", "a/", "./a/.", "./a/..", ""] {
            assert!(names_directory(yes), "{yes}");
        }
        assert!(!names_directory("./a/..."));
    }

    #[test]
    fn decoding() {
        assert_eq!(percent_decode("a%20b%2"), "a b%2");
        assert_eq!(percent_decode("%e2%82%ac"), "€");
        assert_eq!(percent_decode("%ff"), "%ff");
        assert!(has_encoded_separator("a%2Fb") && has_encoded_separator("%5c"));
        assert!(!has_encoded_separator("a%20b"));
    }

    #[test]
    fn package_names() {
        assert_eq!(parse_package_name("a"), ("a", "", true));
        assert_eq!(parse_package_name("a/b/c"), ("a", "/b/c", true));
        assert_eq!(parse_package_name("@a/b"), ("@a/b", "", true));
        assert_eq!(parse_package_name("@a/b/c"), ("@a/b", "/c", true));
        assert_eq!(parse_package_name("a/"), ("a", "/", true));
        for bad in ["", "@a", ".a", "a%b", "a\\b", "@a/b%"] {
            assert!(!parse_package_name(bad).2, "{bad}");
        }
    }

    #[test]
    fn schemes() {
        assert_eq!(url_scheme("https://x"), Some("https"));
        assert_eq!(url_scheme("data:,1"), Some("data"));
        assert_eq!(url_scheme("./a:b"), None);
        assert_eq!(url_scheme("@a/b:c"), None);
        assert_eq!(url_scheme(":x"), None);
    }

    #[test]
    fn module_paths() {
        assert_eq!(
            node_modules_paths("/a/node_modules/b/"),
            ["/a/node_modules/b/node_modules", "/a/node_modules", "/node_modules"]
        );
    }
}
