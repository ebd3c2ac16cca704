//! One element that can be acted on, as a value.

use crate::capture::node::Node;

/// One element that can be acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    pub node: Node,
    /// The key of the part: with `backend_node_id` it names the node.
    pub frame: String,
    /// CDP's id of the frame whose document holds it.
    pub frame_id: String,
    pub backend_node_id: u32,
    pub role: &'static str,
    pub name: String,
    /// Its states, in the words of a line: `checked`, `level=2`.
    pub states: Vec<String>,
    /// What it holds; "" for nothing.
    pub value: String,
    /// The first options of a closed list.
    pub options: Vec<String>,
}
