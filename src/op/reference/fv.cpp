#include "op/reference/fv.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.h"
#include "kernel/law/dg_limiter.h"
#include "op/evaluate/point_values.h"
#include "op/law/mesh/fv_geometry.h"
#include "op/reference/fv_cells.h"

namespace weft::reference {

namespace {

class FvLoops {
public:
  FvLoops(const Discretisation &d, double time)
      : d_(d), law_(*d.law), time_(time), dim_(d.mesh->dim), cells_(fv_cells(d)),
        facets_(fv_facets(d, cells_)) {
    for (int d_axis = 0; d_axis < dim_; ++d_axis) {
      double low = cells_[0].position[d_axis], high = low;
      for (std::size_t i = d_axis; i < d.mesh->coordinates.size(); i += dim_) {
        low = std::min(low, d.mesh->coordinates[i]);
        high = std::max(high, d.mesh->coordinates[i]);
      }
      extent_ = std::max(extent_, high - low);
    }
  }

  std::vector<double> rate(const std::vector<double> &dofs) {
    find_known();
    set_state(dofs);
    if (law_.cell_gradients)
      find_gradients();
    std::vector<std::vector<double>> rates(cells_.size(),
                                           std::vector<double>(law_.num_components, 0.0));
    for (const FvFacet &facet : facets_) {
      const PointwiseFunction &function =
          facet.condition < 0 ? law_.numerical_flux : law_.boundaries[facet.condition].flux;
      const std::vector<double> flux = at(function, facet.minus, &facet);
      for (int k = 0; k < law_.num_components; ++k) {
        rates[facet.minus][k] -= flux[k] * facet.area.norm() / cells_[facet.minus].volume;
        if (facet.plus >= 0)
          rates[facet.plus][k] += flux[k] * facet.area.norm() / cells_[facet.plus].volume;
      }
    }
    for (int c = 0; c < static_cast<int>(cells_.size()); ++c) {
      const std::vector<double> source = at(law_.source, c, nullptr),
                                capacity = at(law_.capacity, c, nullptr);
      for (int k = 0; k < law_.num_components; ++k)
        rates[c][k] = (rates[c][k] + source[k]) / capacity[k];
    }
    return to_dofs(rates);
  }

private:
  std::int64_t node(int c) const {
    return d_.map_of_field(0).sets[cells_[c].set].nodes[cells_[c].cell];
  }

  void set_state(const std::vector<double> &dofs) {
    state_.assign(cells_.size(), {});
    gradient_.assign(cells_.size(), std::vector<FvVector>(law_.num_components, FvVector::Zero()));
    limiter_.assign(cells_.size(), std::vector<double>(law_.num_components, 0.0));
    for (int c = 0; c < static_cast<int>(cells_.size()); ++c)
      for (std::size_t f = 0; f < law_.fields.size(); ++f)
        for (int k = 0; k < law_.fields[f].components(); ++k)
          state_[c].push_back(dofs[d_.field_offset[f] + node(c) * law_.fields[f].components() + k]);
  }

  std::vector<double> to_dofs(const std::vector<std::vector<double>> &values) const {
    std::vector<double> dofs(d_.num_local);
    for (int c = 0; c < static_cast<int>(cells_.size()); ++c) {
      int component = 0;
      for (std::size_t f = 0; f < law_.fields.size(); ++f)
        for (int k = 0; k < law_.fields[f].components(); ++k)
          dofs[d_.field_offset[f] + node(c) * law_.fields[f].components() + k] =
              values[c][component++];
    }
    return dofs;
  }

  int component_of(const Symbol &s) const {
    int first = 0;
    for (int f = 0; f < s.index; ++f)
      first += law_.fields[f].components();
    return first + s.component;
  }

  // Means over cells of the known fields' components, all in a row.
  void find_known() {
    known_.assign(cells_.size(), {});
    for (const AuxiliaryField &known : d_.auxiliary)
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        const NodeMapSet &nodes = d_.maps[known.map].sets[cells_[c].set];
        const PointTable table =
            make_cell_table(d_, cells_[c].set, d_.maps[known.map].order + 3 * d_.geometry.order);
        const PointBatch batch(d_, table, {&cells_[c].cell, 1});
        const Tabulation &basis = table.maps[known.map];
        const int n = basis.num_nodes;
        for (int k = 0; k < known.components; ++k) {
          double sum = 0, volume = 0;
          for (int q = 0; q < table.num_points; ++q) {
            volume += batch.measure()[q];
            for (int j = 0; j < n; ++j)
              sum +=
                  batch.measure()[q] * basis.phi[q * n + j] *
                  known
                      .values[std::int64_t(nodes.nodes[cells_[c].cell * n + j]) * known.components +
                              k];
          }
          known_[c].push_back(sum / volume);
        }
      }
  }

  double known_value(const Symbol &s, int c) const {
    int first = 0;
    for (int f = 0; f < s.index; ++f)
      first += d_.auxiliary[f].components;
    return known_[c][first + s.component];
  }

  // Value in a cell, or on a facet whose minus side it is.
  double value_of(const Symbol &s, int c, const FvFacet *facet) const {
    const bool of_plus = s.side == Side::plus;
    const int cell = of_plus ? facet->plus : c;
    switch (s.kind) {
    case SymbolKind::field:
      return state_[cell][component_of(s)];
    case SymbolKind::field_gradient:
      return gradient_[cell][component_of(s)][s.direction];
    case SymbolKind::limiter:
      return limiter_[cell][component_of(s)];
    case SymbolKind::facet_offset:
      return (of_plus ? facet->plus_offset : facet->minus_offset)[s.component];
    case SymbolKind::auxiliary:
      return known_value(s, cell);
    case SymbolKind::coordinate:
      return (facet ? facet->middle : cells_[c].centre)[s.component];
    case SymbolKind::time:
      return time_;
    case SymbolKind::normal:
      return facet->area[s.component] / facet->area.norm();
    case SymbolKind::cell_size:
      return cell_size(d_, cells_[cell].set, cells_[cell].cell);
    case SymbolKind::cell_parameter:
      return d_.cell_table.values[d_.mesh->sets[cells_[cell].set].region[cells_[cell].cell] *
                                      d_.cell_table.num_entries +
                                  s.component];
    case SymbolKind::facet_parameter:
      return d_.facet_table.values[facet->facet_class * d_.facet_table.num_entries + s.component];
    default:
      require(false, "a law of finite volumes has symbols of fields, place and parameters only");
      return 0;
    }
  }

  std::vector<double> at(const PointwiseFunction &function, int c, const FvFacet *facet) const {
    std::deque<double> inputs;
    std::vector<std::vector<double>> outputs;
    evaluate(
        function, 1,
        [&](const Symbol &s) -> std::span<const double> {
          inputs.push_back(value_of(s, c, facet));
          return {&inputs.back(), 1};
        },
        outputs);
    std::vector<double> values;
    for (const auto &output : outputs)
      values.push_back(output[0]);
    return values;
  }

  // A value beside a cell, and where it is.
  struct Sample {
    FvVector towards;
    std::vector<double> values;
  };

  // On facets the state outside is one where diffusion sees it, of all that have gradients.
  bool is_sample(const FvFacet &facet) const {
    return law_.boundaries[facet.condition].outer_is_sample && [&] {
      for (int k = 0; k < law_.num_components; ++k)
        if (has_gradient(k) && is_inside(law_.boundaries[facet.condition].outer, k))
          return false;
      return true;
    }();
  }
  bool is_inside(const PointwiseFunction &outer, int component) const {
    const Node &n = outer.nodes[outer.outputs[component]];
    return n.op == Op::symbol && outer.symbols[n.symbol].kind == SymbolKind::field &&
           component_of(outer.symbols[n.symbol]) == component;
  }
  bool has_gradient(int component) const {
    std::vector<const PointwiseFunction *> functions = {&law_.numerical_flux, &law_.source};
    for (const BoundaryCondition &b : law_.boundaries)
      functions.push_back(&b.flux);
    for (const PointwiseFunction *f : functions)
      for (const Symbol &s : f->symbols)
        if (s.kind == SymbolKind::field_gradient && component_of(s) == component)
          return true;
    return false;
  }

  void find_gradients() {
    std::vector<std::vector<Sample>> samples(cells_.size());
    std::vector<std::vector<FvVector>> offsets(cells_.size());
    for (const FvFacet &facet : facets_) {
      offsets[facet.minus].push_back(facet.minus_offset);
      if (facet.plus >= 0) {
        offsets[facet.plus].push_back(facet.plus_offset);
        const FvVector towards = facet.minus_offset - facet.plus_offset;
        samples[facet.minus].push_back({towards, state_[facet.plus]});
        samples[facet.plus].push_back({-towards, state_[facet.minus]});
      } else if (is_sample(facet)) {
        samples[facet.minus].push_back(
            {facet.minus_offset, at(law_.boundaries[facet.condition].outer, facet.minus, &facet)});
      }
    }
    for (int c = 0; c < static_cast<int>(cells_.size()); ++c)
      for (int k = 0; k < law_.num_components; ++k) {
        gradient_[c][k] = least_squares(c, samples[c], k);
        limiter_[c][k] = limited(c, samples[c], offsets[c], k);
      }
    for (int c = 0; c < static_cast<int>(cells_.size()); ++c)
      if (!stays_positive(c, offsets[c]))
        limiter_[c].assign(law_.num_components, 0.0);
  }

  // What the law keeps positive is so of the limited reconstruction at the middles of facets.
  bool stays_positive(int c, const std::vector<FvVector> &offsets) {
    if (!law_.limits_gradients)
      return true;
    const std::vector<double> mean = state_[c], of_mean = at(law_.positive, c, nullptr);
    bool positive = true;
    for (const FvVector &o : offsets) {
      for (int k = 0; k < law_.num_components; ++k)
        if (has_gradient(k))
          state_[c][k] = mean[k] + limiter_[c][k] * gradient_[c][k].dot(o);
      const std::vector<double> quantities = at(law_.positive, c, nullptr);
      for (std::size_t e = 0; e < quantities.size(); ++e)
        positive = positive && quantities[e] > dg_least_fraction * of_mean[e];
    }
    state_[c] = mean;
    return positive;
  }

  // Each sample's equation is divided by its distance.
  FvVector least_squares(int c, const std::vector<Sample> &samples, int k) const {
    Eigen::MatrixXd a(Eigen::Index(samples.size()), dim_);
    Eigen::VectorXd b(a.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const double distance = samples[i].towards.norm();
      a.row(i) = samples[i].towards.head(dim_).transpose() / distance;
      b[i] = (samples[i].values[k] - state_[c][k]) / distance;
    }
    FvVector g = FvVector::Zero();
    if (a.rows() == 0)
      return g;
    Eigen::JacobiSVD<Eigen::MatrixXd> decomposition(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    decomposition.setThreshold(std::sqrt(0.05)); // of singular values: see least_squares_weights()
    g.head(dim_) = decomposition.solve(b);
    return g;
  }

  double limited(int c, const std::vector<Sample> &samples, const std::vector<FvVector> &offsets,
                 int k) const {
    double low = state_[c][k], high = low, fraction = 1;
    for (const Sample &s : samples) {
      low = std::min(low, s.values[k]);
      high = std::max(high, s.values[k]);
    }
    const double scale = d_.limiter_scale.empty() ? 0 : d_.limiter_scale[k];
    const double slack =
        scale * scale * limiter_slack(std::pow(cells_[c].volume, 1.0 / dim_) / extent_);
    for (const FvVector &o : offsets) {
      const double change = gradient_[c][k].dot(o);
      const double room = change > 0 ? high - state_[c][k] : low - state_[c][k];
      if (change == 0)
        continue;
      if (law_.limiter == "barth_jespersen")
        fraction = std::min(fraction, room / change);
      else
        fraction =
            std::min(fraction, (room * room + slack + 2 * change * room) /
                                   (room * room + 2 * change * change + change * room + slack));
    }
    return fraction;
  }

  const Discretisation &d_;
  const ConservationLaw &law_;
  double time_;
  int dim_;
  double extent_ = 0;
  std::vector<FvCell> cells_;
  std::vector<FvFacet> facets_;
  // [cell][component]
  std::vector<std::vector<double>> known_, state_, limiter_;
  std::vector<std::vector<FvVector>> gradient_;
};

} // namespace

std::vector<double> fv_rate(const Discretisation &d, const std::vector<double> &state,
                            double time) {
  return FvLoops(d, time).rate(state);
}

} // namespace weft::reference
