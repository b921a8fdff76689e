//! Who stands behind a site, as `rank/survey/support.py` has it, which explains the words.

use super::csr::Csr;
use super::threads::fill;

const ASKED: usize = 32;
const MOST: usize = 200;
const LOOKED_AT: usize = 2000;

#[derive(Clone, Copy, Default)]
pub struct Support {
    pub vouchers: u32,
    pub hangers_on: u32,
    pub ring: u32,
    pub supporters: u32,
}

/// Who is who for the site that is looked at, by numbers that are new for each domain and each site: nothing is wiped.
#[derive(Default)]
struct Stamps {
    inside: Vec<u32>, // the domain and those that vouch for it
    met: Vec<u32>,
    own: Option<u32>,
    domain: u32,
    site: u32,
}

impl Stamps {
    fn new(graph: &Csr) -> Self {
        Self { inside: vec![0; graph.nodes()], met: vec![0; graph.nodes()], ..Self::default() }
    }

    fn begin(&mut self, own: u32, graph: &Csr) {
        self.site += 1;
        if self.own == Some(own) {
            return; // another host of the same domain
        }
        self.own = Some(own);
        self.domain += 1;
        put(&mut self.inside, own, self.domain);
        for voucher in graph.of(own as usize) {
            put(&mut self.inside, *voucher, self.domain);
        }
    }

    fn is_inside(&self, node: u32) -> bool {
        self.inside.get(node as usize) == Some(&self.domain)
    }

    /// Whether a node is met for the first time.
    fn is_new(&mut self, node: u32) -> bool {
        match self.met.get_mut(node as usize) {
            Some(met) if *met != self.site => {
                *met = self.site;
                true
            }
            _ => false,
        }
    }
}

fn put(stamps: &mut [u32], node: u32, stamp: u32) {
    if let Some(held) = stamps.get_mut(node as usize) {
        *held = stamp;
    }
}

/// Who stands behind each domain of `graph`; `seeds` are some of them.
pub fn support(graph: &Csr, seeds: &[bool]) -> Vec<Support> {
    let mut found = vec![Support::default(); graph.nodes()];
    fill(
        &mut found,
        || Stamps::new(graph),
        |stamps, from, piece| {
            for (domain, result) in (from..).zip(piece) {
                *result = of(graph.of(domain), domain as u32, graph, seeds, stamps);
            }
        },
    );
    found
}

/// Who stands behind each of `hosts`, whose domain `domain_of` says, and behind that `domains`.
pub fn host_support(hosts: &Csr, domain_of: &[u32], domains: &[Support], graph: &Csr, seeds: &[bool]) -> Vec<Support> {
    let order = (0..).zip(domain_of).map(|(host, domain)| (*domain, host, Support::default()));
    let mut found: Vec<(u32, u32, Support)> = order.collect();
    found.sort_unstable_by_key(|(domain, host, _)| (*domain, *host)); // so that a domain is stamped once for all its hosts
    fill(
        &mut found,
        || Stamps::new(graph),
        |stamps, _, piece| {
            for (domain, host, result) in piece {
                let (near, whole) = (hosts.of(*host as usize), graph.of(*domain as usize));
                *result = match domains.get(*domain as usize) {
                    // Nobody vouches for its domain but for its sake: so it is with most hosts.
                    Some(same) if near.len() == whole.len() => *same,
                    _ => of(near, *domain, graph, seeds, stamps),
                };
            }
        },
    );
    found.sort_unstable_by_key(|(_, host, _)| *host);
    found.into_iter().map(|(_, _, result)| result).collect()
}

fn of(near: &[u32], own: u32, graph: &Csr, seeds: &[bool], stamps: &mut Stamps) -> Support {
    if near.is_empty() {
        return Support::default();
    }
    stamps.begin(own, graph);
    let is_seed = |node: u32| seeds.get(node as usize).copied().unwrap_or(false);
    let (mut independent, mut ring, mut hangers_on) = (Vec::new(), Vec::new(), Vec::new());
    for voucher in near.iter().copied() {
        let theirs = graph.of(voucher as usize);
        if !depends(theirs, stamps) {
            independent.push(voucher);
        } else if theirs.binary_search(&own).is_ok() {
            ring.push(voucher);
        } else if is_seed(voucher) {
            independent.push(voucher);
        } else {
            hangers_on.push(voucher);
        }
    }
    if ring.iter().any(|voucher| is_seed(*voucher)) {
        independent.append(&mut ring);
    }
    for excluded in ring.iter().chain(&hangers_on).chain([&own]) {
        stamps.is_new(*excluded);
    }
    let operator = usize::from(independent.iter().any(|voucher| is_seed(*voucher)));
    let supporters = supporters(&independent, operator, graph, stamps);
    let [vouchers, hangers_on, ring] = [independent, hangers_on, ring].map(|some| some.len() as u32);
    Support { vouchers, hangers_on, ring, supporters: supporters as u32 }
}

fn depends(theirs: &[u32], stamps: &Stamps) -> bool {
    let asked = theirs.len().min(ASKED);
    let place = |number| if theirs.len() <= ASKED { number } else { number * theirs.len() / ASKED };
    let mut sampled = (0..asked).filter_map(|number| theirs.get(place(number)));
    let mut strangers = asked / 5; // so many at the most, and one more says that it does not depend
    sampled.all(|one| stamps.is_inside(*one) || strangers.checked_sub(1).inspect(|left| strangers = *left).is_some())
}

fn supporters(independent: &[u32], operator: usize, graph: &Csr, stamps: &mut Stamps) -> usize {
    let (mut found, mut left) = (operator, LOOKED_AT);
    for one in independent.iter().flat_map(|voucher| graph.of(*voucher as usize)) {
        if left == 0 || found >= MOST {
            break;
        }
        left -= 1;
        found += usize::from(stamps.is_new(*one));
    }
    found
}
