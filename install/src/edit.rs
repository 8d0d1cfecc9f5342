//! Edits of package.json that leave everything else as it is: indentation, order, line ends, comments.

use crate::json::{Node, Value, quote};

/// The dependency groups in the order in which they are looked through.
pub const GROUPS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// A package.json under edit.
pub struct Document {
    pub text: String,
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
            out.push('\n');
            return Self { text: out };
        }
        Self { text: text.to_owned() }
    }

    /// Runs `f` on the parsed text; nothing where it is not JSON.
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
        let (start, end) = (at.start, at.end);
        let members: Vec<(String, usize, usize)> = match &at.node {
            Node::Object(members) => {
                members.iter().map(|member| (member.key.to_string(), member.key_at, member.value.end)).collect()
            }
            _ => return,
        };
        // Only dependencies are sorted, not the groups themselves.
        self.insert(&members, start, end, path[depth], &inner, depth, sorted && depth + 1 == path.len());
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

    #[allow(clippy::too_many_arguments, reason = "a place in the text has as many coordinates")]
    pub fn insert(
        &mut self,
        members: &[(String, usize, usize)],
        start: usize,
        end: usize,
        key: &str,
        json: &str,
        depth: usize,
        sorted: bool,
    ) {
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

    /// Sets a dependency in a group and removes it from the others that cannot hold it at the same time.
    pub fn set_dependency(&mut self, group: &str, name: &str, literal: &str) {
        for other in ["dependencies", "devDependencies", "optionalDependencies"] {
            if other != group && group != "peerDependencies" && self.get(other, name).is_some() {
                self.remove(&[other, name]);
            }
        }
        let mut json = String::new();
        quote(literal, &mut json);
        self.set(&[group, name], &json, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_the_rest() {
        let mut document = Document::new(
            "{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"b\": \"1\"\n    }\n}\n",
        );
        document.set_dependency("dependencies", "a", "^2");
        document.set_dependency("devDependencies", "c", "3");
        assert_eq!(
            document.text,
            "{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"a\": \"^2\",\n        \"b\": \"1\"\n    },\n    \"devDependencies\": {\n        \"c\": \"3\"\n    }\n}\n"
        );
        assert!(document.remove(&["dependencies", "b"]));
        assert!(document.remove(&["devDependencies", "c"]));
        assert_eq!(
            document.text,
            "{\n    \"name\": \"x\",\n    // why\n    \"dependencies\": {\n        \"a\": \"^2\"\n    }\n}\n"
        );
        let mut line = Document::new("{\"name\":\"q\",\"dependencies\":{\"z\":\"1\"}}");
        line.set_dependency("devDependencies", "a", "1");
        assert_eq!(
            line.text,
            "{\n  \"name\": \"q\",\n  \"dependencies\": {\n    \"z\": \"1\"\n  },\n  \"devDependencies\": {\n    \"a\": \"1\"\n  }\n}\n"
        );
        let mut mixed = Document::new("{\n  \"dependencies\": {\n    \"c\": \"1\", // c\n    \"a\": \"2\"\n  }\n}");
        mixed.sort("dependencies");
        assert_eq!(mixed.text, "{\n  \"dependencies\": {\n    \"a\": \"2\", // c\n    \"c\": \"1\"\n  }\n}");
        let mut empty = Document::new("{}");
        empty.set_dependency("dependencies", "a", "1");
        assert_eq!(empty.text, "{\n  \"dependencies\": {\n    \"a\": \"1\"\n  }\n}");
    }
}
