//! Nodes that a control group of devices forbids: one made here, and that of a real container.

use crate::common::stage::{Check, REAL_NODES, Seen, needs_root, open_to_all, part, public_folder};
use crate::{BRANCHES, with_driver};
use std::path::Path;
use std::process::Command;

/// A control group of the devices controller that takes NVIDIA's nodes away, as a container has it after `systemctl
/// daemon-reload`. It goes with its value.
struct DeviceGroup(std::path::PathBuf);

impl DeviceGroup {
    fn without_nvidia() -> DeviceGroup {
        let controller = Path::new("/sys/fs/cgroup/devices");
        assert!(
            controller.join("devices.list").exists(),
            "this test needs the devices controller of cgroup v1, mounted at {}",
            controller.display()
        );
        let group = controller.join(format!("gpu-doctor-test-{}", std::process::id()));
        std::fs::create_dir(&group).expect("make a control group");
        std::fs::write(group.join("devices.deny"), "c 195:* rwm").expect("deny the devices");
        DeviceGroup(group)
    }

    /// Runs what follows inside.
    fn enter(&self) -> [String; 4] {
        let script = format!("echo $$ >{}/cgroup.procs; exec \"$@\"", self.0.display());
        ["bash".to_string(), "-c".to_string(), script, "enter".to_string()]
    }
}

impl Drop for DeviceGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// The causes that mean "a device cgroup forbids it".
const BY_CGROUP: [&str; 3] =
    ["container-cgroup-device-access-lost", "container-no-cgroups-setting", "scheduler-no-gpu-allocated"];

#[test]
fn nodes_that_a_control_group_forbids() {
    needs_root();
    let group = DeviceGroup::without_nvidia();
    for (branch, version) in BRANCHES {
        let tree = with_driver(version);
        let check = Check::new().on(tree.path()).driver(branch).dev(REAL_NODES).through(group.enter());
        let seen = check.without_frameworks().run();
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{branch}");
        // As root, with the right numbers and mode: EPERM. The real libraries say 999 and 100, nvidia-smi "Unknown Error".
        assert_eq!(
            seen.row("device-access")[0],
            ("fail", vec!["node-open(nvidiactl, EPERM)"]),
            "{branch}:\n{}",
            seen.text
        );
        assert_eq!(seen.fact("nvml.init")["value"], 999, "{branch}");
        assert_eq!(seen.fact("cuda.init")["value"], 100, "{branch}");
        // Nothing here tells a container, a service or a job apart.
        let errors = seen.errors();
        assert!(errors.iter().any(|(_, slug, _)| *slug == BY_CGROUP[0]), "{branch}:\n{}", seen.text);
        for (group, slug, confidence) in errors {
            assert!(group == 1 && BY_CGROUP.contains(&slug) && confidence != "certain", "{branch}:\n{}", seen.text);
        }
    }
}

/// The lab's image under a name of its own. It goes with its value.
struct Image(String);

impl Image {
    fn import() -> Image {
        let image = Image(format!("gpu-doctor-test-{}", std::process::id()));
        let script =
            format!("tar -C '{}' -c . | podman import --quiet - {}", part("podman").join("rootfs").display(), image.0);
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "podman import failed: {}", String::from_utf8_lossy(&output.stderr));
        image
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = Command::new("podman").args(["rmi", "--force", &self.0]).output();
    }
}

#[test]
fn nodes_that_a_real_container_may_not_open() {
    needs_root();
    let image = Image::import();
    for ((branch, version), old) in BRANCHES.into_iter().flat_map(|branch| [(branch, false), (branch, true)]) {
        let (tree, out) = (with_driver(version), public_folder());
        // The container's own signs, not those of the tree.
        tree.remove("proc/self").link("/run", "run");
        tree.link("/proc/self", "proc/self").link("/proc/1", "proc/1");
        // Started just now, or two hours ago by the clock of the tree.
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let uptime: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        tree.file("proc/uptime", format!("{:.2} 1.00\n", uptime + if old { 7200.0 } else { 30.0 }));
        open_to_all(tree.path(), 0o755);
        // The default list of devices lets a container make nodes and not open them: the state of one that lost its GPU.
        let script = "mknod -m 666 /dev/nvidiactl c 195 255; mknod -m 666 /dev/nvidia0 c 195 0; \
                      mknod -m 666 /dev/nvidia-uvm c 510 0; exec /gpu-doctor check --json --root /tree --root-live \
                      --skip framework --skip tensor --save /out/snapshot.json";
        let volumes = [
            "/usr:/usr:ro".to_string(),
            format!("{}:/tree:ro", tree.path().display()),
            format!("{}:/driver:ro", part(&format!("driver-{branch}")).display()),
            format!("{}:/gpu-doctor:ro", env!("CARGO_BIN_EXE_gpu-doctor")),
            format!("{}:/out", out.path().display()),
        ];
        let mut command = Command::new("podman");
        command.args(["--runtime", "/usr/sbin/runc", "run", "--rm", "--network=none", "--cap-add=MKNOD"]);
        command.args(["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]);
        command.args(["-e", "LD_LIBRARY_PATH=/driver/lib", "-e", "PATH=/driver/bin:/usr/bin:/bin"]);
        command.args(volumes.iter().flat_map(|volume| ["-v", volume]));
        let output = command.args([&image.0, "/bin/busybox", "sh", "-c", script]).output().unwrap();
        let seen = Seen::of_snapshot(&output, &out.path().join("snapshot.json"));
        assert_eq!((seen.verdict(), seen.code), ("not_ready", 1), "{branch}");
        assert_eq!(
            seen.row("device-access")[0],
            ("fail", vec!["node-open(nvidiactl, EPERM)"]),
            "{branch}:\n{}",
            seen.text
        );
        assert_eq!(seen.fact("nvml.init")["value"], 999, "{branch}");
        assert_eq!(seen.fact("host.container")["value"]["engine"], "podman", "{branch}");
        // EPERM from the first second on is more likely a setting; later it is more likely a loss. Neither is ever certain.
        let (likely, possible) = if old { (BY_CGROUP[0], BY_CGROUP[1]) } else { (BY_CGROUP[1], BY_CGROUP[0]) };
        assert_eq!(seen.errors(), [(1, likely, "likely"), (1, possible, "possible")], "{branch}:\n{}", seen.text);
        for slug in [likely, possible] {
            let commands = seen.commands(slug);
            assert!(commands.contains(&"podman restart CONTAINER"), "{commands:?}");
            assert!(!commands.iter().any(|command| command.contains("docker")), "{commands:?}");
        }
    }
}
