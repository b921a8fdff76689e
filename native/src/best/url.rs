//! What the address of a page tells about what kind of page it is.

const KINDS: [&[&str]; 5] = [
    &[
        "forum",
        "forums",
        "t",
        "thread",
        "threads",
        "topic",
        "questions",
        "question",
        "showthread",
        "viewtopic",
        "community",
        "discussion",
        "discussions",
        "answers",
        "comments",
        "board",
        "boards",
        "issues",
    ],
    &["product", "products", "p", "shop", "item", "dp", "store", "buy"],
    &[
        "docs",
        "doc",
        "documentation",
        "manual",
        "guide",
        "guides",
        "reference",
        "api",
        "wiki",
        "help",
        "support",
        "learn",
        "tutorial",
        "tutorials",
        "html",
    ],
    &[
        "category",
        "categories",
        "tag",
        "tags",
        "topic",
        "topics",
        "collections",
        "collection",
        "c",
        "browse",
        "list",
        "search",
        "archive",
        "author",
        "page",
        "section",
        "directory",
    ],
    &[
        "blog", "blogs", "news", "article", "articles", "story", "post", "posts", "2020", "2021", "2022", "2023",
        "2024", "2025",
    ],
];

pub struct Address([f32; 5 + KINDS.len()]);

impl Address {
    pub fn new(url: &str) -> Self {
        let after = url.split_once("://").map_or(url, |(_, after)| after);
        let (host, path) = after.split_once('/').unwrap_or((after, ""));
        let (path, query) = path.split_once(['?', '#']).unwrap_or((path, ""));
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let last = parts.last().copied().unwrap_or_default();
        let words: Vec<String> =
            url.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase).collect();
        let has = |known: &[&str]| f32::from(u8::from(words.iter().any(|word| known.contains(&word.as_str()))));
        let [forum, product, docs, list, news] = KINDS.map(has);
        let dashes = last.matches(['-', '_']).count() as f32;
        let digits = last.chars().filter(char::is_ascii_digit).count() as f32;
        let labels = host.split('.').count() as f32;
        let is_queried = f32::from(u8::from(!query.is_empty()));
        Self([parts.len() as f32, dashes, digits, labels, is_queried, forum, product, docs, list, news])
    }

    pub fn features(&self) -> [f32; 5 + KINDS.len()] {
        self.0
    }
}
