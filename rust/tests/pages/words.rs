//! What random pages are made of: texts and attributes, those among them that the core takes for noise or for state.

pub const TEXTS: [&str; 11] =
    ["a", "b", "ab", " ", "\n", "héllo \u{1f600}", "a  b", "x\ty", "Save", "12 views", "a longer text that says more"];

pub const ATTRIBUTES: [(&str, &str); 17] = [
    ("class", "x y"),
    ("class", "y x"),
    ("class", "y"),
    ("class", "css-1a2b3c"),
    ("id", "one"),
    ("id", "two"),
    ("href", "/a"),
    ("src", "/i.png"),
    ("aria-label", "L"),
    ("data-testid", "t"),
    ("name", "n"),
    ("role", "alert"),
    ("type", "text"),
    ("disabled", ""),
    ("hidden", ""),
    ("nonce", "12"),
    ("style", "color:red"),
];
