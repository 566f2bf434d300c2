//! A search for environments: what is found so far, each once, and how far it may go.

use super::{Chosen, Environments, Found, Kernel, condition, layout, pyenv, trust};
use crate::facts::python::Trouble;
use crate::machine::Machine;
use crate::machine::child::now;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Environments that are listed; nobody reads more.
const MOST: usize = 100;
/// Entries of one folder that are looked at.
const MOST_ENTRIES: usize = 1000;
/// Time for all of it: a home folder may lie at the other end of a slow network.
const LONGEST: Duration = Duration::from_secs(2);

/// The search.
pub struct Search<'a> {
    /// The machine on which the programs lie.
    pub machine: &'a Machine,
    /// The user's home folder, where there is one.
    pub home: Option<PathBuf>,
    /// Where the one in use was looked for.
    pub looked: Vec<String>,
    all: Vec<(PathBuf, Found)>,
    unsearched: Vec<(PathBuf, String)>,
    due: Instant,
    /// Whether the user named the ones that are meant.
    named: bool,
    /// Whether one was found that a program started now would run in.
    in_use: bool,
}

/// What is known of an environment where it was found.
pub struct Hint {
    /// Why its interpreter is asked.
    pub by: &'static str,
    /// How people call it.
    pub name: Option<String>,
    /// Folder of the project that declares its packages.
    pub project: Option<PathBuf>,
    /// Whether a program started here and now would run in it, where no one before it does.
    pub in_use: bool,
}

impl Hint {
    /// One of those that only `--all-envs` shows.
    pub fn other(name: impl Into<String>) -> Hint {
        Hint { by: "--all-envs", name: Some(name.into()), project: None, in_use: false }
    }
}

impl<'a> Search<'a> {
    /// A search on the machine on which the programs lie.
    pub fn new(machine: &'a Machine) -> Search<'a> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = machine.variable(name).map(PathBuf::from).filter(|home| home.is_absolute());
        Search {
            machine,
            home,
            looked: Vec::new(),
            all: Vec::new(),
            unsearched: Vec::new(),
            due: now() + LONGEST,
            named: false,
            in_use: false,
        }
    }

    /// What was found, the one in use first.
    pub fn end(self) -> Environments {
        let mut all: Vec<Found> = self.all.into_iter().map(|(_, found)| found).collect();
        all.sort_by_key(|found| !found.about.in_use);
        Environments { all, looked: self.looked, unsearched: self.unsearched }
    }

    /// Whether an environment was found that a program started now would run in, or that the user named.
    pub fn has_one_in_use(&self) -> bool {
        self.named || self.in_use
    }

    /// A variable of the user that holds something.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.machine.variable(name).filter(|value| !value.is_empty())
    }

    /// A folder that a variable names; nothing for a relative path, which would mean another place for each program.
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.variable(variable).map(|value| self.expanded(&value)).filter(|path| path.is_absolute())
    }

    /// A path in the home folder.
    pub fn at_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    /// Where the user's programs keep their data: `$XDG_DATA_HOME`, `~/.local/share`; of macOS and Windows, their own places.
    pub fn data(&self) -> Option<PathBuf> {
        if cfg!(windows) {
            return self.folder("LOCALAPPDATA");
        }
        let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
        self.folder("XDG_DATA_HOME").or_else(|| self.at_home(usual))
    }

    /// A path with the user's home folder in the place of `~`, and of `$HOME`.
    pub fn expanded(&self, path: &str) -> PathBuf {
        let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| path.strip_prefix(start));
        match (rest, &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if path == "~" => self.home.clone().unwrap_or_else(|| PathBuf::from(path)),
            _ => PathBuf::from(path),
        }
    }

    /// The names in a folder, as many as may be looked at. A folder that is not there has none; of one that cannot be read
    /// that is kept.
    pub fn entries(&mut self, folder: &Path) -> Vec<String> {
        if self.is_over(folder) {
            return Vec::new();
        }
        match self.machine.list(folder) {
            Ok(mut names) => {
                if names.len() > MOST_ENTRIES {
                    self.unsearched(
                        folder,
                        format!("only {MOST_ENTRIES} of its {} entries were looked at", names.len()),
                    );
                    names.truncate(MOST_ENTRIES);
                }
                names
            }
            Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                Vec::new()
            }
            Err(e) => {
                let place = self.closed(folder).to_path_buf();
                self.unsearched(&place, crate::machine::child::plain(&e));
                Vec::new()
            }
        }
    }

    /// The folder that keeps this user out: this one, or one above it, which would else be told once for each below it.
    fn closed<'p>(&self, folder: &'p Path) -> &'p Path {
        folder.ancestors().find(|place| self.machine.exists(place)).unwrap_or(folder)
    }

    /// Whether enough was found, or the time is over; the place that is therefore left out is kept.
    pub fn is_over(&mut self, place: &Path) -> bool {
        let why = match self.all.len() >= MOST {
            true => format!("{MOST} environments were found before it"),
            false if now() > self.due => "the time for searching was over".to_string(),
            false => return false,
        };
        if self.machine.exists(place) {
            self.unsearched(place, why);
        }
        true
    }

    /// Keeps that a place was not looked through.
    pub fn unsearched(&mut self, place: &Path, why: impl Into<String>) {
        if !self.unsearched.iter().any(|(known, _)| known == place) && self.unsearched.len() < MOST {
            self.unsearched.push((place.to_path_buf(), why.into()));
        }
    }

    /// Every environment in the folders of a folder.
    pub fn children(&mut self, folder: &Path, name: impl Fn(&str) -> String) {
        for entry in self.entries(folder) {
            // A look at one entry takes a dozen calls, each slow over a network.
            if self.is_over(folder) {
                return;
            }
            self.prefix(&folder.join(&entry), Hint::other(name(&entry)));
        }
    }

    /// The environment in a folder, if one is there. Says whether it was.
    pub fn prefix(&mut self, folder: &Path, hint: Hint) -> bool {
        match layout::program_in(self.machine, folder) {
            Some(program) => {
                self.add(Chosen::new(&program, hint.by), Some(folder.to_path_buf()), hint);
                true
            }
            None => false,
        }
    }

    /// An interpreter by its path.
    pub fn program(&mut self, program: &Path, hint: Hint) {
        self.add(Chosen::new(program, hint.by), None, hint);
    }

    /// One that the user named: it is the one that is meant, and is started whoever owns it.
    pub fn named(&mut self, chosen: Chosen, name: Option<String>) {
        self.named = true;
        let hint = Hint { by: chosen.by, name, project: None, in_use: true };
        self.add(chosen, None, hint);
    }

    /// The interpreter of a notebook's kernel. Its variables count only where no one found it before.
    pub fn kernel(&mut self, kernel: &Kernel, hint: Hint) {
        let chosen = Chosen { variables: kernel.variables.clone(), ..Chosen::new(&kernel.program, hint.by) };
        self.add(chosen, None, hint);
    }

    /// Keeps what is wrong with an environment that was found and is in use.
    pub fn troubled(&mut self, prefix: &Path, troubles: Vec<Trouble>) {
        let real = self.machine.resolve(prefix).unwrap_or_else(|_| prefix.to_path_buf());
        if let Some((_, found)) = self.all.iter_mut().find(|(other, found)| *other == real && found.about.in_use) {
            found.troubles.extend(troubles);
        }
    }

    /// The prefixes that were found so far.
    pub fn prefixes(&self) -> Vec<PathBuf> {
        self.all.iter().map(|(_, found)| found.prefix.clone()).collect()
    }

    fn add(&mut self, mut chosen: Chosen, prefix: Option<PathBuf>, hint: Hint) {
        let named = matches!(hint.by, "--python" | "--kernel");
        if let Some(behind) = pyenv::behind_shim(self.machine, &chosen.path).filter(|_| !named) {
            chosen.path = behind;
        }
        let prefix = prefix.unwrap_or_else(|| layout::prefix_of(self.machine, &chosen.path));
        let real = self.machine.resolve(&prefix).unwrap_or_else(|_| prefix.clone());
        let name = hint.name.or_else(|| layout::own_name(self.machine, &prefix));
        if let Some((_, known)) = self.all.iter_mut().find(|(other, _)| *other == real) {
            known.about.names.extend(name.filter(|name| !known.about.names.contains(name)));
            known.about.project = known.about.project.take().or(hint.project.map(|p| p.display().to_string()));
            return;
        }
        if self.all.len() >= MOST {
            return self.unsearched(&prefix, format!("{MOST} environments were found before it"));
        }
        let troubles = condition::troubles(self.machine, &prefix, &chosen.path);
        let gone = !self.machine.exists(&chosen.path);
        let dangling = troubles.iter().find(|trouble| gone && trouble.kind == "base_missing");
        let leave = match dangling {
            Some(trouble) => Some(format!("{}, which is not there", trouble.detail)),
            None if named => None,
            None => trust::distrust(self.machine, &chosen),
        };
        let in_use = named || (hint.in_use && !self.has_one_in_use());
        // Where it is not there any more, or must not be started, the next one is looked at as well.
        self.in_use |= in_use && leave.is_none() && self.machine.exists_here(&chosen.path);
        let mut about = layout::about(self.machine, &prefix, &chosen.path, hint.project.as_deref());
        about.names.extend(name);
        about.in_use = in_use;
        self.all.push((real, Found { prefix, about, chosen, troubles, leave }));
    }
}
