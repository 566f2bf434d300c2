//! Where an answer goes: stdout, or a file that appears as a whole or not at all.

use crate::machine::console::{Colour, Console};
use crate::machine::outputs::{self, Mode, Target};
use crate::render;
use crate::render::{Append, View};
use anyhow::anyhow;
use std::path::{Path, PathBuf};

/// Where an answer goes. Made before anything is looked at, so that what cannot be written is said before a minute is spent.
#[derive(Debug)]
pub enum Out {
    /// Stdout.
    Stdout,
    /// The file of `-o`.
    File(PathBuf, Target),
}

impl Out {
    /// What `-o FILE` names, with who may read it; stdout where it is not given, and for `-`.
    pub fn to(path: Option<&Path>, mode: Mode) -> anyhow::Result<Out> {
        match path {
            None => Ok(Out::Stdout),
            Some(path) if path == Path::new("-") => Ok(Out::Stdout),
            Some(path) => match Target::new(path, mode, render::is_ours) {
                Ok(target) => Ok(Out::File(path.to_path_buf(), target)),
                Err(why) => Err(cannot(path, &why)),
            },
        }
    }

    /// The console that text is written for.
    pub fn console(&self, colour: Colour) -> Console {
        match self {
            Out::Stdout => Console::stdout(colour),
            Out::File(..) => Console::file(colour),
        }
    }

    /// Writes the answer.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Out::Stdout => super::output(bytes),
            Out::File(path, target) => target.write(bytes).map_err(|why| cannot(path, &why)),
        }
    }
}

/// Writes what a format adds to a file that the environment names.
pub fn append(append: &Append, view: &View) -> anyhow::Result<()> {
    let document = (append.render)(view)?;
    outputs::append(append.variable, &document).map_err(|why| anyhow!("cannot write ${}: {why}", append.variable))
}

fn cannot(path: &Path, why: &str) -> anyhow::Error {
    anyhow!("cannot write {}: {why}", path.display())
}
