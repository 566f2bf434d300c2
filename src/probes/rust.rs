//! libtorch for Rust: the project here that uses tch, the libtorch it was built with, and what its programs load of it.
//!
//! Files are read, and nothing is started. torch-sys takes libtorch from Python where `LIBTORCH_USE_PYTORCH` is set, else from
//! `LIBTORCH` (with `LIBTORCH_LIB` for its libraries), else from `/usr/lib`, else it downloads one, which is a CPU build unless
//! `TORCH_CUDA_VERSION` is set; what it took it writes down for cargo (build.rs of torch-sys 0.26).

use crate::facts::Facts;
use crate::facts::programs::{self as keys, LibtorchBuild};
use crate::machine::{FileKind, Machine};
use crate::probes::python::libraries::elf;
use crate::subject::Subject;
use std::path::{Path, PathBuf};

/// Folders above the current one in which a project is looked for.
const ABOVE: usize = 12;
/// Programs of a project that are looked at.
const MOST: usize = 32;
/// This project's own helper, which loads the part for the GPU itself.
const HELPER: &str = "gpu-doctor-torch";

/// Adds what is known of libtorch for Rust.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let project = project(machine);
    let mut chosen = None;
    if let Some((folder, version)) = &project {
        let subject = Subject::file(folder.display().to_string());
        facts.seen(&keys::TORCH_SYS, &subject, version.clone(), folder.join("Cargo.lock").display().to_string());
        let target = target(machine, folder);
        chosen = built_with(machine, &target).map(|lib| (lib.clone(), chosen_by(machine, &lib)));
        programs(machine, &target, facts);
    }
    if let Some((lib, chosen_by)) = chosen.or_else(|| named(machine, project.is_some())) {
        libtorch(machine, &lib, chosen_by, facts);
    }
}

/// The project of the current folder that uses torch-sys, with its version.
fn project(machine: &Machine) -> Option<(PathBuf, String)> {
    let here = machine.current_dir()?;
    let (folder, lock) = here.ancestors().take(ABOVE).find_map(|folder| {
        let lock = folder.join("Cargo.lock");
        // A pipe of that name is nobody's lock file.
        machine.stat(&lock).is_ok_and(|entry| entry.kind == FileKind::File).then_some((folder, lock))
    })?;
    Some((folder.to_path_buf(), torch_sys(&machine.text_here(&lock)?)?))
}

/// The version of torch-sys in a Cargo.lock.
fn torch_sys(lock: &str) -> Option<String> {
    let (_, rest) = lock.split_once("name = \"torch-sys\"")?;
    rest.lines().nth(1)?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_string)
}

/// Where cargo puts what it builds.
fn target(machine: &Machine, project: &Path) -> PathBuf {
    match machine.variable("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => project.join(folder),
        None => project.join("target"),
    }
}

/// The folder of libraries that torch-sys took when it was built last.
fn built_with(machine: &Machine, target: &Path) -> Option<PathBuf> {
    let builds = ["debug", "release"].map(|profile| target.join(profile).join("build"));
    let outputs = builds.iter().flat_map(|folder| {
        let names = machine.list(folder).unwrap_or_default();
        names.into_iter().filter(|name| name.starts_with("torch-sys-")).map(|name| folder.join(name).join("output"))
    });
    let newest = outputs.filter_map(|path| Some((machine.changed_here(&path)?, path))).max()?.1;
    library_folder(&machine.text_here(&newest)?).map(PathBuf::from)
}

/// The folder of libraries in what the build script of torch-sys printed.
fn library_folder(output: &str) -> Option<&str> {
    const MARKS: [&str; 2] = ["cargo:libtorch_lib=", "cargo:rustc-link-search=native="];
    MARKS.iter().find_map(|mark| output.lines().find_map(|line| line.strip_prefix(mark)))
}

/// What made torch-sys take this folder, as far as the environment still says so.
fn chosen_by(machine: &Machine, lib: &Path) -> &'static str {
    let set = |name: &str| machine.variable(name).filter(|value| !value.is_empty());
    let text = lib.to_string_lossy().replace('\\', "/");
    if text.contains("/torch-sys-") && text.contains("/out/libtorch/") {
        "download"
    } else if text.ends_with("-packages/torch/lib") && set("LIBTORCH").is_none() {
        "LIBTORCH_USE_PYTORCH"
    } else if text == "/usr/lib" {
        "system"
    } else {
        "LIBTORCH"
    }
}

/// The folder of libraries that the environment names, or that a project would find in the system.
fn named(machine: &Machine, project: bool) -> Option<(PathBuf, &'static str)> {
    let set = |name: &str| machine.variable(name).filter(|value| !value.is_empty());
    if set("LIBTORCH_USE_PYTORCH").is_some() {
        // It is the torch of a Python, and told with it.
        return None;
    }
    if let Some(folder) = set("LIBTORCH_LIB").or_else(|| set("LIBTORCH")) {
        return Some((PathBuf::from(folder).join("lib"), "LIBTORCH"));
    }
    let system = project && machine.exists_here(Path::new("/usr/lib/libtorch.so"));
    system.then(|| (PathBuf::from("/usr/lib"), "system"))
}

/// Adds what a libtorch has.
fn libtorch(machine: &Machine, lib: &Path, chosen_by: &str, facts: &mut Facts) {
    let has = |names: &[&str]| names.iter().any(|name| machine.exists_here(&lib.join(name)));
    let folder = lib.parent().unwrap_or(lib);
    let subject = Subject::file(folder.display().to_string());
    let source = lib.display().to_string();
    if !has(&["libtorch_cpu.so", "torch_cpu.dll", "libtorch_cpu.dylib"]) {
        return facts.failed(&keys::LIBTORCH_BUILD, &subject, format!("there is no libtorch_cpu in {source}"), source);
    }
    let build = LibtorchBuild {
        version: version(machine, folder),
        cuda: has(&["libtorch_cuda.so", "torch_cuda.dll"]),
        hip: has(&["libtorch_hip.so", "torch_hip.dll"]),
        chosen_by: chosen_by.to_string(),
    };
    facts.seen(&keys::LIBTORCH_BUILD, &subject, build, source);
}

fn version(machine: &Machine, folder: &Path) -> Option<String> {
    let file = machine.text_here(&folder.join("build-version")).map(|text| text.trim().to_string());
    file.or_else(|| pythons_version(&machine.text_here(&folder.join("version.py"))?))
}

/// `__version__ = '2.13.0+cpu'` of Python's torch.
fn pythons_version(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("__version__ = "))?;
    Some(value.trim().trim_matches(['\'', '"']).to_string())
}

/// Adds, for each program of a project that loads libtorch, whether it loads the part for a GPU.
fn programs(machine: &Machine, target: &Path, facts: &mut Facts) {
    let folders = ["release", "debug", "release/examples", "debug/examples"].map(|folder| target.join(folder));
    let files = folders.iter().flat_map(|folder| {
        let names = machine.list(folder).unwrap_or_default();
        // Programs have no ending on Linux, and cargo keeps a second copy of an example with its hash.
        names.into_iter().filter(|name| !name.contains('.') && *name != HELPER).map(|name| folder.join(name))
    });
    for path in files.filter(|path| machine.is_program(path) && !is_copy(path)).take(MOST) {
        let needed = machine.contents(&path).ok().and_then(elf::needed).unwrap_or_default();
        if let Some(gpu) = loads_gpu_part(&needed) {
            facts.seen(&keys::LINKED, &Subject::file(path.display().to_string()), gpu, "its list of needed libraries");
        }
    }
}

/// `basics-0123456789abcdef`: what cargo links before it gives it its name.
fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hash = name.rsplit_once('-').map(|(_, hash)| hash).unwrap_or_default();
    hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Of the libraries that a program needs: whether the part for a GPU is loaded with it; nothing where it loads no libtorch.
/// `libtorch.so` itself needs that part, where there is one.
fn loads_gpu_part(needed: &[String]) -> Option<bool> {
    let has = |start: &str| needed.iter().any(|name| name.starts_with(start));
    let any = has("libtorch_cpu.so") || has("libtorch.so") || has("libc10.so");
    any.then(|| has("libtorch.so") || has("libtorch_cuda") || has("libtorch_hip"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_torch_sys() {
        let lock = "[[package]]\nname = \"torch-sys\"\nversion = \"0.26.0\"\nsource = \"registry\"\n";
        assert_eq!(torch_sys(lock).as_deref(), Some("0.26.0"));
        assert_eq!(torch_sys("[[package]]\nname = \"torch\"\nversion = \"1\"\n"), None);
        assert_eq!(torch_sys("name = \"torch-sys\""), None);
    }

    #[test]
    fn the_build_script_says_where_its_libraries_lie() {
        let output = "cargo:rerun-if-env-changed=LIBTORCH\ncargo:rustc-link-search=native=/opt/libtorch/lib\n\
                      cargo:libtorch_lib=/opt/libtorch/lib\n";
        assert_eq!(library_folder(output), Some("/opt/libtorch/lib"));
        assert_eq!(library_folder("OPT_LEVEL = Some(0)\n"), None);
    }

    #[test]
    fn what_a_program_needs_tells_whether_a_gpu_can_be_used() {
        let needs = |list: &[&str]| loads_gpu_part(&list.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        // A plain `cargo build` of a program with tch 0.26 on Linux, and one with `-Wl,--no-as-needed -ltorch`.
        assert_eq!(needs(&["libtorch_cpu.so", "libc10.so", "libstdc++.so.6", "libc.so.6"]), Some(false));
        assert_eq!(needs(&["libtorch.so", "libtorch_cpu.so", "libc10.so"]), Some(true));
        assert_eq!(needs(&["libtorch_cuda.so", "libtorch_cpu.so"]), Some(true));
        assert_eq!(needs(&["libc.so.6"]), None);
    }

    #[test]
    fn pythons_torch_says_its_version() {
        let text = "from typing import Optional\n\n__version__ = '2.13.0+cpu'\ndebug = False\n";
        assert_eq!(pythons_version(text).as_deref(), Some("2.13.0+cpu"));
    }

    #[test]
    fn copies_of_cargo_are_no_programs_of_their_own() {
        assert!(is_copy(Path::new("/t/basics-0123456789abcdef")) && !is_copy(Path::new("/t/my-program")));
    }
}
