//! The sessions of the servers that were met of late: one each, of so many servers. Who came first is forgotten first.

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Name = ServerName<'static>;

#[derive(Debug, Default)]
struct Met {
    group: Option<NamedGroup>,
    session: Option<Tls12ClientSessionValue>,
    ticket: Option<Tls13ClientSessionValue>,
}

#[derive(Debug, Default)]
struct Known {
    met: HashMap<Name, Met>,
    order: VecDeque<Name>,
}

#[derive(Debug)]
pub struct Sessions {
    limit: usize,
    known: Mutex<Known>,
}

impl Sessions {
    pub fn new(limit: usize) -> Self {
        Self { limit, known: Mutex::default() }
    }

    /// Forgets what a server has told us to keep: it was too much.
    pub fn forget(&self, name: &Name) {
        if let Some(met) = self.known().met.get_mut(name) {
            (met.session, met.ticket) = (None, None);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, name: Name, say: impl FnOnce(&mut Met)) {
        let mut known = self.known();
        if let Some(met) = known.met.get_mut(&name) {
            return say(met);
        }
        let first = if known.order.len() < self.limit { None } else { known.order.pop_front() };
        if let Some(first) = first {
            known.met.remove(&first);
        }
        if self.limit > 0 {
            known.order.push_back(name.clone());
            say(known.met.entry(name).or_default());
        }
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, name: Name, group: NamedGroup) {
        self.note(name, |met| met.group = Some(group));
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.known().met.get(&name.to_owned())?.group
    }

    fn set_tls12_session(&self, name: Name, session: Tls12ClientSessionValue) {
        self.note(name, |met| met.session = Some(session));
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.known().met.get(&name.to_owned())?.session.clone()
    }

    fn remove_tls12_session(&self, name: &Name) {
        if let Some(met) = self.known().met.get_mut(name) {
            met.session = None;
        }
    }

    fn insert_tls13_ticket(&self, name: Name, ticket: Tls13ClientSessionValue) {
        self.note(name, |met| met.ticket = Some(ticket));
    }

    fn take_tls13_ticket(&self, name: &ServerName<'_>) -> Option<Tls13ClientSessionValue> {
        self.known().met.get_mut(&name.to_owned())?.ticket.take()
    }
}
