//! Lines of logs of which `triage` reads 100 MB: a usual one, and those that give every reader something to do in every line.

/// What a log is called, and its `n`th piece.
pub type Log = (&'static str, fn(usize) -> String);

/// The logs.
pub const LOGS: [Log; 4] = [
    ("a usual log", usual),
    ("a log of messages of the driver", driver),
    ("a log of tracebacks", tracebacks),
    ("a log of CUDA's errors", cuda),
];

/// One line of a hundred speaks of a GPU.
fn usual(n: usize) -> String {
    match n % 100 {
        0 => format!("[{n}.125] NVRM: Xid (PCI:0000:3b:00): 31, pid={n}, name=python, Ch 00000008, intr 00000000.\n"),
        1..=50 => format!("Nov 30 10:11:12 node7 systemd[1]: Started Session {n} of user nobody.\n"),
        51..=80 => format!("2025-03-04 10:11:12,345 INFO worker step={n} loss=2.134 lr=0.0003 tokens/s=12034\n"),
        _ => format!("epoch {n}: 100%|##########| 938/938 [00:11<00:00, 81.34it/s, acc=0.91]\n"),
    }
}

fn driver(n: usize) -> String {
    match n % 4 {
        0 => format!(
            "[{n}.125431] NVRM: Xid (PCI:0000:3b:00): 31, pid={n}, name=python, Ch 00000008, intr 00000000. MMU Fault: \
             ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f5c_{n:08x}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n"
        ),
        1 => format!(
            "Nov 30 10:{:02}:{:02} node7 kernel: NVRM: Xid (PCI:0000:{:02x}:00): {}, pid={n}, name=python3, Ch {:08x}\n",
            n / 60 % 60,
            n % 60,
            n % 8,
            [13, 43, 45, 79, 94, 119][n % 6],
            n % 256
        ),
        2 => format!("[{n}.25] nvidia 0000:3b:00.0: AER: can't recover (no error_detected callback) {n}\n"),
        _ => format!("[{n}.5] NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x22:0x56:{})\n", n % 2000),
    }
}

fn tracebacks(n: usize) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/home/user/train_{n}.py\", line {}, in <module>\n    \
         model = model.to(\"cuda\")\n  File \"/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py\", line 1145, \
         in to\n    return self._apply(convert)\n  File \"/opt/conda/lib/python3.10/site-packages/torch/cuda/__init__.py\", \
         line 247, in _lazy_init\n    torch._C._cuda_init()\nRuntimeError: No CUDA GPUs are available\n",
        n % 400
    )
}

fn cuda(n: usize) -> String {
    match n % 5 {
        0 => {
            format!("[rank{}]: RuntimeError: CUDA error: an illegal memory access was encountered (step {n})\n", n % 8)
        }
        1 => format!(
            "2025-03-04 10:11:{:02},345 ERROR torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {}.00 MiB. \
             GPU {} has a total capacity of 23.65 GiB of which 12.00 MiB is free. Of the allocated memory 300.00 MiB is \
             allocated by PyTorch, and 2 MiB is reserved\n",
            n % 60,
            n % 900,
            n % 8
        ),
        2 => format!(
            "W0304 10:11:12.{n:06} 1234 cuda_driver.cc:263] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error ({n})\n"
        ),
        3 => format!(
            "UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. \
             changing env variable CUDA_VISIBLE_DEVICES after program start. (Triggered internally at \
             ../c10/cuda/CUDAFunctions.cpp:{}.)\n",
            n % 1000
        ),
        _ => format!(
            "node-{}:{n}:{} [{}] NCCL WARN Cuda failure 'out of memory' CUDA_VISIBLE_DEVICES={}\n",
            n % 16,
            n + 100,
            n % 8,
            n % 8
        ),
    }
}
