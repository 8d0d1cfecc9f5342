//! The ways to write a repository, and what git is to be asked for.

/// A repository as bun.lock has it after `git+`: shorthands of hosts and scp-like addresses become `ssh://`, everything else stays as
/// it is written.
pub(crate) fn canonical(url: &str) -> String {
    const HOSTS: [(&str, &str); 4] = [
        ("gitlab:", "gitlab.com"),
        ("bitbucket:", "bitbucket.org"),
        ("gist:", "gist.github.com"),
        ("sourcehut:", "git.sr.ht"),
    ];
    for (prefix, host) in HOSTS {
        if let Some(path) = url.strip_prefix(prefix) {
            return format!("ssh://git@{host}/{}", path.trim_start_matches('/'));
        }
    }
    if url.contains("://") { url.to_owned() } else { format!("ssh://{url}") }
}

/// User with `@`, host with port, path; for what follows `ssh://`. `scp` where the path follows a colon.
fn parts(rest: &str) -> (&str, &str, &str, bool) {
    let end = rest.find('/').unwrap_or(rest.len());
    let at = rest[..end].rfind('@').map_or(0, |at| at + 1);
    let (user, rest) = rest.split_at(at);
    let end = rest.find('/').unwrap_or(rest.len());
    if let Some(colon) = rest[..end].find(':')
        && !(rest[colon + 1..end].bytes().all(|byte| byte.is_ascii_digit()) && colon + 1 < end)
    {
        return (user, &rest[..colon], &rest[colon + 1..], true);
    }
    (user, &rest[..end], &rest[end..], false)
}

/// The URLs to try, in order. A repository that is reached by ssh may be public, and https then needs no key; so it is tried first.
pub(super) fn attempts(canonical: &str) -> Vec<String> {
    let Some(rest) = canonical.strip_prefix("ssh://") else { return vec![canonical.to_owned()] };
    let (user, host, path, scp) = parts(rest);
    let web_user = if user == "git@" { "" } else { user };
    let ssh_user = if user.is_empty() && scp { "git@" } else { user };
    let mut list = Vec::new();
    // A port is that of the ssh server.
    if !host.contains(':') && !host.is_empty() {
        list.push(format!("https://{web_user}{host}/{}", path.trim_start_matches('/')));
    }
    list.push(if scp { format!("{ssh_user}{host}:{path}") } else { canonical.to_owned() });
    list
}

/// The URL for messages: without user and password.
pub(crate) fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) if &rest[..at] != "git" => format!("{scheme}://***@{}", &rest[at + 1..]),
        _ => url.to_owned(),
    }
}

/// The name of a package whose package.json has none: the last part of the repository.
pub(crate) fn repository_name(value: &str) -> &str {
    let value = value.split('#').next().unwrap_or(value).trim_end_matches('/');
    value.rsplit(['/', ':']).next().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_forms() {
        for (text, want) in [
            ("gitlab:u/r", "ssh://git@gitlab.com/u/r"),
            ("bitbucket:u/r", "ssh://git@bitbucket.org/u/r"),
            ("gist:abc", "ssh://git@gist.github.com/abc"),
            ("sourcehut:~u/r", "ssh://git@git.sr.ht/~u/r"),
            ("git@host.org:u/r.git", "ssh://git@host.org:u/r.git"),
            ("host.org:u/r", "ssh://host.org:u/r"),
            ("https://host.org/u/r.git", "https://host.org/u/r.git"),
            ("git://host.org/u/r.git", "git://host.org/u/r.git"),
        ] {
            assert_eq!(canonical(text), want);
        }
    }

    #[test]
    fn what_is_tried() {
        for (text, want) in [
            ("ssh://git@gitlab.com/u/r", &["https://gitlab.com/u/r", "ssh://git@gitlab.com/u/r"][..]),
            ("ssh://git@h.org:u/r.git", &["https://h.org/u/r.git", "git@h.org:u/r.git"]),
            ("ssh://h.org:u/r", &["https://h.org/u/r", "git@h.org:u/r"]),
            ("ssh://git@h.org:2222/u/r.git", &["ssh://git@h.org:2222/u/r.git"]),
            ("ssh://me@h.org/r", &["https://me@h.org/r", "ssh://me@h.org/r"]),
            ("file:///x/r.git", &["file:///x/r.git"]),
        ] {
            assert_eq!(attempts(text), want);
        }
        assert_eq!(masked("https://me:secret@h.org/r"), "https://***@h.org/r");
        assert_eq!(masked("ssh://git@h.org/r"), "ssh://git@h.org/r");
        assert_eq!(repository_name("file:///x/nopkg.git"), "nopkg.git");
    }
}
