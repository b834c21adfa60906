#include "bench/linalg/linalg_blas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

#include "base/precision_name.h"
#include "base/system/dynamic_library.h"

namespace weft {

namespace {

// Numbers of Fortran, all by address; a character's length comes last.
using Integer = int;
template <typename Real> struct Routines {
  using Axpy = void(const Integer *n, const Real *a, const Real *x, const Integer *step_x, Real *y,
                    const Integer *step_y);
  using Dot = Real(const Integer *n, const Real *x, const Integer *step_x, const Real *y,
                   const Integer *step_y);
  using Norm = Real(const Integer *n, const Real *x, const Integer *step);
  using Largest = Integer(const Integer *n, const Real *x, const Integer *step);
  using BandProduct = void(const char *transposed, const Integer *rows, const Integer *columns,
                           const Integer *below, const Integer *above, const Real *alpha,
                           const Real *a, const Integer *step_a, const Real *x,
                           const Integer *step_x, const Real *beta, Real *y, const Integer *step_y,
                           std::size_t length);
};

constexpr Integer unit_step = 1, no_bands = 0;

template <typename Real> std::vector<Real> filled(std::int64_t size) {
  std::vector<Real> v(size);
  for (std::int64_t i = 0; i < size; ++i)
    v[i] = static_cast<Real>(0.01 * static_cast<double>(i % 101) - 0.5);
  return v;
}

template <typename Real> struct Data {
  std::shared_ptr<const BlasLibrary> library; // stays open
  Integer size = 0;
  std::vector<Real> x, y, d;
  std::vector<std::vector<Real>> bands;
  std::vector<std::int64_t> shifts; // of each band: column - row
  Real a = static_cast<Real>(0x1p-10), sum = 0;
};

template <typename Real> BlasRun made(std::shared_ptr<Data<Real>> data, bool one_number) {
  return {.result = [data, one_number] {
    return one_number ? std::vector<double>{static_cast<double>(data->sum)}
                      : std::vector<double>(data->y.begin(), data->y.end());
  }};
}

// y = y + the product of a band, shifted, with x; `keep`: 0 to begin with y = 0.
template <typename Real>
void add_band(typename Routines<Real>::BandProduct *product, Data<Real> &v,
              const std::vector<Real> &band, std::int64_t shift, Real keep) {
  const std::int64_t first = std::max<std::int64_t>(0, -shift),
                     end = v.size - std::max<std::int64_t>(0, shift);
  const auto rows = static_cast<Integer>(end - first);
  const Real factor = 1;
  if (rows > 0)
    product("N", &rows, &rows, &no_bands, &no_bands, &factor, band.data() + first, &unit_step,
            v.x.data() + first + shift, &unit_step, &keep, v.y.data() + first, &unit_step, 1);
}

template <typename Real> void take_bands(Data<Real> &v, const HostBands &matrix) {
  // The diagonal first: it alone reaches all of y, which it sets.
  for (const int band : {4, 0, 1, 2, 3, 5, 6, 7, 8}) {
    v.bands.emplace_back(matrix.bands[band].begin(), matrix.bands[band].end());
    v.shifts.push_back((band / 3 - 1) * matrix.width + band % 3 - 1);
  }
}

template <typename Real>
std::optional<BlasRun> make_run(const std::shared_ptr<const BlasLibrary> &library,
                                const LinalgCase &c, const LinalgMatrices &matrices) {
  using R = Routines<Real>;
  const auto data = std::make_shared<Data<Real>>();
  data->library = library;
  data->size = static_cast<Integer>(c.block == "band9" ? matrices.bands.size() : c.unknowns);
  const auto routine = [&](const char *name, auto *&function) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(library->routine(name, c.vectors));
  };
  const bool one_number = c.block == "dot" || c.block == "norm" || c.block == "largest";
  BlasRun run = made(data, one_number);
  double operations = 2, reals = 3; // an unknown
  typename R::Axpy *axpy = nullptr;
  typename R::Dot *dot = nullptr;
  typename R::Norm *norm = nullptr;
  typename R::Largest *largest = nullptr;
  typename R::BandProduct *product = nullptr;
  if (c.block == "axpy") {
    routine("axpy", axpy);
    run.block.work = [=] {
      axpy(&data->size, &data->a, data->x.data(), &unit_step, data->y.data(), &unit_step);
    };
  } else if (c.block == "dot") {
    routine("dot", dot);
    reals = 2;
    run.block.work = [=] {
      data->sum = dot(&data->size, data->x.data(), &unit_step, data->y.data(), &unit_step);
    };
  } else if (c.block == "norm") {
    routine("nrm2", norm);
    reals = 1;
    run.block.work = [=] { data->sum = norm(&data->size, data->x.data(), &unit_step); };
  } else if (c.block == "largest") {
    routine("amax", largest);
    operations = reals = 1;
    run.block.work = [=] {
      data->sum = std::abs(data->x[largest(&data->size, data->x.data(), &unit_step) - 1]);
    };
  } else if (c.block == "axpy_entries") {
    routine("gbmv", product);
    reals = 4;
    run.block.work = [=] { add_band<Real>(product, *data, data->d, 0, 1); };
    data->d = filled<Real>(data->size);
  } else if (c.block == "band9") {
    routine("gbmv", product);
    operations = 18;
    reals = 9 * 4 - 1; // the first does not read y
    run.block.work = [=] {
      for (std::size_t band = 0; band < data->bands.size(); ++band)
        add_band<Real>(product, *data, data->bands[band], data->shifts[band], band > 0);
    };
    take_bands(*data, matrices.bands);
  } else {
    return {};
  }
  data->x = filled<Real>(data->size);
  data->y = filled<Real>(data->size);
  run.block.unknowns = data->size;
  run.block.flops = operations * data->size;
  run.block.bytes = reals * sizeof(Real) * data->size;
  run.block.only_reads = one_number;
  return run;
}

} // namespace

BlasLibrary::BlasLibrary(std::unique_ptr<DynamicLibrary> library) : library_(std::move(library)) {}
BlasLibrary::~BlasLibrary() = default;

void *BlasLibrary::routine(const std::string &name, Precision precision) const {
  const char letter = precision == Precision::f64 ? 'd' : 's';
  const std::string symbol =
      name == "amax" ? fmt::format("i{}amax_", letter) : fmt::format("{}{}_", letter, name);
  return library_->find(symbol.c_str());
}

std::shared_ptr<const BlasLibrary> BlasLibrary::open(int threads,
                                                     const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    std::unique_ptr<DynamicLibrary> opened = DynamicLibrary::open({name});
    if (!opened)
      continue;
    const std::shared_ptr<BlasLibrary> library(new BlasLibrary(std::move(opened)));
    bool complete = true;
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const char *routine : {"axpy", "dot", "nrm2", "amax", "gbmv"})
        complete = complete && library->routine(routine, precision);
    if (!complete)
      continue;
    // Debian's names are links: which library it is, its file says.
    Dl_info info{};
    library->name_ = name;
    if (dladdr(library->routine("axpy", Precision::f64), &info) != 0 && info.dli_fname)
      library->name_ = std::filesystem::weakly_canonical(info.dli_fname).filename().string();
    void (*set_threads)(int) = nullptr;
    char *(*config)() = nullptr;
    const bool is_openblas = library->library_->load(set_threads, "openblas_set_num_threads");
    if (is_openblas)
      set_threads(threads);
    if (library->library_->load(config, "openblas_get_config")) {
      const std::string text = config(); // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
      library->name_ = text.substr(0, text.find(' ', text.find(' ') + 1));
    }
    library->name_ += is_openblas && threads > 1 ? fmt::format(", {} threads", threads)
                                                 : std::string(", 1 thread");
    return library;
  }
  return nullptr;
}

std::optional<BlasRun> make_blas_run(const std::shared_ptr<const BlasLibrary> &library,
                                     const LinalgCase &c, const LinalgMatrices &matrices) {
  if (c.systems != 1 || c.storage != c.vectors)
    return {};
  if (c.vectors == Precision::f64)
    return make_run<double>(library, c, matrices);
  if (c.vectors == Precision::f32)
    return make_run<float>(library, c, matrices);
  return {};
}

std::optional<LinalgBlock> make_blas_block(const std::shared_ptr<const BlasLibrary> &library,
                                           const LinalgCase &c, const LinalgMatrices &matrices) {
  if (std::optional<BlasRun> run = make_blas_run(library, c, matrices))
    return std::move(run->block);
  return {};
}

} // namespace weft
