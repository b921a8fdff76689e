//! The names of tags. A page has thousands, so that one is found and looked up as a number: its bytes.

use crate::attributes::{is_space, split_where};
use crate::eight::{Eight, all, before, number};
use crate::elements::{BLOCK, BLOCKS, Element, NAMED, OTHER};

/// In lower case: the first eight bytes, and the next eight.
type Name = (u64, u64);

type Table = [(Name, Element); 256];

/// Every name is in its slot or in the next one that was free. Where there is none, it stands for any other.
static TABLE: Table = {
    let mut table = [((0, 0), OTHER); 256];
    let mut blocks = BLOCKS;
    while let [name, rest @ ..] = blocks {
        put(&mut table, name, BLOCK);
        blocks = rest;
    }
    let mut named = NAMED;
    while let [element, rest @ ..] = named {
        put(&mut table, element.tag, *element);
        named = rest;
    }
    table
};

#[allow(clippy::indexing_slicing)] // if this panics, there is no program
const fn put(table: &mut Table, name: &str, element: Element) {
    let name = match name.as_bytes().split_at_checked(8) {
        Some((first, rest)) => (number(first), number(rest)),
        None => (number(name.as_bytes()), 0),
    };
    let mut at = slot(name);
    while table[at].0.0 != 0 {
        at = next(at);
    }
    table[at] = (name, element);
}

const fn slot((first, _): Name) -> usize {
    // The fraction of the golden ratio: it sends numbers that are near one another far apart.
    (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

const fn next(slot: usize) -> usize {
    (slot + 1) % 256
}

fn element(name: Name) -> &'static Element {
    let mut at = slot(name);
    loop {
        match TABLE.get(at) {
            Some((other, element)) if *other == name || other.0 == 0 => return element,
            _ => at = next(at),
        }
    }
}

/// Cuts the name of a tag off, which begins with a letter: its element, and what follows.
pub fn cut_name(input: &[u8]) -> (&'static Element, &[u8]) {
    let (first, length) = start(input);
    let (second, more) = if length < 8 { (0, 0) } else { start(input.get(8..).unwrap_or_default()) };
    match input.split_at_checked(length + more) {
        Some((_, after @ [next, ..])) if is_end(*next) => (element((first, second)), after),
        _ => (&OTHER, split_where(input, is_end).1),
    }
}

fn is_end(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// The digits and letters at the start, in lower case and as a number, and how many they are: at most eight.
///
/// With them may be what is neither, and is neither in lower case, so that no name has it that we know.
fn start(input: &[u8]) -> (u64, usize) {
    let bytes = Eight::of(input);
    let ends = bytes.below(b'0') | bytes.equal(b'>');
    let before_end = ((ends & ends.wrapping_neg()) >> 7).wrapping_sub(1);
    ((bytes.0 | all(b' ')) & before_end, before(ends))
}
