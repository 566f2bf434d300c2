//! Reading files: bounded, never blocking on a pipe, never leaving an image.

use super::{Machine, Scope};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// No file that is read here needs more; a longer one is cut.
const MOST: u64 = 1 << 20;

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
    /// Where a path of the machine really lies.
    pub fn place(&self, path: &Path) -> PathBuf {
        match &self.scope {
            Scope::Live => path.to_path_buf(),
            Scope::RootLive(root) | Scope::Image(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
        }
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<std::fs::File> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags, ResolveFlags};
            // O_NONBLOCK: opening a FIFO that an image holds where a file belongs must not wait for a writer.
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            if let Scope::Image(root) = &self.scope {
                let root = rustix::fs::open(root, OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY, Mode::empty())?;
                let inner = path.strip_prefix("/").unwrap_or(path);
                let file = rustix::fs::openat2(root, inner, flags, Mode::empty(), ResolveFlags::IN_ROOT)?;
                return Ok(std::fs::File::from(file));
            }
            Ok(std::fs::File::from(rustix::fs::open(self.place(path), flags, Mode::empty())?))
        }
        #[cfg(not(target_os = "linux"))]
        std::fs::File::open(self.place(path))
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
        Ok(self.text(path)?.trim().to_string())
    }

    /// The names in a folder, sorted. Names that are no UTF-8 are left out.
    pub fn list(&self, path: impl AsRef<Path>) -> io::Result<Vec<String>> {
        #[cfg(target_os = "linux")]
        if let Scope::Image(_) = self.scope {
            let folder = self.open(path.as_ref())?;
            let mut names: Vec<String> = rustix::fs::Dir::new(folder)?
                .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_string))
                .filter(|name| name != "." && name != "..")
                .collect();
            names.sort();
            return Ok(names);
        }
        let mut names: Vec<String> = std::fs::read_dir(self.place(path.as_ref()))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        Ok(names)
    }

    /// The text of a symbolic link.
    pub fn link(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        std::fs::read_link(self.place(path.as_ref()))
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
            // Good enough for a version in a file name: one link, then the name.
            Scope::Image(_) => {
                let path = path.as_ref();
                match self.link(path) {
                    Ok(target) if target.is_absolute() => Ok(target),
                    Ok(target) => Ok(path.parent().unwrap_or(Path::new("/")).join(target)),
                    Err(_) => self.stat(path).map(|_| path.to_path_buf()),
                }
            }
        }
    }

    /// What a file is, behind links.
    pub fn stat(&self, path: impl AsRef<Path>) -> io::Result<Entry> {
        #[cfg(target_os = "linux")]
        if let Scope::Image(root) = &self.scope {
            use rustix::fs::{Mode, OFlags, ResolveFlags};
            let path = path.as_ref();
            let root = rustix::fs::open(root, OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY, Mode::empty())?;
            let inner = path.strip_prefix("/").unwrap_or(path);
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let file = rustix::fs::openat2(root, inner, flags, Mode::empty(), ResolveFlags::IN_ROOT)?;
            return std::fs::File::from(file).metadata().map(|m| entry(&m));
        }
        std::fs::metadata(self.place(path.as_ref())).map(|m| entry(&m))
    }

    /// Whether a file or folder is there, behind links.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path).is_ok()
    }
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
