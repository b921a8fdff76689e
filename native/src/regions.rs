//! Where the main text of a page is, where it is not, and where its links are, as `regions.py` finds them.

use crate::attributes::{find, split_where};
use crate::elements::{Element, Role};

pub struct Span {
    pub start: usize,
    pub end: usize,
    /// Of an aside: its tag says so.
    pub is_sure: bool,
}

#[derive(Default)]
pub struct Regions {
    /// Those that lead to other pages.
    pub links: Vec<Span>,
    pub asides: Vec<Span>,
    pub mains: Vec<Span>,
    link: Option<usize>,
    aside: Option<Open>,
    main: Option<Open>,
}

struct Open {
    tag: &'static str,
    start: usize,
    is_sure: bool,
    depth: usize,
}

/// What an element is by its tag and its attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Any,
    Main,
    Sure,
    Hinted,
}

impl Regions {
    pub fn start(&mut self, element: &Element, written: &[u8], at: usize) {
        if !matches!(element.role, Role::Aside | Role::Holder | Role::Main) {
            return;
        }
        let place = place(element, written, self.main.is_some());
        let open = |is_sure| Some(Open { tag: element.tag, start: at, is_sure, depth: 1 });
        match &mut self.main {
            None if place == Place::Main => {
                self.main = open(true);
                end(&mut self.aside, at, &mut self.asides);
            }
            Some(main) if main.tag == element.tag => main.depth += 1,
            _ => {}
        }
        match &mut self.aside {
            Some(aside) if aside.tag == element.tag => aside.depth += 1,
            None if matches!(place, Place::Sure | Place::Hinted) => self.aside = open(place == Place::Sure),
            _ => {}
        }
    }

    pub fn end(&mut self, element: &Element, at: usize) {
        if matches!(element.role, Role::Aside | Role::Holder | Role::Main) {
            close(&mut self.aside, element.tag, at, &mut self.asides);
            close(&mut self.main, element.tag, at, &mut self.mains);
        }
    }

    pub fn start_link(&mut self, href: Option<&[u8]>, at: usize) {
        self.end_link(at);
        self.link = href.filter(|href| !href.starts_with(b"#")).map(|_| at);
    }

    pub fn end_link(&mut self, at: usize) {
        self.links.extend(self.link.take().map(|start| Span { start, end: at, is_sure: true }));
    }

    /// Ends whatever is open.
    pub fn finish(&mut self, at: usize) {
        self.end_link(at);
        end(&mut self.aside, at, &mut self.asides);
        end(&mut self.main, at, &mut self.mains);
    }
}

fn close(open: &mut Option<Open>, tag: &str, at: usize, spans: &mut Vec<Span>) {
    match open {
        Some(Open { tag: own, depth: depth @ 2.., .. }) if *own == tag => *depth -= 1,
        Some(Open { tag: own, .. }) if *own == tag => end(open, at, spans),
        _ => {}
    }
}

fn end(open: &mut Option<Open>, at: usize, spans: &mut Vec<Span>) {
    spans.extend(open.take().map(|Open { start, is_sure, .. }| Span { start, end: at, is_sure }));
}

fn place(element: &Element, written: &[u8], is_in_main: bool) -> Place {
    match element.role {
        Role::Main => return Place::Main,
        Role::Aside => return Place::Sure,
        _ if written.is_empty() => return Place::Any,
        _ => {}
    }
    let values = find(written, ["role", "class", "id"]);
    if values.first().copied().flatten().is_some_and(|role| role.eq_ignore_ascii_case(b"main")) {
        return Place::Main;
    }
    let is_hinted = values.into_iter().flatten().any(|value| is_hint(value, is_in_main));
    if is_hinted { Place::Hinted } else { Place::Any }
}

/// Whether one of the words in a class, id or role says that this is beside the main text.
fn is_hint(mut value: &[u8], is_in_main: bool) -> bool {
    let mut room = [0; LONGEST];
    loop {
        let (word, rest) = split_where(value, |byte| !byte.is_ascii_alphabetic());
        if let Some(lower) = room.get_mut(..word.len()) {
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            if is_known(lower) || lower == b"header" && !is_in_main {
                return true;
            }
        }
        let [_, after @ ..] = rest else { return false };
        value = after;
    }
}

const LONGEST: usize = 16;

/// `HINTS` in `regions.py`; not looked up in a list, since every class of a page is asked about.
#[rustfmt::skip]
fn is_known(word: &[u8]) -> bool {
    matches!(
        word,
        b"banner" | b"bottomnav" | b"breadcrumb" | b"breadcrumbs" | b"complementary" | b"consent" | b"contentinfo"
            | b"cookie" | b"cookies" | b"crumbs" | b"dialog" | b"footer" | b"masthead" | b"menu" | b"menubar" | b"nav"
            | b"navbar" | b"navfooter" | b"navheader" | b"navigation" | b"navlist" | b"navpath" | b"navrow" | b"pager"
            | b"pagination" | b"search" | b"sharing" | b"sidebar" | b"social" | b"sphinxsidebar" | b"submenu"
            | b"subnav" | b"tabs" | b"titlearea" | b"toolbar" | b"topnav"
    )
}
