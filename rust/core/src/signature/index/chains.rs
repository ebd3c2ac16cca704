//! Hash tables from 64-bit keys to all their slots, newest first, at 10 to 15 bytes per slot and table.
//!
//! They keep one byte of each key beside the slot, so that a walk seldom has to fetch a slot to learn that it has another
//! key; the caller that walks compares. Slots are numbered from 0 without gaps.

/// The end of a chain, or a slot and the lowest byte of its key: in single bytes, because there are millions.
#[derive(Clone, Copy, Default)]
pub struct Link {
    /// One more than the slot; 0 is the end.
    after_slot: [u8; 4],
    tag: u8,
}

impl Link {
    fn new(slot: u32, key: u64) -> Self {
        Self { after_slot: (slot + 1).to_le_bytes(), tag: key as u8 }
    }

    #[inline(always)]
    fn at(self) -> usize {
        u32::from_le_bytes(self.after_slot) as usize
    }

    /// The slot; None at the end.
    #[inline(always)]
    pub fn slot(self) -> Option<u32> {
        u32::from_le_bytes(self.after_slot).checked_sub(1)
    }

    /// Whether the slot may have `key`; of 256 others one may, too.
    #[inline(always)]
    pub fn may_have(self, key: u64) -> bool {
        self.tag == key as u8
    }
}

/// `N` tables of the same slots, each of which has a key in every table.
pub struct Chains<const N: usize> {
    /// By table and place: the newest slot there.
    heads: [Vec<Link>; N],
    /// Behind the end and behind each slot: the next older ones at the same places. A slot that is found in many tables
    /// is read once. The end is followed by itself, so that no walk has to wait for far memory in order to know whether
    /// there is more to fetch.
    next: Vec<[Link; N]>,
}

impl<const N: usize> Default for Chains<N> {
    fn default() -> Self {
        Self { heads: std::array::from_fn(|_| Vec::new()), next: vec![[Link::default(); N]] }
    }
}

impl<const N: usize> Chains<N> {
    #[inline(always)]
    fn place(&self, table: usize, key: u64) -> usize {
        // Keys are well mixed; the upper bits, because the lowest are the tag.
        (key >> 32) as usize & (self.heads[table].len() - 1)
    }

    /// Add the next slot. `keys_of` tells the keys of those that are in already, when the tables grow; a slot
    /// without any is left out.
    pub fn push(&mut self, keys: [u64; N], keys_of: impl Fn(u32) -> Option<[u64; N]>) {
        let places = self.heads[0].len();
        if self.next.len() > places {
            self.grow((2 * places).max(16), keys_of);
        }
        self.next.push([Link::default(); N]);
        self.link(self.next.len() as u32 - 2, keys);
    }

    fn link(&mut self, slot: u32, keys: [u64; N]) {
        for (table, key) in keys.into_iter().enumerate() {
            let place = self.place(table, key);
            self.next[slot as usize + 1][table] = self.heads[table][place];
            self.heads[table][place] = Link::new(slot, key);
        }
    }

    fn grow(&mut self, places: usize, keys_of: impl Fn(u32) -> Option<[u64; N]>) {
        self.heads = std::array::from_fn(|_| vec![Link::default(); places]);
        for slot in 0..self.next.len() as u32 - 1 {
            if let Some(keys) = keys_of(slot) {
                self.link(slot, keys);
            }
        }
    }

    /// Take `slot` out of the chain of `key`. O(the slots there that are newer).
    pub fn unlink(&mut self, table: usize, key: u64, slot: u32) {
        let place = self.place(table, key);
        let after = self.next[slot as usize + 1][table];
        let mut at = self.heads[table][place];
        if at.slot() == Some(slot) {
            self.heads[table][place] = after;
        }
        while at.slot().is_some_and(|here| here != slot) {
            let next = self.after(table, at);
            if next.slot() == Some(slot) {
                self.next[at.at()][table] = after;
            }
            at = next;
        }
    }

    /// The newest slot where `key` would be.
    #[inline(always)]
    pub fn first(&self, table: usize, key: u64) -> Link {
        if self.heads[table].is_empty() {
            return Link::default();
        }
        self.heads[table][self.place(table, key)]
    }

    #[inline(always)]
    pub fn after(&self, table: usize, link: Link) -> Link {
        self.next[link.at()][table]
    }

    pub fn reserve(&mut self, slots: usize) {
        self.next.reserve_exact(slots);
    }

    /// Heap bytes.
    pub fn memory(&self) -> usize {
        let heads: usize = self.heads.iter().map(Vec::capacity).sum();
        size_of::<Link>() * heads + size_of::<[Link; N]>() * self.next.capacity()
    }
}
