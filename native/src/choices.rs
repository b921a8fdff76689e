//! What a URL chooses: `judge/orders.py` and `judge/parameters.py`, where it is said why. URLs are ASCII here.

use xxhash_rust::xxh32::xxh32;

const BITS: usize = 512;
const BYTES: usize = BITS / 8;
const HALF: usize = 4;
const SIZE: usize = 8;
const FEWEST: usize = 2;

/// A set of choices, as it is kept: nothing, or a bit for each, the first one last.
struct Set([u8; BYTES]);

impl Set {
    fn read(raw: &[u8]) -> Self {
        Self(raw.try_into().unwrap_or([0; BYTES]))
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|byte| byte.count_ones()).sum()
    }

    fn has(&self, choice: &str) -> bool {
        let (place, bit) = bit_of(choice);
        self.0.get(place).is_some_and(|byte| byte & bit != 0)
    }

    fn add(&mut self, choice: &str) {
        let (place, bit) = bit_of(choice);
        if let Some(byte) = self.0.get_mut(place) {
            *byte |= bit;
        }
    }
}

fn bit_of(choice: &str) -> (usize, u8) {
    let bit = xxh32(choice.as_bytes(), 0) as usize % BITS;
    (BYTES - 1 - bit / 8, 1 << (bit % 8))
}

/// Whether a path of this `order` was `seen` with its pieces in another one; and what was seen then, if that is more.
pub fn turned(order: Option<[u8; SIZE]>, seen: &[u8], most: usize) -> (bool, Option<Vec<u8>>) {
    let Some(order) = order else { return (false, None) };
    let (mark, own) = order.split_at(HALF);
    if let Some(known) = seen.chunks_exact(SIZE).find(|known| known.starts_with(mark)) {
        return (!known.ends_with(own), None);
    }
    let more = [seen, &order].concat();
    (false, Some(more.get(more.len().saturating_sub(most * SIZE)..).unwrap_or_default().to_vec()))
}

/// Whether all choices that a URL makes below so many folders were `seen` alone, None if nothing can be said; and what
/// was seen then, if that is more.
pub fn joined(href: &str, folders: usize, seen: &[u8], most: u32) -> (Option<bool>, Option<Vec<u8>>) {
    let (choices, alone) = choices_in(href, folders);
    if choices.is_empty() {
        return (None, None);
    }
    if seen.is_empty() && alone.is_empty() {
        return (Some(false), None);
    }
    let mut known = Set::read(seen);
    let is_joined = choices.len() > 1 && known.len() <= most && choices.iter().all(|one| known.has(one));
    if is_joined || alone.is_empty() || known.has(&alone) {
        return (Some(is_joined), None);
    }
    known.add(&alone);
    (Some(false), Some(known.0.to_vec()))
}

/// Whether a query is put together from parameters that were all `seen`; and what was seen then, if that is more.
pub fn combined(href: &str, seen: &[u8], most: u32) -> (bool, Option<Vec<u8>>) {
    let query = href.split_once('?').map_or("", |(_, query)| query);
    let mut known = Set::read(seen);
    if query.is_empty() || known.len() > most {
        return (false, None);
    }
    if query.split('&').all(|part| known.has(part)) {
        return (query.split('&').count() >= FEWEST, None);
    }
    query.split('&').for_each(|part| known.add(part));
    (false, Some(known.0.to_vec()))
}

fn choices_in(href: &str, folders: usize) -> (Vec<String>, String) {
    let tail = href.splitn(4, '/').nth(3).unwrap_or_default();
    let (path, query) = tail.split_once('?').map_or((tail, None), |(path, query)| (path, Some(query)));
    if let Some(query) = query {
        return or_alone(values_in(query).collect());
    }
    let below = path.trim_matches('/').split('/').skip(folders);
    let pieces: Vec<&str> = below.filter(|piece| !piece.is_empty()).collect();
    let inner = pieces.iter().flat_map(|piece| piece.split(';').skip(1)).filter(|part| part.contains('='));
    let inner: Vec<String> = inner.map(str::to_owned).collect();
    if !inner.is_empty() {
        return or_alone(inner); // parameters, only that they are in the path
    }
    let &[piece] = pieces.as_slice() else {
        let is_plain = !pieces.iter().any(|piece| is_number(piece));
        return (if is_plain { owned(&pieces) } else { Vec::new() }, String::new());
    };
    let parts = parts_of(piece);
    if !parts.iter().any(|part| is_number(part)) {
        let choices: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let alone = if let [choice] = choices.as_slice() { choice.clone() } else { piece.to_owned() };
        return (choices, alone);
    }
    if is_number(piece) { (Vec::new(), String::new()) } else { (owned(&pieces), piece.to_owned()) }
}

fn values_in(query: &str) -> impl Iterator<Item = String> {
    let pairs = query.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
    pairs.flat_map(|(name, value)| {
        parts_of(value).into_iter().filter(|one| !one.is_empty()).map(move |one| format!("{name}={one}"))
    })
}

fn or_alone(choices: Vec<String>) -> (Vec<String>, String) {
    let alone = if let [choice] = choices.as_slice() { choice.clone() } else { String::new() };
    (choices, alone)
}

fn owned(pieces: &[&str]) -> Vec<String> {
    pieces.iter().map(|piece| (*piece).to_owned()).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text split at what stands between choices that are written into one value, or one piece of a path.
fn parts_of(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        let size = match byte {
            b'-' | b',' | b'.' | b';' | b'+' | b'|' | b'~' | b'_' => 1,
            b'%' if is_escaped(text.as_bytes().get(at + 1..at + 3)) => 3,
            _ => 0,
        };
        if size > 0 {
            parts.push(text.get(start..at).unwrap_or_default());
            start = at + size;
        }
        at += size.max(1);
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

fn is_escaped(digits: Option<&[u8]>) -> bool {
    digits.is_some_and(|two| [b"20", b"2C", b"3B", b"7C"].iter().any(|one| two.eq_ignore_ascii_case(*one)))
}
