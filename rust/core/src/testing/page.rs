//! Made-up pages for tests and measurements, and the captures that a browser would send of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::capture::atom::atom;
use crate::capture::strings::Bytes;
use crate::element::flow::is_phrasing;
use crate::element::snapshot::Snapshot;

/// A node of a made-up page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestNode {
    pub kind: u8,
    pub name: String,
    pub value: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<usize>,
    pub backend_node_id: u32,
    pub hidden: bool,
    pub live: Option<String>,
    pub checked: bool,
    pub selected: bool,
    /// "open" or "closed": the type of the shadow root the node is in.
    pub shadow: Option<&'static str>,
    /// Computed styles that are not what the tag has by default: `display`, `content`, `cursor`, `white-space-collapse`.
    pub styles: Vec<(&'static str, &'static str)>,
    /// "before", "after", "marker", …: what kind of pseudo-element the node is, and the texts laid out for it.
    pub pseudo: Option<&'static str>,
    pub generated: Vec<String>,
    /// The text that is laid out for a text node, if that is not its value.
    pub shown: Option<String>,
    /// The layout box: x, y, width and height; a line of its own if not said.
    pub bounds: Option<[i64; 4]>,
}

/// A page as an arena of nodes; 0 is the document. Nodes that no list names are not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestTree {
    pub nodes: Vec<TestNode>,
}

/// How a page is written down: everything here may vary without the page being another one.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    /// Rotates the string table.
    pub rotate: usize,
    /// Strings that are in the table without being used.
    pub unused: usize,
    /// Every use of a string has an entry of its own in the table.
    pub duplicates: bool,
    pub reverse_attributes: bool,
    pub reverse_keys: bool,
    /// As the message that carries the result.
    pub message: bool,
    pub pretty: bool,
}

impl Default for TestTree {
    fn default() -> Self {
        Self::new()
    }
}

impl TestTree {
    /// A document with `html` (1), `head` (2) and `body` (3).
    pub fn new() -> Self {
        let mut tree = Self {
            nodes: vec![TestNode { kind: 9, name: "#document".to_owned(), backend_node_id: 1, ..TestNode::default() }],
        };
        let html = tree.element(0, "HTML", &[]);
        tree.element(html, "HEAD", &[]);
        tree.element(html, "BODY", &[]);
        tree
    }

    pub const BODY: usize = 3;

    pub fn element(&mut self, parent: usize, name: &str, attributes: &[(&str, &str)]) -> usize {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.add(parent, TestNode { kind: 1, name: name.to_owned(), attributes, ..TestNode::default() })
    }

    pub fn text(&mut self, parent: usize, text: &str) -> usize {
        self.add(parent, TestNode { kind: 3, name: "#text".to_owned(), value: text.to_owned(), ..TestNode::default() })
    }

    /// A `::before` or `::after` with one text, as Chrome captures it.
    pub fn pseudo(&mut self, parent: usize, kind: &'static str, content: &'static str, text: &str) -> usize {
        let styles = vec![("display", "inline"), ("content", content)];
        let (name, generated) = (format!("::{kind}"), vec![text.to_owned()]);
        let node = TestNode { kind: 1, name, styles, pseudo: Some(kind), generated, ..TestNode::default() };
        self.add(parent, node)
    }

    pub fn add(&mut self, parent: usize, node: TestNode) -> usize {
        let at = self.nodes.len();
        self.nodes.push(TestNode { backend_node_id: at as u32 + 1, ..node });
        self.nodes[parent].children.push(at);
        at
    }

    /// The nodes that are there, in pre-order, with the position of the parent in this list.
    pub fn preorder(&self) -> Vec<(usize, i64)> {
        let mut order: Vec<(usize, i64)> = Vec::new();
        let mut stack = vec![(0usize, -1i64)];
        while let Some((node, parent)) = stack.pop() {
            let here = order.len() as i64;
            order.push((node, parent));
            stack.extend(self.nodes[node].children.iter().rev().map(|&child| (child, here)));
        }
        order
    }

    pub fn parent_of(&self, node: usize) -> Option<usize> {
        self.nodes.iter().position(|other| other.children.contains(&node))
    }

    /// Whether `node` is `ancestor` or inside it.
    pub fn is_within(&self, node: usize, ancestor: usize) -> bool {
        let mut at = Some(node);
        while let Some(here) = at {
            if here == ancestor {
                return true;
            }
            at = self.parent_of(here);
        }
        false
    }

    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_as(&Encoding::default())
    }

    pub fn snapshot_as(&self, encoding: &Encoding) -> Snapshot {
        Snapshot::from_cdp(bytes(self.encode(encoding))).expect("a made-up page is a valid one")
    }

    /// The capture of the page.
    pub fn encode(&self, encoding: &Encoding) -> Vec<u8> {
        let order = self.preorder();
        let mut table = Table::new(encoding);
        let mut columns = Columns::default();
        let mut layout = Vec::new();
        let mut hidden_inside: Vec<bool> = Vec::with_capacity(order.len());
        for (at, &(node, parent)) in order.iter().enumerate() {
            let node = &self.nodes[node];
            let hidden = node.hidden || (parent >= 0 && hidden_inside[parent as usize]);
            hidden_inside.push(hidden);
            columns.push(node, parent, at, &mut table, encoding);
            // A text of only white space has a box where it stands between two words of a line: the test says so.
            let blank = node.kind == 3 && node.value.trim().is_empty() && node.bounds.is_none();
            if !hidden && !blank && !matches!(node.name.as_str(), "HEAD" | "SCRIPT" | "#comment") {
                layout.push(at);
            }
        }
        let url = table.id("https://shop.test/list");
        let title = table.id("A page");
        let frame = table.id("FRAME0");
        let holder = |at: usize| order[at].1.max(0) as usize;
        let rows = layout.iter().flat_map(|&at| {
            let node = &self.nodes[order[at].0];
            // The styles of a text are those of the element that holds it.
            let styled = if node.kind == 3 { &self.nodes[order[holder(at)].0] } else { node };
            let row = LayoutRow { node: at, bounds: node.bounds, styles: computed(styled), text: laid_out(node) };
            let texts = node.generated.iter().map(move |text| LayoutRow { text, ..row });
            std::iter::once(row).chain(texts)
        });
        let layout = layout_json(&rows.collect::<Vec<_>>(), &mut table);
        let mut fields = [
            format!(r#""documentURL":{url}"#),
            format!(r#""title":{title}"#),
            format!(r#""frameId":{frame}"#),
            format!(r#""nodes":{}"#, columns.json(encoding)),
            format!(r#""layout":{layout}"#),
            r#""textBoxes":{"layoutIndex":[],"bounds":[[1,2,3.5,4]],"start":[],"length":[]}"#.to_owned(),
            r#""contentWidth":1280,"contentHeight":4000.5"#.to_owned(),
        ];
        if encoding.reverse_keys {
            fields.reverse();
        }
        let documents = format!(r#""documents":[{{{}}}]"#, fields.join(","));
        let strings = format!(r#""strings":[{}]"#, table.json());
        let both = if encoding.reverse_keys { [strings, documents] } else { [documents, strings] };
        let mut result = format!("{{{}}}", both.join(","));
        if encoding.message {
            result = format!(r#"{{"id":7,"result":{result},"sessionId":"5D31"}}"#);
        }
        if encoding.pretty {
            // No string of a made-up page holds a comma followed by a quote or digit that this would break.
            result = result.replace("],\"", "] ,\n \"").replace(":[", " : [ ");
        }
        result.into_bytes()
    }
}

/// Own `bytes` as a snapshot does.
pub fn bytes(bytes: Vec<u8>) -> Bytes {
    Arc::new(bytes)
}

struct Table {
    strings: Vec<String>,
    ids: HashMap<String, usize>,
    rotate: usize,
    duplicates: bool,
}

impl Table {
    fn new(encoding: &Encoding) -> Self {
        let mut table =
            Self { strings: Vec::new(), ids: HashMap::new(), rotate: encoding.rotate, duplicates: encoding.duplicates };
        for at in 0..encoding.unused {
            table.id(&format!("unused {}", (at * 7 + encoding.rotate) % 1000));
        }
        table
    }

    fn id(&mut self, text: &str) -> i64 {
        if text.is_empty() {
            return -1;
        }
        if let Some(&id) = self.ids.get(text).filter(|_| !self.duplicates) {
            return id as i64;
        }
        // Every few strings an unused one, so that ids differ from encoding to encoding.
        if self.rotate > 0 && self.strings.len() % (self.rotate + 1) == self.rotate {
            self.strings.push(format!("filler {}", self.strings.len()));
        }
        self.ids.insert(text.to_owned(), self.strings.len());
        self.strings.push(text.to_owned());
        self.strings.len() as i64 - 1
    }

    fn json(&self) -> String {
        self.strings.iter().map(|text| quote(text)).collect::<Vec<_>>().join(",")
    }
}

/// A JSON string as Chrome writes it: everything outside ASCII escaped.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for unit in text.encode_utf16() {
        match unit {
            0x22 => quoted.push_str("\\\""),
            0x5c => quoted.push_str("\\\\"),
            0x0a => quoted.push_str("\\n"),
            0x09 => quoted.push_str("\\t"),
            0x20..=0x7e => quoted.push(unit as u8 as char),
            _ => quoted.push_str(&format!("\\u{unit:04x}")),
        }
    }
    quoted.push('"');
    quoted
}

#[derive(Default)]
struct Columns {
    parent: Vec<i64>,
    kind: Vec<i64>,
    name: Vec<i64>,
    value: Vec<i64>,
    backend_node_id: Vec<i64>,
    attributes: Vec<String>,
    shadow: (Vec<i64>, Vec<i64>),
    input: (Vec<i64>, Vec<i64>),
    checked: Vec<i64>,
    selected: Vec<i64>,
    pseudo: (Vec<i64>, Vec<i64>),
}

impl Columns {
    fn push(&mut self, node: &TestNode, parent: i64, at: usize, table: &mut Table, encoding: &Encoding) {
        self.parent.push(parent);
        self.kind.push(i64::from(node.kind));
        self.name.push(table.id(&node.name));
        self.value.push(table.id(&node.value));
        self.backend_node_id.push(i64::from(node.backend_node_id));
        let mut pairs: Vec<String> =
            node.attributes.iter().map(|(name, value)| format!("{},{}", table.id(name), table.id(value))).collect();
        if encoding.reverse_attributes {
            pairs.reverse();
        }
        self.attributes.push(format!("[{}]", pairs.join(",")));
        if let Some(shadow) = node.shadow {
            self.shadow.0.push(at as i64);
            self.shadow.1.push(table.id(shadow));
        }
        if let Some(live) = &node.live {
            self.input.0.push(at as i64);
            self.input.1.push(table.id(live));
        }
        if let Some(pseudo) = node.pseudo {
            self.pseudo.0.push(at as i64);
            self.pseudo.1.push(table.id(pseudo));
        }
        if node.checked {
            self.checked.push(at as i64);
        }
        if node.selected {
            self.selected.push(at as i64);
        }
    }

    fn json(&self, encoding: &Encoding) -> String {
        let rare = |column: &(Vec<i64>, Vec<i64>)| {
            format!(r#"{{"index":{},"value":{}}}"#, numbers(&column.0), numbers(&column.1))
        };
        let mut fields = [
            format!(r#""parentIndex":{}"#, numbers(&self.parent)),
            format!(r#""nodeType":{}"#, numbers(&self.kind)),
            format!(r#""shadowRootType":{}"#, rare(&self.shadow)),
            format!(r#""nodeName":{}"#, numbers(&self.name)),
            format!(r#""nodeValue":{}"#, numbers(&self.value)),
            format!(r#""backendNodeId":{}"#, numbers(&self.backend_node_id)),
            format!(r#""attributes":[{}]"#, self.attributes.join(",")),
            format!(r#""inputValue":{}"#, rare(&self.input)),
            format!(r#""pseudoType":{}"#, rare(&self.pseudo)),
            format!(r#""inputChecked":{{"index":{}}}"#, numbers(&self.checked)),
            format!(r#""optionSelected":{{"index":{}}}"#, numbers(&self.selected)),
            r#""originURL":{"index":[],"value":[]}"#.to_owned(),
        ];
        if encoding.reverse_keys {
            fields.reverse();
        }
        format!("{{{}}}", fields.join(","))
    }
}

fn numbers(values: &[i64]) -> String {
    format!("[{}]", values.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// The viewport of made-up pages: the box of the document.
const VIEWPORT: [i64; 4] = [0, 0, 1280, 720];

/// A row of the layout.
#[derive(Clone, Copy)]
struct LayoutRow<'a> {
    node: usize,
    bounds: Option<[i64; 4]>,
    styles: [&'static str; 5],
    text: &'a str,
}

/// The text that is laid out for a node: Chrome has one for each text, none for elements.
fn laid_out(node: &TestNode) -> &str {
    let value = if node.kind == 3 { &node.value } else { "" };
    node.shown.as_deref().unwrap_or(value)
}

/// The computed styles of an element, in the order in which a capture asks for them.
fn computed(node: &TestNode) -> [&'static str; 5] {
    let inline = is_phrasing(atom(node.name.as_bytes())) || node.pseudo.is_some();
    let of = |name: &str, usual| node.styles.iter().find(|style| style.0 == name).map_or(usual, |style| style.1);
    let space = if matches!(node.name.as_str(), "PRE" | "TEXTAREA") { "preserve" } else { "collapse" };
    [
        of("visibility", "visible"),
        of("display", if inline { "inline" } else { "block" }),
        of("content", "normal"),
        of("cursor", "auto"),
        of("white-space-collapse", space),
    ]
}

fn layout_json(rows: &[LayoutRow], table: &mut Table) -> String {
    let index: Vec<i64> = rows.iter().map(|row| row.node as i64).collect();
    let styles: Vec<String> = rows.iter().map(|row| numbers(&row.styles.map(|style| table.id(style)))).collect();
    let texts: Vec<i64> = rows.iter().map(|row| table.id(row.text)).collect();
    let boxed = |row: &LayoutRow| {
        let own = row.bounds.or((row.node == 0).then_some(VIEWPORT));
        own.map_or(format!("[8,{},301.25,17]", row.node * 18), |own| numbers(&own))
    };
    let bounds: Vec<String> = rows.iter().map(boxed).collect();
    format!(
        r#"{{"nodeIndex":{},"styles":[{}],"bounds":[{}],"text":{},"stackingContexts":{{"index":[0]}}}}"#,
        numbers(&index),
        styles.join(","),
        bounds.join(","),
        numbers(&texts),
    )
}

/// A shop's list of product cards, of about `nodes` nodes: the page that figures are measured on.
pub fn card_grid(nodes: usize) -> TestTree {
    const PER_CARD: usize = 18;
    let mut tree = TestTree::new();
    let header = tree.element(TestTree::BODY, "HEADER", &[("class", "top bar")]);
    let title = tree.element(header, "H1", &[("id", "title")]);
    tree.text(title, "All products");
    let main = tree.element(TestTree::BODY, "MAIN", &[("id", "list"), ("class", "grid grid-4")]);
    for number in 0..nodes.saturating_sub(12).div_ceil(PER_CARD) {
        card(&mut tree, main, number);
    }
    let footer = tree.element(TestTree::BODY, "FOOTER", &[("class", "bottom")]);
    tree.text(footer, "© a shop");
    tree
}

fn card(tree: &mut TestTree, parent: usize, number: usize) {
    let key = format!("{number}");
    tree.text(parent, "\n  ");
    let card = tree.element(parent, "DIV", &[("class", "card product"), ("data-key", &key)]);
    let link = tree.element(card, "A", &[("class", "image"), ("href", &format!("/product/{number}"))]);
    tree.element(link, "IMG", &[("src", &format!("/img/{number}.webp")), ("alt", &format!("Product {number}"))]);
    tree.text(card, "\n    ");
    let heading = tree.element(card, "H3", &[("class", "name")]);
    tree.text(heading, &format!("Product {number}"));
    let price = tree.element(card, "P", &[("class", "price")]);
    tree.text(price, &format!("{}.{:02} €", number % 300, number % 100));
    let note = tree.element(card, "P", &[("class", "note")]);
    tree.text(note, "In stock, delivered tomorrow");
    let bar = tree.element(card, "DIV", &[("class", "bar")]);
    let buy = tree.element(bar, "BUTTON", &[("class", "buy"), ("type", "button"), ("data-id", &key)]);
    tree.text(buy, "Add to cart");
    let like = tree.element(bar, "BUTTON", &[("class", "like"), ("aria-label", "Like")]);
    let icon = tree.element(like, "SPAN", &[("class", "icon icon-heart")]);
    tree.text(icon, "♥");
}

/// One text, one removal, one move, one insertion.
pub fn four_edits(tree: &mut TestTree) {
    let named = |tree: &TestTree, name: &str| {
        let found = (0..tree.nodes.len()).filter(|&node| tree.nodes[node].name == name);
        found.collect::<Vec<_>>()
    };
    let price = named(tree, "H3")[1];
    let text = tree.nodes[price].children[0];
    tree.nodes[text].value = "A new name".to_owned();
    let main = named(tree, "MAIN")[0];
    let cards: Vec<usize> =
        tree.nodes[main].children.iter().copied().filter(|&card| tree.nodes[card].kind == 1).collect();
    let middle = cards[cards.len() / 2];
    tree.nodes[main].children.retain(|&child| child != middle && child != cards[2]);
    tree.nodes[main].children.push(cards[2]);
    let alert = tree.element(TestTree::BODY, "DIV", &[("role", "alert"), ("class", "toast")]);
    tree.text(alert, "Removed from the list");
}

/// Another load of the page: every node has another id, and every twentieth says something else.
pub fn loaded_again(tree: &mut TestTree) {
    for (at, node) in tree.nodes.iter_mut().enumerate() {
        node.backend_node_id += 10_000_000;
        if at % 20 == 19 {
            match node.kind {
                3 => node.value.push_str(" again"),
                _ => node.attributes.push(("data-load".to_owned(), "again".to_owned())),
            }
        }
    }
}
