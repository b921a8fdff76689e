//! Whether the path of a URL goes in circles, as `shape.py` says.

use memchr::memchr;

/// Whether a piece of the path of a normalised URL comes more than `most` times.
pub fn goes_round(href: &str, most: usize) -> bool {
    let path = memchr(b'?', href.as_bytes()).and_then(|at| href.get(..at)).unwrap_or(href);
    let mut pieces: Vec<_> = path.split('/').skip(3).filter(|piece| !piece.is_empty()).collect();
    if pieces.len() <= most {
        return false;
    }
    pieces.sort_unstable(); // a path may have a thousand: not each can be compared with each
    pieces.chunk_by(|one, next| one == next).any(|same| same.len() > most)
}
