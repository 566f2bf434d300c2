//! Where packages are looked for, and which copy of a module an import takes.

use super::super::Chosen;
use super::super::environments::Found;
use super::folders::{self, Folder};
use crate::machine::Machine;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where packages are looked for.
pub struct Places {
    /// The folders, in the order in which an import looks through them.
    folders: Vec<Folder>,
    /// Files with code of editable installs.
    finders: Vec<PathBuf>,
    /// Modules with the folder of each, where the interpreter itself says what an import would find.
    modules: Option<BTreeMap<String, PathBuf>>,
    /// Whether the current directory is left out of the search on request.
    safe: bool,
}

/// A copy of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The folder with its files.
    pub files: PathBuf,
    /// How an import gets to the folder that this one lies in, where that is known.
    pub through: Option<String>,
}

impl Places {
    /// As files tell it.
    pub fn guessed(machine: &Machine, found: &Found) -> Places {
        let search = folders::guess(machine, &found.chosen, &found.prefix, found.about.version.as_deref());
        Places { folders: search.folders, finders: search.finders, modules: None, safe: search.safe }
    }

    /// As an interpreter told it, in its stages `interpreter` and `packages`.
    pub fn told(machine: &Machine, chosen: &Chosen, interpreter: &Value, packages: &Value) -> Places {
        let path = |value: &Value| Some(PathBuf::from(value.as_str()?));
        let prefix = path(&interpreter["prefix"]).unwrap_or_default();
        let search = folders::guess(machine, chosen, &prefix, interpreter["version"].as_str());
        let through = |path: &Path| {
            let same = |folder: &&Folder| folder.path == path || real(machine, &folder.path) == real(machine, path);
            search.folders.iter().find(same).and_then(|folder| folder.through.clone())
        };
        let told = interpreter["sys_path"].as_array().into_iter().flatten().filter_map(path);
        let folders = told.map(|path| Folder { through: through(&path), path }).collect();
        let mut places = Places { folders, finders: search.finders, modules: None, safe: search.safe };
        let module = |(name, at): (&String, &Value)| {
            let files = path(at)?;
            // Of a single file its folder is told: it hides the package, which is looked for behind it.
            let package = files.ends_with(name) || machine.exists(files.join("__init__.py"));
            let behind = || Some(places.in_folders(machine, name).next()?.files);
            Some((name.clone(), if package { files } else { behind()? }))
        };
        places.modules = packages["present"].as_object().map(|all| all.iter().filter_map(module).collect());
        places
    }

    /// The folders.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.path.clone()).collect()
    }

    /// The copy that an import takes.
    pub fn module(&self, machine: &Machine, name: &str) -> Option<Module> {
        if let Some(all) = &self.modules {
            let files = all.get(name)?;
            let folder = files.parent()?;
            let known = self.folders.iter().find(|known| known.path == folder);
            let through = match known {
                Some(folder) => folder.through.clone(),
                None => Some(folders::EDITABLE.to_string()),
            };
            return Some(Module { files: files.clone(), through });
        }
        self.in_folders(machine, name).next().or_else(|| self.editable(machine, name))
    }

    /// Every copy in the folders, in their order.
    fn in_folders<'a>(&'a self, machine: &'a Machine, name: &'a str) -> impl Iterator<Item = Module> + 'a {
        let module = move |folder: &'a Folder| {
            let files = folder.path.join(name);
            let through = folder.through.clone();
            // A folder without it is a namespace, which gives way to any package.
            machine.exists(files.join("__init__.py")).then_some(Module { files, through })
        };
        self.folders.iter().filter_map(module)
    }

    /// The copy of an editable install, which is looked for after all folders.
    fn editable(&self, machine: &Machine, name: &str) -> Option<Module> {
        let text = |file: &PathBuf| machine.text(file).ok();
        let mut mapped = self.finders.iter().filter_map(|file| folders::mapped(&text(file)?, name));
        let files = mapped.find(|files| machine.exists(files.join("__init__.py")))?;
        Some(Module { files, through: Some(folders::EDITABLE.to_string()) })
    }

    /// The copies that an import does not take.
    pub fn others(&self, machine: &Machine, name: &str, taken: &Module) -> Vec<Module> {
        let mut known = vec![real(machine, &taken.files)];
        let others = self.in_folders(machine, name).filter(|module| {
            let real = real(machine, &module.files);
            let new = !known.contains(&real);
            known.push(real);
            new
        });
        others.collect()
    }

    /// A file that a program would import instead, with where it stands in its way: in the current directory, which comes first
    /// for `python -c`, a notebook and a program that lies there; or in a folder of PYTHONPATH.
    pub fn shadow(&self, machine: &Machine, name: &str, taken: &Module) -> Option<(PathBuf, String)> {
        let here = machine.current_dir().filter(|_| !self.safe);
        let file = here.as_ref().and_then(|here| {
            let files = [here.join(name).join("__init__.py"), here.join(format!("{name}.py"))];
            files.into_iter().find(|file| machine.exists(file))
        });
        // It may be the package itself: in its folder, or where it is installed from.
        let itself = |file: &Path| {
            let folder = taken.files.parent().unwrap_or(&taken.files);
            real(machine, file).starts_with(real(machine, folder))
        };
        if let Some(file) = file.filter(|file| !itself(file)) {
            let source =
                here.is_some_and(|here| file.ends_with("__init__.py") && machine.exists(here.join("setup.py")));
            let place = if source { "this source tree" } else { "this directory" };
            return Some((file, format!("import {name} in {place}")));
        }
        let before = self.folders.iter().take_while(|folder| Some(folder.path.as_path()) != taken.files.parent());
        let named = before.filter(|folder| folder.through.as_deref() == Some(folders::PYTHONPATH));
        let mut files = named.map(|folder| folder.path.join(format!("{name}.py")));
        Some((files.find(|file| machine.exists(file))?, folders::PYTHONPATH.to_string()))
    }
}

/// A path behind its links, or as it is where it leads nowhere.
fn real(machine: &Machine, path: &Path) -> PathBuf {
    machine.resolve(path).unwrap_or_else(|_| path.to_path_buf())
}
