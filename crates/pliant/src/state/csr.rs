//! Compressed rows: for each item of one kind a sorted list of items of another.

/// Rows of indices. Row `i` is `items[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// One more than there are rows; ascending, from 0 to `items.len()`.
    pub offsets: Vec<u32>,
    /// The rows, one after the other.
    pub items: Vec<u32>,
}

impl Default for Csr {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            items: Vec::new(),
        }
    }
}

impl Csr {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Adds a row behind the last one.
    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.items.extend(row);
        self.offsets.push(self.items.len() as u32);
    }

    /// The rows, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + DoubleEndedIterator + Clone {
        self.offsets
            .windows(2)
            .map(|w| &self.items[w[0] as usize..w[1] as usize])
    }

    /// Rows from (row, item) pairs that come in ascending order of items: a counting sort, so each row is ascending too.
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            offsets[row as usize + 1] += 1;
        }
        for i in 0..rows {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[rows] as usize];
        for (row, item) in pairs {
            let at = &mut next[row as usize];
            items[*at as usize] = item;
            *at += 1;
        }
        Self { offsets, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows come out sorted, complete and in both directions consistent.
    #[test]
    fn rows_from_pairs() {
        let pairs = [(2, 0), (0, 0), (2, 1), (0, 3), (2, 7)];
        let csr = Csr::from_pairs(3, pairs.into_iter());
        assert_eq!(csr.row(0), [0, 3]);
        assert_eq!(csr.row(1), [0u32; 0]);
        assert_eq!(csr.row(2), [0, 1, 7]);
        let mut pushed = Csr::default();
        csr.iter().for_each(|row| pushed.push(row.iter().copied()));
        assert_eq!(pushed, csr);
    }
}
