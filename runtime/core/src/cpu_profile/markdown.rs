//! A profile as tables in Markdown, laid out as Bun's `--cpu-prof-md`. Time in which the loop waits is left out.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::{CallFrame, Readable};

/// Rows of the tables, at most.
const MAX_ROWS: usize = 50;

/// A function, with what all its calls took together.
#[derive(Default)]
struct Row {
    name: String,
    place: String,
    file: String,
    samples: u64,
    /// Microseconds on top of the stack, and anywhere on it.
    own: u64,
    total: u64,
    callers: BTreeMap<usize, u64>,
    callees: BTreeMap<usize, u64>,
}

fn name_of(frame: &CallFrame) -> &str {
    match (frame.name.as_str(), frame.line, frame.column) {
        ("", 0, 0) => "(module)",
        ("", ..) => "(anonymous)",
        (name, ..) => name,
    }
}

fn time(micros: u64) -> String {
    match micros {
        1_000_000.. => format!("{:.2}s", micros as f64 / 1e6),
        1000.. => format!("{:.1}ms", micros as f64 / 1e3),
        _ => format!("{micros}us"),
    }
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1}%", 100.0 * part as f64 / whole.max(1) as f64)
}

/// A code span, whatever the text is.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// The functions, and the time of all.
fn rows(readable: &Readable<'_>) -> (Vec<Row>, u64) {
    let profile = readable.profile;
    let mut rows: Vec<Row> = Vec::new();
    let mut by_function: HashMap<(&str, &str, i64), usize> = HashMap::new();
    // The row of each of the profile's functions; none for the root and for waiting.
    let mut row_of: Vec<Option<usize>> = Vec::new();
    for frame in &readable.frames {
        if matches!(frame.name.as_str(), "(root)" | "(idle)") && frame.script == 0 {
            row_of.push(None);
            continue;
        }
        let key = (name_of(frame), frame.url.as_str(), frame.line);
        let row = *by_function.entry(key).or_insert_with(|| {
            let file = frame.url.strip_prefix("file://").unwrap_or(&frame.url);
            let file = if file.is_empty() { "[native code]" } else { file };
            let place = if frame.line < 0 { file.to_string() } else { format!("{file}:{}", frame.line + 1) };
            rows.push(Row { name: name_of(frame).into(), place, file: file.into(), ..Row::default() });
            rows.len() - 1
        });
        row_of.push(Some(row));
    }
    let mut whole = 0;
    for (sample, delta) in profile.samples.iter().zip(readable.deltas()) {
        let mut node = sample.node as usize;
        let Some(top) = row_of[profile.nodes[node].function as usize] else { continue };
        whole += delta;
        rows[top].samples += 1;
        rows[top].own += delta;
        let mut seen = vec![];
        let mut callee = None;
        while let Some(row) = row_of[profile.nodes[node].function as usize] {
            if !seen.contains(&row) {
                seen.push(row);
                rows[row].total += delta;
            }
            if let Some(callee) = callee {
                *rows[row].callees.entry(callee).or_default() += 1;
                *rows[callee].callers.entry(row).or_default() += 1;
            }
            callee = Some(row);
            node = profile.nodes[node].parent as usize;
        }
    }
    (rows, whole)
}

/// Places of rows, those with the largest numbers first.
fn sorted(rows: &[Row], key: impl Fn(&Row) -> u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&row| key(&rows[row]) > 0).collect();
    order.sort_by_key(|&row| std::cmp::Reverse(key(&rows[row])));
    order
}

fn related(out: &mut String, heading: &str, rows: &[Row], counts: &BTreeMap<usize, u64>) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n**{heading}:**");
    let mut list: Vec<_> = counts.iter().collect();
    list.sort_by_key(|&(_, count)| std::cmp::Reverse(*count));
    for (&row, count) in list {
        let _ = writeln!(out, "- {} ({count})", code(&rows[row].name));
    }
}

pub(super) fn write(readable: &Readable<'_>, interval: u64) -> String {
    let (rows, whole) = rows(readable);
    let by_own = sorted(&rows, |row| row.own);
    let by_total = sorted(&rows, |row| row.total);
    let mut out = String::from("# CPU Profile\n\n");
    if by_total.is_empty() {
        out.push_str("No samples collected.\n");
        return out;
    }
    let samples: u64 = rows.iter().map(|row| row.samples).sum();
    let _ = write!(
        out,
        "| Duration | Samples | Interval | Functions |\n|----------|---------|----------|----------|\n| {} | {samples} | {} | {} |\n\n",
        time(whole),
        time(interval),
        by_total.len()
    );
    let top: Vec<_> = by_own.iter().take(10).map(|&row| &rows[row]).collect();
    let list: Vec<_> = top.iter().map(|row| format!("{} {}", code(&row.name), share(row.own, whole))).collect();
    let _ = write!(out, "**Top {}:** {}\n\n", top.len(), list.join(", "));

    out.push_str("## Hot Functions (Self Time)\n\n| Self% | Self | Total% | Total | Function | Location |\n");
    out.push_str("|------:|-----:|-------:|------:|----------|----------|\n");
    for row in by_own.iter().take(MAX_ROWS).map(|&row| &rows[row]) {
        let (own, total) = (share(row.own, whole), share(row.total, whole));
        let (own_time, total_time) = (time(row.own), time(row.total));
        let (name, place) = (code(&row.name), code(&row.place));
        let _ = writeln!(out, "| {own} | {own_time} | {total} | {total_time} | {name} | {place} |");
    }
    out.push_str("\n## Call Tree (Total Time)\n\n| Total% | Total | Self% | Self | Function | Location |\n");
    out.push_str("|-------:|------:|------:|-----:|----------|----------|\n");
    for row in by_total.iter().take(MAX_ROWS).map(|&row| &rows[row]) {
        let (own, total) = (share(row.own, whole), share(row.total, whole));
        let (own_time, total_time) = (time(row.own), time(row.total));
        let (name, place) = (code(&row.name), code(&row.place));
        let _ = writeln!(out, "| {total} | {total_time} | {own} | {own_time} | {name} | {place} |");
    }
    out.push_str("\n## Function Details\n");
    for row in by_total.iter().take(MAX_ROWS).map(|&row| &rows[row]) {
        let _ = write!(
            out,
            "\n### {}\n{} | Self: {} ({}) | Total: {} ({}) | Samples: {}\n",
            code(&row.name),
            code(&row.place),
            share(row.own, whole),
            time(row.own),
            share(row.total, whole),
            time(row.total),
            row.samples
        );
        related(&mut out, "Called by", &rows, &row.callers);
        related(&mut out, "Calls", &rows, &row.callees);
    }
    let mut files: HashMap<&str, u64> = HashMap::new();
    for row in &rows {
        *files.entry(&row.file).or_default() += row.own;
    }
    let mut files: Vec<_> = files.into_iter().filter(|file| file.1 > 0).collect();
    files.sort_by_key(|&(file, own)| (std::cmp::Reverse(own), file));
    out.push_str("\n## Files\n\n| Self% | Self | File |\n|------:|-----:|------|\n");
    for (file, own) in files {
        let _ = writeln!(out, "| {} | {} | {} |", share(own, whole), time(own), code(file));
    }
    out
}
