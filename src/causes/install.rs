//! The command that installs packages, for whoever manages the environment.
//!
//! A page says which packages, and what has to go first: a block ```` ```sh install onnxruntime ```` holds what follows
//! `pip install`, ```` ```sh upgrade ```` the same for a newer release of what is there, ```` ```sh reinstall ```` the same for
//! files that are there and broken, ```` ```sh remove torch ```` what only has to go, and ```` ```sh conda ```` packages of
//! conda-forge. The command is made for the manager: pip, uv, a project of uv, Poetry or PDM (where what is installed by hand
//! lasts until the next sync), pipx, hatch, conda, pixi, and for Python of the distribution in an environment of its own.

mod conda;

use super::page::Step;

/// Begins a condition that names an installed package: `has torch`.
pub const INSTALLED: &str = "has ";
/// Begins one that names a package that pip put into an environment of conda: `pip torch`.
pub const BY_PIP: &str = "pip ";

/// Where the packages of a block come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// From PyPI or another index for pip.
    #[default]
    Add,
    /// The same, and newer than what is there.
    Upgrade,
    /// The same, and in place of what is there, of which the files are broken.
    Again,
    /// Nothing new: what is named has to go.
    Remove,
    /// From conda-forge.
    Conda,
}

impl How {
    /// By a word of a block's info line.
    pub fn named(word: &str) -> Option<How> {
        Some(match word {
            "install" => How::Add,
            "upgrade" => How::Upgrade,
            "reinstall" => How::Again,
            "remove" => How::Remove,
            "conda" => How::Conda,
            _ => return None,
        })
    }
}

/// Packages to install, and those to remove before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Install {
    /// Where they come from.
    pub how: How,
    /// Names of what is removed first.
    pub remove: Vec<String>,
    /// What follows `pip install`: quoted requirements, or `{arguments}` with an index.
    pub packages: String,
}

/// What goes before the address of an index.
const INDEX: [&str; 2] = [" --index-url ", " --extra-index-url "];
/// Has no wheel compiled here, which would be one without CUDA; an index of its own has wheels only.
const ONLY_WHEELS: &str = " --only-binary ";
/// Options of pip that projects have no word for.
const PIP_ONLY: [&str; 2] = ["--no-cache-dir", "--no-build-isolation"];

/// A command, and whether the next one waits for it to succeed.
type Command = (String, bool);

impl Install {
    /// By the words behind `install` in a block's info line, and the text of the block.
    pub fn new<'a>(how: How, remove: impl Iterator<Item = &'a str>, packages: &str) -> Install {
        Install { how, remove: remove.map(str::to_string).collect(), packages: packages.trim().to_string() }
    }

    /// The steps, with placeholders, given the words that are true of the environment; none where its manager has no command.
    pub fn steps(&self, step: &Step, tags: &[String]) -> Vec<Step> {
        let is = |word: &str| tags.iter().any(|tag| tag == word);
        let commands = match self.how {
            How::Conda => conda::commands(self, tags),
            _ => self.commands(tags),
        };
        let Some(commands) = commands.filter(|commands| !commands.is_empty()) else { return Vec::new() };
        let mut told = Step { command: Some(joined(&commands, is("windows"))), ..step.clone() };
        let say = |text: &str| Step { text: text.to_string(), ..Step::default() };
        let mut steps = Vec::new();
        let elsewhere = self.index(tags).filter(|_| self.how != How::Conda);
        if is("pdm") && elsewhere.is_some() {
            let (index, name) = elsewhere.clone().unwrap_or_default();
            let names: Vec<String> = self.names().iter().map(|name| format!("\"{name}\"")).collect();
            steps.push(say(&format!(
                "In `pyproject.toml` name the index of the build: a `[[tool.pdm.source]]` with `name = \"{name}\"`, `url = \"{index}\"` \
                 and `include_packages = [{}]`, and take them out of another source's list.",
                names.join(", ")
            )));
        }
        if let Some(tool) = ["poetry", "pdm", "pixi"].iter().find(|tool| is(tool) && !is("project") && !is("global")) {
            told.text = format!("{} Run it in the folder of {tool}'s project.", colon_to_stop(&told.text));
        }
        if is("system") && is("apt") {
            steps.push(Step {
                text:
                    "Debian and Ubuntu have the module `venv` in a package of its own. If it is missing, install that:"
                        .to_string(),
                command: Some("sudo apt install python3-venv".to_string()),
                root: true,
                ..Step::default()
            });
        }
        steps.push(told);
        if is("uv") && is("project") && elsewhere.is_some() {
            steps.push(Step {
                command: Some(joined(&[
                    ("uv lock --project {project}".to_string(), true),
                    (format!("uv sync --project {{project}} --reinstall-package {}", self.first_name()), true),
                ], is("windows"))),
                ..say("Below the new index in `pyproject.toml` add `explicit = true`, so that nothing else comes from it, and lock again:")
            });
        }
        if is("hatch") {
            steps.push(say(
                "Write the same requirement under `dependencies` in `[tool.hatch.envs.default]` of `pyproject.toml`, and an index as \
                 `PIP_EXTRA_INDEX_URL` under `[tool.hatch.envs.default.env-vars]`: hatch makes its environments anew from there.",
            ));
        }
        if let (true, Some(python)) = (is("kernel"), moved(tags)) {
            steps.push(Step {
                command: Some(joined(
                    &[
                        (format!("{python} -m pip install ipykernel"), true),
                        (format!("{python} -m ipykernel install --user --name gpu-env"), true),
                    ],
                    is("windows"),
                )),
                ..say("Make the new environment a kernel, and choose `gpu-env` in the notebook:")
            });
        }
        steps
    }

    /// The command of pip or conda, for an environment of which nothing is known.
    pub fn plain(&self) -> String {
        let commands = match self.how {
            How::Conda => conda::plain(self),
            How::Remove => vec![(format!("{{python}} -m pip uninstall -y {}", self.remove.join(" ")), true)],
            _ => self.by_pip(&self.remove.iter().map(String::as_str).collect::<Vec<_>>()),
        };
        joined(&commands, false)
    }

    fn commands(&self, tags: &[String]) -> Option<Vec<Command>> {
        let is = |word: &str| tags.iter().any(|tag| tag == word);
        let (old, index) = (self.to_remove(tags), self.index(tags));
        // A project does not know what pip alone does, as to leave its cache aside.
        if (is("poetry") || is("pdm")) && self.packages.split_whitespace().any(|word| PIP_ONLY.contains(&word)) {
            return Some(self.by_pip(&old));
        }
        let new = match self.how {
            How::Again if is("uv") => format!("--no-cache {} {}", self.options("--reinstall-package"), self.packages),
            _ => self.arguments_of_pip(),
        };
        let named = self.specs();
        let one = |waits: bool, remove: &str, with: &str, add: String| {
            let first = (!old.is_empty()).then(|| (format!("{remove} {}{with}", old.join(" ")), waits));
            first.into_iter().chain([(add, true)]).collect::<Vec<_>>()
        };
        // A project refuses the whole command where one of them is not required by itself.
        let each = |remove: &str, add: Vec<String>| {
            let removals = old.iter().map(|name| (format!("{remove} {name}"), false));
            removals.chain(add.into_iter().map(|command| (command, true))).collect::<Vec<_>>()
        };
        let at = |option: &str| if is("project") { format!(" {option} {{project}}") } else { String::new() };
        let again = self.how == How::Again;
        if self.how == How::Remove {
            return Some(self.removal(tags));
        }
        Some(match index {
            _ if again && is("uv") && is("project") => {
                let packages = self.options("--reinstall-package");
                vec![(format!("uv sync --project {{project}} --no-cache {packages}"), true)]
            }
            _ if again && (is("poetry") || is("pdm")) => {
                let names = self.names().join(" ");
                let put =
                    if is("poetry") { format!("poetry{} install", at("-C")) } else { format!("pdm sync{}", at("-p")) };
                vec![(format!("{{python}} -m pip uninstall -y {names}"), true), (put, true)]
            }
            // The new index takes the place of the old one; nothing has to go first.
            Some((url, name)) if is("uv") && is("project") => {
                vec![(format!("uv add --project {{project}} --index {name}={url} {named}"), true)]
            }
            None if is("uv") && is("project") => {
                let newer =
                    if self.how == How::Upgrade { self.options("--upgrade-package") + " " } else { String::new() };
                each("uv remove --project {project}", vec![format!("uv add --project {{project}} {newer}{named}")])
            }
            _ if is("uv") => one(
                false,
                "uv pip uninstall --python {python}",
                "",
                format!("uv pip install --python {{python}} {new}"),
            ),
            Some((url, name)) if is("poetry") => {
                let at = at("-C");
                let source = format!("poetry{at} source add --priority=explicit {name} {url}");
                each(&format!("poetry{at} remove"), vec![source, format!("poetry{at} add --source {name} {named}")])
            }
            None if is("poetry") => {
                let at = at("-C");
                let bare = |word: &str| self.how == How::Upgrade && !word.contains(['"', '[', '=', '{']);
                let latest = |word: &str| if bare(word) { format!("{word}@latest") } else { word.to_string() };
                let named = named.split_whitespace().map(latest).collect::<Vec<_>>().join(" ");
                each(&format!("poetry{at} remove"), vec![format!("poetry{at} add {named}")])
            }
            _ if is("pdm") => {
                let at = at("-p");
                let newer = if self.how == How::Upgrade { " --update-eager --unconstrained" } else { "" };
                each(&format!("pdm remove{at}"), vec![format!("pdm add{at}{newer} {named}")])
            }
            _ if is("pipx") => {
                one(true, "pipx runpip {app} uninstall -y", "", format!("pipx runpip {{app}} install {new}"))
            }
            // The system's own packages are left as they are.
            _ if is("system") => {
                let (folder, python) = if is("windows") { WINDOWS } else { UNIX };
                vec![
                    (format!("{{python}} -m venv {folder}"), true),
                    (format!("{python} -m pip install {}", self.packages), true),
                ]
            }
            _ => self.by_pip(&old),
        })
    }

    /// Only what is there is taken away: of the system's own packages nothing.
    fn removal(&self, tags: &[String]) -> Vec<Command> {
        let is = |word: &str| tags.iter().any(|tag| tag == word);
        let old = self.to_remove(tags);
        if is("system") || old.is_empty() {
            return Vec::new();
        }
        let at = |option: &str| if is("project") { format!(" {option} {{project}}") } else { String::new() };
        let each = match () {
            () if is("uv") && is("project") => format!("uv remove{}", at("--project")),
            () if is("poetry") => format!("poetry{} remove", at("-C")),
            () if is("pdm") => format!("pdm remove{}", at("-p")),
            () => {
                let all = match () {
                    () if is("uv") => "uv pip uninstall --python {python}",
                    () if is("pipx") => "pipx runpip {app} uninstall -y",
                    () => "{python} -m pip uninstall -y",
                };
                return vec![(format!("{all} {}", old.join(" ")), true)];
            }
        };
        old.iter().map(|name| (format!("{each} {name}"), false)).collect()
    }

    fn by_pip(&self, remove: &[&str]) -> Vec<Command> {
        let install = (format!("{{python}} -m pip install {}", self.arguments_of_pip()), true);
        match remove {
            [] => vec![install],
            old => vec![(format!("{{python}} -m pip uninstall -y {}", old.join(" ")), true), install],
        }
    }

    /// What follows `pip install`.
    fn arguments_of_pip(&self) -> String {
        match self.how {
            How::Upgrade => format!("--upgrade {}", self.packages),
            How::Again => format!("--force-reinstall --no-deps --no-cache-dir {}", self.packages),
            _ => self.packages.clone(),
        }
    }

    /// An option for each package.
    fn options(&self, option: &str) -> String {
        self.names().iter().map(|name| format!("{option} {name}")).collect::<Vec<_>>().join(" ")
    }

    /// The requirements without an index.
    fn specs(&self) -> String {
        let end = INDEX.iter().chain([&ONLY_WHEELS]).filter_map(|option| self.packages.find(option)).min();
        let words = &self.packages[..end.unwrap_or(self.packages.len())];
        words.replace("{arguments}", "{specs}")
    }

    /// Address and name of the index that the packages come from, where it is not PyPI. A project has to be told of it.
    fn index(&self, tags: &[String]) -> Option<(String, String)> {
        if let Some((_, url)) = INDEX.iter().find_map(|option| self.packages.split_once(option)) {
            let name = url.rsplit('/').next().unwrap_or_default();
            let of_torch = url.contains("pytorch.org");
            return Some((url.to_string(), if of_torch { format!("pytorch-{name}") } else { self.first_name() }));
        }
        let told = self.packages.contains("{arguments}") && tags.iter().any(|tag| tag == "index");
        told.then(|| ("{index}".to_string(), "{index_name}".to_string()))
    }

    /// The names of the packages, without versions and extras. Only torch comes from an index of its own.
    fn names(&self) -> Vec<String> {
        if self.packages.contains("{arguments}") || self.packages.contains("{specs}") {
            return ["torch", "torchvision", "torchaudio"].map(str::to_string).to_vec();
        }
        let name = |word: &str| word.trim_matches('"').split(['[', '=', '<', '>', '!', '~']).next().map(str::to_string);
        self.specs().split_whitespace().filter(|word| !word.starts_with("--")).filter_map(name).collect()
    }

    fn first_name(&self) -> String {
        self.names().into_iter().next().unwrap_or_default()
    }

    /// What is installed of that which has to go, a placeholder always; all of it where nobody listed the packages.
    fn to_remove(&self, tags: &[String]) -> Vec<&str> {
        let has = |name: &&str| tags.iter().any(|tag| tag.strip_prefix(INSTALLED) == Some(*name));
        let listed = tags.iter().any(|tag| tag.starts_with(INSTALLED));
        self.remove.iter().map(String::as_str).filter(|name| !listed || name.starts_with('{') || has(name)).collect()
    }
}

/// Folder and interpreter of the environment that stands in for the system's Python.
const UNIX: (&str, &str) = ("~/gpu-env", "~/gpu-env/bin/python");
const WINDOWS: (&str, &str) = ("gpu-env", r"gpu-env\Scripts\python");

/// The interpreter that has the packages after an installation, where it is not the one that was looked at.
pub fn moved(tags: &[String]) -> Option<&'static str> {
    let is = |word: &str| tags.iter().any(|tag| tag == word);
    is("system").then_some(if is("windows") { WINDOWS.1 } else { UNIX.1 })
}

/// Commands one after the other. Windows' two shells have no common way to do that in one line.
fn joined(commands: &[Command], windows: bool) -> String {
    let mut line = String::new();
    for (n, (command, _)) in commands.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| commands.get(n));
        line.push_str(match before {
            None => "",
            Some(_) if windows => "\n",
            Some((_, true)) => " && ",
            Some((_, false)) => "; ",
        });
        line.push_str(command);
    }
    line
}

/// `Install it:` as a sentence that another one follows.
fn colon_to_stop(text: &str) -> String {
    text.strip_suffix(':').map_or(text.to_string(), |text| format!("{text}."))
}

#[cfg(test)]
#[path = "install/tests.rs"]
mod tests;
