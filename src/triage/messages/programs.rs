//! Messages of programs: where the GPU works and the program does not use it, or has not enough of it. Ollama, llama.cpp,
//! vLLM, accelerate and transformers, DeepSpeed, Ultralytics, whisper, training loops.

use super::About::{Circumstance, Fault, Harmless};
use super::Message;
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::Found;

/// The rows.
pub static ROWS: &[Message] = &[
    Message {
        // torch, since 0.2: the child was forked after the parent had used CUDA (or XPU).
        id: "fork-after-cuda",
        words: &[
            "cannot re-initialize cuda in forked subprocess",
            "cannot re-initialize xpu in forked subprocess",
            "cannot re-initialize cuda in fork",
            "cuda was initialized before fork",
            "cuda initialized before forking",
            "cuda has been initialized before the `notebook_launcher`",
            "to use cuda with multiprocessing, you must use the 'spawn' start method",
        ],
        about: Fault("program"),
        causes: &[("cuda-initialized-before-fork", Decides)],
        facts: None,
    },
    Message {
        // Only the children fail.
        id: "fork-only-children-fail",
        words: &[
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
        about: Circumstance,
        causes: &[("cuda-initialized-before-fork", Supports), ("uvm-hmm-driver-bug", Against)],
        facts: None,
    },
    Message {
        id: "fork-start-method",
        words: &[
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
        about: Circumstance,
        causes: &[("cuda-initialized-before-fork", Suggests)],
        facts: None,
    },
    Message {
        // accelerate put modules where no GPU computes.
        id: "accelerate-meta-device",
        words: &[
            "some parameters are on the meta device",
            "cannot copy out of meta tensor",
            "some modules are dispatched on the cpu or the disk",
            "the current `device_map` had weights offloaded to the disk",
            "you are trying to offload the whole model to the disk",
            "you can't move a model that has some modules offloaded to cpu or disk",
            "you can't train a model that has been loaded in 8-bit*with cpu or disk offload",
            "offloaded to the cpu and disk",
            "offloaded to the cpu",
            "offloaded to the disk",
            "offloaded to disk",
            "is on the meta device, we need a `value`",
            "expected device meta",
            "on device meta",
        ],
        about: Fault("program"),
        causes: &[("accelerate-offloaded-to-cpu", Supports), ("insufficient-vram-cpu-offload", Suggests)],
        facts: None,
    },
    Message {
        id: "accelerate-device-map",
        words: &[
            "device_map=\"auto\"",
            "device_map='auto'",
            "device_map=auto",
            "device_map = \"auto\"",
            "device_map: auto",
            "device_map=\"balanced",
            "infer_auto_device_map",
            "load_checkpoint_and_dispatch",
            "dispatch_model",
            "offload_folder",
        ],
        about: Circumstance,
        causes: &[("accelerate-offloaded-to-cpu", Supports), ("model-or-data-not-moved-to-device", Against)],
        facts: None,
    },
    Message {
        // The map itself, or the cure: everything on one GPU.
        id: "accelerate-map-says-cpu",
        words: &[
            "hf_device_map*'cpu'",
            "hf_device_map*\"cpu\"",
            "hf_device_map*'disk'",
            "hf_device_map*\"disk\"",
            "hf_device_map",
            "device_map={'': 0}",
            "device_map={\"\": 0}",
            "device_map={'':0}",
            "device_map={\"\":0}",
            "llm_int8_enable_fp32_cpu_offload",
            "load_in_8bit_fp32_cpu_offload",
        ],
        about: Circumstance,
        causes: &[("accelerate-offloaded-to-cpu", Supports)],
        facts: None,
    },
    Message {
        // Ollama and llama.cpp say that nothing, or not all, fits.
        id: "vram-no-layers-fit",
        words: &[
            "insufficient vram to load any model layers",
            "gpu has too little memory to allocate any layers",
            "gpu too small to load",
            "unable to load any layers",
            "not enough vram to load",
            "not enough gpu memory to load",
            "layers.offload=0",
            "insufficient vram",
            "not enough vram",
            "model is too large for",
            "model requires more vram",
            "does not fit in vram",
            "doesn't fit in vram",
            "does not fit into vram",
            "exceeds the vram",
            "exceeds vram",
            "falling back to cpu*not enough",
        ],
        about: Fault("program"),
        causes: &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Suggests)],
        facts: None,
    },
    Message {
        // The numbers decide: see `layers`.
        id: "layers-offloaded",
        words: &["offloaded*layers to gpu", "offloading*layers to gpu", "layers.model=", "msg=offload"],
        about: Circumstance,
        causes: &[("llamacpp-built-without-cuda", Against)],
        facts: Some(layers),
    },
    Message {
        id: "layers-partly-offloaded",
        words: &["%/*% cpu/gpu"],
        about: Fault("program"),
        causes: &[("insufficient-vram-cpu-offload", Supports)],
        facts: None,
    },
    Message {
        // No layer at all: a build without CUDA says it as well, and so does one that was told to.
        id: "layers-none-offloaded",
        words: &["offloaded 0/"],
        about: Fault("program"),
        causes: &[("insufficient-vram-cpu-offload", Suggests), ("llamacpp-built-without-cuda", Suggests)],
        facts: None,
    },
    Message {
        id: "layers-all-offloaded",
        words: &["100% gpu"],
        about: Circumstance,
        causes: &[("insufficient-vram-cpu-offload", Against)],
        facts: None,
    },
    Message {
        // The room for context and work buffers counts as well as the weights.
        id: "vram-estimate",
        words: &[
            "memory.required.full",
            "partial_offload=",
            "memory.required.partial",
            "memory.required.allocations",
            "num_ctx",
            "--ctx-size",
            "n_ctx",
            "context length",
            "kv cache size",
            "num_gpu",
            "n_gpu_layers",
        ],
        about: Circumstance,
        causes: &[("insufficient-vram-cpu-offload", Suggests)],
        facts: None,
    },
    Message {
        // vLLM and its kin count what is free before they begin.
        id: "serving-memory-short",
        words: &[
            "no available memory for the cache blocks",
            "larger than the maximum number of tokens that can be stored in kv cache",
            "larger than the available kv cache memory",
            "kv cache is needed, which is larger",
            "to serve at least one request with the models's max seq len",
            "to serve at least one request with the model's max seq len",
            "not enough memory. please try to increase --mem-fraction-static",
            "available memory is not enough",
            "try increasing `gpu_memory_utilization`",
        ],
        about: Fault("program"),
        causes: &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Suggests)],
        facts: None,
    },
    Message {
        id: "serving-memory-taken",
        words: &[
            "is less than desired gpu memory utilization",
            "error in memory profiling. initial free memory",
            "reduce gpu memory used by other processes",
        ],
        about: Fault("program"),
        causes: &[("orphan-process-holds-vram", Suggests), ("insufficient-vram-cpu-offload", Suggests)],
        facts: None,
    },
    Message {
        // A later allocation, not the start of CUDA.
        id: "cuda-out-of-memory",
        words: &[
            "cuda out of memory",
            "torch.outofmemoryerror",
            "torch.cuda.outofmemoryerror",
            "hip out of memory",
            "xpu out of memory",
            "cublas_status_alloc_failed",
            "cudamalloc failed: out of memory",
            "cudaerrormemoryallocation",
            "failed to allocate*cuda0 buffer",
            "unable to allocate cuda0 buffer",
            "unable to allocate cuda",
            "oom when allocating tensor",
            "resource_exhausted: out of memory",
            "resourceexhaustederror",
            "cuda_error_out_of_memory: out of memory",
            "failed to allocate memory on device",
            "cuda runtime error (2) : out of memory",
            "cuda failure 2: out of memory",
            "bfcarena::allocaterawinternal",
            "out_of_memory: out of memory allocating",
        ],
        about: Fault("program"),
        causes: &[("insufficient-vram-cpu-offload", Suggests), ("orphan-process-holds-vram", Suggests)],
        facts: Some(memory),
    },
    Message {
        // The numbers of torch's message: its own process holds most of the memory, or asks for more than there is.
        id: "memory-held-by-itself",
        words: &[],
        about: Circumstance,
        causes: &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Against)],
        facts: None,
    },
    Message {
        // The memory is taken, and not by this process.
        id: "memory-held-by-others",
        words: &[],
        about: Circumstance,
        causes: &[("orphan-process-holds-vram", Supports)],
        facts: None,
    },
    Message {
        // Which of the two: a process that is gone and holds memory all the same.
        id: "memory-without-owner",
        words: &[
            "no process listed",
            "used without any process",
            "used but no process",
            "no process is shown",
            "no process is using",
            "no process using",
            "no processes are shown",
            "no processes shown",
            "shows no process",
            "show no process",
            "show any process",
            "showing any process",
            "process list is empty",
            "processes list is empty",
            "no process shown",
            "no processes listed",
            "no process is listed",
            "memory in use, no process",
            "memory used but no process",
            "memory is used but no process",
            "memory usage but no process",
            "memory*but no process",
            "memory*no running process",
            "memory*without any process",
            "memory*not released",
            "memory*not freed",
            "memory*not being released",
            "memory*never released",
            "memory*isn't released",
            "memory*still occupied",
            "still occupies gpu memory",
            "still holding gpu memory",
            "still using gpu memory",
            "gpu memory leak",
            "memory leak*gpu",
            "memory*after killing",
            "gpu memory*after kill",
            "orphan",
            "zombie process",
            "<defunct>",
            "leftover process",
            "left over process",
            "stale process",
        ],
        about: Fault("program"),
        causes: &[("orphan-process-holds-vram", Supports)],
        facts: None,
    },
    Message {
        id: "holders-by-fuser",
        words: &["fuser -v /dev/nvidia", "fuser -k /dev/nvidia", "fuser /dev/nvidia", "lsof /dev/nvidia"],
        about: Circumstance,
        causes: &[("orphan-process-holds-vram", Supports)],
        facts: None,
    },
    Message {
        id: "holder-is-gone",
        words: &["kill*no such process", "[not found]", "pid*does not exist", "kill -9"],
        about: Circumstance,
        causes: &[("orphan-process-holds-vram", Suggests)],
        facts: None,
    },
    Message {
        // One on the GPU and the other not: which proves that CUDA works.
        id: "tensors-on-two-devices",
        words: &[
            "input type (torch.floattensor) and weight type (torch.cuda",
            "input type (torch.cuda*and weight type (torch.floattensor",
            "input type (torch.cuda*and weight type (torch.halftensor",
            "input type (cudafloattype) and weight type (cpufloattype",
            "input type (cpufloattype) and weight type (cudafloattype",
            "input type (cuda*and weight type (cpu",
            "input type (mkl*and weight type (torch.cuda",
            "expected all tensors to be on the same device",
            "expected object of device type cuda but got device type cpu",
            "expected object of backend cuda but got backend cpu",
            "expected object of backend cpu but got backend cuda",
            "expected object of type torch.cuda.floattensor but found type torch.floattensor",
            "expected object of type torch.floattensor but found type torch.cuda.floattensor",
            "is on cpu, but expected",
            "but expected it to be on gpu",
            "but expected them to be on gpu",
            "expected tensor for argument*to have the same device",
            "input and hidden tensors are not at the same device",
            "input and parameter tensors are not at the same device",
            "being on a device type different than your model's device",
            "module must have its parameters and buffers on device cuda",
            "indices should be either on cpu or on the same device as the indexed tensor",
            "arguments are located on different gpus",
            "received inputs on different devices",
            "found at least two devices, cuda:0 and cpu",
            "found at least two devices, cpu and cuda",
        ],
        about: Fault("program"),
        causes: &[
            ("model-or-data-not-moved-to-device", Supports),
            ("accelerate-offloaded-to-cpu", Suggests),
            ("torch-cpu-only-wheel", Refutes),
            ("driver-not-installed", Refutes),
            ("cuda-initialized-before-fork", Against),
        ],
        facts: None,
    },
    Message {
        id: "tensor-is-on-the-gpu",
        words: &["can't convert cuda*device type tensor to numpy", "can't convert cuda tensor to numpy"],
        about: Fault("program"),
        causes: &[("model-or-data-not-moved-to-device", Suggests), ("torch-cpu-only-wheel", Refutes)],
        facts: None,
    },
    Message {
        id: "device-move-said",
        words: &[
            "forgot to move",
            "forgot .to(",
            "forgot .cuda()",
            "not moved to the gpu",
            "not moved to gpu",
            "wasn't moved to",
            "was not moved to",
            "never moved to",
            "not on cuda",
            "model is on cpu",
            "model is on the cpu",
            "model on cpu",
            "is still on cpu",
            "is still on the cpu",
            "still on cpu",
            "missing .to(device)",
            "missing .cuda()",
            "next(model.parameters()).device*cpu",
            "next(self.parameters()).device*cpu",
            "model.device*cpu",
            "assign the result of .to",
            "device(type='cpu')",
        ],
        about: Circumstance,
        causes: &[("model-or-data-not-moved-to-device", Supports)],
        facts: None,
    },
    Message {
        // Little use of the GPU: nothing is broken, and the reason is not in this line.
        id: "utilisation-low",
        words: &[
            "gpu utilization*zero",
            "gpu utilization is low",
            "gpu utilization*always 0",
            "gpu utilization is 0",
            "gpu utilization*only",
            "low gpu utilization",
            "low gpu utilisation",
            "low gpu usage",
            "low gpu-util",
            "gpu usage is low",
            "gpu usage is 0",
            "gpu usage is very low",
            "gpu not utilized",
            "gpu is not utilized",
            "gpu not fully utilized",
            "gpu underutilized",
            "gpu is underutilized",
            "gpu starv",
            "volatile gpu-util is 0",
            "nvidia-smi 0%",
            "nvidia-smi: 0%",
            "utilization: 0%",
            "utilization 0%",
            "utilization of 0%",
            "utilization is 0%",
            "utilization at 0%",
            "utilisation is 0%",
            "gpu usage 0%",
            "gpu usage: 0%",
            "gpu usage at 0%",
            "gpu-util is 0%",
            "gpu-util 0%",
            "gpu-util: 0%",
            "gpu-util shows 0%",
            "gpu 0% usage",
            "util stays at 0",
            "gpu stays at 0%",
            "gpu at 0%",
        ],
        about: Fault("program"),
        causes: &[("input-pipeline-bottleneck", Suggests), ("model-or-data-not-moved-to-device", Suggests)],
        facts: None,
    },
    Message {
        // The processor is what is busy.
        id: "cpu-is-the-bottleneck",
        words: &[
            "cpu*100% utilization",
            "cpu*at 100%",
            "cpu usage is 100",
            "cpu is at 100",
            "100% cpu",
            "cpu bottleneck",
            "cpu-bound",
            "cpu bound",
            "only one core",
            "only one cpu",
            "single core",
            "one cpu core",
            "cpus were not utilized",
            "cpu affinity",
            "sched_setaffinity",
            "sched_getaffinity",
            "cpus_allowed_list",
            "taskset",
            "omp_num_threads",
            "kmp_affinity",
            "dataloader is slow",
            "data loading is slow",
            "dataloader bottleneck",
            "data loading bottleneck",
            "waiting for data",
            "data_time",
            "data time",
            "time spent loading",
            "slow disk",
            "image decoding",
            "data augmentation",
            "our suggested max number of worker in current system is",
        ],
        about: Circumstance,
        causes: &[("input-pipeline-bottleneck", Supports)],
        facts: None,
    },
    Message {
        id: "data-loader",
        words: &["num_workers", "dataloader", "data loader", "changing workers", "pin_memory", "prefetch"],
        about: Circumstance,
        causes: &[("input-pipeline-bottleneck", Suggests)],
        facts: None,
    },
    Message {
        // Launchers; how many of how many is counted where the line says both.
        id: "ranks-are-started",
        words: &[
            "nproc_per_node",
            "nproc-per-node",
            "local_rank",
            "local-rank",
            "local_world_size",
            "torchrun",
            "torch.distributed.launch",
            "mpirun",
            "tensor_parallel_size",
            "tensor-parallel-size",
            "--num_processes",
            "--num-processes",
            "--num_gpus",
            "--num-gpus",
            "accelerate launch",
            "deepspeed --",
            "horovodrun",
        ],
        about: Circumstance,
        causes: &[("more-ranks-than-visible-gpus", Suggests)],
        facts: Some(ranks),
    },
    Message {
        // The line asks for more processes than its own mask leaves.
        id: "ranks-beyond-mask",
        words: &[],
        about: Circumstance,
        causes: &[
            ("more-ranks-than-visible-gpus", Supports),
            ("cuda-visible-devices-out-of-range", Against),
            ("cvd-not-renumbered-in-container", Against),
        ],
        facts: None,
    },
    Message {
        // Frameworks that count by themselves.
        id: "more-gpus-asked-than-there",
        words: &[
            "is larger than the number of available gpus",
            "is greater than the number of available gpus",
            "cannot be larger than the number of available gpus",
            "you requested gpu*but your machine only has",
            "but only*gpus are available",
            "but only*gpu is available",
            "duplicate gpu detected",
            "both on cuda device",
            "number of processes*greater than the number of gpus",
            "more processes than gpus",
            "more ranks than gpus",
            "not enough gpus",
            "num_gpus*exceeds",
            "requested*gpus, but only",
            "no slot*specified on host",
            "using ranks*by this process is currently unknown",
        ],
        about: Fault("program"),
        causes: &[("more-ranks-than-visible-gpus", Supports), ("cuda-visible-devices-out-of-range", Suggests)],
        facts: None,
    },
    Message {
        // A kernel of the program touched what it may not: 700, old 77, and its kin.
        id: "illegal-memory-access",
        words: &[
            "an illegal memory access was encountered",
            "illegal memory access",
            "cuda_error_illegal_address",
            "cudaerrorillegaladdress",
            "cuda error 700",
            "error code 700",
            "cuda runtime error (77)",
            "cuda failure 700",
            "device-side assert triggered",
            "cudaerrorassert",
            "cuda runtime error (59)",
            "cuda error: misaligned address",
            "cuda_error_misaligned_address",
            "invalid __global__ read",
            "invalid __global__ write",
        ],
        about: Fault("program"),
        causes: &[
            ("application-illegal-memory-access", Supports),
            ("driver-regression", Suggests),
            ("suspected-faulty-gpu", Suggests),
        ],
        facts: None,
    },
    Message {
        id: "launch-failure",
        words: &[
            "unspecified launch failure",
            "cuda_error_launch_failed",
            "cudaerrorlaunchfailure",
            "cuda error 719",
            "illegal instruction was encountered",
        ],
        about: Fault("program"),
        causes: &[
            ("application-illegal-memory-access", Suggests),
            ("suspected-faulty-gpu", Suggests),
            ("driver-regression", Suggests),
        ],
        facts: None,
    },
    Message {
        // The program's own tool finds it, or it follows the program.
        id: "bug-follows-program",
        words: &[
            "compute-sanitizer",
            "cuda-memcheck",
            "out-of-bounds",
            "out of bounds",
            "on any gpu",
            "on every gpu",
            "on all gpus",
            "on different gpus",
            "on another machine too",
            "also on another machine",
            "other programs work",
            "other models work",
            "specific input",
            "only with this model",
            "only with this input",
        ],
        about: Circumstance,
        causes: &[("application-illegal-memory-access", Supports), ("suspected-faulty-gpu", Against)],
        facts: None,
    },
    Message {
        // What computes is on the GPU all the same, whatever was warned of before.
        id: "gpu-computes-all-the-same",
        words: &[
            "works and uses the gpu",
            "training works and uses",
            "training proceeds on the gpu",
            "proceeds on the gpu",
            "runs on the gpu anyway",
            "still runs on the gpu",
            "still runs on gpu",
            "still uses the gpu",
            "still using the gpu",
            "still trains on the gpu",
            "still trains on gpu",
            "trains on the gpu fine",
            "torch training works",
            "training works fine on the gpu",
            "training works fine on gpu",
            "runs fine on the gpu",
            "runs fine on gpu",
            "inference runs on the gpu",
            "inference runs on gpu",
            "uses my gpu fine",
            "gpu is utilized",
            "gpu utilization is high",
            "nvidia-smi shows python using",
            "nvidia-smi shows the process",
            "torch is using the gpu",
            "pytorch is using the gpu",
            "training on the gpu works",
            "torch uses the gpu",
            "torch still uses",
            "pytorch uses the gpu",
            "pytorch still uses",
            "gpu is used anyway",
            "gpu is being used anyway",
            "gpu is actually used",
            "gpu is actually being used",
            "but the gpu is used",
        ],
        about: Harmless,
        causes: &[
            ("benign-message-gpu-is-used", Decides),
            ("benign-arch-warning", Suggests),
            ("jaxlib-cpu-only", Refutes),
            ("jax-plugin-cuda-libs-not-loadable", Refutes),
            ("jax-plugin-version-mismatch", Refutes),
            ("tf-cuda-libs-missing", Refutes),
            ("tf-cuda-version-mismatch", Refutes),
            ("tf-pip-cuda-libs-not-found", Refutes),
            ("torch-cpu-only-wheel", Refutes),
            ("framework-sees-no-gpu", Refutes),
            ("driver-not-installed", Refutes),
            ("driver-not-working", Refutes),
            ("container-without-gpu-access", Refutes),
            ("container-driver-capabilities-missing", Refutes),
            ("libcuda-not-on-loader-path", Refutes),
            ("wsl-libcuda-not-on-path", Refutes),
            ("cuda-init-fails", Refutes),
        ],
        facts: None,
    },
    Message {
        id: "warning-is-ignored",
        words: &[
            "warning can be ignored",
            "warning is harmless",
            "can be safely ignored",
            "harmless warning",
            "despite the warning",
            "despite this warning",
        ],
        about: Circumstance,
        causes: &[("benign-message-gpu-is-used", Suggests), ("benign-arch-warning", Supports)],
        facts: None,
    },
    Message {
        // TensorFlow's registrations and NUMA lines, printed on every healthy machine.
        id: "harmless-tensorflow-lines",
        words: &[
            "unable to register cudnn factory",
            "unable to register cufft factory",
            "unable to register cublas factory",
            "successful numa node read from sysfs had negative value",
            "could not open file to read numa node",
            "this tensorflow binary is optimized to use available cpu instructions",
            "tf-trt warning: could not find tensorrt",
            "could not load dynamic library 'libnvinfer",
            "error initializing tensorrt",
        ],
        about: Harmless,
        causes: &[("benign-message-gpu-is-used", Suggests)],
        facts: None,
    },
    Message {
        // Programs that fell back, and do not say why.
        id: "program-fell-back",
        words: &[
            "fp16 is not supported on cpu; using fp32 instead",
            "neither cuda nor mps is available",
            "no accelerator (cuda, xpu, hpu) is available",
            "setting accelerator to cpu",
            "no gpu was detected",
            "no gpu detected",
            "no gpu found. a gpu is needed",
            "gpu available: false",
            "no nvidia or amd gpu detected",
            "no compatible gpus were discovered",
            "unable to detect gpu",
        ],
        about: Fault("program"),
        causes: &[
            ("torch-cpu-only-wheel", Suggests),
            ("framework-sees-no-gpu", Suggests),
            ("driver-not-working", Suggests),
        ],
        facts: None,
    },
];

/// `offloaded 12/33 layers to GPU`, `layers.model=33 layers.offload=12`: some of them, none or all.
fn layers(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let number = |text: &str| -> Option<u32> {
        text.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    let pair = match lower.split_once("offloaded ") {
        Some((_, rest)) => rest.split_once('/').and_then(|(some, all)| Some((number(some)?, number(all)?))),
        None => {
            let of = |key: &str| lower.split_once(key).and_then(|(_, rest)| number(rest));
            of("layers.offload=").zip(of("layers.model="))
        }
    };
    match pair {
        Some((0, _)) => {}
        Some((some, all)) if some < all => found.said("layers-partly-offloaded", line, []),
        Some(_) => found.said("layers-all-offloaded", line, []),
        None => {}
    }
}

/// `Tried to allocate 2.00 GiB (GPU 0; 7.79 GiB total capacity; 5.61 GiB already allocated; 20 MiB free; ...)`, and the newer
/// `GPU 0 has a total capacity of 23.6 GiB of which 12 MiB is free. ... Of the allocated memory 22 GiB is allocated by PyTorch`.
fn memory(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    // The amount that stands before, or behind, some words.
    let before = |words: &str| lower.split_once(words).and_then(|(left, _)| amount(left, true));
    let behind = |words: &str| lower.split_once(words).and_then(|(_, right)| amount(right, false));
    let Some(total) = before(" total capacity").or_else(|| behind("total capacity of ")) else { return };
    let asked = behind("tried to allocate ").unwrap_or(0.0);
    let Some(own) = before(" already allocated").or_else(|| before(" is allocated by pytorch")) else { return };
    if total <= 0.0 {
        return;
    }
    if asked > total || own > total / 2.0 {
        found.said("memory-held-by-itself", line, []);
    } else if own < total / 4.0 && before(" free").or_else(|| before(" is free")).is_some_and(|free| free < total / 8.0)
    {
        found.said("memory-held-by-others", line, []);
    }
}

/// `2.00 GiB` at the end or at the beginning of a text, in MiB.
fn amount(text: &str, at_the_end: bool) -> Option<f64> {
    let words: Vec<&str> = if at_the_end {
        let mut last: Vec<&str> = text.split_whitespace().rev().take(2).collect();
        last.reverse();
        last
    } else {
        text.split_whitespace().take(2).collect()
    };
    let [number, unit] = words[..] else { return None };
    let factor = match unit.trim_end_matches(['.', ',', ';', ')']) {
        "gib" | "gb" => 1024.0,
        "mib" | "mb" => 1.0,
        _ => return None,
    };
    let number: f64 = number.trim_start_matches(['(', ';']).parse().ok()?;
    Some(number * factor)
}

/// `CUDA_VISIBLE_DEVICES=1,2 ... --nproc_per_node=4`: more processes than devices in one line.
fn ranks(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let value = |key: &str| lower.split_once(key).map(|(_, rest)| rest.trim_start_matches(['=', ' ', '"', '\'']));
    let Some(mask) = value("cuda_visible_devices") else { return };
    let mask: String = mask.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    let visible = mask.split(',').filter(|part| !part.is_empty()).count();
    let keys = ["nproc_per_node", "nproc-per-node", "num_processes", "num-processes", "tensor-parallel-size", " -np"];
    let asked = keys
        .iter()
        .filter_map(|key| value(key))
        .find_map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok());
    if asked.is_some_and(|asked| visible > 0 && asked > visible) {
        found.said("ranks-beyond-mask", line, []);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::said;

    fn ids(text: &str) -> Vec<String> {
        crate::triage::read_str(text).all(&said::MESSAGE).map(|(said, _)| said.id).collect()
    }

    #[test]
    fn layers_are_counted() {
        let has = |text: &str, id: &str| ids(text).iter().any(|one| one == id);
        assert!(has("llm_load_tensors: offloaded 12/33 layers to GPU", "layers-partly-offloaded"));
        assert!(has("load_tensors: offloaded 33/33 layers to GPU", "layers-all-offloaded"));
        assert!(has("msg=offload layers.requested=-1 layers.model=41 layers.offload=20", "layers-partly-offloaded"));
        assert!(!has("load_tensors: offloaded 33/33 layers to GPU", "layers-partly-offloaded"));
    }

    #[test]
    fn who_holds_the_memory_is_read_from_the_message() {
        let has = |text: &str, id: &str| ids(text).iter().any(|one| one == id);
        let old = "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 7.79 GiB total capacity; 5.61 GiB already allocated; 20.00 MiB free; 5.9 GiB reserved)";
        assert!(has(old, "memory-held-by-itself"));
        let new = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 12.00 MiB is free. Of the allocated memory 300.00 MiB is allocated by PyTorch, and 2 MiB is reserved";
        assert!(has(new, "memory-held-by-others") && !has(new, "memory-held-by-itself"));
    }

    #[test]
    fn ranks_are_counted_against_the_mask() {
        let beyond = |text: &str| ids(text).iter().any(|one| one == "ranks-beyond-mask");
        assert!(beyond("CUDA_VISIBLE_DEVICES=1,2 torchrun --nproc_per_node=4 train.py"));
        assert!(!beyond("CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 4 train.py"));
    }
}
