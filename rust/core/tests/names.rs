//! Roles and accessible names: a table of small pages, and pages made to take long.
//!
//! The web platform tests' own pages, and Chrome's tree beside them, are the matter of the Python tests.

use stillframe_core::testing::capture::node::{DocumentIndex, Node};
use stillframe_core::testing::element::name::accessible;
use stillframe_core::testing::element::roles::Role;
use stillframe_core::testing::element::selectors::selectors;
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::element::words::words_of;
use stillframe_core::testing::page::TestTree;

mod cpu;

const VOID: [&str; 6] = ["area", "br", "hr", "img", "input", "wbr"];

/// The page of an HTML text: tags, attributes with or without values in single quotes, texts. `x` marks the element that
/// is asked for, `hidden` one without a box, `live` what a field holds, `chosen` a selected option, `before` and `after`
/// what a stylesheet adds.
fn page(html: &str) -> (TestTree, usize) {
    let mut tree = TestTree::new();
    let (mut open, mut asked, mut rest) = (vec![TestTree::BODY], TestTree::BODY, html);
    while !rest.is_empty() {
        if let Some(closed) = rest.strip_prefix("</") {
            open.pop();
            rest = closed.split_once('>').expect("an end tag").1;
        } else if let Some(tag) = rest.strip_prefix('<') {
            let (inside, after) = tag.split_once('>').expect("a tag");
            let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            let parent = *open.last().expect("the body stays open");
            let svg = ["svg", "g", "path", "title", "text", "desc"].contains(&name);
            let at = tree.element(parent, &if svg { name.to_owned() } else { name.to_uppercase() }, &[]);
            if attribute(&mut tree, at, attributes) {
                asked = at;
            }
            if !VOID.contains(&name) {
                open.push(at);
            }
            rest = after;
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            let text = tree.text(*open.last().expect("the body stays open"), &rest[..end]);
            // The blanks of these pages stand between words of a line, so they are laid out.
            tree.nodes[text].bounds = Some([0, 0, 4, 16]).filter(|_| rest[..end].trim().is_empty());
            rest = &rest[end..];
        }
    }
    (tree, asked)
}

/// Give an element its attributes; whether it is the one that is asked for.
fn attribute(tree: &mut TestTree, at: usize, text: &str) -> bool {
    let (mut asked, mut rest) = (false, text.trim());
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (name, mut value, mut after) = (&rest[..end], "", &rest[end..]);
        if let Some(quoted) = after.strip_prefix("='") {
            (value, after) = quoted.split_once('\'').expect("a quoted value");
        }
        rest = after.trim_start();
        match name {
            "x" => asked = true,
            "live" => tree.nodes[at].live = Some(value.to_owned()),
            "chosen" => tree.nodes[at].selected = true,
            "before" => drop(tree.pseudo(at, "before", "normal", value)),
            "after" => drop(tree.pseudo(at, "after", "normal", value)),
            _ => tree.nodes[at].attributes.push((name.to_owned(), value.to_owned())),
        }
        tree.nodes[at].hidden |= name == "hidden";
    }
    asked
}

fn place(tree: &TestTree, wanted: usize) -> Node {
    let index = tree.preorder().iter().position(|(node, _)| *node == wanted).expect("it is there") as u32;
    Node::numbered(0, index)
}

fn said(html: &str) -> (&'static str, String) {
    let (tree, asked) = page(html);
    let (role, name) = accessible(&tree.snapshot(), place(&tree, asked));
    (role.name(), name)
}

const ROLES: &[(&str, &str)] = &[
    ("<div x role='Button'>Go A</div>", "button"),
    ("<div x role='xyz command button'></div>", "button"),
    ("<div x role='widget'></div>", "generic"),
    ("<div x role='image'></div>", "img"),
    ("<div x role='directory'></div>", "list"),
    ("<h2 x role='none'></h2>", "none"),
    ("<h2 x role='none' aria-label=''></h2>", "heading"),
    ("<h2 x role='none' tabindex='-1'></h2>", "heading"),
    ("<h2 x role='none' tabindex='q'></h2>", "none"),
    ("<h2 x role='presentation' aria-haspopup='true'></h2>", "none"),
    ("<button x role='none'></button>", "button"),
    ("<button x role='none' disabled></button>", "none"),
    ("<div x role='form button'></div>", "button"),
    ("<div x role='form' aria-label='a'></div>", "form"),
    ("<section x></section>", "generic"),
    ("<section x title='a'></section>", "region"),
    ("<section x aria-labelledby='nobody'></section>", "generic"),
    ("<article><header x></header></article>", "sectionheader"),
    ("<main role='none'><header x></header></main>", "banner"),
    ("<div role='article'><footer x></footer></div>", "sectionfooter"),
    ("<section><aside x></aside></section>", "generic"),
    ("<section><aside x aria-label='a'></aside></section>", "complementary"),
    ("<main><aside x></aside></main>", "complementary"),
    ("<a x></a>", "generic"),
    ("<a x href='#'></a>", "link"),
    ("<img x>", "img"),
    ("<img x alt=''>", "none"),
    ("<img x alt='' title='t'>", "img"),
    ("<input x type='file'>", "button"),
    ("<input x type='image'>", "button"),
    ("<input x list='none'>", "textbox"),
    ("<datalist id='l'></datalist><input x list='l'>", "combobox"),
    ("<input x type='number'>", "spinbutton"),
    ("<input x type='password'>", "textbox"),
    ("<select x></select>", "combobox"),
    ("<select x size='2'></select>", "listbox"),
    ("<select x multiple></select>", "listbox"),
    ("<ul role='menu'><li x></li></ul>", "none"),
    ("<ul><li x></li></ul>", "listitem"),
    ("<div x role='listitem'></div>", "listitem"),
    ("<div role='list'><div x role='listitem'></div></div>", "listitem"),
    ("<div x role='option'></div>", "option"),
    ("<div role='listbox'><div role='group'><div x role='option'></div></div></div>", "option"),
    ("<table><tr><th x></th><td>1</td></tr></table>", "rowheader"),
    ("<table><tr><th x></th><th></th></tr></table>", "columnheader"),
    ("<table><tr><th x scope='row'></th><th></th></tr></table>", "rowheader"),
    ("<table role='grid'><tr><td x></td></tr></table>", "gridcell"),
    ("<table role='none'><tr><td x></td></tr></table>", "generic"),
    ("<table><tr role='none'><td x></td></tr></table>", "generic"),
    ("<details><summary x></summary></details>", "button"),
    ("<details><summary></summary><summary x></summary></details>", "generic"),
    ("<summary x></summary>", "generic"),
    ("<div x contenteditable></div>", "textbox"),
    ("<h2 x contenteditable></h2>", "heading"),
    ("<svg x></svg>", "img"),
    ("<svg x><title>t</title></svg>", "img"),
    ("<svg><g x><title>t</title></g></svg>", "group"),
    ("<iframe x role='none'></iframe>", "iframe"),
    ("<output x></output>", "status"),
];

#[test]
fn each_element_has_its_role() {
    for (html, role) in ROLES {
        assert_eq!(said(html).0, *role, "{html}");
    }
}

const NAMES: &[(&str, &str)] = &[
    ("<div x role='Button'>Go A</div>", "Go A"),
    ("<button x>a<b>b</b><i> c</i></button>", "ab c"),
    ("<button x><p>a</p><p>b</p></button>", "a b"),
    ("<button x>a<br>b</button>", "a b"),
    ("<button x before='B' after='A'>text</button>", "BtextA"),
    ("<button x>a<span hidden>b</span>c</button>", "ac"),
    ("<button x>a<span aria-hidden='TRUE'>b</span>c</button>", "ac"),
    ("<button x>a<span aria-label='L'>b</span>c</button>", "a L c"),
    ("<button x aria-label=' ' title='t'></button>", "t"),
    ("<a x href='#'><table><tr><td>a</td><td>b</td></tr></table></a>", "a b"),
    ("<h2 x><address>a</address><article>b</article></h2>", "a"),
    ("<button x title='t'>text</button>", "text"),
    ("<button x><img alt='i'></button>", "i"),
    ("<button x><img title='t'></button>", "t"),
    ("<button x><img alt='' title='t'></button>", ""),
    ("<button x><i title='t'></i></button>", ""),
    ("<button x><abbr title='t'></abbr></button>", "t"),
    ("<button x><i title='t'></i>word</button>", "word"),
    ("<button x><svg><title>s</title></svg></button>", "s"),
    ("<a x href='#'><svg><g><title>s</title></g></svg></a>", "s"),
    ("<svg x><title>a b</title></svg>", "a b"),
    ("<div x>text</div>", ""),
    ("<div x title='t'>text</div>", ""),
    ("<div x tabindex='0' title='t'>text</div>", "t"),
    ("<div x aria-label='l'>text</div>", "l"),
    ("<abbr x title='long'>l</abbr>", "long"),
    ("<span id='r'>R</span><button x aria-labelledby='r'>b</button>", "R"),
    ("<span id='r' hidden>R <b hidden>deep</b></span><button x aria-labelledby='r'>b</button>", "R deep"),
    ("<span id='r'>R <b hidden>deep</b></span><button x aria-labelledby='r'>b</button>", "R"),
    ("<span id='r' aria-labelledby='s'>R</span><i id='s'>S</i><button x aria-labelledby='r'>b</button>", "R"),
    ("<button x id='s' aria-labelledby='s r' aria-label='own'>b</button><i id='r'>R</i>", "own R"),
    ("<button x id='a' aria-labelledby='b'>A</button><button id='b' aria-labelledby='a'>B</button>", "B"),
    ("<button x aria-labelledby='nobody'>b</button>", "b"),
    ("<label for='i'>L</label><label>M<input x id='i'></label>", "L M"),
    ("<label>a<label> b<input x></label></label>", "a b"),
    ("<label><input><input x></label>", ""),
    ("<button x>a<img alt=''>b</button>", "ab"),
    ("<button x>a<i role='slider' aria-valuenow='700' aria-valuemax='10'></i></button>", "a 10"),
    ("<label for='i' hidden>L</label><input x id='i' title='t'>", "t"),
    ("<input x placeholder='p' title='t'>", "t"),
    ("<input x placeholder='p'>", "p"),
    ("<input x type='date' placeholder='p'>", ""),
    ("<div x role='textbox' aria-placeholder='p'>held</div>", "p"),
    ("<label><input x type='checkbox'>Flash <input live='3'> times</label>", "Flash 3 times"),
    ("<label><input x type='checkbox'>a<input type='password' live='secret'>b</label>", "a b"),
    ("<label><input x type='checkbox'>a<select><option>o</option><option chosen>p</option></select>b</label>", "a p b"),
    ("<label><input x type='checkbox'>a<input type='range' live='.5'>b</label>", "a 0.5 b"),
    (
        "<label><input x type='checkbox'>a<i role='slider' aria-valuenow='1' aria-valuetext='one'></i>b</label>",
        "a one b",
    ),
    ("<label><input x type='checkbox'>a<i role='slider'></i>b</label>", "a 50 b"),
    (
        "<label><input x type='checkbox'>a<i role='listbox'><i role='option' aria-selected='true'>p</i></i>b</label>",
        "a p b",
    ),
    ("<label><input x type='checkbox'>a<input placeholder='p'>b</label>", "a p b"),
    ("<label><input x type='checkbox'>a<table><tr><th>h</th></tr></table>b</label>", "a b"),
    ("<input x type='submit'>", "Submit"),
    ("<input x type='reset'>", "Reset"),
    ("<input x type='submit' value='Go' live='Go'>", "Go"),
    ("<input x type='image' alt='i'>", "i"),
    ("<input x type='image'>", "Submit"),
    ("<input x type='file'>", "Choose File"),
    ("<input x type='file' title='t'>", "Choose File"),
    ("<table x><caption>cap</caption></table>", "cap"),
    ("<fieldset x><legend>leg</legend></fieldset>", "leg"),
    ("<optgroup x label='l'></optgroup>", "l"),
    ("<iframe x title='t'></iframe>", "t"),
    ("<div x role='row'>cells</div>", ""),
    ("<div role='grid'><div x role='row'><i role='gridcell'>a</i> <i role='gridcell'>b</i></div></div>", "a b"),
    ("<div x role='button' aria-owns='o'>a</div><p><i id='o'>b</i></p>", "a b"),
    ("<div x id='p' role='heading' aria-owns='q'>P</div><div id='q' aria-owns='p'>Q</div>", "P Q"),
    ("<button x>\u{a0}a\u{a0}b\u{a0}</button>", "a\u{a0}b"),
];

#[test]
fn each_element_has_its_name() {
    for (html, name) in NAMES {
        assert_eq!(said(html).1, *name, "{html}");
    }
}

#[test]
fn selectors_say_role_and_name_as_they_are() {
    let (tree, asked) = page("<div x role='Button'>Go <b>A</b></div><div role='button'>Go B</div>");
    let found = selectors(&tree.snapshot(), place(&tree, asked));
    let snapshot = tree.snapshot();
    let said: Vec<_> =
        (0..snapshot.len() as u32).map(|index| accessible(&snapshot, Node::numbered(0, index))).collect();
    assert!(found.iter().any(|form| form.selector == r#"role=button[name="Go A"]"#), "{found:?} {said:?}");
}

#[test]
fn every_word_for_a_role_names_one() {
    for role in Role::all().filter(|role| *role != Role::Iframe) {
        assert_eq!(Role::of_word(role.name()), Some(role));
        assert_eq!(Role::of_word(&role.name().to_uppercase()), Some(role));
    }
    assert_eq!(Role::of_word("roletype"), None);
    assert_eq!(Role::of_word(&"x".repeat(1 << 20)), None);
}

// -- pages made to take long ---------------------------------------------------------------------------------------

fn all_names(snapshot: &Snapshot) -> usize {
    words_of(snapshot, DocumentIndex::FIRST);
    let nodes = (0..snapshot.len() as u32).map(|index| Node::numbered(0, index));
    nodes.map(|node| accessible(snapshot, node).1.len()).sum()
}

#[test]
fn nested_labels_take_no_longer_than_others() {
    let mut tree = TestTree::new();
    let mut at = TestTree::BODY;
    for _ in 0..10_000 {
        at = tree.element(at, "LABEL", &[]);
        tree.text(at, "word");
        tree.element(at, "INPUT", &[]);
    }
    cpu::within(20, || assert!(all_names(&tree.snapshot()) > 0));
}

#[test]
fn nested_buttons_take_no_longer_than_others() {
    let mut tree = TestTree::new();
    let mut at = TestTree::BODY;
    for _ in 0..5_000 {
        at = tree.element(at, "DIV", &[("role", "button")]);
        tree.text(at, "word");
    }
    cpu::within(20, || assert!(all_names(&tree.snapshot()) > 0));
}

#[test]
fn long_attributes_are_read_in_part() {
    let mut tree = TestTree::new();
    let roles = "nothing ".repeat(1 << 17);
    let name = "name ".repeat(1 << 18);
    let ids = "i ".repeat(1 << 19);
    for _ in 0..500 {
        let holder = tree.element(TestTree::BODY, "DIV", &[("role", &roles), ("aria-owns", &ids)]);
        tree.element(holder, "BUTTON", &[("aria-label", &name)]);
        tree.element(holder, "BUTTON", &[("aria-labelledby", &ids)]);
    }
    let long = tree.element(TestTree::BODY, "BUTTON", &[]);
    tree.text(long, &name);
    cpu::within(20, || assert!(all_names(&tree.snapshot()) > 0));
}

#[test]
fn circles_end() {
    let mut tree = TestTree::new();
    for at in 0..2_000usize {
        let (id, next) = (format!("e{at}"), format!("e{}", (at + 1) % 2_000));
        let attributes = [("role", "button"), ("id", &id), ("aria-labelledby", &next), ("aria-owns", &next)];
        let button = tree.element(TestTree::BODY, "DIV", &attributes);
        tree.text(button, "word");
    }
    cpu::within(20, || assert!(all_names(&tree.snapshot()) > 0));
}
