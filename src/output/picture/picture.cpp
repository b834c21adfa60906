#include "output/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/number.h"
#include "output/picture/shared_vertices.h"
#include "output/picture/sheet.h"
#include "output/vtk/vtu_read.h"

namespace weft {

namespace {

constexpr int steps_of_range = 65534;

// A field of the files: its array, which each of them has.
struct Source {
  bool at_points = true;
  std::size_t array = 0;
};

const VtuArray &array_of(const VtuGrid &grid, const Source &source) {
  return (source.at_points ? grid.point_arrays : grid.cell_arrays)[source.array];
}

// Arrays of the grid that are drawn. Regions are where there are several.
std::vector<Source> drawn_arrays(const VtuGrid &grid) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < grid.point_arrays.size(); ++i)
    sources.push_back({true, i});
  for (std::size_t i = 0; i < grid.cell_arrays.size(); ++i) {
    const std::vector<double> &values = grid.cell_arrays[i].values;
    const bool one_region =
        grid.cell_arrays[i].name == "region" &&
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    if (!one_region)
      sources.push_back({false, i});
  }
  return sources;
}

// Evenly spread, the first and the last among them.
std::vector<std::size_t> chosen_times(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, most);
  for (std::size_t i = 0; i < n; ++i)
    chosen.push_back(n == 1 ? count - 1
                            : static_cast<std::size_t>(std::llround(static_cast<double>(i) *
                                                                    static_cast<double>(count - 1) /
                                                                    static_cast<double>(n - 1))));
  return chosen;
}

ValueRange range_of(const VtuGrid &grid, int direction) {
  ValueRange range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (std::size_t i = direction; i < grid.points.size(); i += 3) {
    range.least = std::min(range.least, grid.points[i]);
    range.most = std::max(range.most, grid.points[i]);
  }
  return range;
}

std::vector<SliceAt> slices_through(const Picture &picture, const std::vector<SliceAt> &asked) {
  if (picture.dim != 3)
    return {};
  if (!asked.empty())
    return asked;
  std::vector<SliceAt> slices;
  for (int d = 0; d < 3; ++d)
    slices.push_back({d, (picture.box[d].least + picture.box[d].most) / 2});
  return slices;
}

// Sheets, and the values of all their vertices as read: [sheet][column][vertex].
class PictureReader {
public:
  PictureReader(const std::string &folder, const PictureOptions &options)
      : folder_(folder), options_(options), files_(read_pvd(folder + "/fields.pvd")) {
    if (files_.empty())
      throw Error(ErrorKind::input, {.what = "a run left no fields",
                                     .where = folder + "/fields.pvd",
                                     .remedy = "run the case again"});
  }

  Picture read() {
    VtuGrid grid = read_vtu(folder_ + "/" + files_.back().second);
    make_sheets(grid);
    const std::vector<std::size_t> chosen = chosen_times(files_.size(), bounded_times());
    for (const std::size_t time : chosen) {
      if (time + 1 < files_.size())
        add_values(read_vtu(folder_ + "/" + files_[time].second), files_[time].second);
      else
        add_values(grid, files_[time].second);
      picture_.times.push_back(files_[time].first);
    }
    find_ranges();
    for (std::size_t s = 0; s < sheets_.size(); ++s)
      quantise(s);
    share_vertices(picture_, options_.max_bytes);
    return std::move(picture_);
  }

private:
  void make_sheets(const VtuGrid &grid) {
    picture_.dim = dimension(grid);
    picture_.num_times = files_.size();
    picture_.num_cells = grid.num_cells();
    picture_.num_points = grid.num_points();
    for (int d = 0; d < 3; ++d)
      picture_.box[d] = grid.points.empty() ? ValueRange{} : range_of(grid, d);
    for (const Source &source : sources_ = drawn_arrays(grid)) {
      const VtuArray &array = array_of(grid, source);
      picture_.fields.push_back({array.name, array.components, {}});
    }
    sheets_.push_back(surface_of(grid));
    picture_.sheets.push_back({.name = "surface", .places = {}});
    for (const SliceAt &slice : slices_through(picture_, options_.slices)) {
      sheets_.push_back(slice_of(grid, slice.axis, slice.position));
      picture_.sheets.push_back(
          {.name = fmt::format("{} = {}", "xyz"[slice.axis], format_real(slice.position)),
           .axis = slice.axis,
           .places = {}});
    }
    values_.resize(sheets_.size());
    for (std::size_t s = 0; s < sheets_.size(); ++s)
      add_places(grid, s);
  }

  void add_places(const VtuGrid &grid, std::size_t s) {
    PictureSheet &drawn = picture_.sheets[s];
    drawn.triangles = sheets_[s].triangles;
    drawn.outlines = sheets_[s].outlines;
    for (int d = 0; d < 3; ++d)
      for (const SheetVertex &vertex : sheets_[s].vertices)
        drawn.places[d].push_back(quantised((1 - vertex.t) * grid.points[3 * vertex.a + d] +
                                                vertex.t * grid.points[3 * vertex.b + d],
                                            picture_.box[d]));
  }

  // So many that their values stay within about half of what the picture may hold, but a few.
  std::size_t bounded_times() const {
    std::size_t vertices = 0;
    for (const Sheet &sheet : sheets_)
      vertices += sheet.vertices.size();
    const std::size_t bytes = 2 * vertices / 4 * std::max(1, picture_.num_components()) + 1;
    return std::clamp<std::size_t>(options_.max_bytes / 2 / bytes,
                                   std::min<std::size_t>(4, options_.max_times),
                                   options_.max_times);
  }

  void add_values(const VtuGrid &grid, const std::string &file) {
    bool same = grid.num_points() == picture_.num_points && grid.num_cells() == picture_.num_cells;
    for (std::size_t f = 0; f < sources_.size() && same; ++f) {
      const auto &arrays = sources_[f].at_points ? grid.point_arrays : grid.cell_arrays;
      same = sources_[f].array < arrays.size() &&
             arrays[sources_[f].array].name == picture_.fields[f].name &&
             arrays[sources_[f].array].components == picture_.fields[f].components;
    }
    if (!same)
      throw Error(ErrorKind::input,
                  {.what = "the files of fields of a run differ in mesh or fields",
                   .where = folder_ + "/" + file,
                   .found = "another number of points or cells, or another field, than in " +
                            files_.back().second,
                   .remedy = "run the case again"});
    for (std::size_t s = 0; s < sheets_.size(); ++s)
      for (const Source &source : sources_)
        for (int k = 0; k < array_of(grid, source).components; ++k)
          values_[s].push_back(values_at(grid, source, k, sheets_[s]));
  }

  static std::vector<float> values_at(const VtuGrid &grid, const Source &source, int component,
                                      const Sheet &sheet) {
    const VtuArray &array = array_of(grid, source);
    const auto at = [&](std::int64_t i) { return array.values[i * array.components + component]; };
    std::vector<float> values;
    values.reserve(sheet.vertices.size());
    for (const SheetVertex &v : sheet.vertices)
      values.push_back(static_cast<float>(!source.at_points ? at(v.cell)
                                          : v.t == 0        ? at(v.a)
                                                            : (1 - v.t) * at(v.a) + v.t * at(v.b)));
    return values;
  }

  void find_ranges() {
    for (std::size_t f = 0; f < picture_.fields.size(); ++f)
      for (int k = 0; k < picture_.fields[f].components; ++k) {
        ValueRange range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
        for (std::size_t t = 0; t < picture_.times.size(); ++t)
          for (const auto &sheet : values_)
            for (const float value : sheet[picture_.column(t, f, k)])
              if (std::isfinite(value)) {
                range.least = std::min(range.least, double{value});
                range.most = std::max(range.most, double{value});
              }
        picture_.fields[f].ranges.push_back(range.least <= range.most ? range : ValueRange{});
      }
  }

  void quantise(std::size_t s) {
    for (std::size_t t = 0; t < picture_.times.size(); ++t)
      for (std::size_t f = 0; f < picture_.fields.size(); ++f)
        for (int k = 0; k < picture_.fields[f].components; ++k) {
          std::vector<float> values = std::move(values_[s][picture_.column(t, f, k)]);
          std::vector<std::uint16_t> integers;
          integers.reserve(values.size());
          for (const float value : values)
            integers.push_back(quantised(value, picture_.fields[f].ranges[k]));
          picture_.sheets[s].values.push_back(std::move(integers));
        }
  }

  std::string folder_;
  PictureOptions options_;
  std::vector<std::pair<double, std::string>> files_;
  std::vector<Source> sources_;
  std::vector<Sheet> sheets_;
  std::vector<std::vector<std::vector<float>>> values_;
  Picture picture_;
};

} // namespace

std::uint16_t quantised(double value, const ValueRange &range) {
  if (!std::isfinite(value))
    return no_value;
  if (!(range.most > range.least))
    return 0;
  const double fraction = std::clamp((value - range.least) / (range.most - range.least), 0.0, 1.0);
  return static_cast<std::uint16_t>(std::lround(fraction * steps_of_range));
}

double value_of(std::uint16_t integer, const ValueRange &range) {
  if (integer == no_value)
    return std::nan("");
  return range.least + (range.most - range.least) * integer / steps_of_range;
}

int Picture::num_components() const {
  return std::accumulate(fields.begin(), fields.end(), 0,
                         [](int sum, const PictureField &field) { return sum + field.components; });
}

std::size_t Picture::column(std::size_t time, std::size_t field, int component) const {
  std::size_t column = time * num_components() + component;
  for (std::size_t f = 0; f < field; ++f)
    column += fields[f].components;
  return column;
}

Picture read_picture(const std::string &folder, const PictureOptions &options) {
  return PictureReader(folder, options).read();
}

} // namespace weft
