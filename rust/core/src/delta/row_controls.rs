//! What can be acted on in the element of a row.

use crate::outline::control::Control;

/// The controls of one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Controls {
    /// The element of the row, if it can be acted on itself.
    pub own: Option<Control>,
    /// Those in it.
    pub shown: Vec<Control>,
    /// How many more there are.
    pub omitted: usize,
}

/// How to reach each of the like elements that a row stands for, as a selector of all of them and the place of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Each {
    pub selector: String,
    pub first: usize,
}
