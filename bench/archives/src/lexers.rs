//! Lexing and parsing, without reading.
//!
//! A lexer alone cannot tell a regular expression from a division, nor the end of a substitution in a template from a brace: its parser
//! tells it. So all lexers get the same texts in which regular expressions and templates are strings of the same length.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use oxc_allocator::Allocator;
use oxc_ast::ast::{JSXElement, JSXFragment, RegExpLiteral, TemplateLiteral};
use oxc_ast_visit::Visit;
use oxc_parser::{Parser, config::NoTokensLexerConfig, lexer::Kind, lexer::Lexer};
use oxc_span::SourceType;

use crate::corpus::Corpus;
use crate::parse::type_of;
use crate::{Failure, plot, ways};

struct Cleaner {
    text: Vec<u8>,
    has_jsx: bool,
}

impl Cleaner {
    fn blank(&mut self, start: u32, end: u32) {
        let part = &mut self.text[start as usize..end as usize];
        part.fill(b'a');
        part[0] = b'"';
        let last = part.len() - 1;
        part[last] = b'"';
    }
}

impl<'a> Visit<'a> for Cleaner {
    fn visit_reg_exp_literal(&mut self, literal: &RegExpLiteral<'a>) {
        self.blank(literal.span.start, literal.span.end);
    }

    fn visit_jsx_element(&mut self, _: &JSXElement<'a>) {
        self.has_jsx = true;
    }

    fn visit_jsx_fragment(&mut self, _: &JSXFragment<'a>) {
        self.has_jsx = true;
    }

    fn visit_template_literal(&mut self, literal: &TemplateLiteral<'a>) {
        self.blank(literal.span.start, literal.span.end);
    }
}

/// The texts that all lexers read: whether it is TypeScript, and the text. Files that do not parse are left out.
fn cleaned(corpus: &Corpus) -> Result<Vec<(bool, String)>, Failure> {
    let mut out = Vec::new();
    (ways::ALL[0].read)(corpus, &mut |name, bytes| {
        let Some(kind) = type_of(name) else { return };
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, kind).parse();
        // `#!`, JSX and templates of types are no matter of a lexer alone.
        if parsed.panicked || !parsed.diagnostics.is_empty() || text.starts_with("#!") {
            return;
        }
        let mut cleaner = Cleaner { text: text.as_bytes().to_vec(), has_jsx: false };
        cleaner.visit_program(&parsed.program);
        if !cleaner.has_jsx
            && let Ok(text) = String::from_utf8(cleaner.text)
            && !text.contains('`')
        {
            out.push((kind.is_typescript(), text));
        }
    })?;
    Ok(out)
}

/// Writes the texts for lexers in other languages: a byte (1: TypeScript), the length (4 bytes, little-endian), the text.
pub(crate) fn write_cleaned(corpus: &Corpus, file: &Path) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    for (typescript, text) in cleaned(corpus)? {
        out.write_all(&[u8::from(typescript)])?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

fn oxc_lexer(texts: &[(bool, String)]) -> u64 {
    let mut tokens = 0;
    let mut allocator = Allocator::default();
    for (typescript, text) in texts {
        let kind = if *typescript { SourceType::ts() } else { SourceType::mjs() };
        let mut lexer = Lexer::new_for_benchmarks(&allocator, text, kind, NoTokensLexerConfig);
        while lexer.next_token_for_benchmarks().kind() != Kind::Eof {
            tokens += 1;
        }
        drop(lexer);
        allocator.reset();
    }
    tokens
}

fn oxc_parser(texts: &[(bool, String)]) -> u64 {
    let mut statements = 0;
    let mut allocator = Allocator::default();
    for (typescript, text) in texts {
        let kind = if *typescript { SourceType::ts() } else { SourceType::mjs() };
        statements += Parser::new(&allocator, text, kind).parse().program.body.len() as u64;
        allocator.reset();
    }
    statements
}

#[cfg(feature = "swc")]
fn swc_syntax(typescript: bool) -> swc_ecma_parser::Syntax {
    if typescript {
        swc_ecma_parser::Syntax::Typescript(Default::default())
    } else {
        swc_ecma_parser::Syntax::Es(Default::default())
    }
}

#[cfg(feature = "swc")]
fn swc_input(text: &str) -> swc_ecma_parser::StringInput<'_> {
    use swc_common::BytePos;
    swc_ecma_parser::StringInput::new(text, BytePos(1), BytePos(1 + text.len() as u32))
}

#[cfg(feature = "swc")]
fn swc_lexer(texts: &[(bool, String)]) -> u64 {
    let mut tokens = 0;
    for (typescript, text) in texts {
        let target = swc_ecma_ast::EsVersion::EsNext;
        tokens += swc_ecma_parser::Lexer::new(swc_syntax(*typescript), target, swc_input(text), None).count() as u64;
    }
    tokens
}

#[cfg(feature = "swc")]
fn swc_parser(texts: &[(bool, String)]) -> u64 {
    let mut statements = 0;
    for (typescript, text) in texts {
        let target = swc_ecma_ast::EsVersion::EsNext;
        let lexer = swc_ecma_parser::Lexer::new(swc_syntax(*typescript), target, swc_input(text), None);
        let mut parser = swc_ecma_parser::Parser::new_from(lexer);
        statements += parser.parse_module().map_or(0, |module| module.body.len() as u64);
    }
    statements
}

/// The lexers and parsers beside each other, in MB/s of one thread. `others` are rows of programs in other languages.
pub(crate) fn compare(
    corpus: &Corpus,
    rounds: usize,
    others: Vec<(String, f64)>,
    svg: Option<&Path>,
) -> Result<(), Failure> {
    let texts = cleaned(corpus)?;
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let all: &[(&str, fn(&[(bool, String)]) -> u64)] = &[
        ("oxc lexer (bao)", oxc_lexer),
        #[cfg(feature = "swc")]
        ("swc lexer", swc_lexer),
        ("oxc parser (bao)", oxc_parser),
        #[cfg(feature = "swc")]
        ("swc parser", swc_parser),
    ];
    let title = format!("{} files, {:.0} MB, in memory, one thread", texts.len(), bytes as f64 / 1e6);
    println!("{title}; best of {rounds} interleaved rounds\n\n| what | MB/s | tokens or statements |\n|---|---:|---:|");
    let mut best = vec![0f64; all.len()];
    let mut counts = vec![0u64; all.len()];
    for _ in 0..rounds {
        for (at, (_, work)) in all.iter().enumerate() {
            let start = Instant::now();
            counts[at] = work(&texts);
            best[at] = best[at].max(bytes as f64 / 1e6 / start.elapsed().as_secs_f64());
        }
    }
    let mut rows: Vec<(String, f64)> =
        all.iter().zip(best).map(|((name, _), speed)| ((*name).to_owned(), speed)).collect();
    for (at, (name, speed)) in rows.iter().enumerate() {
        println!("| {name} | {speed:.0} | {} |", counts[at]);
    }
    for (name, speed) in others {
        println!("| {name} | {speed:.0} | |");
        rows.push((name, speed));
    }
    if let Some(file) = svg {
        std::fs::write(file, plot::bars(&title, "MB/s", &rows))?;
    }
    Ok(())
}
