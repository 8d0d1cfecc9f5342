//! TOML by the crate `toml`.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::value::{SpecialValue, Value};
use crate::diagnostic::Diagnostic;

/// The largest integer that a double holds together with both its neighbours.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

pub(super) fn parse<'a>(text: &'a str, file: &str) -> Result<Value<'a>, Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        Diagnostic::at(text, file, span.start as u32, span.end as u32, error.message())
    })?;
    let fail = |(message, span): (String, std::ops::Range<usize>)| {
        Diagnostic::at(text, file, span.start as u32, span.end as u32, message)
    };
    convert_table(table.into_inner()).map_err(fail)
}

type Failure = (String, std::ops::Range<usize>);

fn convert_table(table: DeTable<'_>) -> Result<Value<'_>, Failure> {
    let entries = table
        .into_iter()
        .map(|(key, value)| Ok((key.into_inner(), convert(value)?)))
        .collect::<Result<Vec<(Cow<'_, str>, Value<'_>)>, Failure>>()?;
    Ok(Value::Object(entries))
}

fn convert(value: Spanned<DeValue<'_>>) -> Result<Value<'_>, Failure> {
    let span = value.span();
    Ok(match value.into_inner() {
        DeValue::String(text) => Value::String(text),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Integer(integer) => {
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
            match parsed {
                Ok(number) if number.abs() <= MAX_SAFE_INTEGER => Value::Number(number as f64),
                Ok(_) => {
                    return Err(("The integer is too large for a JavaScript number (2^53 - 1)".into(), span));
                }
                Err(_) => {
                    return Err(("The integer is outside of the signed 64-bit range".into(), span));
                }
            }
        }
        DeValue::Float(float) => match float.as_str().parse::<f64>() {
            Ok(number) => Value::Number(number),
            Err(_) => return Err(("Invalid number".into(), span)),
        },
        DeValue::Datetime(datetime) => {
            let text = datetime.to_string();
            Value::Temporal(match (datetime.date, datetime.time, datetime.offset) {
                (_, _, Some(_)) => SpecialValue::OffsetDateTime(text),
                (Some(_), Some(_), None) => SpecialValue::LocalDateTime(text),
                (Some(_), None, None) => SpecialValue::LocalDate(text),
                _ => SpecialValue::LocalTime(text),
            })
        }
        DeValue::Array(items) => Value::Array(items.into_iter().map(convert).collect::<Result<_, _>>()?),
        DeValue::Table(table) => convert_table(table)?,
    })
}
