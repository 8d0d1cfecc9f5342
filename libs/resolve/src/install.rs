//! Packages that are installed because a program imports them: <https://bun.com/docs/runtime/auto-install>.

use crate::dirs::DirId;
use crate::file::Resolution;
use crate::options::{InstallMode, Installs, Kind};
use crate::paths;
use crate::resolver::{Fallible, Record, Request, Resolver};

/// Name, version or tag (empty: none) and the rest of a specifier such as `@scope/name@^1.2/sub/path`. Nothing where that names no package of a
/// registry.
fn parts(specifier: &str) -> Option<(&str, &str, &str)> {
    let (head, rest, valid) = paths::parse_package_name(specifier);
    let at = head.get(1..)?.find('@').map_or(head.len(), |at| at + 1);
    let (name, version) = (&head[..at], head[at..].trim_start_matches('@'));
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-._~".contains(char);
    let mut words = name.strip_prefix('@').unwrap_or(name).split('/');
    let good = words.all(|word| {
        // `~/x` is what many projects call a directory of their own.
        word.starts_with(|char: char| is_plain(char) && !".-~".contains(char)) && word.chars().all(is_plain)
    });
    let has_scope = name.starts_with('@') == name.contains('/');
    (valid && good && has_scope && name.len() <= 214 && !version.starts_with('-')).then_some((name, version, rest))
}

impl Resolver {
    /// Whether packages are installed even where a `node_modules` has them.
    pub(crate) fn installs_always(&self) -> bool {
        self.installs.as_ref().is_some_and(|installs| installs.mode == InstallMode::Always)
    }

    /// Has the package that a specifier names installed, and resolves the specifier there. Nothing where it names none, where packages are
    /// not to be installed, and where that failed: then what went wrong is kept for the error.
    pub(crate) fn installed(&mut self, request: &Request<'_>) -> Fallible<Option<Resolution>> {
        let specifier = request.specifier;
        if request.kind == Kind::Entry
            || self.installs.is_none()
            || paths::is_relative(specifier)
            || specifier.starts_with(['/', '#'])
            || paths::url_scheme(specifier).is_some()
            || (self.builtins)(specifier).is_some()
        {
            return Ok(None);
        }
        let (bare, suffix) = paths::split_suffix(specifier);
        let Some((name, version, rest)) = parts(bare) else { return Ok(None) };
        let Some(mut installs) = self.installs.take() else { return Ok(None) };
        let place = self.place_of(&mut installs, request.from, name, version);
        self.installs = Some(installs);
        let Some(place) = place else { return Ok(None) };
        let from = self.dirs.intern_any(&place);
        let specifier = format!("{name}{rest}{suffix}");
        let bases = [from];
        let request = Request { specifier: &specifier, from, bases: &bases, ..*request };
        let found = self.attempt(&request)?;
        if found.is_none() && !self.installs_always() {
            // The package is there, and has no such file.
            self.record = Some(Record::default());
            let again = self.attempt(&request);
            let record = self.record.take().unwrap_or_default();
            return match again {
                Ok(None) => Err(self.not_found(&request, record)),
                other => other,
            };
        }
        Ok(found)
    }

    fn place_of(&mut self, installs: &mut Installs, from: DirId, name: &str, version: &str) -> Option<String> {
        if installs.mode == InstallMode::IfNone && self.dirs.nearest_modules(from).is_some() {
            return None;
        }
        let version = (!version.is_empty()).then_some(version);
        match (installs.install)(name, version, self.dirs.path(from)) {
            Ok(place) => place,
            Err(reason) => {
                self.install_failure = Some(reason);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn specifiers() {
        assert_eq!(parts("zod"), Some(("zod", "", "")));
        assert_eq!(parts("zod@3.0.0/v4"), Some(("zod", "3.0.0", "/v4")));
        assert_eq!(parts("@s/n"), Some(("@s/n", "", "")));
        assert_eq!(parts("@s/n@next/x.js"), Some(("@s/n", "next", "/x.js")));
        for wrong in ["", "@", "@s", "@s/", "@/x", "~/x", "~", "a b", "-x", ".x", "..", "a@-x", "é", "@s/-n"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
