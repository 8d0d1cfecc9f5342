//! What stands to the right of a dependency's name.

/// A parsed specifier; strings are slices of the literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spec<'a> {
    /// A semver range of the registry package `name` (empty: the dependency's own name).
    Range {
        name: &'a str,
        range: &'a str,
    },
    /// A dist-tag.
    Tag {
        name: &'a str,
        tag: &'a str,
    },
    /// A directory, whose files are installed.
    Folder(&'a str),
    /// A directory that is linked, or a registered name.
    Link(&'a str),
    /// A workspace member: what follows `workspace:`.
    Workspace(&'a str),
    /// A catalog; empty for the default one.
    Catalog(&'a str),
    TarballUrl(&'a str),
    TarballFile(&'a str),
    /// `url` without `git+`, `reference` what follows `#`.
    Git {
        url: &'a str,
        reference: &'a str,
    },
    GitHub {
        owner: &'a str,
        repo: &'a str,
        reference: &'a str,
    },
}

fn is_tarball(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.ends_with(".tgz") || path.ends_with(".tar.gz")
}

fn is_path(text: &str) -> bool {
    text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with('/')
        || text.starts_with("~/")
        || text == "."
        || text == ".."
}

/// A reference begins at the last `#`.
fn split_reference(text: &str) -> (&str, &str) {
    text.rsplit_once('#').unwrap_or((text, ""))
}

fn git(text: &str) -> Spec<'_> {
    let (url, reference) = split_reference(text);
    Spec::Git { url, reference }
}

/// A page of a host that has repositories only: a URL without `git+` is one, too.
fn is_repository_host(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.strip_prefix("www.").unwrap_or(host);
    matches!(host, "github.com" | "gitlab.com" | "bitbucket.org" | "gist.github.com" | "git.sr.ht")
}

/// `https://github.com/OWNER/REPO/tarball/REFERENCE`.
fn is_github_tarball(url: &str) -> bool {
    let path = url.split_once("://github.com/").map_or("", |(_, path)| path);
    path.split('/').nth(2) == Some("tarball")
}

/// `user@host:path` or `host.org:path`.
fn is_scp(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, path)| {
        let address = host.contains('@') || host.contains('.');
        address
            && !host.starts_with(['@', '.'])
            && !host.contains(['/', '#'])
            && !path.is_empty()
            && !path.starts_with("//")
    })
}

/// `owner/repo` with nothing that a path or scope would have.
fn github_shorthand(text: &str) -> Option<Spec<'_>> {
    let (path, reference) = split_reference(text);
    let (owner, repo) = path.split_once('/')?;
    let ok = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            && !part.starts_with('.')
    };
    if !ok(owner) || !ok(repo) {
        return None;
    }
    Some(Spec::GitHub { owner, repo: repo.strip_suffix(".git").unwrap_or(repo), reference })
}

fn github_url(text: &str) -> Option<Spec<'_>> {
    let rest = text
        .strip_prefix("git+ssh://git@github.com/")
        .or_else(|| text.strip_prefix("ssh://git@github.com/"))
        .map_or_else(
            || {
                [
                    "git+https://github.com/",
                    "git+http://github.com/",
                    "https://github.com/",
                    "git://github.com/",
                    "http://github.com/",
                ]
                .iter()
                .find_map(|prefix| text.strip_prefix(prefix))
            },
            |_| None,
        )?;
    let (path, _) = split_reference(rest);
    if path.matches('/').count() != 1 || is_tarball(path) {
        return None;
    }
    github_shorthand(rest)
}

impl<'a> Spec<'a> {
    /// Reads a specifier as it stands in package.json. Every text is some specifier: what is nothing else is a dist-tag.
    pub(crate) fn parse(literal: &'a str) -> Spec<'a> {
        let text = literal.trim();
        if let Some(rest) = text.strip_prefix("npm:") {
            let at = rest.get(1..).and_then(|tail| tail.find('@')).map(|at| at + 1);
            let (name, wanted) = at.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
            // `npm:^1.0.0` names a range of the dependency's own name.
            if at.is_none() && semver::Range::parse(rest).is_some() {
                return Self::npm("", rest);
            }
            return Self::npm(name, wanted);
        }
        if let Some(rest) = text.strip_prefix("workspace:") {
            return Spec::Workspace(rest);
        }
        if let Some(rest) = text.strip_prefix("catalog:") {
            return Spec::Catalog(rest.trim());
        }
        if let Some(rest) = text.strip_prefix("link:") {
            return Spec::Link(rest);
        }
        if let Some(rest) = text.strip_prefix("file:") {
            let path = rest.trim_start_matches('/');
            let rest = if rest.len() - path.len() <= 3 && matches!(path.split('/').next(), Some("." | "..")) {
                // `file:///../lib` is relative, as for npm: a path out of the root directory says nothing.
                path
            } else {
                rest.strip_prefix("//").filter(|rest| rest.starts_with('/')).unwrap_or(rest)
            };
            return if is_tarball(rest) { Spec::TarballFile(rest) } else { Spec::Folder(rest) };
        }
        if let Some(rest) = text.strip_prefix("github:") {
            return github_shorthand(rest).unwrap_or(Spec::Tag { name: "", tag: text });
        }
        if let Some(found) = github_url(text) {
            return found;
        }
        let schemes = ["git+ssh:", "git+https:", "git+http:", "git+file:"];
        if schemes.iter().any(|scheme| text.starts_with(scheme)) {
            return git(&text[4..]);
        }
        let schemes = ["git://", "ssh://", "gitlab:", "bitbucket:", "gist:", "sourcehut:"];
        if schemes.iter().any(|scheme| text.starts_with(scheme)) {
            return git(text);
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            let is_git = is_repository_host(text) && !is_tarball(text) && !is_github_tarball(text);
            return if is_git { git(text) } else { Spec::TarballUrl(text) };
        }
        if is_path(text) {
            return if is_tarball(text) { Spec::TarballFile(text) } else { Spec::Folder(text) };
        }
        if is_tarball(text) {
            return Spec::TarballFile(text);
        }
        if !text.starts_with('@')
            && text.contains('/')
            && let Some(found) = github_shorthand(text)
        {
            return found;
        }
        if is_scp(text) {
            return git(text);
        }
        Self::npm("", text)
    }

    fn npm(name: &'a str, wanted: &'a str) -> Spec<'a> {
        if semver::Range::parse(wanted).is_some() {
            Spec::Range { name, range: wanted }
        } else {
            Spec::Tag { name, tag: wanted }
        }
    }

    /// Range or tag of the registry.
    pub(crate) fn is_registry(&self) -> bool {
        matches!(self, Spec::Range { .. } | Spec::Tag { .. })
    }
}

/// Splits a command-line argument `name@spec`; either part may be missing.
pub(crate) fn split_argument(text: &str) -> (&str, &str) {
    let scope = usize::from(text.starts_with('@'));
    let end = text[scope..].find('@').map_or(text.len(), |at| at + scope);
    let name = &text[..end];
    // `git@host.org:user/repo` is an address, not a package called git.
    let address = name == "git" && text[end..].contains(':');
    let path_like =
        address || is_path(name) || name.contains(':') || is_tarball(text) || (scope == 0 && name.contains('/'));
    if path_like { ("", text) } else { (name, text.get(end + 1..).unwrap_or("")) }
}

/// Whether `name` can be a folder of node_modules: `react` or `@scope/name`, without a way out, and none that bao uses itself.
pub(crate) fn is_folder_name(name: &str) -> bool {
    let mut parts = name.split('/');
    let part_is_safe =
        |part: &str| !part.is_empty() && part != "." && part != ".." && part != "node_modules" && !part.contains('\0');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(one), None, _) => part_is_safe(one) && one != ".bin" && !one.starts_with(".bao-"),
        (Some(scope), Some(one), None) => scope.starts_with('@') && part_is_safe(scope) && part_is_safe(one),
        _ => false,
    }
}

/// Whether `name` can be a package's name: no empty part, no path that leaves node_modules, no control characters.
pub(crate) fn valid_name(name: &str) -> bool {
    if name.is_empty() || name.len() > 214 {
        return false;
    }
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part != "node_modules"
            && part.bytes().all(|b| b > b' ' && b != b'/' && b != b'\\' && b != 0x7f && b != b':' && b != b'%')
    };
    match name.strip_prefix('@') {
        Some(rest) => rest.split_once('/').is_some_and(|(scope, rest)| part(scope) && part(rest)),
        None => part(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers() {
        for (text, want) in [
            ("^1.0.0", Spec::Range { name: "", range: "^1.0.0" }),
            ("", Spec::Range { name: "", range: "" }),
            ("latest", Spec::Tag { name: "", tag: "latest" }),
            ("npm:real@^2", Spec::Range { name: "real", range: "^2" }),
            ("npm:@s/real@next", Spec::Tag { name: "@s/real", tag: "next" }),
            ("npm:@s/real", Spec::Range { name: "@s/real", range: "" }),
            ("workspace:*", Spec::Workspace("*")),
            ("catalog:", Spec::Catalog("")),
            ("catalog:react19", Spec::Catalog("react19")),
            ("file:../x", Spec::Folder("../x")),
            ("file:./x.tgz", Spec::TarballFile("./x.tgz")),
            ("file:///../x", Spec::Folder("../x")),
            ("file://../x", Spec::Folder("../x")),
            ("file:/./x.tgz", Spec::TarballFile("./x.tgz")),
            ("file:///x/..", Spec::Folder("/x/..")),
            ("https://github.com/a/b/tarball/v1", Spec::TarballUrl("https://github.com/a/b/tarball/v1")),
            ("./x", Spec::Folder("./x")),
            ("link:./x", Spec::Link("./x")),
            ("user/repo#v1", Spec::GitHub { owner: "user", repo: "repo", reference: "v1" }),
            ("github:user/repo", Spec::GitHub { owner: "user", repo: "repo", reference: "" }),
            ("https://github.com/user/repo.git", Spec::GitHub { owner: "user", repo: "repo", reference: "" }),
            ("https://gitlab.com/u/r", Spec::Git { url: "https://gitlab.com/u/r", reference: "" }),
            ("https://github.com/u/r/tree/x", Spec::Git { url: "https://github.com/u/r/tree/x", reference: "" }),
            ("https://h.org/u/r.git", Spec::TarballUrl("https://h.org/u/r.git")),
            ("https://github.com/u/r/archive/x.tar.gz", Spec::TarballUrl("https://github.com/u/r/archive/x.tar.gz")),
            ("gitlab:u/g/r#x", Spec::Git { url: "gitlab:u/g/r", reference: "x" }),
            ("gist:abc", Spec::Git { url: "gist:abc", reference: "" }),
            ("h.org:u/r", Spec::Git { url: "h.org:u/r", reference: "" }),
            ("git+file:///x#a#b", Spec::Git { url: "file:///x#a", reference: "b" }),
            ("git+ftp://h/r", Spec::Tag { name: "", tag: "git+ftp://h/r" }),
            ("u/r/x", Spec::Tag { name: "", tag: "u/r/x" }),
            (
                "git+ssh://git@github.com/u/r.git#abc",
                Spec::Git { url: "ssh://git@github.com/u/r.git", reference: "abc" },
            ),
            ("git@host.org:u/r.git", Spec::Git { url: "git@host.org:u/r.git", reference: "" }),
            ("https://h.org/x-1.0.0.tgz", Spec::TarballUrl("https://h.org/x-1.0.0.tgz")),
            ("git+https://h.org/r.git#v1", Spec::Git { url: "https://h.org/r.git", reference: "v1" }),
        ] {
            assert_eq!(Spec::parse(text), want, "{text}");
        }
        assert_eq!(split_argument("@a/b@^1"), ("@a/b", "^1"));
        assert_eq!(split_argument("react"), ("react", ""));
        assert_eq!(split_argument("user/repo"), ("", "user/repo"));
        assert_eq!(split_argument("git@h.org:u/r.git"), ("", "git@h.org:u/r.git"));
        assert_eq!(split_argument("x@git+https://h.org/r.git"), ("x", "git+https://h.org/r.git"));
        assert!(
            valid_name("@a/b")
                && !valid_name("../x")
                && !valid_name("@a/../b")
                && !valid_name("a/b")
                && !valid_name(".bin")
        );
    }
}
