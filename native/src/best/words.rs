//! What the words of a block tell: how it is written, and whether they are those of banners, menus and buttons.

use std::collections::HashSet;

pub const TOPICS: usize = 8;
/// Of longer blocks the words are counted, not looked up.
const SHORT: usize = 60;

#[rustfmt::skip]
const TOPIC_WORDS: [&[&str]; TOPICS] = [
    &["consent", "cookie", "cookies", "copyright", "disclaimer", "disclosure", "gdpr", "legal", "policy", "privacy",
      "reserved", "rights", "terms", "trademark", "trademarks"],
    &["account", "email", "inbox", "join", "log", "login", "member", "membership", "newsletter", "newsletters", "offers",
      "password", "register", "sign", "signup", "subscribe", "subscribed", "subscription", "unsubscribe", "updates"],
    &["copied", "copy", "facebook", "follow", "instagram", "link", "linkedin", "pinterest", "print", "reddit", "share",
      "sharing", "telegram", "tweet", "twitter", "whatsapp", "x", "youtube"],
    &["all", "also", "article", "articles", "continue", "explore", "featured", "latest", "learn", "like", "load", "more",
      "next", "popular", "post", "posts", "previous", "read", "reading", "recent", "recommended", "related", "see", "show",
      "similar", "stories", "suggested", "trending", "view", "you"],
    &["answer", "answers", "comment", "commented", "comments", "discussion", "flag", "likes", "replied", "replies", "reply",
      "report", "solution", "upvote", "views", "vote", "votes", "helpful", "feedback"],
    &["add", "bag", "basket", "buy", "cart", "checkout", "delivery", "price", "quantity", "sale", "save", "ship",
      "shipping", "shop", "sold", "stock", "wishlist", "returns"],
    &["ago", "april", "august", "author", "by", "december", "edited", "february", "january", "july", "june", "last", "march",
      "may", "min", "minute", "minutes", "modified", "november", "october", "posted", "published", "september", "updated",
      "written"],
    &["about", "ad", "advertise", "advertisement", "back", "careers", "clear", "click", "close", "contact", "filter", "filters",
      "help", "home", "loading", "main", "menu", "navigation", "open", "results", "search", "select", "skip", "sort",
      "sponsored", "support", "toggle", "top"],
];

#[derive(Default, Clone)]
pub struct Words {
    /// As many as `\w+` finds; two characters of a script without spaces are one.
    pub count: f32,
    pub letters: f32,
    pub capitals: f32,
    pub digits: f32,
    pub sentences: f32,
    pub commas: f32,
    pub in_title: f32,
    pub topics: [u16; TOPICS],
    /// How the block ends: 2 as a sentence does, 1 with a colon, 0 with a word.
    pub end: u8,
}

/// The words that are looked for, each with its topic.
pub struct Known(std::collections::HashMap<&'static str, usize>);

impl Known {
    pub fn new() -> Self {
        let rows = TOPIC_WORDS.iter().enumerate();
        Self(rows.flat_map(|(topic, words)| words.iter().map(move |word| (*word, topic))).collect())
    }
}

pub fn read(text: &str, known: &Known, title: &HashSet<String>) -> Words {
    let mut words = Words::default();
    let mut word = String::new();
    let mut wide = 0_u32;
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            wide += u32::from(character >= '\u{2e80}');
            words.add_letter(character, word.is_empty());
            if word.len() < 32 {
                word.extend(character.to_lowercase());
            }
            continue;
        }
        words.end_word(&mut word, known, title);
        match character {
            '.' | '!' | '?' | '。' | '！' | '？' | '؟' | '।' => words.sentences += 1.0,
            ',' | ';' | '，' | '、' | '،' => words.commas += 1.0,
            _ => {}
        }
    }
    words.end_word(&mut word, known, title);
    words.count += (wide / 2) as f32;
    words.end = match text.trim_end_matches(['"', '\'', ')', '”', '’', '»', ' ']).chars().next_back() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।') => 2,
        Some(':') => 1,
        _ => 0,
    };
    words
}

impl Words {
    fn add_letter(&mut self, character: char, is_first: bool) {
        self.letters += 1.0;
        if is_first && character.is_uppercase() {
            self.capitals += 1.0;
        }
        if character.is_numeric() {
            self.digits += 1.0;
        }
    }

    fn end_word(&mut self, word: &mut String, known: &Known, title: &HashSet<String>) {
        if word.is_empty() {
            return;
        }
        self.count += 1.0;
        if self.count < SHORT as f32 {
            if title.contains(word.as_str()) {
                self.in_title += 1.0;
            }
            if let Some(count) = known.0.get(word.as_str()).and_then(|&topic| self.topics.get_mut(topic)) {
                *count += 1;
            }
        }
        word.clear();
    }
}
