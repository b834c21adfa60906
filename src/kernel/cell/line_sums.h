// Sum factorisation by lines: a work-item takes whole cells. Of n nodes and m points along a line,
// in three dimensions:
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

#include <functional>
#include <string>
#include <vector>

#include "kernel/cell/direction_sums.h"

namespace weft {

class LineSums : public DirectionSums {
public:
  using DirectionSums::DirectionSums;

  // In which `along` counts the points of the row.
  std::string value(int input, int component) const override;
  std::string gradient(int input, int component, int direction) const override;
  // They read the row `x` of the coordinates.
  std::vector<Term> coordinate(int component) override;
  std::vector<Term> coordinate_derivative(int component, int direction) override;
  // Declares `along` and `x`.
  void print_point_head(LaneText &text) const override;
  std::string members() const override;
  void define(Constants &constants) const override;

private:
  void print_sums(LaneText &text) override;
  // Points of the last direction; planes of points, and rows of a plane.
  int last_points() const { return in_.on_facets ? 1 : points_; }
  int num_planes() const { return dim() == 3 ? last_points() : 1; }
  int num_rows() const { return dim() == 3 ? points_ : last_points(); }
  // Reals of a row of nodes, of a plane of them, with all components.
  int row_reals(int family, int components) const { return nodes(family) * components; }
  int plane_reals(int family, int components) const {
    return nodes(family) * row_reals(family, components);
  }
  bool has_points(int input) const {
    return in_.inputs[input].kind != NodalInput::Kind::coordinates;
  }
  std::string order_text(int family) const;
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
  void print_back_sum(LaneText &text, int family, LineFunction function, const std::string &from,
                      const std::string &step, double times);
  void print_row_back(LaneText &text);
  void print_plane_back(LaneText &text);
  void print_close(LaneText &text);
  void print_close_end(LaneText &text, int family, LineFunction function, const std::string &from);
};

} // namespace weft
