#include "op/law/mesh/k_orthogonality.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "base/names.h"
#include "base/parallel.h"
#include "op/evaluate/point_values.h"
#include "op/law/mesh/fv_geometry.h"

namespace weft {

namespace {

constexpr std::size_t most_named = 3; // cells that a message names
constexpr std::int64_t batch_cells = 256;

bool is_fixed(const Discretisation &d, const PointwiseFunction &function) {
  for (const Symbol &s : function.symbols)
    if (s.kind == SymbolKind::field || s.kind == SymbolKind::time ||
        (s.kind == SymbolKind::auxiliary && d.auxiliary[s.index].depends_on_time))
      return false;
  return true;
}

// Measures the cells of a set, a batch after the other.
class AngleMeter {
public:
  AngleMeter(const Discretisation &d, int set)
      : d_(d), law_(*d.law), set_(set), dim_(d.mesh->dim),
        facets_(num_facets(d.mesh->sets[set].type)), positions_(fv_positions(d, set)),
        negative_(d.mesh->sets[set].num_cells(), 0) {
    const NodeMapSet &cells = d.map_of_field(0).sets[set];
    centres_ = make_point_table(d, set, cells.element.nodes);
    // Normals times areas are products of derivatives of the geometry.
    const bool is_flat = is_simplex(d.mesh->sets[set].type) && d.geometry.order == 1;
    for (int f = 0; f < facets_; ++f)
      on_facets_.push_back(make_facet_table(d, set, f, is_flat ? 1 : 4 * d.geometry.order));
    find_closed();
  }

  void measure(KOrthogonality &result) {
    const std::int64_t cells = static_cast<std::int64_t>(negative_.size());
    std::vector<KOrthogonality> parts((cells + batch_cells - 1) / batch_cells);
    parallel_chunks(cells, batch_cells, [&](std::int64_t begin, std::int64_t end, int) {
      std::vector<std::int32_t> batch(end - begin);
      std::iota(batch.begin(), batch.end(), static_cast<std::int32_t>(begin));
      for (int f = 0; f < facets_; ++f)
        measure(batch, f, parts[begin / batch_cells]);
    });
    for (const KOrthogonality &part : parts) {
      result.largest_angle = std::max(result.largest_angle, part.largest_angle);
      result.num_sides += part.num_sides;
      result.num_skew += part.num_skew;
    }
    for (std::int64_t c = 0; c < cells; ++c)
      if (negative_[c]) {
        ++result.num_negative;
        if (result.first_negative.size() < most_named)
          std::copy_n(&positions_.centre[c * dim_], dim_,
                      result.first_negative.emplace_back().begin());
      }
  }

private:
  static bool is_simplex(CellType type) {
    return type == CellType::triangle || type == CellType::tetrahedron;
  }

  // Facets through which nothing diffuses by differences of values.
  void find_closed() {
    closed_.assign(negative_.size() * facets_, 0);
    for (std::int64_t f = 0; f < d_.mesh->num_boundary_facets; ++f) {
      const Facet &facet = d_.mesh->facets[f];
      const int condition = d_.condition_of_class[facet.facet_class];
      if (facet.minus.set == set_ && condition >= 0 && !law_.boundaries[condition].outer_is_sample)
        closed_[std::int64_t(facet.minus.cell) * facets_ + facet.minus.facet] = 1;
    }
  }

  // [direction][cell]: mean unit normals.
  std::vector<std::vector<double>> normals(const PointBatch &batch) const {
    const int points = batch.table().num_points;
    std::vector<std::vector<double>> normal(dim_, std::vector<double>(batch.cells().size(), 0.0));
    for (std::size_t c = 0; c < batch.cells().size(); ++c) {
      double square = 0;
      for (int e = 0; e < dim_; ++e) {
        for (int q = 0; q < points; ++q)
          normal[e][c] += batch.measure()[c * points + q] * batch.normal(e)[c * points + q];
        square += normal[e][c] * normal[e][c];
      }
      for (int e = 0; e < dim_; ++e)
        normal[e][c] /= std::sqrt(square);
    }
    return normal;
  }

  std::vector<std::vector<double>> middles(std::span<const std::int32_t> cells, int facet) const {
    std::vector<std::vector<double>> middle(dim_);
    for (const std::int32_t c : cells)
      for (int e = 0; e < dim_; ++e)
        middle[e].push_back(positions_.middle[(std::int64_t(c) * facets_ + facet) * dim_ + e]);
    return middle;
  }

  // [component * dim + direction][cell]
  std::vector<std::vector<double>> conormals(std::span<const std::int32_t> cells,
                                             const std::vector<std::vector<double>> &normal,
                                             const std::vector<std::vector<double>> &middle) const {
    if (law_.isotropic)
      return normal;
    PointBatch centres(d_, centres_, cells);
    const PointInputs inputs{.cell_table = &d_.cell_table};
    std::vector<std::vector<double>> values, outputs;
    values.reserve(law_.conormal.symbols.size()); // spans into it stay valid
    evaluate(
        law_.conormal, static_cast<int>(cells.size()),
        [&](Symbol s) -> std::span<const double> {
          if (s.kind == SymbolKind::normal)
            return normal[s.component];
          if (s.kind == SymbolKind::coordinate)
            return middle[s.component];
          s.side = Side::none;
          return values.emplace_back(centres.values(s, inputs));
        },
        outputs);
    return outputs;
  }

  void measure(std::span<const std::int32_t> cells, int facet, KOrthogonality &part) {
    const auto normal = normals(PointBatch(d_, on_facets_[facet], cells));
    const auto middle = middles(cells, facet);
    const auto conormal = conormals(cells, normal, middle);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (closed_[std::int64_t(cells[c]) * facets_ + facet])
        continue;
      double offset[3] = {0, 0, 0};
      for (int e = 0; e < dim_; ++e)
        offset[e] = middle[e][c] - positions_.centre[std::int64_t(cells[c]) * dim_ + e];
      ++part.num_sides;
      double largest = 0;
      for (std::size_t k = 0; k * dim_ < conormal.size(); ++k)
        largest = std::max(largest, angle(&conormal[k * dim_], c, offset, cells[c]));
      part.largest_angle = std::max(part.largest_angle, largest);
      part.num_skew += largest > k_angle_tolerance ? 1 : 0;
    }
  }

  // Between the conormal of a component, [direction][cell], and a line.
  double angle(const std::vector<double> *conormal, std::size_t c, const double *offset,
               std::int32_t cell) {
    double along = 0, length = 0, square = 0;
    for (int e = 0; e < dim_; ++e) {
      along += conormal[e][c] * offset[e];
      length += offset[e] * offset[e];
    }
    for (int e = 0; e < dim_; ++e) {
      const double across = conormal[e][c] - along / length * offset[e];
      square += across * across;
    }
    if (along < 0)
      negative_[cell] = 1;
    return along == 0 && square == 0 ? 0 : std::atan2(std::sqrt(square * length), along);
  }

  const Discretisation &d_;
  const ConservationLaw &law_;
  const int set_, dim_, facets_;
  const FvPositions positions_;
  PointTable centres_;
  std::vector<PointTable> on_facets_; // [facet]
  std::vector<std::int8_t> closed_;   // [cell, facet]
  std::vector<std::int8_t> negative_; // [cell]
};

} // namespace

KOrthogonality k_orthogonality(const Discretisation &d) {
  require(d.law && !d.law->conormal.outputs.empty(), "a law with diffusion between cells");
  KOrthogonality result;
  result.is_known = d.law->isotropic || is_fixed(d, d.law->conormal);
  for (int s = 0; result.is_known && s < static_cast<int>(d.mesh->sets.size()); ++s)
    AngleMeter(d, s).measure(result);
  // Cells that several ranks have count with each of them.
  result.largest_angle = largest(d.ranks, result.largest_angle);
  for (std::int64_t *count : {&result.num_sides, &result.num_skew, &result.num_negative})
    *count = sum(d.ranks, *count);
  return result;
}

std::string negative_cells(const KOrthogonality &k, int dim) {
  if (k.num_negative == 0)
    return {};
  std::vector<std::string> positions;
  for (const auto &x : k.first_negative)
    positions.push_back(dim == 2 ? fmt::format("({:.6g}, {:.6g})", x[0], x[1])
                                 : fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]));
  return fmt::format("{} {}, first at {}", k.num_negative, k.num_negative == 1 ? "cell" : "cells",
                     join_names(positions));
}

std::string to_string(const KOrthogonality &k, int dim) {
  if (!k.is_known)
    return "K changes with the fields or the time, so that its directions are not known";
  const double degrees = k.largest_angle * 180 / std::numbers::pi;
  std::string text = fmt::format(
      "at most {:.3g} degrees between K n and the lines from centres to facets", degrees);
  text = k.is_orthogonal()
             ? "the mesh is K-orthogonal: " + text
             : fmt::format("the mesh is not K-orthogonal: {}, {} of {} sides of facets skew", text,
                           k.num_skew, k.num_sides);
  if (k.num_negative > 0)
    text += "; two-point coefficients negative in " + negative_cells(k, dim);
  return text;
}

void choose_diffusion(const FormSpec &form, Discretisation &d) {
  if (!d.law || d.law->conormal.outputs.empty() || form.law->diffusion == "corrected")
    return;
  const KOrthogonality k = k_orthogonality(d);
  if (form.law->diffusion == "two_point") {
    if (!k.is_orthogonal())
      log::notice("two-point fluxes do not converge here: {}", to_string(k, d.mesh->dim));
  } else if (k.is_orthogonal()) {
    d.law = make_conservation_law(form, true);
  }
}

} // namespace weft
