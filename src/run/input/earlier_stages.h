// What the stages of a case that were solved have left for those after them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case/case.h"
#include "mesh/mesh.h"
#include "op/evaluate/field_source.h"
#include "op/problem/discretisation.h"

namespace weft {

class EarlierStages {
public:
  // Adds a stage with its state [dof]; `owner` keeps all of it.
  void add(const std::shared_ptr<const void> &owner, const Case &c, const Discretisation &d,
           const std::vector<double> &state);
  // That of the stage added last, which all share; null before there is one.
  const Mesh *mesh() const { return mesh_; }
  std::shared_ptr<const FieldSource> field(const std::string &stage, const std::string &name) const;

private:
  const Mesh *mesh_ = nullptr;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const FieldSource>> fields_;
};

} // namespace weft
