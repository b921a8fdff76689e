//! URLs of the usual form to what the frontier knows them by: `canon.py` and `dedup.py` for those that need no rule
//! but the ones about `www.`, index pages and the last slash.

use memchr::{memchr, memrchr};
use std::borrow::Cow;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_128;

pub struct KeyRules {
    pub index_pages: HashSet<String>,
    pub max_length: usize,
    pub drop_www: bool,
    pub drop_index: bool,
    pub drop_trailing_slash: bool,
    pub merge_schemes: bool,
}

/// Authority and fingerprint of a URL as the URL standard writes it, if it is canonical as it is. None: ask `canon.py`.
/// One that `is_plain` is known to be. `key` is room to write the key in.
pub fn target<'a>(url: &'a str, is_plain: bool, rules: &KeyRules, key: &mut String) -> Option<(&'a str, [u8; 16])> {
    let scheme = ["https:", "http:"].into_iter().find(|scheme| url.starts_with(scheme))?;
    let rest = url.get(scheme.len()..)?.strip_prefix("//")?;
    let (authority, path) = rest.split_at_checked(memchr(b'/', rest.as_bytes())?)?;
    let is_usual = is_plain || is_usual_authority(authority) && is_usual_path(path);
    if url.len() > rules.max_length || !is_usual {
        return None;
    }
    key.clear();
    key.extend(key_of(scheme, authority, path, rules));
    Some((authority, xxh3_128(key.as_bytes()).to_be_bytes()))
}

fn is_usual_authority(authority: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let (name, port) = match memchr(b':', authority.as_bytes()) {
        Some(at) => (authority.get(..at).unwrap_or_default(), authority.get(at + 1..).unwrap_or_default()),
        None => (authority, ""),
    };
    name.bytes().all(is_usual) && port.bytes().all(is_usual) && !name.ends_with('.')
}

/// Whether a path has nothing that a rule for sessions, slashes, escapes or queries could change.
fn is_usual_path(path: &str) -> bool {
    let mut before = 0;
    path.bytes().all(|byte| {
        let is_doubled = byte == b'/' && before == b'/';
        before = byte;
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'~' | b'-' | b'/' | b'+' | b',' | b':' | b'@' | b'=') && !is_doubled
    })
}

fn key_of<'a>(scheme: &'a str, authority: &'a str, path: &'a str, rules: &KeyRules) -> [&'a str; 4] {
    let authority = if rules.drop_www { without_www(authority) } else { authority };
    let mut path = if rules.drop_index { without_index(path, &rules.index_pages) } else { path };
    if rules.drop_trailing_slash {
        path = path.strip_suffix('/').unwrap_or(path);
    }
    let scheme = if rules.merge_schemes { "" } else { scheme };
    [scheme, "//", authority, path]
}

fn without_www(name: &str) -> &str {
    name.strip_prefix("www.").filter(|bare| bare.contains('.')).unwrap_or(name)
}

fn without_index<'a>(path: &'a str, index_pages: &HashSet<String>) -> &'a str {
    let start = memrchr(b'/', path.as_bytes()).map_or(0, |slash| slash + 1);
    let (folder, last) = path.split_at_checked(start).unwrap_or((path, ""));
    // These three as in `dedup.py`, for the keys that they make are on disks.
    let has_sign = || ["ndex.", "efault.", "NDEX."].iter().any(|sign| path.contains(sign));
    let is_index = matches!(last.bytes().next(), Some(b'i' | b'I' | b'd' | b'D'))
        && index_pages.contains(&last.to_ascii_lowercase())
        && has_sign();
    if is_index { folder } else { path }
}

/// The host that owns what is at this authority.
pub fn host(authority: &str) -> Cow<'_, str> {
    match authority.split_once(':') {
        Some((name, port)) if without_www(name) != name => [without_www(name), ":", port].concat().into(),
        Some(_) => authority.into(),
        None => without_www(authority).into(),
    }
}
