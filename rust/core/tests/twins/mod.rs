//! Slow and obvious twins that several tests compare with.
#![allow(dead_code)]

use std::collections::HashMap;

use stillframe_core::testing::script::{Edit, Script, Tree};

/// Edits that only replace a node by one with the same content, counted by content.
pub fn same_content_reborn(script: &Script) -> usize {
    let mut deleted: HashMap<String, usize> = HashMap::new();
    for edit in &script.edits {
        if let Edit::Delete { record, .. } = edit {
            *deleted.entry(format!("{record:?}")).or_default() += 1;
        }
    }
    let mut reborn = 0;
    for edit in &script.edits {
        if let Edit::Insert { record, .. } = edit
            && let Some(count @ 1..) = deleted.get_mut(&format!("{record:?}"))
        {
            *count -= 1;
            reborn += 2;
        }
    }
    reborn
}

/// Zhang and Shasha's tree edit distance with unit costs, straight from the paper.
#[allow(clippy::needless_range_loop)] // The indexes are the paper's.
pub fn zhang_shasha(one: &Tree, two: &Tree) -> usize {
    let (a, b) = (Postorder::new(one), Postorder::new(two));
    let (n, m) = (a.labels.len(), b.labels.len());
    let mut distance = vec![vec![0usize; m]; n];
    for &i in &a.keyroots {
        for &j in &b.keyroots {
            let (li, lj) = (a.leftmost[i], b.leftmost[j]);
            let mut forest = vec![vec![0usize; j - lj + 2]; i - li + 2];
            for x in 1..forest.len() {
                forest[x][0] = x;
            }
            for y in 1..forest[0].len() {
                forest[0][y] = y;
            }
            for x in li..=i {
                for y in lj..=j {
                    let (r, c) = (x - li + 1, y - lj + 1);
                    let cheapest = (forest[r - 1][c] + 1).min(forest[r][c - 1] + 1);
                    if a.leftmost[x] == li && b.leftmost[y] == lj {
                        let relabel = usize::from(a.labels[x] != b.labels[y]);
                        forest[r][c] = cheapest.min(forest[r - 1][c - 1] + relabel);
                        distance[x][y] = forest[r][c];
                    } else {
                        let (p, q) = (a.leftmost[x] - li, b.leftmost[y] - lj);
                        forest[r][c] = cheapest.min(forest[p][q] + distance[x][y]);
                    }
                }
            }
        }
    }
    distance[n - 1][m - 1]
}

struct Postorder {
    labels: Vec<String>,
    leftmost: Vec<usize>,
    keyroots: Vec<usize>,
}

impl Postorder {
    fn new(tree: &Tree) -> Self {
        let (mut labels, mut leftmost) = (Vec::new(), Vec::new());
        visit(tree, tree.root, &mut labels, &mut leftmost);
        let keyroots = (0..labels.len()).filter(|&at| !leftmost[at + 1..].contains(&leftmost[at])).collect();
        Self { labels, leftmost, keyroots }
    }
}

fn visit(tree: &Tree, node: u32, labels: &mut Vec<String>, leftmost: &mut Vec<usize>) -> usize {
    let (record, children) = &tree.nodes[&node];
    let mut first = None;
    for &child in children {
        let start = visit(tree, child, labels, leftmost);
        first.get_or_insert(start);
    }
    labels.push(format!("{record:?}"));
    let start = first.unwrap_or(labels.len() - 1);
    leftmost.push(start);
    start
}
