//! The computed styles that the core keeps, by node.

use stillframe_core::testing::capture::node::{DocumentIndex, NodeIndex};
use stillframe_core::testing::capture::style::{Cursor, Display};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestTree, bytes};

/// Two elements and a pseudo-element; their places in the document are 4, 5 and 6.
fn page() -> TestTree {
    let mut page = TestTree::new();
    let handle = page.element(TestTree::BODY, "SPAN", &[]);
    page.nodes[handle].styles = vec![("cursor", "col-resize"), ("display", "inline-flex")];
    let quote = page.element(TestTree::BODY, "P", &[]);
    page.nodes[quote].styles = vec![("white-space-collapse", "preserve-breaks")];
    let before = page.pseudo(quote, "before", r#""→ " / "to ""#, "→ ");
    page.nodes[before].generated.push("2".to_owned());
    page
}

const fn at(node: u32) -> NodeIndex {
    NodeIndex::new(node)
}

#[test]
fn each_node_has_its_styles() {
    for duplicates in [false, true] {
        let snapshot = page().snapshot_as(&Encoding { duplicates, ..Encoding::default() });
        let document = &snapshot.documents[0];
        assert_eq!((document.display(at(4)), document.cursor(at(4))), (Display::InlineBlock, Cursor::Resize));
        assert_eq!((document.display(at(5)), document.cursor(at(5))), (Display::Block, Cursor::Auto));
        assert_eq!([4, 5].map(|node| document.preserves_space(at(node))), [false, true]);
        assert_eq!(document.display(at(2)), Display::None, "a head has no box");
    }
}

#[test]
fn the_white_space_of_older_browsers_says_the_same() {
    let values = ["normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces"];
    let keep = values.map(|value| {
        let mut page = TestTree::new();
        let element = page.element(TestTree::BODY, "P", &[]);
        page.nodes[element].styles = vec![("white-space-collapse", value)];
        page.snapshot().documents[0].preserves_space(at(4))
    });
    assert_eq!(keep, [false, false, true, true, true, true]);
}

#[test]
fn pseudo_elements_have_their_texts() {
    let snapshot = page().snapshot();
    let document = &snapshot.documents[0];
    let strings = &snapshot.part_of(DocumentIndex::FIRST).strings;
    let texts: Vec<_> = document.generated(at(6)).map(|id| strings.get(id)).collect();
    assert_eq!(texts, ["→ ", "2"]);
    assert_eq!(document.content_style(at(6)).map(|id| strings.get(id)), Some(r#""→ " / "to ""#));
    assert_eq!((document.generated(at(5)).count(), document.content_style(at(5))), (0, None));
}

#[test]
fn texts_show_the_case_that_their_style_gives_them() {
    let texts = [("Save", "SAVE"), ("straße", "STRASSE"), ("Save", "ave"), ("abc", "•••")];
    let shown = texts.map(|(written, laid_out)| {
        let mut page = TestTree::new();
        let text = page.text(TestTree::BODY, written);
        page.nodes[text].shown = Some(laid_out.to_owned());
        let snapshot = page.snapshot();
        snapshot.part_of(DocumentIndex::FIRST).strings.get(snapshot.documents[0].shown(at(4))).to_owned()
    });
    assert_eq!(shown, ["SAVE", "STRASSE", "Save", "abc"]);
}

#[test]
fn a_capture_without_styles_says_so() {
    let raw = r#"{"documents":[{"nodes":{"parentIndex":[-1,0],"nodeType":[9,1],"nodeName":[-1,0],"nodeValue":[-1,-1],
        "backendNodeId":[1,2],"attributes":[[],[]]},"layout":{"nodeIndex":[0,1],"bounds":[[],[]]}}],"strings":["P"]}"#;
    let snapshot = Snapshot::from_cdp(bytes(raw.as_bytes().to_vec())).expect("a capture");
    assert_eq!(snapshot.documents[0].display(at(1)), Display::Unknown);
}
