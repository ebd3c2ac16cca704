//! What a change of an element's classes means to a user; most changes mean nothing.

use crate::digest::canonical::{is_state, looks_generated, token_set};

/// Words of classes that stand for a message to the user, in the names that Django, Rails, Bootstrap, Material UI, Ant
/// Design, Element Plus and jQuery's plugins give them.
const MESSAGE: [&str; 26] = [
    "alert",
    "callout",
    "danger",
    "error",
    "errorlist",
    "errormessage",
    "errornote",
    "errors",
    "feedback",
    "flash",
    "flashes",
    "growl",
    "invalid",
    "message",
    "messagelist",
    "messages",
    "notice",
    "notification",
    "notifications",
    "notify",
    "snackbar",
    "success",
    "toast",
    "toaster",
    "validation",
    "warning",
];

/// Words of classes that say that a value was refused or taken.
const VALIDITY: [&str; 8] = ["danger", "error", "errors", "invalid", "success", "unvalid", "valid", "warning"];

/// Words of classes that come and go with the pointer, the focus, an animation or the place in a list.
const FLEETING: [&str; 35] = [
    "animate",
    "animated",
    "animating",
    "animation",
    "appear",
    "dirty",
    "enter",
    "entered",
    "entering",
    "even",
    "exit",
    "exited",
    "exiting",
    "fade",
    "first",
    "focus",
    "focused",
    "focusvisible",
    "hover",
    "hovered",
    "last",
    "leave",
    "leaving",
    "mousedown",
    "moving",
    "odd",
    "pressed",
    "pristine",
    "pulsate",
    "ripple",
    "rippling",
    "touched",
    "transition",
    "untouched",
    "visited",
];

/// What a change of classes is worth telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Names that a tool made, or that come and go with the pointer: nothing.
    Nothing,
    /// Names that only style sheets of a library go by.
    Style,
    /// Something about the looks of the element, in a word of the page's own.
    Looks,
    /// Whether its value is right.
    Validity,
}

/// What it says that the classes `from` are now `to`.
pub fn telling(from: &str, to: &str) -> Telling {
    let (old, new) = (token_set(from.as_bytes()), token_set(to.as_bytes()));
    let gone = old.iter().filter(|token| new.binary_search(token).is_err());
    let come = new.iter().filter(|token| old.binary_search(token).is_err());
    let (mut looks, mut style) = (false, false);
    for token in gone.chain(come).take(TOKENS) {
        let token = std::str::from_utf8(token).unwrap_or("");
        let words = words(token);
        if words.iter().any(|word| VALIDITY.binary_search(&word.as_str()).is_ok()) {
            return Telling::Validity;
        }
        if !looks_generated(token) && !is_hash(token) && !is_fleeting(&words) {
            style = true;
            looks |= is_plain_word(token) || words.last().is_some_and(|word| is_state(word.as_bytes()));
        }
    }
    if looks {
        Telling::Looks
    } else if style {
        Telling::Style
    } else {
        Telling::Nothing
    }
}

/// Whether the classes are those of a message to the user.
pub fn is_of_message(classes: &str) -> bool {
    let tokens = classes.split_ascii_whitespace().take(TOKENS);
    tokens.flat_map(words).any(|word| MESSAGE.binary_search(&word.as_str()).is_ok())
}

/// Classes of an element that are looked at, and characters of each: a page may write a million.
pub const TOKENS: usize = 32;
const TOKEN: usize = 64;

/// `bold`, `is-open`: a word without the name of a component before it.
fn is_plain_word(token: &str) -> bool {
    let word = token.strip_prefix("is-").or_else(|| token.strip_prefix("has-")).unwrap_or(token);
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_fleeting(words: &[String]) -> bool {
    words.last().is_some_and(|word| FLEETING.binary_search(&word.as_str()).is_ok())
}

/// A short token without any word in it, as styled-components writes beside its `sc-` ones: `fkXyZa`.
fn is_hash(token: &str) -> bool {
    let cases = |piece: &str| {
        let inner = piece.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
        let vowels = piece.bytes().filter(|byte| b"aeiouAEIOU".contains(byte)).count();
        inner >= 2 && vowels * 4 <= piece.len()
    };
    (5..=8).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_alphanumeric()) && cases(token)
}

/// The words of a class in lower case: parted by anything but letters, and where a capital follows a small letter.
fn words(token: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in token.chars().take(TOKEN) {
        if !letter.is_ascii_alphabetic() || was_small && letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        was_small = letter.is_ascii_lowercase();
        if let (true, Some(word)) = (letter.is_ascii_alphabetic(), words.last_mut()) {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(MESSAGE.is_sorted() && VALIDITY.is_sorted() && FLEETING.is_sorted());
    }

    #[test]
    fn classes_say_something_of_the_looks_or_of_the_value_or_nothing() {
        let cases = [
            ("calm", "calm bold", Telling::Looks),
            ("input", "input error", Telling::Validity),
            ("form-control", "form-control is-invalid", Telling::Validity),
            ("MuiFormLabel-root", "MuiFormLabel-root Mui-error", Telling::Validity),
            ("css-1ab2c3d", "css-9zy8x7w", Telling::Nothing),
            ("sc-abc1 fkXqZb", "sc-abc1 kTqWvZ", Telling::Nothing),
            ("ng-pristine ng-untouched", "ng-dirty ng-touched", Telling::Nothing),
            ("btn", "btn ui-state-focus ui-state-hover", Telling::Nothing),
            ("tab", "tab selected", Telling::Looks),
            ("tab", "tab tab--open", Telling::Looks),
            ("MuiSelect-icon", "MuiSelect-icon MuiSelect-iconStandard", Telling::Style),
            ("row row-odd", "row row-even", Telling::Nothing),
        ];
        for (from, to, expected) in cases {
            assert_eq!(telling(from, to), expected, "{from} -> {to}");
        }
    }

    #[test]
    fn messages_are_known_by_their_classes() {
        for classes in
            ["errorlist", "MuiSnackbar-root", "invalid-feedback d-block", "ant-message", "el-form-item__error"]
        {
            assert!(is_of_message(classes), "{classes}");
        }
        for classes in ["messenger", "form-row", "terror", "btn btn-primary"] {
            assert!(!is_of_message(classes), "{classes}");
        }
    }
}
