//! The kernels of notebooks: `kernels/NAME/kernel.json` in Jupyter's data folders, with the command that starts one and the
//! variables that it is given.

use super::search::{Hint, Search};
use super::{in_use, layout};
use crate::machine::Machine;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A kernel whose interpreter is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name of its folder, by which a notebook refers to it.
    pub name: String,
    /// The interpreter.
    pub program: PathBuf,
    /// The variables that it is started with on top of the server's.
    pub variables: Vec<(String, String)>,
}

/// The kernel of this name (in any case of letters), or what to say instead.
pub fn kernel(machine: &Machine, name: &str) -> Result<Kernel, String> {
    let machine = machine.of_programs();
    let mut search = Search::new(&machine);
    // Jupyter sees the kernels of the environment that it runs in.
    in_use::find(&mut search, true);
    let all = specs(&mut search);
    let Some((folder, place)) = all.iter().find(|(folder, _)| folder.eq_ignore_ascii_case(name)) else {
        let mut known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        known.dedup();
        return Err(match known.is_empty() {
            true => "no notebook kernels were found".to_string(),
            false => format!("there is no such kernel; there are: {}", known.join(", ")),
        });
    };
    let file = place.join("kernel.json");
    let text = machine.text(&file).map_err(|e| format!("{}: {}", file.display(), crate::machine::child::plain(&e)))?;
    read(&search, folder, place, &text)
}

/// Finds the interpreters of all kernels.
pub fn find(search: &mut Search) {
    for (name, place) in specs(search) {
        let Ok(text) = search.machine.text(place.join("kernel.json")) else { continue };
        // A kernel of another language is no Python.
        if let Ok(kernel) = read(search, &name, &place, &text) {
            search.kernel(&kernel, Hint::other(format!("kernel {name}")));
        }
    }
}

/// Every kernel by name, with its folder. Of two of a name the first counts, as it does for Jupyter.
fn specs(search: &mut Search) -> Vec<(String, PathBuf)> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let listed = search.variable("JUPYTER_PATH").unwrap_or_default();
    folders.extend(listed.split(if cfg!(windows) { ';' } else { ':' }).filter(|p| !p.is_empty()).map(PathBuf::from));
    let usual = match () {
        () if cfg!(windows) => search.folder("APPDATA").map(|data| data.join("jupyter")),
        () if cfg!(target_os = "macos") => search.at_home("Library/Jupyter"),
        () => search.data().map(|data| data.join("jupyter")),
    };
    folders.extend(search.folder("JUPYTER_DATA_DIR").or(usual));
    folders.extend(search.prefixes().iter().map(|prefix| prefix.join("share/jupyter")));
    folders.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    let mut all: Vec<(String, PathBuf)> = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_absolute()) {
        let kernels = folder.join("kernels");
        for name in search.entries(&kernels) {
            let place = kernels.join(&name);
            if all.iter().all(|(_, known)| *known != place) && search.machine.exists(place.join("kernel.json")) {
                all.push((name, place));
            }
        }
    }
    all
}

/// What a kernel.json starts.
fn read(search: &Search, name: &str, place: &Path, text: &str) -> Result<Kernel, String> {
    let spec: Value = serde_json::from_str(text).map_err(|e| format!("its kernel.json is not valid: {e}"))?;
    let argv: Vec<&str> = spec["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let python = python_of(&argv)?;
    let program = match Path::new(python) {
        path if path.is_absolute() => path.to_path_buf(),
        path if path.components().count() > 1 || python.starts_with('~') => {
            return Err(format!("it starts {python}, and where that is only the notebook's server knows; {NAME_IT}"));
        }
        // A bare name means the Python that Jupyter runs on, which is the one that the kernel was installed with.
        path => owner(search, place)
            .or_else(|| search.machine.programs(&path.to_string_lossy()).into_iter().next())
            .ok_or_else(|| format!("it starts {python}, which is not on PATH"))?,
    };
    let variables = spec["env"].as_object().into_iter().flatten();
    let variables = variables
        .filter_map(|(name, value)| Some((name.clone(), filled(value.as_str()?, |name| search.machine.variable(name)))))
        .chain(on_the_line(&argv))
        .filter(|(name, _)| !name.is_empty() && !name.contains(['=', '\0']))
        .collect();
    Ok(Kernel { name: name.to_string(), program, variables })
}

/// Programs that start another one on this machine and in their own environment.
const LAUNCHERS: [&str; 9] = ["env", "nice", "ionice", "nohup", "numactl", "setsid", "stdbuf", "taskset", "time"];
/// What helps where a kernel does not tell its Python.
const NAME_IT: &str = "name its Python with --python PATH";

/// The word of a kernel's command that is its Python; of a command that starts one elsewhere (in a container, on another
/// machine, in an environment that it chooses itself), what to say.
fn python_of<'a>(argv: &[&'a str]) -> Result<&'a str, String> {
    let first = argv.first().ok_or("its kernel.json has no argv")?;
    let mut words = argv.iter().copied();
    if argv.get(1..3) == Some(&["-m", "nb_conda_kernels.runner"]) {
        // It activates the environment and starts what follows: the root, the environment, the kernel's own command.
        words.nth(4);
    }
    let python = words.find(|word| is_python(word)).ok_or_else(|| format!("it is no Python: it starts {first}"))?;
    let launcher = first.rsplit('/').next().unwrap_or_default();
    if is_python(first) || LAUNCHERS.contains(&launcher) {
        return Ok(python);
    }
    Err(format!("it starts {first}, and which Python that starts, and where, cannot be told from here; {NAME_IT}"))
}

/// What a kernel's command changes for its Python, as variables: those set by `env NAME=VALUE`, and what Python's own switches
/// (-s, -E, -I, -P) say of where it looks for packages.
fn on_the_line(argv: &[&str]) -> Vec<(String, String)> {
    let (before, after) = argv.split_at(argv.iter().position(|word| is_python(word)).unwrap_or(argv.len()));
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let pairs = before.iter().filter_map(|word| word.split_once('=')).filter(|(name, _)| is_name(name));
    let mut set: Vec<(String, String)> = pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let mut add = |name: &str, value: &str| set.push((name.to_string(), value.to_string()));
    let mut words = after.iter().skip(1);
    while let Some(switches) = words.next().and_then(|word| word.strip_prefix('-')) {
        for (at, switch) in switches.char_indices() {
            if matches!(switch, 'E' | 'I') {
                ["PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONSAFEPATH"]
                    .iter()
                    .for_each(|name| add(name, ""));
            }
            if matches!(switch, 's' | 'I') {
                add("PYTHONNOUSERSITE", "1");
            }
            if matches!(switch, 'P' | 'I') {
                add("PYTHONSAFEPATH", "1");
            }
            match switch {
                // What follows is the program and its own.
                'm' | 'c' | '-' => return set,
                'X' | 'W' if at + 1 == switches.len() => drop(words.next()),
                'X' | 'W' => break,
                _ => {}
            }
        }
    }
    set
}

fn is_python(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name).to_ascii_lowercase();
    let rest = name.strip_prefix("pythonw").or(name.strip_prefix("python"));
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The interpreter of the environment in whose share/jupyter/kernels a kernel lies.
fn owner(search: &Search, place: &Path) -> Option<PathBuf> {
    let prefix = place.ancestors().nth(4)?;
    let share = prefix.join("share/jupyter/kernels");
    if place.parent() != Some(&share) || prefix == Path::new("/usr/local") {
        return None;
    }
    layout::program_in(search.machine, prefix)
}

/// A value with `${NAME}` in it, as Jupyter fills them from its own environment.
fn filled(value: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("${") {
        let Some(length) = rest[at..].find('}') else { break };
        out.push_str(&rest[..at]);
        let name = &rest[at + 2..at + length];
        out.push_str(&variable(name).unwrap_or_else(|| format!("${{{name}}}")));
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_of_a_kernels_python_count_as_variables() {
        let told = |line: &str| {
            let argv: Vec<&str> = line.split(' ').collect();
            let set: Vec<String> = on_the_line(&argv).iter().map(|(name, value)| format!("{name}={value}")).collect();
            set.join(" ")
        };
        assert_eq!(told("/v/bin/python -m ipykernel_launcher -f {connection_file}"), "");
        assert_eq!(told("/v/bin/python -X frozen_modules=off -s -m ipykernel_launcher -E"), "PYTHONNOUSERSITE=1");
        assert_eq!(told("/v/bin/python -Xutf8 -Ps -m x"), "PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1");
        assert_eq!(told("env PYTHONPATH=/a python3 -m x"), "PYTHONPATH=/a");
        let none = "PYTHONPATH= PYTHONHOME= PYTHONNOUSERSITE= PYTHONSAFEPATH=";
        assert_eq!(told("python -E -m x"), none);
        assert_eq!(told("python -I x.py -s"), format!("{none} PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1"));
        assert_eq!(told("R --slave"), "");
    }

    #[test]
    fn a_kernels_command_names_its_python() {
        for word in ["python", "/opt/conda/bin/python3.11", r"C:\env\python.exe", "python3"] {
            assert!(is_python(word), "{word}");
        }
        for word in ["/usr/bin/R", "julia", "pythonista", "bash", ""] {
            assert!(!is_python(word), "{word}");
        }
        for (argv, python) in [
            ("/opt/conda/bin/python -m ipykernel_launcher", Some("/opt/conda/bin/python")),
            ("/usr/bin/env OMP_NUM_THREADS=1 python3 -m ipykernel_launcher", Some("python3")),
            (
                "python -m nb_conda_kernels.runner /opt/conda /opt/conda/envs/a /opt/conda/envs/a/bin/python -m x",
                Some("/opt/conda/envs/a/bin/python"),
            ),
            ("docker run --rm image python -m ipykernel_launcher", None),
            ("/usr/bin/ssh host /opt/env/bin/python3 -m ipykernel_launcher", None),
            ("R --slave", None),
        ] {
            let words: Vec<&str> = argv.split(' ').collect();
            assert_eq!(python_of(&words).ok(), python, "{argv}");
        }
        let variable = |name: &str| (name == "HOME").then(|| "/home/u".to_string());
        assert_eq!(filled("${HOME}/lib:${NO}:$x", variable), "/home/u/lib:${NO}:$x");
        assert_eq!(filled("${HOME", variable), "${HOME");
    }
}
