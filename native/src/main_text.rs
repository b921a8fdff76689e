//! What a page says itself, line by line: `main_text.py`, where it is said what falls and why.

use crate::eight::{Eight, all, number};
use crate::regions::{Regions, Span};
use crate::text::BREAK;
use memchr::memchr_iter;

const MOST_ASIDE: usize = 1500;
const LEAST: usize = 20;
const SEPARATOR: usize = 6;
const HEADLINE: usize = 30;
const LISTING: usize = 5;
const SHORT: usize = 30;
/// Lines for which there is room from the start.
const USUAL: usize = 256;

/// A line with something in it. Sizes are bytes that are no space.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    size: usize,
    linked: usize,
    links: usize,
}

impl Line {
    fn beside_links(&self) -> usize {
        self.size - self.linked
    }

    /// Whether it is nothing much but links.
    fn is_dense(&self) -> bool {
        let rest = self.beside_links();
        let is_short = self.linked < HEADLINE * self.links;
        is_short && (rest <= self.linked || rest <= SEPARATOR * self.links)
    }
}

/// As written.
pub struct Main {
    /// None: all of the text.
    pub text: Option<Vec<u8>>,
    /// What tells it from others of its kind, if that is something else.
    pub telling: Option<Vec<u8>>,
}

pub fn main_text(text: &[u8], regions: &Regions) -> Main {
    let mut lines = lines(text, &regions.links);
    keep_outside(&mut lines, &regions.asides);
    keep_main(&mut lines, &regions.mains);
    let told = without_links(&lines);
    let (size, told_size) = (size_of(&lines), size_of(&told));
    if size < LEAST {
        return Main { text: None, telling: None };
    }
    if told_size < LEAST {
        return Main { text: Some(joined(text, &lines)), telling: None };
    }
    let telling = (told_size * LISTING < size).then(|| joined(text, &lines));
    Main { text: Some(joined(text, &told)), telling }
}

fn joined(text: &[u8], lines: &[Line]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(lines.iter().map(|line| line.end - line.start + 1).sum());
    for line in lines {
        joined.extend_from_slice(part(text, line.start, line.end));
        joined.push(BREAK);
    }
    joined
}

fn lines(text: &[u8], mut links: &[Span]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(USUAL);
    let mut start = 0;
    for end in memchr_iter(BREAK, text).chain([text.len()]) {
        let size = size(part(text, start, end));
        if size > 0 {
            links = links.get(links.iter().take_while(|link| link.end <= start).count()..).unwrap_or_default();
            let (linked, number) = linked(text, links, start, end);
            lines.push(Line { start, end, size, linked, links: number });
        }
        start = end + 1;
    }
    lines
}

/// How much of a line is links, and how many.
fn linked(text: &[u8], links: &[Span], start: usize, end: usize) -> (usize, usize) {
    let here = links.iter().take_while(|link| link.start < end);
    let sizes = here.map(|link| size(part(text, link.start.max(start), link.end.min(end))));
    sizes.filter(|size| *size > 0).fold((0, 0), |(linked, number), size| (linked + size, number + 1))
}

fn part(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end).unwrap_or_default()
}

fn size(written: &[u8]) -> usize {
    written.len() - written.chunks(COUNTED).map(spaces).sum::<usize>()
}

/// Bytes whose number a byte can hold, in eights.
const COUNTED: usize = 248;

/// How many of so few bytes are space.
fn spaces(written: &[u8]) -> usize {
    let eights = written.chunks_exact(8);
    let rest = eights.remainder();
    // Read eight at once too, where there are so many: what comes before the rest is shifted out.
    let last = written.last_chunk().map_or_else(
        || number(rest),
        |last| u64::from_le_bytes(*last).checked_shr(8 * (8 - rest.len()) as u32).unwrap_or_default(),
    );
    let each = eights.map(Eight::of).chain([Eight(last)]).map(are_space);
    (each.sum::<u64>().wrapping_mul(all(1)) >> 56) as usize
}

/// A one in each byte that is space.
fn are_space(bytes: Eight) -> u64 {
    (bytes.between(b'\t', b'\r') | bytes.between(b' ', b' ')) >> 7
}

fn size_of(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.size).sum()
}

fn keep_outside(lines: &mut Vec<Line>, asides: &[Span]) {
    let falls = |aside: &Span, inside: &[Line]| {
        aside.is_sure || inside.iter().map(Line::beside_links).sum::<usize>() <= MOST_ASIDE
    };
    keep(lines, asides, true, |aside, inside| !falls(aside, inside));
}

fn keep_main(lines: &mut Vec<Line>, mains: &[Span]) {
    if mains.is_empty() {
        return;
    }
    let mut inside = lines.clone();
    keep(&mut inside, mains, false, |_, _| true);
    if size_of(&inside) >= LEAST {
        *lines = inside;
    }
}

/// Keeps the lines outside of all spans if those are `wanted`, and those of each span that `is_kept`.
fn keep(lines: &mut Vec<Line>, spans: &[Span], wanted: bool, is_kept: impl Fn(&Span, &[Line]) -> bool) {
    if spans.is_empty() && wanted {
        return;
    }
    let mut kept = Vec::with_capacity(lines.len());
    let mut rest = &**lines;
    for span in spans {
        let before = cut(&mut rest, span.start);
        kept.extend_from_slice(if wanted { before } else { &[] });
        let inside = cut(&mut rest, span.end);
        kept.extend_from_slice(if is_kept(span, inside) { inside } else { &[] });
    }
    kept.extend_from_slice(if wanted { rest } else { &[] });
    *lines = kept;
}

/// Cuts off the lines that begin before a place.
fn cut<'a>(lines: &mut &'a [Line], end: usize) -> &'a [Line] {
    let number = lines.iter().take_while(|line| line.start < end).count();
    let (before, after) = lines.split_at_checked(number).unwrap_or((lines, &[]));
    *lines = after;
    before
}

fn without_links(lines: &[Line]) -> Vec<Line> {
    let mut is_dense_before = true;
    let mut kept = Vec::with_capacity(lines.len());
    let mut ahead = lines.iter().map(Line::is_dense).skip(1).chain([true]);
    for line in lines {
        let (is_dense, is_dense_after) = (line.is_dense(), ahead.next() == Some(true));
        let falls = is_dense || line.size < SHORT && is_dense_before && is_dense_after;
        kept.extend((!falls).then_some(*line));
        is_dense_before = is_dense;
    }
    kept
}
