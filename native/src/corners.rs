//! The corners of a host that a URL lies in: `judge/corner.py`, where it is said why.

use crate::shape::shape_of;
use xxhash_rust::xxh64::xxh64;

pub const SIZES: usize = 4;
pub const SHAPE: usize = 0;
pub const DEEP: usize = 1;
pub const WIDE: usize = 2;
pub const HOST: usize = 3;
const WHOLE: &str = "*";

/// The names of the corners of a URL, by size; empty: none is of this size.
pub struct Corners([String; SIZES]);

impl Corners {
    /// Those of a normalised URL; of a name longer than `longest` letters the end is a hash.
    pub fn of(href: &str, longest: usize) -> Self {
        let shape = shape_of(href);
        let (path, asked) = shape.split_once('?').map_or((shape.as_str(), ""), |(path, _)| (path, "?"));
        let mut pieces = path.splitn(4, '/').skip(1);
        let (first, second, more) = (pieces.next(), pieces.next(), pieces.next());
        let wide = match (first, second) {
            (Some(first), Some(_)) => format!("/{first}/*{asked}"),
            _ => format!("/*{asked}"),
        };
        let deep = match (first, second, more) {
            (Some(first), Some(second), Some(_)) => format!("/{first}/{second}/*{asked}"),
            _ => String::new(),
        };
        // A shape without marks and without a query is that of one URL alone.
        let shape = if asked.is_empty() && !path.contains('0') { String::new() } else { shape };
        Self([named(shape, longest), named(deep, longest), named(wide, longest), WHOLE.to_owned()])
    }

    pub const fn nowhere() -> Self {
        Self([const { String::new() }; SIZES])
    }

    pub fn name(&self, size: usize) -> &str {
        self.0.get(size).map_or("", String::as_str)
    }

    /// The size of the smallest corner of this URL that has another one in it.
    pub fn size_within(&self, others: &Self) -> usize {
        (SHAPE..HOST)
            .find(|size| !self.name(*size).is_empty() && self.name(*size) == others.name(*size))
            .unwrap_or(HOST)
    }

    /// Whether a name may be that of corners of two sizes: then names alone do not tell them apart.
    pub fn is_odd(&self) -> bool {
        self.name(SHAPE).contains('*')
    }
}

fn named(name: String, longest: usize) -> String {
    if name.len() <= longest {
        return name;
    }
    let kept = name.get(..longest.saturating_sub(17)).unwrap_or_default();
    format!("{kept}…{:016x}", xxh64(name.as_bytes(), 0))
}

/// Where the new links of a page lead.
pub struct Ways<'a> {
    /// How many of them stay in each of its corners.
    inside: [i64; SIZES],
    /// All that were looked at.
    pub all: i64,
    /// One of those that stay in a folder, no matter which, with its corners.
    pub ahead: Option<(&'a str, Corners)>,
}

impl<'a> Ways<'a> {
    /// By the new links to the same host; `elsewhere` are on others.
    pub fn of(corners: &Corners, new: &'a [&'a str], elsewhere: i64, longest: usize) -> Self {
        let (mut counts, mut near) = ([0; SIZES], Vec::new());
        for href in new {
            let others = Corners::of(href, longest);
            let size = corners.size_within(&others);
            if let Some(count) = counts.get_mut(size) {
                *count += 1;
            }
            if size < HOST {
                near.push((*href, others));
            }
        }
        let mut sum = 0;
        let inside = counts.map(|count| {
            sum += count;
            sum
        });
        let chosen = near.first().map(|(href, _)| href.len() % near.len());
        let ahead = chosen.filter(|chosen| *chosen < near.len()).map(|chosen| near.swap_remove(chosen));
        Self { inside, all: sum + elsewhere, ahead }
    }

    pub fn inside(&self, size: usize) -> i64 {
        self.inside.get(size).copied().unwrap_or_default()
    }
}
