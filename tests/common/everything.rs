//! A tree with something of everything that probes read from files, whether or not one machine can have it all.

use super::tree::{KERNEL, Module, Tree};

/// A machine with something of everything that probes read.
pub fn tree() -> Tree {
    let tree = Tree::new();
    tree.rtx_4090("0000:01:00.0", Some("nvidia"))
        .radeon("0000:03:00.0", Some("amdgpu"))
        .gpu("0000:00:02.0", "0x8086", "0xa780", "0x030000", Some("i915"))
        .nvswitch("0000:05:00.0")
        .driver_loaded("550.54.14")
        .gpu_information("0000:01:00.0", "NVIDIA GeForce RTX 4090", 0)
        .libraries("550.54.14")
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed("550.54.14").signed("machine owner key"))
        .module_file("6.1.0-17-amd64", "updates/dkms/nvidia.ko", &Module::open("545.23.08"))
        .dkms("nvidia", "550.54.14", &[KERNEL])
        .dkms_failed("nvidia", "545.23.08", "6.1.0-19-amd64", "error: too few arguments to function 'x'\nmake: *** [Makefile:1] Error 2")
        .modprobe_d("nvidia.conf", "blacklist nouveau\noptions nvidia NVreg_EnableGpuFirmware=0\ninstall nvidia /bin/false\nalias nvidia off\n")
        .secure_boot(true)
        .kmsg(&[
            "6,1,12345678,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22",
            "3,2,12345679,-;NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.",
            "[   12.5] nouveau 0000:01:00.0: bus: MMIO read of 00000000 FAULT at 10ac08 [ PRIVRING ]",
        ])
        .suspends(3)
        .docker()
        .kernel(KERNEL);
    for (path, text) in [
        ("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\n"),
        ("etc/group", "root:x:0:\nvideo:x:44:ann,bob\nrender:x:110:\n"),
        ("etc/ld.so.conf", "include ld.so.conf.d/*.conf\n/opt/nvidia/lib\n# a comment\n"),
        ("etc/ld.so.conf.d/cuda.conf", "/usr/local/cuda-12.4/lib64\n"),
        ("etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n"),
        ("etc/supergfxd.conf", "{\"mode\": \"Integrated\", \"vfio_enable\": false}\n"),
        ("proc/1/stat", "1 (my (odd) init) S 0 1 1 0 -1 4194560 7 0 0 0 1 2 0 0 20 0 1 0 123450 10 20\n"),
        ("proc/1/environ", "PATH=/bin\0container=docker\0"),
        ("proc/1/cgroup", "12:devices:/docker/3f4e7c9d0b1a2f3e4d5c6b7a8f9e0d1c2b3a4f5e6d7c8b9a0f1e2d3c4b5a6f7e\n"),
        ("proc/uptime", "1294.51 5000.00\n"),
        ("proc/self/attr/current", "system_u:system_r:container_t:s0:c1,c2\n"),
        ("proc/acpi/bbswitch", "0000:01:00.0 OFF\n"),
        ("proc/device-tree/model", "NVIDIA Jetson AGX Orin Developer Kit\0"),
        ("proc/device-tree/hypervisor/compatible", "xen,xen-4.17\0xen,xen\0"),
        ("proc/xen/capabilities", "control_d\n"),
        ("run/.containerenv", "engine=\"podman-4.3.1\"\nrootless=0\n"),
        ("run/systemd/container", "docker\n"),
        ("sys/fs/selinux/enforce", "1\n"),
        ("sys/hypervisor/type", "xen\n"),
        ("sys/module/nvidia_uvm/parameters/uvm_disable_hmm", "N\n"),
        ("sys/bus/pci/devices/0000:01:00.0/removable", "removable\n"),
        ("sys/bus/pci/devices/0000:01:00.0/iommu_group/type", "DMA-FQ\n"),
        ("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "12345\n"),
        (
            "sys/class/kfd/kfd/topology/nodes/1/properties",
            "cpu_cores_count 0\nsimd_count 192\ngfx_target_version 110000\n",
        ),
        ("usr/local/cuda-12.4/version.json", "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"12.4.1\"}}\n"),
        ("usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n"),
        ("usr/local/cuda-11.0/include/cuda.h", "#define CUDA_VERSION 11000\n"),
        ("v/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\nuv = 0.5.1\ninclude-system-site-packages = true\n"),
        ("v/bin/python", ""),
        (
            "v/conda-meta/pytorch-2.5.1-cuda126_py311h5.json",
            "{\"channel\": \"https://conda.anaconda.org/conda-forge/linux-64\"}",
        ),
        ("v/lib/python3.12/site-packages/more.pth", "import x\n/v/other\n../y\n"),
        ("v/lib/python3.12/site-packages/__editable__.jax-1.pth", "import __editable___jax_1_finder; x()\n"),
        (
            "v/lib/python3.12/site-packages/__editable___jax_1_finder.py",
            "MAPPING: dict[str, str] = {'jax': '/v/src/jax'}\n",
        ),
        ("v/lib/python3.12/site-packages/jax-1.0.dist-info/METADATA", "Name: jax\n"),
        ("v/src/jax/__init__.py", ""),
        ("v/src/jax/version.py", "__version__ = '1.0'\n"),
        ("usr/lib/python3.12/site.py", "local/lib dist-packages\n"),
        ("v/lib/python3.12/site-packages/vllm.egg-info/PKG-INFO", "Name: vllm\nVersion: 0.9.1\n"),
        (
            "v/lib/python3.12/site-packages/torch-2.7.0+cu126.dist-info/direct_url.json",
            r#"{"url": "https://u:secret@host/torch.whl?t=1", "vcs_info": {"vcs": "git", "commit_id": "abc"}, "archive_info": {}, "dir_info": {"editable": true}}"#,
        ),
        ("v/lib/python3.12/site-packages/torch/__init__.py", ""),
        (
            "v/lib/python3.12/site-packages/torch/version.py",
            "__version__ = '2.7.0+cu126'\ncuda: Optional[str] = '12.6'\nhip: Optional[str] = None\nxpu = None\n",
        ),
        ("v/lib/python3.12/site-packages/torch-2.7.0+cu126.dist-info/INSTALLER", "uv\n"),
        (
            "v/lib/python3.12/site-packages/torch-2.7.0+cu126.dist-info/RECORD",
            "torch/__init__.py,sha256=x,0\ntorch/version.py,,\n",
        ),
        ("v/lib/python3.12/site-packages/torch-2.6.0.dist-info/RECORD", "torch/__init__.py,,\n\"a,b\",,\n"),
        ("v/lib/python3.12/site-packages/tensorflow/__init__.py", ""),
        (
            "v/lib/python3.12/site-packages/tensorflow/python/platform/build_info.py",
            "build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n",
        ),
        ("v/lib/python3.12/site-packages/tensorflow-2.19.0.dist-info/RECORD", "tensorflow/__init__.py,,\n"),
        (
            "v/lib/python3.12/site-packages/onnxruntime/capi/build_and_package_info.py",
            "package_name = 'onnxruntime-gpu'\n__version__ = '1.22.0'\ncuda_version = '12.8'\n",
        ),
        ("v/lib/python3.12/site-packages/onnxruntime_gpu-1.22.0.dist-info/RECORD", "onnxruntime/__init__.py,,\n"),
        (
            "v/lib/python3.12/site-packages/xformers/cpp_lib.json",
            "{\"version\": {\"cuda\": 1206, \"torch\": \"2.7.0+cu126\"}}",
        ),
        ("v/lib/python3.12/site-packages/xformers-0.0.30.dist-info/RECORD", "xformers/__init__.py,,\n"),
        (
            "usr/share/misc/pci.ids",
            "10de  NVIDIA Corporation\n\t2684  AD102 [GeForce RTX 4090]\n1002  AMD\n\t744c  Navi 31 [RX 7900]\n",
        ),
    ] {
        tree.file(path, text);
    }
    tree
}

/// The home of a user who has environments of every kind.
pub fn home() -> Tree {
    let home = Tree::new();
    for folder in ["proc", "sys", "etc", "lib", "usr", "var", "dev"] {
        home.remove(folder);
    }
    let at = home.path().display().to_string();
    for python in [
        "miniconda3",
        "miniconda3/envs/ml",
        ".cache/pypoetry/virtualenvs/app-x1-py3.11",
        ".virtualenvs/v",
        ".pyenv/versions/3.11.7",
    ] {
        home.program(&format!("{python}/bin/python"), "#!/bin/sh\n", 0o755);
    }
    home.program("bin/ollama", "#!/bin/sh\n", 0o755);
    for (path, text) in [
        (
            ".ollama/logs/server.log",
            "time=2025-03-04T10:11:12.000Z level=INFO source=routes.go:1259 msg=\"server config\" env=\"map[CUDA_VISIBLE_DEVICES:0]\"\n\
             time=2025-03-04T10:11:12.100Z level=INFO source=types.go:130 msg=\"inference compute\" id=GPU-1 library=cuda variant=v12 compute=8.9 driver=12.4 name=\"NVIDIA GeForce RTX 4090\" total=\"23.6 GiB\" available=\"22.9 GiB\"\n"
                .to_string(),
        ),
        (".conda/environments.txt", format!("{at}/miniconda3\n{at}/miniconda3/envs/ml\n/gone\n")),
        (".condarc", "channels:\n  - conda-forge\nenvs_dirs:\n  - ~/envs\n  - /data/envs\n".to_string()),
        ("miniconda3/conda-meta/python-3.11.7-h955ad1f_0.json", "{\"channel\": \"pkgs/main\"}".to_string()),
        ("miniconda3/envs/ml/conda-meta/python-3.11.7-h955ad1f_0.json", "{}".to_string()),
        (".config/pypoetry/config.toml", "[virtualenvs]\npath = \"~/venvs\"\nin-project = true\n".to_string()),
        (".cache/pypoetry/virtualenvs/envs.toml", "[app-x1]\nminor = \"3.11\"\npatch = \"3.11.7\"\n".to_string()),
        (".cache/pypoetry/virtualenvs/app-x1-py3.11/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n".to_string()),
        (
            ".virtualenvs/v/pyvenv.cfg",
            "home = /usr/bin\nversion_info = 3.10.12.final.0\nvirtualenv = 20.24\n".to_string(),
        ),
        (".pyenv/version", "3.11.7\nsystem\n".to_string()),
        (
            ".local/share/jupyter/kernels/k/kernel.json",
            format!(
                "{{\"argv\": [\"{at}/.virtualenvs/v/bin/python\", \"-m\", \"ipykernel\"], \"display_name\": \"K\", \"env\": {{\"A\": \"b\"}}}}"
            ),
        ),
        (".local/share/pipx/venvs/x/pipx_metadata.json", "{}".to_string()),
    ] {
        home.file(path, text);
    }
    home
}
