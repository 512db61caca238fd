//! Worked numbers of re-sampling.
