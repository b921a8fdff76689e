//! The links of a page, each once, and where they lead: what `links.py` finds.

use crate::hashing::Quick;
use crate::hrefs;
use crate::reader::Link;
use crate::targets::{KeyRules, target};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

const LONGEST: usize = 65536;
/// So many are looked through for each link.
const FEW: usize = 32;

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
    url: Rc<str>,
    link: Link,
    kind: usize,
    nofollow: bool,
}

/// What the links of a page are to it, by tag and rel, of which a page has few.
struct Treatments(Vec<(&'static str, String, Treatment)>);

/// The kind, if it is anything to us, and whether it asks not to be followed.
type Treatment = (Option<usize>, bool);

impl Treatments {
    fn of(&mut self, py: Python<'_>, link: &Link, policy: &Policy) -> PyResult<Treatment> {
        if let Some((.., known)) = self.0.iter().find(|(tag, rel, _)| *tag == link.tag && *rel == link.rel) {
            return Ok(*known);
        }
        let treatment = policy.treatment.call1(py, (link.tag, &link.rel))?.extract(py)?;
        if self.0.len() < FEW {
            self.0.push((link.tag, link.rel.clone(), treatment));
        }
        Ok(treatment)
    }
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
    let mut last = None;
    for one in &kept {
        let url = PyString::new(py, &one.url);
        if let Some(slow) = &asked.target
            && !one.nofollow
            && policy.followed.get(one.kind) == Some(&true)
        {
            targets.extend(lead(py, &one.url, &url, slow, &policy.keys, &mut last)?);
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
    let mut known: HashMap<(usize, Rc<str>), usize, Quick> = HashMap::default();
    let mut treatments = Treatments(Vec::new());
    let mut room = [max_links, max_links]; // for links, for embeds
    let mut full = [false, false];
    for link in links {
        let (kind, nofollow) = treatments.of(py, &link, policy)?;
        let class = usize::from(kind == Some(policy.embed));
        let is_full = full.get(class).copied().unwrap_or_default();
        let Some(kind) = kind.filter(|_| !is_full) else {
            if full == [true, true] {
                break;
            }
            continue;
        };
        let Some(url) = resolved(&link, asked)? else { continue };
        match known.entry((kind, url.into())) {
            Entry::Occupied(entry) => {
                if let Some(earlier) = kept.get_mut(*entry.get()) {
                    earlier.nofollow &= nofollow;
                }
            }
            Entry::Vacant(entry) => match room.get_mut(class) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    let url = Rc::clone(&entry.key().1);
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
    last: &mut Option<(String, Bound<'py, PyString>)>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Some((host, mark)) = target(url, rules) {
        // The links of a page mostly lead to one host: one object for all of them is hashed once.
        if last.as_ref().is_none_or(|(before, _)| *before != host) {
            let shown = PyString::new(py, &host);
            *last = Some((host, shown));
        }
        let host = last.as_ref().map(|(_, shown)| shown);
        return Ok(Some((shown, host, PyBytes::new(py, &mark)).into_pyobject(py)?));
    }
    let answer = slow.call1((shown,))?;
    Ok(if answer.is_none() { None } else { Some(answer.cast_into()?) })
}
