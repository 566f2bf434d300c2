//! CUDA in processes that were forked.

use crate::triage::messages::Weight::{Against, Decides, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // torch, since 0.2: the child was forked after the parent had used CUDA (or XPU).
    fault(
        "program",
        "fork-after-cuda",
        &[
            "cannot re-initialize cuda in forked subprocess",
            "cannot re-initialize xpu in forked subprocess",
            "cannot re-initialize cuda in fork",
            "cuda was initialized before fork",
            "cuda initialized before forking",
            "cuda has been initialized before the `notebook_launcher`",
            "to use cuda with multiprocessing, you must use the 'spawn' start method",
        ],
        &[("cuda-initialized-before-fork", Decides)],
    ),
    // Only the children fail.
    circumstance(
        "fork-only-children-fail",
        &[
            "only in the forked",
            "only in forked",
            "in the forked child",
            "in a forked process",
            "in forked process",
            "forked child",
            "only fails in a subprocess",
            "fails in the subprocess",
            "only fails in multiprocessing",
            "only in the child process",
            "works in the main process",
            "main process works",
            "works without multiprocessing",
            "works in a fresh process",
            "fresh process works",
            "fresh interpreter works",
            "before the fork",
            "before fork",
            "in dataloader worker process",
            "pid of the child",
            "with spawn it works",
            "spawn works",
            "using spawn fixes",
            "using spawn fixed",
            "spawn instead of fork",
            "_in_bad_fork",
            "gunicorn",
            "uwsgi",
            "os.fork()",
            "celery worker",
            "preload_app",
            "pytorch_nvml_based_cuda_check",
        ],
        &[("cuda-initialized-before-fork", Supports), ("uvm-hmm-driver-bug", Against)],
    ),
    circumstance(
        "fork-start-method",
        &[
            "set_start_method",
            "get_start_method",
            "start method 'spawn'",
            "start_method='spawn'",
            "start_method=\"spawn\"",
            "method spawn",
            "vllm_worker_multiproc_method",
            "get_context('spawn')",
            "get_context(\"spawn\")",
            "torch.cuda.is_initialized()",
            "multiprocessing.process",
            "mp.process",
        ],
        &[("cuda-initialized-before-fork", Suggests)],
    ),
];
