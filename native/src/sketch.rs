//! Four bytes that stand for what a page says: `sketch.py`.

use xxhash_rust::xxh32::xxh32;

/// So many bytes are looked at together: most have no digit among them.
const PIECE: usize = 32;

pub fn sketch(title: &str, text: &str) -> [u8; 4] {
    let mut said = Vec::with_capacity(title.len() + 1 + text.len());
    for part in [title, "\n", text] {
        part.as_bytes().chunks(PIECE).for_each(|piece| add(piece, &mut said));
    }
    xxh32(&said, 0).to_be_bytes()
}

fn add(piece: &[u8], said: &mut Vec<u8>) {
    // Not `any`, which stops at the first: without a way out, all of them are compared at once.
    if piece.iter().fold(false, |found, byte| found | byte.is_ascii_digit()) {
        said.extend(piece.iter().filter(|byte| !byte.is_ascii_digit()));
    } else {
        said.extend_from_slice(piece);
    }
}
