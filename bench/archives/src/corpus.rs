//! The corpus: the source files of the packages in some folders of archives, written in every form that is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use store::{Archive, Kind, Writer};

use crate::Failure;
use crate::whole::Whole;

const LIST: &str = "packages.txt";

/// What there is to read.
pub(crate) struct Corpus {
    pub scratch: PathBuf,
    /// Names of packages, and of the files in each.
    pub packages: Vec<(String, Vec<String>)>,
}

impl Corpus {
    /// The file of a package in one of the forms.
    pub(crate) fn packed(&self, form: &str, package: &str) -> PathBuf {
        self.scratch.join(form).join(format!("{package}.{form}"))
    }

    /// A single file.
    pub(crate) fn loose(&self, package: &str, file: &str) -> PathBuf {
        self.scratch.join("files").join(package).join(file)
    }
}

fn is_source(name: &str) -> bool {
    [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json"].iter().any(|end| name.ends_with(end))
}

/// Writes the corpus below `scratch`, from archives of the store linker. Ends with the package in which the number of files is reached.
pub(crate) fn make(scratch: &Path, folders: &[String], most: usize) -> Result<(), Failure> {
    let mut archives: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "bao") {
                archives.insert(path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path);
            }
        }
    }
    for form in ["files", "tar", "tar.gz", "tar.zst", "zip", "bao"] {
        std::fs::create_dir_all(scratch.join(form))?;
    }
    let database = rusqlite::Connection::open(scratch.join("files.sqlite"))?;
    database.execute_batch(
        "pragma journal_mode = off; pragma synchronous = off; drop table if exists files;
         create table files (name text primary key, content blob not null) without rowid; begin;",
    )?;
    let mut corpus = Corpus { scratch: scratch.to_owned(), packages: Vec::new() };
    let mut list = String::new();
    let mut whole = Whole::default();
    let mut count = 0;
    for (name, path) in archives {
        let archive = Archive::open(&path)?;
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for entry in archive.entries().filter(|entry| entry.kind == Kind::File) {
            if let Ok(file) = String::from_utf8(archive.name(&entry).to_vec())
                && is_source(&file)
                && !file.contains('\n')
            {
                files.push((file, archive.content(&entry).map_err(|damage| damage.to_string())?.to_vec()));
            }
        }
        if files.is_empty() {
            continue;
        }
        write_package(&corpus, &name, &files)?;
        let mut insert = database.prepare_cached("insert into files values (?1, ?2)")?;
        for (file, content) in &files {
            insert.execute((format!("{name}/{file}"), content))?;
            whole.add(&format!("{name}/{file}"), content);
        }
        list.push_str(&format!("{name}\n"));
        files.iter().for_each(|(file, _)| list.push_str(&format!("\t{file}\n")));
        count += files.len();
        corpus.packages.push((name, Vec::new()));
        if count >= most {
            break;
        }
    }
    database.execute_batch("commit;")?;
    whole.write(&corpus)?;
    std::fs::write(scratch.join(LIST), list)?;
    println!("{count} files of {} packages", corpus.packages.len());
    Ok(())
}

fn write_package(corpus: &Corpus, name: &str, files: &[(String, Vec<u8>)]) -> Result<(), Failure> {
    let mut tar_bytes = Vec::new();
    let mut store = Writer::new();
    let mut zip = zip::Writer::new(6);
    for (file, content) in files {
        let loose = corpus.loose(name, file);
        std::fs::create_dir_all(loose.parent().unwrap_or(&corpus.scratch))?;
        std::fs::write(&loose, content)?;
        tar::write::file_header(file, content.len() as u64, 0o644, 0, "PaxHeader/path", &mut tar_bytes);
        tar_bytes.extend_from_slice(content);
        tar_bytes.resize(tar_bytes.len() + tar::write::padding(content.len() as u64), 0);
        store.add(file.as_bytes(), Kind::File, 0o644, content);
        if !zip.file(file, content, 0o644, 0) {
            return Err(format!("{file} does not fit into a zip archive").into());
        }
    }
    std::fs::write(corpus.packed("zip", name), zip.finish())?;
    tar_bytes.resize(tar_bytes.len() + 1024, 0);
    std::fs::write(corpus.packed("tar", name), &tar_bytes)?;
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut gzip = vec![0; compressor.gzip_compress_bound(tar_bytes.len())];
    let length = compressor.gzip_compress(&tar_bytes, &mut gzip)?;
    std::fs::write(corpus.packed("tar.gz", name), &gzip[..length])?;
    std::fs::write(corpus.packed("tar.zst", name), zstd::bulk::compress(&tar_bytes, 3)?)?;
    let (head, data) = store.finish();
    std::fs::write(corpus.packed("bao", name), [head, data].concat())?;
    Ok(())
}

/// The corpus that [`make`] has written.
pub(crate) fn load(scratch: &Path) -> Result<Corpus, Failure> {
    let text = std::fs::read_to_string(scratch.join(LIST))
        .map_err(|error| format!("{}: {error}; `make` writes it", scratch.join(LIST).display()))?;
    let mut packages: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix('\t'), packages.last_mut()) {
            (Some(file), Some((_, files))) => files.push(file.to_owned()),
            _ => packages.push((line.to_owned(), Vec::new())),
        }
    }
    Ok(Corpus { scratch: scratch.to_owned(), packages })
}
