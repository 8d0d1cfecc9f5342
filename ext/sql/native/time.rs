//! Times of databases as milliseconds since 1970.

/// 2000-01-01, from which PostgreSQL counts.
const EPOCH: f64 = 946_684_800_000.0;
const DAY: f64 = 86_400_000.0;

/// Microseconds since 2000; the ends of the range are the infinities. What is less than a millisecond is dropped.
pub(crate) fn milliseconds_of_microseconds(count: i64) -> f64 {
    match count {
        i64::MAX => f64::INFINITY,
        i64::MIN => f64::NEG_INFINITY,
        _ => count.div_euclid(1000) as f64 + EPOCH,
    }
}

/// Days since 2000.
pub(crate) fn milliseconds_of_days(count: i32) -> f64 {
    match count {
        i32::MAX => f64::INFINITY,
        i32::MIN => f64::NEG_INFINITY,
        _ => f64::from(count) * DAY + EPOCH,
    }
}

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin with March: the day that leap years have more is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A moment in UTC; NaN for a day that no calendar has, as days and months that are 0.
pub(crate) fn moment([year, month, day]: [i64; 3], seconds: i64, micros: i64) -> f64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    if !(1..=days).contains(&day) {
        return f64::NAN;
    }
    (days_of(year, month, day) * 86_400_000 + seconds * 1000 + micros.div_euclid(1000)) as f64
}

/// What is left of a text.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self, least: usize) -> Option<i64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count < least || count > 9 {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    /// Takes a byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        match self.0 {
            [first, rest @ ..] if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }
}

/// "2020-01-02", "2020-01-02 03:04:05.678+02:30", "0044-03-15 BC", "infinity"; None for everything else.
pub(crate) fn date_of_text(text: &[u8]) -> Option<f64> {
    match text {
        b"infinity" => return Some(f64::INFINITY),
        b"-infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let (text, is_before) = match text.strip_suffix(b" BC") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let mut reader = Reader(text);
    let year = reader.number(4)?;
    if !reader.take(b'-') {
        return None;
    }
    let month = reader.number(2)?;
    if !reader.take(b'-') {
        return None;
    }
    let day = reader.number(2)?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let mut milliseconds = days_of(if is_before { 1 - year } else { year }, month, day) * 86_400_000;
    if reader.take(b' ') {
        let hour = reader.number(2)?;
        if !reader.take(b':') {
            return None;
        }
        let minute = reader.number(2)?;
        if !reader.take(b':') {
            return None;
        }
        let second = reader.number(2)?;
        milliseconds += (hour * 3600 + minute * 60 + second) * 1000;
        if reader.take(b'.') {
            let before = reader.0.len();
            let fraction = reader.number(1)?;
            let places = u32::try_from(before - reader.0.len()).ok()?;
            milliseconds += fraction * 1000 / 10_i64.pow(places);
        }
        let is_east = reader.take(b'+');
        if is_east || reader.take(b'-') {
            let mut offset = reader.number(2)? * 3600;
            if reader.take(b':') {
                offset += reader.number(2)? * 60;
                if reader.take(b':') {
                    offset += reader.number(2)?;
                }
            }
            milliseconds += if is_east { -offset * 1000 } else { offset * 1000 };
        }
    }
    reader.0.is_empty().then_some(milliseconds as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_times() {
        assert_eq!(date_of_text(b"1970-01-01"), Some(0.0));
        assert_eq!(date_of_text(b"2000-02-29"), Some(951_782_400_000.0));
        assert_eq!(date_of_text(b"2020-01-02 03:04:05.678901+02"), Some(1_577_927_045_678.0));
        assert_eq!(date_of_text(b"1969-12-31 23:59:59.999"), Some(-1.0));
        assert_eq!(date_of_text(b"1970-01-01 00:00:00-05:30"), Some(19_800_000.0));
        assert_eq!(date_of_text(b"0001-01-01"), Some(-62_135_596_800_000.0));
        assert_eq!(date_of_text(b"0001-01-01 BC"), Some(-62_167_219_200_000.0));
        assert_eq!(date_of_text(b"infinity"), Some(f64::INFINITY));
        for bad in [&b""[..], b"2020", b"2020-13-01", b"2020-01-02T", b"2020-01-02 03:04", b"01/02/2020"] {
            assert_eq!(date_of_text(bad), None);
        }
    }

    #[test]
    fn counts_are_times() {
        assert_eq!(milliseconds_of_microseconds(0), 946_684_800_000.0);
        assert_eq!(milliseconds_of_microseconds(-1), 946_684_799_999.0);
        assert_eq!(milliseconds_of_microseconds(i64::MIN), f64::NEG_INFINITY);
        assert_eq!(milliseconds_of_days(1), 946_771_200_000.0);
    }
}
