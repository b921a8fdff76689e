//! What the head of a page says of it.

use super::hints::kinds;
use crate::attributes::find;
use crate::references::Names;
use crate::text::{add_short, value};
use memchr::memmem;

const LONGEST: usize = 4000;
/// What a page calls itself in JSON-LD or in `og:type`.
pub const TYPES: [&str; 8] = [
    "article",
    "newsarticle",
    "blogposting",
    "product",
    "qapage",
    "discussionforumposting",
    "itemlist",
    "collectionpage",
];

#[derive(Default)]
pub struct Meta {
    pub lang: String,
    pub title: String,
    /// For those who quote the page elsewhere.
    pub quoted_title: String,
    pub site: String,
    pub description: String,
    pub quoted_description: String,
    /// A bit for each of `TYPES`.
    pub types: u32,
    pub body_kinds: u32,
}

impl Meta {
    pub fn add_root(&mut self, written: &[u8], names: &Names) {
        let [lang, xml_lang] = find(written, ["lang", "xml:lang"]);
        if let Some(lang) = lang.filter(|lang| !lang.is_empty()).or(xml_lang).filter(|_| self.lang.is_empty()) {
            self.lang = value(lang, names).trim().to_owned();
        }
    }

    pub fn add_title(&mut self, raw: &[u8], names: &Names) {
        if self.title.is_empty() {
            add_short(raw, LONGEST, names, &mut self.title);
        }
    }

    pub fn add_meta(&mut self, written: &[u8], names: &Names) {
        let [name, property, content, pragma] = find(written, ["name", "property", "content", "http-equiv"]);
        let (Some(name), Some(content)) = (property.or(name).or(pragma), content) else { return };
        let slot = match name.to_ascii_lowercase().as_slice() {
            b"og:title" | b"twitter:title" => &mut self.quoted_title,
            b"og:site_name" => &mut self.site,
            b"description" => &mut self.description,
            b"og:description" | b"twitter:description" => &mut self.quoted_description,
            b"content-language" if !content.contains(&b',') => &mut self.lang,
            b"og:type" => return self.add_types(content),
            _ => return,
        };
        if slot.is_empty() {
            add_short(content, LONGEST, names, slot);
        }
    }

    pub fn add_script(&mut self, written: &[u8], raw: &[u8]) {
        let [kind] = find(written, ["type"]);
        if kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"application/ld+json")) {
            for at in memmem::find_iter(raw, b"\"@type\"") {
                let after = raw.get(at + 7..).unwrap_or_default();
                self.add_types(after.get(..60).unwrap_or(after));
            }
        }
    }

    fn add_types(&mut self, written: &[u8]) {
        let name: Vec<u8> = written
            .iter()
            .skip_while(|byte| !byte.is_ascii_alphabetic())
            .take_while(|byte| byte.is_ascii_alphabetic())
            .map(u8::to_ascii_lowercase)
            .collect();
        if let Some(at) = TYPES.iter().position(|known| known.as_bytes() == name) {
            self.types |= 1 << at;
        }
    }

    pub fn add_body(&mut self, written: &[u8]) {
        let [class] = find(written, ["class"]);
        self.body_kinds |= class.map_or(0, kinds);
    }
}
