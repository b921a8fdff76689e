//! Words of texts as they are compared: `judge/likeness.py` and `reading/answered.py`, where it is said why.

use memchr::memchr2_iter;
use pyo3::prelude::*;

/// Small letters, those that texts have least of first.
const SELDOM: &[u8] = b"zqxjkvbywgpfmucdlhrsnioate";

/// Whether `word`, in small letters, is anywhere in `text`, in letters of any size.
#[pyfunction]
pub fn has_word(text: &[u8], word: &[u8]) -> bool {
    let Some((place, letter)) = SELDOM.iter().find_map(|letter| Some((word.iter().position(|one| one == letter)?, letter)))
    else {
        return text.windows(word.len().max(1)).any(|part| part.eq_ignore_ascii_case(word)) || word.is_empty();
    };
    let starts = memchr2_iter(*letter, letter.to_ascii_uppercase(), text).filter_map(|at| at.checked_sub(place));
    starts.filter_map(|at| text.get(at..at + word.len())).any(|part| part.eq_ignore_ascii_case(word))
}

/// The words of a text, in small letters and in order, with a space between each two: without `echoes`, and without
/// those that have digits, unless they are `telling`. None: what its words are, Python knows best.
#[pyfunction]
pub fn own_words(text: &str, echoes: Vec<String>, telling: Vec<String>) -> Option<String> {
    if !text.chars().all(is_simple) {
        return None;
    }
    let text = text.to_ascii_lowercase().replace('’', "'");
    let is_among = |word: &str, words: &[String]| words.iter().any(|one| one == word);
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let mut words: Vec<&str> = text.split(|letter: char| !is_letter(letter) && letter != '\'').flat_map(parts).collect();
    words.retain(|word| !is_among(word, &echoes) && (!has_digit(word) || is_among(word, &telling)));
    words.sort_unstable();
    Some(words.join(" "))
}

/// Whether a character is of ASCII, or one of those beside it that stand between words in any script.
fn is_simple(letter: char) -> bool {
    letter.is_ascii() || matches!(letter, '\u{a0}'..='\u{a9}' | '«' | '¬'..='±' | '¶'..='¸' | '»' | '‐'..='‧' | '←'..='⇿')
}

/// The words in a piece of letters and apostrophes: one of these alone, between letters, is part of a word.
fn parts(piece: &str) -> impl Iterator<Item = &str> {
    piece.split("''").map(|part| part.trim_matches('\'')).filter(|part| !part.is_empty())
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
