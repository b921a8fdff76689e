//! Who stands behind a site, as `rank/support.py` has it, which explains the words.

use super::csr::Csr;
use super::threads::fill;

const ASKED: usize = 64;
const MOST: usize = 1000;
const LOOKED_AT: usize = 20_000;

#[derive(Clone, Copy, Default)]
pub struct Support {
    pub vouchers: u32,
    pub hangers_on: u32,
    pub ring: u32,
    pub supporters: u32,
}

/// Who is who for the site that is looked at: a number that is new for each site, so that nothing has to be wiped.
struct Stamps {
    held: Vec<u32>,
    inside: u32,
}

impl Stamps {
    fn next(&mut self, own: u32, near: &[u32]) {
        self.inside = self.inside.wrapping_add(2);
        self.put(own, self.inside);
        for voucher in near {
            self.put(*voucher, self.inside);
        }
    }

    fn put(&mut self, node: u32, stamp: u32) {
        if let Some(held) = self.held.get_mut(node as usize) {
            *held = stamp;
        }
    }

    fn is_inside(&self, node: u32) -> bool {
        self.held.get(node as usize) == Some(&self.inside)
    }

    /// Whether a node that is not inside is met for the first time.
    fn is_new(&mut self, node: u32) -> bool {
        let met = self.inside + 1;
        match self.held.get_mut(node as usize) {
            Some(held) if *held != met && *held != self.inside => {
                *held = met;
                true
            }
            _ => false,
        }
    }
}

/// Who stands behind each of `sites`, whose own domain `own` says; `graph` is of domains, and `seeds` are some of them.
pub fn support(sites: &Csr, own: &(dyn Fn(usize) -> u32 + Sync), graph: &Csr, seeds: &[bool]) -> Vec<Support> {
    let mut found = vec![Support::default(); sites.nodes()];
    let begin = || Stamps { held: vec![0; graph.nodes()], inside: 0 };
    fill(&mut found, begin, |stamps, from, piece| {
        for (site, result) in (from..).zip(piece) {
            *result = of(sites.of(site), own(site), graph, seeds, stamps);
        }
    });
    found
}

fn of(near: &[u32], own: u32, graph: &Csr, seeds: &[bool], stamps: &mut Stamps) -> Support {
    if near.is_empty() {
        return Support::default();
    }
    stamps.next(own, near);
    let is_seed = |node: u32| seeds.get(node as usize).copied().unwrap_or(false);
    let (mut independent, mut ring, mut hangers_on) = (Vec::new(), Vec::new(), 0);
    for voucher in near.iter().copied() {
        let theirs = graph.of(voucher as usize);
        if !depends(theirs, stamps, is_seed(voucher)) {
            independent.push(voucher);
        } else if theirs.binary_search(&own).is_ok() {
            ring.push(voucher);
        } else if is_seed(voucher) {
            independent.push(voucher);
        } else {
            hangers_on += 1;
        }
    }
    if ring.iter().any(|voucher| is_seed(*voucher)) {
        independent.append(&mut ring);
    }
    for voucher in &independent {
        stamps.put(*voucher, 0);
    }
    let operator = usize::from(independent.iter().any(|voucher| is_seed(*voucher)));
    let supporters = supporters(&independent, operator, graph, stamps);
    let (vouchers, ring) = (independent.len() as u32, ring.len() as u32);
    Support { vouchers, hangers_on, ring, supporters: supporters as u32 }
}

fn depends(theirs: &[u32], stamps: &Stamps, is_seed: bool) -> bool {
    let asked = theirs.len().min(ASKED);
    let place = |number| if theirs.len() <= ASKED { number } else { number * theirs.len() / ASKED };
    let sampled = (0..asked).filter_map(|number| theirs.get(place(number)));
    let known = sampled.filter(|one| stamps.is_inside(**one)).count();
    known * 5 >= 4 * (asked + usize::from(is_seed))
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
