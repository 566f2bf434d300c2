//! Names of systems, kernels and platforms, as many tools print them, as facts of the host.

use super::Found;
use super::parts::has;
use crate::facts::host::{self, Distro};
use crate::subject::Subject;

/// Distributions by how their names begin: name, id, what it is like, package manager.
const DISTROS: &[(&str, &str, &[&str], &str)] = &[
    ("ubuntu", "ubuntu", &["debian"], "apt"),
    ("kubuntu", "ubuntu", &["debian"], "apt"),
    ("debian", "debian", &[], "apt"),
    ("linux mint", "linuxmint", &["ubuntu", "debian"], "apt"),
    ("pop!_os", "pop", &["ubuntu", "debian"], "apt"),
    ("kali", "kali", &["debian"], "apt"),
    ("raspbian", "raspbian", &["debian"], "apt"),
    ("elementary", "elementary", &["ubuntu", "debian"], "apt"),
    ("zorin", "zorin", &["ubuntu", "debian"], "apt"),
    ("nvidia dgx", "ubuntu", &["debian"], "apt"),
    ("fedora", "fedora", &[], "dnf"),
    ("nobara", "nobara", &["fedora"], "dnf"),
    ("red hat", "rhel", &["fedora"], "dnf"),
    ("rhel", "rhel", &["fedora"], "dnf"),
    ("centos", "centos", &["rhel", "fedora"], "dnf"),
    ("rocky", "rocky", &["rhel", "centos", "fedora"], "dnf"),
    ("almalinux", "almalinux", &["rhel", "centos", "fedora"], "dnf"),
    ("oracle linux", "ol", &["fedora"], "dnf"),
    ("scientific linux", "scientific", &["rhel", "centos", "fedora"], "dnf"),
    ("amazon linux", "amzn", &["fedora"], "dnf"),
    ("opensuse tumbleweed", "opensuse-tumbleweed", &["opensuse", "suse"], "zypper"),
    ("opensuse", "opensuse-leap", &["suse", "opensuse"], "zypper"),
    ("suse", "sles", &["suse"], "zypper"),
    ("arch linux", "arch", &[], "pacman"),
    ("manjaro", "manjaro", &["arch"], "pacman"),
    ("endeavouros", "endeavouros", &["arch"], "pacman"),
    ("cachyos", "cachyos", &["arch"], "pacman"),
    ("garuda", "garuda", &["arch"], "pacman"),
    ("alpine", "alpine", &[], "apk"),
    ("nixos", "nixos", &[], "nix"),
    ("gentoo", "gentoo", &[], "portage"),
];

/// The distribution that a name begins with: `Ubuntu 22.04.4 LTS (x86_64)`.
pub fn distro(name: &str) -> Option<(Distro, &'static str)> {
    let lower = name.trim().trim_matches('"').to_ascii_lowercase();
    let lower = lower.strip_prefix("gnu/linux ").unwrap_or(&lower);
    let (_, id, like, manager) = DISTROS.iter().find(|row| lower.starts_with(row.0))?;
    let version: String = lower
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or_default()
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    // VERSION_ID of Ubuntu has two numbers: 22.04.4 LTS is 22.04.
    let version = match *id {
        "ubuntu" => version.splitn(3, '.').take(2).collect::<Vec<_>>().join("."),
        _ => version,
    };
    let distro = Distro {
        id: id.to_string(),
        id_like: like.iter().map(|l| l.to_string()).collect(),
        version,
        codename: String::new(),
        name: name.trim().trim_matches('"').to_string(),
    };
    Some((distro, manager))
}

/// Puts down what an operating system's name says.
pub fn named(name: &str, found: &mut Found) {
    let machine = Subject::machine();
    let name = name.trim();
    if has(name, "windows") {
        found.seen(&host::OS, &machine, "windows".to_string());
    } else if name.to_ascii_lowercase().starts_with("mac") || has(name, "darwin") || has(name, "os x") {
        found.seen(&host::OS, &machine, "macos".to_string());
    } else if let Some((distro, manager)) = distro(name) {
        found.seen(&host::OS, &machine, "linux".to_string());
        found.seen(&host::DISTRO, &machine, distro);
        found.seen(&host::PACKAGE_MANAGER, &machine, manager.to_string());
    }
    processor(name, found);
}

/// Puts down the processor that a text names, where it names one.
pub fn processor(text: &str, found: &mut Found) {
    let names =
        [("x86_64", "x86_64"), ("x86-64", "x86_64"), ("amd64", "x86_64"), ("aarch64", "aarch64"), ("arm64", "aarch64")];
    if let Some((_, arch)) = names.iter().find(|(word, _)| has(text, word)) {
        found.seen(&host::ARCH, &Subject::machine(), arch.to_string());
    }
}

/// Puts down what a platform string says: `Linux-5.15.153.1-microsoft-standard-WSL2-x86_64-with-glibc2.35`,
/// `Windows-10-10.0.22621-SP0`, `macOS-14.2-arm64-arm-64bit`.
pub fn platform(text: &str, found: &mut Found) {
    let machine = Subject::machine();
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("Linux-") {
        found.seen(&host::OS, &machine, "linux".to_string());
        let arch = ["-x86_64", "-aarch64", "-ppc64le", "-armv7l"].iter().filter_map(|a| rest.find(a)).min();
        if let Some(at) = arch {
            release(&rest[..at], found);
        }
        processor(rest, found);
    } else if text.starts_with("Windows") {
        found.seen(&host::OS, &machine, "windows".to_string());
        processor(text, found);
    } else if text.starts_with("macOS") || text.starts_with("Darwin") {
        found.seen(&host::OS, &machine, "macos".to_string());
        processor(text, found);
    }
}

/// Puts down a kernel release, and what it says of the machine.
pub fn release(release: &str, found: &mut Found) {
    let machine = Subject::machine();
    let release = release.trim();
    let looks = release.starts_with(|c: char| c.is_ascii_digit()) && release.contains('.') && release.len() < 80;
    if !looks {
        return;
    }
    found.seen(&host::OS, &machine, "linux".to_string());
    found.seen(&host::KERNEL, &machine, release.to_string());
    let lower = release.to_ascii_lowercase();
    if lower.contains("microsoft") {
        let version = if lower.contains("wsl2") || lower.contains("standard") { 2 } else { 1 };
        found.seen(&host::WSL, &machine, version as u8);
    } else if lower.contains("tegra") {
        found.seen(&host::JETSON, &machine, "NVIDIA Jetson".to_string());
        found.seen(&host::ARCH, &machine, "aarch64".to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_package_managers() {
        let of = |name| distro(name).map(|(d, manager)| (d.id, d.version, manager));
        assert_eq!(of("Ubuntu 22.04.4 LTS (x86_64)"), Some(("ubuntu".into(), "22.04".into(), "apt")));
        assert_eq!(of("Debian GNU/Linux 11 (bullseye) (x86_64)"), Some(("debian".into(), "11".into(), "apt")));
        assert_eq!(of("Red Hat Enterprise Linux Server 7.6 (Maipo)"), Some(("rhel".into(), "7.6".into(), "dnf")));
        assert_eq!(of("openSUSE Leap 15.2").map(|d| d.2), Some("zypper"));
        assert_eq!(of("Microsoft Windows 10 Home"), None);
    }
}
