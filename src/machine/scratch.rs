//! A folder for what children would otherwise write below HOME: caches that frameworks make when they are imported. It is
//! removed with everything in it, also when the check is interrupted.

use std::path::{Path, PathBuf};

/// The folder; none where no place could be had.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<PathBuf>,
}

impl Scratch {
    /// A new folder that only this user may enter.
    pub fn new() -> Scratch {
        let places = [std::env::temp_dir(), PathBuf::from("/dev/shm")];
        let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name = format!("gpu-doctor-{}-{stamp}", std::process::id());
        let folder = places
            .iter()
            .filter(|place| place.is_absolute())
            .map(|place| place.join(&name))
            .find(|folder| make(folder));
        if let Some(folder) = &folder {
            super::signals::remove_when_interrupted(folder);
        }
        Scratch { folder }
    }

    /// The folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // A child that could not be killed may still write there; nothing can be done about that.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Makes it, unless something of that name is there already.
fn make(folder: &Path) -> bool {
    #[allow(unused_mut)]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).is_ok()
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn it_goes_with_everything_in_it() {
        let scratch = Scratch::new();
        let folder = scratch.folder().expect("a folder").to_path_buf();
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::write(folder.join("a/b/c"), "x").unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}
