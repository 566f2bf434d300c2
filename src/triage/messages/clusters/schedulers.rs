//! Slurm, Ray, and GPUs that a scheduler granted.

use crate::triage::messages::Weight::{Against, Decides, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // Slurm's word for a job that was granted none.
    fault("visibility", "slurm-nodevfiles", &["nodevfiles"], &[("scheduler-no-gpu-allocated", Decides)]),
    circumstance(
        "slurm-is-used",
        &[
            "slurm",
            "hpc cluster",
            "head node",
            "compute node",
            "frontend node",
            "front-end node",
            "submit node",
            "gpu partition",
            "qsub",
            "bsub ",
            "pbs job",
            "sbatch",
            "srun --",
            "srun -p",
            "$ srun",
            "salloc",
            "slurm_job",
            "slurmstepd",
            "scontrol",
            "squeue",
        ],
        &[("scheduler-no-gpu-allocated", Suggests)],
    ),
    circumstance(
        "slurm-with-gres",
        &[
            "--gres=gpu",
            "--gres gpu",
            "--gpus-per-node",
            "--gpus-per-task",
            "--gpus-per-node",
            "gres/gpu",
            "#sbatch --gpus",
            "#sbatch -g",
        ],
        &[("scheduler-no-gpu-allocated", Against)],
    ),
    circumstance(
        "slurm-without-gres",
        &[
            "no --gres",
            "without --gres",
            "without gres",
            "did not request a gpu",
            "forgot --gres",
            "no gpu requested",
            "on the login node",
            "login node",
        ],
        &[("scheduler-no-gpu-allocated", Supports)],
    ),
    // Device plugin: nothing was granted to this container.
    fault(
        "visibility",
        "visible-devices-void",
        &["nvidia_visible_devices=void", "nvidia_visible_devices=none", "nvidia_visible_devices: void"],
        &[("scheduler-no-gpu-allocated", Supports), ("container-visible-devices-policy", Suggests)],
    ),
    circumstance(
        "ray-is-used",
        &[
            "ray.remote",
            "@ray.remote",
            "ray.init",
            "ray.get_gpu_ids",
            "ray.cluster_resources",
            "raylet ",
            "rayworker",
            "ray worker",
            "ray actor",
            "ray start",
            "ray::",
            "raytaskerror",
            "(raylet",
            "ray tune",
            "ray.tune",
            "rllib",
        ],
        &[("ray-hides-gpus", Supports)],
    ),
    circumstance(
        "ray-with-gpus",
        &[
            "ray.remote(num_gpus",
            "num_gpus_per_worker",
            "ray_experimental_noset_cuda_visible_devices",
            "ray_accel_env_var_override_on_zero",
        ],
        &[("ray-hides-gpus", Suggests)],
    ),
    fault(
        "visibility",
        "ray-empty-mask",
        &["ray.get_gpu_ids()*[]", "get_gpu_ids(): []"],
        &[("ray-hides-gpus", Supports)],
    ),
    fault(
        "visibility",
        "cuda-visible-devices-empty",
        &[
            "cuda_visible_devices=\"\"",
            "cuda_visible_devices=''",
            "cuda_visible_devices is empty",
            "cuda_visible_devices: \"\"",
            "os.environ[\"cuda_visible_devices\"] = \"\"",
            "os.environ['cuda_visible_devices'] = ''",
            "cuda_visible_devices=-1",
            "os.environ[\"cuda_visible_devices\"] = \"-1\"",
            "os.environ['cuda_visible_devices'] = '-1'",
        ],
        &[
            ("cuda-visible-devices-hides-all", Supports),
            ("ray-hides-gpus", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
        ],
    ),
    // The host's number, inside where counting starts anew.
    circumstance(
        "not-renumbered",
        &[
            "numbered from 0 inside",
            "renumbered",
            "device=*cuda_visible_devices=",
            "inside the container only",
            "only one gpu inside the container",
        ],
        &[("cvd-not-renumbered-in-container", Supports)],
    ),
];
