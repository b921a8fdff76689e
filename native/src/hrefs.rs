//! Hrefs of the usual form to URLs: a fast way that says nothing where `resolve.py` has more to do than join.

use memchr::{memchr, memrchr_iter};
use std::net::Ipv4Addr;

/// What a byte is to a path and to a query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// May stand in neither without being escaped, removed or looked at by the URL standard.
    Odd,
    /// Only in a query.
    Asked,
    Slash,
    Dot,
    Plain,
}

/// Every byte of every link is looked up: that takes half as long as to compare it.
#[allow(clippy::indexing_slicing)] // if this panics, there is no program
static SIGNS: [Sign; 256] = {
    let mut signs = [Sign::Odd; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        signs[byte as usize] = sign_of(byte);
        byte += 1;
    }
    signs
};

const fn sign_of(byte: u8) -> Sign {
    match byte {
        b'/' => Sign::Slash,
        b'.' => Sign::Dot,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'~' | b'-' => Sign::Plain,
        b'&' | b'=' | b'+' | b'%' | b':' | b';' | b',' | b'@' | b'!' | b'$' | b'(' | b')' | b'*' | b'?' => Sign::Asked,
        _ => Sign::Odd,
    }
}

fn sign(byte: u8) -> Sign {
    SIGNS.get(usize::from(byte)).copied().unwrap_or(Sign::Odd)
}

/// The folder of a base, and those above it.
pub struct Folders<'a> {
    pub held: Vec<&'a str>,
    /// The base itself, if it is plain: then they are too. A link to nothing but a fragment means it.
    pub page: Parts<'a>,
}

/// What came of an href.
#[derive(PartialEq, Eq)]
pub enum Resolved {
    /// Ask `resolve.py`.
    No,
    Yes,
    /// To a URL of plain names in a host that is written as it should be: it is canonical as it is.
    Plainly,
}

/// Appends the URL of an href, against the folders of the base, if it can.
pub fn resolve(href: &str, folders: &Folders<'_>, text: &mut String) -> Resolved {
    let (parts, is_plain) = match split_scheme(href) {
        Some((scheme, rest)) => (absolute(href, scheme, rest), true),
        None if href.is_empty() => (folders.page, true),
        None => (relative(href, &folders.held), folders.page.is_some()),
    };
    let Some((parts, has_query)) = parts else { return Resolved::No };
    text.extend(parts);
    if is_plain && !has_query { Resolved::Plainly } else { Resolved::Yes }
}

/// The folder of a base that the URL standard leaves as it is, and those above it. None: ask `resolve.py`.
pub fn folders(base: &str) -> Option<Folders<'_>> {
    let (scheme, rest) = split_scheme(base)?;
    let page @ ([_, ""], _) = absolute(base, scheme, rest)? else { return None };
    let root = scheme.len() + cut(rest, b'/').0.len();
    let path = cut(base, b'?').0.as_bytes();
    let slashes = memrchr_iter(b'/', path).take_while(|slash| *slash >= root);
    let held = slashes.map(|slash| base.get(..=slash)).collect::<Option<_>>()?;
    Some(Folders { held, page: Some(page) })
}

/// What is before and after the first `mark`; all of it and nothing, if there is none.
fn cut(text: &str, mark: u8) -> (&str, &str) {
    let at = memchr(mark, text.as_bytes()).unwrap_or(text.len());
    (text.get(..at).unwrap_or(text), text.get(at + 1..).unwrap_or_default())
}

fn split_scheme(href: &str) -> Option<(&str, &str)> {
    ["https://", "http://"].into_iter().find_map(|scheme| Some((scheme, href.strip_prefix(scheme)?)))
}

/// The parts of a URL, and whether it has a query.
pub type Parts<'a> = Option<([&'a str; 2], bool)>;

fn relative<'a>(href: &'a str, folders: &[&'a str]) -> Parts<'a> {
    let (level, rest) = if let Some(rest) = href.strip_prefix('/') {
        (folders.len().checked_sub(1)?, rest)
    } else {
        let mut rest = href;
        let mut up = 0;
        while let Some(after) = rest.strip_prefix("../") {
            rest = after;
            up += 1;
        }
        if href.is_empty() || href.starts_with('?') {
            return None;
        }
        (up.min(folders.len().checked_sub(1)?), rest)
    };
    Some(([folders.get(level)?, rest], has_query(rest)?))
}

fn absolute<'a>(href: &'a str, scheme: &str, rest: &str) -> Parts<'a> {
    let (authority, tail) = cut(rest, b'/');
    if !is_canonical_authority(authority, scheme) {
        return None;
    }
    let slash = if authority.len() == rest.len() { "/" } else { "" };
    Some(([href, slash], has_query(tail)?))
}

/// Whether there is a query after a plain path: names with a slash between each two, none of them empty or with a dot
/// in front, but the last one. None if the path or the query is not plain.
fn has_query(tail: &str) -> Option<bool> {
    let mut before = Sign::Slash;
    let end = tail.bytes().position(|byte| {
        let sign = sign(byte);
        let goes_on = sign == Sign::Plain || before != Sign::Slash && matches!(sign, Sign::Slash | Sign::Dot);
        before = sign;
        !goes_on
    });
    let Some(rest) = end.and_then(|end| tail.get(end..)) else { return Some(false) };
    (rest.starts_with('?') && rest.bytes().all(|byte| sign(byte) != Sign::Odd)).then_some(true)
}

/// Whether the URL standard leaves a host and its port as they are.
fn is_canonical_authority(authority: &str, scheme: &str) -> bool {
    match authority.split_once(':') {
        // A number is read with a sign before it too: `+1`.
        Some((_, port)) if !port.bytes().all(|byte| byte.is_ascii_digit()) => false,
        Some((name, port)) => is_canonical_name(name) && is_canonical_port(port, scheme),
        None => is_canonical_name(authority),
    }
}

fn is_canonical_name(name: &str) -> bool {
    let mut before = b'.';
    let mut first = b'.'; // of the last part
    let is_usual = name.bytes().all(|byte| {
        let is_doubled = byte == before && matches!(byte, b'.' | b'-'); // two hyphens: it may be Punycode
        if before == b'.' {
            first = byte;
        }
        before = byte;
        !is_doubled && (byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
    });
    // A name whose last part begins like a number may be an address, in one of many ways to write one.
    is_usual && before != b'.' && (first.is_ascii_lowercase() || name.parse::<Ipv4Addr>().is_ok())
}

fn is_canonical_port(port: &str, scheme: &str) -> bool {
    let default = if scheme == "https://" { 443 } else { 80 };
    port.parse::<u16>().is_ok_and(|number| number != default) && (port.len() == 1 || !port.starts_with('0'))
}
