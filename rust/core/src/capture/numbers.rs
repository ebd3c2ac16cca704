//! Arrays of integers, read at two places at once, because they are most of a capture.
//!
//! Where a number begins is only known once the one before it has been read, and that chain, not the arithmetic, is what
//! takes the time. So the array is cut in two at a comma, and a step of the loop reads one number of each half.
//! Eight bytes are looked at together (simdjson, jiter). Whatever is unusual (spaces, eight digits or more, fractions,
//! the last bytes of a message) ends in `None`, and the array is read again one number at a time.

use memchr::{memchr, memchr_iter};

/// Arrays of fewer bytes are not worth cutting in two.
const SHORT: usize = 64;

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// `-1,` as it stands in a word from which `ZEROS` were taken.
const MINUS_ONE: u64 = u64::from_le_bytes(*b"-1,\0\0\0\0\0") ^ (ZEROS & 0xff_ffff);

/// The integers of the array that opened just before `start`, and where its bracket is passed; -1 becomes `u32::MAX`.
///
/// Every number has at most seven digits, and the only one below nought is -1.
pub fn read_array(bytes: &[u8], start: usize) -> Option<(Vec<u32>, usize)> {
    let end = start + memchr(b']', bytes.get(start..)?)?;
    // Eight bytes are read at a time, at most seven of them beyond the array.
    if end + 8 > bytes.len() || end - start < SHORT {
        return None;
    }
    let lanes = lanes(bytes, start, end)?;
    let mut out = vec![0; lanes[0].count + lanes[1].count + 1];
    let passed = read_lanes(bytes, lanes, &mut out)?;
    // The last number has a bracket behind it instead of a comma.
    let (last, digits) = final_number(&bytes[..end])?;
    if passed != end - digits {
        return None;
    }
    *out.last_mut()? = last;
    Some((out, end + 1))
}

/// A piece of the array: where it begins, and how many numbers with a comma it has.
#[derive(Clone, Copy)]
struct Lane {
    at: usize,
    count: usize,
}

fn lanes(bytes: &[u8], start: usize, end: usize) -> Option<[Lane; 2]> {
    let middle = start + (end - start) / 2;
    let middle = middle + memchr(b',', &bytes[middle..end])? + 1;
    let lane = |at: usize, end: usize| Lane { at, count: memchr_iter(b',', &bytes[at..end]).count() };
    Some([lane(start, middle), lane(middle, end)])
}

/// Fill `out` but for its last place; returns where the second lane ended.
fn read_lanes(bytes: &[u8], lanes: [Lane; 2], out: &mut [u32]) -> Option<usize> {
    let [mut one, mut two] = lanes;
    let end_of_one = two.at;
    let (left, right) = out.split_at_mut_checked(one.count)?;
    let (right, _) = right.split_at_mut_checked(two.count)?;
    let common = one.count.min(two.count);
    let (left, left_rest) = left.split_at_mut_checked(common)?;
    let (right, right_rest) = right.split_at_mut_checked(common)?;
    let mut wrong = 0;
    for (first, second) in left.iter_mut().zip(right) {
        *first = number(bytes, &mut one.at, &mut wrong)?;
        *second = number(bytes, &mut two.at, &mut wrong)?;
    }
    for slot in left_rest {
        *slot = number(bytes, &mut one.at, &mut wrong)?;
    }
    for slot in right_rest {
        *slot = number(bytes, &mut two.at, &mut wrong)?;
    }
    (wrong & 0x8080_8080_8080_8080 == 0 && one.at == end_of_one).then_some(two.at)
}

/// The number at `at`, which is moved beyond its comma; `wrong` gets a high bit if any byte was not a digit.
#[inline(always)]
fn number(bytes: &[u8], at: &mut usize, wrong: &mut u64) -> Option<u32> {
    let word = u64::from_le_bytes(*bytes.get(*at..)?.first_chunk::<8>()?) ^ ZEROS;
    if word & 0xff_ffff == MINUS_ONE {
        *at += 3;
        return Some(u32::MAX);
    }
    // A comma has this bit and no digit has it.
    let stops = word & 0x1010_1010_1010_1010;
    if stops == 0 {
        return None;
    }
    let bits = stops.trailing_zeros() & 0x38;
    // That what ends a number is a comma shows in the end: a lane with other stops passes fewer commas than it has.
    *at += (bits / 8) as usize + 1;
    // Without digits the shift does nothing, and the stop itself is wrong.
    let digits = word.wrapping_shl(64 - bits);
    *wrong |= digits.wrapping_add(0x7676_7676_7676_7676) | digits;
    let pairs = digits.wrapping_mul(2561) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(6_553_601) >> 16 & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(42_949_672_960_001) >> 32) as u32)
}

/// The number that `bytes` end with, and how many bytes it takes.
fn final_number(bytes: &[u8]) -> Option<(u32, usize)> {
    let from = bytes.len() - bytes.iter().rev().take(8).position(|&byte| byte == b',')?;
    let value = match &bytes[from..] {
        b"-1" => u32::MAX,
        [] => return None,
        digits => digits
            .iter()
            .try_fold(0, |value, digit| digit.is_ascii_digit().then(|| value * 10 + u32::from(digit - b'0')))?,
    };
    Some((value, bytes.len() - from))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `read_array` says of `body` and a bracket, with enough behind it to be read.
    fn read(body: &str) -> Option<Vec<u32>> {
        let text = format!("[{body}],\"next\":[1,2,3,4,5]");
        let (found, end) = read_array(text.as_bytes(), 1)?;
        assert_eq!(end, body.len() + 2);
        Some(found)
    }

    fn many(mut values: Vec<i64>, at: usize, value: i64) -> String {
        values[at] = value;
        values.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn numbers_of_every_length_at_every_place() {
        for value in [0i64, 7, 10, 99, 123, 4567, 89_012, 345_678, 9_012_345, -1] {
            for at in 0..60 {
                let body = many((0..60).collect(), at, value);
                let expected: Vec<u32> = body.split(',').map(|one| one.parse::<i64>().expect("it is") as u32).collect();
                assert_eq!(read(&body), Some(expected), "{body}");
            }
        }
    }

    #[test]
    fn whatever_is_unusual_is_left_to_others() {
        let good = many((100..160).collect(), 0, 5);
        assert!(read(&good).is_some());
        for at in 0..good.len() {
            for odd in ["x", " ", "-", ".", "e", "+", "\"", "[", ",,", ":", "/", "\0", "\u{7f}", "é"] {
                let body = format!("{}{odd}{}", &good[..at], &good[at..]);
                assert_eq!(read(&body), None, "{body}");
            }
        }
        for value in [12_345_678, -2, -10, 4_294_967_296] {
            for at in [0, 20, 30, 59] {
                assert_eq!(read(&many((100..160).collect(), at, value)), None, "{value} at {at}");
            }
        }
    }

    #[test]
    fn the_end_of_the_bytes_is_never_passed() {
        let text = format!("[{}]", many((0..60).collect(), 3, -1));
        for end in 0..text.len() {
            assert_eq!(read_array(&text.as_bytes()[..end], 1), None);
        }
    }
}
