//! The stored form of a signature: 344 bytes, little-endian, the same on every machine.
//!
//! `"SFS"`, the version, the seed's id, exact, template, text, url, six counts, 128 slots, a checksum of all that.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::error::{ErrorKind, Result, SignatureError};
use super::sketch::SLOTS;
use super::{Counts, SEED, SEED_ID, Signature, VERSION};

const MAGIC: [u8; 3] = *b"SFS";
const HEAD: usize = 8;
/// The bytes of a signature without what names and guards it.
pub const BODY: usize = 16 + 16 + 8 + 8 + 6 * 4 + 2 * SLOTS;
/// The bytes of a stored signature.
pub const LENGTH: usize = HEAD + BODY + 8;

/// Reads fixed fields one after the other; zeros behind the end, which callers rule out first.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let found = self.bytes.get(self.at..self.at + N).and_then(|bytes| bytes.try_into().ok());
        self.at += N;
        found.unwrap_or([0; N])
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

pub(super) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, SEED)
}

/// The last eight bytes must be the checksum of all before them.
pub(super) fn verify(bytes: &[u8]) -> Result<()> {
    let at = bytes.len().saturating_sub(8);
    if Reader::new(&bytes[at..]).u64() == checksum(&bytes[..at]) {
        Ok(())
    } else {
        Err(SignatureError::new(ErrorKind::Checksum, at))
    }
}

/// `magic`, the version and the seed, as the head of `bytes` has them.
pub(super) fn verify_head(bytes: &[u8], magic: [u8; 3]) -> Result<()> {
    let known = bytes.iter().zip(magic).position(|(one, other)| *one != other);
    if let Some(offset) = known {
        return Err(SignatureError::new(ErrorKind::Magic, offset));
    }
    if bytes.len() < HEAD {
        return Err(SignatureError::new(ErrorKind::Truncated, bytes.len()));
    }
    if bytes[3] != VERSION {
        return Err(SignatureError::new(ErrorKind::Version, 3));
    }
    let mut reader = Reader { bytes, at: 4 };
    if reader.u32() != SEED_ID {
        return Err(SignatureError::new(ErrorKind::Seed, 4));
    }
    Ok(())
}

pub(super) fn put_head(bytes: &mut Vec<u8>, magic: [u8; 3]) {
    bytes.extend_from_slice(&magic);
    bytes.push(VERSION);
    bytes.extend_from_slice(&SEED_ID.to_le_bytes());
}

impl Signature {
    /// The stored form, `LENGTH` bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH);
        put_head(&mut bytes, MAGIC);
        self.put(&mut bytes);
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The signature that was stored.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        verify_head(bytes, MAGIC)?;
        if bytes.len() < LENGTH {
            return Err(SignatureError::new(ErrorKind::Truncated, bytes.len()));
        }
        if bytes.len() > LENGTH {
            return Err(SignatureError::new(ErrorKind::Trailing, LENGTH));
        }
        verify(bytes)?;
        Ok(Self::take(&mut Reader { bytes, at: HEAD }))
    }

    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.exact);
        bytes.extend_from_slice(&self.template);
        bytes.extend_from_slice(&self.text.to_le_bytes());
        bytes.extend_from_slice(&self.url.to_le_bytes());
        let Counts { nodes, text, links, forms, grams, shingles } = self.counts;
        for count in [nodes, text, links, forms, grams, shingles] {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        for slot in self.structure {
            bytes.extend_from_slice(&slot.to_le_bytes());
        }
    }

    pub(super) fn take(reader: &mut Reader<'_>) -> Self {
        let (exact, template) = (reader.take(), reader.take());
        let (text, url) = (reader.u64(), reader.u64());
        let counts = Counts {
            nodes: reader.u32(),
            text: reader.u32(),
            links: reader.u32(),
            forms: reader.u32(),
            grams: reader.u32(),
            shingles: reader.u32(),
        };
        let structure = std::array::from_fn(|_| reader.u16());
        Self { exact, template, structure, text, url, counts }
    }
}
