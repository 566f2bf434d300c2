//! What comes in and goes out on the user's word: snapshots, and the clock.

use super::child::plain;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The time, for `created_at`.
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// The arguments of this process, the first of them the name of the program without its folder; what is no Unicode is
/// replaced.
pub fn command_line() -> Vec<String> {
    let mut arguments = std::env::args_os();
    let program = arguments.next().map(PathBuf::from).unwrap_or_default();
    let name = program.file_name().unwrap_or("gpu-doctor".as_ref()).to_string_lossy().into_owned();
    std::iter::once(name).chain(arguments.map(|argument| argument.to_string_lossy().into_owned())).collect()
}

/// The process id, for names that nobody else uses.
fn process() -> u32 {
    std::process::id()
}

/// Whether this is a folder, behind links.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Where a symbolic link ends, over all links, whether or not there is anything; nothing for what is no link.
pub fn end_of_link(path: &Path) -> Option<PathBuf> {
    let mut end = path.to_path_buf();
    // As many as the kernel follows.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&end) else { break };
        end = folder_of(&end).join(target);
    }
    (end != path).then_some(end)
}

/// All of a file, or of stdin for `-`, up to `most` bytes; longer input is an error in words.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        let file = std::fs::File::open(path).map_err(|e| plain(&e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err("it is a directory".to_string());
        }
        file.take(most + 1).read_to_end(&mut bytes)
    };
    read.map_err(|e| plain(&e))?;
    if bytes.len() as u64 > most {
        return Err(format!("it is longer than {} MiB", most >> 20));
    }
    Ok(bytes)
}

/// A text that is read as it comes, without keeping it.
pub enum Input {
    /// Stdin.
    Stdin(io::StdinLock<'static>),
    /// A file.
    File(io::BufReader<std::fs::File>),
}

impl Input {
    /// Opens a file, or stdin for `-`; what goes wrong is said in words.
    pub fn open(path: &Path) -> Result<Input, String> {
        if path == Path::new("-") {
            return Ok(Input::Stdin(io::stdin().lock()));
        }
        let file = std::fs::File::open(path).map_err(|e| plain(&e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err("it is a directory".to_string());
        }
        Ok(Input::File(io::BufReader::with_capacity(1 << 16, file)))
    }

    /// The bytes.
    pub fn reader(&mut self) -> &mut dyn io::BufRead {
        match self {
            Input::Stdin(stdin) => stdin,
            Input::File(file) => file,
        }
    }
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Its owner alone: it says more about the machine than a report does.
    Private,
    /// Whoever may read what this user writes (umask): a file that another program picks up.
    Usual,
    /// Everybody, whatever the umask: a file that a program of another user picks up.
    Everyone,
}

/// Where a document goes, once it is clear that it can be written there.
#[derive(Debug)]
pub enum Target {
    /// A file that is replaced as a whole. A link of that name is replaced, not followed.
    File(PathBuf, Mode),
    /// A device or a pipe (`/dev/stdout`), which is written to. A pipe is open already, so that its reader waits.
    Stream(PathBuf, Option<std::fs::File>),
}

impl Target {
    /// Looks whether a document can be written there, before any time is spent. A file that holds something else is not
    /// overwritten: `is_ours` is asked about its first KiB.
    pub fn new(path: &Path, mode: Mode, is_ours: impl Fn(&[u8]) -> bool) -> Result<Target, String> {
        Target::looked_at(path, mode, is_ours, true)
    }

    fn looked_at(path: &Path, mode: Mode, is_ours: impl Fn(&[u8]) -> bool, follow: bool) -> Result<Target, String> {
        let there = std::fs::metadata(path);
        match &there {
            Ok(meta) if meta.is_dir() => return Err("it is a directory".to_string()),
            #[cfg(unix)]
            Ok(meta) if std::os::unix::fs::FileTypeExt::is_socket(&meta.file_type()) => {
                return Err("it is a socket".to_string());
            }
            #[cfg(unix)]
            Ok(meta) if std::os::unix::fs::FileTypeExt::is_fifo(&meta.file_type()) => {
                return Ok(Target::Stream(path.to_path_buf(), Some(opened_pipe(path)?)));
            }
            Ok(meta) if !meta.is_file() => return Ok(Target::Stream(path.to_path_buf(), None)),
            Ok(meta) if meta.len() > 0 => {
                let mut head = Vec::new();
                let file = opened(path, follow).map_err(|e| plain(&e))?;
                file.take(1024).read_to_end(&mut head).map_err(|e| plain(&e))?;
                if !is_ours(&head) {
                    return Err("it exists and holds something else; name another file".to_string());
                }
            }
            _ => {}
        }
        if path.file_name().is_none() {
            return Err("it names no file".to_string());
        }
        let folder = folder_of(path);
        match std::fs::metadata(&folder) {
            Err(e) => return Err(format!("the folder {}: {}", folder.display(), plain(&e))),
            Ok(meta) if !meta.is_dir() => return Err(format!("{} is not a folder", folder.display())),
            Ok(_) => {}
        }
        // `file.json/`, or a name that no file can have.
        if let Some(e) = there.err().filter(|e| e.kind() != io::ErrorKind::NotFound) {
            return Err(plain(&e));
        }
        #[cfg(unix)]
        if let Err(e) = rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK) {
            return Err(format!("cannot write in the folder {}: {}", folder.display(), plain(&e.into())));
        }
        Ok(Target::File(path.to_path_buf(), mode))
    }

    /// The same for a file alone: what is a link, a device or a pipe is refused, and nothing is read behind a link.
    pub fn no_link(path: &Path, mode: Mode, is_ours: impl Fn(&[u8]) -> bool) -> Result<Target, String> {
        match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.file_type().is_symlink() => return Err("it is a link; name the file itself".to_string()),
            Ok(meta) if !meta.is_file() && !meta.is_dir() => return Err("it is not a file".to_string()),
            _ => {}
        }
        match Target::looked_at(path, mode, is_ours, false)? {
            Target::Stream(..) => Err("it is not a file".to_string()),
            file => Ok(file),
        }
    }

    /// Writes it: a file appears as a whole or not at all. That nobody reads a pipe any more is not an error.
    pub fn write(&self, bytes: &[u8]) -> Result<(), String> {
        match self {
            Target::Stream(path, open) => {
                let opened = match open {
                    Some(_) => None,
                    None => Some(OpenOptions::new().write(true).open(path).map_err(|e| plain(&e))?),
                };
                let Some(mut stream) = open.as_ref().or(opened.as_ref()) else { return Ok(()) };
                match stream.write_all(bytes).and_then(|()| stream.flush()) {
                    Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(plain(&e)),
                    _ => Ok(()),
                }
            }
            Target::File(path, mode) => {
                // A short name: that of the file itself may be as long as names can be.
                let beside = folder_of(path).join(format!(".gpu-doctor.{}.tmp", process()));
                let written = fresh(&beside, *mode, bytes).and_then(|()| std::fs::rename(&beside, path));
                if written.is_err() {
                    // Best effort: the error that counts is the one above.
                    let _ = std::fs::remove_file(&beside);
                }
                written.map_err(|e| plain(&e))
            }
        }
    }
}

/// A pipe that somebody reads. One that nobody reads would keep this program waiting for a reader.
#[cfg(unix)]
fn opened_pipe(path: &Path) -> Result<std::fs::File, String> {
    use std::os::unix::fs::OpenOptionsExt;
    let opened = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|e| match e.raw_os_error() {
        Some(libc::ENXIO) => "it is a pipe that nobody reads; start its reader first".to_string(),
        _ => plain(&e),
    })?;
    // From here on a reader may take its time.
    let flags = rustix::fs::fcntl_getfl(&file).map_err(|e| plain(&e.into()))?;
    rustix::fs::fcntl_setfl(&file, flags - rustix::fs::OFlags::NONBLOCK).map_err(|e| plain(&e.into()))?;
    Ok(file)
}

/// Adds to the file that an environment variable names, and does nothing where it is not set. What did not fit as a whole is
/// taken away again.
pub fn append(variable: &str, bytes: &[u8]) -> Result<(), String> {
    let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(());
    };
    let said = |e: io::Error| format!("{}: {}", path.display(), plain(&e));
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(said)?;
    let before = file.metadata().map_err(said)?;
    file.write_all(bytes).map_err(|e| {
        if before.is_file() {
            // Best effort: the error that counts is the one above.
            let _ = file.set_len(before.len());
        }
        said(e)
    })
}

/// A file to read, where `follow` allows it also behind a link.
fn opened(path: &Path, follow: bool) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if !follow {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    #[cfg(not(unix))]
    let _ = follow;
    options.open(path)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A file that did not exist before; `create_new` follows no link.
fn fresh(path: &Path, mode: Mode, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if mode == Mode::Usual { 0o666 } else { 0o600 });
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    if mode == Mode::Everyone {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = mode;
    file.sync_all()
}
