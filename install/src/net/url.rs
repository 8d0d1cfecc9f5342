//! As much of a URL as HTTP needs.

/// `http(s)://[user@]host[:port]/path?query`, in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url<'a> {
    pub tls: bool,
    /// `user:password`, percent-encoded.
    pub credentials: &'a str,
    /// Without the brackets of an IPv6 address.
    pub host: &'a str,
    pub port: u16,
    /// Path and query, at least `/`.
    pub path: &'a str,
    /// `host[:port]` as written.
    pub authority: &'a str,
}

impl<'a> Url<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (tls, rest) = if let Some(rest) = text.strip_prefix("https://") {
            (true, rest)
        } else {
            (false, text.strip_prefix("http://")?)
        };
        let rest = rest.split('#').next().unwrap_or(rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = (&rest[..end], &rest[end..]);
        let (credentials, authority) = authority.rsplit_once('@').unwrap_or(("", authority));
        let default = if tls { 443 } else { 80 };
        let (host, port) = if let Some(inner) = authority.strip_prefix('[') {
            let (host, after) = inner.split_once(']')?;
            host.split('%').next()?.parse::<std::net::Ipv6Addr>().ok()?;
            (host, after.strip_prefix(':').map_or(Some(default), |port| port.parse().ok())?)
        } else {
            match authority.rsplit_once(':') {
                Some((host, "")) => (host, default),
                Some((host, port)) => (host, port.parse().ok()?),
                None => (authority, default),
            }
        };
        let safe = |text: &str| text.bytes().all(|byte| byte > b' ' && byte != 0x7f);
        if host.is_empty() || !safe(authority) || !safe(path) {
            return None;
        }
        Some(Self { tls, credentials, host, port, path: if path.is_empty() { "/" } else { path }, authority })
    }

    /// Scheme, host and port are the same.
    pub(crate) fn same_origin(&self, other: &Url<'_>) -> bool {
        self.tls == other.tls && self.port == other.port && self.host.eq_ignore_ascii_case(other.host)
    }
}

/// Resolves a `location` header against the URL that gave it.
pub(crate) fn join(base: &str, location: &str) -> Option<String> {
    if location.starts_with("http://") || location.starts_with("https://") {
        return Some(location.to_owned());
    }
    let url = Url::parse(base)?;
    let scheme = if url.tls { "https:" } else { "http:" };
    if location.starts_with("//") {
        return Some(format!("{scheme}{location}"));
    }
    let path = url.path.split('?').next().unwrap_or("/");
    if location.starts_with('/') {
        return Some(format!("{scheme}//{}{location}", url.authority));
    }
    let directory = &path[..=path.rfind('/')?];
    Some(format!("{scheme}//{}{directory}{location}", url.authority))
}

/// Percent-encodes what cannot stand in a path; slashes stay.
pub(crate) fn encode_path(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Undoes percent-encoding.
pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        if bytes[at] == b'%'
            && let (Some(high), Some(low)) = (digit(1), digit(2))
        {
            out.push((high * 16 + low) as u8);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let url = Url::parse("https://u:p%40@registry.org:8443/a/b?c#d").unwrap();
        assert_eq!((url.tls, url.host, url.port, url.path), (true, "registry.org", 8443, "/a/b?c"));
        assert_eq!(decode(url.credentials), "u:p@");
        assert_eq!(Url::parse("http://[::1]:80").unwrap().host, "::1");
        assert!(
            Url::parse("ftp://x").is_none() && Url::parse("http://a b/").is_none() && Url::parse("http:///x").is_none()
        );
        assert_eq!(join("https://a.b/c/d", "../e").unwrap(), "https://a.b/c/../e");
        assert_eq!(join("https://a.b/c/d?x", "/e").unwrap(), "https://a.b/e");
        assert_eq!(join("https://a.b/c", "//x.y/e").unwrap(), "https://x.y/e");
    }
}
