//! Pythons that want other wheels than the usual one are told from files, without starting them.

use super::{CLOSED, Home, QUICK};
use serde_json::Value;

#[test]
fn a_python_for_musl_a_free_threaded_one_and_pypy_are_told_apart() {
    let home = Home::new();
    // The loader stands in the first page of a program.
    let elf = |loader: &str| format!("\x7fELF\x02\x01\x01{}{loader}\0", "\0".repeat(500));
    home.venv("project/.venv").program("project/.venv/bin/python", &elf("/lib/ld-musl-x86_64.so.1"));
    home.venv(".virtualenvs/glibc").program(".virtualenvs/glibc/bin/python", &elf("/lib64/ld-linux-x86-64.so.2"));
    home.venv(".virtualenvs/free").file(".virtualenvs/free/lib/python3.14t/site-packages/README", "");
    home.venv(".virtualenvs/usual").file(".virtualenvs/usual/lib/python3.14/site-packages/README", "");
    home.python(".virtualenvs/pypy")
        .file(".virtualenvs/pypy/pyvenv.cfg", &format!("{CLOSED}implementation = PyPy\n"))
        .file(".virtualenvs/pypy/lib/pypy3.11/site-packages/README", "");
    home.python(".pyenv/versions/3.14t-dev").file(".pyenv/versions/3.14t-dev/lib/python3.14t/os.py", "");

    let found = home.check(QUICK);
    let of = |end: &str| -> (Value, Value) {
        let mut all = found.facts("python.environment");
        let fact = all.find(|fact| fact["subject"]["id"].as_str().is_some_and(|id| id.ends_with(end)));
        let value = fact.unwrap_or_else(|| panic!("no {end}"))["value"].clone();
        (value["kind"].clone(), value["version"].clone())
    };
    assert_eq!(of(".venv").0, "musl");
    assert_eq!(of("/glibc").0, Value::Null);
    assert_eq!(of("/free").0, "free-threaded");
    assert_eq!(of("/usual").0, Value::Null);
    assert_eq!(of("/pypy").0, "pypy");
    assert_eq!(of("/3.14t-dev"), ("free-threaded".into(), "3.14".into()));
    // That torch is not there has its reason in the Python.
    let asked = home.check(&["--quick", "--framework", "torch"]);
    let place = |slug: &str| asked.slugs().iter().position(|found| *found == slug);
    let (why, that) = (place("unsupported-python-version"), place("torch-not-installed"));
    assert!(why.is_some() && (that.is_none() || why < that), "{}", asked.text);
    assert!(asked.text.contains("its Python is made for musl"), "{}", asked.text);
}
