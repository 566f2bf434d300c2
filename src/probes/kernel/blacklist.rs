//! What forbids loading a module: lines in modprobe.d and arguments of the kernel.

use crate::facts::{Facts, Key, kernel};
use crate::machine::Machine;
use crate::subject::Subject;

/// Folders of modprobe.d(5), strongest first: a file hides those of the same name in later folders.
const FOLDERS: [&str; 5] =
    ["/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"];
/// Files that are read at most, and their bytes together; a system has a dozen short ones.
const MOST_FILES: usize = 1000;
const MOST_BYTES: usize = 8 << 20;
/// Lines that are kept at most for one module, and characters of each.
const MOST_LINES: usize = 50;
const MOST_CHARACTERS: usize = 300;
const CMDLINE: &str = "/proc/cmdline";

/// Names of arguments that are kept as facts, up to the equals sign, with `_` for `-`.
const ARGUMENTS: [&str; 10] = [
    "modprobe.blacklist",
    "module_blacklist",
    "rdblacklist",
    "rd.driver.blacklist",
    "rd.driver.pre",
    "vfio_pci.ids",
    "lockdown",
    "pci",
    "nokaslr",
    "nomodeset",
];

/// Adds blacklists and arguments.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let here = Subject::machine();
    let cmdline = machine.line(CMDLINE);
    match &cmdline {
        Ok(line) => facts.seen(&kernel::ARGUMENTS, &here, arguments(line), CMDLINE),
        Err(e) => facts.failed(&kernel::ARGUMENTS, &here, e.to_string(), CMDLINE),
    }
    let files = files(machine);
    let line = cmdline.unwrap_or_default();
    add(facts, &kernel::BLACKLIST_NVIDIA, "nvidia", &files, &line);
    add(facts, &kernel::BLACKLIST_NOUVEAU, "nouveau", &files, &line);
}

type Files = Result<Vec<(String, String)>, String>;

fn files(machine: &Machine) -> Files {
    let mut names: Vec<String> = Vec::new();
    let mut files = Vec::new();
    let mut bytes = 0;
    for folder in FOLDERS {
        let listed = match machine.list(folder) {
            Ok(listed) => listed,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(format!("{folder}: {e}")),
        };
        for name in listed.into_iter().filter(|name| name.ends_with(".conf")) {
            let path = format!("{folder}/{name}");
            if !names.contains(&name) {
                let text = machine.text(&path).map_err(|e| format!("{path}: {e}"))?;
                bytes += text.len();
                if bytes > MOST_BYTES || files.len() == MOST_FILES {
                    return Err(format!("{folder} holds more than is read here"));
                }
                files.push((path, text));
                names.push(name);
            }
        }
    }
    Ok(files)
}

fn add(facts: &mut Facts, key: &Key<Vec<String>>, module: &str, files: &Files, cmdline: &str) {
    let here = Subject::machine();
    let source = "modprobe.d, /proc/cmdline";
    match files {
        Ok(files) => {
            let mut found: Vec<String> =
                files.iter().flat_map(|(path, text)| forbidding_lines(path, text, module)).collect();
            found.truncate(MOST_LINES);
            found.extend(forbidding_arguments(cmdline, module));
            facts.seen(key, &here, found, source);
        }
        Err(why) => facts.failed(key, &here, why.clone(), source),
    }
}

/// modprobe takes `-` and `_` for the same.
fn normal(name: &str) -> String {
    name.replace('-', "_")
}

/// Whether a module's name means the driver's core module: Debian's packages call it `nvidia-current`.
fn is_module(name: &str, module: &str) -> bool {
    let name = normal(name);
    name == module || module == "nvidia" && (name == "nvidia_current" || name == "nvidia_current_open")
}

/// The lines of a file that forbid a module, as `FILE:LINE: text`.
fn forbidding_lines(path: &str, text: &str, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut joined = String::new();
    for (number, line) in text.lines().enumerate() {
        // A backslash at the end goes on in the next line.
        if let Some(begun) = line.strip_suffix('\\') {
            joined.push_str(begun);
            joined.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut joined) + line;
        if forbids(&whole, module) {
            let shown: String = whole.trim().chars().take(MOST_CHARACTERS).collect();
            found.push(format!("{path}:{}: {shown}", number + 1));
        }
    }
    found
}

fn forbids(line: &str, module: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["blacklist", name, ..] => is_module(name, module),
        ["alias", name, "off", ..] => is_module(name, module),
        ["install", name, command, ..] => {
            let program = command.rsplit('/').next().unwrap_or(command);
            is_module(name, module) && matches!(program, "false" | "true" | ":")
        }
        // nouveau without mode setting binds to nothing.
        ["options", name, ..] => module == "nouveau" && is_module(name, module) && words.contains(&"modeset=0"),
        _ => false,
    }
}

/// Arguments of the kernel that forbid a module.
fn forbidding_arguments(cmdline: &str, module: &str) -> Vec<String> {
    const LISTS: [&str; 4] = ["modprobe.blacklist", "module_blacklist", "rdblacklist", "rd.driver.blacklist"];
    let forbids = |argument: &&str| match argument.split_once('=') {
        Some((name, value)) if LISTS.contains(&name) => value.split(',').any(|entry| is_module(entry, module)),
        Some(("nouveau.modeset", "0")) | Some(("nouveau.blacklist", "1" | "yes")) => module == "nouveau",
        _ => false,
    };
    cmdline.split_whitespace().filter(forbids).map(|argument| format!("kernel argument {argument}")).collect()
}

/// The arguments that matter here.
fn arguments(cmdline: &str) -> Vec<String> {
    let matters = |argument: &&str| {
        let name = normal(argument.split('=').next().unwrap_or_default());
        ARGUMENTS.contains(&name.as_str())
            || ["nouveau.", "nvidia", "iommu", "intel_iommu", "amd_iommu"].iter().any(|start| name.starts_with(start))
    };
    cmdline.split_whitespace().filter(matters).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, module: &str) -> Vec<String> {
        forbidding_lines("/etc/modprobe.d/x.conf", text, module)
    }

    #[test]
    fn every_way_of_forbidding_is_seen() {
        let text = "# blacklist nvidia\nblacklist nvidia\nalias nvidia off\ninstall nvidia /bin/false\n";
        assert_eq!(
            lines(text, "nvidia"),
            [
                "/etc/modprobe.d/x.conf:2: blacklist nvidia",
                "/etc/modprobe.d/x.conf:3: alias nvidia off",
                "/etc/modprobe.d/x.conf:4: install nvidia /bin/false",
            ]
        );
        assert_eq!(lines("blacklist \\\nnvidia-current\n", "nvidia").len(), 1);
        assert_eq!(lines("blacklist nouveau\noptions nouveau modeset=0\n", "nouveau").len(), 2);
    }

    #[test]
    fn other_lines_forbid_nothing() {
        let text = "blacklist nvidiafb\noptions nvidia_drm modeset=1\nalias nvidia-drm off\n\
                    install nvidia modprobe -i nvidia-current $CMDLINE_OPTS\nblacklist nouveau\n\nblacklist\n";
        assert_eq!(lines(text, "nvidia"), Vec::<String>::new());
    }

    #[test]
    fn arguments_forbid_too() {
        let line =
            "BOOT_IMAGE=/vmlinuz root=UUID=1 modprobe.blacklist=nouveau,nvidia_drm module_blacklist=nvidia quiet";
        assert_eq!(forbidding_arguments(line, "nvidia"), ["kernel argument module_blacklist=nvidia"]);
        assert_eq!(forbidding_arguments(line, "nouveau"), ["kernel argument modprobe.blacklist=nouveau,nvidia_drm"]);
        assert_eq!(forbidding_arguments("nouveau.modeset=0", "nouveau").len(), 1);
    }

    #[test]
    fn only_arguments_that_matter_are_kept() {
        let line = "root=/dev/sda1 vfio-pci.ids=10de:2684 intel_iommu=on nvidia-drm.modeset=1 pci=realloc password=x";
        assert_eq!(
            arguments(line),
            ["vfio-pci.ids=10de:2684", "intel_iommu=on", "nvidia-drm.modeset=1", "pci=realloc"]
        );
    }
}
