//! `minimumReleaseAgeExcludes`: the entries that can be used.

use semver::Version;

/// Takes out entries that are neither a name nor a name with exact versions, each with a warning.
pub(super) fn check_excludes(entries: &mut Vec<String>) {
    entries.retain(|entry| {
        let Some((name, versions)) = entry.char_indices().skip(1).find(|at| at.1 == '@').map(|at| entry.split_at(at.0)) else {
            return true;
        };
        let exact = versions[1..].split("||").all(|one| Version::parse(one.trim()).is_some());
        if !exact {
            crate::warn_line!(
                "<yellow>warn<r>: ignoring minimumReleaseAgeExcludes entry \"{entry}\": expected a package name or exact versions, e.g. \"{name}@1.2.3\" or \"{name}@1.2.3 || 1.2.4\""
            );
        }
        exact
    });
}
