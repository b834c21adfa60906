#include "output/report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft {

namespace {

std::string values_text(const std::vector<double> &values) {
  if (values.size() == 1)
    return fmt::format("{:.9g}", values[0]);
  return fmt::format("[{:.9g}]", fmt::join(values, ", "));
}

// "1 497 664" reads more easily than "1497664".
std::string grouped(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ' ';
    text += digits[i];
  }
  return text;
}

} // namespace

std::string report_text(const RunRecord &record, const std::vector<std::string> &files) {
  std::string text = fmt::format("{} cells, {} dofs on {}\n", grouped(record.mesh_cells),
                                 grouped(record.dofs), record.device);
  text += fmt::format("{}, {} iterations, relative residual {:.2e}\n",
                      record.solver.converged ? "converged" : "NOT CONVERGED",
                      record.solver.iterations, record.solver.residual);
  if (!record.solver.converged && !record.solver.reason.empty())
    text += fmt::format("  {}\n", record.solver.reason);
  std::size_t width = 0;
  for (const FunctionalValue &functional : record.functionals)
    width = std::max(width, functional.name.size());
  for (const FunctionalValue &functional : record.functionals)
    text += fmt::format("  {:<{}} = {}\n", functional.name, width, values_text(functional.values));
  for (const FieldError &error : record.errors)
    text += fmt::format("  error of {}: L2 {:.4e}, H1 {:.4e}\n", error.field, error.l2, error.h1);
  for (const std::string &file : files)
    text += fmt::format("{}\n", file);
  return text;
}

} // namespace weft
