//! Predicted cost with interval and extrapolation flag.
