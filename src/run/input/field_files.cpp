#include "run/input/field_files.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/names.h"
#include "base/parallel.h"
#include "op/evaluate/point_location.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/field_regions.h"
#include "output/vtk/vtk_cells.h"
#include "output/vtk/vtu_read.h"

namespace weft {

namespace {

// How far a node may lie outside of the file's mesh, of a cell's size: curved boundaries are other
// polygons on other meshes.
constexpr double hair = 0.05;

// The element whose functions are those of VTK's cell. Error (unsupported): VTK has no such cell
// with as many nodes.
Element element_of(const VtkCell &cell, const std::string &path) {
  Element element = cell.order <= highest_order(cell.cell)
                        ? make_element(cell.cell, cell.order)
                        : make_nodal_element(cell.cell, cell.order);
  if (vtk_nodes(cell.cell, cell.order).size() != element.nodes.size())
    throw Error(ErrorKind::unsupported,
                {.what = "fields on quadratic pyramids, whose files leave a node out",
                 .where = path,
                 .allowed = "pyramids of order 1",
                 .remedy = "write the fields in elements of order 1"});
  return element;
}

// From values at the nodes of VTK's cell to those at the element's: [node, vtk node].
Eigen::MatrixXd from_vtk_nodes(const Element &element) {
  const int n = element.num_nodes();
  std::vector<double> phi, dphi;
  element.tabulate(vtk_nodes(element.cell, element.order), phi, dphi);
  const Eigen::MatrixXd at_vtk_nodes =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          phi.data(), n, n);
  return at_vtk_nodes.inverse();
}

} // namespace

// The cells of a file, as points are located in them.
class FieldGrid {
public:
  explicit FieldGrid(std::string path) : path_(std::move(path)), grid_(read_vtu(path_)) {
    if (grid_.connectivity.size() > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::unsupported,
                  {.what = "a file of fields with more nodes of cells than 2^31", .where = path_});
    for (const VtkCell &cell : grid_.cells)
      dim_ = std::max(dim_, dimension(cell.cell));
    for (std::int64_t c = 0; c < grid_.num_cells(); ++c)
      if (dimension(grid_.cells[c].cell) == dim_) // others are surfaces of a body
        add_cell(c);
  }

  int dim() const { return dim_; }
  const std::string &path() const { return path_; }

  // The array of a field, with values at points or in cells.
  const VtuArray *find(const std::string &name) const {
    for (const auto *arrays : {&grid_.point_arrays, &grid_.cell_arrays})
      for (const VtuArray &array : *arrays)
        if (array.name == name)
          return &array;
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto *arrays : {&grid_.point_arrays, &grid_.cell_arrays})
      for (const VtuArray &array : *arrays)
        names.push_back(array.name);
    return names;
  }

  // [point]: where each lies: in one cell or several, or a hair outside of one; else nowhere.
  std::vector<std::vector<LocatedPoint>> locate(std::span<const double> points) const {
    std::vector<std::int64_t> num_cells;
    for (const std::vector<std::int64_t> &cells : cells_)
      num_cells.push_back(static_cast<std::int64_t>(cells.size()));
    auto found = locate_points(geometry_, dim_, num_cells, points);
    std::vector<std::size_t> missed;
    std::vector<double> outside;
    for (std::size_t p = 0; p < found.size(); ++p)
      if (found[p].empty()) {
        missed.push_back(p);
        outside.insert(outside.end(), &points[p * dim_], &points[p * dim_] + dim_);
      }
    if (missed.empty())
      return found;
    auto nearby = locate_points(geometry_, dim_, num_cells, outside, hair);
    for (std::size_t i = 0; i < missed.size(); ++i) {
      std::vector<LocatedPoint> &cells = nearby[i];
      const auto nearest = std::min_element(
          cells.begin(), cells.end(),
          [](const LocatedPoint &a, const LocatedPoint &b) { return a.outside < b.outside; });
      if (nearest != cells.end())
        found[missed[i]] = {*nearest};
    }
    return found;
  }

  // Adds `factor` times the value of an array at a place: [component of the array].
  void add_value(const VtuArray &array, const LocatedPoint &at, double factor, double *sum) const {
    const std::int64_t cell = cells_[at.set][at.cell];
    const bool at_points = &array >= grid_.point_arrays.data() &&
                           &array < grid_.point_arrays.data() + grid_.point_arrays.size();
    if (!at_points) {
      for (int k = 0; k < array.components; ++k)
        sum[k] += factor * array.values[cell * array.components + k];
      return;
    }
    std::vector<double> phi, dphi;
    geometry_.sets[at.set].element.tabulate(at.reference, phi, dphi);
    const Eigen::VectorXd weights =
        from_vtk_[at.set].transpose() *
        Eigen::Map<const Eigen::VectorXd>(phi.data(), static_cast<Eigen::Index>(phi.size()));
    for (Eigen::Index v = 0; v < weights.size(); ++v) {
      const std::int64_t point = grid_.connectivity[grid_.first_node(cell) + v];
      for (int k = 0; k < array.components; ++k)
        sum[k] += factor * weights[v] * array.values[point * array.components + k];
    }
  }

private:
  void add_cell(std::int64_t c) {
    const VtkCell &cell = grid_.cells[c];
    const auto known =
        std::find_if(geometry_.sets.begin(), geometry_.sets.end(), [&](const NodeMapSet &set) {
          return set.element.cell == cell.cell && set.element.order == cell.order;
        });
    const auto s = static_cast<std::size_t>(known - geometry_.sets.begin());
    if (known == geometry_.sets.end()) {
      geometry_.sets.push_back({.element = element_of(cell, path_), .nodes = {}});
      geometry_.order = std::max(geometry_.order, cell.order);
      from_vtk_.push_back(from_vtk_nodes(geometry_.sets.back().element));
      cells_.emplace_back();
    }
    cells_[s].push_back(c);
    const Eigen::MatrixXd &matrix = from_vtk_[s];
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      geometry_.sets[s].nodes.push_back(static_cast<std::int32_t>(geometry_.num_local++));
      for (int k = 0; k < dim_; ++k) {
        double x = 0;
        for (Eigen::Index v = 0; v < matrix.cols(); ++v)
          x += matrix(i, v) * grid_.points[3 * grid_.connectivity[grid_.first_node(c) + v] + k];
        geometry_.coordinates.push_back(x);
      }
    }
  }

  std::string path_;
  VtuGrid grid_;
  int dim_ = 0;                                  // the highest of the cells
  NodeMap geometry_;                             // each cell has nodes of its own
  std::vector<std::vector<std::int64_t>> cells_; // [set]: their numbers in the file
  std::vector<Eigen::MatrixXd> from_vtk_;        // [set]
};

namespace {

// The component of a file's array in which a field has its own: vectors and tensors of two
// dimensions are three wide. None where the array is of another shape.
std::optional<std::vector<int>> components_in(const VtuArray &array, int components, int dim) {
  std::vector<int> places(components);
  std::iota(places.begin(), places.end(), 0);
  if (array.components == components)
    return places;
  if (dim == 2 && components == 2 && array.components == 3)
    return places;
  if (dim == 2 && components == 4 && array.components == 9)
    return std::vector<int>{0, 1, 3, 4};
  return {};
}

class FileSource : public FieldSource {
public:
  FileSource(std::shared_ptr<const FieldGrid> grid, const ValueSpec &spec)
      : grid_(std::move(grid)), array_(grid_->find(spec.name_in_file)), name_(spec.name_in_file),
        where_(spec.value.where()) {
    if (array_ != nullptr)
      return;
    const std::string nearest = nearest_name(name_, grid_->names());
    throw Error(ErrorKind::input,
                {.what = fmt::format("the file has no field \"{}\"", name_),
                 .where = where_,
                 .found = grid_->path(),
                 .allowed = join_names(grid_->names()),
                 .remedy = nearest.empty() ? "say its name there with field = \"...\""
                                           : fmt::format("did you mean \"{}\"?", nearest)});
  }

  std::vector<double> values(const Discretisation &d, const NodeMap &map, int components,
                             const std::vector<bool> &regions) const override {
    const int dim = d.mesh->dim;
    const auto places = components_in(*array_, components, dim);
    if (grid_->dim() != dim || !places)
      throw Error(ErrorKind::input,
                  {.what = fmt::format("the field \"{}\" of the file is another", name_),
                   .where = where_,
                   .found = fmt::format("{} components on a mesh of dimension {}, in {}",
                                        array_->components, grid_->dim(), grid_->path()),
                   .allowed = fmt::format("{} components on one of dimension {}", components, dim),
                   .remedy = "name another field of the file with field = \"...\""});
    std::vector<double> result(map.num_local * components, 0.0);
    const auto points = std::span(map.coordinates).first(map.num_local * dim);
    const auto located = grid_->locate(points);
    const std::vector<bool> asked = nodes_of_classes(*d.mesh, map, regions);
    parallel_ranges(map.num_local, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t node = begin; node < end; ++node) {
        if (!asked[node])
          continue;
        const std::vector<double> mean = mean_of_cells(located[node]);
        for (int k = 0; k < components; ++k)
          result[node * components + k] = mean[(*places)[k]];
      }
    });
    refuse_missing(d, map, located, asked, result, components);
    return result;
  }

private:
  // [component of the array]: over the cells of a point in which the field is, NaN where there is
  // none.
  std::vector<double> mean_of_cells(const std::vector<LocatedPoint> &cells) const {
    std::vector<double> sum(array_->components, 0.0);
    int num_cells = 0;
    for (const LocatedPoint &at : cells) {
      std::vector<double> in_cell(array_->components, 0.0);
      grid_->add_value(*array_, at, 1, in_cell.data());
      if (std::any_of(in_cell.begin(), in_cell.end(), [](double x) { return std::isnan(x); }))
        continue;
      ++num_cells;
      for (std::size_t k = 0; k < sum.size(); ++k)
        sum[k] += in_cell[k];
    }
    for (double &value : sum)
      value /= num_cells;
    return sum;
  }

  // All: a node that is asked for and that the file has no value at.
  void refuse_missing(const Discretisation &d, const NodeMap &map,
                      const std::vector<std::vector<LocatedPoint>> &located,
                      const std::vector<bool> &asked, const std::vector<double> &values,
                      int components) const {
    const int dim = d.mesh->dim;
    std::int64_t num_outside = 0;
    std::string outside, not_finite;
    for (std::int64_t node = 0; node < map.num_local; ++node) {
      if (!asked[node])
        continue;
      const std::string place = describe_position(&map.coordinates[node * dim], dim);
      const bool finite =
          std::all_of(&values[node * components], &values[node * components] + components,
                      [](double value) { return std::isfinite(value); });
      if (located[node].empty() && num_outside++ == 0)
        outside = place;
      else if (!finite && not_finite.empty())
        not_finite = place;
    }
    outside = first_text(d.ranks, outside);
    not_finite = first_text(d.ranks, not_finite);
    num_outside = sum(d.ranks, num_outside);
    if (!outside.empty())
      throw Error(ErrorKind::input,
                  {.what = "a node outside of the mesh of a file of fields",
                   .where = where_,
                   .found = fmt::format("{}, the first of {}, is in no cell of {}", outside,
                                        num_outside, grid_->path()),
                   .allowed = "a file whose mesh covers that of the case, but for a twentieth of "
                              "a cell",
                   .remedy = "look at [mesh] scale of both, or take another file"});
    if (!not_finite.empty())
      throw Error(ErrorKind::input,
                  {.what = fmt::format("the field \"{}\" of the file", name_),
                   .where = where_,
                   .found = "a value that is not finite at " + not_finite + "; " + grid_->path(),
                   .allowed = "numbers"});
  }

  std::shared_ptr<const FieldGrid> grid_;
  const VtuArray *array_;
  std::string name_, where_;
};

// The file that holds the fields: of a collection the last.
std::string grid_file(const ValueSpec &spec) {
  namespace fs = std::filesystem;
  const std::string extension = fs::path(spec.file).extension().string();
  if (extension == ".vtu" || extension == ".pvtu")
    return spec.file;
  if (extension != ".pvd")
    throw Error(ErrorKind::input,
                {.what = "a file that fields can't be read from",
                 .where = spec.value.where(),
                 .found = spec.file,
                 .allowed = "fields.pvd, .vtu and .pvtu files",
                 .remedy = extension == ".h5"
                               ? "a checkpoint holds no mesh: name fields.pvd beside it"
                               : "name fields.pvd in the folder of a run"});
  const auto files = read_pvd(spec.file);
  if (files.empty())
    throw Error(ErrorKind::input, {.what = "a collection of no files of fields",
                                   .where = spec.file,
                                   .remedy = "run the case again"});
  return (fs::path(spec.file).parent_path() / files.back().second).string();
}

} // namespace

FieldFiles::FieldFiles() = default;
FieldFiles::~FieldFiles() = default;

std::shared_ptr<const FieldSource> FieldFiles::field(const ValueSpec &spec) {
  const std::string path = grid_file(spec);
  std::shared_ptr<const FieldGrid> &grid = grids_[path];
  if (!grid)
    grid = std::make_shared<FieldGrid>(path);
  return std::make_shared<FileSource>(grid, spec);
}

} // namespace weft
