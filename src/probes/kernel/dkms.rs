//! DKMS: what it keeps of the nvidia module, for which kernels it built it, and the log of a build that failed.

use crate::facts::{Facts, kernel};
use crate::machine::Machine;
use crate::subject::Subject;

const TREE: &str = "/var/lib/dkms";
/// Lines of a log that are kept.
const MOST_LINES: usize = 8;
/// Versions, and kernels of one version, that are looked at.
const MOST_ENTRIES: usize = 64;
/// Bytes that are read from the end of a long log.
const TAIL: u64 = 256 << 10;

/// Adds the state of DKMS; absent without an nvidia module in its tree.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let names = match machine.list(TREE) {
        Ok(names) => names,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            facts.absent(&kernel::DKMS, &here, TREE);
            return;
        }
        Err(e) => {
            facts.failed(&kernel::DKMS, &here, e.to_string(), TREE);
            return;
        }
    };
    let mut found = Vec::new();
    for module in names.into_iter().filter(|name| is_driver(name)) {
        for version in machine.list(format!("{TREE}/{module}")).unwrap_or_default() {
            // `kernel-RELEASE-ARCH` are links to what is installed.
            if version.starts_with(|c: char| c.is_ascii_digit()) && found.len() < MOST_ENTRIES {
                found.push(one(machine, &module, version));
            }
        }
    }
    if found.is_empty() {
        facts.absent(&kernel::DKMS, &here, TREE);
    } else {
        facts.seen(&kernel::DKMS, &here, found, TREE);
    }
}

/// The driver under any of its packages' names, not NVIDIA's other kernel modules.
fn is_driver(name: &str) -> bool {
    name.starts_with("nvidia") && !name.starts_with("nvidia-fs") && !name.starts_with("nvidia-peer")
}

fn one(machine: &Machine, module: &str, version: String) -> kernel::Dkms {
    let folder = format!("{TREE}/{module}/{version}");
    let is_built = |kernel: &String| {
        let architectures = machine.list(format!("{folder}/{kernel}")).unwrap_or_default();
        architectures.iter().any(|arch| machine.exists(format!("{folder}/{kernel}/{arch}/module")))
    };
    let built_for = machine
        .list(&folder)
        .unwrap_or_default()
        .into_iter()
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .take(MOST_ENTRIES)
        .filter(is_built)
        .collect();
    let path = format!("{folder}/build/make.log");
    let log = machine.text(&path).ok().map(|text| {
        let mut errors = error_lines(&text);
        if errors.is_empty() {
            let size = machine.stat(&path).map_or(0, |entry| entry.size);
            if size > text.len() as u64 {
                let tail = machine.range(&path, size.saturating_sub(TAIL), TAIL).unwrap_or_default();
                errors = error_lines(&String::from_utf8_lossy(&tail));
            }
        }
        kernel::DkmsLog { kernel: log_kernel(&text), errors, path: path.clone() }
    });
    kernel::Dkms { module: module.to_string(), version, built_for, log }
}

/// The kernel in the first line: `DKMS make.log for nvidia-535.183.01 for kernel 6.1.0-18-amd64 (x86_64)`.
fn log_kernel(text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let name = first.split_once(" for kernel ")?.1.split_whitespace().next()?;
    Some(name.chars().take(100).collect())
}

/// The first lines that tell of an error. File names such as `nv-error.o` and flags such as `-Werror` do not.
fn error_lines(text: &str) -> Vec<String> {
    let tells = |line: &&str| {
        line.contains("error:")
            || line.contains("ERROR:")
            || line.contains("*** ")
            || line.contains("Killed signal")
            || line.contains("No space left on device")
            || line.contains("command not found")
            || line.contains("cannot find")
            || line.contains("modpost: ") && line.contains("undefined")
    };
    text.lines().filter(tells).take(MOST_LINES).map(|line| line.trim().chars().take(300).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: &str = "DKMS make.log for nvidia-535.183.01 for kernel 6.12.0-1-amd64 (x86_64)\n\
        Mon Nov 30 10:00:00 UTC 2026\nmake[1]: Entering directory '/usr/src/linux-headers-6.12.0-1-amd64'\n\
        \x20 CC [M]  /var/lib/dkms/nvidia/535.183.01/build/nvidia/nv-error.o\n\
        cc1: note: -Werror is on\n\
        /var/lib/dkms/nvidia/535.183.01/build/nvidia-drm/nvidia-drm-drv.c:1491:5: error: 'struct drm_driver' has no member named 'date'\n\
        make[3]: *** [scripts/Makefile.build:229: nvidia-drm-drv.o] Error 1\n";

    #[test]
    fn the_log_of_a_failed_build_gives_its_kernel_and_errors() {
        assert_eq!(log_kernel(FAILED).as_deref(), Some("6.12.0-1-amd64"));
        let errors = error_lines(FAILED);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("no member named 'date'"));
        let new = "DKMS (dkms-3.2.0) make.log for nvidia/570.124.06 for kernel 6.14.0-061400-generic (x86_64)\n";
        assert_eq!(log_kernel(new).as_deref(), Some("6.14.0-061400-generic"));
    }

    #[test]
    fn a_good_log_has_no_errors() {
        let text = "DKMS make.log for nvidia-550.163.01 for kernel 6.1.0-18-amd64 (x86_64)\n  LD [M]  nvidia.ko\n";
        assert_eq!(error_lines(text), Vec::<String>::new());
        assert_eq!(log_kernel(""), None);
    }

    #[test]
    fn other_modules_of_the_maker_are_not_the_driver() {
        for name in ["nvidia", "nvidia-current", "nvidia-open", "nvidia-tesla-470", "nvidia-srv"] {
            assert!(is_driver(name), "{name}");
        }
        for name in ["nvidia-fs", "nvidia-peer-memory", "v4l2loopback"] {
            assert!(!is_driver(name), "{name}");
        }
    }
}
