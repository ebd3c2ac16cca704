//! The only table of roles: which words are roles, and how ARIA and the outline treat each.
//!
//! Sources: ARIA 1.2 §5.4 with the roles that ARIA 1.3 adds and Chrome 156 knows, Graphics-ARIA 1.0, DPUB-ARIA 1.1.
//! Abstract roles do not count. `iframe` is the only word that is not ARIA's, which defines no role for a frame.

/// What a role means for the text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Can be acted on.
    Control,
    /// Speaks up: dialogs, alerts, live regions.
    Urgent,
    /// A part of the page.
    Landmark,
    /// Holds many of a kind.
    List,
    /// One of a list.
    Item,
    /// A cell of a row: texts of neighbouring cells make one line.
    Cell,
    Heading,
    Picture,
    /// Says how much: a meter, a progress bar.
    Gauge,
    /// Kept where it has a name.
    Group,
    Frame,
    /// Says nothing that its content does not say.
    Plain,
}

/// Facts of a role, as bits.
mod fact {
    /// What the element holds is its name (ARIA: "Name From: contents").
    pub const CONTENT: u8 = 1;
    /// Authors cannot name it (ARIA: "Name From: prohibited").
    pub const PROHIBITED: u8 = 2;
    /// What it holds has no roles of its own (ARIA: "Children Presentational").
    pub const LEAF: u8 = 4;
    /// Users can act on it.
    pub const CONTROL: u8 = 8;
}

use fact::{CONTENT, CONTROL, LEAF, PROHIBITED};

struct Row {
    role: Role,
    name: &'static str,
    sort: Sort,
    facts: u8,
}

macro_rules! roles {
    ($($role:ident $name:literal $sort:ident $($fact:ident)*,)*) => {
        /// A role that an element can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Role { $($role),* }

        /// In the order of `Role`.
        const TABLE: &[Row] = &[
            $(Row { role: Role::$role, name: $name, sort: Sort::$sort, facts: 0 $(| $fact)* }),*
        ];

        fn known(name: &str) -> Option<Role> {
            match name { $($name => Some(Role::$role),)* _ => None }
        }
    };
}

roles! {
    Alert "alert" Urgent,
    AlertDialog "alertdialog" Urgent,
    Application "application" Plain,
    Article "article" Item,
    Banner "banner" Landmark,
    Blockquote "blockquote" Plain,
    Button "button" Control CONTENT LEAF CONTROL,
    Caption "caption" Plain PROHIBITED,
    Cell "cell" Cell CONTENT,
    Checkbox "checkbox" Control CONTENT LEAF CONTROL,
    Code "code" Plain PROHIBITED,
    ColumnHeader "columnheader" Cell CONTENT,
    Combobox "combobox" Control CONTROL,
    Comment "comment" Plain,
    Complementary "complementary" Landmark,
    ContentInfo "contentinfo" Landmark,
    Definition "definition" Plain PROHIBITED,
    Deletion "deletion" Plain PROHIBITED,
    Dialog "dialog" Urgent,
    DocAbstract "doc-abstract" Plain,
    DocAcknowledgments "doc-acknowledgments" Landmark,
    DocAfterword "doc-afterword" Landmark,
    DocAppendix "doc-appendix" Landmark,
    DocBackLink "doc-backlink" Control CONTENT CONTROL,
    DocBiblioEntry "doc-biblioentry" Item,
    DocBibliography "doc-bibliography" Landmark,
    DocBiblioRef "doc-biblioref" Control CONTENT CONTROL,
    DocChapter "doc-chapter" Landmark,
    DocColophon "doc-colophon" Plain,
    DocConclusion "doc-conclusion" Landmark,
    DocCover "doc-cover" Picture,
    DocCredit "doc-credit" Plain,
    DocCredits "doc-credits" Landmark,
    DocDedication "doc-dedication" Plain,
    DocEndnote "doc-endnote" Item,
    DocEndnotes "doc-endnotes" Landmark,
    DocEpigraph "doc-epigraph" Plain,
    DocEpilogue "doc-epilogue" Landmark,
    DocErrata "doc-errata" Landmark,
    DocExample "doc-example" Group,
    DocFootnote "doc-footnote" Plain,
    DocForeword "doc-foreword" Landmark,
    DocGlossary "doc-glossary" Landmark,
    DocGlossRef "doc-glossref" Control CONTENT CONTROL,
    DocIndex "doc-index" Landmark,
    DocIntroduction "doc-introduction" Landmark,
    DocNoteRef "doc-noteref" Control CONTENT CONTROL,
    DocNotice "doc-notice" Group,
    DocPageBreak "doc-pagebreak" Plain LEAF,
    DocPageFooter "doc-pagefooter" Plain PROHIBITED,
    DocPageHeader "doc-pageheader" Plain PROHIBITED,
    DocPageList "doc-pagelist" Landmark,
    DocPart "doc-part" Landmark,
    DocPreface "doc-preface" Landmark,
    DocPrologue "doc-prologue" Landmark,
    DocPullquote "doc-pullquote" Plain PROHIBITED,
    DocQna "doc-qna" Plain,
    DocSubtitle "doc-subtitle" Heading CONTENT,
    DocTip "doc-tip" Group,
    DocToc "doc-toc" Landmark,
    Document "document" Plain,
    Emphasis "emphasis" Plain PROHIBITED,
    Feed "feed" List,
    Figure "figure" Group,
    Form "form" Landmark,
    Generic "generic" Plain PROHIBITED,
    GraphicsDocument "graphics-document" Group,
    GraphicsObject "graphics-object" Plain CONTENT,
    GraphicsSymbol "graphics-symbol" Picture LEAF,
    Grid "grid" List,
    GridCell "gridcell" Cell CONTENT CONTROL,
    Group "group" Group,
    Heading "heading" Heading CONTENT,
    Iframe "iframe" Frame,
    Image "img" Picture LEAF,
    Insertion "insertion" Plain PROHIBITED,
    Link "link" Control CONTENT CONTROL,
    List "list" List,
    Listbox "listbox" Control CONTROL,
    ListItem "listitem" Item,
    Log "log" Urgent,
    Main "main" Landmark,
    Mark "mark" Plain PROHIBITED,
    Marquee "marquee" Plain,
    Math "math" Plain CONTENT,
    Menu "menu" List,
    MenuBar "menubar" List,
    MenuItem "menuitem" Control CONTENT CONTROL,
    MenuItemCheckbox "menuitemcheckbox" Control CONTENT LEAF CONTROL,
    MenuItemRadio "menuitemradio" Control CONTENT LEAF CONTROL,
    Meter "meter" Gauge LEAF,
    Navigation "navigation" Landmark,
    None "none" Plain PROHIBITED,
    Note "note" Group,
    Option "option" Control CONTENT LEAF CONTROL,
    Paragraph "paragraph" Plain PROHIBITED,
    ProgressBar "progressbar" Gauge LEAF,
    Radio "radio" Control CONTENT LEAF CONTROL,
    RadioGroup "radiogroup" Group,
    Region "region" Landmark,
    Row "row" Item CONTENT,
    RowGroup "rowgroup" Plain,
    RowHeader "rowheader" Cell CONTENT,
    ScrollBar "scrollbar" Control LEAF CONTROL,
    Search "search" Landmark,
    SearchBox "searchbox" Control CONTROL,
    SectionFooter "sectionfooter" Plain,
    SectionHeader "sectionheader" Plain,
    Separator "separator" Plain LEAF,
    Slider "slider" Control LEAF CONTROL,
    SpinButton "spinbutton" Control CONTROL,
    Status "status" Urgent,
    Strong "strong" Plain PROHIBITED,
    Subscript "subscript" Plain PROHIBITED,
    Suggestion "suggestion" Plain PROHIBITED,
    Superscript "superscript" Plain PROHIBITED,
    Switch "switch" Control CONTENT LEAF CONTROL,
    Tab "tab" Control CONTENT LEAF CONTROL,
    Table "table" List,
    TabList "tablist" List,
    TabPanel "tabpanel" Group,
    Term "term" Plain CONTENT PROHIBITED,
    TextBox "textbox" Control CONTROL,
    Time "time" Plain PROHIBITED,
    Timer "timer" Plain,
    Toolbar "toolbar" Group,
    Tooltip "tooltip" Group CONTENT,
    Tree "tree" List,
    TreeGrid "treegrid" List,
    TreeItem "treeitem" Control CONTENT CONTROL,
    // Texts; no element has it.
    Text "text" Plain,
}

/// Other words for a role.
pub const SYNONYMS: [(&str, Role); 3] =
    [("directory", Role::List), ("image", Role::Image), ("presentation", Role::None)];

/// Bytes of the longest word above.
const LONGEST: usize = 19;

impl Role {
    pub const COUNT: usize = TABLE.len();

    /// The role that a word of a `role` attribute names, whatever its case.
    pub fn of_word(word: &str) -> Option<Self> {
        let mut lower = [0; LONGEST];
        let lower = lower.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        let word = std::str::from_utf8(lower).ok()?;
        let same = SYNONYMS.iter().find(|(other, _)| *other == word).map(|(_, role)| *role);
        same.or_else(|| Self::named(word)).filter(|role| !matches!(role, Self::Text | Self::Iframe))
    }

    /// The role that is called `name`.
    pub fn named(name: &str) -> Option<Self> {
        known(name)
    }

    /// Elements of no role, and texts.
    pub fn generic() -> Self {
        Self::Generic
    }

    pub fn text() -> Self {
        Self::Text
    }

    pub fn textbox() -> Self {
        Self::TextBox
    }

    pub fn is(self, name: &str) -> bool {
        self.name() == name
    }

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn at(index: usize) -> Self {
        TABLE[index].role
    }

    /// All roles that a page can name.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.role).filter(|role| *role != Self::Text)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    fn has(self, fact: u8) -> bool {
        self.row().facts & fact != 0
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn sort(self) -> Sort {
        self.row().sort
    }

    pub fn is_named_by_content(self) -> bool {
        self.has(CONTENT)
    }

    /// Whether what elements of this role hold counts for the name of what holds them, though not for their own. (Chrome
    /// goes further than accname 1.2 here: parts of a page that are larger than a phrase add nothing.)
    pub fn passes_content(self) -> bool {
        use Role::*;
        matches!(
            self,
            Caption
                | Code
                | Definition
                | Deletion
                | Emphasis
                | Generic
                | Insertion
                | List
                | ListItem
                | Mark
                | None
                | Paragraph
                | Region
                | Strong
                | Subscript
                | Superscript
                | Term
                | Time
        )
    }

    pub fn is_name_prohibited(self) -> bool {
        self.has(PROHIBITED)
    }

    pub fn is_leaf(self) -> bool {
        self.has(LEAF)
    }

    /// Whether it makes the element more than words in a line.
    pub fn is_structure(self) -> bool {
        use Role::*;
        !matches!(
            self,
            Deletion
                | Emphasis
                | Generic
                | Insertion
                | Mark
                | None
                | Strong
                | Subscript
                | Suggestion
                | Superscript
                | Time
        )
    }

    /// Whether it is worked with the mouse or the keyboard as form controls are, so that names keep it apart.
    pub fn is_worked(self) -> bool {
        self.is_control() && !matches!(self, Self::Link | Self::GridCell) && !self.name().starts_with("doc-")
    }

    pub fn is_control(self) -> bool {
        self.has(CONTROL)
    }
}
