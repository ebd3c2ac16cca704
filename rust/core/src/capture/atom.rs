//! The tag and attribute names the core knows, as one small enumeration.

macro_rules! atoms {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// A tag or attribute name; one word stands for both uses (`title` is a tag and an attribute).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Atom { Other, Aria, Data, $($name),* }

        fn known(word: &[u8]) -> Atom {
            match word { $($word => Atom::$name,)* _ => Atom::Other }
        }
    };
}

atoms! {
    // Tags.
    A = b"a", Abbr = b"abbr", Address = b"address", Area = b"area", Article = b"article", Aside = b"aside",
    Audio = b"audio", B = b"b", Base = b"base", Bdi = b"bdi", Bdo = b"bdo", Big = b"big", Blockquote = b"blockquote",
    Body = b"body", Br = b"br", Button = b"button", Canvas = b"canvas", Caption = b"caption", Center = b"center",
    Cite = b"cite", Code = b"code", Col = b"col", Colgroup = b"colgroup", Datalist = b"datalist", Dd = b"dd",
    Del = b"del", Details = b"details", Dfn = b"dfn", Dialog = b"dialog", Div = b"div", Dl = b"dl", Dt = b"dt",
    Em = b"em", Embed = b"embed", Fieldset = b"fieldset", Figcaption = b"figcaption", Figure = b"figure",
    Font = b"font", Footer = b"footer", Form = b"form", Frame = b"frame", Frameset = b"frameset", H1 = b"h1",
    H2 = b"h2", H3 = b"h3", H4 = b"h4", H5 = b"h5", H6 = b"h6", Head = b"head", Header = b"header",
    Hgroup = b"hgroup", Hr = b"hr", Html = b"html", I = b"i", Iframe = b"iframe", Img = b"img", Input = b"input",
    Ins = b"ins", Kbd = b"kbd", Label = b"label", Legend = b"legend", Li = b"li", Link = b"link", Main = b"main",
    Mark = b"mark", Marquee = b"marquee", Menu = b"menu", Meta = b"meta", Meter = b"meter", Nav = b"nav", Noscript = b"noscript",
    Object = b"object", Ol = b"ol", Optgroup = b"optgroup", Option = b"option", Output = b"output", P = b"p",
    Picture = b"picture", Pre = b"pre", Progress = b"progress", Q = b"q", S = b"s", Samp = b"samp",
    Script = b"script", Search = b"search", Section = b"section", Select = b"select", Slot = b"slot",
    Small = b"small", Span = b"span", Strong = b"strong", Style = b"style", Sub = b"sub", Summary = b"summary",
    Sup = b"sup", Svg = b"svg", Table = b"table", Tbody = b"tbody", Td = b"td", Template = b"template",
    Textarea = b"textarea", Tfoot = b"tfoot", Th = b"th", Thead = b"thead", Time = b"time", Title = b"title",
    Tr = b"tr", Tt = b"tt", U = b"u", Ul = b"ul", Var = b"var", Video = b"video", Wbr = b"wbr",
    // Attributes.
    Alt = b"alt", Autocomplete = b"autocomplete", Checked = b"checked", Class = b"class", Contenteditable = b"contenteditable",
    Disabled = b"disabled", Draggable = b"draggable", For = b"for", Hidden = b"hidden", Href = b"href", Id = b"id", Inert = b"inert",
    Integrity = b"integrity", List = b"list", Max = b"max", Min = b"min", Multiple = b"multiple", Name = b"name",
    Nonce = b"nonce", Onclick = b"onclick", Open = b"open", Placeholder = b"placeholder", Popover = b"popover",
    Readonly = b"readonly", Required = b"required", Role = b"role", Scope = b"scope", Selected = b"selected",
    Size = b"size", Src = b"src", Tabindex = b"tabindex", Type = b"type", Value = b"value",
    AriaBusy = b"aria-busy", AriaChecked = b"aria-checked", AriaDisabled = b"aria-disabled",
    AriaExpanded = b"aria-expanded", AriaHidden = b"aria-hidden", AriaLabel = b"aria-label",
    AriaLabelledby = b"aria-labelledby", AriaLive = b"aria-live", AriaModal = b"aria-modal",
    AriaSelected = b"aria-selected",
    // What people call the attribute that is there for tests; the first one found wins.
    DataCy = b"data-cy", DataQa = b"data-qa", DataTest = b"data-test", DataTestId = b"data-test-id",
    DataTestid = b"data-testid",
}

/// The longest word above.
const LONGEST: usize = 15;

/// What `name` is as a tag or attribute name, whatever its case.
#[inline]
pub fn atom(name: &[u8]) -> Atom {
    if name.is_empty() || !name[0].is_ascii_alphabetic() {
        return Atom::Other;
    }
    if name.len() <= LONGEST {
        let mut lower = [0u8; LONGEST];
        let lower = &mut lower[..name.len()];
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        let found = known(lower);
        if found != Atom::Other {
            return found;
        }
    }
    match name {
        [b'a', b'r', b'i', b'a', b'-', ..] => Atom::Aria,
        [b'd', b'a', b't', b'a', b'-', ..] => Atom::Data,
        _ => Atom::Other,
    }
}

impl Atom {
    /// Whether the attribute belongs to what a user sees or what state a control is in.
    pub fn is_visible_state(self) -> bool {
        use Atom::*;
        matches!(
            self,
            Alt | Aria
                | AriaBusy
                | AriaChecked
                | AriaDisabled
                | AriaExpanded
                | AriaLabel
                | AriaSelected
                | Disabled
                | Href
                | Open
                | Placeholder
                | Readonly
                | Required
                | Role
                | Src
                | Title
                | Type
        )
    }

    /// Attributes that differ from load to load and say nothing about the page.
    pub fn is_noise(self) -> bool {
        matches!(self, Atom::Nonce | Atom::Integrity)
    }

    pub fn is_test_id(self) -> bool {
        matches!(self, Atom::DataCy | Atom::DataQa | Atom::DataTest | Atom::DataTestId | Atom::DataTestid)
    }

    pub fn is_aria(self) -> bool {
        (Atom::AriaBusy as u8..=Atom::AriaSelected as u8).contains(&(self as u8)) || self == Atom::Aria
    }
}
