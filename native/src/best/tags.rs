//! The elements that say something about the text in them, and how the tree treats them.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Tag {
    A,
    Address,
    Article,
    Aside,
    Blockquote,
    Body,
    Br,
    Button,
    Code,
    Dd,
    Details,
    Dialog,
    Div,
    Dl,
    Dt,
    Fieldset,
    Figcaption,
    Figure,
    Footer,
    Form,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hr,
    Html,
    Img,
    Label,
    Li,
    Link,
    Main,
    Meta,
    Nav,
    Noscript,
    Ol,
    Option,
    P,
    Pre,
    Script,
    Section,
    Select,
    Summary,
    Svg,
    Table,
    Tbody,
    Td,
    Template,
    Th,
    Title,
    Tr,
    Ul,
    Void,
    /// Its content is not markup and not shown.
    Unseen,
    /// A block that has no name here: an old one, or one of the page's own.
    Block,
    Inline,
    /// An inline element that has ended inside of a block that it began before.
    Ended,
}

pub const COUNT: usize = Tag::Ended as usize + 1;
/// Longer names are the page's own.
const LONGEST: usize = 10;

impl Tag {
    /// The element of a name as it is written.
    pub fn named(written: &[u8]) -> Self {
        let mut lower = [0; LONGEST];
        let Some(name) = lower.get_mut(..written.len()) else { return Self::unknown(written) };
        name.copy_from_slice(written);
        name.make_ascii_lowercase();
        Self::known(name).unwrap_or_else(|| Self::unknown(written))
    }

    fn unknown(written: &[u8]) -> Self {
        if written.contains(&b'-') { Self::Block } else { Self::Inline }
    }

    fn known(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"a" => Self::A,
            b"div" => Self::Div,
            b"li" => Self::Li,
            b"p" => Self::P,
            b"img" => Self::Img,
            b"script" => Self::Script,
            b"ul" => Self::Ul,
            b"br" => Self::Br,
            b"td" => Self::Td,
            b"tr" => Self::Tr,
            b"svg" => Self::Svg,
            b"button" => Self::Button,
            b"h1" => Self::H1,
            b"h2" => Self::H2,
            b"h3" => Self::H3,
            b"h4" => Self::H4,
            b"h5" => Self::H5,
            b"h6" => Self::H6,
            b"section" => Self::Section,
            b"article" => Self::Article,
            b"header" => Self::Header,
            b"footer" => Self::Footer,
            b"figure" => Self::Figure,
            b"link" => Self::Link,
            b"meta" => Self::Meta,
            b"nav" => Self::Nav,
            b"aside" => Self::Aside,
            b"main" => Self::Main,
            b"ol" => Self::Ol,
            b"th" => Self::Th,
            b"dd" => Self::Dd,
            b"dt" => Self::Dt,
            b"dl" => Self::Dl,
            b"pre" => Self::Pre,
            b"code" => Self::Code,
            b"label" => Self::Label,
            b"option" => Self::Option,
            b"select" => Self::Select,
            b"table" => Self::Table,
            b"tbody" | b"thead" | b"tfoot" => Self::Tbody,
            b"form" => Self::Form,
            b"blockquote" => Self::Blockquote,
            b"figcaption" => Self::Figcaption,
            b"fieldset" => Self::Fieldset,
            b"details" => Self::Details,
            b"summary" => Self::Summary,
            b"dialog" => Self::Dialog,
            b"address" => Self::Address,
            b"hr" => Self::Hr,
            b"html" => Self::Html,
            b"head" => Self::Head,
            b"body" => Self::Body,
            b"noscript" => Self::Noscript,
            b"title" => Self::Title,
            b"template" => Self::Template,
            b"area" | b"base" | b"col" | b"embed" | b"input" | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            b"style" | b"textarea" | b"iframe" | b"noembed" | b"noframes" => Self::Unseen,
            b"caption" | b"center" | b"dir" | b"frameset" | b"hgroup" | b"legend" | b"listing" | b"menu"
            | b"optgroup" | b"search" | b"xmp" | b"plaintext" => Self::Block,
            _ => return None,
        })
    }

    /// Its content is not markup.
    pub fn is_raw(self) -> bool {
        matches!(self, Self::Script | Self::Title | Self::Unseen)
    }

    pub fn is_void(self) -> bool {
        matches!(self, Self::Br | Self::Hr | Self::Img | Self::Link | Self::Meta | Self::Void)
    }

    /// Text before it and in it, and in it and after it, are not on one line.
    pub fn is_block(self) -> bool {
        !matches!(self, Self::A | Self::Code | Self::Img | Self::Label | Self::Void | Self::Inline | Self::Ended)
            && !self.is_raw()
    }

    /// What is in it is not looked into from outside, and an end tag in it ends nothing outside.
    pub fn is_apart(self) -> bool {
        matches!(self, Self::Td | Self::Th | Self::Table | Self::Button)
    }

    /// Whether an element that is open ends where `next` begins.
    pub fn ends_before(self, next: Self) -> bool {
        match self {
            Self::P => next.is_block() && next != Self::Br,
            Self::Li => next == Self::Li,
            Self::Dd | Self::Dt => matches!(next, Self::Dd | Self::Dt),
            Self::Td | Self::Th => matches!(next, Self::Td | Self::Th | Self::Tr | Self::Tbody),
            Self::Tr => matches!(next, Self::Tr | Self::Tbody),
            Self::Tbody => next == Self::Tbody,
            Self::Option => matches!(next, Self::Option),
            Self::A => next == Self::A,
            Self::Head => next.is_block() && !matches!(next, Self::Head | Self::Noscript),
            _ => false,
        }
    }

    /// How far `ends_before` looks: past these nothing ends for what begins in them.
    pub fn holds(self) -> bool {
        matches!(self, Self::Ul | Self::Ol | Self::Dl | Self::Table | Self::Select | Self::Div | Self::Section)
    }

    pub fn heading(self) -> u8 {
        match self {
            Self::H1 => 1,
            Self::H2 => 2,
            Self::H3 => 3,
            Self::H4 => 4,
            Self::H5 => 5,
            Self::H6 => 6,
            _ => 0,
        }
    }
}
