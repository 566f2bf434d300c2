//! A folder for what children would otherwise write below HOME: caches that frameworks make when they are imported. It is
//! removed with everything in it, also when the check is interrupted. What a check that was killed left behind goes with a
//! later one.

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

/// Begins the names of the folders; the number of the process and a stamp follow.
const NAME: &str = "gpu-doctor-";
/// No check takes that long. The process may live in another container that shares the folder, so that its number alone
/// proves nothing.
#[cfg(unix)]
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// The folder; none where no place could be had.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<PathBuf>,
}

impl Scratch {
    /// A new folder that only this user may enter.
    pub fn new() -> Scratch {
        let places = [std::env::temp_dir(), PathBuf::from("/dev/shm")];
        let stamp = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name = format!("{NAME}{}-{stamp}", std::process::id());
        let folder = places
            .iter()
            .filter(|place| place.is_absolute())
            .map(|place| place.join(&name))
            .find(|folder| make(folder));
        if let Some(place) = folder.as_deref().and_then(Path::parent) {
            clear(place);
        }
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

/// Removes what checks of this user left in a place that were killed long ago: folders of the right name, owner and mode, whose
/// process is gone.
fn clear(place: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = rustix::process::geteuid().as_raw();
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(process_of) else { continue };
            // Not behind links.
            let Ok(meta) = entry.metadata() else { continue };
            let old = meta.modified().ok().and_then(|then| then.elapsed().ok()).is_some_and(|age| age > OLD);
            let gone = rustix::process::Pid::from_raw(process)
                .is_none_or(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH));
            if meta.is_dir() && meta.uid() == own && meta.mode() & 0o777 == 0o700 && old && gone {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
    #[cfg(not(unix))]
    let _ = place;
}

/// The number of the process in the name of a folder.
#[cfg(unix)]
fn process_of(name: &str) -> Option<i32> {
    let (process, stamp) = name.strip_prefix(NAME)?.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(process) && digits(stamp)).then(|| process.parse().ok())?
}

/// Makes it, unless something of that name is there already.
fn make(folder: &Path) -> bool {
    #[cfg(unix)]
    let made = {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().mode(0o700).create(folder)
    };
    #[cfg(not(unix))]
    let made = std::fs::create_dir(folder);
    made.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_what_was_left_long_ago_is_cleared() {
        let place = tempfile::tempdir().unwrap();
        let gone = {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            child.wait().unwrap();
            child.id()
        };
        let at = |name: String, old: bool| {
            let folder = place.path().join(name);
            assert!(make(&folder));
            std::fs::write(folder.join("x"), "").unwrap();
            if old {
                let then = SystemTime::now() - OLD - Duration::from_secs(60);
                std::fs::File::open(&folder).unwrap().set_modified(then).unwrap();
            }
            folder
        };
        let left = at(format!("gpu-doctor-{gone}-5"), true);
        let kept = [
            at(format!("gpu-doctor-{gone}-6"), false),
            at(format!("gpu-doctor-{}-5", std::process::id()), true),
            at("gpu-doctor-notes-1".to_string(), true),
        ];
        clear(place.path());
        assert!(!left.exists());
        assert!(kept.iter().all(|folder| folder.exists()));
    }

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
