//! No import of a real framework speaks to the network, and none writes anywhere but into the folder that the doctor gives it and
//! removes afterwards. All calls of the program and of everything that it starts are watched.
//!
//! That nothing in the environment, in HOME and in TMPDIR differs afterwards is checked by every run (`machines.rs`).

use crate::machines::{Run, here, with_gpu};
use crate::parts::PARTS;
use std::path::{Component, Path, PathBuf};

/// A line of `strace -f -y` that did not fail.
fn done(line: &&String) -> bool {
    !line.contains(" = -1 ")
}

/// The runs of a part, here and where a GPU works.
fn each_run(judge: impl Fn(&Run) -> Vec<String>) {
    let mut wrong = Vec::new();
    for part in PARTS {
        for (machine, run) in [("here", here(part.name)), ("with a GPU", with_gpu(part.name))] {
            let what = format!("{} {machine}", part.name);
            let started = run.calls.iter().filter(|line| line.contains(" execve(\"") && line.contains("/bin/python"));
            assert!(started.filter(done).count() > 0, "{what}: no Python was watched");
            assert!(!run.facts("framework.import").is_empty(), "{what}: nothing was imported");
            wrong.extend(judge(&run).into_iter().map(|line| format!("{what}: {line}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_import_opens_a_connection() {
    each_run(|run| {
        // Also one that fails: whoever tries would get through elsewhere. urllib3 learns whether there is IPv6 by binding a
        // socket of this machine to itself, which sends nothing.
        let to_itself = |line: &str| line.contains(" bind(") && line.contains("\"::1\"");
        let network = |line: &str| line.contains("AF_INET") && !to_itself(line);
        // glibc asks a local service about users, and nothing else is spoken to.
        let local = |line: &str| {
            line.contains(" connect(") && line.contains("AF_UNIX") && !line.contains("\"/var/run/nscd/socket\"")
        };
        run.calls.iter().filter(|line| network(line) || local(line)).cloned().collect()
    });
}

/// The files that a line names, as absolute paths where strace shows the folder.
fn files(line: &str) -> Vec<PathBuf> {
    let arguments = line.split_once('(').map_or("", |(_, rest)| rest);
    let mut folder = PathBuf::new();
    let mut found = Vec::new();
    for argument in arguments.split(", ") {
        if let Some(path) = argument.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
            found.push(plain(&folder.join(path)));
        } else if let Some((_, rest)) = argument.split_once('<') {
            folder = PathBuf::from(rest.split('>').next().unwrap_or_default());
        }
    }
    found
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn nothing_is_written_outside_of_the_doctors_own_folder() {
    // The check opens the nodes of the GPU as every program does, also those of a described machine; a thread names itself in a
    // file of the kernel.
    let no_file = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let in_dev = file.parent().is_some_and(|folder| folder.ends_with("dev"));
        in_dev && (name.starts_with("nvidia") || name == "null" || name == "tty")
            || file.starts_with("/proc/self/task") && name == "comm"
    };
    each_run(|run| {
        let own = |file: &PathBuf| run.own.iter().any(|own| file.starts_with(own));
        let writes =
            |line: &&String| ![" execve(", " connect(", " send", " bind("].iter().any(|call| line.contains(call));
        let outside = |line: &&String| files(line).iter().any(|file| !own(file) && !no_file(file));
        run.calls.iter().filter(done).filter(writes).filter(outside).cloned().collect()
    });
}

#[test]
fn the_lines_of_strace_are_read_right() {
    let line = r#"123 openat(AT_FDCWD</tmp/a>, "../b/./c", O_WRONLY|O_CREAT, 0666) = 3</tmp/b/c>"#;
    assert_eq!(files(line), [Path::new("/tmp/b/c")]);
    let line = r#"123 renameat2(3</x>, "one", 4</y>, "/z/two", RENAME_NOREPLACE) = 0"#;
    assert_eq!(files(line), [Path::new("/x/one"), Path::new("/z/two")]);
    assert_eq!(files(r#"9 mkdir("/root/.cache/x", 0777) = 0"#), [Path::new("/root/.cache/x")]);
}
