//! Hrefs of the usual form to URLs: a fast way that says nothing where `resolve.py` has more to do than join.

use memchr::{memchr, memrchr_iter};
use std::net::Ipv4Addr;

/// What may stand in a name of a path without being escaped, removed or looked at by the URL standard.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'~' | b'-')
}

/// The same of a query.
fn is_plain_query(byte: u8) -> bool {
    is_plain(byte)
        || matches!(
            byte,
            b'&' | b'=' | b'+' | b'%' | b'/' | b':' | b';' | b',' | b'@' | b'!' | b'$' | b'(' | b')' | b'*' | b'?'
        )
}

/// Appends the URL of an href, against the folder of the base and those above it. Returns whether it did: if not, ask
/// `resolve.py`.
pub fn resolve(href: &str, folders: &[&str], text: &mut String) -> bool {
    let Some(parts) = (match split_scheme(href) {
        Some((scheme, rest)) => absolute(href, scheme, rest),
        None => relative(href, folders),
    }) else {
        return false;
    };
    text.extend(parts);
    true
}

/// The folder of a base that the URL standard leaves as it is, and those above it. None: ask `resolve.py`.
pub fn folders(base: &str) -> Option<Vec<&str>> {
    let (scheme, rest) = split_scheme(base)?;
    let [_, ""] = absolute(base, scheme, rest)? else { return None };
    let root = scheme.len() + cut(rest, b'/').0.len();
    let path = cut(base, b'?').0.as_bytes();
    memrchr_iter(b'/', path).take_while(|slash| *slash >= root).map(|slash| base.get(..=slash)).collect()
}

/// What is before and after the first `mark`; all of it and nothing, if there is none.
fn cut(text: &str, mark: u8) -> (&str, &str) {
    let at = memchr(mark, text.as_bytes()).unwrap_or(text.len());
    (text.get(..at).unwrap_or(text), text.get(at + 1..).unwrap_or_default())
}

fn split_scheme(href: &str) -> Option<(&str, &str)> {
    ["https://", "http://"].into_iter().find_map(|scheme| Some((scheme, href.strip_prefix(scheme)?)))
}

fn relative<'a>(href: &'a str, folders: &[&'a str]) -> Option<[&'a str; 2]> {
    let (level, rest) = if let Some(rest) = href.strip_prefix('/') {
        (folders.len().checked_sub(1)?, rest)
    } else {
        let mut rest = href;
        let mut up = 0;
        while let Some(after) = rest.strip_prefix("../") {
            rest = after;
            up += 1;
        }
        if up == 0 && rest.bytes().next().is_none_or(|byte| byte == b'?') {
            return None;
        }
        (up.min(folders.len().checked_sub(1)?), rest)
    };
    let (path, query) = cut(rest, b'?');
    if !is_plain_path(path) || !query.bytes().all(is_plain_query) {
        return None;
    }
    Some([folders.get(level)?, rest])
}

fn absolute<'a>(href: &'a str, scheme: &str, rest: &str) -> Option<[&'a str; 2]> {
    let (authority, tail) = cut(rest, b'/');
    let (path, query) = cut(tail, b'?');
    if !is_canonical_authority(authority, scheme) || !is_plain_path(path) || !query.bytes().all(is_plain_query) {
        return None;
    }
    let slash = if authority.len() == rest.len() { "/" } else { "" };
    Some([href, slash])
}

/// Whether these are names with a slash between each two, none of them empty or with a dot in front, but the last one.
fn is_plain_path(path: &str) -> bool {
    let mut before = b'/';
    path.bytes().all(|byte| {
        let is_first = before == b'/';
        before = byte;
        if is_first { is_plain(byte) && byte != b'.' } else { is_plain(byte) || byte == b'/' }
    })
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
