//! Launches a subject over a workload, times it and survives its failures.
