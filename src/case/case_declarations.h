// Every table and key of the case language, each declared once.
#pragma once

#include "case/case.h"
#include "case/declaration.h"

namespace weft {

// Declarations whose readers fill in `c`, which must outlive them. Reading a second file into the
// same case merges: parameters, definitions, fields, ... of the same name are replaced.
std::vector<Declaration> case_declarations(Case &c);

// The parts: what is solved (fields, forms, conditions), what is asked of the solution, and how it
// is done (mesh, solver, output).
std::vector<Declaration> problem_declarations(Case &c);
std::vector<Declaration> result_declarations(Case &c);
std::vector<Declaration> law_declarations(Case &c);
std::vector<Declaration> run_declarations(Case &c);
Declaration time_declaration(Case &c);
Declaration load_declaration(Case &c);
// Once all is read: the load parameter takes the place of time. Error (input): beside [time], or
// with a conservation law.
void apply_load(Case &c);
Declaration solver_declaration(Case &c);
Declaration mesh_declaration(Case &c);
Declaration groups_key(Case &c);
Declaration verify_declaration(Case &c);

// The keys of a box.
std::vector<Declaration> box_keys();
// A box of cells of this type, whatever its key `cell` says.
BoxSpec read_box(const Entry &e, const std::string &cell);

// Elements that fields may have: "P1", ..., "DG0", ..., "FV", "R".
const std::vector<std::string> &field_elements();

// Keys of expect.toml.
std::vector<Declaration> expectation_declarations(Expectations &e);

} // namespace weft
