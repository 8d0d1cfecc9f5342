//! Dates of MS-DOS: two seconds a step, from 1980 on, in a time zone that nobody tells. They are taken as UTC.

const DAY: i64 = 24 * 60 * 60;
/// 1980-01-01 in seconds since 1970.
const FIRST: i64 = 315_532_800;
/// 2107-12-31 23:59:58.
const LAST: i64 = 4_354_819_198;

/// Days since 1970 of a date (Howard Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds since 1970 of a time and a date.
pub(crate) fn to_seconds(time: u16, date: u16) -> i64 {
    let (time, date) = (i64::from(time), i64::from(date));
    let day = days(1980 + (date >> 9), (date >> 5 & 15).clamp(1, 12), (date & 31).max(1));
    day * DAY + (time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2
}

/// The time and the date of seconds since 1970, as far as they can be written.
pub(crate) fn of_seconds(seconds: i64) -> (u16, u16) {
    let seconds = seconds.clamp(FIRST, LAST);
    let (day, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // The inverse: `civil_from_days`.
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let time = (of_day / 3600) << 11 | (of_day / 60 % 60) << 5 | (of_day % 60 / 2);
    (time as u16, ((year - 1980) << 9 | month << 5 | day) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for seconds in [FIRST, 951_782_400, 951_868_798, 1_600_000_000, 1_709_164_800, 2_000_000_000, LAST] {
            let (time, date) = of_seconds(seconds);
            assert_eq!(to_seconds(time, date), seconds, "{seconds}");
        }
        assert_eq!(to_seconds(0, 0x21), FIRST);
        let (time, date) = of_seconds(0);
        assert_eq!(to_seconds(time, date), FIRST);
    }
}
