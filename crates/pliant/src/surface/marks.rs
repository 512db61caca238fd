//! Values attached to few of many elements, forgotten all at once.

/// One value a slot, valid only since the last [`Marks::reset`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    stamp: u32,
    stamps: Vec<u32>,
    values: Vec<u32>,
}

impl Marks {
    /// Forgets all values; there are `len` slots now.
    pub(crate) fn reset(&mut self, len: usize) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
        self.grow(len);
    }

    /// Makes room without forgetting.
    pub(crate) fn grow(&mut self, len: usize) {
        if self.stamps.len() < len {
            self.stamps.resize(len, 0);
            self.values.resize(len, 0);
        }
    }

    #[inline]
    pub(crate) fn get(&self, i: u32) -> Option<u32> {
        let i = i as usize;
        (*self.stamps.get(i)? == self.stamp).then(|| self.values[i])
    }

    #[inline]
    pub(crate) fn has(&self, i: u32) -> bool {
        self.stamps.get(i as usize) == Some(&self.stamp)
    }

    /// Sets the value and returns whether there was none before.
    #[inline]
    pub(crate) fn set(&mut self, i: u32, value: u32) -> bool {
        let new = !self.has(i);
        self.stamps[i as usize] = self.stamp;
        self.values[i as usize] = value;
        new
    }

    #[inline]
    pub(crate) fn clear(&mut self, i: u32) {
        if let Some(stamp) = self.stamps.get_mut(i as usize) {
            *stamp = self.stamp.wrapping_sub(1);
        }
    }
}

impl Marks {
    /// Sets the value if there is none yet; returns whether it did.
    #[inline]
    pub(crate) fn set_new(&mut self, i: u32, value: u32) -> bool {
        let new = !self.has(i);
        if new {
            self.set(i, value);
        }
        new
    }
}
