// From a case file to a Case: physics files first, then the file itself with its overrides.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/embedded.h"
#include "base/error.h"
#include "base/names.h"
#include "case/bindings.h"
#include "case/case_declarations.h"
#include "case/check_law.h"
#include "case/combination.h"
#include "case/stages.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> embedded_physics() {
  std::vector<std::string> names;
  for (const fs::path path : embedded_names("physics/"))
    if (path.extension() == ".toml" && path.parent_path() == "physics") // not of physics/flux
      names.push_back(path.stem().string());
  return names;
}

// A physics file: its name in messages, and its text.
struct PhysicsFile {
  std::string name;
  std::string text;
};

constexpr int max_physics_depth = 8; // of physics files that name others

// `folder`: where the case lies; `e`: the key `physics`, for messages.
PhysicsFile find_physics(const std::string &name, const fs::path &folder, const Entry &e) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
    const std::string path = (folder / name).lexically_normal().string();
    return {path, read_toml_text(path, "physics file", e.where())};
  }
  const auto known = embedded_physics();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const std::string nearest = nearest_name(name, known);
    throw Error(ErrorKind::input,
                {.what = "unknown physics",
                 .where = e.where(),
                 .found = fmt::format("\"{}\"", name),
                 .allowed = join_names(known) + ", or the path of a .toml file",
                 .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
  }
  const std::string path = fmt::format("physics/{}.toml", name);
  return {path, embedded_text(path)};
}

// The physics files that a file names, and those that they name, each before what names it.
// `folder`: of the file; `allowed`: what physics files may have.
void read_physics_of(const toml::table &root, const fs::path &folder,
                     const std::vector<Declaration> &allowed, int depth) {
  for (const Entry &e : entries_of(root, nullptr)) {
    if (e.key != "physics")
      continue;
    if (depth > max_physics_depth)
      throw Error(ErrorKind::input, {.what = "physics files name each other in a circle",
                                     .where = e.where(),
                                     .remedy = "let one of them name the other"});
    for (const std::string &name : texts_of(e)) {
      const PhysicsFile file = find_physics(name, folder, e);
      const toml::table physics = parse_toml(file.text, file.name);
      read_physics_of(physics, fs::path(file.name).parent_path(), allowed, depth + 1);
      read_table(physics, nullptr, allowed);
    }
  }
}

void check_field_name(const Case &c, const std::string &name, const SourceText &where) {
  std::vector<std::string> known;
  for (const auto &field : c.form.fields)
    known.push_back(field.name);
  if (std::find(known.begin(), known.end(), name) != known.end())
    return;
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::input,
              {.what = fmt::format("there is no field \"{}\"", name),
               .where = where.where(),
               .allowed = join_names(known),
               .remedy = nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)});
}

void check_field_names(const Case &c) {
  for (const auto &spec : c.dirichlet)
    check_field_name(c, spec.field, spec.value);
  for (const auto &spec : c.tied)
    for (const auto &[field, value] : spec.jump)
      check_field_name(c, field, value);
  for (const auto *values : {&c.initial, &c.exact})
    for (const auto &spec : *values)
      check_field_name(c, spec.name, spec.value);
  for (const auto &spec : c.form.pointwise)
    check_field_name(c, spec.field, spec.f0 ? *spec.f0 : *spec.f1);
  for (const auto &[name, order] : c.verify.expect)
    check_field_name(c, name, {.text = {}, .file = c.file, .line = 0, .key = "[verify] expect"});
  for (const auto &[name, order] : c.verify.expect_time)
    check_field_name(c, name,
                     {.text = {}, .file = c.file, .line = 0, .key = "[verify] expect_time"});
}

// What a case cannot do without.
void check_complete(const Case &c) {
  const auto missing = [&](const char *what, const char *remedy) {
    return Error(ErrorKind::input, {.what = what, .where = c.file, .remedy = remedy});
  };
  if (!c.mesh.file && !c.mesh.box && !c.mesh.in_memory)
    throw missing("the case has no mesh", "add [mesh] with file = \"...\" or box = {...}");
  if (c.form.fields.empty())
    throw missing("the case has no fields", "add [fields] with T = { element = \"P1\" }");
  if (c.form.integrals.empty() && c.form.pointwise.empty() && !c.form.law)
    throw missing("the case has no equation", "add [weak_form], [pointwise] or [conservation_law], "
                                              "or name files in physics = [...]");
  const bool cell_integral =
      std::any_of(c.form.integrals.begin(), c.form.integrals.end(),
                  [](const IntegralSpec &spec) { return spec.domain == Domain::cells; });
  if (cell_integral && !c.form.pointwise.empty())
    throw missing("the case has both weak_form.cells and [pointwise]", "keep one of them");
  if (!c.first_times.empty() && !c.form.law)
    throw Error(ErrorKind::input, {.what = "[first_times] belongs to a conservation law",
                                   .where = c.first_times[0].value.where(),
                                   .remedy = "leave it out of a case with a weak form"});
  if (!c.over_time.empty() && !c.time)
    throw Error(ErrorKind::input, {.what = "[over_time] of a case that does not depend on time",
                                   .where = c.over_time[0].value.where(),
                                   .remedy = "add [time], or leave it out"});
  const auto jumps = [](const FieldSpec &field) {
    return field.discontinuous || (field.order < 1 && !field.whole_domain);
  };
  const auto &fields = c.form.fields;
  if (!c.recovered.empty() && (c.form.law || std::any_of(fields.begin(), fields.end(), jumps)))
    throw Error(ErrorKind::unsupported, {.what = "[recovered] fields of discontinuous elements",
                                         .where = c.recovered[0].value.where(),
                                         .allowed = "weak forms of elements P1 to P8",
                                         .remedy = "leave them out"});
  const OutputSpec &o = c.output;
  if (!c.time && !c.load && (o.every || !o.times.empty() || o.rows_every || o.checkpoint_every))
    throw missing("a stationary case has no times of output",
                  "remove every, times, rows_every and checkpoint_every from [output], or add "
                  "[time] or [load]");
}

// Fields of the whole domain come after the others, so that their rows and columns border the
// matrix of these.
void put_whole_domain_last(Case &c) {
  std::vector<FieldSpec> &fields = c.form.fields;
  const auto first = std::stable_partition(
      fields.begin(), fields.end(), [](const FieldSpec &field) { return !field.whole_domain; });
  if (first == fields.end())
    return;
  const auto refuse = [&](const std::string &what, const std::string &where,
                          const std::string &remedy) {
    throw Error(ErrorKind::unsupported,
                {.what = what,
                 .where = where,
                 .found = fmt::format("{} with element = \"R\"", first->name),
                 .allowed = "weak forms, and pointwise functions as expressions, with at least one "
                            "field that varies",
                 .remedy = remedy});
  };
  if (first == fields.begin())
    refuse("fields of the whole domain without a field that varies", first->place,
           "add a field with element = \"P1\"; without one there is nothing to discretise");
  if (c.form.law)
    refuse("a field of the whole domain in a conservation law", first->place,
           "write the equations as a weak form, with discontinuous elements if need be");
  for (const PointwiseSpec &pointwise : c.form.pointwise)
    if (pointwise.c_text)
      refuse("a field of the whole domain beside pointwise functions in C text", first->place,
             "write f0 and f1 as expressions, whose derivatives are known");
}

void remember_places(const toml::table &table, const Entry *parent, Case &c) {
  for (const Entry &e : entries_of(table, parent)) {
    c.places[e.path] = {.text = {}, .file = e.file, .line = e.line, .key = e.path};
    if (e.value->is_table())
      remember_places(*e.value->as_table(), &e, c);
  }
}

// Paths in the file are relative to it.
void resolve_paths(Case &c) {
  const fs::path folder = fs::path(c.file).parent_path();
  if (c.mesh.file)
    c.mesh.file = (folder / *c.mesh.file).lexically_normal().string();
  c.output.directory = fs::absolute(folder / c.output.directory).lexically_normal().string();
}

// Of its seven digits f32 leaves a residual of many terms some four.
void take_tolerances_of_f32(Case &c) {
  constexpr double reached = 1e-4;
  if (c.device.precision != "f32")
    return;
  if (!c.places.contains("[solver] tolerance"))
    c.solver.tolerance = reached;
  if (!c.places.contains("[solver] newton.tolerance"))
    c.solver.newton.tolerance = reached;
}

void choose_leaf_cells(Case &c) {
  for (const auto *fields : {&c.form.fields, &c.form.auxiliary})
    for (const FieldSpec &field : *fields)
      if (!field.discontinuous || !c.form.law) // laws number no nodes in blocks
        c.mesh.leaf_cells = std::min(c.mesh.leaf_cells, leaf_cells_of(field.order));
}

} // namespace

std::vector<Declaration> case_declarations(Case &c) {
  Declaration title = bind_text("title", c.title, "one line that says what is solved");
  title.in_physics = true;
  Declaration physics =
      declare_key("physics", type_text | type_texts,
                  "files merged in first: names of Weft's own, or paths ending in `.toml`");
  physics.in_physics = true;
  std::vector<Declaration> all = {title, physics, stage_declaration(), mesh_declaration(c)};
  for (auto &tables :
       {problem_declarations(c), result_declarations(c), law_declarations(c), run_declarations(c)})
    all.insert(all.end(), tables.begin(), tables.end());
  return all;
}

namespace {

// Fills in `c`, which says what it is read as; `own_initial`: see take_over_fields().
void read_root(const toml::table &root, const std::vector<Case> &earlier,
               const std::set<std::string> &own_initial, const std::string &combination, Case &c) {
  remember_places(root, nullptr, c);
  const auto declarations = case_declarations(c);
  std::vector<Declaration> in_physics;
  std::copy_if(declarations.begin(), declarations.end(), std::back_inserter(in_physics),
               [](const Declaration &d) { return d.in_physics; });
  read_physics_of(root, fs::path(c.file).parent_path(), in_physics, 0);
  c.title.clear(); // that of a physics file is about the equations
  read_table(root, nullptr, declarations);
  take_tolerances_of_f32(c);
  check_complete(c);
  check_field_names(c);
  put_whole_domain_last(c);
  take_over_fields(earlier, own_initial, c);
  check_combinations(c);
  if (!combination.empty())
    take_combination(c, combination);
  put_in_optimal_orders(c);
  apply_load(c);
  check_law(c);
  resolve_paths(c);
  choose_leaf_cells(c);
}

// The stage of that name, or the last; of a case without stages the only one.
std::size_t index_of_stage(const std::vector<std::string> &stages, const std::string &stage,
                           const std::string &path) {
  if (stage.empty())
    return stages.empty() ? 0 : stages.size() - 1;
  const auto found = std::find(stages.begin(), stages.end(), stage);
  if (found == stages.end())
    throw Error(ErrorKind::input, {.what = fmt::format("the case has no stage \"{}\"", stage),
                                   .where = path,
                                   .allowed = join_names(stages)});
  return found - stages.begin();
}

} // namespace

Case read_case(const std::string &path, const std::vector<std::string> &overrides, bool trust,
               const std::string &combination, const std::string &stage) {
  return read_case_text(read_toml_text(path, "case file"), path, overrides, trust, combination,
                        nullptr, stage);
}

Case read_case_text(const std::string &text, const std::string &path,
                    const std::vector<std::string> &overrides, bool trust,
                    const std::string &combination, const std::shared_ptr<const RawMesh> &mesh,
                    const std::string &stage) {
  Case standard;
  const std::vector<std::string> stages =
      stage_names(parse_toml(text, path), case_declarations(standard));
  std::vector<Case> all;
  for (std::size_t s = 0; s < std::max<std::size_t>(1, stages.size()); ++s) {
    toml::table root = parse_toml(text, path); // each reading moves parts of it
    Case c;
    c.file = path;
    c.text = text;
    c.overrides = overrides;
    c.stages = stages;
    c.mesh.in_memory = mesh;
    c.trust = c.form.trust = c.mesh.trust = trust;
    std::set<std::string> own_initial;
    if (!stages.empty()) {
      c.stage = stages[s];
      own_initial = take_stage(root, s);
    }
    for (const std::string &argument : overrides)
      if (const auto own = override_of_stage(argument, stages, c.stage))
        apply_override(root, *own);
    read_root(root, all, own_initial, combination, c);
    all.push_back(std::move(c));
  }
  int leaf_cells = all.front().mesh.leaf_cells; // of one mesh for all
  for (const Case &each : all)
    leaf_cells = std::min(leaf_cells, each.mesh.leaf_cells);
  Case &chosen = all[index_of_stage(stages, stage, path)];
  chosen.mesh.leaf_cells = leaf_cells;
  return std::move(chosen);
}

std::string place_in(const Case &c, const std::string &key) {
  SourceText place{.text = {}, .file = c.file, .line = 0, .key = key};
  for (std::string known = key; !known.empty();) {
    if (const auto found = c.places.find(known); found != c.places.end()) {
      place = found->second;
      place.key = key;
      break;
    }
    known.resize(known.find_last_of(" .,") == std::string::npos ? 0 : known.find_last_of(" .,"));
  }
  return place.where();
}

void resolve_dimension(Case &c, int dim) {
  c.form.dim = dim;
  for (auto *fields : {&c.form.fields, &c.form.auxiliary})
    for (FieldSpec &field : *fields)
      if (field.shape == Shape{0})
        field.shape = {dim};
}

} // namespace weft
