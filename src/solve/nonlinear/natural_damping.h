// How much of a Newton step to take, judged by the steps themselves and not by residuals: the
// natural monotonicity test, which no scaling of the equations changes (Deuflhard 2004, "Newton
// Methods for Nonlinear Problems", section 3.3, algorithm NLEQ-ERR; DOI
// 10.1007/978-3-642-23899-4). Residuals of slender bodies that bend rise a hundredfold on the way.
#pragma once

#include <optional>
#include <vector>

#include "solve/settings.h"

namespace weft {

class NaturalDamping {
public:
  // `ranks`: that share the dofs; each has its own. All call start() and judge().
  explicit NaturalDamping(std::vector<FieldDofs> fields, Communicator *ranks = nullptr)
      : fields_(std::move(fields)), ranks_(ranks) {}

  // A new Newton step at this state, both [dof]. Returns the factor to try first: 1, or what the
  // last two steps say of how non-linear the equations are.
  double start(const std::vector<double> &state, std::vector<double> step);

  // Judges a factor by the step that the same Jacobian asks for after it, [dof].
  struct Verdict {
    bool accepted = false;
    double next = 0; // the factor to try instead
  };
  Verdict judge(double factor, const std::vector<double> &simplified_step);

  // The step under way was taken without being judged.
  void take_unjudged() { last_.reset(); }

  // Of the step under way, each field relative to its own size.
  double step_norm() const { return step_norm_; }

private:
  struct Judged {
    double factor = 1;
    std::vector<double> step, simplified_step;
  };
  double norm(const std::vector<double> &values) const;

  std::vector<FieldDofs> fields_;
  Communicator *ranks_;
  std::vector<double> scales_; // [field]: size of the state or the step
  std::vector<double> step_;
  double step_norm_ = 0;
  std::optional<Judged> last_; // accepted before the step under way
};

} // namespace weft
