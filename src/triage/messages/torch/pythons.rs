//! Which Python runs, and whether it can import torch.

use crate::triage::messages::Weight::{Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // Which Python runs.
    circumstance(
        "user-site-torch",
        &[
            ".local/lib/python*/torch",
            "appdata\\roaming\\python*torch",
            "location: *.local/lib/python",
            "location: *appdata\\roaming\\python",
        ],
        &[("user-site-shadows-venv", Suggests)],
    ),
    circumstance(
        "inside-environment",
        &[
            "(venv)",
            "(.venv)",
            "(base)",
            "conda env",
            "conda activate",
            "conda_prefix",
            "virtualenv",
            "virtual_env",
            "virtual environment",
            "bin/activate",
            "scripts\\activate",
        ],
        &[],
    ),
    circumstance(
        "user-site-off-helps",
        &["pythonnousersite", "python -s ", "unset pythonpath", "user site-packages", "user-site"],
        &[("user-site-shadows-venv", Supports)],
    ),
    circumstance(
        "other-python",
        &[
            "(venv) pip",
            "system python",
            "wrong python",
            "different python",
            "another python",
            "not the venv",
            "wrong interpreter",
            "different interpreter",
            "python interpreter in",
            "wrong environment",
            "wrong kernel",
        ],
        &[("wrong-interpreter-used", Supports)],
    ),
    circumstance(
        "system-python-runs",
        &[
            "sys.executable*/usr/bin/python",
            "sys.executable*/usr/local/bin/python",
            "sys.executable*c:\\python",
            "sys.executable*\\programs\\python",
        ],
        &[("wrong-interpreter-used", Supports)],
    ),
    fault(
        "framework",
        "no-module-torch",
        &["no module named 'torch'", "no module named torch"],
        &[("torch-not-installed", Supports), ("wrong-interpreter-used", Suggests)],
    ),
    // Python itself does not start.
    fault(
        "framework",
        "python-does-not-start",
        &[
            "fatal python error: init_fs_encoding",
            "fatal python error: init_import_site",
            "fatal python error: py_initialize",
            "unable to get the locale encoding",
            "no module named 'encodings'",
            "no module named encodings",
            "libpython*cannot open shared object file",
            "bad interpreter*python*no such file",
            "python*bad interpreter",
            "no python at '",
            "did not find executable at '*python",
            "dyld*library not loaded*python",
        ],
        &[("python-interpreter-broken", Supports)],
    ),
    // The import.
    fault(
        "framework",
        "torch-import-library-missing",
        &[
            "not found in the system path",
            "libtorch_cuda.so: cannot open",
            "libc10_cuda.so: cannot open",
            "libtorch_python.so: undefined symbol",
            "undefined symbol: ijit_notifyevent",
        ],
        &[("torch-import-fails", Supports)],
    ),
    fault(
        "framework",
        "torch-import-windows-dll",
        &[
            "winerror 126*torch",
            "winerror 127*torch",
            "winerror 182*torch",
            "winerror 1114*torch",
            "winerror 193*torch",
            "error loading *torch\\lib",
            "dll load failed while importing _c",
            "dll load failed*torch",
        ],
        &[("torch-import-fails", Supports)],
    ),
    fault(
        "framework",
        "torch-partially-initialized",
        &["partially initialized module 'torch'", "module 'torch' has no attribute"],
        &[("torch-import-fails", Suggests)],
    ),
];
