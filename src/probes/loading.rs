//! Loading a driver library in a child, and which file it really was.

// Runs in children only; see clippy.toml.
#![allow(clippy::disallowed_methods)]

use super::child::Channel;
use crate::machine::child::Report;
use libloading::Library;
use serde_json::json;

/// The call that loads a library.
pub const CALL: &str = if cfg!(windows) { "LoadLibrary" } else { "dlopen" };
/// Who says which file was loaded.
pub const SOURCE: &str = if cfg!(windows) { "GetModuleFileName" } else { "/proc/self/maps" };

/// Loads a library by name, as a program would, and says on the channel which file that was. The stage's name is the one
/// of the call.
pub fn load(channel: &Channel, name: &str) -> Option<Library> {
    let stage = format!("dlopen {name}");
    channel.begin(&stage);
    // SAFETY: this runs the library's constructors; that they may crash is why this is a child.
    match unsafe { Library::new(name) } {
        Ok(library) => {
            let path = mapped(name).unwrap_or_else(|| name.to_string());
            // Windows has no links here, and writes such paths in a form that nobody knows.
            let target = std::fs::canonicalize(&path).ok().filter(|_| cfg!(unix));
            let target = target.map_or_else(|| path.clone(), |p| p.to_string_lossy().into_owned());
            channel.stage(&stage, json!({ "path": path, "target": target }));
            Some(library)
        }
        Err(e) => {
            channel.stage(&stage, json!({ "error": error_text(&e) }));
            None
        }
    }
}

/// The loader's own words.
fn error_text(error: &libloading::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), |source| source.to_string())
}

/// The mapped file of a library that was loaded by this name.
#[cfg(not(windows))]
fn mapped(name: &str) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    find_mapped(&maps, name.trim_end_matches(".1"))
}

/// The same.
#[cfg(windows)]
fn mapped(name: &str) -> Option<String> {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleW(name: *const u16) -> *mut std::ffi::c_void;
        fn GetModuleFileNameW(module: *mut std::ffi::c_void, file: *mut u16, size: u32) -> u32;
    }
    let wide: Vec<u16> = name.encode_utf16().chain([0]).collect();
    let mut file = [0u16; 1024];
    // SAFETY: the name ends with NUL, the buffer is as long as is said, and a module that is not loaded is null.
    let length = unsafe {
        match GetModuleHandleW(wide.as_ptr()) {
            module if module.is_null() => 0,
            module => GetModuleFileNameW(module, file.as_mut_ptr(), file.len() as u32),
        }
    };
    // All of the buffer: the path was cut.
    (1..file.len()).contains(&(length as usize)).then(|| String::from_utf16_lossy(&file[..length as usize]))
}

/// The first mapped file whose name begins so. A line of `maps` ends in the path, which may hold spaces.
#[cfg(any(test, not(windows)))]
fn find_mapped(maps: &str, stem: &str) -> Option<String> {
    maps.lines().find_map(|line| {
        let path = &line[line.find('/')?..];
        let file = path.rsplit('/').next()?.strip_prefix(stem)?;
        (file.is_empty() || file.starts_with('.')).then(|| path.trim_end_matches(" (deleted)").to_string())
    })
}

/// What loading gave.
#[derive(Debug, PartialEq)]
pub enum Loading {
    /// The file, and the file behind its links.
    Loaded(String, String),
    /// The loader finds no such file.
    NotFound,
    /// There is one, and it would not load.
    Refused(String),
    /// The child did not come so far.
    NotTried,
}

/// What the child said about loading a library.
pub fn read(report: &Report, name: &str) -> Loading {
    let wanted = format!("dlopen {name}");
    let Some(stage) = report.result(&wanted) else { return Loading::NotTried };
    if let Some(path) = stage["path"].as_str() {
        return Loading::Loaded(path.to_string(), stage["target"].as_str().unwrap_or(path).to_string());
    }
    let error = stage["error"].as_str().unwrap_or("no reason given");
    // glibc: "libcuda.so.1: cannot open shared object file: No such file or directory". The same words with another
    // name speak of a library that this one needs.
    let own = error.starts_with(name) && error.contains("cannot open shared object file: No such file");
    // musl, and Windows' ERROR_MOD_NOT_FOUND as std spells it.
    let other = error.starts_with(&format!("Error loading shared library {name}: No such file"))
        || error.contains("os error 126");
    if own || other { Loading::NotFound } else { Loading::Refused(error.to_string()) }
}

/// The driver's version in the name of a library's file: `libcuda.so.535.183.01` gives `535.183.01`.
pub fn version(target: &str) -> Option<String> {
    let (_, version) = target.rsplit('/').next()?.split_once(".so.")?;
    let numbers = version.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    (numbers && version.contains('.')).then(|| version.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::child::test::report;

    #[test]
    fn the_mapped_file_is_found_by_its_name() {
        let maps = "7f0000000000-7f0000001000 r--p 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libc.so.6\n\
                    7f1000000000-7f1000001000 r--p 00000000 08:01 2 /opt/my driver/libcuda.so.535.183.01\n\
                    7f2000000000-7f2000001000 rw-p 00000000 00:00 0\n\
                    7f3000000000-7f3000001000 r--p 00000000 08:01 3 /x/libcudart.so.12\n";
        assert_eq!(find_mapped(maps, "libcuda.so").as_deref(), Some("/opt/my driver/libcuda.so.535.183.01"));
        assert_eq!(find_mapped(maps, "libnvidia-ml.so"), None);
    }

    #[test]
    fn a_missing_library_is_told_from_one_that_will_not_load() {
        let read = |error: &str| {
            read(&report(&json!({"stage": "dlopen libcuda.so.1", "error": error}).to_string()), "libcuda.so.1")
        };
        assert_eq!(read("libcuda.so.1: cannot open shared object file: No such file or directory"), Loading::NotFound);
        assert!(matches!(
            read("libnvidia-x.so.1: cannot open shared object file: No such file or directory"),
            Loading::Refused(_)
        ));
        assert!(matches!(read("/usr/lib/libcuda.so.1: file too short"), Loading::Refused(_)));
    }

    #[test]
    fn the_version_is_in_the_file_name() {
        assert_eq!(version("/usr/lib/libcuda.so.535.183.01").as_deref(), Some("535.183.01"));
        assert_eq!(version("/usr/lib/wsl/lib/libcuda.so.1"), None);
        assert_eq!(version("/x/stubs/libcuda.so"), None);
    }
}
