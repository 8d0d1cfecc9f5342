//! The option `publicPath` in imports between chunks: they begin with it instead of being relative.

/// The code of the chunk `file` with the specifiers of the chunks `others` below `public_path`.
pub(crate) fn import_from<'n>(
    mut code: String,
    file: &str,
    others: impl Iterator<Item = &'n str>,
    public_path: &str,
) -> String {
    for other in others {
        let quoted = format!("\"{}\"", relative(file, other));
        let instead = serde_json::Value::String(format!("{public_path}{other}")).to_string();
        let mut out = String::with_capacity(code.len());
        let mut rest = code.as_str();
        while let Some(at) = rest.find(&quoted) {
            let (before, from) = rest.split_at(at);
            let is_import = ["import(", "import ", "from "].iter().any(|word| before.ends_with(word));
            out.push_str(before);
            out.push_str(if is_import { &instead } else { &quoted });
            rest = &from[quoted.len()..];
        }
        out.push_str(rest);
        code = out;
    }
    code
}

/// The specifier of a result, seen from another one.
fn relative(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    from.pop();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = from.len() - common;
    let start = if up == 0 { "./".to_string() } else { "../".repeat(up) };
    start + &to[common..].join("/")
}

#[cfg(test)]
mod tests {
    use super::{import_from, relative};

    #[test]
    fn specifiers_are_relative_to_a_chunk() {
        assert_eq!(relative("a.js", "b.js"), "./b.js");
        assert_eq!(relative("x/a.js", "b.js"), "../b.js");
        assert_eq!(relative("x/y/a.js", "x/z/b.js"), "../z/b.js");
        assert_eq!(relative("a.js", "x/b.js"), "./x/b.js");
    }

    #[test]
    fn only_imports_have_the_public_path() {
        let code = "import { a } from \"./b.js\"; import(\"./b.js\"); console.log(\"./b.js\", import(\"./c.js\"));";
        let made = import_from(code.to_string(), "a.js", ["b.js"].into_iter(), "/p/");
        assert_eq!(
            made,
            "import { a } from \"/p/b.js\"; import(\"/p/b.js\"); console.log(\"./b.js\", import(\"./c.js\"));"
        );
    }
}
