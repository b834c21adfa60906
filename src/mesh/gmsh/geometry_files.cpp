#include "mesh/gmsh/geometry_files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/system/file_handle.h"
#include "base/system/input_file.h"
#include "mesh/gmsh/geo_check.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 1000;

std::string lower_extension(const fs::path &path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

std::string_view view_of(const HostArray<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

// Kinds of files that gmsh merges, by their extensions. Whatever it does not know it reads as a
// script, so that the beginning of the others counts too.
bool is_script(const GeometryFile &file) {
  const std::string extension = lower_extension(file.path);
  return extension == ".geo" ||
         (extension == ".pos" && !view_of(file.content).starts_with("$PostFormat"));
}

bool is_known(const GeometryFile &file) {
  const std::string extension = lower_extension(file.path);
  if (extension == ".msh")
    return view_of(file.content).starts_with("$MeshFormat");
  for (const char *known : {".step", ".stp", ".brep", ".iges", ".igs", ".stl"})
    if (extension == known)
      return true;
  return extension == ".pos";
}

class Collector {
public:
  explicit Collector(bool trust) : trust_(trust) {}

  GeometryFiles collect(const std::string &path) {
    add({.what = "geometry file", .allowed = "a .geo, .step or .stp file"}, path, false);
    std::vector<GeoScript> scripts;
    for (std::size_t i = 0; i < result_.files.size(); ++i)
      if (result_.files[i].script)
        scripts.push_back(trust_ ? look_for_files(i) : look_at(i));
    check_names(scripts);
    return std::move(result_);
  }

private:
  // Adds a file once; gives its number.
  std::size_t add(const InputFileWords &words, const fs::path &path, bool included) {
    if (result_.files.size() >= most_files)
      throw Error(ErrorKind::input, {.what = "the geometry names too many files",
                                     .where = result_.files[0].path.string(),
                                     .allowed = fmt::format("at most {}", most_files)});
    GeometryFile file{.path = path, .content = read_input_file(path.string(), words)};
    file.script = included || is_script(file);
    const auto key = std::pair(fs::weakly_canonical(path), file.script);
    if (const auto known = numbers_.find(key); known != numbers_.end())
      return known->second;
    if (!trust_)
      name_copy(file, words);
    add_options_beside(path);
    const std::size_t number = result_.files.size();
    numbers_.emplace(key, number);
    result_.files.push_back(std::move(file));
    return number;
  }

  void name_copy(GeometryFile &file, const InputFileWords &words) const {
    const bool by_content = lower_extension(file.path) == ".msh";
    if (!file.script && !is_known(file))
      throw Error(ErrorKind::input,
                  {.what = by_content ? "this is no mesh of Gmsh"
                                      : "gmsh reads this kind of file only with trust",
                   .where = words.where.empty() ? file.path.string() : words.where,
                   .found = file.path.string(),
                   .allowed = by_content ? "a file that begins with $MeshFormat"
                                         : ".geo .pos .step .stp .brep .iges .igs .stl .msh",
                   .remedy = "convert the file, or say --trust if you know its author"});
    file.copy = fmt::format("{}{}", result_.files.size(),
                            file.script ? ".geo" : lower_extension(file.path));
  }

  // gmsh reads what is called as the file and ".opt" by itself.
  void add_options_beside(const fs::path &path) {
    fs::path options = path;
    options += ".opt";
    std::error_code ignored;
    if (!fs::exists(options, ignored))
      return;
    if (trust_)
      result_.files.push_back(
          {.path = options, .content = read_input_file(options.string(), {"file of options", ""})});
    else
      result_.ignored.push_back(options.string());
  }

  static std::string what_is_named(const GeoReference &reference) {
    return reference.included ? "included file" : "merged file";
  }

  GeoScript look_at(std::size_t number) {
    const std::string name = result_.files[number].path.string();
    const GeoTokens tokens = geo_tokens(view_of(result_.files[number].content));
    if (tokens.complaint.line > 0)
      refuse_geo(name, tokens.complaint.line, "the geometry has " + tokens.complaint.what,
                 tokens.complaint.found);
    GeoScript script = check_geo(tokens.all, name);
    std::map<std::size_t, std::string> instead;
    for (const GeoReference &reference : script.references) {
      const fs::path other = result_.files[number].path.parent_path() / reference.name;
      std::error_code ignored;
      if (!fs::exists(other, ignored)) { // for gmsh to complain of, should it come there
        instead[reference.token] = "missing/" + other.filename().string();
        continue;
      }
      const InputFileWords words{.what = what_is_named(reference),
                                 .allowed = "a file",
                                 .where = fmt::format("{}:{}", name, reference.line)};
      instead[reference.token] = result_.files[add(words, other, reference.included)].copy;
    }
    result_.files[number].copy_text = geo_text(tokens.all, instead);
    return script;
  }

  // With trust: what stands in quotes behind a word that reads files.
  GeoScript look_for_files(std::size_t number) {
    const GeoTokens tokens = geo_tokens(view_of(result_.files[number].content));
    for (std::size_t i = 0; i + 1 < tokens.all.size(); ++i) {
      const std::string_view word = tokens.all[i].text;
      if (tokens.all[i].kind != GeoToken::Kind::word ||
          !(word == "Include" || word == "Merge" || word == "MergeWithBoundingBox" ||
            word == "ShapeFromFile"))
        continue;
      const bool bracket = tokens.all[i + 1].text == "(" || tokens.all[i + 1].text == "[";
      const std::size_t name = i + 1 + bracket;
      if (name >= tokens.all.size() || tokens.all[name].kind != GeoToken::Kind::text)
        continue;
      const fs::path other =
          result_.files[number].path.parent_path() / std::string(tokens.all[name].text);
      std::error_code ignored;
      if (fs::is_regular_file(other, ignored))
        add({.what = "file of the geometry", .allowed = "a file"}, other, word == "Include");
    }
    return {};
  }

  // Names that no script defines are no names of the geometry's own.
  void check_names(const std::vector<GeoScript> &scripts) const {
    std::size_t number = 0;
    for (const GeoScript &script : scripts) {
      while (!result_.files[number].script)
        ++number;
      const std::string file = result_.files[number++].path.string();
      for (const auto &[name, line] : script.used)
        if (std::none_of(scripts.begin(), scripts.end(), [&, &name = name](const GeoScript &other) {
              return other.defined.count(name) > 0;
            }))
          refuse_geo(
              file, line,
              fmt::format("the geometry uses {}, which it does not define and which is none of "
                          "the words that geometries without trust may use",
                          name));
    }
  }

  bool trust_;
  GeometryFiles result_;
  std::map<std::pair<fs::path, bool>, std::size_t> numbers_;
};

} // namespace

std::string GeometryFiles::text() const {
  std::string all;
  for (const GeometryFile &file : files) {
    all += fmt::format("{} {}\n", file.path.filename().string(), file.content.size());
    all += view_of(file.content);
  }
  return all;
}

GeometryFiles read_geometry(const std::string &path, bool trust) {
  return Collector(trust).collect(path);
}

void write_copies(const GeometryFiles &geometry, const fs::path &folder) {
  for (const GeometryFile &file : geometry.files) {
    const fs::path path = folder / file.copy;
    FileHandle out(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out.valid() || !out.write_all(file.script ? file.copy_text : view_of(file.content)) ||
        !out.close())
      throw Error(ErrorKind::system, {.what = "a copy of the geometry cannot be written",
                                      .where = path.string(),
                                      .found = std::strerror(errno),
                                      .remedy = "make room on the disk"});
  }
}

} // namespace weft
