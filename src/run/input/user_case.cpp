#include "run/input/user_case.h"

#include <filesystem>

#include "base/error.h"
#include "case/parameter_names.h"
#include "case/user_settings.h"
#include "form/expression/place_condition.h"
#include "run/input/field_files.h"

namespace weft {

CaseInput case_in_memory(const CaseText &text) {
  CaseInput input((std::filesystem::path(text.directory) / text.name).string());
  input.text = text.text;
  if (text.mesh)
    input.mesh = std::make_shared<const RawMesh>(raw_mesh_of(*text.mesh));
  return input;
}

Case read_user_case(const CaseInput &input, const ProblemOptions &options) {
  const bool trust = trusts_foreign_code(options.trust);
  Case c = input.text
               ? read_case_text(*input.text, input.file, options.overrides, trust,
                                options.combination, input.mesh, input.stage)
               : read_case(input.file, options.overrides, trust, options.combination, input.stage);
  c.mesh.gmsh_timeout_s = options.mesh_timeout_s;
  make_settable(c.form, options.settable);
  c.mesh.condition_holds = conditions_at_points(c.form);
  return c;
}

void take_sources(const CaseInput &input, Case &c) {
  FieldFiles files;
  for (auto *values : {&c.auxiliary_values, &c.initial})
    for (ValueSpec &spec : *values)
      if (!spec.file.empty())
        spec.source = files.field(spec);
      else if (!spec.stage.empty() && input.earlier != nullptr)
        spec.source = input.earlier->field(spec.stage, spec.name);
}

std::string expectations_file(const std::string &case_file) {
  return (std::filesystem::path(case_file).parent_path() / "expect.toml").string();
}

void with_places_of(const Case &c, const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    if (!error.diagnostic().where.starts_with("["))
      throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.where = place_in(c, diagnostic.where);
    throw Error(error.kind(), diagnostic);
  }
}

} // namespace weft
