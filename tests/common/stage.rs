//! Running the program among the lab's real parts: libraries on the loader's path, staged device nodes, other users.
//!
//! A run has a HOME and a TMPDIR of its own, in which it must leave nothing, and an environment that holds nothing else of
//! the tester's. Its snapshot is judged again with `--from`, which must give the same report.
#![allow(clippy::disallowed_methods, dead_code)]

use super::program::copy_program;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// The user that owns nothing.
pub const NOBODY: u32 = 65534;

/// Nodes that open. A node of the real numbers has no driver behind it here and gives ENXIO, so these are /dev/null's.
pub const OPEN_NODES: &str =
    "for n in nvidiactl nvidia0 nvidia-uvm nvidia-uvm-tools; do mknod -m 666 $DEV/$n c 1 3; done";
/// The real numbers of the control node and of the first GPU, and an UVM node that opens.
pub const REAL_NODES: &str = "mknod -m 666 $DEV/nvidiactl c 195 255; mknod -m 666 $DEV/nvidia0 c 195 0; \
     mknod -m 666 $DEV/nvidia-uvm c 1 3; mknod -m 666 $DEV/nvidia-uvm-tools c 1 3";
/// The same nodes for root and the group video alone.
pub const NODES_OF_A_GROUP: &str = "mknod $DEV/nvidiactl c 195 255; mknod $DEV/nvidia0 c 195 0; \
     mknod $DEV/nvidia-uvm c 510 0; mknod $DEV/nvidia-uvm-tools c 510 1; chmod 660 $DEV/nvidia*; chown root:video $DEV/nvidia*";

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of a part of the lab, fetched if it is not there.
pub fn part(name: &str) -> PathBuf {
    static FETCHED: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut fetched = FETCHED.lock().unwrap_or_else(|e| e.into_inner());
    let folder = fetched.entry(name.to_string()).or_insert_with(|| {
        let output = Command::new("bash").arg(repository().join("tests/lab/fetch")).arg(name).output().expect("bash");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the part {name} of the lab could not be had:\n{said}");
        PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
    });
    folder.clone()
}

/// Ends a test that cannot be had without root; leaving it out would show green for what nobody tried.
pub fn needs_root() {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    assert!(root, "this test stages device nodes, mounts and control groups: run it as root");
}

/// A folder that every user can read, with the lab's fakes and a scenario.
pub fn fakes(scenario: &str) -> TempDir {
    let folder = public_folder();
    let build = Command::new("bash").arg(repository().join("tests/lab/fakes/build")).arg(folder.path()).output();
    let build = build.expect("bash");
    assert!(build.status.success(), "the fakes do not build: {}", String::from_utf8_lossy(&build.stderr));
    std::fs::write(folder.path().join("scenario"), scenario).expect("write the scenario");
    folder
}

/// Builds a shared library of the lab.
pub fn shared_library(source: &str) -> TempDir {
    let folder = public_folder();
    let output = folder.path().join("library.so");
    let source = repository().join("tests/lab").join(source);
    let status = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(output).arg(source).status();
    assert!(status.expect("cc").success(), "it does not build");
    folder
}

/// A temporary folder that every user can read.
pub fn public_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    open_to_all(folder.path(), 0o755);
    folder
}

/// Sets permissions, for a user who is not the tester.
pub fn open_to_all(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set the permissions");
}

/// The program where every user can run it: the checkout may lie in a home folder.
fn public_program() -> &'static Path {
    static COPY: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = COPY.get_or_init(|| {
        let folder = public_folder();
        let path = folder.path().join("gpu-doctor");
        copy_program(env!("CARGO_BIN_EXE_gpu-doctor"), &path);
        open_to_all(&path, 0o755);
        (folder, path)
    });
    path
}

/// One run of `gpu-doctor check`, as it is put together.
pub struct Check {
    setup: Option<String>,
    mounts: Vec<String>,
    through: Vec<OsString>,
    program: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    arguments: Vec<OsString>,
    scratch: TempDir,
}

impl Default for Check {
    fn default() -> Check {
        Check::new()
    }
}

impl Check {
    /// A run on this machine as it is.
    pub fn new() -> Check {
        let scratch = public_folder();
        for name in ["home", "tmp", "out"] {
            let folder = scratch.path().join(name);
            std::fs::create_dir(&folder).expect("create a folder");
            open_to_all(&folder, 0o777);
        }
        std::fs::write(scratch.path().join("home/notes"), "mine\n").expect("write a file");
        let mut check = Check {
            setup: None,
            mounts: Vec::new(),
            through: Vec::new(),
            program: PathBuf::from(env!("CARGO_BIN_EXE_gpu-doctor")),
            environment: BTreeMap::new(),
            arguments: Vec::new(),
            scratch,
        };
        let (home, tmp) = (check.scratch.path().join("home"), check.scratch.path().join("tmp"));
        for (name, value) in [("HOME", home), ("TMPDIR", tmp), ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin".into())] {
            check = check.variable(name, value);
        }
        check
    }

    /// Judges the files of a described machine, and starts children on this one.
    pub fn on(self, tree: &Path) -> Check {
        open_to_all(tree, 0o755);
        self.argument("--root-live").argument("--root").argument(tree)
    }

    /// A /dev of its own, in which this line of bash makes the NVIDIA nodes.
    pub fn dev(mut self, setup: &str) -> Check {
        self.setup.get_or_insert_default().push_str(&format!("{setup}\n"));
        self
    }

    /// Shows a folder of the tester's at another place, which the run alone sees.
    pub fn mount(mut self, from: &Path, to: &Path) -> Check {
        std::fs::create_dir_all(to).expect("create the folder");
        self.mounts.push(format!("mount --bind '{}' '{}'", from.display(), to.display()));
        self
    }

    /// Shows the interpreter behind an environment to a user who may not enter the tester's home folder: the home folder
    /// is covered, and the interpreter shown in it. `stage` is a folder of the test's.
    pub fn interpreter_of(mut self, environment: &Path, stage: &Path) -> Check {
        let program = std::fs::canonicalize(environment.join("bin/python")).expect("an interpreter");
        let base = program.ancestors().nth(2).expect("a prefix").to_path_buf();
        let Some(home) = ["/root", "/home"].into_iter().find(|home| base.starts_with(home)) else { return self };
        let aside = stage.join("interpreter");
        self = self.mount(&base, &aside);
        self.mounts.push(format!("mount -t tmpfs -o mode=755 home {home}; mkdir -p '{}'", base.display()));
        self.mounts.push(format!("mount --bind '{}' '{}'", aside.display(), base.display()));
        self
    }

    /// Runs through another program, as `setpriv`.
    pub fn through<S: Into<OsString>>(mut self, command: impl IntoIterator<Item = S>) -> Check {
        self.through.extend(command.into_iter().map(Into::into));
        self
    }

    /// Runs as a user without any right.
    pub fn by_nobody(mut self) -> Check {
        self.program = public_program().to_path_buf();
        self.through(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    }

    /// Sets a variable.
    pub fn variable(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Check {
        self.environment.insert(name.as_ref().into(), value.as_ref().into());
        self
    }

    /// NVIDIA's real user space of a branch: its libraries on LD_LIBRARY_PATH, its nvidia-smi on PATH.
    pub fn driver(self, branch: &str) -> Check {
        let part = part(&format!("driver-{branch}"));
        self.driver_in(&part)
    }

    /// The same, from another folder with `lib` and `bin`.
    pub fn driver_in(self, folder: &Path) -> Check {
        let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", folder.join("bin").display());
        self.variable("LD_LIBRARY_PATH", folder.join("lib")).variable("PATH", path)
    }

    /// Libraries where the loader looks by itself: a cache that names this folder first.
    pub fn loader_finds(self, folder: &Path) -> Check {
        self.dev(&format!(
            "printf '{}\\ninclude /etc/ld.so.conf\\n' >$DEV/conf; ldconfig -f $DEV/conf -C $DEV/cache; \
             mount --bind $DEV/cache /etc/ld.so.cache; rm $DEV/conf $DEV/cache",
            folder.display()
        ))
    }

    /// A library that the loader puts into every program of the run, without a variable that says so.
    pub fn preloaded(self, library: &Path) -> Check {
        self.dev(&format!(
            "cp -a /etc $DEV/etc; echo '{}' >$DEV/etc/ld.so.preload; mount --bind $DEV/etc /etc",
            library.display()
        ))
    }

    /// An argument of `check`.
    pub fn argument(mut self, argument: impl Into<OsString>) -> Check {
        self.arguments.push(argument.into());
        self
    }

    /// Only what the driver gives: no Python is asked.
    pub fn without_frameworks(self) -> Check {
        self.argument("--skip").argument("framework").argument("--skip").argument("tensor")
    }

    /// The environment with this Python.
    pub fn python(self, prefix: &Path) -> Check {
        self.argument("--python").argument(prefix.join("bin/python"))
    }

    /// The folder of this run: `home`, `tmp`, and `out` for the snapshot.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Runs it, and judges its snapshot once more.
    pub fn run(self) -> Seen {
        let snapshot = self.scratch.path().join("out/snapshot.json");
        let before = trace(&self.scratch.path().join("home"));
        let output = self.command(&snapshot).output().expect("it starts");
        let seen = Seen::of_snapshot(&output, &snapshot);
        assert_unchanged(&self.scratch.path().join("home"), &before);
        let left = trace(&self.scratch.path().join("tmp"));
        assert!(left.is_empty(), "something was left in TMPDIR: {left:?}");
        seen
    }

    fn command(&self, snapshot: &Path) -> Command {
        let mut words: Vec<OsString> = Vec::new();
        let mounts = &self.mounts;
        if let Some(setup) = &self.setup {
            words.push(repository().join("tests/lab/with-dev").into());
            words.push(format!("{}\n{setup}", mounts.join("\n")).into());
        } else if !mounts.is_empty() {
            let script = format!("set -e\n{}\nexec \"$@\"", mounts.join("\n"));
            words.extend(["unshare", "--mount", "--propagation", "private", "bash", "-c"].map(OsString::from));
            words.extend([script.into(), "stage".into()]);
        }
        words.extend(self.through.iter().cloned());
        // The loader's variables are for the program, not for those before it.
        words.push("env".into());
        for (name, value) in &self.environment {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            words.push(pair);
        }
        words.extend([self.program.clone().into(), "check".into(), "--json".into(), "--save".into(), snapshot.into()]);
        words.extend(self.arguments.iter().cloned());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.current_dir(self.scratch.path());
        command
    }
}

fn terminal(snapshot: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-doctor"));
    command.env_clear().env("COLUMNS", "100").args(["check", "--color", "never", "--from"]).arg(snapshot);
    String::from_utf8(command.output().expect("it starts").stdout).expect("text")
}

/// What a run gave.
pub struct Seen {
    /// Exit status.
    pub code: i32,
    /// The report.
    pub report: Value,
    /// What a terminal shows of it.
    pub text: String,
}

impl Seen {
    fn of(output: &Output) -> Seen {
        let stdout = String::from_utf8(output.stdout.clone()).expect("UTF-8");
        let stderr = String::from_utf8_lossy(&output.stderr);
        // One document, and nothing before or after it.
        let report: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("stdout is no document: {e}\n{stdout}\n{stderr}"));
        Seen { code: output.status.code().expect("an exit status"), report, text: String::new() }
    }

    /// What a run gave that was started otherwise, and the same from its snapshot.
    pub fn of_snapshot(output: &Output, snapshot: &Path) -> Seen {
        let seen = Seen::of(output);
        seen.same_from(snapshot);
        Seen { text: terminal(snapshot), ..seen }
    }

    /// A report, judged by the facts that are in it.
    pub fn judged(report: &Value) -> Seen {
        let folder = tempfile::tempdir().expect("a folder");
        let snapshot = folder.path().join("snapshot.json");
        std::fs::write(&snapshot, report.to_string()).expect("write");
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-doctor"));
        let output =
            command.env_clear().args(["check", "--json", "--from"]).arg(&snapshot).output().expect("it starts");
        Seen { text: terminal(&snapshot), ..Seen::of(&output) }
    }

    /// The snapshot gives the same report, times aside.
    fn same_from(&self, snapshot: &Path) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-doctor"));
        let output = command.env_clear().args(["check", "--json", "--from"]).arg(snapshot).output().expect("it starts");
        let again = Seen::of(&output);
        assert_eq!(again.code, self.code, "the snapshot gives another exit status");
        assert_eq!(timeless(&again.report), timeless(&self.report), "the snapshot gives another report");
    }

    /// The verdict.
    pub fn verdict(&self) -> &str {
        self.report["verdict"].as_str().expect("a verdict")
    }

    /// The root causes of a severity: group, slug, confidence.
    pub fn causes(&self, severity: &str) -> Vec<(u64, &str, &str)> {
        let causes = self.report["root_causes"].as_array().expect("a list");
        let causes = causes.iter().filter(|cause| cause["severity"] == severity);
        causes
            .map(|c| {
                let (slug, confidence) = (c["slug"].as_str(), c["confidence"].as_str());
                (c["group"].as_u64().expect("a group"), slug.expect("a slug"), confidence.expect("a confidence"))
            })
            .collect()
    }

    /// The errors among the root causes.
    pub fn errors(&self) -> Vec<(u64, &str, &str)> {
        self.causes("error")
    }

    /// One root cause.
    pub fn cause(&self, slug: &str) -> &Value {
        let causes = self.report["root_causes"].as_array().expect("a list");
        causes.iter().find(|cause| cause["slug"] == slug).unwrap_or_else(|| panic!("no {slug}:\n{}", self.text))
    }

    /// The commands that a root cause gives.
    pub fn commands(&self, slug: &str) -> Vec<&str> {
        let steps = self.cause(slug)["remedy"]["steps"].as_array().expect("steps");
        steps.iter().filter_map(|step| step["command"].as_str()).collect()
    }

    /// What a root cause rests on.
    pub fn evidence(&self, slug: &str) -> Vec<&str> {
        let evidence = self.cause(slug)["evidence"].as_array().expect("evidence");
        evidence.iter().filter_map(|e| e["text"].as_str()).collect()
    }

    /// Status and symptoms of the rows of a check.
    pub fn row(&self, id: &str) -> Vec<(&str, Vec<&str>)> {
        let rows = self.report["checks"].as_array().expect("rows");
        let rows = rows.iter().filter(|row| row["id"] == id);
        rows.map(|row| {
            let symptoms = row["symptoms"].as_array().map(Vec::as_slice).unwrap_or_default();
            (row["status"].as_str().expect("a status"), symptoms.iter().filter_map(Value::as_str).collect())
        })
        .collect()
    }

    /// The first fact with this key, of the run itself and not of an experiment.
    pub fn fact(&self, key: &str) -> &Value {
        self.facts(key).first().copied().unwrap_or(&Value::Null)
    }

    /// The facts with this key.
    pub fn facts(&self, key: &str) -> Vec<&Value> {
        self.report["facts"].as_array().expect("facts").iter().filter(|fact| fact["key"] == key).collect()
    }
}

/// A report without its times.
fn timeless(report: &Value) -> Value {
    let mut report = report.clone();
    if let Some(map) = report.as_object_mut() {
        map.remove("created_at");
    }
    for row in report["checks"].as_array_mut().into_iter().flatten() {
        if let Some(map) = row.as_object_mut() {
            map.remove("duration_ms");
        }
    }
    report
}

/// Every file below a folder with what would show a change: kind and mode, owner, size, device number, and (but for /dev,
/// where opening a terminal sets it) the time of the last change.
pub fn trace(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
            let in_dev = path.starts_with("/dev");
            // Other programs come and go there.
            let elsewhere = ["/dev/pts", "/dev/shm", "/dev/mqueue"].iter().any(|other| path.starts_with(other));
            if meta.is_dir() && !elsewhere {
                folders.push(path.clone());
            }
            let times = if in_dev { (0, 0) } else { (meta.mtime(), meta.mtime_nsec()) };
            let size = if meta.is_dir() || in_dev { 0 } else { meta.size() };
            let numbers = (meta.mode(), meta.uid(), meta.gid(), size, meta.rdev());
            if !elsewhere {
                found.insert(path, format!("{numbers:?} {times:?}"));
            }
        }
    }
    found
}

/// Fails where a folder is no longer as it was, and says what differs.
pub fn assert_unchanged(folder: &Path, before: &BTreeMap<PathBuf, String>) {
    let after = trace(folder);
    let differing: Vec<String> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| format!("{}: {:?} -> {:?}", path.display(), before.get(path), after.get(path)))
        .collect();
    assert!(differing.is_empty(), "{} changed: {differing:#?}", folder.display());
}
