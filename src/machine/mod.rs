//! The only door to the outside: files (under a root that tests can move), the environment, children.
//!
//! Everything above this module asks here, so that one place decides what may be touched, and how much of it is read.

// This module, the probe children and `main` are the places where these are allowed; see clippy.toml.
#![allow(clippy::disallowed_methods)]

pub mod child;
pub mod console;
mod files;
mod kernel_log;
pub mod outputs;
pub mod scratch;
pub mod signals;

pub use files::{Entry, FileKind};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where to look, and what may be done there.
#[derive(Clone, Debug)]
pub enum Scope {
    /// This machine.
    Live,
    /// Files under a folder, children of this machine (tests).
    RootLive(PathBuf),
    /// Files under a folder, and nothing else: an unpacked image. Absolute links stay inside it.
    Image(PathBuf),
}

/// The machine that is looked at.
#[derive(Clone, Debug)]
pub struct Machine {
    scope: Scope,
    environment: BTreeMap<String, OsString>,
    /// Limit of each probe.
    pub limit: Duration,
}

impl Machine {
    /// The machine in this scope, with the environment of this process; an image has none.
    pub fn new(scope: Scope, limit: Duration) -> Machine {
        let environment = match scope {
            Scope::Image(_) => BTreeMap::new(),
            _ => std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect(),
        };
        Machine { scope, environment, limit }
    }

    /// Whether children may be started.
    pub fn is_live(&self) -> bool {
        !matches!(self.scope, Scope::Image(_))
    }

    /// The same machine with the files beside which its programs lie: under [`Scope::RootLive`] those of the machine itself.
    pub fn of_programs(&self) -> Machine {
        match self.scope {
            Scope::RootLive(_) => Machine { scope: Scope::Live, ..self.clone() },
            _ => self.clone(),
        }
    }

    /// Whether files are read under another root than `/`.
    pub fn is_moved(&self) -> bool {
        !matches!(self.scope, Scope::Live)
    }

    /// The folder of an unpacked image.
    pub fn image(&self) -> Option<&Path> {
        match &self.scope {
            Scope::Image(root) => Some(root),
            _ => None,
        }
    }

    /// An environment variable, with what is no Unicode replaced.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// The folders of PATH, in order, without empty entries and relative ones (they mean the current directory).
    pub fn path_folders(&self) -> Vec<PathBuf> {
        match &self.scope {
            Scope::Image(_) => ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            _ => self
                .environment
                .get("PATH")
                .map(|path| std::env::split_paths(path).filter(|p| p.is_absolute()).collect())
                .unwrap_or_default(),
        }
    }

    /// How many children that take a core and a GiB of memory each may run side by side. A child that hangs takes neither, so
    /// there are more of them than cores.
    pub fn at_once(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let memory = self.text_here(Path::new("/proc/meminfo")).and_then(|text| available_gib(&text));
        (cores + 2).clamp(3, 8).min(memory.unwrap_or(8).max(2))
    }

    /// Every program of this name on PATH, in order. Programs are looked for on the machine itself, also under `RootLive`.
    pub fn programs(&self, name: &str) -> Vec<PathBuf> {
        let name = if cfg!(windows) { format!("{name}.exe") } else { name.to_string() };
        let mut found: Vec<PathBuf> = Vec::new();
        for folder in self.path_folders() {
            let path = folder.join(&name);
            if self.is_program(&path) && !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    /// Whether this is a file that may be executed (in an image: a file).
    pub fn is_program(&self, path: &Path) -> bool {
        if let Scope::Image(_) = self.scope {
            return self.stat(path).is_ok_and(|e| e.kind == FileKind::File);
        }
        #[cfg(unix)]
        {
            path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
        }
        #[cfg(not(unix))]
        {
            path.is_file()
        }
    }

    /// Whether a program is there, on the machine itself.
    pub fn exists_here(&self, path: &Path) -> bool {
        path.exists()
    }

    /// The owner of a file on the machine itself, behind links; nothing where the system has no such thing.
    pub fn owner_here(&self, path: &Path) -> Option<u32> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|m| m.uid())
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }

    /// The user that this process runs as, 0 for root; nothing where the system has no such numbers.
    pub fn user_here(&self) -> Option<u32> {
        #[cfg(unix)]
        {
            Some(rustix::process::geteuid().as_raw())
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// The number of the user; nothing where the system has none.
    pub fn user(&self) -> Option<u32> {
        #[cfg(unix)]
        {
            Some(rustix::process::geteuid().as_raw())
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// The name of the machine; under another root, what its file says.
    pub fn host_name(&self) -> Option<String> {
        if self.is_moved() {
            return self.line("/proc/sys/kernel/hostname").ok();
        }
        #[cfg(unix)]
        {
            let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
            (!name.is_empty()).then_some(name)
        }
        #[cfg(not(unix))]
        {
            self.variable("COMPUTERNAME")
        }
    }

    /// The current directory of the user; nothing in an image.
    pub fn current_dir(&self) -> Option<PathBuf> {
        self.is_live().then(|| std::env::current_dir().ok()).flatten()
    }
}

/// Memory that is free for programs, in whole GiB, from /proc/meminfo.
fn available_gib(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(kib >> 20)
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_read_in_whole_gib() {
        let text = "MemTotal:       24689584 kB\nMemFree:  1 kB\nMemAvailable:    3145728 kB\n";
        assert_eq!(super::available_gib(text), Some(3));
        assert_eq!(super::available_gib("MemTotal: 5 kB\n"), None);
    }
}
