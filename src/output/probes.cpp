#include "output/probes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "base/system/atomic_file.h"
#include "op/evaluate/line_values.h"
#include "output/csv.h"

namespace weft {

std::string probes_csv(const std::vector<FieldSpec> &fields,
                       const std::vector<std::vector<double>> &points,
                       const std::vector<std::vector<double>> &values, bool converged) {
  std::vector<std::string> names;
  for (std::size_t d = 0; !points.empty() && d < points[0].size(); ++d)
    names.push_back(std::string(1, "xyz"[d]));
  for (const FieldSpec &field : fields) {
    if (field.shape.empty())
      names.push_back(field.name);
    for (int k = 0; !field.shape.empty() && k < field.components(); ++k)
      names.push_back(fmt::format("{}_{}", field.name, k));
  }
  names.emplace_back("converged");
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::vector<std::string> numbers;
    for (const auto *list : {&points[p], &values[p]})
      for (const double number : *list)
        numbers.push_back(format_real(number));
    numbers.emplace_back(converged ? "1" : "0");
    text += fmt::format("{}\n", fmt::join(numbers, ","));
  }
  return text;
}

std::string lines_csv(const Case &c, const Discretisation &d, const std::vector<double> &state,
                      bool converged) {
  const auto dim = static_cast<std::size_t>(d.mesh->dim);
  std::string text;
  for (const LineSpec &spec : c.output.lines) {
    const LineValues line = line_values(c, d, spec, state);
    const std::size_t n = line.names.size();
    if (text.empty()) { // the same of all
      std::vector<std::string> names = {"line", "distance"};
      for (std::size_t k = 0; k < dim; ++k)
        names.emplace_back(1, "xyz"[k]);
      for (const std::string &name : line.names)
        names.push_back(csv_field(name));
      text = fmt::format("{},converged\n", fmt::join(names, ","));
    }
    for (std::size_t p = 0; p < line.distance.size(); ++p) {
      std::vector<std::string> entries = {csv_field(spec.name), format_real(line.distance[p])};
      for (std::size_t k = 0; k < dim; ++k)
        entries.push_back(format_real(line.points[p * dim + k]));
      for (std::size_t k = 0; k < n; ++k)
        entries.push_back(format_real(line.values[p * n + k]));
      text += fmt::format("{},{}\n", fmt::join(entries, ","), converged ? 1 : 0);
    }
  }
  return text;
}

void write_lines(const std::string &path, const Case &c, const Discretisation &d,
                 const std::vector<double> &state, bool converged) {
  const std::string text = lines_csv(c, d, state, converged);
  on_first(d.ranks, [&] { write_text_file(path, text); });
}

void write_probes(const std::string &path, const Case &c, const Discretisation &d,
                  const std::vector<double> &state, bool converged) {
  std::vector<std::vector<double>> values;
  for (const auto &point : c.output.probes)
    values.push_back(probe(d, state, point));
  on_first(d.ranks, [&] {
    write_text_file(path, probes_csv(d.form.fields, c.output.probes, values, converged));
  });
}

} // namespace weft
