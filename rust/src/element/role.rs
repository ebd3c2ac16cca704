//! Roles: the explicit one, or the one HTML-AAM gives the element; and what they are worth in a summary.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::snapshot::{Node, Snapshot};

/// The role of `node`; "" for elements that have none of interest (`generic`) and for texts.
pub fn role(snapshot: &Snapshot, node: Node) -> &str {
    if !snapshot.has_tag(node) {
        return "";
    }
    let explicit = snapshot.attribute(node, Atom::Role).and_then(|value| value.split_whitespace().next());
    match explicit {
        Some(role @ ("none" | "presentation" | "generic")) => {
            let _ = role;
            ""
        }
        Some(role) => role,
        None => implicit(snapshot, node),
    }
}

/// The role that HTML-AAM gives the element; "" for none.
pub fn implicit(snapshot: &Snapshot, node: Node) -> &'static str {
    let has = |attribute: Atom| snapshot.attribute(node, attribute).is_some();
    match snapshot.tag(node) {
        Atom::A | Atom::Area if has(Atom::Href) => "link",
        Atom::Article => "article",
        Atom::Aside => "complementary",
        Atom::Blockquote => "blockquote",
        Atom::Button | Atom::Summary => "button",
        Atom::Caption => "caption",
        Atom::Code => "code",
        Atom::Datalist => "listbox",
        Atom::Dd => "definition",
        Atom::Dt => "term",
        Atom::Details | Atom::Fieldset | Atom::Optgroup => "group",
        Atom::Dialog => "dialog",
        Atom::Figure => "figure",
        Atom::Footer if !is_sectioned(snapshot, node) => "contentinfo",
        Atom::Header if !is_sectioned(snapshot, node) => "banner",
        Atom::Form => "form",
        Atom::H1 | Atom::H2 | Atom::H3 | Atom::H4 | Atom::H5 | Atom::H6 => "heading",
        Atom::Hr => "separator",
        Atom::Iframe | Atom::Frame => "iframe",
        Atom::Img if snapshot.attribute(node, Atom::Alt) == Some("") => "",
        Atom::Img => "img",
        Atom::Input => input_role(snapshot, node),
        Atom::Li => "listitem",
        Atom::Main => "main",
        Atom::Menu | Atom::Ol | Atom::Ul => "list",
        Atom::Meter => "meter",
        Atom::Nav => "navigation",
        Atom::Option => "option",
        Atom::Output => "status",
        Atom::P => "paragraph",
        Atom::Progress => "progressbar",
        Atom::Search => "search",
        Atom::Section if has(Atom::AriaLabel) || has(Atom::AriaLabelledby) => "region",
        Atom::Select if has(Atom::Multiple) || list_size(snapshot, node) > 1 => "listbox",
        Atom::Select => "combobox",
        Atom::Table => "table",
        Atom::Tbody | Atom::Tfoot | Atom::Thead => "rowgroup",
        Atom::Td => "cell",
        Atom::Textarea => "textbox",
        Atom::Th => "columnheader",
        Atom::Tr => "row",
        _ => "",
    }
}

fn list_size(snapshot: &Snapshot, node: Node) -> u32 {
    snapshot.attribute(node, Atom::Size).and_then(|size| size.trim().parse().ok()).unwrap_or(1)
}

fn input_role(snapshot: &Snapshot, node: Node) -> &'static str {
    let list = snapshot.attribute(node, Atom::List).is_some();
    match input_type(snapshot, node).as_str() {
        "button" | "image" | "reset" | "submit" => "button",
        "checkbox" => "checkbox",
        "hidden" => "",
        "number" => "spinbutton",
        "radio" => "radio",
        "range" => "slider",
        "search" if !list => "searchbox",
        "email" | "tel" | "text" | "url" | "search" | "" if list => "combobox",
        _ => "textbox",
    }
}

/// The `type` of an input in lower case; "" if it has none.
pub fn input_type(snapshot: &Snapshot, node: Node) -> String {
    snapshot.attribute(node, Atom::Type).unwrap_or("").trim().to_ascii_lowercase()
}

/// Whether a header or footer belongs to a part of the page and so is no landmark.
fn is_sectioned(snapshot: &Snapshot, node: Node) -> bool {
    let sectioning = |tag| matches!(tag, Atom::Article | Atom::Aside | Atom::Main | Atom::Nav | Atom::Section);
    std::iter::successors(snapshot.parent(node), |node| snapshot.parent(*node))
        .take(64)
        .any(|above| sectioning(snapshot.tag(above)))
}

/// Whether a user can act on elements of this role.
pub fn is_interactive(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "checkbox"
            | "combobox"
            | "gridcell"
            | "link"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "scrollbar"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "textbox"
            | "treeitem"
    )
}

/// Whether the name of elements of this role comes from what they hold.
pub fn is_named_by_content(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "caption"
            | "cell"
            | "checkbox"
            | "columnheader"
            | "gridcell"
            | "heading"
            | "link"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "rowheader"
            | "switch"
            | "tab"
            | "term"
            | "tooltip"
            | "treeitem"
    )
}

/// Whether the element speaks up: a dialog, an alert or a live region. Such rows are never cut off.
pub fn is_urgent(snapshot: &Snapshot, node: Node, role: &str) -> bool {
    matches!(role, "alert" | "alertdialog" | "dialog" | "log" | "status")
        || matches!(snapshot.attribute(node, Atom::AriaLive), Some("assertive" | "polite"))
        || snapshot.attribute(node, Atom::AriaModal) == Some("true")
}

/// What a role is worth in a ranking (reference native.md §2.6): dialogs, alerts and live regions 100, what can be
/// acted on 60, headings and landmarks 40.
pub fn worth(snapshot: &Snapshot, node: Node) -> u32 {
    let role = role(snapshot, node);
    if is_urgent(snapshot, node, role) {
        100
    } else if is_interactive(role) {
        60
    } else if is_landmark(role) {
        40
    } else {
        0
    }
}

fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "banner" | "complementary" | "contentinfo" | "form" | "heading" | "main" | "navigation" | "region" | "search"
    )
}

/// Whether the value of the element must never be shown.
pub fn is_password(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.tag(node) == Atom::Input && input_type(snapshot, node) == "password"
}

/// Whether Chrome or the role says that the element takes clicks or keys.
pub fn takes_input(snapshot: &Snapshot, node: Node) -> bool {
    is_interactive(role(snapshot, node)) || snapshot.document(node).has(node.index, flag::CLICKABLE)
}
