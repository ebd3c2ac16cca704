//! The stored form of an index, little-endian: `"SFI"`, the version, the seed's id, how many; then of each signature its
//! fields, the length of its key, and the key; a checksum of all that. Reading rebuilds the tables.

use super::SignatureIndex;
use crate::signature::Signature;
use crate::signature::error::{ErrorKind, Result, SignatureError};
use crate::signature::record::{BODY, Reader, checksum, put_head, verify, verify_head};

const MAGIC: [u8; 3] = *b"SFI";
const HEAD: usize = 16;
const TAIL: usize = 8;

impl SignatureIndex {
    /// The stored form: 24 bytes, and 332 bytes and the key per signature. O(signatures).
    pub fn to_bytes(&self) -> Vec<u8> {
        let keys: usize = self.iter().map(|(key, _)| key.len()).sum();
        let mut bytes = Vec::with_capacity(HEAD + self.len() * (BODY + 4) + keys + TAIL);
        put_head(&mut bytes, MAGIC);
        bytes.extend_from_slice(&(self.len() as u64).to_le_bytes());
        for (key, signature) in self.iter() {
            signature.put(&mut bytes);
            bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
            bytes.extend_from_slice(key.as_bytes());
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The index that was stored. Nothing is allocated for signatures that are not there. O(bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        verify_head(bytes, MAGIC)?;
        if bytes.len() < HEAD + TAIL {
            return Err(SignatureError::new(ErrorKind::Truncated, bytes.len()));
        }
        verify_lengths(bytes)?;
        verify(bytes)?;
        let mut reader = Reader::new(bytes);
        reader.at = 8;
        let count = reader.u64();
        let mut index = Self::new();
        index.reserve(count as usize);
        for _ in 0..count {
            let signature = Signature::take(&mut reader);
            let length = reader.u32() as usize;
            let start = reader.at;
            reader.at += length;
            let key = std::str::from_utf8(&bytes[start..start + length])
                .map_err(|error| SignatureError::new(ErrorKind::Utf8, start + error.valid_up_to()))?;
            let before = index.len();
            if !index.add(key, signature) {
                return Err(SignatureError::new(ErrorKind::TooLarge, start));
            }
            if index.len() == before {
                return Err(SignatureError::new(ErrorKind::Duplicate, start));
            }
        }
        Ok(index)
    }

    fn reserve(&mut self, count: usize) {
        self.signatures.reserve_exact(count);
        self.exact.reserve(count);
        self.bands.reserve(count);
    }
}

/// Whether as many signatures as the head announces, each with its key, end exactly where the checksum begins.
fn verify_lengths(bytes: &[u8]) -> Result<()> {
    let end = bytes.len() - TAIL;
    let mut reader = Reader::new(bytes);
    reader.at = 8;
    let count = reader.u64();
    for _ in 0..count {
        if end - reader.at < BODY + 4 {
            return Err(SignatureError::new(ErrorKind::Truncated, bytes.len()));
        }
        reader.at += BODY;
        let length = reader.u32() as usize;
        if end - reader.at < length {
            return Err(SignatureError::new(ErrorKind::Truncated, bytes.len()));
        }
        reader.at += length;
    }
    if reader.at < end {
        return Err(SignatureError::new(ErrorKind::Trailing, reader.at));
    }
    Ok(())
}
