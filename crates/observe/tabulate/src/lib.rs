//! Traces and probe plans to a dataset.
