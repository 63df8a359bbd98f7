//! What a profile says by method.
