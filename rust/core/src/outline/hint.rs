//! What distinguishes a control without a name: the shortest hint, which is not shown as a name.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::digest::canonical::{is_state, looks_generated};
use crate::element::gather::collapsed;
use crate::element::snapshot::Snapshot;
use crate::element::text::cut;
use crate::outline::state::attribute;

/// Nodes of a control that are looked at, characters of a hint, and bytes of an address it is taken from.
const NODES: u32 = 24;
const LONGEST: usize = 40;
const ADDRESS: usize = 2048;

/// Pieces of class names that say what a thing looks like and not what it is for.
const LOOKS: [&str; 70] = [
    "a",
    "absolute",
    "active",
    "all",
    "b",
    "bg",
    "block",
    "box",
    "btn",
    "btns",
    "button",
    "cell",
    "center",
    "circle",
    "clickable",
    "col",
    "container",
    "control",
    "corner",
    "cursor",
    "dark",
    "default",
    "density",
    "elevated",
    "fa",
    "fab",
    "far",
    "fas",
    "flat",
    "flex",
    "fw",
    "glyphicon",
    "group",
    "hover",
    "icon",
    "icons",
    "inline",
    "inner",
    "item",
    "js",
    "large",
    "lg",
    "light",
    "link",
    "md",
    "mdi",
    "only",
    "outline",
    "pointer",
    "primary",
    "relative",
    "round",
    "rounded",
    "row",
    "secondary",
    "size",
    "sm",
    "small",
    "solid",
    "state",
    "svg",
    "theme",
    "transparent",
    "ui",
    "variant",
    "widget",
    "wrap",
    "wrapper",
    "xl",
    "xs",
];

/// A hint at what an element is for: the icon in it, its own names in the page, where it leads, what it is made of.
pub fn hint(snapshot: &Snapshot, node: Node) -> Option<String> {
    let document = snapshot.document(node);
    let end = document.end(node.index).min(node.index + NODES);
    let inside =
        || node.index.until(end).nodes().map(|index| Node { index, ..node }).filter(|at| is_seen(snapshot, *at));
    let found = inside()
        .skip(1)
        .find_map(|at| named(snapshot, at))
        .or_else(|| inside().find_map(|at| picture(snapshot, at)))
        .or_else(|| own(snapshot, node))
        .or_else(|| inside().filter(|at| snapshot.tag(*at) == Atom::I).find_map(|at| class(snapshot, at)))
        .or_else(|| inside().find_map(|at| class(snapshot, at)))
        .or_else(|| snapshot.attribute(node, Atom::Href).and_then(file))
        .or_else(|| material(snapshot, node));
    found.map(|hint| cut(&hint, LONGEST).to_owned())
}

fn is_seen(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.has_tag(node) && !snapshot.document(node).has(node.index, flag::PSEUDO)
}

/// The tooltip of something inside, which Chrome does not use for the name of the control.
fn named(snapshot: &Snapshot, node: Node) -> Option<String> {
    snapshot.attribute(node, Atom::Title).map(collapsed).filter(|title| !title.is_empty())
}

/// What an icon is called: the file of an image, the symbol that is used, the name that an icon set gave it.
fn picture(snapshot: &Snapshot, node: Node) -> Option<String> {
    let named = |name| attribute(snapshot, node, name).filter(|value| !value.is_empty());
    let address = match snapshot.tag(node) {
        Atom::Img => snapshot.attribute(node, Atom::Src),
        Atom::Input => snapshot.attribute(node, Atom::Src),
        _ if snapshot.tag_name(node) == "use" => named("href").or_else(|| named("xlink:href")),
        Atom::Svg => return named("data-icon").or_else(|| named("data-testid")).map(str::to_owned),
        _ => snapshot.attribute(node, Atom::Style).and_then(background),
    };
    address.and_then(file)
}

fn background(style: &str) -> Option<&str> {
    let (_, rest) = style.split_once("url(")?;
    let address = rest.split_once(')')?.0;
    Some(address.trim_matches(['"', '\'', ' ']))
}

/// The name that ends an address: a symbol in it, or its file without its kind. What is in the address itself has none.
fn file(address: &str) -> Option<String> {
    if address.len() > ADDRESS || address.starts_with("data:") || address.starts_with("javascript:") {
        return None;
    }
    let (path, symbol) = address.split_once('#').unwrap_or((address, ""));
    let path = path.split(['?', ';']).next().unwrap_or("");
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let stem = last.rsplit_once('.').map_or(last, |parts| parts.0);
    let found = if symbol.is_empty() { stem } else { symbol };
    is_telling(found).then(|| found.to_owned())
}

/// What the page itself calls the element.
fn own(snapshot: &Snapshot, node: Node) -> Option<String> {
    let tests = [Atom::DataTestid, Atom::DataTestId, Atom::DataTest, Atom::DataCy, Atom::DataQa];
    let names = [Atom::Name, Atom::Id].into_iter().chain(tests);
    let mut values = names.filter_map(|name| snapshot.attribute(node, name)).map(str::trim);
    values.find(|value| is_telling(value)).map(str::to_owned)
}

/// The class that says most: of those with the most words that are not looks, the first.
fn class(snapshot: &Snapshot, node: Node) -> Option<String> {
    let classes = snapshot.attribute(node, Atom::Class)?;
    let mut best: (usize, &str) = (0, "");
    for class in classes.split_ascii_whitespace().take(16) {
        let words = words(class);
        if words > best.0 {
            best = (words, class);
        }
    }
    (best.0 > 0).then(|| best.1.to_owned())
}

/// How many words a class has that say what a thing is for.
fn words(class: &str) -> usize {
    if !is_telling(class) || is_state(class.as_bytes()) || class.contains([':', '[', '/', '.', '(']) {
        return 0;
    }
    let pieces = class.split(['-', '_']).map(str::to_ascii_lowercase);
    pieces.filter(|piece| piece.len() > 2 && LOOKS.binary_search(&piece.as_str()).is_err()).count()
}

/// What an element is made of, where that says something.
fn material(snapshot: &Snapshot, node: Node) -> Option<String> {
    let plain = matches!(
        snapshot.tag(node),
        Atom::A | Atom::B | Atom::Button | Atom::Div | Atom::I | Atom::Input | Atom::Li | Atom::P | Atom::Span
    );
    (!plain).then(|| snapshot.tag_name(node))
}

fn is_telling(name: &str) -> bool {
    name.len() <= ADDRESS
        && name.contains(char::is_alphabetic)
        && !name.contains(char::is_whitespace)
        && !looks_generated(name)
        && !name.split(['-', '_']).any(is_hash)
}

/// Whether a piece of a name mixes letters and digits as made-up ones do.
fn is_hash(piece: &str) -> bool {
    let changes = |pair: &[u8]| pair[0].is_ascii_digit() != pair[1].is_ascii_digit();
    piece.len() >= 5 && piece.as_bytes().windows(2).filter(|pair| changes(pair)).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_looks_are_sorted() {
        assert!(LOOKS.is_sorted());
    }

    #[test]
    fn an_address_is_known_by_its_symbol_or_file() {
        assert_eq!(file("/img/icons/trash-can.svg?v=3").as_deref(), Some("trash-can"));
        assert_eq!(file("sprite.svg#icon-trash").as_deref(), Some("icon-trash"));
        assert_eq!(file("#icon-trash").as_deref(), Some("icon-trash"));
        assert_eq!(file("/orders/").as_deref(), Some("orders"));
        assert_eq!(file("data:image/png;base64,AAAA"), None);
        assert_eq!(file("/"), None);
    }
}
