//! Least squares and its kin.
