//! What the tables say is gathered here, as `rank/survey/plain.py` does: pairs of hosts, and visits to URLs.

use super::hosts::{Names, authority_of, host_of_authority};
use super::pairs::{Pairs, pair};
use super::signals::Told;
use super::suffixes::Suffixes;
use super::texts::{Texts, longs, places};
use super::together::{Web, together};
use super::visits::Visit;
use pyo3::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

const NONE: u8 = 0;
const VOUCHES: u8 = 2;

#[pyclass]
pub struct Survey {
    suffixes: Suffixes,
    hosts: Names,
    pairs: Pairs,
    visits: Vec<Visit>,
}

#[pymethods]
impl Survey {
    #[new]
    fn new(rules: Vec<String>) -> Self {
        let suffixes = Suffixes::new(&rules);
        Self { suffixes, hosts: Names::default(), pairs: Pairs::default(), visits: Vec::new() }
    }

    /// Takes links: the texts of the sources, the place of each link's source among them, the targets and the marks.
    #[allow(clippy::too_many_arguments)]
    fn links(
        &mut self,
        py: Python<'_>,
        source_ends: &[u8],
        source_text: &[u8],
        source_places: &[u8],
        target_ends: &[u8],
        target_text: &[u8],
        marks: &[u8],
    ) {
        let (sources, targets) = (Texts::new(source_ends, source_text), Texts::new(target_ends, target_text));
        py.detach(|| self.take_links(sources, source_places, targets, marks));
    }

    /// Takes captures and failures: texts of hosts, URLs and digests, then SimHashes and times of eight bytes, and marks.
    #[allow(clippy::too_many_arguments)]
    fn captures(
        &mut self,
        py: Python<'_>,
        hosts: (&[u8], &[u8]),
        urls: (&[u8], &[u8]),
        digests: (&[u8], &[u8]),
        simhashes: &[u8],
        times: &[u8],
        marks: &[u8],
    ) {
        let [hosts, urls, digests] = [hosts, urls, digests].map(|(ends, text)| Texts::new(ends, text));
        py.detach(|| {
            let texts = hosts.iter().zip(urls.iter()).zip(digests.iter());
            let numbers = longs(simhashes).zip(longs(times)).zip(marks);
            for (((host, url), digest), ((simhash, at), mark)) in texts.zip(numbers) {
                if !host.is_empty() {
                    let (host, url) = (self.hosts.number_of(host), xxh3_64(url));
                    let digest = if digest.is_empty() { 0 } else { xxh3_64(digest).max(1) };
                    self.visits.push(Visit { url, at: at as i64, digest, simhash, host, mark: *mark });
                }
            }
        });
    }

    /// The signals of hosts, and of domains: names (where each ends, the text), and columns by name. Once, and last.
    fn settle<'py>(&mut self, py: Python<'py>, seeds: Vec<String>) -> PyResult<[Told<'py>; 2]> {
        let (hosts, domains) = py.detach(|| {
            let seeds: Vec<u32> = seeds.iter().map(|host| self.hosts.number_of(host.as_bytes())).collect();
            let web = Web::new(std::mem::take(&mut self.hosts), &self.suffixes, &seeds);
            together(web, self.pairs.take(), std::mem::take(&mut self.visits))
        });
        Ok([hosts.told(py)?, domains.told(py)?])
    }
}

impl Survey {
    fn take_links(&mut self, sources: Texts<'_>, source_places: &[u8], targets: Texts<'_>, marks: &[u8]) {
        let known: Vec<_> = sources
            .iter()
            .map(|source| {
                let authority = authority_of(source);
                let host = host_of_authority(authority);
                (authority, if host.is_empty() { None } else { Some(self.hosts.number_of(&host)) })
            })
            .collect();
        for ((place, target), mark) in places(source_places).zip(targets.iter()).zip(marks) {
            let Some((home, Some(source))) = known.get(place) else { continue };
            let authority = authority_of(target);
            if *mark == NONE || authority == *home {
                continue;
            }
            let host = host_of_authority(authority);
            // Nothing is known of a host that is only its own other spelling.
            if host.is_empty() || host == host_of_authority(home) {
                continue;
            }
            let target = self.hosts.number_of(&host);
            self.pairs.push(pair(target, *source, *mark != VOUCHES));
        }
    }
}
