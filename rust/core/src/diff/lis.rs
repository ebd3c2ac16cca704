//! The longest increasing subsequence: the items that can stay in place when a list is reordered.

/// Which positions of `values` (all different) belong to one longest increasing subsequence. O(n log n).
pub fn keep<T: Copy + Ord>(values: &[T]) -> Vec<bool> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; values.len()];
    for (at, &value) in values.iter().enumerate() {
        // Lists are mostly in order already.
        let place = match tails.last() {
            Some(&last) if values[last] < value => tails.len(),
            _ => tails.partition_point(|&tail| values[tail] < value),
        };
        if place > 0 {
            before[at] = tails[place - 1];
        }
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut kept = vec![false; values.len()];
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        kept[at] = true;
        at = before[at];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest_by_trying(values: &[u32]) -> usize {
        let mut best = vec![1usize; values.len()];
        for at in 0..values.len() {
            for earlier in 0..at {
                if values[earlier] < values[at] {
                    best[at] = best[at].max(best[earlier] + 1);
                }
            }
        }
        best.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn keeps_a_longest_increasing_subsequence() {
        for values in [vec![], vec![3], vec![1, 2, 3], vec![3, 2, 1], vec![2, 0, 1, 4, 3], vec![5, 1, 6, 2, 7, 3]] {
            let kept: Vec<u32> =
                values.iter().zip(keep(&values)).filter(|(_, kept)| *kept).map(|(value, _)| *value).collect();
            assert!(kept.is_sorted());
            assert_eq!(kept.len(), longest_by_trying(&values));
        }
    }
}
