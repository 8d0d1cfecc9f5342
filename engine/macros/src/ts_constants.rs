//! Numbers that both halves of a family use by name, written for TypeScript from Rust.
//!
//! `#[ts_constants]` stands on an enum without fields, whose variants count, or on a module of constants. The TypeScript
//! names are those of the type or module and of the member: `enum Stdio { Ignore, ... }` gives `STDIO_IGNORE = 0`,
//! `mod head { const KEEP_ALIVE: u32 = 1 << 10; }` gives `HEAD_KEEP_ALIVE = 1024`. They are written to
//! `native_constants.ts` in the family's folder. The test below fails if such a file differs from the sources; with the
//! variable `BAO_WRITE_OP_TYPES` set it writes them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use syn::{Attribute, BinOp, Expr, Item, Lit, UnOp};

use crate::op_types::{bring_up_to_date, doc_lines, in_typescript, rust_files, workspace};

/// One number.
struct Constant {
    name: String,
    value: i64,
    doc: Vec<String>,
    /// What the enum or module is, for the first of its numbers.
    heading: Option<String>,
}

#[test]
fn constants_are_up_to_date() {
    let root = workspace();
    let mut folders: BTreeMap<PathBuf, Vec<Constant>> = BTreeMap::new();
    for (path, file) in rust_files(&root) {
        let constants = constants_of(&file.items);
        if constants.is_empty() {
            continue;
        }
        let is_native = |folder: &&Path| folder.ends_with("native");
        let native = path.ancestors().find(is_native).unwrap_or_else(|| panic!("{}: not in ext/", path.display()));
        folders.entry(native.with_file_name("native_constants.ts")).or_default().extend(constants);
    }
    let files = folders.into_iter().map(|(path, list)| (path, text_of(&list))).collect();
    bring_up_to_date(&root, "native_constants.ts", &files);
}

#[test]
fn values_are_those_of_rust() {
    let file = syn::parse_file(
        "#[ts_constants] enum TlsEvent { Done, #[doc = \" Two.\"] Failed, Key = 1 << 4, Next }
         #[ts_constants] mod head { const A: u32 = 1 << 10; const B: i32 = -(A + 2) | 1; const C: f64 = 2.0; }",
    );
    let found: Vec<(String, i64)> =
        constants_of(&file.expect("it parses").items).into_iter().map(|one| (one.name, one.value)).collect();
    let expected = [
        ("TLS_EVENT_DONE", 0),
        ("TLS_EVENT_FAILED", 1),
        ("TLS_EVENT_KEY", 16),
        ("TLS_EVENT_NEXT", 17),
        ("HEAD_A", 1024),
        ("HEAD_B", -1026 | 1),
        ("HEAD_C", 2),
    ];
    assert_eq!(found, expected.map(|(name, value)| (name.to_string(), value)));
}

fn is_marked(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| it.path().segments.last().is_some_and(|last| last.ident == "ts_constants"))
}

/// The marked numbers of a file, in its order.
fn constants_of(items: &[Item]) -> Vec<Constant> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Enum(it) if is_marked(&it.attrs) => {
                let mut next = 0;
                for variant in &it.variants {
                    assert!(variant.fields.is_empty(), "{}: a variant with fields has no number", it.ident);
                    let known = HashMap::new();
                    let value = variant.discriminant.as_ref().map_or(next, |(_, expr)| evaluate(expr, &known));
                    next = value + 1;
                    let name = format!("{}_{}", upper(&it.ident.to_string()), upper(&variant.ident.to_string()));
                    found.push(Constant { name, value, doc: doc_lines(&variant.attrs), heading: None });
                }
                set_heading(&mut found, it.variants.len(), &it.attrs);
            }
            Item::Mod(it) => {
                let items = it.content.as_ref().map_or(&[][..], |(_, items)| items);
                if is_marked(&it.attrs) {
                    let constants = module_constants(&it.ident.to_string(), items);
                    let count = constants.len();
                    found.extend(constants);
                    set_heading(&mut found, count, &it.attrs);
                } else {
                    found.extend(constants_of(items));
                }
            }
            _ => {}
        }
    }
    found
}

/// Gives the first of the last `count` numbers the doc comment of what they stand in.
fn set_heading(found: &mut [Constant], count: usize, attributes: &[Attribute]) {
    let start = found.len() - count;
    if let Some(first) = found.get_mut(start) {
        first.heading = Some(in_typescript(&doc_lines(attributes).join(" ")));
    }
}

/// The constants of a marked module.
fn module_constants(module: &str, items: &[Item]) -> Vec<Constant> {
    let mut known = HashMap::new();
    let mut found = Vec::new();
    for item in items {
        if let Item::Const(it) = item {
            let name = it.ident.to_string();
            let value = evaluate(&it.expr, &known);
            found.push(Constant {
                name: format!("{}_{name}", upper(module)),
                value,
                doc: doc_lines(&it.attrs),
                heading: None,
            });
            known.insert(name, value);
        }
    }
    found
}

/// The value of a constant expression of integers and names before it.
fn evaluate(expr: &Expr, known: &HashMap<String, i64>) -> i64 {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().expect("a number of 64 bits"),
            Lit::Float(number) => number.base10_parse::<f64>().expect("a number") as i64,
            _ => panic!("a shared constant is a number"),
        },
        Expr::Paren(inner) => evaluate(&inner.expr, known),
        Expr::Cast(inner) => evaluate(&inner.expr, known),
        Expr::Unary(it) if matches!(it.op, UnOp::Neg(_)) => -evaluate(&it.expr, known),
        Expr::Binary(it) => {
            let (left, right) = (evaluate(&it.left, known), evaluate(&it.right, known));
            match it.op {
                BinOp::Shl(_) => left << right,
                BinOp::BitOr(_) => left | right,
                BinOp::Add(_) => left + right,
                BinOp::Sub(_) => left - right,
                BinOp::Mul(_) => left * right,
                _ => panic!("a shared constant is made with << | + - *"),
            }
        }
        Expr::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            *known.get(&name).unwrap_or_else(|| panic!("{name} is not a constant before this one"))
        }
        _ => panic!("a shared constant is a number, or made of such"),
    }
}

/// `CamelCase` or `snake_case` to `UPPER_CASE`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.char_indices() {
        if c.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(c.to_uppercase());
    }
    out
}

fn text_of(constants: &[Constant]) -> String {
    let mut text = String::from(
        "// Numbers that the native half uses by the same names. Written from #[ts_constants] by\n\
         // engine/macros/src/ts_constants.rs; do not edit.\n",
    );
    for Constant { name, value, doc, heading } in constants {
        if let Some(heading) = heading {
            let _ = writeln!(text, "\n// {heading}");
        }
        let lines: Vec<String> = doc.iter().map(|line| in_typescript(line).trim().to_string()).collect();
        match &lines[..] {
            [] => {}
            [line] => {
                let _ = writeln!(text, "/** {line} */");
            }
            lines => {
                let _ = writeln!(text, "/**\n * {}\n */", lines.join("\n * "));
            }
        }
        let _ = writeln!(text, "export const {name} = {value};");
    }
    text
}
