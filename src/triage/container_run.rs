//! Commands that start a container, over several lines too, and services of a compose file: which image, and what of the GPUs
//! is asked for.

use super::parts::without_prompt;
use super::{Found, Line, Reader};
use crate::facts::host::{self, ContainerRun};
use crate::subject::Subject;

/// Reads them.
#[derive(Default)]
pub struct ContainerRuns {
    /// A command that goes on in the next line, and the line where it began.
    open: Option<(String, u64)>,
    /// A service of a compose file, with the line of its image.
    service: Option<(ContainerRun, u64)>,
    /// Lines in which the service may go on.
    left: u32,
}

/// Lines that a command or a service may have.
const MOST: u32 = 60;
/// Commands that start a container, with the engine.
const COMMANDS: &[(&str, &str)] = &[
    ("docker run ", "docker"),
    ("docker container run ", "docker"),
    ("docker create ", "docker"),
    ("nvidia-docker run ", "docker"),
    ("podman run ", "podman"),
    ("podman create ", "podman"),
    ("nerdctl run ", "nerdctl"),
];
/// Options that stand alone; every other one has a value.
const ALONE: &[&str] = &[
    "--rm",
    "--detach",
    "--interactive",
    "--tty",
    "--privileged",
    "--init",
    "--read-only",
    "--publish-all",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--quiet",
    "--replace",
    "--sig-proxy",
    "--disable-content-trust",
    "--http-proxy",
    "--no-hosts",
    "--rmi",
    "--tls-verify",
];

impl Reader for ContainerRuns {
    fn waits(&self) -> bool {
        self.open.is_some() || self.service.is_some()
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim();
        if text.len() > 4000 {
            return;
        }
        if let Some((mut command, from)) = self.open.take() {
            command.push(' ');
            command.push_str(text);
            return self.command(command, from, found);
        }
        let plain = without_prompt(text).trim_start_matches(['`', '*', ' ']);
        let plain = plain.strip_prefix("sudo ").unwrap_or(plain);
        if COMMANDS.iter().any(|(words, _)| plain.starts_with(words)) {
            self.left = MOST;
            return self.command(plain.to_string(), line.number, found);
        }
        self.compose(line, found);
    }

    fn end(&mut self, found: &mut Found) {
        if let Some((command, from)) = self.open.take() {
            self.left = 0;
            self.command(command, from, found);
        }
        self.put(found);
    }
}

impl ContainerRuns {
    fn command(&mut self, command: String, from: u64, found: &mut Found) {
        let more = command.trim_end().strip_suffix(['\\', '`', '^']).map(|rest| rest.trim_end().to_string());
        if let Some(rest) = more.filter(|_| self.left > 0 && command.len() < 8000) {
            self.left -= 1;
            self.open = Some((rest, from));
            return;
        }
        if let Some(run) = parse(&command) {
            // What the lines say together; one line by itself is read by the table of messages.
            let several = found.line_number() > from;
            let asks = run.gpus.is_some() || run.runtime.is_some() || !run.devices.is_empty();
            let test = command.trim_end().ends_with("nvidia-smi");
            if several && !asks && !test && !command.to_lowercase().contains("nvidia_visible_devices") {
                found.said("docker-run-without-gpus", &command, []);
            }
            found.seen_at(&host::CONTAINER_RUN, &Subject::machine(), run, from);
        }
    }

    /// `image:`, and below it what the service asks for.
    fn compose(&mut self, line: Line, found: &mut Found) {
        let text = line.text.trim().trim_start_matches("- ");
        let value = |key: &str| text.strip_prefix(key).map(|rest| rest.trim().trim_matches(['"', '\'']).to_string());
        if let Some(name) = value("image:").filter(|name| !name.is_empty() && !name.contains(' ')) {
            self.put(found);
            let (image, tag) = split(&name);
            let run =
                ContainerRun { engine: "compose".to_string(), image: Some(image), tag, ..ContainerRun::default() };
            self.service = Some((run, line.number));
            self.left = MOST;
            return;
        }
        let Some((run, _)) = &mut self.service else { return };
        self.left = self.left.saturating_sub(1);
        if let Some(runtime) = value("runtime:") {
            run.runtime = Some(runtime);
        } else if let Some(gpus) = value("gpus:") {
            run.gpus = Some(gpus);
        } else if let Some(count) = value("count:").filter(|_| run.gpus.as_deref() == Some("nvidia")) {
            run.gpus = Some(count);
        } else if value("driver:").is_some_and(|driver| driver == "nvidia") {
            run.gpus.get_or_insert_with(|| "nvidia".to_string());
        } else if text.starts_with("/dev/") && text.len() < 100 {
            run.devices.push(text.to_string());
        }
        if self.left == 0 || text.starts_with("```") {
            self.put(found);
        }
    }

    fn put(&mut self, found: &mut Found) {
        if let Some((run, line)) = self.service.take() {
            found.seen_at(&host::CONTAINER_RUN, &Subject::machine(), run, line);
        }
    }
}

/// What a command line asks for; nothing where it names no image.
fn parse(command: &str) -> Option<ContainerRun> {
    let (words, engine) = COMMANDS.iter().find(|(words, _)| command.starts_with(words))?;
    let mut run = ContainerRun { engine: engine.to_string(), ..ContainerRun::default() };
    if command.starts_with("nvidia-docker") {
        run.runtime = Some("nvidia".to_string());
    }
    let mut rest = command[words.len()..].split_whitespace();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            let (image, tag) = split(word.trim_matches(['"', '\'', '`']));
            (run.image, run.tag) = (Some(image), tag);
            return Some(run);
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.to_string()),
            None if ALONE.contains(&word) || short(word) => continue,
            None => (word, rest.next()?.to_string()),
        };
        let value = value.trim_matches(['"', '\'']).to_string();
        match name {
            "--gpus" => run.gpus = Some(value),
            "--runtime" => run.runtime = Some(value),
            "--device" => run.devices.push(value),
            _ => {}
        }
    }
    None
}

/// `-it`, `-d`: letters that stand alone.
fn short(word: &str) -> bool {
    let letters = word.trim_start_matches('-');
    !word.starts_with("--") && !letters.is_empty() && letters.chars().all(|c| "itdPq".contains(c))
}

/// An image and its tag: a colon before a slash is a port.
fn split(name: &str) -> (String, Option<String>) {
    match name.rsplit_once(':') {
        Some((image, tag)) if !tag.contains('/') => (image.to_string(), Some(tag.to_string())),
        _ => (name.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_str;
    use super::*;

    fn runs(text: &str) -> Vec<ContainerRun> {
        read_str(text).all(&host::CONTAINER_RUN).map(|(run, _)| run).collect()
    }

    #[test]
    fn a_command_says_which_image_and_which_gpus() {
        let run = &runs(
            "$ sudo docker run -it --rm --gpus '\"device=0,1\"' -v /data:/data --ipc=host localhost:5000/app/torch:2.4.0-cuda12.4 python train.py",
        )[0];
        assert_eq!((run.engine.as_str(), run.image.as_deref()), ("docker", Some("localhost:5000/app/torch")));
        assert_eq!((run.tag.as_deref(), run.gpus.as_deref()), (Some("2.4.0-cuda12.4"), Some("device=0,1")));
        let run = &runs("podman run --device nvidia.com/gpu=all --security-opt=label=disable ubuntu nvidia-smi")[0];
        assert_eq!((run.engine.as_str(), run.devices.as_slice()), ("podman", &["nvidia.com/gpu=all".to_string()][..]));
        assert_eq!((run.image.as_deref(), run.tag.as_deref(), run.gpus.as_deref()), (Some("ubuntu"), None, None));
    }

    #[test]
    fn a_command_over_several_lines_is_one() {
        let text = "docker run -d \\\n  --name app \\\n  --runtime=nvidia \\\n  -p 80:80 \\\n  vllm/vllm-openai:v0.6.3 --model x\n";
        let run = &runs(text)[0];
        assert_eq!((run.runtime.as_deref(), run.tag.as_deref()), (Some("nvidia"), Some("v0.6.3")));
        assert_eq!(
            read_str(text).all(&host::CONTAINER_RUN).next().map(|(_, f)| f.source.clone()).as_deref(),
            Some("-:1")
        );
    }

    #[test]
    fn services_of_a_compose_file() {
        let text = "services:\n  one:\n    image: ollama/ollama:0.3.0\n    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n              count: 1\n              capabilities: [gpu]\n  two:\n    image: app\n    devices:\n      - /dev/nvidia0:/dev/nvidia0\n";
        let all = runs(text);
        assert_eq!((all[0].image.as_deref(), all[0].gpus.as_deref()), (Some("ollama/ollama"), Some("1")));
        assert_eq!((all[1].gpus.as_deref(), all[1].devices.len()), (None, 1));
    }

    #[test]
    fn a_command_without_an_image_says_nothing() {
        assert!(runs("docker run --gpus all\n").is_empty());
        assert!(runs("I used docker run to start it\n").is_empty());
    }
}
