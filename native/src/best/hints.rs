//! What the names that authors give to elements (class, id, role, itemprop) tell about the text in them.

use crate::hashing::Quick;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Kinds of names. A set of them is a number with a bit for each.
pub const KINDS: usize = 26;

#[rustfmt::skip]
const WORDS: &[(usize, &[&str])] = &[
    (0, &["article", "articlebody", "articles", "body", "content", "contents", "copy", "editor", "entry",
          "markdown", "md", "paragraph", "prose", "richtext", "rte", "story", "storybody", "text", "txt", "wysiwyg"]),
    (1, &["column", "container", "main", "maincontent", "page", "primary", "root", "wrapper"]),
    (2, &["answer", "answers", "bbcode", "cooked", "discussion", "message", "messages", "msg", "post", "postbody",
          "postcontent", "posts", "question", "questions", "replies", "reply", "thread", "topic"]),
    (3, &["dropdown", "hamburger", "megamenu", "menu", "menubar", "menuitem", "menus", "nav", "navbar", "navi",
          "navigation", "navlist", "sitemap", "submenu", "subnav", "tabs", "topnav"]),
    (4, &["breadcrumb", "breadcrumbs", "crumb", "crumbs", "next", "pagenav", "pager", "pages", "pagination",
          "paging", "prev", "previous"]),
    (5, &["announcement", "appbar", "banner", "head", "header", "masthead", "toolbar", "top", "topbar"]),
    (6, &["bottom", "colophon", "contentinfo", "copyright", "disclaimer", "foot", "footer", "footnote", "legal",
          "subfooter"]),
    (7, &["aside", "complementary", "rail", "right", "secondary", "side", "sidebar", "sidenav", "widget", "widgets"]),
    (8, &["also", "crosssell", "featured", "latest", "like", "more", "popular", "readmore", "recent", "recirc",
          "recommend", "recommendation", "recommendations", "recommended", "related", "relatedposts", "similar",
          "suggested", "suggestions", "trending", "upsell", "upsells", "viewed"]),
    (9, &["addtoany", "facebook", "follow", "instagram", "linkedin", "pinterest", "share", "sharebar",
          "sharedaddy", "sharing", "social", "socials", "tweet", "twitter", "whatsapp"]),
    (10, &["comment", "commentlist", "comments", "disqus", "livefyre", "respond"]),
    (11, &["ad", "ads", "adsense", "adslot", "advert", "advertisement", "advertising", "affiliate", "dfp", "gpt",
           "outbrain", "promo", "promotion", "promotional", "sponsor", "sponsored", "sponsors", "taboola"]),
    (12, &["callout", "cta", "donate", "email", "field", "form", "input", "mailchimp", "newsletter", "optin",
           "signup", "subscribe", "subscription"]),
    (13, &["alert", "ccpa", "cmp", "consent", "cookie", "cookiebar", "cookies", "gdpr", "notice", "notification",
           "onetrust", "privacy"]),
    (14, &["dialog", "drawer", "flyout", "lightbox", "modal", "offcanvas", "overlay", "popover", "popup",
           "snackbar", "toast", "tooltip"]),
    (15, &["account", "auth", "basket", "cart", "checkout", "login", "logout", "member", "minicart", "password",
           "profile", "register", "signin", "user", "username", "wishlist"]),
    (16, &["author", "authors", "avatar", "bio", "byline", "credits", "date", "datetime", "info", "meta",
           "metadata", "posted", "published", "time", "timestamp", "updated"]),
    (17, &["badge", "categories", "category", "chip", "keywords", "labels", "pill", "tag", "taglist", "tags",
           "taxonomy", "topics"]),
    (18, &["autocomplete", "facet", "facets", "filter", "filters", "refine", "search", "searchbox", "searchform",
           "sort", "sorting"]),
    (19, &["collapsed", "hidden", "hide", "invisible", "none", "noprint", "noscript", "only", "print", "reader",
           "screen", "skip", "sr", "sronly", "visually", "visuallyhidden"]),
    (20, &["accordion", "description", "details", "faq", "feature", "features", "price", "product", "sku", "spec",
           "specification", "specifications", "specs", "summary", "variant", "variants"]),
    (21, &["card", "cards", "carousel", "cell", "collection", "grid", "item", "items", "list", "listing",
           "listings", "result", "results", "slide", "slider", "swiper", "teaser", "thumb", "thumbnail", "tile",
           "tiles"]),
    (22, &["caption", "credit", "figure", "gallery", "image", "img", "media", "photo", "picture", "player", "video"]),
    (23, &["quote", "rating", "ratings", "review", "reviews", "stars", "testimonial", "testimonials", "vote",
           "votes"]),
    (24, &["dek", "excerpt", "heading", "headline", "hero", "intro", "lead", "lede", "name", "standfirst",
           "subhead", "subheading", "subtitle", "title"]),
    (25, &["action", "actions", "btn", "btns", "button", "buttons", "control", "controls", "copybtn", "download",
           "icon", "icons", "link", "links", "tableofcontents", "toc", "toggle"]),
];
/// The longest of them.
const LONGEST: usize = 16;

/// The kinds of the words in these names, which have dashes or capital letters between them.
pub fn kinds(names: &[u8]) -> u32 {
    words(names).fold(0, |kinds, word| kinds | kinds_of(word))
}

fn words(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = names;
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_alphabetic)?;
        rest = rest.get(start..)?;
        let capitals = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let small = rest.iter().skip(capitals).take_while(|byte| byte.is_ascii_lowercase()).count();
        let (word, after) = rest.split_at_checked(capitals + small)?;
        rest = after;
        Some(word)
    })
}

fn kinds_of(word: &[u8]) -> u32 {
    let mut lower = [0; LONGEST];
    let Some(name) = lower.get_mut(..word.len()) else { return 0 };
    name.copy_from_slice(word);
    name.make_ascii_lowercase();
    KNOWN.get(&*name).copied().unwrap_or(0)
}

/// The table by word.
static KNOWN: LazyLock<HashMap<&[u8], u32, Quick>> = LazyLock::new(|| {
    let mut known = HashMap::default();
    for (kind, words) in WORDS {
        for word in *words {
            *known.entry(word.as_bytes()).or_insert(0) |= 1 << kind;
        }
    }
    known
});
