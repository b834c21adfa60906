// [[stage]]: a case that is several, solved one after another on one mesh.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case/case.h"
#include "case/declaration.h"

namespace weft {

// Names of the stages of a case, in their order; empty without stages. Errors (input): a stage
// without a name, a name that is no word, is there twice, or is one of `tables`, the keys that a
// stage may have; a key that is none of those, or one that all stages share.
std::vector<std::string> stage_names(const toml::table &root,
                                     const std::vector<Declaration> &tables);

// Puts the tables of a stage into the root, in place of all stages. Returns the fields that it has
// initial values of its own for.
std::set<std::string> take_stage(toml::table &root, std::size_t stage);

// Makes fields that earlier stages solve for known fields of this one, or where it solves for them,
// too, its initial values, unless it names its own. Error (unsupported): a known field that is
// discontinuous.
void take_over_fields(const std::vector<Case> &earlier, const std::set<std::string> &own_initial,
                      Case &c);

// [[stage]], for the reference; what is in it is read with the rest of a case.
Declaration stage_declaration();

// The setting of "--set" that goes to a stage: "heat.time.end=3" is "time.end=3" of the stage
// `heat` and none of others; what names no stage goes to all.
std::optional<std::string> override_of_stage(const std::string &argument,
                                             const std::vector<std::string> &names,
                                             const std::string &stage);

} // namespace weft
