//! How the places of a parsed URL's parts are handed to JavaScript.

use ada_url::UrlComponents;

/// Number of words [`write`] may use.
pub(crate) const WORDS: usize = 6;

/// Writes the places of the parts as native-endian words: the end of the user name, the start and end of the host, the
/// starts of pathname, search and hash. 0 stands for a search or hash that is not there.
///
/// The end of the protocol is always just after the first ":". A port, if there is one, lies between the end of the host
/// (where its ":" is) and the pathname.
pub(crate) fn write(parts: &UrlComponents, out: &mut [u8]) {
    let words = [
        parts.username_end,
        parts.host_start,
        parts.host_end,
        parts.pathname_start.unwrap_or(0),
        parts.search_start.unwrap_or(0),
        parts.hash_start.unwrap_or(0),
    ];
    write_words(words, out);
}

/// The same with the words.
pub(crate) fn write_words(words: [u32; WORDS], out: &mut [u8]) {
    // Words that do not fit the buffer are dropped: it is JavaScript's, and an op never panics.
    for (place, word) in out.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
}

#[cfg(test)]
pub(crate) fn read(out: &[u8]) -> [u32; WORDS] {
    std::array::from_fn(|i| u32::from_ne_bytes(out[i * 4..i * 4 + 4].try_into().unwrap()))
}
