//! What random pages are made of: texts and attributes, those among them that the core takes for noise or for state.

pub const TEXTS: [&str; 11] =
    ["a", "b", "ab", " ", "\n", "héllo \u{1f600}", "a  b", "x\ty", "Save", "12 views", "a longer text that says more"];

pub const ATTRIBUTES: [(&str, &str); 17] = [
    ("class", "x y"),
    ("class", "y"),
    ("id", "one"),
    ("id", "two"),
    ("href", "/a"),
    ("aria-label", "L"),
    ("data-testid", "t"),
    ("name", "n"),
    ("role", "alert"),
    ("disabled", ""),
    ("style", "color:red"),
    ("hidden", ""),
    ("class", "y x"),
    ("class", "css-1a2b3c"),
    ("src", "/i.png"),
    ("type", "text"),
    ("nonce", "12"),
];
