//! The title of a page: its first heading if that says what the title says, else the title without the site's name.

use super::meta::Meta;
use std::collections::HashMap;

/// What stands between the title of a page and the name of its site.
const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", "|"];
/// How like the title a heading must be, from 0 to 1.
const ALIKE: f32 = 0.3;

/// The title, given the headings of the first level.
pub fn find<'a>(meta: &'a Meta, headings: &[&'a str]) -> &'a str {
    let heading = headings.iter().map(|heading| (alike(heading, &meta.title), *heading));
    let likest = heading.reduce(|best, next| if next.0 > best.0 { next } else { best });
    if let Some((_, heading)) = likest.filter(|(alike, _)| *alike >= ALIKE) {
        return heading;
    }
    let told = [without_site(&meta.title), without_site(&meta.quoted_title), headings.first().copied().unwrap_or("")];
    told.into_iter().find(|title| !title.is_empty()).unwrap_or_default()
}

/// The title up to the first separator, unless that leaves but a word.
fn without_site(title: &str) -> &str {
    let first = SEPARATORS.iter().filter_map(|separator| title.split_once(separator)).map(|(first, _)| first);
    let shortest = first.min_by_key(|first| first.len()).unwrap_or(title).trim();
    if words(shortest).count() < 2 { title } else { shortest }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// F1 of the words of two texts.
fn alike(one: &str, other: &str) -> f32 {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut all = 0;
    for word in words(one) {
        *counts.entry(word).or_default() += 1;
        all += 1;
    }
    let mut both = 0;
    for word in words(other) {
        all += 1;
        if let Some(count) = counts.get_mut(&word).filter(|count| **count > 0) {
            *count -= 1;
            both += 2;
        }
    }
    both as f32 / all.max(1) as f32
}
