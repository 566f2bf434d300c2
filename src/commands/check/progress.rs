//! What is still running, on stderr, while a person waits. The line is gone when the report comes.

use crate::machine::console::Console;
use crate::machine::signals::line_is_drawn;
use crate::render::escape;
use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks at what runs; a check that is over before the first one shows nothing.
const TICK: Duration = Duration::from_millis(500);
/// After this a probe is slow, and the line says for how long it has been at it.
const SLOW: Duration = Duration::from_secs(5);

/// The line, and the thread that draws it.
pub struct Line {
    running: Arc<Mutex<Vec<String>>>,
    stop: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Line {
    /// A line on this console; without one, nothing is drawn.
    pub fn new(console: Option<Console>) -> Line {
        let running = Arc::new(Mutex::new(Vec::new()));
        let Some(Console { width, .. }) = console else { return Line { running, stop: None } };
        let (sender, stopped) = mpsc::channel();
        let shown = Arc::clone(&running);
        let thread = std::thread::Builder::new().name("progress".to_string()).spawn(move || {
            let mut waited = Duration::ZERO;
            let mut drawn = false;
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                waited += TICK;
                let names = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
                draw(&text(&names, waited, width));
                drawn = true;
            }
            if drawn {
                draw("");
            }
        });
        Line { running, stop: thread.ok().map(|thread| (sender, thread)) }
    }

    fn change(&self, change: impl FnOnce(&mut Vec<String>)) {
        change(&mut self.running.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl crate::probes::Progress for Line {
    fn started(&self, probe: &str) {
        self.change(|running| {
            if !running.iter().any(|name| name == probe) {
                running.push(probe.to_string());
            }
        });
    }

    fn finished(&self, probe: &str) {
        self.change(|running| running.retain(|name| name != probe));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.stop.take() {
            drop(sender);
            // It clears the line on its way out.
            let _ = thread.join();
        }
    }
}

fn draw(text: &str) {
    line_is_drawn(!text.is_empty());
    // A terminal that is gone shows nothing any more.
    let _ = write!(std::io::stderr(), "\r\u{1b}[2K{text}");
    let _ = std::io::stderr().flush();
}

/// The line, cut to what fits.
fn text(running: &[String], waited: Duration, width: usize) -> String {
    if running.is_empty() {
        return String::new();
    }
    let names = running.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let text = match waited < SLOW {
        true => format!("looking: {names}"),
        false => format!("still running after {} s: {names}", waited.as_secs()),
    };
    escape::line(&text).chars().take(width.saturating_sub(1)).collect()
}

/// How a person calls a probe.
fn shown(probe: &str) -> &str {
    match probe {
        "nodes" => "device nodes",
        "nvml" => "NVML",
        "cuda" => "libcuda",
        "smi" => "nvidia-smi",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_runs_and_fits() {
        let names = ["nvml".to_string(), "/home/u/venv/bin/python".to_string()];
        assert_eq!(text(&names, Duration::from_secs(1), 80), "looking: NVML, /home/u/venv/bin/python");
        let slow = text(&names, Duration::from_secs(7), 80);
        assert_eq!(slow, "still running after 7 s: NVML, /home/u/venv/bin/python");
        assert_eq!(text(&names, Duration::from_secs(7), 20), "still running after");
        assert_eq!(text(&[], Duration::from_secs(7), 20), "");
    }
}
