//! A list on a terminal to choose from, in groups, with columns of versions: what `update --interactive` shows.
//!
//! The list is drawn in place on standard output with one write a key; the terminal is put back as it was on every way out, signals
//! that end the process included.

use crate::error::{Error, Result};
use crate::ui::paint;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use semver::Version;
use std::io::{IsTerminal, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;

/// A line of the list.
pub(crate) struct Item {
    /// Heading; items of one group stand together.
    pub group: &'static str,
    pub name: String,
    /// Shown dimmed behind the name.
    pub note: &'static str,
    pub current: String,
    /// The newest within the range, and the newest.
    pub target: String,
    pub latest: String,
    /// Which package of the workspace.
    pub workspace: String,
    pub selected: bool,
    pub use_latest: bool,
}

/// What the person did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Confirmed,
    Cancelled,
}

/// Whether a list can be shown.
pub(crate) fn possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

static SAVED: OnceLock<Termios> = OnceLock::new();
const LEAVE: &[u8] = b"\x1b[?25h";

extern "C" fn interrupted(signal: libc::c_int) {
    if let Some(saved) = SAVED.get() {
        // SAFETY: descriptor 0 is open for as long as the list is shown.
        let _ = tcsetattr(unsafe { BorrowedFd::borrow_raw(0) }, OptionalActions::Now, saved);
    }
    // SAFETY: write, signal and raise are async-signal-safe, so is tcsetattr above; the bytes are static.
    unsafe {
        libc::write(1, LEAVE.as_ptr().cast(), LEAVE.len());
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// The terminal without line editing and echo, until it is dropped.
struct Raw;

impl Raw {
    fn enter() -> Result<Self> {
        let failed = |error| Error::io("cannot set up", "the terminal", std::io::Error::from(error));
        let saved = tcgetattr(std::io::stdin()).map_err(failed)?;
        let mut raw = saved.clone();
        raw.local_modes &= !(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        let _ = SAVED.set(saved);
        super::progress::guard_signals(interrupted);
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &raw).map_err(failed)?;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(saved) = SAVED.get() {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, saved);
        }
        let _ = std::io::stdout().write_all(LEAVE);
        let _ = std::io::stdout().flush();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    Toggle,
    All,
    None,
    Invert,
    Latest,
    Confirm,
    Cancel,
}

/// The keys in what was read: a terminal sends a key's bytes at once.
fn keys(bytes: &[u8]) -> Vec<Key> {
    const SEQUENCES: &[(&[u8], Key)] = &[
        (b"\x1b[A", Key::Up),
        (b"\x1bOA", Key::Up),
        (b"\x1b[B", Key::Down),
        (b"\x1bOB", Key::Down),
        (b"\x1b[Z", Key::Up),
        (b"\x1b[H", Key::Top),
        (b"\x1b[1~", Key::Top),
        (b"\x1b[F", Key::Bottom),
        (b"\x1b[4~", Key::Bottom),
        (b"\x1b[5~", Key::PageUp),
        (b"\x1b[6~", Key::PageDown),
    ];
    let mut list = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some((sequence, key)) = SEQUENCES.iter().find(|(sequence, _)| rest.starts_with(sequence)) {
            list.push(*key);
            at += sequence.len();
            continue;
        }
        if rest.starts_with(b"\x1b[") {
            // A sequence that means nothing here: up to its last byte.
            let end = rest[2..].iter().position(|byte| (0x40..0x7f).contains(byte)).map_or(rest.len(), |end| end + 3);
            at += end;
            continue;
        }
        let key = match rest[0] {
            b'k' => Some(Key::Up),
            b'j' | b'\t' => Some(Key::Down),
            b'g' => Some(Key::Top),
            b'G' => Some(Key::Bottom),
            b' ' => Some(Key::Toggle),
            b'a' | b'A' => Some(Key::All),
            b'n' | b'N' => Some(Key::None),
            b'i' | b'I' => Some(Key::Invert),
            b'l' | b'L' => Some(Key::Latest),
            b'\r' | b'\n' => Some(Key::Confirm),
            b'q' | b'Q' | 0x03 | 0x04 | 0x1b => Some(Key::Cancel),
            _ => None,
        };
        list.extend(key);
        at += 1;
    }
    list
}

/// The list while it is shown.
struct List<'a> {
    items: &'a mut [Item],
    at: usize,
    wide: bool,
}

impl List<'_> {
    fn press(&mut self, key: Key, page: usize) -> Option<Answer> {
        let last = self.items.len() - 1;
        match key {
            Key::Up => self.at = if self.at == 0 { last } else { self.at - 1 },
            Key::Down => self.at = if self.at == last { 0 } else { self.at + 1 },
            Key::Top => self.at = 0,
            Key::Bottom => self.at = last,
            Key::PageUp => self.at = self.at.saturating_sub(page),
            Key::PageDown => self.at = (self.at + page).min(last),
            Key::Toggle => self.items[self.at].selected ^= true,
            Key::All => self.items.iter_mut().for_each(|item| item.selected = true),
            Key::None => self.items.iter_mut().for_each(|item| item.selected = false),
            Key::Invert => self.items.iter_mut().for_each(|item| item.selected ^= true),
            Key::Latest => {
                let item = &mut self.items[self.at];
                // Where both are the same there is nothing to change over to.
                item.use_latest = !item.use_latest || item.target == item.current;
                item.selected = true;
            }
            Key::Confirm => return Some(Answer::Confirmed),
            Key::Cancel => return Some(Answer::Cancelled),
        }
        None
    }

    /// The list as lines with tags, at most `height` of them, none longer than `width`.
    fn draw(&self, width: usize, height: usize) -> Vec<String> {
        let longest = |text: &dyn Fn(&Item) -> usize| self.items.iter().map(text).max().unwrap_or(0);
        let name = longest(&|item| item.name.len() + item.note.len() + 4)
            .max(longest(&|item| item.group.len() + 3))
            .min(width / 2);
        let current = longest(&|item| item.current.len()).max(7);
        let target = longest(&|item| item.target.len()).max(6);
        let latest = longest(&|item| item.latest.len()).max(6);
        let mut body: Vec<(String, bool)> = Vec::new();
        let mut group = "";
        for (at, item) in self.items.iter().enumerate() {
            if item.group != group {
                group = item.group;
                let chosen = self.items.iter().filter(|item| item.group == group && item.selected).count();
                let (bold, count) = if chosen > 0 { ("<b>", format!(" {chosen}")) } else { ("", String::new()) };
                let pad = " ".repeat((name + 1).saturating_sub(group.len() + count.len()));
                if !body.is_empty() {
                    body.push((String::new(), false));
                }
                let titles = format!("{:current$}  {:target$}  {:latest$}", "Current", "Target", "Latest");
                let more = if self.wide { "  Workspace" } else { "" };
                body.push((format!("  {bold}{group}{count}<r>{pad} {titles}{more}"), false));
            }
            body.push((self.line(item, at == self.at, [name, current, target, latest]), at == self.at));
        }
        let mut lines = vec![
            "<cyan>?<r> Select packages to update<d> - Space to toggle, Enter to confirm, a to select all, n to select none, i to invert, l to toggle latest<r>".to_owned(),
            String::new(),
        ];
        // What fits around the line that the cursor is on.
        let room = height.saturating_sub(lines.len() + 3).max(3);
        let here = body.iter().position(|(_, here)| *here).unwrap_or(0);
        let first = if body.len() <= room { 0 } else { here.saturating_sub(room / 2).min(body.len() - room) };
        let end = (first + room).min(body.len());
        if first > 0 {
            lines.push(format!("  <d>↑ {first} more<r>"));
        }
        lines.extend(body[first..end].iter().map(|(line, _)| line.clone()));
        if end < body.len() {
            lines.push(format!("  <d>↓ {} more<r>", body.len() - end));
        }
        lines.into_iter().map(|line| clip(&line, width)).collect()
    }

    fn line(&self, item: &Item, here: bool, [name, current, target, latest]: [usize; 4]) -> String {
        let pointer = if here { "<cyan>❯<r>" } else { " " };
        let goal = if item.use_latest { &item.latest } else { &item.target };
        let (_, colour) = difference(&item.current, goal);
        let (mark, tint) = if item.selected { (format!("{colour}■<r>"), colour) } else { ("□".to_owned(), "") };
        let mut shown = item.name.clone();
        let room = name.saturating_sub(item.note.len() + 4);
        if shown.len() > room {
            shown.truncate(room.saturating_sub(1));
            shown.push('…');
        }
        let pad = " ".repeat((name + 1).saturating_sub(shown.chars().count() + item.note.len() + 4));
        let version = |version: &str, width: usize, chosen: bool| {
            let (same, colour) = difference(&item.current, version);
            let underline = if chosen && item.selected { "<u>" } else { "" };
            let text = if same == version.len() {
                format!("{underline}<d>{version}<r>")
            } else {
                format!("{underline}<d>{}<r>{underline}<b>{colour}{}<r>", &version[..same], &version[same..])
            };
            format!("{text}{}", " ".repeat(width - version.len()))
        };
        let pad_current = " ".repeat(current - item.current.len());
        let mut line = format!(
            "  {pointer} {mark} {tint}{shown}<r><d>{}<r>{pad}  {}{pad_current}  {}  {}",
            item.note,
            item.current,
            version(&item.target, target, !item.use_latest),
            version(&item.latest, latest, item.use_latest),
        );
        if self.wide {
            line.push_str(&format!("  <d>{}<r>", item.workspace));
        }
        line
    }
}

/// How much of `to` is the same as in `from`, in whole numbers of the version, and the colour of the change: major red, minor yellow,
/// patch green. Below 1.0.0 a minor version is as good as a major one.
fn difference(from: &str, to: &str) -> (usize, &'static str) {
    let (Some(a), Some(b)) = (Version::parse(from), Version::parse(to)) else { return (0, "<red>") };
    let numbers = |text: &str| -> Vec<usize> { text.match_indices('.').map(|(at, _)| at + 1).take(2).collect() };
    let dots = numbers(to);
    let major = if b.major == 0 && a.major == 0 { a.minor != b.minor } else { a.major != b.major };
    if a.major != b.major {
        (0, "<red>")
    } else if a.minor != b.minor {
        (dots.first().copied().unwrap_or(0), if major { "<red>" } else { "<yellow>" })
    } else if from == to {
        (to.len(), "<green>")
    } else {
        (dots.get(1).copied().unwrap_or(0), "<green>")
    }
}

/// Cuts a line with tags to `width` columns.
fn clip(line: &str, width: usize) -> String {
    if paint(line, false).chars().count() <= width {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut columns = 0;
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        if char == '<'
            && let Some(end) = rest.find('>')
            && paint(&rest[..=end], false).is_empty()
        {
            out.push_str(&rest[..=end]);
            rest = &rest[end + 1..];
            continue;
        }
        if columns + 1 >= width {
            break;
        }
        out.push(char);
        columns += 1;
        rest = &rest[char.len_utf8()..];
    }
    out.push_str("…<r>");
    out
}

/// Shows the list until it is confirmed or given up. `wide`: with the packages of the workspace.
///
/// # Errors
/// The terminal cannot be read.
pub(crate) fn choose(items: &mut [Item], wide: bool) -> Result<Answer> {
    if items.is_empty() {
        return Ok(Answer::Confirmed);
    }
    let colours = crate::ui::out_colours();
    let raw = Raw::enter()?;
    let mut list = List { items, at: 0, wide };
    let mut drawn = 0;
    let mut buffer = [0u8; 256];
    let mut answer = None;
    while answer.is_none() {
        let (width, height) = tcgetwinsize(std::io::stdout())
            .map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)));
        let (width, height) = (if width == 0 { 80 } else { width }, if height == 0 { 24 } else { height });
        let lines = list.draw(width, height);
        // One write a frame; terminals that know synchronised output show it at once.
        let mut frame = "\x1b[?2026h\x1b[?25l".to_owned();
        if drawn > 0 {
            frame.push_str(&format!("\x1b[{drawn}A"));
        }
        frame.push('\r');
        for line in &lines {
            frame.push_str(&paint(line, colours));
            frame.push_str("\x1b[K\r\n");
        }
        frame.push_str("\x1b[J\x1b[?2026l");
        drawn = lines.len();
        show(&frame)?;
        let count = std::io::stdin()
            .lock()
            .read(&mut buffer)
            .map_err(|error| Error::io("cannot read", "the terminal", error))?;
        if count == 0 {
            answer = Some(Answer::Cancelled);
        }
        for key in keys(&buffer[..count]) {
            answer = list.press(key, height.saturating_sub(6).max(1));
            if answer.is_some() {
                break;
            }
        }
    }
    show(&format!("\x1b[{drawn}A\r\x1b[J"))?;
    drop(raw);
    Ok(answer.unwrap_or(Answer::Cancelled))
}

fn show(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Error::io("cannot write to", "the terminal", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(group: &'static str, name: &str, versions: [&str; 3]) -> Item {
        let [current, target, latest] = versions.map(str::to_owned);
        let (note, workspace) = ("", String::new());
        Item {
            group,
            name: name.to_owned(),
            note,
            current,
            target,
            latest,
            workspace,
            selected: false,
            use_latest: true,
        }
    }

    #[test]
    fn bytes_to_keys() {
        assert_eq!(keys(b"\x1b[B\x1b[A jq"), [Key::Down, Key::Up, Key::Toggle, Key::Down, Key::Cancel]);
        assert_eq!(keys(b"\x1b[<0;1;1Ma"), [Key::All]);
        assert_eq!(keys(b"\x1b"), [Key::Cancel]);
        assert_eq!(keys(b"xyz"), []);
    }

    #[test]
    fn choosing() {
        let mut items =
            [item("dependencies", "a", ["1.0.0", "1.1.0", "2.0.0"]), item("devDependencies", "b", ["1.0.0"; 3])];
        let mut list = List { items: &mut items, at: 0, wide: false };
        assert_eq!(list.press(Key::Toggle, 5), None);
        list.press(Key::Down, 5);
        list.press(Key::Down, 5);
        list.press(Key::Latest, 5);
        assert!(list.items[0].selected && !list.items[0].use_latest);
        list.press(Key::Invert, 5);
        assert!(!list.items[0].selected && list.items[1].selected);
        assert_eq!(list.press(Key::Confirm, 5), Some(Answer::Confirmed));
    }

    #[test]
    fn lines_fit() {
        let mut items: Vec<Item> =
            (0..100).map(|at| item("dependencies", &format!("package-{at}"), ["1.0.0", "1.0.1", "2.0.0"])).collect();
        for (at, (width, height)) in [(0, (80, 24)), (50, (40, 10)), (99, (200, 30))] {
            let lines = List { items: &mut items, at, wide: false }.draw(width, height);
            assert!(lines.len() < height, "{} of {height}", lines.len());
            assert!(lines.iter().all(|line| paint(line, false).chars().count() <= width));
            assert!(lines.iter().any(|line| line.contains('❯')));
        }
    }

    #[test]
    fn colours_of_changes() {
        assert_eq!(difference("1.0.0", "2.0.0"), (0, "<red>"));
        assert_eq!(difference("1.0.0", "1.1.0"), (2, "<yellow>"));
        assert_eq!(difference("1.0.0", "1.0.1"), (4, "<green>"));
        assert_eq!(difference("0.1.5", "0.2.0"), (2, "<red>"));
        assert_eq!(difference("1.0.0", "1.0.0"), (5, "<green>"));
    }
}
