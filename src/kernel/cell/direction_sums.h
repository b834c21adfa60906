// Sum factorisation: values and gradients at the points of quadrilaterals and hexahedra, and the
// sums over the points that are tested, one direction at a time (Orszag 1980,
// doi:10.1016/0021-9991(80)90005-4). What is the same however the steps are shared out: by lines
// (line_sums.h) a work-item takes whole cells, by planes (plane_sums.h) a work-group's threads
// share a cell.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/cell/line_functions.h"
#include "kernel/cell/plane_sizes.h"
#include "kernel/text/lane_text.h"
#include "kernel/text/sections.h"
#include "space/line_basis.h"

namespace weft {

class DirectionSums {
public:
  // `integral` is not summed by points and must outlive it.
  explicit DirectionSums(const CellIntegral &integral);
  virtual ~DirectionSums() = default;

  // Told before anything is printed: what weft_point reads of an input.
  void use(int input, bool value, bool gradient);

  // Expressions of weft_point.
  virtual std::string value(int input, int component) const = 0;
  // In reference coordinates.
  virtual std::string gradient(int input, int component, int direction) const = 0;
  // Sums that give a coordinate, or its derivative in a reference direction, at the point.
  virtual std::vector<Term> coordinate(int component) = 0;
  virtual std::vector<Term> coordinate_derivative(int component, int direction) = 0;
  // Declares what these expressions name.
  virtual void print_point_head(LaneText &text) const = 0;

  // Members of weft_cell; after print().
  virtual std::string members() const = 0;
  // The functions that the kernel file of the sums calls. `value_index(component, entry)`: index in
  // f of an entry of the component of all, -1 where it is zero; entries as CellPrinter numbers
  // them.
  void print(LaneText &text, const std::function<int(int, int)> &value_index);
  // All that the text reads; after print().
  std::string tables() const;
  virtual void define(Constants &constants) const = 0;
  // By planes; after print().
  virtual PlaneSizes plane_sizes() const { return {}; }

protected:
  static constexpr LineFunction V = LineFunction::value, D = LineFunction::derivative;
  static constexpr const char *cell_argument = "WEFT_PRIVATE weft_cell *cell";
  using Directions = std::array<LineFunction, 3>; // of x, y, z
  // Values and derivatives of a family's functions at the points of a line.
  struct Family {
    LineBasis basis;
    std::vector<double> values, derivatives; // [point][node]
  };
  // An input that is read: parts of what lies in planes, rows and points.
  struct Use {
    bool value = false, gradient = false;
  };
  struct BackTerm {
    int component = 0, index = 0; // of the test field's; of f
    Directions functions;
  };
  template <typename Parts, typename Part>
  static int place_of(const Parts &parts, const Part &part) {
    return static_cast<int>(std::distance(parts.begin(), parts.find(part)));
  }

  int dim() const { return in_.dim; }
  int nodes(int family) const { return families_[family].basis.num_nodes(); }
  // The family's node at each place [z, y, x]; on facets [slot][z, y, x] of each facet's frame.
  std::vector<int> node_order(int family) const;
  // Part of the points of an input that a derivative is in.
  int point_part(int input, int direction) const { return uses_.at(input).value + direction; }
  // Whether the points are the family's nodes, at which a function is 1 at its own and 0 at others.
  bool has_points_at_nodes(int family) const;
  bool is_same(int family, LineFunction function) const;

  virtual void print_sums(LaneText &text) = 0;

  const CellIntegral &in_;
  int points_ = 0; // of a line
  std::vector<double> line_points_;
  std::vector<Family> families_;
  std::map<int, Use> uses_; // by input
  // By test field: the terms, and the functions of the parts of its rows and planes.
  std::vector<std::vector<BackTerm>> back_terms_;
  std::vector<std::set<std::pair<LineFunction, LineFunction>>> row_parts_; // y, z
  std::vector<std::set<LineFunction>> plane_parts_;                        // z
  std::map<std::string, std::string> tables_;                              // definitions by name

private:
  std::vector<BackTerm> back_terms(int field, const std::function<int(int, int)> &value_index);
  Directions functions_of(int entry) const;
};

// By lines or by planes, as the integral says; null where it is summed by points.
std::unique_ptr<DirectionSums> make_direction_sums(const CellIntegral &integral);

} // namespace weft
