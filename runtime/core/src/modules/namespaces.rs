//! Members of namespaces: `import * as lodash from "lodash"; lodash.set(...)`. What a CommonJS module exports is not always
//! seen in its text, so the names that an importer uses are looked up when the module has run.

use super::OPTIONAL;

/// For each `import * as name from "specifier"` of a text: the specifier, and the names that follow `name.`, as optional ones.
pub(super) fn members(text: &str) -> Vec<(String, Vec<String>)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    for (at, mark) in text.match_indices("* as ") {
        let line = text[..at].rfind(['\n', ';']).map_or(0, |end| end + 1);
        if !text[line..at].trim_start().starts_with("import") {
            continue;
        }
        let rest = &text[at + mark.len()..];
        let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let Some(after) = rest[name.len()..].trim_start().strip_prefix("from") else { continue };
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
        let Some(specifier) = after[1..].split(quote).next() else { continue };
        let mut names: Vec<String> = Vec::new();
        for (use_at, _) in text.match_indices(name) {
            if name.is_empty() || text[..use_at].chars().next_back().is_some_and(|c| is_word(c) || c == '.') {
                continue;
            }
            let Some(member) = text[use_at + name.len()..].strip_prefix(['.', '?']) else { continue };
            let member = member.strip_prefix('.').unwrap_or(member);
            let member = &member[..member.find(|c| !is_word(c)).unwrap_or(member.len())];
            if member.chars().next().is_some_and(|c| !c.is_numeric())
                && !names.iter().any(|known| &known[1..] == member)
            {
                names.push(format!("{OPTIONAL}{member}"));
            }
        }
        if !names.is_empty() {
            found.push((specifier.to_owned(), names));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn members_of_namespaces_are_found() {
        let text = "import * as lodash from 'lodash'\nimport d, * as b from \"b\";\nlodash.set(1); lodash?.find; x.lodash.no; b.c + mylodash.no; lodash.set";
        let found = super::members(text);
        assert_eq!(
            found,
            [
                ("lodash".to_owned(), vec!["\0set".to_owned(), "\0find".to_owned()]),
                ("b".to_owned(), vec!["\0c".to_owned()]),
            ]
        );
    }
}
