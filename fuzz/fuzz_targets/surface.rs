//! Small tracked surfaces under violent operations.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_lab::fuzz::surface::run_case;

fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = run_case(bytes) {
        panic!("{broken}");
    }
});
