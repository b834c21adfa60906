// The right-hand side of a conservation law by nodal discontinuous Galerkin, on a device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "op/discretisation.h"
#include "op/operator.h"
#include "op/vector.h"

namespace weft {

// What a user, a benchmark or the tuner may fix; what is open is chosen for the device.
struct DgSettings {
  Precision precision = Precision::f64;
  std::string form_name = "form"; // for kernel names
  std::optional<int> lanes;
};

class DgOperator : public ExplicitOperator {
public:
  // The discretisation, of a conservation law, must outlive the operator.
  // Errors: unsupported (pyramids), input (periodic facets that do not match, ...).
  DgOperator(Device &device, const Discretisation &d, const DgSettings &settings);
  ~DgOperator() override;

  std::int64_t size() const override;
  Precision precision() const override;
  Device &device() override;
  void stage(double time, double h, const StageUpdate &update, const Vector &q, const Vector *start,
             Vector *sum, Vector &out) override;
  void limit(double time, Vector &q) override;
  double unit_step(double time, const Vector &q) override;

  // Between the host's order of dofs (Discretisation) and the device's.
  void set_state(const std::vector<double> &dofs, Vector &q);
  std::vector<double> state(const Vector &q);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace weft
