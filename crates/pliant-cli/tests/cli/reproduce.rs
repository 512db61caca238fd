//! `pliant reproduce` with the real program: several experiments at a time.

use crate::common::{Folder, stderr, stdout};
use serde_json::Value;

/// Experiments that run side by side are reported in the order in which they are listed, and leave one folder.
#[test]
fn experiments_side_by_side_make_one_report() {
    let folder = Folder::new("side-by-side");
    folder.write("out/results.json", "of another time");
    let names = ["reproduce", "I3", "elastoplastic/I1", "--out", "out"];
    let output = folder.pliant(&names);
    assert!(output.status.success(), "{}", stderr(&output));
    let results: Vec<Value> = serde_json::from_str(&folder.read("out/results.json")).unwrap();
    let ids: Vec<&str> = results.iter().filter_map(|r| r["id"].as_str()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert!(ids.contains(&"elastoplastic/I1") && ids.contains(&"elastoplastic/I3"));
    assert!(!folder.path().join("out/parts").exists());
    let said = stdout(&output);
    let lines = said.lines().filter(|line| line.starts_with("PASS "));
    assert_eq!(lines.count(), ids.len(), "{said}");
    let end = format!("{} passed, 0 failed", ids.len());
    assert!(said.lines().last().unwrap().starts_with(&end), "{said}");
}

/// What a part has to complain about is said once, in one line.
#[test]
fn a_part_that_cannot_write_is_told_of() {
    let folder = Folder::new("side-by-side-file");
    folder.write("out", "a file");
    let output = folder.pliant(&["reproduce", "I1", "I3", "--out", "out"]);
    assert_eq!(output.status.code(), Some(5));
    let said = stderr(&output);
    assert!(said.lines().count() == 1 && said.contains("out"), "{said}");
}
