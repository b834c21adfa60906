// Sum factorisation: values and gradients at the points of quadrilaterals and hexahedra, and the
// sums over the points that are tested, one direction at a time (Orszag 1980,
// doi:10.1016/0021-9991(80)90005-4). Of n nodes and m points along a line, in three dimensions:
//
//   planes  values and derivatives in z of all lines in z     [part][point z][node y][node x]
//   rows    those of a plane of points, in y                  [part][point y][node x]
//   points  those of a row of points, in x                    [part][point x]
//
// each entry with the components side by side; in two dimensions rows come first. The way back
// takes the same steps in turn. fem/cell_by_lines walks them, fem/lines does the sums.
//
// Facets take the same steps with one point along the last direction. Every local facet is looked
// at in a frame of its own, turned from the cell's, in which the last coordinate is 0 on the facet
// and grows into the cell: only the order in which nodes are read depends on the facet.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/cell/cell_integral.h"
#include "kernel/cell/line_functions.h"
#include "kernel/text/lane_text.h"
#include "kernel/text/sections.h"
#include "space/line_basis.h"

namespace weft {

class LineSums {
public:
  // `integral` sums by lines and must outlive it.
  explicit LineSums(const CellIntegral &integral);

  // Told before anything is printed: what weft_point reads of an input.
  void use(int input, bool value, bool gradient);

  // Expressions of weft_point, in which `along` counts the points of the row.
  std::string value(int input, int component) const;
  std::string gradient(int input, int component, int direction) const; // in reference coordinates
  // Sums that give a coordinate, or its derivative in a reference direction, at the point: they
  // read the row `x` of the coordinates.
  std::vector<Term> coordinate(int component);
  std::vector<Term> coordinate_derivative(int component, int direction);
  // Declares `along` and `x`.
  void print_point_head(LaneText &text) const;

  // Members of weft_cell.
  std::string members() const;
  // weft_lines_open and the like. `value_index(component, entry)`: index in f of an entry of the
  // component of all, -1 where it is zero; entries as CellPrinter numbers them.
  void print(LaneText &text, const std::function<int(int, int)> &value_index);
  // All that the text reads; after print().
  std::string tables() const;
  void define(Constants &constants) const;

private:
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

  int dim() const { return in_.dim; }
  // Points of the last direction; planes of points, and rows of a plane.
  int last_points() const { return in_.on_facets ? 1 : points_; }
  int num_planes() const { return dim() == 3 ? last_points() : 1; }
  int num_rows() const { return dim() == 3 ? points_ : last_points(); }
  int nodes(int family) const { return families_[family].basis.num_nodes(); }
  // Reals of a row of nodes, of a plane of them, with all components.
  int row_reals(int family, int components) const { return nodes(family) * components; }
  int plane_reals(int family, int components) const {
    return nodes(family) * row_reals(family, components);
  }
  bool has_points(int input) const {
    return in_.inputs[input].kind != NodalInput::Kind::coordinates;
  }
  // The nodes in lines of the last direction, of the facet's frame where the integral is on facets.
  std::vector<int> node_order(int family) const;
  std::string order_text(int family) const;
  // Part of the points of an input that a derivative is in.
  int point_part(int input, int direction) const { return uses_.at(input).value + direction; }
  // Whether the points are the family's nodes, at which a function is 1 at its own and 0 at others.
  bool has_points_at_nodes(int family) const;
  bool is_same(int family, LineFunction function) const;
  std::string forward_table(int family, LineFunction function);
  std::string back_table(int family, LineFunction function);
  // Derivatives of the functions of a line at its first node, which is on the facet.
  std::string end_table(int family);
  std::string half_table(const std::string &name, const FoldedMatrix &matrix);
  // Counts the products of `columns` lines; the two halves' sums are counted where they are
  // printed.
  void count_product(LaneText &text, int rows, int columns, bool odd, double times) const;
  void count_halves(LaneText &text, int entries, double times) const;
  // Prints sums along lines: of `parts` [point or node] at `from` to the parts after it.
  void print_along(LaneText &text, int family, int columns, const std::string &from,
                   const std::string &to_values, const std::string &to_derivatives, double times);
  void print_derivatives_along(LaneText &text, int family, int columns, const std::string &from,
                               const std::string &to, double times);
  void print_open(LaneText &text);
  void print_open_line(LaneText &text, int family, bool gradient,
                       const std::function<std::string(int)> &part, int step);
  void print_open_end(LaneText &text, int family, bool gradient,
                      const std::function<std::string(int)> &part);
  void print_plane(LaneText &text);
  void print_row(LaneText &text);
  std::vector<BackTerm> back_terms(int field, const std::function<int(int, int)> &value_index);
  Directions functions_of(int entry) const;
  void print_back_sum(LaneText &text, int family, LineFunction function, const std::string &from,
                      const std::string &step, double times);
  void print_row_back(LaneText &text);
  void print_plane_back(LaneText &text);
  void print_close(LaneText &text);
  void print_close_end(LaneText &text, int family, LineFunction function, const std::string &from);

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
};

} // namespace weft
