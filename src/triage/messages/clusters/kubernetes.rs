//! Kubernetes.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // A pod, or a node of a cluster.
    circumstance(
        "kubernetes-is-used",
        &[
            "kubectl",
            "kubelet",
            "kubernetes",
            "crashloopbackoff",
            "daemonset",
            "helm install",
            "k3s cluster",
            "k3s node",
            "k3s server",
            "k3s agent",
            "k3s.service",
            "k3s kubectl",
            "k3s v1",
            "on k3s",
            "with k3s",
            "k3s version",
            "rke2-server",
            "rke2-agent",
            "rke2 cluster",
            "on rke2",
            "with rke2",
            "microk8s",
            "openshift",
            "gpu operator",
            "gpu-operator",
            "device plugin",
            "device-plugin",
            "minikube",
        ],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-visible-devices-policy", Suggests),
            ("container-toolkit-missing", Against),
            ("docker-installed-as-snap", Against),
            ("docker-desktop-linux-vm", Against),
        ],
    ),
    circumstance(
        "runtimeclass-named",
        &[
            "runtimeclassname",
            "runtimeclass",
            "runtime class",
            "default-runtime=nvidia",
            "default_runtime_name",
            "default-runtime",
        ],
        &[("k8s-runtimeclass-missing", Supports)],
    ),
    // The runtime class is selected already.
    circumstance("runtimeclass-nvidia", &["runtimeclassname: nvidia"], &[("k8s-runtimeclass-missing", Against)]),
    // vLLM found no library of a GPU maker to ask.
    fault(
        "framework",
        "vllm-no-platform",
        &["no platform detected, vllm is running on unspecifiedplatform", "failed to infer device type"],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
    // Nothing on the node can be handed out.
    fault(
        "device-access",
        "k8s-insufficient-gpus",
        &["insufficient nvidia.com/gpu", "0/1 nodes are available*nvidia.com/gpu"],
        &[
            ("k8s-runtimeclass-missing", Suggests),
            ("container-runtime-not-configured", Suggests),
            ("driver-not-working", Suggests),
        ],
    ),
    // The device plugin itself runs without the driver's libraries.
    fault(
        "device-access",
        "device-plugin-no-nvml",
        &[
            "could not load nvml library",
            "failed to start nvml with error",
            "detected non-nvml platform",
            "could not load nvml: libnvidia-ml.so",
            "incompatible platform detected",
            "incompatible strategy detected",
            "if this is a gpu node, did you configure the nvidia container toolkit",
            "no devices found. waiting indefinitely",
            "error starting plugins*nvml",
        ],
        &[
            ("k8s-runtimeclass-missing", Supports),
            ("container-runtime-not-configured", Suggests),
            ("driver-not-installed", Suggests),
        ],
    ),
];
