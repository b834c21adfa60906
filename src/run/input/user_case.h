// A case as the user asked for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "case/case.h"
#include "mesh/raw_mesh.h"
#include "run/input/earlier_stages.h"
#include "weft/problem.h"

namespace weft {

// A case file, or a case in memory.
struct CaseInput {
  CaseInput(std::string path) : file(std::move(path)) {}
  CaseInput(const char *path) : file(path) {}
  std::string file;                // of a case in memory, where it is said to lie
  std::optional<std::string> text; // of a case in memory
  std::shared_ptr<const RawMesh> mesh;
  // Of a case in stages: the one that is meant, the last where there is no name, and those before
  // it.
  std::string stage;
  const EarlierStages *earlier = nullptr;
};

// Error (input): cells of types that Weft does not have, numbers of points and of cells that there
// are not, coordinates that are not finite, groups of cells of several dimensions.
RawMesh raw_mesh_of(const MeshArrays &mesh);
CaseInput case_in_memory(const CaseText &text);

// read_case() with the overrides and the combination of `options`, and the trust of the user.
Case read_user_case(const CaseInput &input, const ProblemOptions &options);

// Reads what values that no expression gives come from: files of fields; earlier stages, where
// `input` has them. Errors (input): see FieldFiles.
void take_sources(const CaseInput &input, Case &c);

// expect.toml beside the case.
std::string expectations_file(const std::string &case_file);

// Calls body(); an error in it that names a key of the case alone, "[solver] method", names its
// file and line too when it comes out.
void with_places_of(const Case &c, const std::function<void()> &body);

} // namespace weft
