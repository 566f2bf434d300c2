//! Reading files: bounded, never blocking on a pipe, never leaving an image.

use super::{Machine, Scope};
use std::ffi::OsString;
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};

/// No file that is read here needs more; a longer one is cut.
const MOST: u64 = 1 << 20;
/// Nor does a file with one short value: the kernel gives at most a page of 4 KiB, and takes no longer command line.
const MOST_OF_LINE: u64 = 4 << 10;
/// Names in a folder that are listed.
const MOST_NAMES: usize = 1 << 16;
/// As many links in one path as Linux follows.
const MOST_LINKS: u32 = 40;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A character device.
    CharDevice,
    /// A symbolic link that leads nowhere.
    Link,
    /// Anything else.
    Other,
}

/// From stat(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Kind, behind links.
    pub kind: FileKind,
    /// Permission bits with setuid, setgid and sticky (07777); 0 where the system has none.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Major number of a device.
    pub major: u32,
    /// Minor number of a device.
    pub minor: u32,
    /// Size in bytes.
    pub size: u64,
}

impl Machine {
    /// Where a path of the machine lies, before any link is followed.
    pub fn place(&self, path: &Path) -> PathBuf {
        match &self.scope {
            Scope::Live => path.to_path_buf(),
            Scope::RootLive(root) | Scope::Image(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
        }
    }

    /// The same, but in an image links are followed as if its folder were `/`, so that none leads out of it.
    fn behind(&self, path: &Path) -> io::Result<PathBuf> {
        match &self.scope {
            Scope::Image(root) => inside(root, path, true),
            _ => Ok(self.place(path)),
        }
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<std::fs::File> {
        let place = self.behind(path)?;
        // Opening a device does something to it (a watchdog starts), and an image may hold one of any name.
        if let Scope::Image(_) = self.scope {
            let kind = std::fs::metadata(&place)?.file_type();
            if !kind.is_file() && !kind.is_dir() {
                return Err(io::Error::other("it is no regular file"));
            }
        }
        open(&place)
    }

    /// A file to be read here and there.
    pub fn contents(&self, path: &Path) -> io::Result<impl Read + Seek + use<>> {
        self.open(path)
    }

    /// The first MiB of a file on the machine itself, as text.
    pub fn text_here(&self, path: &Path) -> Option<String> {
        let mut bytes = Vec::new();
        open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// When a file of the machine itself was changed last.
    pub fn changed_here(&self, path: &Path) -> Option<std::time::SystemTime> {
        std::fs::metadata(path).ok()?.modified().ok()
    }

    /// The first MiB of a file.
    pub fn bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        self.range(path, 0, MOST)
    }

    /// Up to `most` bytes of a file from an offset on, for the few files whose end or middle matters.
    pub fn range(&self, path: impl AsRef<Path>, offset: u64, most: u64) -> io::Result<Vec<u8>> {
        let mut file = self.open(path.as_ref())?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if offset > 0 {
            file.seek(io::SeekFrom::Start(offset))?;
        }
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first MiB of a file as text, with what is no UTF-8 replaced.
    pub fn text(&self, path: impl AsRef<Path>) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(path)?).into_owned())
    }

    /// A file that holds one short value, as most of sysfs does, trimmed.
    pub fn line(&self, path: impl AsRef<Path>) -> io::Result<String> {
        let bytes = self.range(path, 0, MOST_OF_LINE)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_string())
    }

    /// The names in a folder, sorted. Names that are no UTF-8 are left out. A folder with more names than any that is looked
    /// at here can have is an error: a part of it would look like all of it.
    pub fn list(&self, path: impl AsRef<Path>) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = std::fs::read_dir(self.behind(path.as_ref())?)?
            .take(MOST_NAMES + 1)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        if names.len() > MOST_NAMES {
            return Err(io::Error::other(format!("more than {MOST_NAMES} names are in it")));
        }
        names.sort();
        Ok(names)
    }

    /// The text of a symbolic link.
    pub fn link(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        std::fs::read_link(match &self.scope {
            Scope::Image(root) => inside(root, path.as_ref(), false)?,
            _ => self.place(path.as_ref()),
        })
    }

    /// The file behind all links, as a path of the machine.
    pub fn resolve(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        match &self.scope {
            Scope::Live => std::fs::canonicalize(path),
            Scope::RootLive(root) => {
                let real = std::fs::canonicalize(self.place(path.as_ref()))?;
                let root = std::fs::canonicalize(root)?;
                Ok(real.strip_prefix(&root).map(|p| Path::new("/").join(p)).unwrap_or(real))
            }
            Scope::Image(root) => {
                let real = inside(root, path.as_ref(), true)?;
                std::fs::metadata(&real)?;
                Ok(real.strip_prefix(root).map(|p| Path::new("/").join(p)).unwrap_or(real))
            }
        }
    }

    /// What a file is, behind links.
    pub fn stat(&self, path: impl AsRef<Path>) -> io::Result<Entry> {
        std::fs::metadata(self.behind(path.as_ref())?).map(|m| entry(&m))
    }

    /// Whether a file or folder is there, behind links.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path).is_ok()
    }
}

/// Opens a file to read it.
fn open(place: &Path) -> io::Result<std::fs::File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        // O_NONBLOCK: opening a FIFO that lies where a file belongs must not wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(std::fs::File::from(rustix::fs::open(place, flags, Mode::empty())?))
    }
    #[cfg(not(target_os = "linux"))]
    std::fs::File::open(place)
}

/// Where a path of an image really lies: absolute links start at its folder, and `..` goes no higher. (openat2 could do
/// this, but Linux has it only since 5.6.)
fn inside(root: &Path, path: &Path, follow_last: bool) -> io::Result<PathBuf> {
    let mut ahead: Vec<OsString> = Vec::new();
    let put = |ahead: &mut Vec<OsString>, path: &Path| {
        ahead.extend(path.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        }));
    };
    put(&mut ahead, path);
    let mut at = root.to_path_buf();
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            if at != root {
                at.pop();
            }
            continue;
        }
        at.push(name);
        if ahead.is_empty() && !follow_last {
            break;
        }
        let Ok(target) = std::fs::read_link(&at) else { continue };
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::other("too many links"));
        }
        at.pop();
        if target.has_root() {
            at = root.to_path_buf();
        }
        put(&mut ahead, &target);
    }
    Ok(at)
}

fn entry(meta: &std::fs::Metadata) -> Entry {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let kind = match meta.file_type() {
            t if t.is_file() => FileKind::File,
            t if t.is_dir() => FileKind::Folder,
            t if t.is_char_device() => FileKind::CharDevice,
            t if t.is_symlink() => FileKind::Link,
            _ => FileKind::Other,
        };
        #[cfg(target_os = "linux")]
        let (major, minor) = (rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()));
        #[cfg(not(target_os = "linux"))]
        let (major, minor) = (0, 0);
        Entry { kind, mode: meta.mode() & 0o7777, uid: meta.uid(), gid: meta.gid(), major, minor, size: meta.len() }
    }
    #[cfg(not(unix))]
    {
        let kind = match meta.file_type() {
            t if t.is_file() => FileKind::File,
            t if t.is_dir() => FileKind::Folder,
            t if t.is_symlink() => FileKind::Link,
            _ => FileKind::Other,
        };
        Entry { kind, mode: 0, uid: 0, gid: 0, major: 0, minor: 0, size: meta.len() }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    #[test]
    fn no_link_leads_out_of_an_image() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("image");
        std::fs::create_dir_all(root.join("usr/lib")).unwrap();
        std::fs::write(outside.path().join("secret"), "outside").unwrap();
        std::fs::write(root.join("secret"), "inside").unwrap();
        std::fs::write(root.join("usr/lib/libcuda.so.535.1"), "library").unwrap();
        symlink("/usr/lib", root.join("lib")).unwrap();
        symlink("libcuda.so.535.1", root.join("usr/lib/libcuda.so.1")).unwrap();
        symlink("../../secret", root.join("up")).unwrap();
        symlink(outside.path().join("secret"), root.join("away")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let machine = Machine::new(Scope::Image(root), Duration::from_secs(1));
        assert_eq!(machine.text("/lib/libcuda.so.1").unwrap(), "library");
        assert_eq!(machine.resolve("/lib/libcuda.so.1").unwrap(), Path::new("/usr/lib/libcuda.so.535.1"));
        assert_eq!(machine.link("/lib/libcuda.so.1").unwrap(), Path::new("libcuda.so.535.1"));
        assert_eq!(machine.list("/lib").unwrap(), ["libcuda.so.1", "libcuda.so.535.1"]);
        assert_eq!(machine.text("/up").unwrap(), "inside");
        assert_eq!(machine.text("/../secret").unwrap(), "inside");
        assert!(machine.text("/away").is_err() && !machine.exists("/away"));
        assert!(machine.text("/loop").is_err());
    }
}
