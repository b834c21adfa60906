#include "solve/setting_names.h"

namespace weft {

const std::map<std::string, KrylovKind> &krylov_kind_names() {
  static const std::map<std::string, KrylovKind> names = {
      {"cg", KrylovKind::cg},
      {"bicgstab", KrylovKind::bicgstab},
      {"gmres", KrylovKind::gmres},
      {"defect_correction", KrylovKind::defect_correction}};
  return names;
}

const std::map<std::string, MultigridCycle> &multigrid_cycle_names() {
  static const std::map<std::string, MultigridCycle> names = {
      {"V", MultigridCycle::v}, {"W", MultigridCycle::w}, {"K", MultigridCycle::k}};
  return names;
}

const std::map<std::string, SmootherKind> &smoother_names() {
  static const std::map<std::string, SmootherKind> names = {{"chebyshev", SmootherKind::chebyshev},
                                                            {"jacobi", SmootherKind::jacobi},
                                                            {"ilu", SmootherKind::ilu},
                                                            {"spai", SmootherKind::spai}};
  return names;
}

} // namespace weft
