//! Causes of the layer framework libraries: the shared libraries that a framework has to load.

mod bitsandbytes_no_binary_for_cuda;
mod ctranslate2_cuda_lib_missing;
mod cudnn_too_new_for_gpu;
mod cudnn_version_conflict_ld_library_path;
mod cupy_cuda_major_mismatch;
mod cupy_multiple_packages;
mod jax_plugin_cuda_libs_not_loadable;
mod jax_plugin_version_mismatch;
mod ld_library_path_shadows_pip_cuda_libs;
mod library_path;
mod numba_cuda_libs_missing;
pub mod of_major;
mod onnxruntime_cuda_libs_missing;
mod onnxruntime_cuda_libs_not_on_path;
mod onnxruntime_cuda_major_mismatch;
mod tf_cuda_libs_missing;
mod tf_cuda_version_mismatch;
mod tf_pip_cuda_libs_not_found;

use super::Cause;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &ld_library_path_shadows_pip_cuda_libs::CAUSE,
    &cudnn_version_conflict_ld_library_path::CAUSE,
    &cudnn_too_new_for_gpu::CAUSE,
    &tf_cuda_libs_missing::CAUSE,
    &tf_cuda_version_mismatch::CAUSE,
    &tf_pip_cuda_libs_not_found::CAUSE,
    &jax_plugin_version_mismatch::CAUSE,
    &jax_plugin_cuda_libs_not_loadable::CAUSE,
    &onnxruntime_cuda_major_mismatch::CAUSE,
    &onnxruntime_cuda_libs_not_on_path::CAUSE,
    &onnxruntime_cuda_libs_missing::CAUSE,
    &numba_cuda_libs_missing::CAUSE,
    &cupy_multiple_packages::CAUSE,
    &cupy_cuda_major_mismatch::CAUSE,
    &bitsandbytes_no_binary_for_cuda::CAUSE,
    &ctranslate2_cuda_lib_missing::CAUSE,
];
