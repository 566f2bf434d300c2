//! Toolkits, runtimes and driver libraries of described machines.

use super::*;
use std::path::Path;
use std::time::Duration;

const ELF64: &[u8] = b"\x7fELF\x02\x01";
const ELF32: &[u8] = b"\x7fELF\x01\x01";

#[allow(clippy::disallowed_methods)]
fn put(root: &Path, path: &str, text: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("create the folder");
    std::fs::write(path, text).expect("write the file");
}

#[cfg(target_os = "linux")]
fn link(root: &Path, target: &str, path: &str) {
    std::os::unix::fs::symlink(target, root.join(path)).expect("a link");
}

fn seen(root: &Path) -> Facts {
    let machine = Machine::new(Scope::Image(root.to_path_buf()), Duration::from_secs(1));
    let mut facts = Facts::new();
    look(&machine, &mut facts);
    facts
}

#[test]
fn nothing_installed_is_counted_as_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let facts = seen(root.path());
    assert_eq!(facts.value(&nvidia::LIBRARIES), Some(0));
    assert_eq!(facts.value(&cuda::PTX_JIT), Some(false));
    assert_eq!(facts.value(&cuda::ELSEWHERE), Some(vec![]));
    assert!(facts.machine(&cuda::NVCC).is_absent());
    assert!(facts.subjects_with(&cuda::TOOLKIT).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_has_the_version_of_the_file_behind_its_link() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = "usr/lib/x86_64-linux-gnu";
    put(root.path(), &format!("{folder}/libcuda.so.535.183.01"), ELF64);
    put(root.path(), &format!("{folder}/libnvidia-ml.so.535.183.01"), ELF64);
    put(root.path(), &format!("{folder}/libnvidia-ptxjitcompiler.so.1"), ELF64);
    link(root.path(), "libcuda.so.535.183.01", &format!("{folder}/libcuda.so.1"));
    link(root.path(), "libnvidia-ml.so.535.183.01", &format!("{folder}/libnvidia-ml.so.1"));
    link(root.path(), "usr/lib", "lib");
    let facts = seen(root.path());
    assert_eq!(facts.value(&nvidia::LIBRARIES), Some(2), "/lib is /usr/lib");
    let subject = Subject::file("/usr/lib/x86_64-linux-gnu/libcuda.so.1");
    let library = facts.look(&nvidia::LIBRARY, &subject).seen().expect("libcuda");
    assert_eq!((library.name.as_str(), library.version.as_deref()), ("libcuda", Some("535.183.01")));
    assert_eq!(facts.value(&cuda::PTX_JIT), Some(true));
    assert!(facts.machine(&cuda::ELSEWHERE).fact().is_none());
}

#[test]
fn a_32_bit_library_is_passed_over() {
    let root = tempfile::tempdir().expect("a folder");
    put(root.path(), "usr/lib/libcuda.so.1", ELF32);
    put(root.path(), "usr/lib64/libcuda.so.1", ELF64);
    let facts = seen(root.path());
    assert_eq!(facts.value(&nvidia::LIBRARIES), Some(1));
    assert_eq!(facts.subjects_with(&nvidia::LIBRARY), [Subject::file("/usr/lib64/libcuda.so.1")]);
}

#[test]
fn folders_of_the_loaders_configuration_are_searched_and_others_are_elsewhere() {
    let root = tempfile::tempdir().expect("a folder");
    put(root.path(), "etc/ld.so.conf", b"include ld.so.conf.d/*.conf\n");
    put(root.path(), "etc/ld.so.conf.d/nvidia.conf", b"/opt/nvidia/lib\n");
    put(root.path(), "opt/nvidia/lib/libnvidia-ml.so.1", ELF64);
    put(root.path(), "usr/lib/wsl/lib/libcuda.so.1", ELF64);
    put(root.path(), "usr/local/cuda/compat/libcuda.so.1", ELF64);
    let facts = seen(root.path());
    assert_eq!(facts.subjects_with(&nvidia::LIBRARY), [Subject::file("/opt/nvidia/lib/libnvidia-ml.so.1")]);
    assert_eq!(facts.value(&cuda::ELSEWHERE).expect("places"), ["/usr/lib/wsl/lib/libcuda.so.1"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_toolkit_is_counted_once_behind_its_links() {
    let root = tempfile::tempdir().expect("a folder");
    put(root.path(), "usr/local/cuda-12.4/version.json", br#"{"cuda": {"version": "12.4.1"}}"#);
    put(root.path(), "usr/local/cuda-12.4/bin/nvcc", b"");
    put(root.path(), "usr/local/cuda-12.4/lib64/libcudart.so.12.4.127", ELF64);
    put(root.path(), "usr/local/cuda-9.9/README", b"left over");
    link(root.path(), "libcudart.so.12.4.127", "usr/local/cuda-12.4/lib64/libcudart.so.12");
    link(root.path(), "cuda-12.4", "usr/local/cuda");
    let facts = seen(root.path());
    let toolkits: Vec<_> = facts.all(&cuda::TOOLKIT).map(|(v, fact)| (fact.subject.id.clone(), v)).collect();
    assert_eq!(toolkits, [("/usr/local/cuda-12.4".to_string(), "12.4.1".to_string())]);
    let runtimes: Vec<_> = facts.all(&cuda::CUDART).map(|(version, _)| version).collect();
    assert_eq!(runtimes, ["12.4.127"]);
}

#[test]
fn only_a_drivers_file_name_holds_a_drivers_version() {
    assert_eq!(driver_version("/usr/lib/libcuda.so.535.183.01").as_deref(), Some("535.183.01"));
    assert_eq!(driver_version("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1"), None);
    assert_eq!(driver_version("/usr/lib/wsl/lib/libcuda.so.1"), None);
    assert_eq!(driver_version("/opt/stubs/libcuda.so"), None);
}
