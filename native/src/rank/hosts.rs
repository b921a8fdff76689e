//! The host of a URL, as `url/keys.py` says, and the numbers that hosts and domains are known by.

use memchr::{memchr, memmem, memrchr};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// Name and port as written in a URL, without user and password.
pub fn authority_of(href: &[u8]) -> &[u8] {
    let colon = match memchr(b':', href) {
        Some(at) if href.get(at + 1..at + 3) == Some(b"//") => Some(at),
        _ => memmem::find(href, b"://"),
    };
    let after = colon.and_then(|at| href.get(at + 3..)).unwrap_or_default();
    let authority = memchr(b'/', after).and_then(|at| after.get(..at)).unwrap_or(after);
    memrchr(b'@', authority).and_then(|at| authority.get(at + 1..)).unwrap_or(authority)
}

/// The unit of politeness.
pub fn host_of_authority(authority: &[u8]) -> Cow<'_, [u8]> {
    let (name, port) = split_port(authority);
    let bare = without_www(without_dots(name));
    if port.is_empty() || bare.len() + port.len() == authority.len() {
        return Cow::Borrowed(if port.is_empty() { bare } else { authority });
    }
    if name.ends_with(bare) {
        return Cow::Borrowed(authority.get(name.len() - bare.len()..).unwrap_or_default());
    }
    Cow::Owned([bare, port].concat())
}

/// The name, and the port with its colon.
pub fn split_port(authority: &[u8]) -> (&[u8], &[u8]) {
    match memrchr(b':', authority) {
        Some(at) if !authority.ends_with(b"]") => authority.split_at(at),
        _ => (authority, b""),
    }
}

/// A name without the dots at its end; one of dots alone stays.
pub fn without_dots(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|byte| *byte != b'.').map_or(name.len(), |last| last + 1);
    name.get(..end).unwrap_or_default()
}

fn without_www(name: &[u8]) -> &[u8] {
    match name.strip_prefix(b"www.") {
        Some(bare) if bare.contains(&b'.') => bare,
        _ => name,
    }
}

/// Names by number: they are counted as they come.
///
/// One text for all of them, and a table of numbers with half of each one's hash: 3 million take 150 MB.
#[derive(Default)]
pub struct Names {
    text: Vec<u8>,
    ends: Vec<usize>,
    slots: Vec<u64>,
}

impl Names {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(number).and_then(|end| self.text.get(start..*end)).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    pub fn number_of(&mut self, name: &[u8]) -> u32 {
        if self.slots.len() < 2 * (self.len() + 1) {
            self.grow();
        }
        let hash = xxh3_64(name);
        let (half, mask) = (hash >> 32, self.slots.len() - 1);
        let mut at = hash as usize & mask;
        loop {
            let held = self.slots.get(at).copied().unwrap_or(0);
            if held == 0 {
                break;
            }
            let number = held as u32 - 1;
            if held >> 32 == half && self.get(number as usize) == name {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        let number = self.len() as u32;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = half << 32 | u64::from(number);
        }
        number - 1
    }

    fn grow(&mut self) {
        let mut slots = vec![0; (2 * self.slots.len()).max(1024)];
        let mask = slots.len() - 1;
        for (number, name) in self.iter().enumerate() {
            let hash = xxh3_64(name);
            let mut at = hash as usize & mask;
            while slots.get(at).is_some_and(|held| *held != 0) {
                at = (at + 1) & mask;
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = (hash >> 32) << 32 | (number as u64 + 1);
            }
        }
        self.slots = slots;
    }

    /// Where each name ends, after a zero, and the text of all.
    pub fn buffers(&self) -> (Vec<u8>, &[u8]) {
        let ends = std::iter::once(&0).chain(&self.ends).flat_map(|end| (*end as i64).to_le_bytes()).collect();
        (ends, &self.text)
    }
}
