//! Flags that only one command has, taken out of its arguments before the common ones are read.

use crate::config::args;
use crate::error::{Code, Error, Result};

/// Name, short form (NUL: none), whether it takes a value.
pub(crate) type Flag = (&'static str, char, bool);

/// The flags that were given, in their order.
#[derive(Debug, Default)]
pub(crate) struct Own {
    given: Vec<(&'static str, Option<String>)>,
    /// Those given as `--NAME=false`.
    off: Vec<&'static str>,
}

impl Own {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(known, _)| *known == name)
    }

    /// Whether the flag was given as `--NAME=false`.
    pub(crate) fn is_off(&self, name: &str) -> bool {
        self.off.contains(&name)
    }

    /// The last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().rev().find(|(known, _)| *known == name)?.1.as_deref()
    }
}

/// Takes the flags of `table` out of `arguments`; what is left is for [`crate::config::parse_args`].
///
/// # Errors
/// A flag lacks its value.
pub(crate) fn split(arguments: &[String], table: &[Flag]) -> Result<(Own, Vec<String>)> {
    let mut own = Own::default();
    let mut rest = Vec::with_capacity(arguments.len());
    let mut list = arguments.iter();
    let missing = |argument: &str| Error::new(Code::Usage, format!("{argument} needs a value"));
    while let Some(argument) = list.next() {
        if argument == "--" {
            rest.push(argument.clone());
            rest.extend(list.by_ref().cloned());
            break;
        }
        let (name, inline) = match argument.strip_prefix("--") {
            Some(long) => long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value))),
            None => ("", None),
        };
        let mut chars = argument.chars();
        let short = match (chars.next(), chars.next(), chars.next()) {
            (Some('-'), Some(short), None | Some('=')) if short != '-' => short,
            _ => '\0',
        };
        let found = table.iter().find(|(known, letter, _)| *known == name || (short != '\0' && *letter == short));
        if let Some(&(known, _, takes)) = found {
            let inline = inline.or_else(|| argument.get(3..).filter(|_| short != '\0' && argument.len() > 3));
            let value = match (takes, inline) {
                (true, Some(value)) => Some(value.to_owned()),
                (true, None) => Some(list.next().ok_or_else(|| missing(argument))?.clone()),
                (false, Some("false")) => {
                    own.off.push(known);
                    continue;
                }
                (false, _) => None,
            };
            own.given.push((known, value));
            continue;
        }
        rest.push(argument.clone());
        if inline.is_none() && args::takes_value(argument) {
            rest.extend(list.next().cloned());
        }
    }
    Ok((own, rest))
}

/// Whether a common flag takes the next word.
pub(crate) fn takes_value(argument: &str) -> bool {
    args::takes_value(argument)
}

/// The first word that is no flag and no flag's value, and its place.
pub(crate) fn first_word(arguments: &[String]) -> Option<(usize, &str)> {
    let mut at = 0;
    while at < arguments.len() {
        let argument = arguments[at].as_str();
        if !argument.starts_with('-') || argument == "-" {
            return Some((at, argument));
        }
        at += 1 + usize::from(args::takes_value(argument));
    }
    None
}
