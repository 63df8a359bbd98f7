//! Answers as plain data: predictions, explanations, evaluations.
