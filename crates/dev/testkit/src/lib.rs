//! Subject programs with their expectations, oracles and goldens.
