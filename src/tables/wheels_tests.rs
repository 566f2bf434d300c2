//! Expectations from the wheels and from the rules on which build to advise, worked out by hand.

use super::*;

fn wanted(driver: &str, cc: (u32, u32)) -> Wanted {
    Wanted {
        system: System::LinuxX86,
        platform: Platform::Linux,
        driver: DriverVersion::parse(driver),
        cc,
        python: Some((3, 12)),
    }
}

fn arguments(wanted: Wanted) -> Option<String> {
    advise(&wanted).map(|advice| advice.arguments())
}

const CU126_LINE: &str = "\"torch<2.15\" --index-url https://download.pytorch.org/whl/cu126";

#[test]
fn a_current_driver_and_gpu_get_the_default() {
    for cc in [(7, 5), (8, 0), (8, 9), (9, 0), (10, 0), (12, 0), (12, 1)] {
        assert_eq!(arguments(wanted("580.65.06", cc)).as_deref(), Some("torch"), "{cc:?}");
    }
    assert_eq!(arguments(wanted("", (8, 6))).as_deref(), Some("torch"), "no driver yet");
}

#[test]
fn a_driver_of_the_cuda_12_family_gets_cu126() {
    for cc in [(5, 0), (6, 1), (7, 0), (7, 5), (8, 9), (9, 0)] {
        assert_eq!(arguments(wanted("535.183.01", cc)).as_deref(), Some(CU126_LINE), "{cc:?}");
    }
}

#[test]
fn maxwell_pascal_and_volta_get_cu126_on_any_driver() {
    for cc in [(5, 2), (6, 1), (7, 0)] {
        assert_eq!(arguments(wanted("580.65.06", cc)).as_deref(), Some(CU126_LINE), "{cc:?}");
    }
}

#[test]
fn blackwell_on_570_gets_the_last_builds_of_its_family() {
    let linux = wanted("570.133.07", (12, 0));
    assert_eq!(arguments(linux).as_deref(), Some("torch==2.13.0 --index-url https://download.pytorch.org/whl/cu129"));
    let windows = Wanted { system: System::WindowsX86, platform: Platform::Windows, ..wanted("572.83", (12, 0)) };
    assert_eq!(arguments(windows).as_deref(), Some("torch==2.11.0 --index-url https://download.pytorch.org/whl/cu128"));
    assert_eq!(arguments(wanted("550.163.01", (12, 0))), None, "Blackwell never works below 570");
}

#[test]
fn windows_always_gets_an_index() {
    let windows = Wanted { system: System::WindowsX86, platform: Platform::Windows, ..wanted("581.29", (8, 9)) };
    assert_eq!(arguments(windows).as_deref(), Some("torch --index-url https://download.pytorch.org/whl/cu130"));
    let old = Wanted { driver: DriverVersion::parse("546.33"), ..windows };
    assert_eq!(arguments(old).as_deref(), Some(CU126_LINE));
}

#[test]
fn wsl_has_linux_wheels_and_windows_driver_numbers() {
    let wsl = Wanted { platform: Platform::Windows, ..wanted("526.98", (8, 6)) };
    assert_eq!(advise(&wsl).and_then(|a| a.index), Some("cu118"));
    let wsl = Wanted { platform: Platform::Windows, ..wanted("527.41", (8, 6)) };
    assert_eq!(advise(&wsl).and_then(|a| a.index), Some("cu126"));
}

#[test]
fn an_arm_server_needs_a_newer_gpu() {
    let arm = |driver: &str, cc| Wanted { system: System::LinuxArm, ..wanted(driver, cc) };
    assert_eq!(arguments(arm("580.65.06", (9, 0))).as_deref(), Some("torch"));
    assert_eq!(advise(&arm("535.183.01", (9, 0))).and_then(|a| a.index), Some("cu126"));
    assert_eq!(arguments(arm("580.65.06", (7, 5))), None);
}

#[test]
fn old_drivers_get_cu118_and_older_ones_nothing() {
    assert_eq!(
        arguments(wanted("470.223.02", (8, 6))).as_deref(),
        Some("torch==2.7.1 --index-url https://download.pytorch.org/whl/cu118")
    );
    assert_eq!(advise(&wanted("470.223.02", (3, 7))).map(|a| a.spec), Some("torch==2.7.1"));
    assert_eq!(arguments(wanted("440.33.01", (7, 0))), None);
    assert_eq!(arguments(wanted("470.223.02", (3, 5))), None, "no build has code for 3.5");
}

#[test]
fn python_limits_the_choice() {
    let python = |minor, driver: &str, cc| Wanted { python: Some((3, minor)), ..wanted(driver, cc) };
    assert_eq!(arguments(python(10, "580.65.06", (8, 9))).as_deref(), Some("torch"));
    assert_eq!(advise(&python(9, "580.65.06", (8, 9))).map(|a| a.spec), Some("torch==2.8.0"));
    assert_eq!(advise(&python(9, "580.65.06", (12, 0))).and_then(|a| a.index), Some("cu128"));
    assert_eq!(advise(&python(8, "580.65.06", (8, 9))).map(|a| a.spec), Some("torch==2.4.1"));
    assert_eq!(arguments(python(8, "580.65.06", (12, 0))), None);
    assert_eq!(arguments(python(16, "580.65.06", (8, 9))), None);
    let unknown = Wanted { python: None, ..wanted("580.65.06", (8, 9)) };
    assert_eq!(arguments(unknown).as_deref(), Some("torch"));
}

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
fn where_nothing_fits_the_last_that_did_is_named() {
    let of = |cc, driver: &str, python| {
        why_none(&Wanted {
            system: System::LinuxX86,
            platform: Platform::Linux,
            driver: DriverVersion::parse(driver),
            cc,
            python: Some((3, python)),
        })
    };
    assert_eq!(
        of((3, 7), "390.157", 12),
        "the last torch with code for compute capability 3.7 is 2.7 of the index cu118; its CUDA 11.8 needs driver \
         450.80.02 or newer, and the driver is 390.157"
    );
    assert!(of((6, 1), "535.183.01", 9).ends_with("; it has wheels for Python 3.10 to 3.14, and this is 3.9"));
    assert_eq!(of((3, 0), "470.256.02", 11), "no known build of torch has code for compute capability 3.0");
}
