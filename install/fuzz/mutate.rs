//! The fuzz entries without coverage feedback, where building the cargo-fuzz targets takes too long: mutates the files of a corpus at
//! random for a number of seconds. `cargo run -p bao-install --example mutate -- migrate 60 corpus/migrate`. The input of a crash is left
//! in /tmp/mutate-TARGET.

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, target, seconds, corpus] = arguments.as_slice() else { panic!("target, seconds, directory") };
    let run: fn(&[u8]) = match target.as_str() {
        "lockfile" => install::fuzz::lockfile,
        "manifest" => install::fuzz::manifest,
        "semver" => install::fuzz::semver,
        "npmrc" => install::fuzz::npmrc,
        "migrate" => install::fuzz::migrate,
        "tar" => install::fuzz::tarball,
        _ => panic!("unknown target {target}"),
    };
    let mut names: Vec<_> = std::fs::read_dir(corpus).expect("corpus").flatten().map(|entry| entry.path()).collect();
    names.sort();
    let files: Vec<Vec<u8>> = names.iter().map(|path| std::fs::read(path).expect("file")).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ u64::from(std::process::id());
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let saved = format!("/tmp/mutate-{target}");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(seconds.parse().expect("seconds"));
    let (mut count, mut slowest) = (0u64, std::time::Duration::ZERO);
    while std::time::Instant::now() < end {
        let mut input = files[below(files.len())].clone();
        for _ in 0..=below(6) {
            let at = below(input.len());
            match below(8) {
                0 => input.truncate(at),
                1 => drop(input.drain(at..(at + below(64)).min(input.len()))),
                2 => {
                    let piece = input[at..(at + below(200)).min(input.len())].to_vec();
                    let to = below(input.len());
                    input.splice(to..to, piece);
                }
                3 => {
                    let other = &files[below(files.len())];
                    let from = below(other.len());
                    let piece = other[from..(from + below(200)).min(other.len())].to_vec();
                    input.splice(at..at, piece);
                }
                4 if at < input.len() => input[at] ^= 1 << below(8),
                5 => input.insert(at, b"\"{}[]:,\n @/.^~*#|-&!<>=?%\\0179"[below(30)]),
                _ if at < input.len() => input[at] = below(256) as u8,
                _ => {}
            }
        }
        let result = std::panic::catch_unwind(|| {
            let start = std::time::Instant::now();
            run(&input);
            start.elapsed()
        });
        match result {
            Ok(time) => slowest = slowest.max(time),
            Err(_) => {
                std::fs::write(&saved, &input).expect("saving");
                panic!("{target}: the input is in {saved}");
            }
        }
        count += 1;
    }
    println!("{target}: {count} inputs, the slowest took {slowest:?}");
}
