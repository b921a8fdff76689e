//! The shape of a URL, and whether its path goes in circles, as `shape.py` says.

use memchr::memchr;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeSet;
use xxhash_rust::xxh32::xxh32;

const HASH: usize = 8;
const TOKEN: usize = 16;

/// The path of a normalised URL with its numbers and marks as `0`, and the names in its query.
#[pyfunction]
pub fn shape_of(href: &str) -> String {
    let tail = href.splitn(4, '/').nth(3).unwrap_or_default();
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let plain = without_marks(path);
    let mut pieces: Vec<_> = plain.split('/').filter(|piece| !piece.is_empty()).collect();
    pieces.dedup();
    let names: BTreeSet<_> = query.split('&').map(|part| part.split_once('=').map_or(part, |(name, _)| name)).collect();
    let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let asked = if names.is_empty() { "" } else { "?" };
    format!("/{}{asked}{}", pieces.join("/"), names.join("&"))
}

/// Each hash, token and number as one `0`.
fn without_marks(path: &str) -> String {
    let (mut kept, mut at) = (String::with_capacity(path.len()), 0);
    let (mut word_end, mut letters_end) = (0, 0); // of what `at` is in: a path may be one word of a thousand letters
    while let Some(rest) = path.get(at..).filter(|rest| !rest.is_empty()) {
        let bytes = rest.as_bytes();
        if at >= letters_end {
            letters_end = at + run(bytes, u8::is_ascii_alphabetic);
            word_end = word_end.max(at + run(bytes, u8::is_ascii_alphanumeric));
        }
        let hash = run(bytes, u8::is_ascii_hexdigit);
        let mark = if hash >= HASH {
            hash
        } else if word_end >= at + TOKEN && letters_end < word_end {
            word_end - at
        } else {
            run(bytes, u8::is_ascii_digit)
        };
        let size = rest.chars().next().map_or(1, char::len_utf8);
        kept.push_str(if mark > 0 { "0" } else { rest.get(..size).unwrap_or_default() });
        at += if mark > 0 { mark } else { size };
    }
    kept
}

fn run(bytes: &[u8], is_in: impl Fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_in(byte)).count()
}

/// What stands for the pieces of a path in any order, and for the path itself; nothing if no order tells.
#[pyfunction]
pub fn order_of<'py>(py: Python<'py>, href: &str) -> Bound<'py, PyBytes> {
    PyBytes::new(py, order(href).as_ref().map_or(&[], |order| order.as_slice()))
}

/// The same for whoever has no objects of Python.
pub fn order(href: &str) -> Option<[u8; 8]> {
    let path = href.splitn(4, '/').nth(3).and_then(|tail| tail.split('?').next()).unwrap_or_default();
    let pieces: Vec<_> = path.trim_matches('/').split('/').collect();
    if pieces.len() < 3 || pieces.last().is_some_and(|last| is_number(last)) {
        return None;
    }
    let mut sorted = pieces.clone();
    sorted.sort_unstable();
    if sorted.iter().zip(sorted.iter().skip(1)).any(|(one, next)| one == next) {
        return None;
    }
    let [mark, own] = [sorted, pieces].map(|pieces| xxh32(pieces.join("/").as_bytes(), 0));
    Some((u64::from(mark) << 32 | u64::from(own)).to_be_bytes())
}

fn is_number(piece: &str) -> bool {
    !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a piece of the path of a normalised URL comes more than `most` times.
#[pyfunction]
pub fn goes_round(href: &str, most: usize) -> bool {
    let path = memchr(b'?', href.as_bytes()).and_then(|at| href.get(..at)).unwrap_or(href);
    let mut pieces: Vec<_> = path.split('/').skip(3).filter(|piece| !piece.is_empty()).collect();
    if pieces.len() <= most {
        return false;
    }
    pieces.sort_unstable(); // a path may have a thousand: not each can be compared with each
    pieces.chunk_by(|one, next| one == next).any(|same| same.len() > most)
}
