//! Distribution and package manager.

use crate::facts::{Facts, host};
use crate::machine::Machine;
use crate::subject::Subject;

/// Package managers by the program that proves them; `yum` is dnf's older name and understands its commands.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("apt", &["/usr/bin/apt-get", "/bin/apt-get"]),
    ("dnf", &["/usr/bin/dnf", "/usr/bin/dnf5", "/usr/bin/yum"]),
    ("pacman", &["/usr/bin/pacman", "/usr/sbin/pacman"]),
    ("zypper", &["/usr/bin/zypper"]),
    ("apk", &["/sbin/apk", "/usr/sbin/apk", "/usr/bin/apk"]),
    ("nix", &["/run/current-system/sw/bin/nix-env", "/run/current-system/sw/bin/nix"]),
];

/// Adds distribution and package manager.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let distro = ["/etc/os-release", "/usr/lib/os-release"]
        .into_iter()
        .find_map(|path| machine.text(path).ok().and_then(|text| Some((parse(&text)?, path))));
    let preferred = distro.as_ref().and_then(|(distro, _)| manager_of(distro));
    match distro {
        Some((distro, path)) => facts.seen(&host::DISTRO, &here, distro, path),
        None => facts.absent(&host::DISTRO, &here, "/etc/os-release"),
    }
    // The distribution's own one first: a Debian may have dnf installed to build images.
    let mut order: Vec<_> = PROGRAMS.iter().collect();
    order.sort_by_key(|(name, _)| Some(*name) != preferred);
    let found = order
        .into_iter()
        .find_map(|(name, paths)| paths.iter().find(|path| machine.exists(path)).map(|path| (*name, *path)));
    match found {
        Some((name, path)) => facts.seen(&host::PACKAGE_MANAGER, &here, name.to_string(), path),
        None => facts.absent(&host::PACKAGE_MANAGER, &here, "/usr/bin"),
    }
}

/// The package manager that a distribution uses.
fn manager_of(distro: &host::Distro) -> Option<&'static str> {
    std::iter::once(&distro.id).chain(&distro.id_like).find_map(|id| match id.as_str() {
        "debian" | "ubuntu" | "linuxmint" | "pop" | "raspbian" | "kali" => Some("apt"),
        "fedora" | "rhel" | "centos" | "rocky" | "almalinux" | "amzn" | "ol" | "azurelinux" | "mariner" => Some("dnf"),
        "arch" | "manjaro" | "endeavouros" | "cachyos" => Some("pacman"),
        "opensuse" | "suse" | "sles" | "sled" | "opensuse-leap" | "opensuse-tumbleweed" => Some("zypper"),
        "alpine" => Some("apk"),
        "nixos" => Some("nix"),
        _ => None,
    })
}

/// Reads os-release(5); nothing without an ID.
fn parse(text: &str) -> Option<host::Distro> {
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.trim().split_once('=')?;
            (key == name).then(|| unquote(value))
        })
    };
    Some(host::Distro {
        id: field("ID").filter(|id| !id.is_empty())?,
        id_like: field("ID_LIKE").unwrap_or_default().split_whitespace().map(str::to_string).collect(),
        version: field("VERSION_ID").unwrap_or_default(),
        codename: field("VERSION_CODENAME").unwrap_or_default(),
        name: field("PRETTY_NAME").unwrap_or_default(),
    })
}

fn unquote(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote)) {
            return inner.to_string();
        }
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_files_are_read() {
        let ubuntu = "PRETTY_NAME=\"Ubuntu 24.04.2 LTS\"\nNAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\nVERSION_CODENAME=noble\n\
                      ID=ubuntu\nID_LIKE=debian\nHOME_URL=\"https://www.ubuntu.com/\"\n";
        let distro = parse(ubuntu).expect("Ubuntu's file");
        assert_eq!(
            (distro.id.as_str(), distro.version.as_str(), distro.codename.as_str()),
            ("ubuntu", "24.04", "noble")
        );
        assert_eq!(distro.id_like, ["debian"]);
        assert_eq!(distro.name, "Ubuntu 24.04.2 LTS");
        assert_eq!(manager_of(&distro), Some("apt"));

        let suse = parse("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\nVERSION_ID=\"20261120\"\n");
        assert_eq!(suse.as_ref().and_then(manager_of), Some("zypper"));
        let rocky = parse("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID='9.6'\n").expect("Rocky's file");
        assert_eq!((manager_of(&rocky), rocky.version.as_str()), (Some("dnf"), "9.6"));
    }

    #[test]
    fn a_file_without_an_id_is_none() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("NAME=x\nID=\n=\n\"\n"), None);
    }
}
