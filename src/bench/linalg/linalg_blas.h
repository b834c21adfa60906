// A BLAS beside the building blocks of linear algebra: that of the system, opened at run time, so
// that nothing is built or run with it but these rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/linalg/linalg_blocks.h"

namespace weft {

class DynamicLibrary;

class BlasLibrary {
public:
  // The first of `names` that opens and has what the blocks call; null where none does. OpenBLAS is
  // given `threads` threads; of other libraries one is assumed.
  static std::shared_ptr<const BlasLibrary>
  open(int threads, const std::vector<std::string> &names = {"libopenblas.so.0", "libblas.so.3"});
  ~BlasLibrary();

  // "OpenBLAS 0.3.21, 2 threads", "libblas.so.3.11.0, 1 thread"
  const std::string &name() const { return name_; }
  // A routine of Fortran's interface by its name without the precision's letter: "axpy".
  void *routine(const std::string &name, Precision precision) const;

private:
  explicit BlasLibrary(std::unique_ptr<DynamicLibrary> library);

  std::unique_ptr<DynamicLibrary> library_;
  std::string name_;
};

// The block by routines of the library, on vectors in the host's memory:
//   axpy, dot, norm (nrm2, which takes the root and scales), largest (i_amax)
//   axpy_entries   gbmv with a diagonal for its matrix
//   band9          nine of these, as Goeddeke's MV_V is nine SAXPY_V; it counts the bytes of nine
// None where BLAS has no such routine: other blocks, numbers of 16 bits, interleaved systems.
std::optional<LinalgBlock> make_blas_block(const std::shared_ptr<const BlasLibrary> &library,
                                           const LinalgCase &c, const LinalgMatrices &matrices);

// The same with what its last run left: for tests. Of dot, norm and largest one number (of
// largest the modulus), else y.
struct BlasRun {
  LinalgBlock block;
  std::function<std::vector<double>()> result;
};
std::optional<BlasRun> make_blas_run(const std::shared_ptr<const BlasLibrary> &library,
                                     const LinalgCase &c, const LinalgMatrices &matrices);

} // namespace weft
