//! Source map v3 (ECMA-426) in and out.

use super::vlq::{put_vlq, take_vlq};
use super::{Original, SourceMap, Token, decode_data_url, source_mapping_url};
use json::{Flavor, Node, Value, quote};

impl SourceMap {
    /// Reads a JSON source map, version 3. Index maps (`sections`) are flattened; sections that only have a
    /// `url` are skipped. A leading `)]}'` line is skipped.
    ///
    /// # Errors
    /// A message when the text is no JSON, no version 3 map, or has damaged mappings.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let text = match text.strip_prefix(")]}") {
            Some(rest) => rest.split_once('\n').map_or("", |(_, json)| json),
            None => text,
        };
        let json = Value::read(text, Flavor::Json).map_err(|error| error.to_string())?;
        let mut reader = Reader::default();
        reader.read(&json, 0, 0)?;
        Ok(Self::from_tokens(reader.tokens, reader.sources, reader.contents, reader.names))
    }

    /// The map that a text carries in a `//# sourceMappingURL=data:...` comment, if it has one that can be read.
    #[must_use]
    pub fn from_inline(source: &str) -> Option<Self> {
        let json = decode_data_url(source_mapping_url(source)?)?;
        Self::from_json(&json).ok()
    }

    /// Writes the map as JSON, version 3. `file` is the generated file's name, if wanted.
    #[must_use]
    pub fn to_json(&self, file: Option<&str>) -> String {
        let mut out = String::from("{\"version\":3");
        if let Some(file) = file {
            out.push_str(",\"file\":");
            quote(file, &mut out);
        }
        let strings = |out: &mut String, items: &mut dyn Iterator<Item = Option<&str>>| {
            for (index, item) in items.enumerate() {
                if index > 0 {
                    out.push(',');
                }
                match item {
                    Some(text) => quote(text, out),
                    None => out.push_str("null"),
                }
            }
        };
        out.push_str(",\"sources\":[");
        strings(&mut out, &mut self.sources.iter().map(|s| Some(s.as_str())));
        if self.contents.iter().any(Option::is_some) {
            out.push_str("],\"sourcesContent\":[");
            strings(&mut out, &mut (0..self.sources.len()).map(|i| self.source_content(i as u32)));
        }
        out.push_str("],\"names\":[");
        strings(&mut out, &mut self.names.iter().map(|s| Some(s.as_str())));
        out.push_str("],\"mappings\":\"");
        self.write_mappings(&mut out);
        out.push_str("\"}");
        out
    }

    fn write_mappings(&self, out: &mut String) {
        let (mut line, mut column) = (0, 0);
        let mut last = Original::default();
        let mut last_name = 0;
        let mut first = true;
        for token in self.tokens() {
            while line < token.generated_line {
                out.push(';');
                line += 1;
                column = 0;
                first = true;
            }
            if !first {
                out.push(',');
            }
            first = false;
            let delta = |new: u32, old: u32| i64::from(new) - i64::from(old);
            put_vlq(out, delta(token.generated_column, column));
            column = token.generated_column;
            let Some(original) = token.original else {
                continue;
            };
            put_vlq(out, delta(original.source, last.source));
            put_vlq(out, delta(original.line, last.line));
            put_vlq(out, delta(original.column, last.column));
            last = original;
            if let Some(name) = original.name {
                put_vlq(out, delta(name, last_name));
                last_name = name;
            }
        }
    }
}

/// The tokens that the "mappings" of one map stand for, in the order of the text. `None` if they are damaged.
#[must_use]
pub fn decode_mappings(text: &str) -> Option<Vec<Token>> {
    let mut reader = Reader::default();
    reader.mappings(text.as_bytes(), (0, 0), 0, 0)?;
    Some(reader.tokens)
}

#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    sources: Vec<String>,
    contents: Vec<Option<String>>,
    names: Vec<String>,
}

impl Reader {
    fn read(&mut self, json: &Value<'_>, line: u32, column: u32) -> Result<(), String> {
        if !json.is_object() {
            return Err("A source map must be a JSON object".into());
        }
        if let Some(version) = json.get("version")
            && version.number() != Some(3.0)
        {
            return Err("Only source maps of version 3 are supported".into());
        }
        if let Some(Value { node: Node::Array(sections), .. }) = json.get("sections") {
            for section in sections {
                let Some(map) = section.get("map") else {
                    continue;
                };
                let offset =
                    |key| section.get("offset").and_then(|o| o.get(key)).and_then(Value::number).map(|n| n as u32);
                self.read(map, line + offset("line").unwrap_or(0), offset("column").unwrap_or(0))?;
            }
            return Ok(());
        }
        let (source_base, name_base) = (self.sources.len() as u32, self.names.len() as u32);
        let root = json.text("sourceRoot");
        for source in json.get("sources").map_or(&[][..], Value::items) {
            let source = source.str().unwrap_or("");
            let rooted = !root.is_empty() && !source.contains("://") && !source.starts_with('/');
            let slash = if rooted && !root.ends_with('/') { "/" } else { "" };
            self.sources.push(if rooted { format!("{root}{slash}{source}") } else { source.to_owned() });
        }
        let contents = json.get("sourcesContent").map_or(&[][..], Value::items);
        self.contents.extend(contents.iter().map(|c| c.str().map(str::to_owned)));
        self.contents.resize(self.sources.len(), None);
        for name in json.get("names").map_or(&[][..], Value::items) {
            self.names.push(name.str().unwrap_or("").to_owned());
        }
        self.mappings(json.text("mappings").as_bytes(), (line, column), source_base, name_base)
            .ok_or_else(|| "The mappings of the source map are damaged".to_owned())
    }

    fn mappings(&mut self, mut text: &[u8], start: (u32, u32), sources: u32, names: u32) -> Option<()> {
        let (mut line, mut column) = (start.0, i64::from(start.1));
        let (mut source, mut source_line, mut source_column, mut name) = (0i64, 0i64, 0i64, 0i64);
        let narrow = |value: i64| u32::try_from(value).ok();
        self.tokens.reserve(text.len() / 6);
        while let Some(&byte) = text.first() {
            match byte {
                b';' => {
                    line += 1;
                    column = 0;
                    text = &text[1..];
                    continue;
                }
                b',' => {
                    text = &text[1..];
                    continue;
                }
                _ => {}
            }
            column += take_vlq(&mut text)?;
            let ends = |text: &[u8]| matches!(text.first(), None | Some(b',' | b';'));
            let mut original = None;
            if !ends(text) {
                source += take_vlq(&mut text)?;
                source_line += take_vlq(&mut text)?;
                source_column += take_vlq(&mut text)?;
                let mut named = None;
                if !ends(text) {
                    name += take_vlq(&mut text)?;
                    named = Some(names + narrow(name)?);
                }
                original = Some(Original {
                    source: sources + narrow(source)?,
                    line: narrow(source_line)?,
                    column: narrow(source_column)?,
                    name: named,
                });
            }
            self.tokens.push(Token { generated_line: line, generated_column: narrow(column)?, original });
        }
        Some(())
    }
}
