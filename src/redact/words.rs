//! Names that say nothing, and words that are no names wherever they stand.

use crate::causes;

/// Accounts and hosts that every machine has: they give nobody away.
#[rustfmt::skip]
const NOBODY: &[&str] = &[
    "", "root", "nobody", "nogroup", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy",
    "www-data", "backup", "list", "irc", "gnats", "systemd-network", "systemd-resolve", "messagebus", "sshd", "polkitd", "localhost",
    "linuxbrew", "shared", "public", "default", "all users", "administrator", "system", "localdomain", "none", "(none)",
];

/// Groups that distributions make.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "adm", "tty", "disk", "dialout", "fax", "voice", "cdrom", "floppy", "tape", "sudo", "audio", "dip", "operator", "src", "shadow",
    "utmp", "video", "sasl", "plugdev", "staff", "users", "input", "sgx", "kvm", "render", "lxd", "docker", "wheel", "netdev", "lpadmin",
    "sambashare", "crontab", "ssh", "ssl-cert", "bluetooth", "scanner", "libvirt", "libvirt-qemu", "systemd-journal", "i2c", "power",
    "storage", "optical", "network", "log", "uuidd", "kmem", "nvidia", "nvidia-persistenced", "vglusers", "podman", "munge", "slurm",
];

/// Words of tools and of accounts that are given to machines: as a user they are replaced only where a user's name stands.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "user", "users", "admin", "test", "guest", "dev", "work", "home", "data", "main", "base", "ubuntu", "debian", "fedora", "centos",
    "arch", "conda", "python", "runner", "jenkins", "docker", "jovyan", "ollama", "worker", "node", "server", "desktop", "laptop",
    "cluster", "gpu", "cuda", "nvidia", "torch", "pytorch", "tensorflow", "kernel", "driver", "linux", "windows", "compute", "login",
];

/// Folders at the root of a machine in which paths are the same everywhere.
const SYSTEM: &[&str] =
    &["usr", "lib", "lib32", "lib64", "bin", "sbin", "etc", "sys", "proc", "dev", "boot", "nix", "snap", "run"];

/// Whether a name is nobody's.
pub fn is_nobody(name: &str) -> bool {
    NOBODY.contains(&name.to_lowercase().as_str())
}

/// Whether a group comes with the system.
pub fn is_system_group(name: &str) -> bool {
    is_nobody(name) || GROUPS.contains(&name)
}

/// Whether a name is a word too, so that it stands for itself in most texts: it is replaced only where names stand. The pages
/// of this program have the words of its field.
pub fn is_word(name: &str) -> bool {
    let name = name.to_lowercase();
    name.chars().count() < 3
        || name.bytes().all(|b| b.is_ascii_digit())
        || COMMON.contains(&name.as_str())
        || causes::all().any(|cause| {
            let text = cause.page.split("\n## Examples").next().unwrap_or_default();
            has_word(text, &name)
        })
}

/// Whether a lower-case word stands in a text, in any case.
fn has_word(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let lower = text.to_ascii_lowercase();
    lower
        .match_indices(word)
        .any(|(at, _)| edge(lower[..at].chars().next_back()) && edge(lower[at + word.len()..].chars().next()))
}

/// Whether the path that a place in a text belongs to is one of the system's.
pub fn in_system_path(text: &str, at: usize) -> bool {
    let path = &text[start_of_path(text, at)..at];
    path.strip_prefix('/').is_some_and(|path| SYSTEM.contains(&path.split('/').next().unwrap_or_default()))
}

/// Where the path begins that a place in a text belongs to.
pub fn start_of_path(text: &str, at: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || ends_path(c);
    text[..at].rfind(ends).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8))
}

/// Characters that are in no path as it is written in a sentence or a list.
pub fn ends_path(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '=' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|')
}
