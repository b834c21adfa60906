#include "solve/direct/direct_solver.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/modules/loadable_module.h"
#include "solve/direct/direct_module.h"
#include "solve/direct/sparse_lu.h"

namespace weft {

namespace {

// Null where there is none.
const DirectModule *open_direct_module() {
  const OpenedModule opened = open_loadable_module({direct_module_file, direct_module_symbol});
  if (opened.missing)
    return nullptr;
  const auto refuse = [&](const std::string &found) {
    throw Error(ErrorKind::system,
                {.what = "Weft's module of MUMPS does not load",
                 .where = opened.file,
                 .found = found,
                 .remedy = "build Weft again, or remove the file: Eigen's SparseLU then takes its "
                           "place"});
  };
  if (!opened.symbol)
    refuse(opened.problem);
  const DirectModule *module = reinterpret_cast<DirectModuleEntry *>(opened.symbol)();
  if (!module || module->interface_version != direct_interface_version)
    refuse("a module of another version of Weft");
  return module;
}

const DirectModule *direct_module() {
  static const DirectModule *module = open_direct_module(); // tried again where it threw
  return module;
}

class ModuleSolver : public DirectSolver {
public:
  ModuleSolver(const DirectModule &module, const HostMatrix &matrix, bool symmetric)
      : module_(module) {
    const DirectPattern pattern = {matrix.num_rows(), matrix.row_start.data(),
                                   matrix.columns.data(), symmetric};
    factors_ = module_.analyse(&pattern);
    if (!factors_)
      refuse("could not order the unknowns");
  }
  ModuleSolver(const ModuleSolver &) = delete;
  ModuleSolver &operator=(const ModuleSolver &) = delete;
  ~ModuleSolver() override {
    if (factors_)
      module_.destroy(factors_);
  }

  std::string library() const override { return module_.library; }
  void factorise(const HostMatrix &matrix) override {
    if (module_.factorise(factors_, matrix.values.data()) != 0)
      refuse("could not factorise the matrix");
  }
  void solve(double *x) override {
    if (module_.solve(factors_, x) != 0)
      refuse("could not solve with its factors");
  }
  std::vector<std::int32_t> null_pivots() const override {
    const DirectFigures figures = module_.figures(factors_);
    return {figures.null_pivots, figures.null_pivots + figures.num_null_pivots};
  }
  double factor_entries() const override { return module_.figures(factors_).factor_entries; }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::numerical,
                {.what = fmt::format("{} {}", module_.library, what),
                 .found = module_.last_error(),
                 .remedy = "choose an iterative method, such as method = \"gmres\", in [solver]"});
  }

  const DirectModule &module_;
  DirectFactors *factors_ = nullptr;
};

} // namespace

bool has_direct_module() {
  return direct_module() != nullptr;
}

std::unique_ptr<DirectSolver> make_direct_solver(const HostMatrix &matrix, bool symmetric) {
  if (const DirectModule *module = direct_module())
    return std::make_unique<ModuleSolver>(*module, matrix, symmetric);
  return std::make_unique<SparseLu>(matrix);
}

} // namespace weft
