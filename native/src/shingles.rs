//! Hashes of the words of a text, in which texts can be compared: `shingles.py`, where it is said how they are made.

use crate::eight::{Eight, bits};
use xxhash_rust::xxh3::xxh3_64;

/// Hashes kept of a text: the smallest.
pub const SAMPLE: usize = 64;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Default)]
pub struct Said {
    pub words: usize,
    pub simhash: u64,
    /// Ascending.
    pub sample: Vec<u32>,
}

/// Of a text in small letters, as far as those of ASCII go.
pub fn said(text: &str) -> Said {
    let mut shingles = Shingles::default();
    each_word(text, |word| shingles.add(xxh3_64(word)));
    shingles.finish()
}

#[derive(Default)]
struct Shingles {
    words: usize,
    /// Of the last four words, and those put together.
    last: [u64; 4],
    four: u64,
    counts: Counts,
    smallest: Smallest,
}

impl Shingles {
    fn add(&mut self, word: u64) {
        let [_, second, third, fourth] = self.last;
        self.words += 1;
        if self.words > 4 {
            self.smallest.add(mixed(joined(self.four, word)));
        }
        self.last = [second, third, fourth, word];
        if self.words >= 4 {
            self.four = folded(&self.last);
            self.counts.add(mixed(self.four));
        }
    }

    /// A text of fewer words than a shingle has is one.
    fn finish(mut self) -> Said {
        let all = self.last.get(4_usize.saturating_sub(self.words)..).unwrap_or_default();
        if (1..5).contains(&self.words) {
            self.smallest.add(mixed(folded(all)));
        }
        if (1..4).contains(&self.words) {
            self.counts.add(mixed(folded(all)));
        }
        self.counts.finish();
        Said { words: self.words, simhash: self.counts.majority(), sample: self.smallest.finish() }
    }
}

fn folded(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| joined(sum, *word))
}

fn joined(words: u64, next: u64) -> u64 {
    words.wrapping_mul(FACTOR).wrapping_add(next)
}

/// What XXH3 does last.
fn mixed(mut hash: u64) -> u64 {
    hash ^= hash >> 37;
    hash = hash.wrapping_mul(0x1656_6791_9e37_79f9);
    hash ^ hash >> 32
}

/// How often each bit was set: bit by bit in numbers that stand on end, so that 64 are counted at once.
#[derive(Default)]
struct Counts {
    planes: [u64; 32],
    total: u64,
    /// Hashes that are yet to be counted: eight at once take little longer than one.
    waiting: [u64; 8],
}

impl Counts {
    fn add(&mut self, hash: u64) {
        if let Some(place) = self.waiting.get_mut((self.total % 8) as usize) {
            *place = hash;
        }
        self.total += 1;
        if self.total % 8 == 0 {
            self.count_eight();
        }
    }

    fn count_eight(&mut self) {
        let [one, two, three, four, five, six, seven, eight] = self.waiting;
        let [ones, twos, fours, larger @ ..] = &mut self.planes;
        let carried = [summed(ones, one, two), summed(ones, three, four)];
        let more = [summed(ones, five, six), summed(ones, seven, eight)];
        let carried = [carried, more].map(|[first, second]| summed(twos, first, second));
        let [first, second] = carried;
        ripple(larger, summed(fours, first, second));
    }

    /// Counts those that wait too.
    fn finish(&mut self) {
        for hash in self.waiting.iter().take((self.total % 8) as usize) {
            ripple(&mut self.planes, *hash);
        }
    }

    /// The bits that were set in more than half.
    fn majority(&self) -> u64 {
        let is_set = |bit: u32| 2 * self.count(bit) > self.total;
        (0..64).filter(|bit| is_set(*bit)).fold(0, |hash, bit| hash | 1 << bit)
    }

    fn count(&self, bit: u32) -> u64 {
        self.planes.iter().rev().fold(0, |count, plane| count << 1 | plane >> bit & 1)
    }
}

/// Adds two numbers to a plane, bit by bit, and returns what is carried.
fn summed(plane: &mut u64, one: u64, other: u64) -> u64 {
    let half = *plane ^ one;
    let carried = *plane & one | half & other;
    *plane = half ^ other;
    carried
}

/// Adds one to each number that stands on end where `carry` has a bit.
fn ripple(planes: &mut [u64], mut carry: u64) {
    for plane in planes {
        if carry == 0 {
            return;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

/// The smallest of many hashes, each once.
struct Smallest {
    kept: Vec<u32>,
    limit: u32,
}

impl Default for Smallest {
    fn default() -> Self {
        Self { kept: Vec::with_capacity(ROOM), limit: u32::MAX }
    }
}

const ROOM: usize = 4 * SAMPLE;

impl Smallest {
    fn add(&mut self, hash: u64) {
        let hash = (hash >> 32) as u32;
        if hash <= self.limit {
            self.kept.push(hash);
            if self.kept.len() == ROOM {
                self.tidy();
            }
        }
    }

    fn tidy(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        self.kept.truncate(SAMPLE);
        if self.kept.len() == SAMPLE {
            self.limit = self.kept.last().copied().unwrap_or(u32::MAX);
        }
    }

    fn finish(mut self) -> Vec<u32> {
        self.tidy();
        self.kept
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gap,
    Letter,
    /// A word of its own.
    Alone,
}

/// Says each word of a text in small letters.
fn each_word(text: &str, mut say: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    let mut say_filled = |start: usize, end: usize| {
        if start < end {
            say(bytes.get(start..end).unwrap_or_default());
        }
    };
    let (mut start, mut next) = (0, 0); // of the word, and after the last character that is no letter by itself
    for (number, piece) in bytes.chunks(PIECE).enumerate() {
        let mut others = others(piece);
        while others != 0 {
            let at = number * PIECE + others.trailing_zeros() as usize;
            others &= others - 1;
            if at < next {
                continue; // the rest of a character
            }
            let is_ascii = bytes.get(at).is_some_and(u8::is_ascii);
            let (kind, length) = if is_ascii { (Kind::Gap, 1) } else { wide_kind(text, at) };
            next = at + length;
            if kind != Kind::Letter {
                say_filled(start, at);
                start = next;
            }
            if kind == Kind::Alone {
                say_filled(at, next);
            }
        }
    }
    say_filled(start, bytes.len());
}

/// So many bytes are looked at together: to look at one after another is to guess wrong at the end of each word.
const PIECE: usize = 64;

/// A bit for each byte of a piece that is no small letter, digit or underscore.
fn others(piece: &[u8]) -> u64 {
    let letters = piece.chunks(8).rev().fold(0, |letters, eight| {
        let bytes = Eight::of(eight);
        letters << 8 | bits(bytes.between(b'a', b'z') | bytes.between(b'0', b'9') | bytes.between(b'_', b'_'))
    });
    !letters & (u64::MAX >> (PIECE - piece.len()))
}

/// The kind of the character that begins here, and its length.
fn wide_kind(text: &str, at: usize) -> (Kind, usize) {
    let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { return (Kind::Gap, 1) };
    let code = u32::from(character);
    let is_in = |ranges: &[(u32, u32)]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&code));
    let kind = match () {
        () if is_in(GAPS) => Kind::Gap,
        () if is_in(ALONE) => Kind::Alone,
        () => Kind::Letter,
    };
    (kind, character.len_utf8())
}

/// These two as in `shingles.py`.
#[rustfmt::skip]
const GAPS: &[(u32, u32)] = &[
    (0x80, 0xa9), (0xab, 0xb4), (0xb6, 0xb9), (0xbb, 0xbf), (0xd7, 0xd7), (0xf7, 0xf7), (0x60c, 0x60c), (0x61b, 0x61b),
    (0x61f, 0x61f), (0x6d4, 0x6d4), (0x964, 0x965), (0x2000, 0x2bff), (0x2e00, 0x2e7f), (0x3000, 0x303f),
    (0xe000, 0xf8ff), (0xfe10, 0xfe1f), (0xfe30, 0xfe6f), (0xff00, 0xff0f), (0xff1a, 0xff20), (0xff3b, 0xff40),
    (0xff5b, 0xff65), (0xffe0, 0xffff), (0x1f000, 0x1faff),
];
#[rustfmt::skip]
const ALONE: &[(u32, u32)] = &[
    (0xe00, 0xeff), (0x1000, 0x109f), (0x1780, 0x17ff), (0x2e80, 0x2fff), (0x3040, 0x31ff), (0x3400, 0x4dbf),
    (0x4e00, 0x9fff), (0xf900, 0xfaff), (0xff66, 0xff9f), (0x20000, 0x3ffff),
];
