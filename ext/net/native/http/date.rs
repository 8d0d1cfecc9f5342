//! The Date header of responses (RFC 9110, 5.6.7), written once a second.

/// `Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n` of the second it was asked for last.
#[derive(Debug, Default)]
pub struct DateLine {
    second: i64,
    line: Vec<u8>,
}

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl DateLine {
    /// Appends the line of now.
    pub fn append(&mut self, out: &mut Vec<u8>) {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes one struct; the coarse clock is a read from memory.
        unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now) };
        if self.line.is_empty() || now.tv_sec != self.second {
            self.second = now.tv_sec;
            self.line = format!("Date: {}\r\n", http_date(now.tv_sec)).into_bytes();
        }
        out.extend_from_slice(&self.line);
    }
}

/// A time in seconds since 1970 as HTTP writes it.
pub fn http_date(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400);
    let rest = seconds.rem_euclid(86_400);
    // Civil date of a day number: years begin in March, so that leap days come last; eras are 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        DAYS[days.rem_euclid(7) as usize],
        MONTHS[(month - 1) as usize],
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::http_date;

    #[test]
    fn dates() {
        assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(http_date(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(http_date(4_107_542_399), "Sun, 28 Feb 2100 23:59:59 GMT");
    }
}
