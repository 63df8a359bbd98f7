//! Units, intervals and robust statistics of repeated measurements.
