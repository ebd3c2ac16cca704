//! The common subsequence of two sequences: Myers' algorithm while the difference is small, otherwise by key.

use std::collections::HashMap;

/// Differences that are followed; more are matched by key.
const DIFFERENCES: usize = 64;

/// Steps per element that Myers' algorithm may take: lists of few letters have long ways in common.
const SNAKES: usize = 8;

/// Pairs of positions with equal keys, ascending on both sides. `steps` grows by the work done, O(length).
///
/// A longest common subsequence if the sequences differ in few places; else the k-th occurrence of a key on one
/// side goes with the k-th on the other, and pairs may cross.
pub fn common(one: &[u64], two: &[u64], steps: &mut usize) -> Vec<(usize, usize)> {
    let start = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let rest = one.len().min(two.len()) - start;
    let end = one.iter().rev().zip(two.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    *steps += start + end + 1;
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    let (a, b) = (&one[start..one.len() - end], &two[start..two.len() - end]);
    if !a.is_empty() && !b.is_empty() {
        let inner = myers(a, b, steps).unwrap_or_else(|| by_key(a, b, steps));
        pairs.extend(inner.into_iter().map(|(x, y)| (x + start, y + start)));
    }
    pairs.extend((0..end).rev().map(|at| (one.len() - 1 - at, two.len() - 1 - at)));
    pairs
}

/// Myers' greedy algorithm; None if the sequences differ in too many places.
fn myers(a: &[u64], b: &[u64], steps: &mut usize) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let most = DIFFERENCES.min(a.len() + b.len());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let width = 2 * most + 3;
    let middle = most as isize + 1;
    let mut furthest = vec![0isize; width];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    let allowed = *steps + SNAKES * (a.len() + b.len());
    for d in 0..=most as isize {
        if *steps > allowed {
            return None;
        }
        trace.push(furthest[(middle - d - 1) as usize..=(middle + d + 1) as usize].to_vec());
        for k in (-d..=d).step_by(2) {
            let at = (k + middle) as usize;
            let down = k == -d || (k != d && furthest[at - 1] < furthest[at + 1]);
            let mut x = if down { furthest[at + 1] } else { furthest[at - 1] + 1 };
            let mut y = x - k;
            *steps += 1;
            while x < n && y < m && y >= 0 && a[x as usize] == b[y as usize] {
                (x, y) = (x + 1, y + 1);
                *steps += 1;
            }
            furthest[at] = x;
            if x >= n && y >= m {
                return Some(back(&trace, n, m));
            }
        }
    }
    None
}

/// Follow the trace back to the pairs on the diagonals.
fn back(trace: &[Vec<isize>], n: isize, m: isize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (n, m);
    for (d, furthest) in trace.iter().enumerate().rev() {
        let d = d as isize;
        let k = x - y;
        let at = |k: isize| furthest[(k + d + 1) as usize];
        let down = k == -d || (k != d && at(k - 1) < at(k + 1));
        let before = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) = if d == 0 { (0, 0) } else { (at(before), at(before) - before) };
        let (start_x, start_y) = match (d, down) {
            (0, _) => (0, 0),
            (_, true) => (from_x, from_y + 1),
            (_, false) => (from_x + 1, from_y),
        };
        while x > start_x && y > start_y {
            (x, y) = (x - 1, y - 1);
            pairs.push((x as usize, y as usize));
        }
        (x, y) = (from_x, from_y);
    }
    pairs.reverse();
    pairs
}

/// The k-th occurrence of a key with the k-th: in order of `b`.
fn by_key(a: &[u64], b: &[u64], steps: &mut usize) -> Vec<(usize, usize)> {
    *steps += a.len() + b.len();
    let mut waiting: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, &key) in a.iter().enumerate().rev() {
        waiting.entry(key).or_default().push(at);
    }
    let of = |(y, key): (usize, &u64)| waiting.get_mut(key).and_then(Vec::pop).map(|x| (x, y));
    b.iter().enumerate().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(a: &[u64], b: &[u64]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (x, one) in a.iter().enumerate() {
            for (y, two) in b.iter().enumerate() {
                table[x + 1][y + 1] = if one == two { table[x][y] + 1 } else { table[x][y + 1].max(table[x + 1][y]) };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn finds_a_longest_common_subsequence() {
        let mut seed = 7u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for round in 0..2_000 {
            let letters = 1 + round % 5;
            let mut list = |length: u64| -> Vec<u64> { (0..draw(length)).map(|_| draw(letters)).collect() };
            let (a, b) = (list(12), list(12));
            let pairs = common(&a, &b, &mut 0);
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1), "{a:?} {b:?} {pairs:?}");
            assert!(pairs.iter().all(|&(x, y)| a[x] == b[y]));
            assert_eq!(pairs.len(), longest(&a, &b), "{a:?} {b:?} {pairs:?}");
        }
    }

    #[test]
    fn a_long_difference_is_matched_by_key_in_linear_work() {
        let one: Vec<u64> = (0..100_000).collect();
        let two: Vec<u64> = (0..100_000).rev().collect();
        let mut steps = 0;
        assert_eq!(common(&one, &two, &mut steps).len(), 100_000);
        assert!(steps < 300_000, "{steps}");
    }
}
