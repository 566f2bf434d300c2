//! ollama: its process, its back ends, the log of its server, and the models that the server holds.
//!
//! `ollama ps` starts nothing on Linux (cmd/start_default.go of ollama only says that no server answers); on Windows and macOS
//! it starts the application where the connection is refused. It is therefore asked only where the server was seen listening,
//! which is known on Linux alone.

mod log;
mod models;

use super::sockets::{Listener, listening};
use super::{Ask, Question, READING, found, of_another_user};
use crate::facts::Facts;
use crate::facts::programs::{self as keys, Offload, Program};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec};
use crate::subject::Subject;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// Port of a server that was not told another (envconfig.Host of ollama).
const PORT: u16 = 11434;
/// Lines of the journal that are read. A server says some hundred lines for each model that it loads.
const LINES: &str = "2000";

/// Adds what is known of ollama, and gives back what can be asked.
pub fn look(machine: &Machine, path: &Path, facts: &mut Facts) -> Vec<Ask> {
    let subject = Subject::file(path.display().to_string());
    let servers = processes(machine);
    let running = servers.as_ref().map(|all| !all.is_empty());
    let program = Program { name: "ollama".to_string(), running };
    facts.seen(&keys::PROGRAM, &subject, program, "PATH, /proc/*/comm");
    back_ends(machine, path, &subject, facts);
    let mut asks = Vec::new();
    let place = places(machine).into_iter().find(|place| machine.exists_here(place));
    match place.and_then(|place| Some((place.display().to_string(), machine.text_here(&place)?))) {
        Some((place, text)) => take_log(&subject, &text, &place, facts),
        None => match found(machine, &["journalctl"]).filter(|_| running == Some(true)) {
            Some(journal) if of_another_user(machine, &journal).is_none() => asks.push(Ask {
                path: path.to_path_buf(),
                // Reads files that this user may read; what belongs to others is left out without a word.
                spec: Spec::text(&journal, machine.limit.min(READING)).arguments([
                    "-q",
                    "-u",
                    "ollama",
                    "-b",
                    "-n",
                    LINES,
                    "--no-pager",
                    "-o",
                    "cat",
                ]),
                question: Question::Log,
            }),
            _ => {
                let why = "the log of its server is not in a file that this user can read (journalctl -u ollama)";
                facts.failed(&keys::DEVICES, &subject, why, "~/.ollama/logs/server.log");
            }
        },
    }
    match reachable(machine, &servers.unwrap_or_default()) {
        Err(why) if running == Some(true) => facts.failed(&keys::MODELS, &subject, why, "ollama ps"),
        Err(_) => {}
        Ok(address) => match of_another_user(machine, path) {
            Some(why) => facts.failed(&keys::MODELS, &subject, why, "ollama ps"),
            None => asks.push(Ask {
                path: path.to_path_buf(),
                spec: without_proxies(Spec::text(path, machine.limit.min(READING)))
                    .arguments(["ps"])
                    .set("OLLAMA_HOST", address.to_string()),
                question: Question::Models,
            }),
        },
    }
    asks
}

/// Takes in what a log says.
fn take_log(subject: &Subject, text: &str, source: &str, facts: &mut Facts) {
    let log = log::read(text);
    match log.devices {
        Some(devices) => facts.seen(&keys::DEVICES, subject, devices, source),
        None => facts.failed(&keys::DEVICES, subject, "the log does not name the devices", source),
    }
    if let Some((layers, of)) = log.offload {
        facts.seen(&keys::OFFLOAD, subject, Offload { layers, of }, source);
    }
    for reason in log.reasons {
        facts.seen(&keys::LOG, subject, reason, source);
    }
}

/// What the journal gave.
pub fn journal_said(subject: &Subject, report: &Report, source: &str, facts: &mut Facts) {
    match &report.end {
        End::Exited(_) if report.stdout.trim().is_empty() => {
            let why = "the journal shows this user nothing of ollama's server (sudo journalctl -u ollama)";
            facts.failed(&keys::DEVICES, subject, why, source)
        }
        End::Exited(_) => take_log(subject, &report.stdout, source, facts),
        _ => facts.failed(&keys::DEVICES, subject, "the journal did not come to its end", source),
    }
}

/// What `ollama ps` gave.
pub fn models_said(subject: &Subject, report: &Report, source: &str, facts: &mut Facts) {
    match models::read(&report.stdout) {
        Some(models) if report.end == End::Exited(0) => facts.seen(&keys::MODELS, subject, models, source),
        _ => {
            let words = report.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("it gave no table");
            facts.failed(&keys::MODELS, subject, words.trim().chars().take(200).collect::<String>(), source)
        }
    }
}

/// The back ends beside the program: `../lib/ollama` of its file, as ml/path.go of ollama looks for them.
fn back_ends(machine: &Machine, path: &Path, subject: &Subject, facts: &mut Facts) {
    let file = machine.resolve(path).unwrap_or_else(|_| path.to_path_buf());
    let Some(folder) = file.parent() else { return };
    let beside = folder.parent().map(|above| above.join("lib/ollama"));
    for place in beside.into_iter().chain([folder.join("lib/ollama")]) {
        let Ok(mut names) = machine.list(&place) else { continue };
        // Releases before 0.5 keep them one folder deeper.
        names.extend(machine.list(place.join("runners")).unwrap_or_default());
        let mut found: Vec<String> = names.iter().filter_map(|name| back_end(name)).collect();
        found.sort();
        found.dedup();
        return facts.seen(&keys::BACK_ENDS, subject, found, place.display().to_string());
    }
}

/// What a file or folder of `lib/ollama` lets it compute on: `cuda_v12`, `rocm`, `libggml-cuda.so`. The libraries of CUDA
/// alone are none, and `mlx_cuda_v13` is of another engine.
fn back_end(name: &str) -> Option<String> {
    const GPUS: [&str; 4] = ["cuda", "rocm", "hip", "vulkan"];
    let bare = name.trim_start_matches("lib").trim_start_matches("ggml-");
    let bare = bare.split('.').next().unwrap_or_default();
    let folder = |gpu: &str| bare == gpu || bare.strip_prefix(gpu).is_some_and(|rest| rest.starts_with('_'));
    (name.starts_with("libggml-") || name.starts_with("ggml-") || !name.contains('.'))
        .then(|| GPUS.into_iter().find(|gpu| folder(gpu)).map(|_| bare.to_string()))?
}

/// Where the server writes: as a user's own program, and as the service of its installer.
fn places(machine: &Machine) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let home = machine.variable("HOME").filter(|home| home.starts_with('/'));
    places.extend(home.map(|home| PathBuf::from(home).join(".ollama/logs/server.log")));
    places
        .extend(machine.variable("LOCALAPPDATA").map(|folder| PathBuf::from(folder).join("Ollama").join("server.log")));
    places.push("/usr/share/ollama/.ollama/logs/server.log".into());
    places
}

/// The owners of the processes of this name; nothing where processes cannot be listed.
fn processes(machine: &Machine) -> Option<Vec<u32>> {
    let names = machine.list("/proc").ok()?;
    let ids = names.iter().filter(|name| name.bytes().all(|b| b.is_ascii_digit()));
    let ours = ids.filter(|id| machine.line(format!("/proc/{id}/comm")).is_ok_and(|name| name.trim() == "ollama"));
    Some(ours.map(|id| machine.owner_here(Path::new(&format!("/proc/{id}"))).unwrap_or_default()).collect())
}

/// The loopback address of the server, or why it is not asked.
fn reachable(machine: &Machine, owners: &[u32]) -> Result<SocketAddr, String> {
    let set = machine.variable("OLLAMA_HOST").unwrap_or_default();
    let port = match host(&set) {
        Ok(port) => port,
        Err(other) => return Err(format!("OLLAMA_HOST names {other}, which is not asked")),
    };
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| machine.text(table).unwrap_or_default());
    let all: Vec<Listener> = tables.iter().flat_map(|table| listening(table)).collect();
    let address = own(&all, port, owners).ok_or_else(|| format!("no server of ollama listens on port {port} here"))?;
    Ok(SocketAddr::new(address, port))
}

/// The loopback address of the listener on a port that one of these users owns.
fn own(all: &[Listener], port: u16, owners: &[u32]) -> Option<IpAddr> {
    all.iter().find(|l| l.port == port && owners.contains(&l.uid)).and_then(Listener::loopback)
}

/// The port that OLLAMA_HOST names on this machine, or the other machine that it names. Read as envconfig.Host of ollama
/// does: `[SCHEME://]HOST[:PORT][/PATH]`.
fn host(set: &str) -> Result<u16, String> {
    let set = set.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest) = set.split_once("://").map_or(("", set), |(scheme, rest)| (scheme, rest));
    let rest = rest.split('/').next().unwrap_or_default();
    let usual = match scheme {
        "http" => 80,
        "https" => 443,
        _ => PORT,
    };
    if let Ok(address) = rest.parse::<SocketAddr>() {
        return here(address.ip()).then(|| address.port()).ok_or_else(|| address.ip().to_string());
    }
    let bare = rest.trim_matches(['[', ']']);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return here(address).then_some(usual).ok_or_else(|| bare.to_string());
    }
    let (name, port) =
        rest.rsplit_once(':').map_or((rest, usual), |(name, port)| (name, port.parse().unwrap_or(usual)));
    match name.is_empty() || name == "localhost" {
        true => Ok(port),
        false => Err("another machine".to_string()),
    }
}

fn here(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified()
}

/// No proxy comes between this machine and itself.
fn without_proxies(spec: Spec) -> Spec {
    const PROXIES: [&str; 6] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    PROXIES.iter().fold(spec, |spec, name| spec.unset(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn the_host_is_read_as_ollama_reads_it() {
        for (set, port) in [
            ("", 11434),
            ("0.0.0.0", 11434),
            ("127.0.0.1:8080", 8080),
            (":1337", 1337),
            ("localhost", 11434),
            ("http://127.0.0.1", 80),
            ("[::]:9000", 9000),
            ("\"0.0.0.0:11435\"", 11435),
        ] {
            assert_eq!(host(set), Ok(port), "{set}");
        }
        for set in ["gpu-box", "gpu-box:11434", "https://ollama.com", "192.168.1.5:11434", "10.0.0.1"] {
            assert!(host(set).is_err(), "{set}");
        }
    }

    #[test]
    fn only_a_listener_of_ollama_is_asked() {
        let at = |address: [u8; 4], uid| Listener { address: Ipv4Addr::from(address).into(), port: PORT, uid };
        assert_eq!(own(&[at([127, 0, 0, 1], 998)], PORT, &[998]), Some(Ipv4Addr::LOCALHOST.into()));
        assert_eq!(own(&[at([127, 0, 0, 1], 1000)], PORT, &[998]), None);
        assert_eq!(own(&[at([192, 168, 1, 5], 998)], PORT, &[998]), None);
        assert_eq!(own(&[at([127, 0, 0, 1], 998)], 8080, &[998]), None);
    }

    #[test]
    fn back_ends_are_known_by_their_names() {
        let names = |list: &[&str]| list.iter().filter_map(|name| back_end(name)).collect::<Vec<_>>();
        // Folders of the releases, files of a distribution's package, and what is none.
        assert_eq!(names(&["cuda_v12", "cuda_v13", "rocm", "vulkan"]), ["cuda_v12", "cuda_v13", "rocm", "vulkan"]);
        assert_eq!(names(&["libggml-cuda.so", "libggml-hip.so", "ggml-vulkan.dll"]), ["cuda", "hip", "vulkan"]);
        assert_eq!(names(&["libggml-cpu-haswell.so", "libggml-base.so", "libcudart.so.12", "mlx_cuda_v13"]), [""; 0]);
    }
}
