//! The packages that have to do with GPUs, from the names of metadata folders and of conda's records.

use crate::machine::Machine;
use crate::machine::child::plain;
use crate::tables::packages;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Packages and leftovers of one environment that are told; a folder with more was made by no installer.
const MOST_PACKAGES: usize = 400;
const MOST_LEFTOVERS: usize = 50;

/// A package by its metadata of pip, uv and their kin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pip {
    /// In lower case with hyphens.
    pub name: String,
    /// As the metadata's name has it; of torchvision and torchaudio with the tag of their own file.
    pub version: String,
    /// The folder with packages.
    pub folder: String,
    /// The name of the metadata's folder or file.
    pub entry: String,
}

/// A package by conda's record of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conda {
    /// conda's name, `pytorch`.
    pub name: String,
    /// Version.
    pub version: String,
    /// Build string.
    pub build: String,
    /// Channel, where the record tells it.
    pub channel: Option<String>,
    /// What the user asked for, where it was asked for.
    pub spec: Option<String>,
    /// The record.
    pub file: String,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// In the order of the folders.
    pub pip: Vec<Pip>,
    /// Sorted by name.
    pub conda: Vec<Conda>,
    /// What interrupted installers left: `~orch`.
    pub leftovers: Vec<String>,
    /// Folders that could not be looked through, each with the reason.
    pub unread: Vec<String>,
}

impl Listing {
    /// What lies in these folders, and in conda's list of the environment.
    pub fn of(machine: &Machine, prefix: &Path, folders: &[PathBuf]) -> Listing {
        let mut listing = Listing::default();
        let mut read: Vec<PathBuf> = Vec::new();
        for folder in folders {
            // `lib64` is a link to `lib` in many environments, and Python looks into both.
            let real = machine.resolve(folder).unwrap_or_else(|_| folder.clone());
            if read.contains(&real) {
                continue;
            }
            read.push(real);
            let shown = folder.display().to_string();
            let entries = machine.list(folder).unwrap_or_else(|e| {
                // What is no folder holds no packages; of one that cannot be read nobody knows.
                if !matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    listing.unread.push(format!("{shown}: {}", plain(&e)));
                }
                Vec::new()
            });
            for entry in entries {
                if listing.pip.len() >= MOST_PACKAGES {
                    break;
                }
                if is_leftover(&entry) && listing.leftovers.len() >= MOST_LEFTOVERS {
                    continue;
                }
                if is_leftover(&entry) {
                    listing.leftovers.push(format!("{shown}/{entry}"));
                } else if let Some((name, version)) = distribution(&entry).filter(|(name, _)| packages::matters(name)) {
                    listing.pip.push(Pip { name, version, folder: shown.clone(), entry });
                } else if let Some(name) = entry.strip_suffix(".egg-info").filter(|name| packages::matters(name)) {
                    // In a source folder, of which the name does not tell the version.
                    let text = machine.text(folder.join(&entry).join("PKG-INFO")).unwrap_or_default();
                    let version = text.lines().take(20).find_map(|line| line.strip_prefix("Version:"));
                    let (name, version) = (packages::normal(name), version.unwrap_or_default().trim().to_string());
                    listing.pip.push(Pip { name, version, folder: shown.clone(), entry });
                }
            }
        }
        for row in &mut listing.pip {
            if matches!(row.name.as_str(), "torchvision" | "torchaudio") {
                let files = Path::new(&row.folder).join(&row.name);
                row.version = super::builds::version(machine, &files).unwrap_or(std::mem::take(&mut row.version));
            }
        }
        let records = prefix.join("conda-meta");
        for entry in machine.list(&records).unwrap_or_default() {
            let Some((name, version, build)) = record(&entry).filter(|(name, ..)| packages::matters(name)) else {
                continue;
            };
            if listing.conda.len() >= MOST_PACKAGES {
                break;
            }
            let file = records.join(&entry);
            let parts = ends(machine, &file);
            let channel = parts.iter().find_map(|part| parse_channel(part));
            let spec = parts.iter().find_map(|part| parse_spec(part));
            let file = file.display().to_string();
            listing.conda.push(Conda { name, version, build, channel, spec, file });
        }
        listing
    }
}

impl Pip {
    /// The metadata, as a path.
    pub fn metadata(&self) -> String {
        format!("{}/{}", self.folder, self.entry)
    }

    /// Who installed it: `pip`, `uv`, `conda`.
    pub fn installer(&self, machine: &Machine) -> Option<String> {
        let folder = PathBuf::from(self.metadata());
        let name = machine.line(folder.join("INSTALLER")).ok();
        let named = name.filter(|name| !name.is_empty() && name.len() < 40);
        // uv leaves notes of its own beside it.
        let of_uv = || ["uv_cache.json", "uv_build.json"].iter().any(|name| machine.exists(folder.join(name)));
        named.or_else(|| of_uv().then(|| "uv".to_string()))
    }
}

/// Name and version in the name of a metadata folder: `torch-2.13.0.dist-info`, `numpy-1.24.2-py3.11.egg-info`.
fn distribution(entry: &str) -> Option<(String, String)> {
    let stem = [".dist-info", ".egg-info", ".egg"].iter().find_map(|end| entry.strip_suffix(end))?;
    let (name, rest) = stem.split_once('-')?;
    let version = rest.split_once("-py").map_or(rest, |(version, _)| version);
    let sound = version.starts_with(|c: char| c.is_ascii_digit()) && version.len() < 60 && !name.is_empty();
    sound.then(|| (packages::normal(name), version.to_string()))
}

/// What pip leaves when it is interrupted: the name with its first letter replaced.
fn is_leftover(entry: &str) -> bool {
    entry.strip_prefix('~').is_some_and(|rest| !rest.is_empty())
}

/// Name, version and build in the name of one of conda's records: `pytorch-2.5.1-cuda126_py311h5.json`.
fn record(entry: &str) -> Option<(String, String, String)> {
    let (rest, build) = entry.strip_suffix(".json")?.rsplit_once('-')?;
    let (name, version) = rest.rsplit_once('-')?;
    Some((name.to_ascii_lowercase(), version.to_string(), build.to_string()))
}

/// The beginning of a record and, of a long one, its end: some writers put the channel before the list of ten thousand files,
/// some after.
fn ends(machine: &Machine, file: &Path) -> Vec<String> {
    const PART: u64 = 32 << 10;
    let Ok(size) = machine.stat(file).map(|entry| entry.size) else { return Vec::new() };
    let part = |offset: u64| {
        let bytes = machine.range(file, offset, PART).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut parts = vec![part(0)];
    parts.extend((size > PART).then(|| part(size - PART)));
    parts
}

/// What the user asked for: `"requested_spec": "pytorch=*=cpu*"`, or the first of the list `requested_specs` that newer writers
/// keep. A package that only another one needed has `None`, or nothing.
fn parse_spec(text: &str) -> Option<String> {
    let rest = text.split("\"requested_spec").nth(1)?.trim_start_matches('s').strip_prefix('"')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().trim_start_matches('[').trim_start();
    let spec = rest.strip_prefix('"')?.split('"').next()?.trim();
    // A channel in front of it is told elsewhere, and an address of one may hold a secret.
    let spec = spec.rsplit_once("::").map_or(spec, |(_, spec)| spec);
    let sound = !spec.is_empty() && spec != "None" && spec.len() < 100 && !spec.contains("://");
    sound.then(|| spec.to_string())
}

/// `conda-forge` of `"channel": "https://conda.anaconda.org/conda-forge/linux-64"`, without what a URL may hold of secrets.
fn parse_channel(text: &str) -> Option<String> {
    let rest = text.split("\"channel\"").nth(1)?.trim_start().strip_prefix(':')?;
    let value = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    // Of a URL the host says nothing here, and behind `/t/` stands a secret.
    let path = value.split_once("://").map_or(value, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let is_platform = |part: &&&str| {
        part.contains('-') && (part.starts_with("linux") || part.starts_with("win") || part.starts_with("osx"))
    };
    let named = parts.iter().rev().find(|part| **part != "noarch" && !is_platform(part))?;
    Some((*named).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_from_names() {
        let named = |entry: &str| distribution(entry).map(|(name, version)| format!("{name} {version}"));
        assert_eq!(named("torch-2.6.0+cu124.dist-info").as_deref(), Some("torch 2.6.0+cu124"));
        assert_eq!(named("nvidia_cudnn_cu12-9.1.0.70.dist-info").as_deref(), Some("nvidia-cudnn-cu12 9.1.0.70"));
        assert_eq!(named("torch-1.13.0a0+gitunknown.egg-info").as_deref(), Some("torch 1.13.0a0+gitunknown"));
        assert_eq!(named("numpy-1.24.2-py3.11-linux-x86_64.egg-info").as_deref(), Some("numpy 1.24.2"));
        assert_eq!(named("torch"), None);
        assert_eq!(named("torch-.dist-info"), None);
        assert!(is_leftover("~orch") && is_leftover("~-rch-2.1.0.dist-info") && !is_leftover("~"));
        let parts = record("pytorch-2.5.1-cuda126_py311hb5.json").map(|(a, b, c)| [a, b, c]);
        assert_eq!(parts, Some(["pytorch", "2.5.1", "cuda126_py311hb5"].map(str::to_string)));
        assert_eq!(record("history"), None);
    }

    #[test]
    fn a_channel_is_its_name() {
        let channel = |value: &str| parse_channel(&format!("{{\n  \"channel\": \"{value}\",\n"));
        assert_eq!(channel("https://conda.anaconda.org/conda-forge/linux-64").as_deref(), Some("conda-forge"));
        assert_eq!(channel("https://conda.anaconda.org/pytorch").as_deref(), Some("pytorch"));
        assert_eq!(channel("pytorch").as_deref(), Some("pytorch"));
        assert_eq!(channel("conda-forge/linux-64").as_deref(), Some("conda-forge"));
        assert_eq!(channel("https://host/t/secret/defaults/noarch/").as_deref(), Some("defaults"));
        assert_eq!(parse_channel("{}"), None);
    }

    #[test]
    fn a_spec_is_what_was_asked_for() {
        let spec = |text: &str| parse_spec(&format!("{{{text}}}"));
        assert_eq!(spec(r#""requested_spec": "pytorch=*=cpu*""#).as_deref(), Some("pytorch=*=cpu*"));
        assert_eq!(spec(r#""requested_spec": "conda-forge::pytorch-cpu""#).as_deref(), Some("pytorch-cpu"));
        assert_eq!(spec(r#""requested_specs": ["pytorch ==2.5.1"]"#).as_deref(), Some("pytorch ==2.5.1"));
        for none in [r#""requested_spec": "None""#, r#""requested_spec": """#, r#""requested_specs": []"#, ""] {
            assert_eq!(spec(none), None, "{none}");
        }
    }
}
