//! Findings to one self-contained HTML page.
