//! Work over fixed ranges of columns, in parallel, with the same result for any number of threads.
//!
//! The ranges are chosen by the data alone, each range is done by one thread from its first to its last item, and ranges
//! write to disjoint parts of the columns. So the number of threads decides only who does the work.

use std::ops::Range;

/// Items in a block of a reduction or a per-point stage.
pub(crate) const BLOCK: usize = 1024;

/// One or several mutable columns that are cut at the same place.
pub(crate) trait Columns: Send + Sized {
    /// The first `n` items of every column, and the rest; these are `ranges` ranges.
    fn cut(self, n: usize, ranges: usize) -> (Self, Self);
}

impl<T: Send> Columns for &mut [T] {
    fn cut(self, n: usize, _: usize) -> (Self, Self) {
        self.split_at_mut(n)
    }
}

/// A column with one entry a range instead of one an item.
pub(crate) struct PerRange<'a, T>(pub(crate) &'a mut [T]);

impl<T: Send> Columns for PerRange<'_, T> {
    fn cut(self, _: usize, ranges: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at_mut(ranges);
        (Self(a), Self(b))
    }
}

macro_rules! tuple_columns {
    ($($name:ident)+) => {
        impl<$($name: Columns),+> Columns for ($($name,)+) {
            #[allow(non_snake_case, reason = "type names double as variable names")]
            fn cut(self, n: usize, ranges: usize) -> (Self, Self) {
                let ($($name,)+) = self;
                $(let $name = $name.cut(n, ranges);)+
                (($($name.0,)+), ($($name.1,)+))
            }
        }
    };
}
tuple_columns!(A B);
tuple_columns!(A B C);
tuple_columns!(A B C D);
tuple_columns!(A B C D E);
tuple_columns!(A B C D E F);

/// Calls `f(number of the range, range, its part of the columns)` for every range.
///
/// `ranges` must be ascending and contiguous, and the columns must begin at the first range's start.
pub(crate) fn for_each_range<C: Columns>(
    ranges: &[Range<usize>],
    columns: C,
    f: &(impl Fn(usize, Range<usize>, C) + Sync),
) {
    recurse(ranges, 0, columns, f);
}

fn recurse<C: Columns>(
    ranges: &[Range<usize>],
    first: usize,
    columns: C,
    f: &(impl Fn(usize, Range<usize>, C) + Sync),
) {
    match ranges {
        [] => {}
        [one] => f(first, one.clone(), columns),
        _ => {
            let half = ranges.len() / 2;
            let (left, right) = ranges.split_at(half);
            let (a, b) = columns.cut(right[0].start - left[0].start, half);
            rayon::join(
                || recurse(left, first, a, f),
                || recurse(right, first + half, b, f),
            );
        }
    }
}

/// `0..len` in blocks of [`BLOCK`], shifted by `start`.
pub(crate) fn blocks(start: usize, len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len.div_ceil(BLOCK)).map(move |b| start + b * BLOCK..start + ((b + 1) * BLOCK).min(len))
}

/// Sums `f` over `0..len`: every block of [`BLOCK`] items from left to right, then the blocks from left to right.
pub(crate) fn sum<T>(len: usize, zero: T, f: impl Fn(usize) -> T + Sync) -> T
where
    T: Copy + Send + Sync + std::ops::Add<Output = T>,
{
    use rayon::prelude::*;
    let partial: Vec<T> = (0..len.div_ceil(BLOCK))
        .into_par_iter()
        .map(|b| (b * BLOCK..((b + 1) * BLOCK).min(len)).fold(zero, |s, i| s + f(i)))
        .collect();
    partial.into_iter().fold(zero, |s, p| s + p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every range gets its own part of every column.
    #[test]
    fn ranges_see_their_own_items() {
        let ranges: Vec<_> = blocks(0, 5000).collect();
        let mut a = vec![0usize; 5000];
        let mut b = vec![0usize; 5000];
        for_each_range(&ranges, (&mut a[..], &mut b[..]), &|k, range, (a, b)| {
            for (l, i) in range.enumerate() {
                a[l] = i;
                b[l] = k;
            }
        });
        assert!(a.iter().enumerate().all(|(i, &v)| v == i));
        assert!(b.iter().enumerate().all(|(i, &k)| k == i / BLOCK));
    }

    /// A sum of floats has the same bits in pools of one and three threads.
    #[test]
    fn sums_do_not_depend_on_threads() {
        let values: Vec<f32> = (0..10_000).map(|i| 1.0 / (1.0 + i as f32)).collect();
        let in_pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| sum(values.len(), 0.0, |i| values[i]).to_bits())
        };
        assert_eq!(in_pool(1), in_pool(3));
    }
}
