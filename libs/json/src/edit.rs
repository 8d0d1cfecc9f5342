//! Edits of a text that leave everything else as it is: indentation, order, line ends, comments.

use crate::tree::{Member, Node, Value};
use crate::write::quote;

/// A document of JSONC under edit.
pub struct Document {
    pub text: String,
}

/// Where the members of an object stand: what is left of a [`Value`] when its text begins to change.
pub struct Slots {
    /// Key, offset of the key, offset behind the value.
    members: Vec<(String, usize, usize)>,
    start: usize,
    end: usize,
}

impl Slots {
    /// Those of `value`, which is an object; of another value, those of an empty one in its place.
    pub fn of(value: &Value<'_>) -> Self {
        let place = |member: &Member<'_>| (member.key.clone().into_owned(), member.key_at, member.value.end);
        Self { members: value.members().iter().map(place).collect(), start: value.start, end: value.end }
    }
}

/// Prints a value with two spaces a level; numbers and strings keep their text.
pub fn pretty(value: &Value<'_>, text: &str, depth: usize, out: &mut String) {
    let (open, close, count) = match &value.node {
        // Lists of plain values stay on their line.
        Node::Array(items) if items.iter().all(|item| !matches!(item.node, Node::Object(_) | Node::Array(_))) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                out.push_str(&text[item.start..item.end]);
            }
            out.push(']');
            return;
        }
        Node::Object(members) => ('{', '}', members.len()),
        Node::Array(items) => ('[', ']', items.len()),
        _ => {
            out.push_str(&text[value.start..value.end]);
            return;
        }
    };
    out.push(open);
    for place in 0..count {
        out.push_str(if place > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Node::Object(members) = &value.node {
            quote(&members[place].key, out);
            out.push_str(": ");
            pretty(&members[place].value, text, depth + 1, out);
        } else {
            pretty(&value.items()[place], text, depth + 1, out);
        }
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(close);
}

/// One level of indentation, and the line end.
pub fn style(text: &str) -> (String, &'static str) {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let indent = text
        .lines()
        .skip(1)
        .find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty())
        .map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    (indent.to_owned(), newline)
}

impl Document {
    /// A document on one line is put on several first, as `npm` and Bun do.
    pub fn new(text: &str) -> Self {
        if let Ok(value) = Value::parse(text.as_bytes())
            && !value.members().is_empty()
            && !text[value.start..value.end].contains('\n')
        {
            let mut out = String::with_capacity(text.len() * 2);
            pretty(&value, text, 0, &mut out);
            // As the author ended the file.
            if text.ends_with('\n') {
                out.push('\n');
            }
            return Self { text: out };
        }
        Self { text: text.to_owned() }
    }

    /// Runs `f` on the parsed text; nothing if it is not JSON.
    fn with<T>(&self, f: impl FnOnce(&Value<'_>) -> T) -> Option<T> {
        Value::parse(self.text.as_bytes()).ok().map(|value| f(&value))
    }

    /// Value of `group.name`.
    pub fn get(&self, group: &str, name: &str) -> Option<String> {
        self.with(|value| value.get(group)?.get(name)?.str().map(str::to_owned)).flatten()
    }

    /// Sets `path` (object names, then the key) to a JSON text. Objects on the way are made; a new key is put in its place by
    /// alphabet where `sorted`.
    pub fn set(&mut self, path: &[&str], json: &str, sorted: bool) {
        let Ok(value) = Value::parse(self.text.as_bytes()) else { return };
        let mut at = &value;
        let mut depth = 0;
        while depth < path.len() {
            match at.get(path[depth]) {
                Some(next) if depth + 1 == path.len() => {
                    let (start, end) = (next.start, next.end);
                    self.text.replace_range(start..end, json);
                    return;
                }
                Some(next) if next.is_object() => at = next,
                Some(next) => {
                    // Something that is no object stands in the way: it is replaced.
                    let (start, end) = (next.start, next.end);
                    let inner = self.nested(&path[depth + 1..], json, depth + 1);
                    self.text.replace_range(start..end, &inner);
                    return;
                }
                None => break,
            }
            depth += 1;
        }
        let inner =
            if depth + 1 == path.len() { json.to_owned() } else { self.nested(&path[depth + 1..], json, depth + 1) };
        if !at.is_object() {
            return;
        }
        // Only dependencies are sorted, not the groups themselves.
        self.insert(&Slots::of(at), path[depth], &inner, depth, sorted && depth + 1 == path.len());
    }

    /// `{ "a": { "b": json } }` for the rest of a path.
    fn nested(&self, path: &[&str], json: &str, depth: usize) -> String {
        let (indent, newline) = style(&self.text);
        let Some((key, rest)) = path.split_first() else { return json.to_owned() };
        let inner = self.nested(rest, json, depth + 1);
        let mut out = "{".to_owned();
        out.push_str(newline);
        out.push_str(&indent.repeat(depth + 1));
        quote(key, &mut out);
        out.push_str(": ");
        out.push_str(&inner);
        out.push_str(newline);
        out.push_str(&indent.repeat(depth));
        out.push('}');
        out
    }

    /// Adds a member to `object`, whose own members stand `depth + 1` levels deep: at the end, or in its place by
    /// alphabet if `sorted` and the others are sorted. `json` is the text of its value.
    pub fn insert(&mut self, object: &Slots, key: &str, json: &str, depth: usize, sorted: bool) {
        let Slots { members, start, end } = object;
        let (start, end) = (*start, *end);
        let (indent, newline) = style(&self.text);
        let single_line = !members.is_empty() && !self.text[start..end].contains('\n');
        let lead = if single_line { String::new() } else { format!("{newline}{}", indent.repeat(depth + 1)) };
        let mut member = String::new();
        quote(key, &mut member);
        member.push_str(": ");
        member.push_str(json);
        if members.is_empty() {
            let text = format!("{{{newline}{0}{1}{member}{newline}{0}}}", indent.repeat(depth), indent);
            self.text.replace_range(start..end, &text);
            return;
        }
        let in_order = members.windows(2).all(|pair| pair[0].0 <= pair[1].0);
        let before = if sorted && in_order { members.iter().find(|(other, _, _)| other.as_str() > key) } else { None };
        match before {
            Some(&(_, at, _)) => {
                let text = if single_line { format!("{member}, ") } else { format!("{member},{lead}") };
                self.text.insert_str(at, &text);
            }
            None => {
                let at = members.last().map_or(start + 1, |(_, _, end)| *end);
                let text = if single_line { format!(", {member}") } else { format!(",{lead}{member}") };
                self.text.insert_str(at, &text);
            }
        }
    }

    /// Removes `path`. An object that becomes empty is removed too, unless it is the document. Whether it was there.
    pub fn remove(&mut self, path: &[&str]) -> bool {
        let Ok(value) = Value::parse(self.text.as_bytes()) else { return false };
        let mut at = &value;
        for key in &path[..path.len() - 1] {
            match at.get(key) {
                Some(next) => at = next,
                None => return false,
            }
        }
        let Node::Object(members) = &at.node else { return false };
        let key = path[path.len() - 1];
        let Some(place) = members.iter().position(|member| member.key == key) else { return false };
        if members.len() == 1 && path.len() > 1 {
            return self.remove(&path[..path.len() - 1]);
        }
        let range = if place + 1 < members.len() {
            members[place].key_at..members[place + 1].key_at
        } else if place > 0 {
            members[place - 1].value.end..members[place].value.end
        } else {
            members[place].key_at..members[place].value.end
        };
        self.text.replace_range(range, "");
        true
    }

    /// Puts the entries of a group in the order of their names; what stands between them stays where it is.
    pub fn sort(&mut self, group: &str) {
        let Ok(value) = Value::parse(self.text.as_bytes()) else { return };
        let Some(Node::Object(members)) = value.get(group).map(|group| &group.node) else { return };
        let mut places: Vec<(std::ops::Range<usize>, &str)> =
            members.iter().map(|member| (member.key_at..member.value.end, &*member.key)).collect();
        let slots: Vec<std::ops::Range<usize>> = places.iter().map(|(range, _)| range.clone()).collect();
        places.sort_by(|a, b| a.1.cmp(b.1));
        let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return };
        let mut out = self.text[..first.start].to_owned();
        for (at, (range, _)) in places.iter().enumerate() {
            out.push_str(&self.text[range.clone()]);
            let gap_end = slots.get(at + 1).map_or(last.end, |next| next.start);
            out.push_str(&self.text[slots[at].end..gap_end]);
        }
        out.push_str(&self.text[last.end..]);
        self.text = out;
    }
}
