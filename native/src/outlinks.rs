//! The links of a page, each once, and where they lead: what `links.py` finds.

use crate::hrefs;
use crate::reader::Link;
use crate::targets::{KeyRules, target};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

const LONGEST: usize = 65536;

/// What does not change from page to page.
pub struct Policy {
    pub kinds: Vec<Py<PyAny>>,
    pub embed: usize,
    pub followed: Vec<bool>,
    pub treatment: Py<PyAny>,
    pub keys: KeyRules,
}

/// What the page and the reference know better.
pub struct Asked<'py> {
    pub folders: Vec<String>,
    pub resolve: Bound<'py, PyAny>,
    pub refreshed: Bound<'py, PyAny>,
    pub target: Option<Bound<'py, PyAny>>,
}

type Rows<'py> = Vec<Bound<'py, PyTuple>>;

struct Kept {
    url: String,
    link: Link,
    kind: usize,
    nofollow: bool,
}

/// The links, their targets, and whether there were more than `max_links`.
pub fn read<'py>(
    py: Python<'py>,
    links: impl Iterator<Item = Link>,
    max_links: usize,
    policy: &Policy,
    asked: &Asked<'py>,
) -> PyResult<(Rows<'py>, Rows<'py>, bool)> {
    let (kept, cut) = collect(py, links, max_links, policy, asked)?;
    let mut rows = Vec::with_capacity(kept.len());
    let mut targets = Vec::with_capacity(kept.len());
    for one in &kept {
        let url = PyString::new(py, &one.url);
        if let Some(slow) = &asked.target
            && !one.nofollow
            && policy.followed.get(one.kind) == Some(&true)
        {
            targets.extend(lead(py, &one.url, &url, slow, &policy.keys)?);
        }
        let kind = policy.kinds.get(one.kind);
        rows.push((url, PyString::intern(py, one.link.tag), kind, one.nofollow, &one.link.anchor).into_pyobject(py)?);
    }
    Ok((rows, targets, cut))
}

fn collect(
    py: Python<'_>,
    links: impl Iterator<Item = Link>,
    max_links: usize,
    policy: &Policy,
    asked: &Asked<'_>,
) -> PyResult<(Vec<Kept>, bool)> {
    let mut kept: Vec<Kept> = Vec::new();
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    let mut treatments: HashMap<(&'static str, String), (Option<usize>, bool)> = HashMap::new();
    let mut room = [max_links, max_links]; // for links, for embeds
    let mut full = [false, false];
    for link in links {
        let (kind, nofollow) = match treatments.entry((link.tag, link.rel.clone())) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => *entry.insert(policy.treatment.call1(py, (link.tag, &link.rel))?.extract(py)?),
        };
        let class = usize::from(kind == Some(policy.embed));
        let is_full = full.get(class).copied().unwrap_or_default();
        let Some(kind) = kind.filter(|_| !is_full) else {
            if full == [true, true] {
                break;
            }
            continue;
        };
        let Some(url) = resolved(&link, asked)? else { continue };
        match known.entry((kind, url)) {
            Entry::Occupied(entry) => {
                if let Some(earlier) = kept.get_mut(*entry.get()) {
                    earlier.nofollow &= nofollow;
                }
            }
            Entry::Vacant(entry) => match room.get_mut(class) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    let url = entry.key().1.clone();
                    entry.insert(kept.len());
                    kept.push(Kept { url, link, kind, nofollow });
                }
                _ => {
                    if let Some(is_full) = full.get_mut(class) {
                        *is_full = true;
                    }
                }
            },
        }
    }
    Ok((kept, full.first() == Some(&true)))
}

fn resolved(link: &Link, asked: &Asked<'_>) -> PyResult<Option<String>> {
    if link.tag == "meta" {
        return asked.refreshed.call1((&link.href,))?.extract();
    }
    if link.href.len() <= LONGEST
        && let Some(url) = hrefs::resolve(&link.href, &asked.folders)
    {
        return Ok(Some(url));
    }
    asked.resolve.call1((&link.href,))?.extract()
}

fn lead<'py>(
    py: Python<'py>,
    url: &str,
    shown: &Bound<'py, PyString>,
    slow: &Bound<'py, PyAny>,
    rules: &KeyRules,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Some((host, mark)) = target(url, rules) {
        let row = (shown, host, PyBytes::new(py, &mark)).into_pyobject(py)?;
        return Ok(Some(row));
    }
    let answer = slow.call1((shown,))?;
    Ok(if answer.is_none() { None } else { Some(answer.cast_into()?) })
}
