//! JAX.

use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // JAX.
    fault(
        "framework",
        "jax-no-cuda-jaxlib",
        &["cuda-enabled jaxlib is not installed"],
        &[
            ("jaxlib-cpu-only", Supports),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("jax-plugin-version-mismatch", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    fault(
        "framework",
        "jax-falls-back",
        &["no gpu/tpu found, falling back to cpu"],
        &[
            ("jaxlib-cpu-only", Supports),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("benign-message-gpu-is-used", Suggests),
        ],
    ),
    // What the CPU build of jaxlib says when it is asked for CUDA.
    fault(
        "framework",
        "jax-cpu-jaxlib-signs",
        &[
            "has no attribute 'gpuallocatorconfig'",
            "unknown backend: 'gpu' requested",
            "unknown backend 'gpu'",
            "unknown backend: 'cuda' requested",
            "unknown backend cuda",
        ],
        &[("jaxlib-cpu-only", Supports), ("jax-plugin-cuda-libs-not-loadable", Suggests)],
    ),
    fault(
        "framework",
        "jax-plugin-config-error",
        &[
            "jax plugin configuration error",
            "exception when calling jax_plugins.xla_cuda",
            "pjrt_api already exists for device type cuda",
        ],
        &[("jax-plugin-cuda-libs-not-loadable", Supports), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "framework",
        "jax-library-not-found",
        &[
            "unable to load cusparse",
            "unable to load cudnn. is it installed",
            "unable to load cublas",
            "unable to load cufft",
            "unable to load cusolver",
            "unable to load cupti",
            "unable to load nvjitlink",
            "unable to load cuda. is it installed",
            "the cusparse library was not found",
            "the cudnn library was not found",
            "the cublas library was not found",
            "the cufft library was not found",
            "the cusolver library was not found",
            "the cupti library was not found",
            "unable to use cuda because of the following issues with cuda components",
        ],
        &[("jax-plugin-cuda-libs-not-loadable", Supports), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "framework",
        "jax-library-too-old",
        &[
            "but jax was built against version",
            "outdated cudnn installation found",
            "outdated cublas installation found",
            "outdated cusparse installation found",
        ],
        &[
            ("jax-plugin-cuda-libs-not-loadable", Supports),
            ("ld-library-path-shadows-pip-cuda-libs", Suggests),
            ("cudnn-version-conflict-ld-library-path", Suggests),
            ("jaxlib-cpu-only", Refutes),
        ],
    ),
    fault(
        "framework",
        "jax-plugin-incompatible",
        &[
            "jax plugin * is installed, but it is not compatible with the installed jaxlib",
            "mismatched pjrt plugin pjrt api version",
        ],
        &[("jax-plugin-version-mismatch", Decides), ("jaxlib-cpu-only", Refutes)],
    ),
    fault(
        "framework",
        "jax-versions-apart",
        &[
            "no ffi handler registered for",
            "and incompatible with jax version",
            "jaxlib is version * but this version of jax requires",
            "jaxlib version * is newer than",
            "plugin * incompatible with jaxlib",
            "pjrt c api version mismatch",
            "unexpected pjrt_plugin_attributes",
        ],
        &[("jax-plugin-version-mismatch", Supports), ("jaxlib-cpu-only", Against)],
    ),
    circumstance(
        "jax-plugin-installed",
        &[
            "jax-cuda12-plugin",
            "jax_cuda12_plugin",
            "jax-cuda13-plugin",
            "jax_cuda13_plugin",
            "jax-cuda12-pjrt",
            "jax-cuda13-pjrt",
            "jax_plugins/xla_cuda",
            "jax_plugins.xla_cuda",
        ],
        &[
            ("jaxlib-cpu-only", Refutes),
            ("jax-plugin-cuda-libs-not-loadable", Suggests),
            ("jax-plugin-version-mismatch", Suggests),
        ],
    ),
    circumstance(
        "jax-cuda-extra",
        &["jax[cuda", "jaxlib-*cuda1", "+cuda12.cudnn", "+cuda11.cudnn"],
        &[("jaxlib-cpu-only", Against), ("jax-plugin-cuda-libs-not-loadable", Suggests)],
    ),
    circumstance(
        "jax-plain-install",
        &["pip install jax jaxlib", "pip install jaxlib"],
        &[("jaxlib-cpu-only", Supports)],
    ),
];
