//! How many rows a delta has, and how long the rows of a table are.

/// Rows per list unless the caller says otherwise.
pub const DEFAULT_LIMIT: usize = 12;

/// Characters of a row of a table, in which a user looks for one column.
pub const ROW_OF_TABLE: usize = 120;
