//! This machine as it is, without a GPU: nothing blames a driver, and nothing changes.

use crate::BRANCHES;
use crate::common::stage::{Check, Seen, assert_unchanged, needs_root, part, public_folder, trace};
use std::path::Path;

fn without_a_gpu() {
    let devices = std::fs::read_dir("/sys/bus/pci/devices").into_iter().flatten().flatten();
    let nvidia = devices.filter(|d| std::fs::read_to_string(d.path().join("vendor")).is_ok_and(|v| v == "0x10de\n"));
    assert_eq!(nvidia.count(), 0, "this test wants a machine without an NVIDIA GPU");
}

fn blames_the_missing_gpu(seen: &Seen, what: &str) {
    assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{what}");
    assert_eq!(seen.errors(), [(1, "no-nvidia-gpu-present", "certain")], "{what}:\n{}", seen.text);
    // Notes on the environment may follow; none of them may speak of a driver or of access to it.
    let causes = seen.report["root_causes"].as_array().unwrap();
    let layers: Vec<&str> = causes.iter().filter_map(|cause| cause["layer"].as_str()).collect();
    assert!(!layers.iter().any(|layer| ["kernel driver", "access", "cuda"].contains(layer)), "{what}: {layers:?}");
}

#[test]
fn without_a_gpu_nothing_blames_a_driver_and_nothing_changes() {
    without_a_gpu();
    let torch = part("torch-cuda");
    let before = (trace(Path::new("/dev")), trace(&torch));
    blames_the_missing_gpu(&Check::new().run(), "as it is");
    blames_the_missing_gpu(&Check::new().python(&torch).run(), "with torch");
    for (branch, _) in BRANCHES {
        blames_the_missing_gpu(&Check::new().driver(branch).python(&torch).run(), branch);
    }
    assert_unchanged(Path::new("/dev"), &before.0);
    assert_unchanged(&torch, &before.1);
}

#[test]
fn a_user_without_rights_gets_the_same_answer_and_changes_nothing() {
    needs_root();
    without_a_gpu();
    let (torch, stage) = (part("torch-cuda"), public_folder());
    let (shown, driver) = (stage.path().join("torch"), stage.path().join("driver"));
    let before = (trace(Path::new("/dev")), trace(&torch));
    blames_the_missing_gpu(&Check::new().by_nobody().run(), "as it is");
    for (branch, _) in BRANCHES {
        let check = Check::new().by_nobody().mount(&torch, &shown).mount(&part(&format!("driver-{branch}")), &driver);
        let check = check.interpreter_of(&torch, stage.path());
        blames_the_missing_gpu(&check.driver_in(&driver).python(&shown).run(), branch);
    }
    assert_unchanged(Path::new("/dev"), &before.0);
    assert_unchanged(&torch, &before.1);
}

#[test]
fn what_lies_in_dev_without_a_driver_stays_as_it_was() {
    needs_root();
    without_a_gpu();
    // As root, the libraries that torch loads set the mode of such a node to 0666, remove such a file, and make a missing node.
    let leftovers = [
        ("mknod -m 600 $DEV/nvidiactl c 195 255", "600 character special file 0"),
        ("touch $DEV/nvidiactl", "644 regular empty file 0"),
        ("true", ""),
    ];
    let folder = public_folder();
    let listing = folder.path().join("after");
    for (setup, expected) in leftovers {
        let look =
            format!("\"$@\"; status=$?; stat -c '%a %F %u' /dev/nvidia* >{} 2>&1; exit $status", listing.display());
        let check = Check::new().dev(setup).through(["bash", "-c", &look, "look"]).driver("535");
        blames_the_missing_gpu(&check.python(&part("torch-cuda")).run(), setup);
        let after = std::fs::read_to_string(&listing).unwrap();
        let after = if after.contains("cannot stat") || after.contains("No such file") { "" } else { after.trim() };
        assert_eq!(after, expected, "{setup}");
    }
}
