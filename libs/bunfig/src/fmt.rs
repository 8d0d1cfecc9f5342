//! `[fmt]`: how `bao fmt` prints code, in the names of Prettier's options.

use toml::de::{DeTable, DeValue};

use crate::reader::{Outcome, Reader, integer};

/// Prettier's options and what they take.
const OPTIONS: &[(&str, Takes)] = &[
    ("arrowParens", Takes::Word),
    ("bracketSameLine", Takes::Switch),
    ("bracketSpacing", Takes::Switch),
    ("embeddedLanguageFormatting", Takes::Word),
    ("endOfLine", Takes::Word),
    ("experimentalOperatorPosition", Takes::Word),
    ("experimentalTernaries", Takes::Switch),
    ("htmlWhitespaceSensitivity", Takes::Word),
    ("insertPragma", Takes::Switch),
    ("jsxSingleQuote", Takes::Switch),
    ("objectWrap", Takes::Word),
    ("printWidth", Takes::Number),
    ("proseWrap", Takes::Word),
    ("quoteProps", Takes::Word),
    ("requirePragma", Takes::Switch),
    ("semi", Takes::Switch),
    ("singleAttributePerLine", Takes::Switch),
    ("singleQuote", Takes::Switch),
    ("tabWidth", Takes::Number),
    ("trailingComma", Takes::Word),
    ("useTabs", Takes::Switch),
    ("vueIndentScriptAndStyle", Takes::Switch),
];

#[derive(Clone, Copy)]
enum Takes {
    Switch,
    Number,
    Word,
}

/// The options of the table, as words of Prettier's command line (`--no-semi`, `--print-width=100`), in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fmt {
    pub options: Vec<String>,
}

impl Reader<'_> {
    pub(crate) fn fmt(&self, fmt: &mut Fmt, table: &DeTable<'_>) -> Outcome<()> {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let Some((_, takes)) = OPTIONS.iter().find(|(known, _)| *known == name) else {
                return Err(self
                    .error(key.span(), &format!("fmt.{name} is not implemented yet"))
                    .hint("the options of Prettier that bao reads are in docs/cli.md".to_owned()));
            };
            let full = format!("fmt.{name}");
            let option = kebab(name);
            fmt.options.push(match takes {
                Takes::Switch if self.boolean(value, &full)? => format!("--{option}"),
                Takes::Switch => format!("--no-{option}"),
                Takes::Number => match integer(value).filter(|number| (0..=10_000).contains(number)) {
                    Some(number) => format!("--{option}={number}"),
                    None => return Err(self.expected(value, &full, "a whole number of at most 10000")),
                },
                Takes::Word => match value.get_ref() {
                    DeValue::String(word) => format!("--{option}={word}"),
                    _ => return Err(self.expected(value, &full, "a string")),
                },
            });
        }
        Ok(())
    }
}

/// `printWidth` as `print-width`.
fn kebab(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
