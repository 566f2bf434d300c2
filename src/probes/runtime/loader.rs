//! The folders that the dynamic loader searches: what `/etc/ld.so.conf` names, and its own.

use crate::machine::Machine;

/// Folders that glibc searches without being told, and those that distributions add to them for 64-bit programs. They are
/// looked at for both processors: only one kind exists on a machine.
const OWN: [&str; 8] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];
/// Files that are read at most (an include may name itself), patterns of one file, and folders of all.
const MOST_FILES: usize = 100;
const MOST_PATTERNS: usize = 50;
const MOST_FOLDERS: usize = 500;

/// The folders, each once, in the order of the search.
pub fn folders(machine: &Machine) -> Vec<String> {
    let mut named = Vec::new();
    let mut files = vec!["/etc/ld.so.conf".to_string()];
    let mut read: Vec<String> = Vec::new();
    while let Some(file) = files.pop() {
        if read.len() == MOST_FILES {
            break;
        }
        if read.contains(&file) {
            continue;
        }
        read.push(file.clone());
        let Ok(text) = machine.text(&file) else { continue };
        let (folders, includes) = parse(&text);
        named.extend(folders);
        named.truncate(MOST_FOLDERS);
        for pattern in includes.into_iter().take(MOST_PATTERNS) {
            let mut found = matching(machine, &pattern);
            found.truncate(MOST_FILES);
            found.reverse();
            files.extend(found);
        }
    }
    let mut found: Vec<String> = Vec::new();
    for folder in named.into_iter().chain(OWN.iter().map(|own| own.to_string())) {
        let folder = merged(machine, &folder);
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

/// Folders and patterns of included files in the text of ld.so.conf.
fn parse(text: &str) -> (Vec<String>, Vec<String>) {
    let mut folders = Vec::new();
    let mut includes = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.strip_prefix("include").filter(|rest| rest.starts_with(char::is_whitespace)) {
            Some(patterns) => includes.extend(patterns.split_whitespace().map(str::to_string)),
            // Folders may be separated by blanks, commas and colons; `folder=libc5` is an old form.
            None => folders.extend(
                line.split([' ', '\t', ',', ':'])
                    .map(|folder| folder.split('=').next().unwrap_or_default().trim_end_matches('/'))
                    .filter(|folder| folder.starts_with('/'))
                    .map(str::to_string),
            ),
        }
    }
    (folders, includes)
}

/// The files of a pattern with one star in the last part, sorted.
fn matching(machine: &Machine, pattern: &str) -> Vec<String> {
    let pattern = if pattern.starts_with('/') { pattern.to_string() } else { format!("/etc/{pattern}") };
    let Some((folder, name)) = pattern.rsplit_once('/') else { return Vec::new() };
    let Some((start, end)) = name.split_once('*') else { return vec![pattern.clone()] };
    let names = machine.list(folder).unwrap_or_default();
    let fits = |name: &String| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    names.into_iter().filter(fits).map(|name| format!("{folder}/{name}")).collect()
}

/// Most systems made `/lib` and `/lib64` links into `/usr`, so that two folders are one.
fn merged(machine: &Machine, folder: &str) -> String {
    let mut parts = folder.splitn(3, '/');
    let (Some(""), Some(first)) = (parts.next(), parts.next()) else { return folder.to_string() };
    let rest = parts.next().map(|rest| format!("/{rest}")).unwrap_or_default();
    match machine.link(format!("/{first}")) {
        Ok(target) => format!("/{}{rest}", target.display().to_string().trim_start_matches('/')),
        Err(_) => folder.to_string(),
    }
}

/// Whether a file is there and the loader would take it for a 64-bit program. A 32-bit library is passed over.
pub fn is_loadable(machine: &Machine, path: &str) -> bool {
    const CLASS_32: u8 = 1;
    match machine.range(path, 0, 5) {
        Ok(bytes) => !(bytes.starts_with(b"\x7fELF") && bytes.get(4) == Some(&CLASS_32)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_names_folders_and_files() {
        let text =
            "# a comment\ninclude /etc/ld.so.conf.d/*.conf\n/usr/local/cuda/lib64/ # CUDA\n/opt/a:/opt/b\n\nhwcap 1\n";
        let (folders, includes) = parse(text);
        assert_eq!(folders, ["/usr/local/cuda/lib64", "/opt/a", "/opt/b"]);
        assert_eq!(includes, ["/etc/ld.so.conf.d/*.conf"]);
    }
}
