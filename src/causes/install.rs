//! The command that installs packages, for whoever manages the environment.
//!
//! A page says which packages, and what has to go first: a block ```` ```sh install onnxruntime ```` holds what follows
//! `pip install`. The command is made for the manager: pip, uv, a project of uv, Poetry or PDM (where what is installed by hand
//! lasts until the next sync), pipx, and for Python of the distribution in an environment of its own.

/// Begins a condition that names an installed package: `has torch`.
pub const INSTALLED: &str = "has ";

/// Packages to install, and those to remove before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Install {
    /// Names of what is removed first.
    pub remove: Vec<String>,
    /// What follows `pip install`: quoted requirements, or `{arguments}` with an index.
    pub packages: String,
}

impl Install {
    /// By the words behind `install` in a block's info line, and the text of the block.
    pub fn new<'a>(remove: impl Iterator<Item = &'a str>, packages: &str) -> Install {
        Install { remove: remove.map(str::to_string).collect(), packages: packages.trim().to_string() }
    }

    /// The command, with placeholders, given the words that are true of the environment; nothing where its manager has none.
    pub fn command(&self, tags: &[String]) -> Option<String> {
        let is = |word: &str| tags.iter().any(|tag| tag == word);
        let (old, new) = (self.to_remove(tags), &self.packages);
        // A package of another index: a project has to be told of the index.
        let elsewhere = new.contains("{arguments}") && is("index");
        let named = new.replace("{arguments}", "{specs}");
        let one = |with: &str, remove: &str, add: &str| match old.is_empty() {
            true => add.to_string(),
            false => format!("{remove} {}{with} {add}", old.join(" ")),
        };
        // A project refuses the whole command where one of them is not required by itself.
        let each = |remove: &str, add: &str| {
            let removals: String = old.iter().map(|name| format!("{remove} {name}; ")).collect();
            removals + add
        };
        Some(match () {
            // The new index takes the place of the old one; nothing has to go first.
            () if is("uv") && is("project") && elsewhere => {
                format!("uv add --project {{project}} --index {{index_name}}={{index}} {named}")
            }
            () if is("uv") && is("project") => {
                each("uv remove --project {project}", &format!("uv add --project {{project}} {named}"))
            }
            () if is("uv") => {
                one(";", "uv pip uninstall --python {python}", &format!("uv pip install --python {{python}} {new}"))
            }
            () if is("poetry") && is("project") && elsewhere => {
                let source = "poetry -C {project} source add --priority=explicit {index_name} {index}";
                each(
                    "poetry -C {project} remove",
                    &format!("{source} && poetry -C {{project}} add --source {{index_name}} {named}"),
                )
            }
            () if is("poetry") && is("project") => {
                each("poetry -C {project} remove", &format!("poetry -C {{project}} add {named}"))
            }
            () if is("poetry") && elsewhere => {
                let source = "poetry source add --priority=explicit {index_name} {index}";
                each("poetry remove", &format!("{source} && poetry add --source {{index_name}} {named}"))
            }
            () if is("poetry") => each("poetry remove", &format!("poetry add {named}")),
            () if is("pdm") && elsewhere => return None,
            () if is("pdm") && is("project") => {
                each("pdm remove -p {project}", &format!("pdm add -p {{project}} {named}"))
            }
            () if is("pipx") => {
                one(" &&", "pipx runpip {app} uninstall -y", &format!("pipx runpip {{app}} install {new}"))
            }
            // The system's own packages are left as they are.
            () if is("system") => {
                format!("{{python}} -m venv ~/gpu-env && ~/gpu-env/bin/python -m pip install {new}")
            }
            () => self.by_pip(&old),
        })
    }

    /// The command of pip, for any environment.
    pub fn with_pip(&self) -> String {
        self.by_pip(&self.remove.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn by_pip(&self, remove: &[&str]) -> String {
        let install = format!("{{python}} -m pip install {}", self.packages);
        match remove {
            [] => install,
            old => format!("{{python}} -m pip uninstall -y {} && {install}", old.join(" ")),
        }
    }

    /// What is installed of that which has to go; all of it where nobody listed the packages.
    fn to_remove(&self, tags: &[String]) -> Vec<&str> {
        let has = |name: &&str| tags.iter().any(|tag| tag.strip_prefix(INSTALLED) == Some(*name));
        let listed = tags.iter().any(|tag| tag.starts_with(INSTALLED));
        self.remove.iter().map(String::as_str).filter(|name| !listed || has(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str], remove: &str, packages: &str) -> String {
        let tags: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Install::new(remove.split_whitespace(), packages).command(&tags).unwrap_or_default()
    }

    #[test]
    fn each_manager_has_its_command() {
        let of = |words: &[&str]| command(words, "onnxruntime", "onnxruntime-gpu");
        assert_eq!(of(&["pip"]), "{python} -m pip uninstall -y onnxruntime && {python} -m pip install onnxruntime-gpu");
        assert_eq!(
            of(&["uv"]),
            "uv pip uninstall --python {python} onnxruntime; uv pip install --python {python} onnxruntime-gpu"
        );
        assert_eq!(
            of(&["uv", "project"]),
            "uv remove --project {project} onnxruntime; uv add --project {project} onnxruntime-gpu"
        );
        let two = command(&["poetry", "has b", "has a", "has d"], "a b c", "x");
        assert_eq!(two, "poetry remove a; poetry remove b; poetry add x");
        assert_eq!(
            of(&["poetry", "project"]),
            "poetry -C {project} remove onnxruntime; poetry -C {project} add onnxruntime-gpu"
        );
        assert_eq!(
            of(&["pdm", "project"]),
            "pdm remove -p {project} onnxruntime; pdm add -p {project} onnxruntime-gpu"
        );
        assert!(of(&["pipx"]).starts_with("pipx runpip {app} uninstall -y onnxruntime && pipx runpip {app} install"));
        assert!(of(&["system"]).starts_with("{python} -m venv ~/gpu-env && "));
    }

    #[test]
    fn an_index_is_told_to_the_project() {
        let of = |words: &[&str]| command(words, "", "{arguments}");
        assert_eq!(of(&["pip", "index"]), "{python} -m pip install {arguments}");
        assert_eq!(of(&["uv", "project", "index"]), "uv add --project {project} --index {index_name}={index} {specs}");
        assert!(
            of(&["poetry", "project", "index"]).contains("source add --priority=explicit {index_name} {index} && ")
        );
        assert_eq!(of(&["pdm", "project", "index"]), "");
        assert_eq!(of(&["pdm", "project"]), "pdm add -p {project} {specs}");
    }
}
