//! A handful of the cases that the fuzzers run by the thousand.

use pliant_lab::fuzz::surface::{random_case, run_case};

/// Whatever is done to a small surface, it stays closed, manifold, finite and small.
#[test]
fn random_operations_keep_the_surface_sound() {
    for seed in 0..300 {
        if let Err(broken) = run_case(&random_case(seed)) {
            panic!("seed {seed}: {broken}");
        }
    }
}

/// The empty string is a case, too.
#[test]
fn no_bytes_are_a_case() {
    run_case(&[]).unwrap();
}
