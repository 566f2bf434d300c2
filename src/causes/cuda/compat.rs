//! What tells a libcuda of a cuda-compat package from the driver's own.

use crate::causes::advice;
use crate::facts::{Facts, cuda};
use crate::tables::drivers::{self, Cuda};

/// Whether a library is from a cuda-compat package: they install below a folder `compat` (`/usr/local/cuda-12.8/compat`).
pub fn is_compat(loaded: &cuda::Loaded) -> bool {
    [&loaded.path, &loaded.target].into_iter().any(|path| advice::has_folder(path, "compat"))
}

/// What libcuda offers and what the driver's branch has of its own, where libcuda offers more. A branch that the table does
/// not know is not compared.
pub fn raised(facts: &Facts) -> Option<(Cuda, Cuda)> {
    let offers = u32::try_from(facts.value(&cuda::DRIVER_VERSION)?).ok()?;
    let offers = drivers::cuda_of_code(offers);
    let module: String = facts.value(&crate::facts::kernel::MODULE_VERSION)?;
    let native = drivers::native_cuda(drivers::DriverVersion::parse(&module)?, advice::platform(facts))?;
    (offers > native).then_some((offers, native))
}
