//! CUDA toolkits, runtimes and the driver's libraries as files on disk. Nothing is loaded or started: what the loader
//! really takes is the libcuda probe's business, and site-packages are the Python probe's.

mod loader;
mod toolkit;

use crate::facts::{Facts, cuda, nvidia};
use crate::machine::{Machine, Scope};
use crate::subject::Subject;
use std::rc::Rc;

/// The driver's libraries that matter, by the names that programs load.
const DRIVER_LIBRARIES: [(&str, &str); 2] = [("libcuda.so.1", "libcuda"), ("libnvidia-ml.so.1", "libnvidia-ml")];
const PTX_JIT: &str = "libnvidia-ptxjitcompiler.so.1";
/// Names under which programs load the runtime: with the minor version before CUDA 11, by major after.
const CUDARTS: [&str; 11] = ["8.0", "9.0", "9.1", "9.2", "10.0", "10.1", "10.2", "11.0", "12", "13", "14"];
/// Folders of LD_LIBRARY_PATH that are looked at.
const MOST_NAMED: usize = 1000;
/// Folders in which a driver lies without being found. Compat and stub folders are left out on purpose: a library there
/// is no driver.
const ELSEWHERE: [&str; 6] = [
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",
    "/usr/lib/nvidia",
    "/usr/local/nvidia/lib64",
];

/// Fills the keys on toolkits, runtimes and libraries.
pub fn look(machine: &Machine, facts: &mut Facts) {
    if !(machine.is_moved() || cfg!(target_os = "linux")) {
        return;
    }
    toolkit::look(machine, facts);
    let mut folders = folders(machine);
    let count = driver_libraries(&folders, facts);
    facts.seen(&nvidia::LIBRARIES, &Subject::machine(), count, "the loader's folders");
    if !machine.is_live() {
        image_only(&folders, facts);
    }
    let here = Rc::new(machine.clone());
    folders.extend(toolkit::library_folders(machine).into_iter().map(|folder| (Rc::clone(&here), folder)));
    runtimes(&folders, facts);
}

/// The folders that the loader searches, each with the machine that it is on: variables of this process name folders of
/// the real one, also where everything else is read under another root.
fn folders(machine: &Machine) -> Vec<(Rc<Machine>, String)> {
    let (live, here) = (Rc::new(Machine::new(Scope::Live, machine.limit)), Rc::new(machine.clone()));
    let variable = machine.variable("LD_LIBRARY_PATH").unwrap_or_default();
    let named = variable.split([':', ';']).filter(|folder| folder.starts_with('/'));
    let mut found: Vec<(Rc<Machine>, String)> =
        named.take(MOST_NAMED).map(|folder| (Rc::clone(&live), folder.trim_end_matches('/').to_string())).collect();
    found.extend(loader::folders(machine).into_iter().map(|folder| (Rc::clone(&here), folder)));
    found
}

/// The folders that the loader searches of itself: those that ldconfig knows and its own.
pub fn loader_folders(machine: &Machine) -> Vec<String> {
    loader::folders(machine)
}

/// Where a library lies that the loader would take; nothing where its folders do not have it.
pub fn find(machine: &Machine, file: &str) -> Option<String> {
    let folders = folders(machine).into_iter().map(|(machine, folder)| (machine, format!("{folder}/{file}")));
    folders.into_iter().find(|(machine, path)| loader::is_loadable(machine, path)).map(|(_, path)| path)
}

/// Adds every driver library once, by the file behind its links; returns how many there are.
fn driver_libraries(folders: &[(Rc<Machine>, String)], facts: &mut Facts) -> u32 {
    let mut targets: Vec<String> = Vec::new();
    for (file, name) in DRIVER_LIBRARIES {
        for (machine, folder) in folders {
            let path = format!("{folder}/{file}");
            if !loader::is_loadable(machine, &path) {
                continue;
            }
            let target = machine.resolve(&path).map_or(path.clone(), |target| target.display().to_string());
            if targets.contains(&target) || is_no_driver(&target) {
                continue;
            }
            targets.push(target.clone());
            let library = nvidia::DriverLibrary { name: name.to_string(), version: driver_version(&target), target };
            facts.seen(&nvidia::LIBRARY, &Subject::file(path.as_str()), library, path);
        }
    }
    targets.len() as u32
}

/// Toolkit stubs and compat libraries carry the same names without being an installed driver.
fn is_no_driver(target: &str) -> bool {
    target.contains("/stubs/") || target.contains("/compat/")
}

/// The driver's version in a file name: `libcuda.so.535.183.01`. Jetson's `libcuda.so.1.1` and WSL's plain file have none.
fn driver_version(target: &str) -> Option<String> {
    let (_, version) = target.rsplit('/').next()?.split_once(".so.")?;
    let branch: u32 = version.split('.').next()?.parse().ok()?;
    (branch >= 100 && version.contains('.')).then(|| version.to_string())
}

/// What a live machine's libcuda probe asks the loader itself.
fn image_only(folders: &[(Rc<Machine>, String)], facts: &mut Facts) {
    let here = Subject::machine();
    let has = |file: &str| folders.iter().any(|(m, folder)| loader::is_loadable(m, &format!("{folder}/{file}")));
    facts.seen(&cuda::PTX_JIT, &here, has(PTX_JIT), "the loader's folders");
    let Some((machine, _)) = folders.first().filter(|_| !has("libcuda.so.1")) else { return };
    let found: Vec<String> = ELSEWHERE
        .iter()
        .map(|folder| format!("{folder}/libcuda.so.1"))
        .filter(|path| loader::is_loadable(machine, path))
        .collect();
    facts.seen(&cuda::ELSEWHERE, &here, found, ELSEWHERE.join(":"));
}

fn runtimes(folders: &[(Rc<Machine>, String)], facts: &mut Facts) {
    let mut targets: Vec<String> = Vec::new();
    for (machine, folder) in folders {
        for soname in CUDARTS {
            let path = format!("{folder}/libcudart.so.{soname}");
            if !loader::is_loadable(machine, &path) {
                continue;
            }
            let target = machine.resolve(&path).map_or(path.clone(), |target| target.display().to_string());
            if targets.contains(&target) {
                continue;
            }
            let version = target.rsplit_once(".so.").map_or(soname, |(_, version)| version).to_string();
            targets.push(target);
            facts.seen(&cuda::CUDART, &Subject::file(path.as_str()), version, path);
        }
    }
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
