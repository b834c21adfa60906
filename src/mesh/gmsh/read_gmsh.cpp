#include "mesh/gmsh/read_gmsh.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

// Reads $MeshFormat up to its end; true for MSH 4.1, false for 2.2.
bool read_format(GmshSource &source) {
  std::string first = source.next_section();
  for (; first == "Comments"; first = source.next_section())
    source.skip_section(first);
  if (first != "MeshFormat")
    source.fail("This is no Gmsh mesh file.", "no $MeshFormat", "$MeshFormat");
  const double version = source.real("format version");
  const std::int64_t file_type = source.int32("file type");
  const std::int64_t data_size = source.int32("data size");
  if (version != 2.2 && version != 4.1)
    throw Error(ErrorKind::unsupported, {"Weft does not read this version of the MSH format.",
                                         source.where(), fmt::format("{}", version), "2.2, 4.1",
                                         "gmsh old.msh -save -format msh41 -o new.msh"});
  if ((file_type != 0 && file_type != 1) || data_size != 8)
    source.fail("The format line is wrong.", fmt::format("{} {}", file_type, data_size),
                "0 8 (ASCII) or 1 8 (binary)");
  source.line();
  if (file_type == 1) {
    source.set_binary(true);
    if (source.int32("byte order mark") != 1)
      throw Error(ErrorKind::unsupported,
                  {"The mesh was written on a machine of the other byte order.", source.where(), "",
                   "little endian", "write it again as ASCII or on this machine"});
  }
  source.end_section("MeshFormat");
  return version == 4.1;
}

// $PhysicalNames is text in binary files too.
void read_physical_names(GmshSource &source, GmshBuilder &builder) {
  const bool binary = source.binary();
  source.set_binary(false);
  const std::int64_t count =
      source.checked_count(source.int64("number of names"), 0, 3, "number of physical names");
  for (std::int64_t i = 0; i < count; ++i) {
    const auto dim = source.int64("dimension of a physical group");
    const auto tag = source.int64("number of a physical group");
    if (dim < 0 || dim > 3)
      source.fail("The dimension of a physical group is wrong.", std::to_string(dim), "0 to 3");
    const std::string_view text = source.peek_line();
    const auto open = text.find('"'), close = text.rfind('"');
    if (open == std::string_view::npos || close == open)
      source.fail("A physical group has no name in quotes.", std::string(text), "\"name\"");
    builder.add_physical_name(static_cast<int>(dim), tag,
                              std::string(text.substr(open + 1, close - open - 1)));
    source.line();
  }
  source.set_binary(binary);
}

} // namespace

RawMesh read_gmsh(const std::string &path) {
  return read_gmsh(GmshSource(path));
}

RawMesh read_gmsh(GmshSource source) {
  const bool msh4 = read_format(source);
  GmshBuilder builder(source);
  GmshEntityLabels entities;
  bool has_elements = false;
  for (auto section = source.next_section(); !section.empty(); section = source.next_section()) {
    if (section == "PhysicalNames") {
      read_physical_names(source, builder);
    } else if (section == "Entities" && msh4) {
      entities = read_entities_msh4(source, builder);
    } else if (section == "PartitionedEntities") {
      throw Error(ErrorKind::unsupported,
                  {"Weft does not read partitioned meshes.", source.where(), "$PartitionedEntities",
                   "a mesh in one part",
                   "save it without partitions (Mesh.SaveTopology, unpartition)"});
    } else if (section == "Nodes") {
      msh4 ? read_nodes_msh4(source, builder) : read_nodes_msh2(source, builder);
    } else if (section == "Elements") {
      has_elements = true;
      msh4 ? read_elements_msh4(source, builder, entities) : read_elements_msh2(source, builder);
    } else if (section == "Periodic") {
      msh4 ? read_periodic_msh4(source, builder) : read_periodic_msh2(source, builder);
    } else {
      source.skip_section(section);
      continue;
    }
    source.end_section(section);
  }
  if (!has_elements)
    source.fail("The mesh has no elements.", "the end of the file", "$Elements");
  RawMesh raw = builder.finish();
  if (!msh4)
    merge_repeated_elements(raw);
  return raw;
}

} // namespace weft
