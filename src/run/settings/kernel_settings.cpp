#include "run/settings/kernel_settings.h"

#include <cctype>
#include <string>

namespace weft {

namespace {

// "cases/heat_sink/case.toml" -> "heat_sink"; "fin.toml" -> "fin": a name for kernels, and so for
// files of compilers.
std::string form_name(const std::string &case_file) {
  const std::size_t slash = case_file.rfind('/');
  std::string name = case_file.substr(slash == std::string::npos ? 0 : slash + 1);
  name = name.substr(0, name.find('.'));
  if (name == "case" && slash != std::string::npos) {
    const std::string folder = case_file.substr(0, slash);
    name = folder.substr(folder.rfind('/') + 1);
  }
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  constexpr std::size_t longest = 60;
  return name.empty() ? "form" : name.substr(0, longest);
}

} // namespace

Precision case_precision(const Case &c) {
  return c.device.precision == "f32" ? Precision::f32 : Precision::f64;
}

OperatorSettings operator_settings(const Case &c) {
  OperatorSettings settings;
  settings.precision = case_precision(c);
  if (!c.device.strategy.empty())
    settings.strategy = strategy_from_name(c.device.strategy);
  if (c.device.geometry == "stored")
    settings.geometry = GeometrySource::stored;
  settings.form_name = form_name(c.file);
  return settings;
}

AssemblySettings assembly_settings(const Case &c) {
  AssemblySettings settings;
  if (!c.device.matrix.empty())
    settings.format = matrix_format_from_name(c.device.matrix);
  return settings;
}

DgSettings dg_settings(const Case &c) {
  DgSettings settings;
  settings.precision = case_precision(c);
  settings.form_name = form_name(c.file);
  return settings;
}

} // namespace weft
