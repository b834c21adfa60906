// Values of fields that no expression gives: of a state found before, or read from a file.
#pragma once

#include <memory>
#include <vector>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

class FieldSource {
public:
  virtual ~FieldSource() = default;
  // All. [node, component]: the field at the nodes of a map of `d`; those of other ranks' nodes may
  // be wrong. `regions`: the region classes whose nodes are asked for, others are 0. Errors
  // (input): it has other components, no value at a node, or one that is not finite; (unsupported)
  // it has none on that mesh.
  virtual std::vector<double> values(const Discretisation &d, const NodeMap &map, int components,
                                     const std::vector<bool> &regions) const = 0;
};

// All: the values of a field at its nodes, from its source where it has one, else of its
// expression. Errors: input (see FieldSource); unsupported (values of a stage that was not solved).
std::vector<double> values_of_spec(const Case &c, const Discretisation &d, const ValueSpec &spec,
                                   const NodeMap &map, const FieldSpec &field);

// A field of the state of an earlier problem on a mesh with the same cells.
class StateSource : public FieldSource {
public:
  // `owner`: keeps the case, the discretisation and the state [dof].
  StateSource(std::shared_ptr<const void> owner, const Case &c, const Discretisation &d,
              const std::vector<double> &state, const std::string &field);
  std::vector<double> values(const Discretisation &d, const NodeMap &map, int components,
                             const std::vector<bool> &regions) const override;

private:
  std::shared_ptr<const void> owner_;
  const Case &c_;
  const Discretisation &d_;
  const std::vector<double> &state_;
  std::string field_;
};

} // namespace weft
