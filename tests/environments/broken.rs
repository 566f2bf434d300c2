//! Interpreters that are broken, or that something at their start changes: each kind is told apart from the others.

use crate::Home;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// The interpreter of the tester behind its links, as the base of real environments.
fn base() -> PathBuf {
    let script = "import os, sys; print(os.path.realpath(sys.executable))";
    let output = std::process::Command::new("python3").args(["-c", script]).output().expect("python3");
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

impl Home {
    /// An active environment in `venv`, with the tester's interpreter.
    fn real_venv(self) -> Home {
        let base = base();
        self.file("venv/pyvenv.cfg", &format!("home = {}\n", base.parent().expect("a folder").display()));
        std::fs::create_dir_all(self.at("venv/bin")).expect("create a folder");
        symlink(&base, self.at("venv/bin/python")).expect("make a link");
        self.with("VIRTUAL_ENV", "venv")
    }

    /// The folder with packages of that environment.
    fn packages(&self) -> String {
        let base = base();
        let name = base.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
        format!("venv/lib/{name}/site-packages")
    }
}

/// Only what the interpreters say: the rest of this machine has its own tests.
const PYTHON_ONLY: &[&str] = &["--only", "framework", "--timeout", "4"];

#[test]
fn a_broken_interpreter_is_told_apart_from_others() {
    // The base of a virtual environment is gone: bin/python leads nowhere.
    let home = Home::new().with("VIRTUAL_ENV", "venv");
    home.file("venv/pyvenv.cfg", "home = /opt/gone/bin\nversion = 3.11.7\n");
    std::fs::create_dir_all(home.at("venv/bin")).unwrap();
    symlink("python3", home.at("venv/bin/python")).unwrap();
    symlink("/opt/gone/bin/python3", home.at("venv/bin/python3")).unwrap();
    let found = home.check(PYTHON_ONLY);
    assert_eq!(found.slugs()[0], "python-base-missing", "{}", found.text);
    assert!(found.text.contains("/opt/gone/bin/python3"), "{}", found.text);
    assert_eq!(home.check(&["--quick"]).slugs().iter().filter(|slug| **slug == "python-base-missing").count(), 1);

    // It is a program for another processor.
    let home = Home::new();
    let mut program = std::fs::read("/bin/true").unwrap();
    // e_machine: of LoongArch, which no tester has.
    program[18..20].copy_from_slice(&258u16.to_le_bytes());
    home.venv("venv");
    std::fs::write(home.at("venv/bin/python"), program).unwrap();
    let home = home.with("VIRTUAL_ENV", "venv");
    let found = home.check(PYTHON_ONLY);
    assert_eq!(found.slugs(), ["python-wrong-architecture"], "{}", found.text);
    assert!(found.text.contains("loongarch64"), "{}", found.text);

    // It is no program at all.
    let home = Home::new();
    home.venv("venv");
    let found = home.with("VIRTUAL_ENV", "venv").check(PYTHON_ONLY);
    assert_eq!(found.slugs(), ["python-interpreter-broken"], "{}", found.text);

    // It does not find its own library.
    let home = Home::new().real_venv().with("PYTHONHOME", "nothing");
    let found = home.check(PYTHON_ONLY);
    assert_eq!(found.slugs(), ["python-without-standard-library"], "{}", found.text);
    assert!(found.text.contains("unset PYTHONHOME"), "{}", found.text);

    // It does not find `site`. Since 3.11 that module lies within the program, so these are the words of a real 3.10 whose
    // file is gone.
    let home = Home::new();
    home.venv("venv").program(
        "venv/bin/python",
        "#!/bin/sh\necho 'Fatal Python error: init_import_site: Failed to import the site module\n\
         Python runtime state: initialized\nModuleNotFoundError: No module named '\\''site'\\''\n\n\
         Current thread 0x00007f2805851b80 (most recent call first):\n  <no Python frame>' >&2\nexit 1\n",
    );
    let found = home.with("VIRTUAL_ENV", "venv").check(PYTHON_ONLY);
    assert_eq!(found.slugs(), ["python-without-standard-library"], "{}", found.text);
    assert!(found.text.contains("No module named 'site'"), "{}", found.text);

    // `site` itself fails: it reads the settings of the environment, which are no text.
    let home = Home::new().real_venv();
    let settings = [std::fs::read(home.at("venv/pyvenv.cfg")).unwrap(), b"prompt = \xff\xfe\n".to_vec()].concat();
    std::fs::write(home.at("venv/pyvenv.cfg"), settings).unwrap();
    let found = home.check(PYTHON_ONLY);
    assert_eq!(found.slugs(), ["python-startup-code-interferes"], "{}", found.text);
    assert!(found.text.contains("Failed to import the site module"), "{}", found.text);
}

#[test]
fn code_at_the_start_of_an_interpreter_is_named_for_what_it_does() {
    let cases = [
        ("import os; os._exit(7)", "python-startup-code-interferes", "it exits with status 7"),
        ("import time; time.sleep(60)", "python-startup-code-interferes", "does not answer within 4 s"),
        // Without an end of line it stands before the first thing that the doctor's own script says.
        ("import os; os.write(1, b'welcome')", "python-startup-code-interferes", "welcome"),
        ("import time; time.sleep(2.5)", "python-slow-to-start", "s until it answered"),
    ];
    for (code, slug, words) in cases {
        let home = Home::new().real_venv();
        home.file(&format!("{}/sitecustomize.py", home.packages()), code);
        let found = home.check(PYTHON_ONLY);
        assert!(found.slugs().contains(&slug), "{code}: {:?}\n{}", found.slugs(), found.text);
        assert!(found.text.contains(words), "{code}\n{}", found.text);
        let answered = found.facts("python.interpreter").count();
        assert_eq!(answered, usize::from(!code.contains("exit") && !code.contains("60")), "{code}");
    }
    let home = Home::new().real_venv();
    let slugs: Vec<String> = home.check(PYTHON_ONLY).slugs().iter().map(|slug| slug.to_string()).collect();
    assert!(!slugs.iter().any(|slug| slug.starts_with("python-")), "{slugs:?}");
}

#[test]
fn a_folder_that_python_looks_into_by_two_names_is_read_once() {
    let home = Home::new().real_venv();
    let packages = home.packages();
    home.file(&format!("{packages}/torch-2.5.1.dist-info/METADATA"), "Name: torch\nVersion: 2.5.1\n");
    std::os::unix::fs::symlink("lib", home.at("venv/lib-again")).unwrap();
    let again = home.at(&packages.replacen("venv/lib/", "venv/lib-again/", 1)).display().to_string();
    home.file(&format!("{packages}/again.pth"), &format!("{again}\n"));
    let found = home.check(&[PYTHON_ONLY, &["--python", &home.at("venv").display().to_string()]].concat());
    assert_eq!(found.facts("python.package").count(), 1, "{}", found.text);
}

#[test]
fn what_a_wrapper_does_is_not_blamed_on_pythons_start() {
    let home = Home::new().real_venv();
    let python = home.at("venv/bin/python").display().to_string();
    home.file(&format!("{}/sitecustomize.py", home.packages()), "");
    home.program("banner/python", &format!("#!/bin/sh\necho Welcome to the cluster\nexec {python} \"$@\"\n"));
    home.program("module/python", "#!/bin/sh\necho There is no module of that name\nexit 7\n");
    let check = |folder: &str| {
        let program = home.at(folder).join("python").display().to_string();
        home.check(&[PYTHON_ONLY, &["--python", &program]].concat())
    };
    let banner = check("banner");
    assert!(!banner.slugs().contains(&"python-startup-code-interferes"), "{}", banner.text);
    assert_eq!(banner.facts("python.interpreter").count(), 1);
    let module = check("module");
    let text = module.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("exited with status 7: There is no module of that name"), "{text}");
}

#[test]
fn a_conda_environment_that_would_set_library_paths_is_noted_while_it_is_not_activated() {
    let home = Home::new();
    home.conda("conda/envs/tf");
    home.file("conda/envs/tf/etc/conda/activate.d/env_vars.sh", "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib\n");
    let folder = home.at("conda/envs/tf").display().to_string();
    let found = home.check(&["--quick", "--python", &folder]);
    assert!(found.slugs().contains(&"conda-environment-not-activated"), "{}", found.text);
    assert!(found.text.contains(&format!("conda activate {folder}")), "{}", found.text);
    let home = home.with("CONDA_PREFIX", "conda/envs/tf");
    let found = home.check(&["--quick"]);
    assert!(!found.slugs().contains(&"conda-environment-not-activated"), "{}", found.text);
}
