//! The role of an element: the first known word of its `role`, or what HTML-AAM and SVG-AAM assign.
//!
//! This is the one place that says so; rows, the text of a page, selectors and fingerprints all ask here, and the scripts in
//! the page (their roles.js) are tested with the same cases. Where Chrome and the specifications differ, what the web
//! platform tests expect counts, then Chrome. But an option, list item or tree item outside of its list has the role that
//! its author gave it, which Chrome drops.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::element::attributes::{input_type, named_attribute};
use crate::element::ids::{by_id, has_namer};
use crate::element::letters::is_blank;
use crate::element::roles::Role;
use crate::element::snapshot::Snapshot;

/// Words of a `role` attribute, and bytes of it, that are looked at: few have fall-backs, but a page may write a million.
const WORDS: usize = 16;
const WORD_BYTES: usize = 256;

/// Ancestors that are looked at for what an element is part of.
const ABOVE: usize = 64;

/// Nodes of a row among which a header is looked for.
const ROW_NODES: usize = 256;

/// The role of `node`; `Generic` if it is not an element. O(its attributes, and a bounded number of ancestors).
pub fn role(snapshot: &Snapshot, node: Node) -> Role {
    if !snapshot.has_tag(node) || snapshot.document(node).has(node.index, flag::PSEUDO) {
        return Role::Generic;
    }
    given(snapshot, node).unwrap_or_else(|| native(snapshot, node))
}

/// The role as rows show it: "" for elements that have none of interest, and for texts.
pub fn shown_role(snapshot: &Snapshot, node: Node) -> &'static str {
    match role(snapshot, node) {
        Role::None | Role::Generic => "",
        role => role.name(),
    }
}

// -- the role an author gave ---------------------------------------------------------------------------------------

/// The role that the `role` attribute gives, unless ARIA has it ignored.
fn given(snapshot: &Snapshot, node: Node) -> Option<Role> {
    let words = snapshot.attribute(node, Atom::Role)?;
    let mut words = first_bytes(words).split_ascii_whitespace().take(WORDS).filter_map(Role::of_word);
    let found = words.find(|role| match role {
        // A section without a name is not a region.
        Role::Form | Role::Region => {
            is_named_by_author(snapshot, node) || named_attribute(snapshot, node, "aria-roledescription").is_some()
        }
        _ => true,
    })?;
    match found {
        Role::None if is_told_anyway(snapshot, node) => None,
        found => Some(found),
    }
}

fn first_bytes(words: &str) -> &str {
    let end = (0..=WORD_BYTES.min(words.len())).rev().find(|&at| words.is_char_boundary(at));
    &words[..end.unwrap_or(0)]
}

/// The role of an element by its `role` attribute alone, for what is asked of those around an element.
fn word(snapshot: &Snapshot, node: Node) -> Option<Role> {
    let words = snapshot.attribute(node, Atom::Role)?;
    first_bytes(words).split_ascii_whitespace().take(WORDS).find_map(Role::of_word)
}

/// Whether `role=none` is ignored: it takes the focus, or an attribute that goes for all roles says something of it.
fn is_told_anyway(snapshot: &Snapshot, node: Node) -> bool {
    is_focusable(snapshot, node) || has_global_aria(snapshot, node) || is_frame(snapshot, node)
}

fn is_frame(snapshot: &Snapshot, node: Node) -> bool {
    matches!(snapshot.tag(node), Atom::Iframe | Atom::Frame)
}

/// The attributes that ARIA 1.2 lets any role have, without those it lets them have only for old pages.
fn has_global_aria(snapshot: &Snapshot, node: Node) -> bool {
    const GLOBAL: [&str; 18] = [
        "aria-atomic",
        "aria-braillelabel",
        "aria-brailleroledescription",
        "aria-busy",
        "aria-controls",
        "aria-current",
        "aria-describedby",
        "aria-description",
        "aria-details",
        "aria-flowto",
        "aria-keyshortcuts",
        "aria-label",
        "aria-labeledby",
        "aria-labelledby",
        "aria-live",
        "aria-owns",
        "aria-relevant",
        "aria-roledescription",
    ];
    let part = snapshot.part_of(node.document);
    snapshot.document(node).attributes(node.index).iter().any(|pair| {
        part.atoms.get(pair[0] as usize).is_some_and(|atom| atom.is_aria())
            && GLOBAL.iter().any(|name| part.strings.bytes(pair[0]).eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Whether the element takes the focus, by its tag and attributes.
pub fn is_focusable(snapshot: &Snapshot, node: Node) -> bool {
    let native = match snapshot.tag(node) {
        Atom::A | Atom::Area => has_href(snapshot, node),
        Atom::Button | Atom::Select | Atom::Textarea => !is_disabled(snapshot, node),
        Atom::Input => !is_disabled(snapshot, node) && input_type(snapshot, node) != "hidden",
        Atom::Summary => is_summary(snapshot, node),
        Atom::Iframe | Atom::Frame => true,
        _ => false,
    };
    native || snapshot.attribute(node, Atom::Tabindex).is_some_and(is_number) || is_editing_host(snapshot, node)
}

fn is_disabled(snapshot: &Snapshot, control: Node) -> bool {
    let says = |node| snapshot.attribute(node, Atom::Disabled).is_some();
    says(control) || parents(snapshot, control).any(|above| snapshot.tag(above) == Atom::Fieldset && says(above))
}

/// Whether HTML's rules for integers find one.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_whitespace());
    digits.strip_prefix(['-', '+']).unwrap_or(digits).starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether what the element holds can be edited, and it is the one that says so.
pub fn is_editing_host(snapshot: &Snapshot, node: Node) -> bool {
    const EDITS: [&str; 3] = ["", "true", "plaintext-only"];
    let value = snapshot.attribute(node, Atom::Contenteditable);
    value.is_some_and(|value| EDITS.iter().any(|edits| value.eq_ignore_ascii_case(edits)))
}

/// Whether an author named the element, as opposed to what it holds.
pub fn is_named_by_author(snapshot: &Snapshot, node: Node) -> bool {
    let says = |attribute| snapshot.attribute(node, attribute).is_some_and(|value| !is_blank(value));
    says(Atom::AriaLabel) || says(Atom::Title) || has_namer(snapshot, node)
}

fn parents(snapshot: &Snapshot, node: Node) -> impl Iterator<Item = Node> + '_ {
    snapshot.ancestors(node).take(ABOVE)
}

// -- the role of the element itself --------------------------------------------------------------------------------

/// The role that the tag gives, with the attributes and ancestors that matter to it.
fn native(snapshot: &Snapshot, node: Node) -> Role {
    let has = |attribute: Atom| snapshot.attribute(node, attribute).is_some();
    let found = match snapshot.tag(node) {
        Atom::A | Atom::Area if has_href(snapshot, node) => Role::Link,
        Atom::A if has(Atom::Onclick) => Role::Link,
        Atom::Address | Atom::Details | Atom::Fieldset | Atom::Hgroup | Atom::Optgroup => Role::Group,
        Atom::Article => Role::Article,
        Atom::Aside if in_section(snapshot, node) && !is_named_by_author(snapshot, node) => Role::Generic,
        Atom::Aside => Role::Complementary,
        Atom::Blockquote => Role::Blockquote,
        Atom::Button => Role::Button,
        Atom::Summary if is_summary(snapshot, node) => Role::Button,
        Atom::Caption => part_of_table(snapshot, node, Role::Caption),
        Atom::Code => Role::Code,
        Atom::Datalist => Role::Listbox,
        Atom::Dd => Role::Definition,
        Atom::Del | Atom::S => Role::Deletion,
        Atom::Dfn | Atom::Dt => Role::Term,
        Atom::Dialog => Role::Dialog,
        Atom::Em => Role::Emphasis,
        Atom::Figure => Role::Figure,
        Atom::Footer if in_part(snapshot, node) => Role::SectionFooter,
        Atom::Footer => Role::ContentInfo,
        Atom::Header if in_part(snapshot, node) => Role::SectionHeader,
        Atom::Header => Role::Banner,
        Atom::Form => Role::Form,
        Atom::H1 | Atom::H2 | Atom::H3 | Atom::H4 | Atom::H5 | Atom::H6 => Role::Heading,
        Atom::Hr => Role::Separator,
        Atom::Iframe | Atom::Frame => Role::Iframe,
        Atom::Img => image(snapshot, node),
        Atom::Input => input(snapshot, node),
        Atom::Ins => Role::Insertion,
        Atom::Li => list_item(snapshot, node),
        Atom::Main => Role::Main,
        Atom::Mark => Role::Mark,
        Atom::Menu | Atom::Ol | Atom::Ul => Role::List,
        Atom::Meter => Role::Meter,
        Atom::Nav => Role::Navigation,
        Atom::Option => Role::Option,
        Atom::Output => Role::Status,
        Atom::P => Role::Paragraph,
        Atom::Progress => Role::ProgressBar,
        Atom::Search => Role::Search,
        Atom::Section if is_named_by_author(snapshot, node) => Role::Region,
        Atom::Select if has(Atom::Multiple) || list_size(snapshot, node) > 1 => Role::Listbox,
        Atom::Select => Role::Combobox,
        Atom::Strong => Role::Strong,
        Atom::Sub => Role::Subscript,
        Atom::Sup => Role::Superscript,
        Atom::Svg => Role::Image,
        Atom::Table => Role::Table,
        Atom::Tbody | Atom::Tfoot | Atom::Thead => part_of_table(snapshot, node, Role::RowGroup),
        Atom::Td => cell(snapshot, node, Role::Cell),
        Atom::Textarea => Role::TextBox,
        Atom::Th => cell(snapshot, node, header(snapshot, node)),
        Atom::Time => Role::Time,
        Atom::Tr => part_of_table(snapshot, node, Role::Row),
        Atom::Other => foreign(snapshot, node),
        _ => Role::Generic,
    };
    match found {
        Role::Generic if is_editing_host(snapshot, node) => Role::TextBox,
        found => found,
    }
}

fn has_href(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.attribute(node, Atom::Href).is_some() || named_attribute(snapshot, node, "xlink:href").is_some()
}

/// The element that speaks for its `details`: the first `summary` in it.
fn is_summary(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let node_of = |index| Node { index, ..node };
    let Some(holder) = parents(snapshot, node).find(|above| snapshot.tag(*above) != Atom::Slot) else { return false };
    let mut children =
        (holder.index + 1).until(node.index + 1).nodes().take(ABOVE).filter(|&index| document.has_tag(index));
    snapshot.tag(holder) == Atom::Details
        && children.find(|&index| snapshot.tag(node_of(index)) == Atom::Summary).is_none_or(|first| first == node.index)
}

fn image(snapshot: &Snapshot, node: Node) -> Role {
    let silent = snapshot.attribute(node, Atom::Alt) == Some("")
        && snapshot.attribute(node, Atom::Title).is_none()
        && !is_told_anyway(snapshot, node);
    if silent { Role::None } else { Role::Image }
}

fn list_size(snapshot: &Snapshot, node: Node) -> u32 {
    snapshot.attribute(node, Atom::Size).and_then(|size| size.trim().parse().ok()).unwrap_or(1)
}

fn input(snapshot: &Snapshot, node: Node) -> Role {
    let list = has_suggestions(snapshot, node);
    match input_type(snapshot, node).as_str() {
        "button" | "file" | "image" | "reset" | "submit" => Role::Button,
        "checkbox" => Role::Checkbox,
        "hidden" => Role::None,
        "radio" => Role::Radio,
        "range" => Role::Slider,
        "color" | "password" => Role::TextBox,
        "number" if !list => Role::SpinButton,
        "search" if !list => Role::SearchBox,
        _ if list => Role::Combobox,
        _ => Role::TextBox,
    }
}

/// Whether a `datalist` offers values for an input.
fn has_suggestions(snapshot: &Snapshot, node: Node) -> bool {
    let Some(id) = snapshot.attribute(node, Atom::List).filter(|id| !id.is_empty()) else { return false };
    let list = by_id(snapshot, node, id);
    list.is_some_and(|index| snapshot.tag(Node { index, ..node }) == Atom::Datalist)
}

/// A list item loses its role where an author made something else of the list.
fn list_item(snapshot: &Snapshot, node: Node) -> Role {
    let list = parents(snapshot, node).find(|above| snapshot.has_tag(*above) && snapshot.tag(*above) != Atom::Slot);
    let list = list.filter(|list| matches!(snapshot.tag(*list), Atom::Ul | Atom::Ol | Atom::Menu));
    match list.and_then(|list| given(snapshot, list)) {
        None | Some(Role::List) => Role::ListItem,
        Some(_) => Role::None,
    }
}

/// Whether a header or footer belongs to a part of the page and so is not a landmark.
fn in_part(snapshot: &Snapshot, node: Node) -> bool {
    parents(snapshot, node).any(|above| match word(snapshot, above) {
        Some(role) => matches!(role, Role::Article | Role::Complementary | Role::Main | Role::Navigation),
        None => is_section(snapshot.tag(above)) || snapshot.tag(above) == Atom::Main,
    })
}

/// Whether an element stands in sectioning content.
fn in_section(snapshot: &Snapshot, node: Node) -> bool {
    parents(snapshot, node).any(|above| match word(snapshot, above) {
        Some(role) => matches!(role, Role::Article | Role::Complementary | Role::Navigation | Role::Region),
        None => is_section(snapshot.tag(above)),
    })
}

fn is_section(tag: Atom) -> bool {
    matches!(tag, Atom::Article | Atom::Aside | Atom::Nav | Atom::Section)
}

// -- tables --------------------------------------------------------------------------------------------------------

/// What the table that holds a part of it is.
enum Holder {
    Table,
    Grid,
    /// Made something else by an author, or not there.
    Nothing,
}

fn holder(snapshot: &Snapshot, node: Node) -> Holder {
    for above in parents(snapshot, node).filter(|above| snapshot.has_tag(*above)) {
        let table = match snapshot.tag(above) {
            Atom::Table => true,
            Atom::Tr | Atom::Tbody | Atom::Thead | Atom::Tfoot => false,
            Atom::Slot => continue,
            _ => return Holder::Nothing,
        };
        match given(snapshot, above) {
            None if table => return Holder::Table,
            None | Some(Role::Row | Role::RowGroup) if !table => {}
            Some(Role::Table) => return Holder::Table,
            Some(Role::Grid | Role::TreeGrid) => return Holder::Grid,
            // A group of rows that says nothing is passed through; a row that says nothing takes its cells along.
            Some(Role::None) if !table && snapshot.tag(above) != Atom::Tr => {}
            _ => return Holder::Nothing,
        }
    }
    Holder::Nothing
}

fn part_of_table(snapshot: &Snapshot, node: Node, role: Role) -> Role {
    match holder(snapshot, node) {
        Holder::Table | Holder::Grid => role,
        Holder::Nothing => Role::Generic,
    }
}

fn cell(snapshot: &Snapshot, node: Node, role: Role) -> Role {
    match holder(snapshot, node) {
        Holder::Table => role,
        Holder::Grid if role == Role::Cell => Role::GridCell,
        Holder::Grid => role,
        Holder::Nothing => Role::Generic,
    }
}

/// What a `th` heads: by its scope, else its row if only data stands beside it.
fn header(snapshot: &Snapshot, node: Node) -> Role {
    let scope = snapshot.attribute(node, Atom::Scope).unwrap_or("").trim();
    if ["row", "rowgroup"].iter().any(|row| scope.eq_ignore_ascii_case(row)) {
        return Role::RowHeader;
    }
    if ["col", "colgroup"].iter().any(|col| scope.eq_ignore_ascii_case(col)) {
        return Role::ColumnHeader;
    }
    let cells = cells(snapshot, node);
    let Some(at) = cells.iter().position(|cell| cell.index == node.index) else { return Role::ColumnHeader };
    let (before, behind) = (at.checked_sub(1).map(|at| cells[at]), cells.get(at + 1).copied());
    let heads = |cell: Option<Node>| cell.is_some_and(|cell| snapshot.tag(cell) == Atom::Th);
    if before.is_none() && behind.is_none() || heads(before) && heads(behind) {
        return Role::ColumnHeader;
    }
    let holds = |cell: &Node| snapshot.tag(*cell) == Atom::Td && snapshot.document(*cell).size[cell.index] > 1;
    let ends = cells.iter().take(2).chain(cells.iter().rev().take(2));
    if before.iter().chain(&behind).chain(ends).any(holds) { Role::RowHeader } else { Role::ColumnHeader }
}

/// The elements of the row of a cell, as many as are looked at.
fn cells(snapshot: &Snapshot, node: Node) -> Vec<Node> {
    let document = snapshot.document(node);
    let Some(row) = document.parent_of(node.index) else { return Vec::new() };
    let children = document.children(row).take(ROW_NODES).filter(|&index| document.has_tag(index));
    children.map(|index| Node { index, ..node }).collect()
}

// -- SVG and MathML ------------------------------------------------------------------------------------------------

/// The `title` that is a child of an SVG element, and says something.
pub fn title_of(snapshot: &Snapshot, node: Node) -> Option<Node> {
    let document = snapshot.document(node);
    let mut at = node.index + 1;
    let end = document.end(node.index);
    for _ in 0..ABOVE {
        if at >= end {
            return None;
        }
        let child = Node { index: at, ..node };
        if document.has_tag(at) && snapshot.tag(child) == Atom::Title {
            return Some(child);
        }
        at = document.end(at);
    }
    None
}

/// Elements whose tags have no atoms: most of SVG, MathML, and what nobody knows.
fn foreign(snapshot: &Snapshot, node: Node) -> Role {
    const SHAPES: [&str; 7] = ["circle", "ellipse", "line", "path", "polygon", "polyline", "rect"];
    let name = snapshot.strings(node).get(snapshot.document(node).name[node.index]);
    if name.eq_ignore_ascii_case("math") {
        return Role::Math;
    }
    if name.eq_ignore_ascii_case("dir") {
        return Role::List;
    }
    let named = || is_named_by_author(snapshot, node) || title_of(snapshot, node).is_some();
    match name {
        "image" if named() => Role::Image,
        "use" if named() => Role::GraphicsObject,
        "g" | "foreignObject" | "text" if named() => Role::Group,
        shape if SHAPES.contains(&shape) && named() => Role::GraphicsSymbol,
        _ => Role::Generic,
    }
}

// -- what roles are worth ------------------------------------------------------------------------------------------

/// Whether the element speaks up: a dialog, an alert or a live region. Such rows are never cut off.
pub fn is_urgent(snapshot: &Snapshot, node: Node, role: Role) -> bool {
    matches!(role, Role::Alert | Role::AlertDialog | Role::Dialog | Role::Log | Role::Status)
        || matches!(snapshot.attribute(node, Atom::AriaLive), Some("assertive" | "polite"))
        || snapshot.attribute(node, Atom::AriaModal) == Some("true")
}

/// What a role is worth in a ranking: dialogs, alerts and live regions 100, what can be
/// acted on 60, headings and landmarks 40.
pub fn worth(snapshot: &Snapshot, node: Node) -> u32 {
    let role = role(snapshot, node);
    if is_urgent(snapshot, node, role) {
        100
    } else if role.is_control() {
        60
    } else if is_landmark(role) {
        40
    } else {
        0
    }
}

fn is_landmark(role: Role) -> bool {
    matches!(
        role,
        Role::Banner
            | Role::Complementary
            | Role::ContentInfo
            | Role::Form
            | Role::Heading
            | Role::Main
            | Role::Navigation
            | Role::Region
            | Role::Search
    )
}

/// Words of `autocomplete` for what browsers fill in by themselves and show to nobody (HTML, "autofill field").
const HIDING_WORDS: [&str; 3] = ["current-password", "new-password", "one-time-code"];

/// Whether the value of the element must never be shown.
pub fn is_password(snapshot: &Snapshot, node: Node) -> bool {
    match snapshot.tag(node) {
        Atom::Input => input_type(snapshot, node) == "password" || fills_hidden(snapshot, node),
        Atom::Textarea => fills_hidden(snapshot, node),
        _ => false,
    }
}

fn fills_hidden(snapshot: &Snapshot, node: Node) -> bool {
    let told = snapshot.attribute(node, Atom::Autocomplete).unwrap_or("");
    told.split_ascii_whitespace().any(|word| HIDING_WORDS.iter().any(|hiding| word.eq_ignore_ascii_case(hiding)))
}

/// Whether Chrome or the role says that the element takes clicks or keys.
pub fn takes_input(snapshot: &Snapshot, node: Node) -> bool {
    role(snapshot, node).is_control() || snapshot.document(node).has(node.index, flag::CLICKABLE)
}
