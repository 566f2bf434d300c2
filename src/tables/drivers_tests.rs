//! Expectations from NVIDIA's tables, worked out by hand.

use super::Platform::{Linux, Windows};
use super::*;

fn driver(text: &str) -> DriverVersion {
    DriverVersion::parse(text).unwrap_or_else(|| panic!("{text} is no driver version"))
}

#[test]
fn driver_versions_compare_as_numbers() {
    assert!(driver("535.183.01") > driver("535.54.03"));
    assert!(driver("580.65.06") > driver("575.51.03"));
    assert_eq!(driver("535.183.01").to_string(), "535.183.01");
    assert_eq!(driver("551.61").to_string(), "551.61");
    assert_eq!(driver("580").to_string(), "580");
    assert_eq!(driver("32.0.15.6094"), driver("560.94"));
    assert_eq!(driver("31.0.15.3623"), driver("536.23"));
    assert_eq!(driver("27.21.14.5671"), driver("456.71"));
    for text in ["", "abc", "535.x", "1.2.3.4.5", "99999999999"] {
        assert_eq!(DriverVersion::parse(text), None, "{text}");
    }
}

#[test]
fn cuda_versions_are_read_in_every_spelling() {
    for text in ["12.8", "12.8.1", "cu128", "12080", " 12.8\n"] {
        assert_eq!(parse_cuda(text), Some((12, 8)), "{text}");
    }
    assert_eq!(parse_cuda("cu92"), Some((9, 2)));
    assert_eq!(parse_cuda("11040"), Some((11, 4)));
    for text in ["", "cpu", "rocm6.4", "cu", "12", "x.y"] {
        assert_eq!(parse_cuda(text), None, "{text}");
    }
}

#[test]
fn a_driver_of_the_same_family_serves_a_newer_minor_version() {
    assert_eq!(runs_on(driver("535.183.01"), (12, 8), Linux), Some(true));
    assert_eq!(runs_on(driver("525.60.13"), (12, 9), Linux), Some(true));
    assert_eq!(runs_on(driver("520.61.05"), (12, 1), Linux), Some(false));
    assert_eq!(runs_on(driver("450.80.02"), (11, 8), Linux), Some(true));
    assert_eq!(runs_on(driver("575.51.03"), (13, 0), Linux), Some(false));
    assert_eq!(runs_on(driver("580.65.06"), (13, 2), Linux), Some(true));
    assert_eq!(runs_on(driver("527.41"), (12, 6), Windows), Some(true));
    assert_eq!(runs_on(driver("526.98"), (12, 6), Windows), Some(false));
    assert_eq!(runs_on(driver("610.43.02"), (10, 2), Linux), Some(true));
}

#[test]
fn before_cuda_11_the_exact_number_is_the_floor() {
    assert_eq!(floor((10, 2), Linux), Some(Floor { driver: driver("440.33"), family: false }));
    assert_eq!(runs_on(driver("418.39"), (10, 2), Linux), Some(false));
    assert_eq!(runs_on(driver("390.46"), (9, 1), Linux), Some(true));
    assert_eq!(floor((11, 0), Linux).map(|f| f.driver), Some(driver("450.51.05")));
}

#[test]
fn what_is_not_published_is_not_known() {
    assert_eq!(floor((14, 0), Linux), None);
    assert_eq!(floor((7, 5), Linux), None);
    assert_eq!(floor((13, 5), Linux), Some(Floor { driver: driver("580"), family: true }));
    assert_eq!(toolkit_driver((12, 7), Linux), None);
    assert_eq!(native_cuda(driver("999.10"), Linux), None);
    assert_eq!(native_cuda(driver("531.10"), Linux), None);
}

#[test]
fn by_the_cuda_number_alone_the_family_decides() {
    assert!(runs_on_cuda((12, 2), (12, 8)));
    assert!(!runs_on_cuda((12, 8), (13, 0)));
    assert!(runs_on_cuda((13, 0), (11, 8)));
    assert!(!runs_on_cuda((10, 1), (10, 2)));
    assert!(runs_on_cuda((11, 0), (10, 2)));
}

#[test]
fn a_branch_brings_its_own_cuda() {
    assert_eq!(native_cuda(driver("535.183.01"), Linux), Some((12, 2)));
    assert_eq!(native_cuda(driver("470.223.02"), Linux), Some((11, 4)));
    assert_eq!(native_cuda(driver("617.10"), Linux), Some((13, 4)));
    assert_eq!(native_cuda(driver("537.58"), Windows), Some((12, 2)));
    assert_eq!(native_cuda(driver("552.44"), Windows), Some((12, 4)));
    assert_eq!(native_cuda(driver("566.36"), Windows), Some((12, 7)));
    assert_eq!(branch_for_ptx((12, 4)), Some(550));
    assert_eq!(branch_for_ptx((14, 0)), None);
}

#[test]
fn generations_leave_the_driver_in_order() {
    assert_eq!(last_branch(Architecture::Kepler), Some(470));
    assert_eq!(last_branch(Architecture::Pascal), Some(580));
    assert_eq!(last_branch(Architecture::Turing), None);
    assert_eq!(first_branch(Architecture::Blackwell), Some(570));
    assert_eq!(flavours(Architecture::Volta), Flavours::ClosedOnly);
    assert_eq!(flavours(Architecture::Turing), Flavours::Both);
    assert_eq!(flavours(Architecture::Blackwell), Flavours::OpenOnly);
    assert!(open_module_opt_in(driver("535.183.01")));
    assert!(!open_module_opt_in(driver("550.54.14")));
    assert!(!open_module_opt_in(driver("510.39.01")));
}
