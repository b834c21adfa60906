// Fields of files on meshes of their own, at the nodes of another.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "op/evaluate/field_source.h"

namespace weft {

class FieldGrid;

// Files are read once for all their fields.
class FieldFiles {
public:
  FieldFiles();
  ~FieldFiles();
  // The field that an entry of a case names: of a .pvd file the one at its last time. A node takes
  // its value in the file's cell that it lies in, the mean where it lies in several; one that lies
  // in none that of the nearest, if it is within a twentieth of that cell's size. Errors (input):
  // no such file or none of fields, no such field.
  std::shared_ptr<const FieldSource> field(const ValueSpec &spec);

private:
  std::map<std::string, std::shared_ptr<const FieldGrid>> grids_;
};

} // namespace weft
