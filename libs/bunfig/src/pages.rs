//! `[serve.static]`: <https://bun.com/docs/bundler/fullstack#plugins>.

use toml::de::{DeTable, DeValue};

use crate::reader::{Outcome, Reader};

/// How pages of `Bun.serve` are built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Specifiers of modules that export a plugin of the bundler.
    pub plugins: Vec<String>,
    /// `inline`, `disable`, or a prefix and `*`.
    pub env: Option<String>,
    /// Name, and the text that replaces it.
    pub define: Vec<(String, String)>,
    pub minify: Option<Minify>,
    pub public_path: Option<String>,
}

/// What is made shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Minify {
    pub whitespace: bool,
    pub syntax: bool,
    pub identifiers: bool,
}

impl Reader<'_> {
    pub(crate) fn pages(&self, pages: &mut Pages, table: &DeTable<'_>) -> Outcome<()> {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "plugins" => pages.plugins = self.strings(value, "serve.static.plugins")?,
                "env" => {
                    pages.env = Some(match value.get_ref() {
                        DeValue::Boolean(true) => "inline".to_owned(),
                        DeValue::Boolean(false) => "disable".to_owned(),
                        _ => self.string(value, "serve.static.env")?,
                    });
                }
                "define" => {
                    for (name, value) in self.table(value, "serve.static.define")? {
                        let text = self.string(value, "a value of [serve.static.define]")?;
                        pages.define.push((name.get_ref().to_string(), text));
                    }
                }
                "minify" => {
                    pages.minify = Some(match value.get_ref() {
                        DeValue::Table(table) => self.minify(table)?,
                        _ => {
                            let all = self.boolean(value, "serve.static.minify")?;
                            Minify { whitespace: all, syntax: all, identifiers: all }
                        }
                    });
                }
                "publicPath" => pages.public_path = Some(self.string(value, "serve.static.publicPath")?),
                "hmr" => {
                    if !self.boolean(value, "serve.static.hmr")? {
                        let hint = "set `development: { hmr: false }` of Bun.serve".to_owned();
                        return Err(self.error(value.span(), "serve.static.hmr is not implemented").hint(hint));
                    }
                }
                other => return Err(self.error(key.span(), &format!("serve.static.{other} is not implemented"))),
            }
        }
        Ok(())
    }

    fn minify(&self, table: &DeTable<'_>) -> Outcome<Minify> {
        let mut minify = Minify::default();
        for (key, value) in table {
            let name = format!("serve.static.minify.{}", key.get_ref());
            let part = match key.get_ref().as_ref() {
                "whitespace" => &mut minify.whitespace,
                "syntax" => &mut minify.syntax,
                "identifiers" => &mut minify.identifiers,
                _ => return Err(self.error(key.span(), &format!("{name} is not implemented"))),
            };
            *part = self.boolean(value, &name)?;
        }
        Ok(minify)
    }
}
