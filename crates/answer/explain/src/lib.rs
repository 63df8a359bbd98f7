//! Where the cost goes: by method, block, line and bucket.
