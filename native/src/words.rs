//! Words of texts as they are compared: `judge/likeness.py` and `reading/answered.py`, where it is said why.

use memchr::memchr2_iter;
use pyo3::prelude::*;

/// Small letters, those that texts have least of first.
const SELDOM: &[u8] = b"zqxjkvbywgpfmucdlhrsnioate";

/// Whether `word`, in small letters, is anywhere in `text`, in letters of any size.
#[pyfunction]
pub fn has_word(text: &[u8], word: &[u8]) -> bool {
    let Some((place, letter)) =
        SELDOM.iter().find_map(|letter| Some((word.iter().position(|one| one == letter)?, letter)))
    else {
        return text.windows(word.len().max(1)).any(|part| part.eq_ignore_ascii_case(word)) || word.is_empty();
    };
    let starts = memchr2_iter(*letter, letter.to_ascii_uppercase(), text).filter_map(|at| at.checked_sub(place));
    starts.filter_map(|at| text.get(at..at + word.len())).any(|part| part.eq_ignore_ascii_case(word))
}

/// What a short answer says: the words of its title and of its text, in small letters and in order, with a space between
/// each two; without those of the `tail` of its URL and `escapes`, and without those that have digits, unless they are
/// `telling`. None: what the words are, Python knows best.
#[pyfunction]
pub fn short_mark(title: &str, brief: &str, tail: &str, escapes: Vec<String>, telling: Vec<String>) -> Option<String> {
    let is_plain = tail.bytes().all(|byte| byte.is_ascii() && byte != b'%' && byte != b'+');
    if !is_plain || !title.chars().chain(brief.chars()).all(is_simple) {
        return None;
    }
    let tail = tail.to_ascii_lowercase();
    let echoes: Vec<&str> = words_of(&tail).chain(escapes.iter().map(String::as_str)).collect();
    Some(format!("{}\n{}", in_order(title, &echoes, &telling), in_order(brief, &echoes, &telling)))
}

fn in_order(text: &str, echoes: &[&str], telling: &[String]) -> String {
    let text = text.to_ascii_lowercase().replace('’', "'");
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let is_own = |word: &&str| !echoes.contains(word) && (!has_digit(word) || telling.iter().any(|one| one == word));
    let mut words: Vec<&str> = words_of(&text).filter(is_own).collect();
    words.sort_unstable();
    words.join(" ")
}

/// The words of a text in small letters.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_letter(letter) && letter != '\'').flat_map(parts)
}

/// Whether a character is of ASCII, or one of those beside it that stand between words in any script.
fn is_simple(letter: char) -> bool {
    letter.is_ascii()
        || matches!(letter, '\u{a0}'..='\u{a9}' | '«' | '¬'..='±' | '¶'..='¸' | '»' | '‐'..='‧' | '←'..='⇿')
}

/// The words in a piece of letters and apostrophes: one of these alone, between letters, is part of a word.
fn parts(piece: &str) -> impl Iterator<Item = &str> {
    piece.split("''").map(|part| part.trim_matches('\'')).filter(|part| !part.is_empty())
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
