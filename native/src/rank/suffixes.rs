//! The domain of a host by the rules that the crawl was created with, as `url/domains.py` says.

use super::hosts::{split_port, without_dots};
use crate::hashing::Quick;
use std::borrow::Cow;
use std::collections::HashSet;

type Rules = HashSet<Vec<u8>, Quick>;

#[derive(Default)]
pub struct Suffixes {
    plain: Rules,
    any_below: Rules,
    exceptions: Rules,
    most_labels: usize,
}

impl Suffixes {
    pub fn new(rules: &[String]) -> Self {
        let mut found = Self { most_labels: 1, ..Self::default() };
        for rule in rules.iter().map(String::as_bytes) {
            let dots = rule.iter().filter(|byte| **byte == b'.').count();
            found.most_labels = found.most_labels.max(dots + 1);
            if let Some(name) = rule.strip_prefix(b"*.") {
                found.any_below.insert(name.to_vec());
            } else if let Some(name) = rule.strip_prefix(b"!") {
                found.exceptions.insert(name.to_vec());
            } else {
                found.plain.insert(rule.to_vec());
            }
        }
        found
    }

    pub fn domain_of<'a>(&self, host: &'a [u8]) -> Cow<'a, [u8]> {
        let name = without_dots(split_port(host).0);
        if name.iter().any(u8::is_ascii_uppercase) {
            let small = name.to_ascii_lowercase();
            return Cow::Owned(self.ending(&small).to_vec());
        }
        Cow::Borrowed(self.ending(name))
    }

    fn ending<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        // Where each label begins, the last one first.
        let starts: Vec<_> = std::iter::once(0)
            .chain(memchr::memchr_iter(b'.', name).map(|dot| dot + 1))
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let last = starts.first().and_then(|at| name.get(*at..)).unwrap_or_default();
        let is_number = !last.is_empty() && last.iter().all(u8::is_ascii_digit);
        let has_gap = name.is_empty() || name.starts_with(b".") || name.ends_with(b".") || has_two_dots(name);
        if name.starts_with(b"[") || is_number || has_gap {
            return name;
        }
        let public = self.public_labels(name, &starts);
        starts.get(public).and_then(|at| name.get(*at..)).unwrap_or(name)
    }

    fn public_labels(&self, name: &[u8], starts: &[usize]) -> usize {
        for count in (1..=starts.len().min(self.most_labels)).rev() {
            let end = starts.get(count - 1).and_then(|at| name.get(*at..)).unwrap_or_default();
            if self.exceptions.contains(end) {
                return count - 1;
            }
            if self.any_below.contains(end) {
                return count + 1;
            }
            if self.plain.contains(end) {
                return count;
            }
        }
        1
    }
}

fn has_two_dots(name: &[u8]) -> bool {
    name.windows(2).any(|two| two == b"..")
}
