//! Expectations from the wheels, worked out by hand.

use super::*;

#[test]
fn the_list_depends_on_release_tag_and_system() {
    let list = |release, tag, system| architectures(release, tag, system).map(|l| l.join(" "));
    assert_eq!(list((2, 13, 0), "cu130", System::LinuxX86).as_deref(), Some("sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"));
    assert_eq!(
        list((2, 9, 1), "cu130", System::LinuxX86).as_deref(),
        Some("sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120")
    );
    assert_eq!(
        list((2, 5, 1), "cu121", System::WindowsX86).as_deref(),
        Some("sm_50 sm_60 sm_61 sm_70 sm_75 sm_80 sm_86 sm_90")
    );
    assert_eq!(list((2, 11, 0), "cu129", System::LinuxX86), None, "its PTX is not known");
    assert_eq!(list((2, 6, 0), "cu126", System::LinuxX86), None, "its PTX is not known");
    assert_eq!(list((2, 13, 0), "cpu", System::LinuxX86), None);
}

#[test]
fn pypi_is_not_cuda_everywhere() {
    assert_eq!(pypi((2, 13, 0), System::LinuxX86), Some(Pypi::Cuda("cu130")));
    assert_eq!(pypi((2, 15, 0), System::LinuxX86), Some(Pypi::Cuda("cu132")));
    assert_eq!(pypi((2, 15, 0), System::WindowsX86), Some(Pypi::Cpu));
    assert_eq!(pypi((2, 10, 0), System::LinuxArm), Some(Pypi::Cpu));
    assert_eq!(pypi((2, 11, 0), System::LinuxArm), Some(Pypi::Cuda("cu130")));
    assert_eq!(pypi((3, 0, 0), System::LinuxX86), None);
}

#[test]
fn tags_come_and_go() {
    assert_eq!(index_tags((2, 15, 0), System::LinuxX86), ["cu130", "cu132"]);
    assert_eq!(index_tags((2, 12, 0), System::LinuxX86), ["cu126", "cu130", "cu132"]);
    assert_eq!(index_tags((2, 12, 1), System::LinuxX86), ["cu126", "cu129", "cu130", "cu132"]);
    assert_eq!(index_tags((2, 13, 0), System::WindowsX86), ["cu126", "cu130", "cu132"]);
    assert_eq!(last_release("cu121"), Some("2.5.1"));
    assert_eq!(last_release("cu130"), None);
    assert_eq!(newest_for_python((3, 9)), Some("2.8.0"));
}

#[test]
fn versions_are_read_with_their_tags() {
    assert_eq!(parse_release("2.13.0+cu130"), Some((2, 13, 0)));
    assert_eq!(parse_release("2.7.1.post1"), Some((2, 7, 1)));
    assert_eq!(parse_release("1.13"), Some((1, 13, 0)));
    assert_eq!(parse_release("nightly"), None);
    assert_eq!(tag("2.13.0+cpu"), Some("cpu"));
    assert_eq!(tag("2.13.0"), None);
}

#[test]
fn only_builds_that_exist_are_advised() {
    let systems = [
        (System::LinuxX86, CHOICES_LINUX_X86),
        (System::LinuxArm, CHOICES_LINUX_ARM),
        (System::WindowsX86, CHOICES_WINDOWS),
    ];
    for (system, choices) in systems {
        for choice in choices {
            match choice.index {
                Some(tag) => {
                    assert_eq!(tag, choice.tag);
                    assert!(index_tags(choice.release, system).contains(&tag), "{} {tag} {system:?}", choice.spec);
                }
                None => assert_eq!(pypi(choice.release, system), Some(Pypi::Cuda(choice.tag)), "{}", choice.spec),
            }
            assert!(architectures(choice.release, choice.tag, system).is_some(), "{} {}", choice.spec, choice.tag);
        }
    }
}

#[test]
fn pythons_differ_by_system() {
    let usual = |release, system| pythons(release, system).map(|pythons| pythons.usual);
    assert_eq!(usual((2, 5, 1), System::LinuxX86), Some((9, 13)));
    assert_eq!(usual((2, 5, 1), System::WindowsX86), Some((9, 12)));
    assert_eq!(usual((2, 15, 0), System::LinuxArm), Some((11, 15)));
    assert_eq!(pythons((2, 12, 0), System::LinuxX86).map(|p| p.free_threaded), Some(&[13, 14][..]));
    assert_eq!(pythons((2, 12, 1), System::LinuxX86).map(|p| p.free_threaded), Some(&[14][..]));
}
