//! What the words of a block tell: how it is written, and whether they are those of banners, menus and buttons.

use crate::hashing::Quick;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub const TOPICS: usize = 8;
/// Of longer blocks the words are counted, not looked up.
const SHORT: u32 = 60;

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

/// The words of a title.
pub type Title = HashSet<String, Quick>;

/// The words that are looked for, each with its topic.
static KNOWN: LazyLock<HashMap<&str, usize, Quick>> = LazyLock::new(|| {
    let rows = TOPIC_WORDS.iter().enumerate();
    rows.flat_map(|(topic, words)| words.iter().map(move |word| (*word, topic))).collect()
});

pub fn read(text: &str, title: &Title) -> Words {
    let mut reader = Reader { title, words: Words::default(), counted: Counted::default(), word: String::new() };
    let mut wide = 0_u32;
    let mut is_in_word = false;
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            wide += u32::from(character >= '\u{2e80}');
            reader.add_letter(character, !is_in_word);
            is_in_word = true;
            continue;
        }
        if std::mem::take(&mut is_in_word) {
            reader.end_word();
        }
        match character {
            '.' | '!' | '?' | '。' | '！' | '？' | '؟' | '।' => reader.counted.sentences += 1,
            ',' | ';' | '，' | '、' | '،' => reader.counted.commas += 1,
            _ => {}
        }
    }
    if is_in_word {
        reader.end_word();
    }
    let mut words = reader.counted.into_words(reader.words, wide / 2);
    words.end = match text.trim_end_matches(['"', '\'', ')', '”', '’', '»', ' ']).chars().next_back() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।') => 2,
        Some(':') => 1,
        _ => 0,
    };
    words
}

/// What is counted, in whole numbers: adding up fractions takes longer.
#[derive(Default)]
struct Counted {
    words: u32,
    letters: u32,
    capitals: u32,
    digits: u32,
    sentences: u32,
    commas: u32,
}

impl Counted {
    fn into_words(self, words: Words, wide: u32) -> Words {
        Words {
            count: self.words as f32 + wide as f32,
            letters: self.letters as f32,
            capitals: self.capitals as f32,
            digits: self.digits as f32,
            sentences: self.sentences as f32,
            commas: self.commas as f32,
            ..words
        }
    }
}

struct Reader<'a> {
    title: &'a Title,
    words: Words,
    counted: Counted,
    /// The word that is being read, as far as it may be looked up.
    word: String,
}

impl Reader<'_> {
    fn add_letter(&mut self, character: char, is_first: bool) {
        self.counted.letters += 1;
        self.counted.capitals += u32::from(is_first && character.is_uppercase());
        self.counted.digits += u32::from(character.is_numeric());
        if self.counted.words + 1 >= SHORT || self.word.len() >= 32 {
            return;
        }
        if character.is_ascii() {
            self.word.push(character.to_ascii_lowercase());
        } else {
            self.word.extend(character.to_lowercase());
        }
    }

    fn end_word(&mut self) {
        self.counted.words += 1;
        if self.counted.words < SHORT {
            self.words.in_title += f32::from(u8::from(self.title.contains(self.word.as_str())));
            if let Some(count) = KNOWN.get(self.word.as_str()).and_then(|&topic| self.words.topics.get_mut(topic)) {
                *count += 1;
            }
        }
        self.word.clear();
    }
}
