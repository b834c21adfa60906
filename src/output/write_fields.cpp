#include "output/write_fields.h"

#include "output/field_files.h"
#include "output/vtk/vtu.h"

namespace weft {

void write_fields(const std::string &folder, const std::string &name, const Discretisation &d,
                  const std::vector<OutputField> &fields) {
  const auto path = [&](const std::string &file) { return folder + "/" + file; };
  if (!d.ranks)
    return write_vtu(path(name), d, fields);
  together(d.ranks, [&] { write_vtu(path(piece_of(name, d.ranks->rank())), d, fields); });
  on_first(d.ranks, [&] {
    std::vector<std::string> pieces;
    for (int rank = 0; rank < d.ranks->size(); ++rank)
      pieces.push_back(piece_of(name, rank));
    write_pvtu(path(name), d, fields, pieces);
  });
}

} // namespace weft
