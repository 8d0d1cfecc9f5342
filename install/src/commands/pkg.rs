//! `pm pkg`: reads and changes single values of package.json; all other bytes stay.

use super::pack::{manifest_text, own_directory};
use crate::atomic_write::write_atomic;
use crate::config::parse_args;
use crate::error::{Code, Error, Result};
use crate::pack::list::bins;
use crate::project;
use json::{Document, Node, Slots, Value, pretty, quote, style};
use semver::Version;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    /// `[0]`
    Index(usize),
    /// `[]`
    Append,
}

/// `a.b[0].c["d.e"]` in steps.
fn steps(text: &str) -> Option<Vec<Step>> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (name, after) = match quote {
                Some(quote) => inner[1..].split_once(&format!("{quote}]"))?,
                None => inner.split_once(']')?,
            };
            out.push(match name.parse::<usize>() {
                Ok(index) if quote.is_none() => Step::Index(index),
                _ if name.is_empty() && quote.is_none() => Step::Append,
                _ => Step::Key(name.to_owned()),
            });
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            out.push(Step::Key(rest[..end].to_owned()));
            rest = &rest[end..];
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
    }
    (!out.is_empty()).then_some(out)
}

fn step<'v, 'a>(value: &'v Value<'a>, step: &Step) -> Option<&'v Value<'a>> {
    match (&value.node, step) {
        (Node::Array(items), Step::Key(key)) => items.get(key.parse::<usize>().ok()?),
        (Node::Array(items), Step::Index(index)) => items.get(*index),
        (_, Step::Key(key)) => value.get(key),
        (_, Step::Index(index)) => value.get(&index.to_string()),
        _ => None,
    }
}

fn wrong(path: &str) -> Error {
    Error::new(Code::Usage, format!("\"{path}\" is not a path"))
        .hint("name, scripts.test, files[0], keywords[], scripts[b.c]")
}

/// `get`: one value as it is, several as an object with the paths as keys.
fn get(value: &Value<'_>, text: &str, paths: &[String]) -> Result<()> {
    let mut out = String::new();
    if paths.is_empty() {
        pretty(value, text, 0, &mut out);
        crate::say!("{out}");
        return Ok(());
    }
    let mut found = Vec::new();
    for path in paths {
        let steps = steps(path).ok_or_else(|| wrong(path))?;
        if steps.contains(&Step::Append) {
            return Err(Error::new(Code::Usage, "Empty brackets are not valid syntax for retrieving values."));
        }
        let mut at = Some(value);
        for one in &steps {
            at = at.and_then(|value| step(value, one));
        }
        found.extend(at.map(|value| (path, value)));
    }
    match found.as_slice() {
        [] => out.push_str("{}"),
        [(_, value)] => pretty(value, text, 0, &mut out),
        several => {
            out.push('{');
            for (place, (path, value)) in several.iter().enumerate() {
                out.push_str(if place > 0 { ",\n  " } else { "\n  " });
                quote(path, &mut out);
                out.push_str(": ");
                pretty(value, text, 1, &mut out);
            }
            out.push_str("\n}");
        }
    }
    crate::say!("{out}");
    Ok(())
}

/// The JSON text of what is made for the rest of a path.
fn made(rest: &[Step], json: &str, path: &str, indent: &str, newline: &str, depth: usize) -> Result<String> {
    let Some((first, rest)) = rest.split_first() else { return Ok(json.to_owned()) };
    let (outer, inner) = (indent.repeat(depth), indent.repeat(depth + 1));
    match first {
        Step::Index(index) if *index > 0 => {
            let name = path.split_once(&format!("[{index}]")).map_or(path, |(name, _)| name);
            Err(out_of_range(path, *index, name, 0))
        }
        Step::Append | Step::Index(_) => {
            let value = made(rest, json, path, indent, newline, depth + 1)?;
            Ok(format!("[{newline}{inner}{value}{newline}{outer}]"))
        }
        Step::Key(key) => {
            let value = made(rest, json, path, indent, newline, depth + 1)?;
            let mut name = String::new();
            quote(key, &mut name);
            Ok(format!("{{{newline}{inner}{name}: {value}{newline}{outer}}}"))
        }
    }
}

fn out_of_range(path: &str, index: usize, name: &str, length: usize) -> Error {
    Error::new(Code::Usage, format!("\"{path}\": index {index} is out of range for \"{name}\" (length {length})"))
        .hint(format!("{name}[] appends to the end of the array"))
}

/// The text of an array with other items: on one line as before, or one line each.
fn array(items: &[String], single: bool, indent: &str, newline: &str, depth: usize) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    if single && items.iter().all(|item| !item.contains('\n')) {
        return format!("[{}]", items.join(", "));
    }
    let inner = format!("{newline}{}", indent.repeat(depth + 1));
    format!("[{inner}{}{newline}{}]", items.join(&format!(",{inner}")), indent.repeat(depth))
}

/// Sets `path` in a document.
fn set(document: &mut Document, path: &str, json: &str) -> Result<()> {
    let steps = steps(path).ok_or_else(|| wrong(path))?;
    let text = document.text.clone();
    let value = project::parse(&text, std::path::Path::new("package.json"))?;
    let (indent, newline) = style(&text);
    let mut at = &value;
    let mut depth = 0;
    let mut name = String::new();
    while depth < steps.len() {
        match step(at, &steps[depth]) {
            Some(next) if depth + 1 == steps.len() => {
                document.text.replace_range(next.start..next.end, json);
                return Ok(());
            }
            Some(next) => at = next,
            None => break,
        }
        match &steps[depth] {
            Step::Key(key) if name.is_empty() => name.clone_from(key),
            Step::Key(key) => name = format!("{name}.{key}"),
            Step::Index(index) => name = format!("{name}[{index}]"),
            Step::Append => {}
        }
        depth += 1;
    }
    match (&at.node, &steps[depth]) {
        (Node::Object(_), Step::Key(key)) => {
            let inner = made(&steps[depth + 1..], json, path, &indent, newline, depth + 1)?;
            document.insert(&Slots::of(at), key, &inner, depth, false);
        }
        (Node::Array(items), first) => {
            let index = match first {
                Step::Append => items.len(),
                Step::Index(index) => *index,
                Step::Key(key) => key.parse().map_err(|_| {
                    let what = format!("\"{path}\": \"{name}\" is an array, so \"{key}\" must be an index or []");
                    Error::new(Code::Usage, what)
                })?,
            };
            if index > items.len() {
                return Err(out_of_range(path, index, &name, items.len()));
            }
            let inner = made(&steps[depth + 1..], json, path, &indent, newline, depth + 1)?;
            let mut texts: Vec<String> = items.iter().map(|item| text[item.start..item.end].to_owned()).collect();
            texts.push(inner);
            let single = !text[at.start..at.end].contains('\n');
            document.text.replace_range(at.start..at.end, &array(&texts, single, &indent, newline, depth));
        }
        (Node::Object(_), _) => {
            return Err(Error::new(Code::Usage, format!("\"{path}\": \"{name}\" is an object, not an array")));
        }
        _ => {
            return Err(Error::new(
                Code::Usage,
                format!("\"{path}\": \"{name}\" already exists and is not an object or array"),
            ));
        }
    }
    Ok(())
}

/// Removes `path`; whether it was there.
fn delete(document: &mut Document, path: &str) -> Result<bool> {
    let steps = steps(path).ok_or_else(|| wrong(path))?;
    let text = document.text.clone();
    let value = project::parse(&text, std::path::Path::new("package.json"))?;
    let (indent, newline) = style(&text);
    let (last, above) = steps.split_last().unwrap_or_else(|| unreachable!("a path has a step"));
    let mut at = &value;
    for one in above {
        match step(at, one) {
            Some(next) => at = next,
            None => return Ok(false),
        }
    }
    let key = match last {
        Step::Key(key) => key.clone(),
        Step::Index(index) => index.to_string(),
        Step::Append => return Ok(false),
    };
    match &at.node {
        Node::Object(members) => {
            let Some(place) = members.iter().position(|member| member.key == key) else { return Ok(false) };
            let range = match (place, members.len()) {
                (_, 1) => {
                    document.text.replace_range(at.start..at.end, "{}");
                    return Ok(true);
                }
                (0, _) => members[0].key_at..members[1].key_at,
                _ => members[place - 1].value.end..members[place].value.end,
            };
            document.text.replace_range(range, "");
            Ok(true)
        }
        Node::Array(items) => {
            let Some(index) = key.parse::<usize>().ok().filter(|index| *index < items.len()) else { return Ok(false) };
            let mut texts: Vec<String> = items.iter().map(|item| text[item.start..item.end].to_owned()).collect();
            texts.remove(index);
            let single = !text[at.start..at.end].contains('\n');
            document.text.replace_range(at.start..at.end, &array(&texts, single, &indent, newline, above.len()));
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn string(text: &str) -> String {
    let mut out = String::new();
    quote(text, &mut out);
    out
}

/// `fix`: a name in lower case, a clean version, `repository` in full; says which commands have no file.
fn fix(document: &mut Document, dir: &std::path::Path) -> Result<()> {
    let text = document.text.clone();
    let value = project::parse(&text, &dir.join("package.json"))?;
    let name = value.text("name");
    let lower = name.trim().to_lowercase();
    if lower != name {
        set(document, "name", &string(&lower))?;
    }
    let version = value.text("version");
    let clean = version.trim().trim_start_matches(['=', 'v']).trim();
    if clean != version && Version::parse(clean).is_some() {
        set(document, "version", &string(clean))?;
    }
    if let Some(repository) = value.get("repository").and_then(Value::str)
        && let crate::model::spec::Spec::GitHub { owner, repo, .. } = crate::model::spec::Spec::parse(repository)
    {
        let (indent, newline) = style(&text);
        let url = string(&format!("git+https://github.com/{owner}/{repo}.git"));
        let inner = indent.repeat(2);
        let json = if text.trim().contains('\n') {
            format!("{{{newline}{inner}\"type\": \"git\",{newline}{inner}\"url\": {url}{newline}{indent}}}")
        } else {
            format!("{{\"type\":\"git\",\"url\":{url}}}")
        };
        set(document, "repository", &json)?;
    }
    for path in bins(&value) {
        if !dir.join(&path).is_file() {
            base::stderr_line!("warn: No bin file found at ./{path}");
        }
    }
    Ok(())
}

fn usage() {
    crate::ui::header("pm pkg");
    let text = "  Manage data in package.json

Subcommands:
  get [key ...]          Get values from package.json
  set key=value ...      Set values in package.json
    └ --json             Parse values as JSON (e.g. {\"a\":1})
  delete key ...         Delete keys from package.json
  fix                    Auto-correct common package.json errors

Examples:
  $ bao pm pkg get name version
  $ bao pm pkg set description=\"My awesome package\"
  $ bao pm pkg set keywords='[\"test\",\"demo\"]' --json
  $ bao pm pkg set scripts.test=\"bao test\" bin.mycli=cli.js
  $ bao pm pkg set 'keywords[]=cli' 'files[0]=dist'
  $ bao pm pkg delete scripts.test devDependencies.webpack 'keywords[0]'
  $ bao pm pkg fix";
    crate::say!("{}", crate::ui::named(text));
}

/// package.json, which has to be an object.
fn parsed<'a>(text: &'a str, path: &std::path::Path) -> Result<Value<'a>> {
    let value = project::parse(text, path)
        .map_err(|error| Error::new(Code::Parse, "Failed to parse package.json").cause(&error.message))?;
    if !value.is_object() {
        return Err(Error::new(Code::Parse, "package.json root must be an object"));
    }
    Ok(value)
}

/// `pm pkg`.
pub(crate) fn command(arguments: &[String]) -> Result<u8> {
    let options = super::enter(parse_args(arguments)?)?;
    let Some((word, rest)) = options.positionals.split_first() else {
        own_directory(&options)?;
        usage();
        return Ok(0);
    };
    let (dir, _) = own_directory(&options)?;
    let path = dir.join("package.json");
    let text = manifest_text(&dir)?;
    let value = parsed(&text, &path)?;
    let mut document = Document { text: text.clone() };
    match word.as_str() {
        "help" => {
            usage();
            return Ok(0);
        }
        "get" => {
            get(&value, &text, rest)?;
            return Ok(0);
        }
        "set" => {
            if rest.is_empty() {
                return Err(Error::new(
                    Code::Usage,
                    crate::ui::named("bao pm pkg set expects a key=value pair of args"),
                ));
            }
            for argument in rest {
                let Some((key, new)) = argument.split_once('=') else {
                    return Err(Error::new(Code::Usage, format!("Invalid argument: {argument} (expected key=value)")));
                };
                for (what, part) in [("key", key), ("value", new)] {
                    if part.is_empty() {
                        return Err(Error::new(Code::Usage, format!("Empty {what} in argument: {argument}")));
                    }
                }
                let json = if options.json {
                    let parsed = json::Cursor::of(new, json::Flavor::Json).value();
                    let whole = parsed.filter(|value| value.end == new.trim_end().len());
                    let value = whole.ok_or_else(|| {
                        Error::new(Code::Usage, format!("Invalid JSON value for \"{key}\": {new}"))
                            .hint("--json parses each value as JSON. To store the text as a string, drop --json.")
                    })?;
                    let depth = steps(key).map_or(1, |steps| steps.len());
                    indented(&value, new, depth, &document.text)
                } else {
                    string(new)
                };
                set(&mut document, key, &json)?;
            }
        }
        "delete" => {
            if rest.is_empty() {
                return Err(Error::new(Code::Usage, crate::ui::named("bao pm pkg delete expects key args")));
            }
            for key in rest {
                delete(&mut document, key)?;
            }
        }
        "fix" => fix(&mut document, &dir)?,
        other => {
            usage();
            return Err(Error::new(Code::Usage, format!("Unknown subcommand: {other}")));
        }
    }
    if document.text != text {
        write_atomic(&path, &document.text)?;
    }
    Ok(0)
}

/// A value in the document's own indentation.
fn indented(value: &Value<'_>, text: &str, depth: usize, document: &str) -> String {
    let mut out = String::new();
    pretty(value, text, depth, &mut out);
    let (indent, newline) = style(document);
    if indent == "  " && newline == "\n" {
        return out;
    }
    let mut result = String::with_capacity(out.len() * 2);
    for (place, line) in out.split('\n').enumerate() {
        if place > 0 {
            result.push_str(newline);
        }
        let bare = line.trim_start_matches(' ');
        result.push_str(&indent.repeat((line.len() - bare.len()) / 2));
        result.push_str(bare);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let key = |text: &str| Step::Key(text.to_owned());
        assert_eq!(steps("a.b[0].c").unwrap(), [key("a"), key("b"), Step::Index(0), key("c")]);
        assert_eq!(steps("a[b.c][]").unwrap(), [key("a"), key("b.c"), Step::Append]);
        assert_eq!(steps("a['x]y']").unwrap(), [key("a"), key("x]y")]);
        assert!(steps("").is_none() && steps(".a").is_none() && steps("a[").is_none());
    }

    fn after(text: &str, path: &str, json: &str) -> String {
        let mut document = Document { text: text.to_owned() };
        set(&mut document, path, json).map_or_else(|error| error.message.clone(), |()| document.text)
    }

    #[test]
    fn setting() {
        let text = "{\n    \"a\": [1, 2],\n    \"s\": { \"x\": 1 }\n}\n";
        assert_eq!(after(text, "a[1]", "7"), text.replace("1, 2", "1, 7"));
        assert_eq!(after(text, "a[]", "7"), text.replace("1, 2", "1, 2, 7"));
        assert_eq!(after(text, "s.y", "2"), text.replace("\"x\": 1", "\"x\": 1, \"y\": 2"));
        assert_eq!(
            after(text, "n.m[0]", "1"),
            "{\n    \"a\": [1, 2],\n    \"s\": { \"x\": 1 },\n    \"n\": {\n        \"m\": [\n            1\n        ]\n    }\n}\n"
        );
        assert!(after(text, "a[5]", "1").contains("out of range for \"a\" (length 2)"));
        assert!(after(text, "s.x.y", "1").contains("already exists"));
        assert!(after(text, "a.q", "1").contains("must be an index"));
    }

    #[test]
    fn deleting() {
        let text = "{ \"a\": [1, 2, 3], \"b\": { \"c\": 1 }, \"d\": 1 }";
        let mut document = Document { text: text.to_owned() };
        for path in ["a[1]", "b.c", "d", "nothing"] {
            delete(&mut document, path).unwrap();
        }
        assert_eq!(document.text, "{ \"a\": [1, 3], \"b\": {} }");
    }
}
