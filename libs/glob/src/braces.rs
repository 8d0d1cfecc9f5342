//! Brace expansion as bash does it: `{a,b}`, nested, `{1..9..2}`, `{a..e}`, `{01..10}`.

/// More results than this are dropped: `{1..9999}{1..9999}` must not eat the memory.
const MAX_RESULTS: usize = 100_000;

/// Nor do all results together become longer than this.
const MAX_BYTES: usize = 32 << 20;

/// Braces deeper than this are plain text.
const MAX_DEPTH: usize = 64;

/// All patterns that `pattern` stands for; just itself if it has no braces to expand. `escapes`: a backslash takes the
/// next character as it is, and stays.
pub(crate) fn expand(pattern: &str, escapes: bool) -> Vec<String> {
    match pattern.find('{') {
        Some(open) if pattern[open..].contains('}') => {}
        _ => return vec![pattern.to_owned()],
    }
    // Bash keeps a leading "{}" as it is.
    match pattern.strip_prefix("{}") {
        Some(rest) => expand_part(rest, true, escapes, 0).into_iter().map(|rest| format!("{{}}{rest}")).collect(),
        None => expand_part(pattern, true, escapes, 0),
    }
}

/// Positions of the first group of braces in `text`.
fn first_group(text: &str, escapes: bool) -> Option<(usize, usize)> {
    // The innermost brace that is open at each point; those still open at the end have no partner.
    let mut open = Vec::new();
    let mut first: Option<(usize, usize)> = None;
    let mut skip = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if skip => skip = false,
            b'\\' if escapes => skip = true,
            b'{' => open.push(at),
            b'}' => {
                if let Some(start) = open.pop()
                    && first.is_none_or(|(known, _)| start < known)
                {
                    first = Some((start, at));
                }
                if open.is_empty() && first.is_some() {
                    return first;
                }
            }
            _ => {}
        }
    }
    first
}

/// Splits the inside of braces at its commas.
fn choices(body: &str, escapes: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut skip) = (0i32, 0, false);
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if skip => skip = false,
            b'\\' if escapes => skip = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&body[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[from..]);
    parts
}

fn expand_part(text: &str, top: bool, escapes: bool, depth: usize) -> Vec<String> {
    let mut results = vec![String::new()];
    let mut rest = text;
    // A pattern that is one choice does not stand for nothing: `{a,}` is `a`.
    let mut drop_empty = None;
    while let Some((open, close)) = first_group(rest, escapes).filter(|_| depth < MAX_DEPTH) {
        let (before, body, after) = (&rest[..open], &rest[open + 1..close], &rest[close + 1..]);
        append(&mut results, &[before]);
        rest = after;
        let range = sequence(body, MAX_RESULTS).filter(|_| !before.ends_with('$'));
        drop_empty.get_or_insert(top && range.is_none() && before.is_empty());
        // `${x}` looks like a variable and stays.
        if before.ends_with('$') {
            append(&mut results, &[&format!("{{{body}}}")]);
            continue;
        }
        if let Some(members) = range {
            append(&mut results, &members);
            continue;
        }
        let parts = choices(body, escapes);
        if parts.len() > 1 {
            let all: Vec<String> =
                parts.iter().flat_map(|part| expand_part(part, false, escapes, depth + 1)).take(MAX_RESULTS).collect();
            append(&mut results, &all);
        } else if let Some(end) = later_choice(after) {
            // `{a},b}` is a choice between `a}` and `b`.
            let mut all = Vec::new();
            let whole = format!("{body}\0{}", &after[..end]);
            for part in choices(&whole, escapes) {
                all.extend(expand_part(&part.replace('\0', "}"), false, escapes, depth + 1));
            }
            append(&mut results, &all);
            rest = &after[end + 1..];
        } else {
            // Nothing to choose from: the braces are literal.
            let inner = expand_part(body, false, escapes, depth + 1);
            let inner: Vec<String> = inner.into_iter().map(|one| format!("{{{one}}}")).collect();
            append(&mut results, &inner);
        }
    }
    append(&mut results, &[rest]);
    if drop_empty == Some(true) {
        results.retain(|result| !result.is_empty());
    }
    results
}

/// The last brace after a comma, if there is one: it may close a group that seemed to be closed before.
fn later_choice(after: &str) -> Option<usize> {
    let bytes = after.as_bytes();
    let end = after.rfind('}')?;
    (0..end).any(|at| bytes[at] == b',' && bytes[at + 1] != b',').then_some(end)
}

/// Every result so far with every one of `texts` at its end.
fn append<T: AsRef<str>>(results: &mut Vec<String>, texts: &[T]) {
    if let [text] = texts {
        results.iter_mut().for_each(|result| result.push_str(text.as_ref()));
        return;
    }
    let mut out = Vec::with_capacity((results.len() * texts.len()).min(MAX_RESULTS));
    let mut bytes = 0;
    for start in &*results {
        for text in texts {
            bytes += start.len() + text.as_ref().len();
            if out.len() >= MAX_RESULTS || bytes > MAX_BYTES {
                *results = out;
                return;
            }
            out.push(format!("{start}{}", text.as_ref()));
        }
    }
    *results = out;
}

/// The members of `1..5`, `a..e` or `01..10..3`; `None` if the text is no such range, or one with more than `most` members.
pub(crate) fn sequence(body: &str, most: usize) -> Option<Vec<String>> {
    let mut parts = body.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = match step {
        Some(step) => number(step)?.unsigned_abs().max(1),
        None => 1,
    };
    let (low, high, letters) = match (from.as_bytes(), to.as_bytes()) {
        (&[from], &[to]) if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() => (from.into(), to.into(), true),
        _ => (number(from)?, number(to)?, false),
    };
    let count = low.abs_diff(high) / step;
    if count >= most as u64 {
        return None;
    }
    // One bound with a leading zero pads all members to the longer bound.
    let is_padded = |text: &str| {
        let digits = text.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if is_padded(from) || is_padded(to) { from.len().max(to.len()) } else { 0 };
    let member = |index: u64| {
        let offset = (index * step) as i64;
        let value = if low <= high { low + offset } else { low - offset };
        match value {
            // As in bash, the backslash between the letters is nothing.
            0x5c if letters => String::new(),
            value if letters => char::from(value as u8).to_string(),
            value => format!("{value:0width$}"),
        }
    };
    Some((0..=count).map(member).collect())
}

/// Digits with a minus before them or not.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
