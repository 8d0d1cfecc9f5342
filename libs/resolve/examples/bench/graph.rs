//! A synthetic program: modules in nested directories that import each other and packages.

use std::fs;
use std::path::Path;

pub(crate) const MODULES: usize = 5000;
const DIRS: usize = 250;
const PACKAGES: usize = 120;

pub(crate) struct Graph {
    /// Importing file and specifier.
    pub requests: Vec<(String, String)>,
    pub files: Vec<String>,
}

/// A small generator of pseudo-random numbers (xorshift), so that every run measures the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn write(path: &str, text: &str) {
    fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn dir_of(index: usize) -> String {
    match index {
        0 => "src".into(),
        i if i < 16 => format!("src/area{i}"),
        i => format!("src/area{}/part{i}", i % 15 + 1),
    }
}

fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - common);
    let down = to[common..].join("/");
    if up.is_empty() { format!("./{down}") } else { format!("{up}{down}") }
}

/// Writes the program below `root` and gives everything it imports, in order.
pub(crate) fn build(root: &str) -> Graph {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    write(&format!("{root}/package.json"), r#"{"name": "app", "type": "module"}"#);
    for p in 0..PACKAGES {
        let scope = if p.is_multiple_of(4) { "@scope/" } else { "" };
        let dir = format!("{root}/node_modules/{scope}pkg{p}");
        let filler = format!("\"scripts\": {{\"build\": \"{}\"}}", "x".repeat(800));
        let manifest = if p.is_multiple_of(2) {
            format!(
                "{{\"name\": \"{scope}pkg{p}\", {filler}, \"exports\": {{\".\": {{\"types\": \
                 \"./i.d.ts\", \"import\": \"./dist/i.mjs\", \"default\": \"./dist/i.cjs\"}}, \
                 \"./*\": \"./dist/*.mjs\"}}}}"
            )
        } else {
            format!("{{\"name\": \"{scope}pkg{p}\", {filler}, \"main\": \"dist/i.js\"}}")
        };
        write(&format!("{dir}/package.json"), &manifest);
        for name in ["i.mjs", "i.cjs", "i.js", "sub.mjs", "sub.js"] {
            write(&format!("{dir}/dist/{name}"), "");
        }
    }
    let module = |i: usize| (dir_of(i % DIRS), i);
    let extension = |i: usize| if i.is_multiple_of(5) { ".tsx" } else { ".ts" };
    let mut graph = Graph { requests: Vec::new(), files: Vec::new() };
    for i in 0..MODULES {
        let (dir, _) = module(i);
        let path = format!("{root}/{dir}/m{i}{}", extension(i));
        write(&path, "");
        for _ in 0..5 {
            // Mostly neighbours, sometimes far away.
            let other = match random.below(3) {
                0 => random.below(MODULES),
                _ => (i + DIRS * (1 + random.below(15))) % MODULES,
            };
            let (to, _) = module(other);
            let ending = ["", "", ".js", extension(other)][random.below(4)];
            let specifier = relative(&dir, &format!("{to}/m{other}{ending}"));
            graph.requests.push((path.clone(), specifier));
        }
        for _ in 0..2 {
            let p = random.below(PACKAGES);
            let scope = if p.is_multiple_of(4) { "@scope/" } else { "" };
            let sub = match random.below(4) {
                0 if p.is_multiple_of(2) => "/sub",
                0 => "/dist/sub",
                _ => "",
            };
            graph.requests.push((path.clone(), format!("{scope}pkg{p}{sub}")));
        }
        graph.files.push(path);
    }
    graph
}
