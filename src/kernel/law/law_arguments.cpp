#include "kernel/law/law_arguments.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace weft {

namespace {

enum class DataKind { integer, real, integers, reals };

struct ArgumentText {
  ArgumentRole role;
  DataKind kind;
  const char *name;
};

const ArgumentText &text_of_role(ArgumentRole role) {
  using enum ArgumentRole;
  static constexpr ArgumentText texts[] = {
      {begin_group, DataKind::integer, "begin_group"},
      {end_group, DataKind::integer, "end_group"},
      {time, DataKind::real, "time"},
      {cell_class, DataKind::integers, "cell_class"},
      {cell_table, DataKind::reals, "cell_table"},
      {facet_class, DataKind::integers, "facet_class"},
      {facet_table, DataKind::reals, "facet_table"},
      {groups_per_item, DataKind::integer, "groups_per_item"},
      {first_unit, DataKind::integer, "first_unit"},
      {first_group, DataKind::integer, "first_group"},
      {q, DataKind::reals, "q"},
      {known, DataKind::reals, "known"},
      {coordinates, DataKind::reals, "coordinates"},
      {cell_size, DataKind::reals, "cell_size"},
      {metric, DataKind::reals, "metric"},
      {facet_metric, DataKind::reals, "facet_metric"},
      {facet_coordinates, DataKind::reals, "facet_coordinates"},
      {rows, DataKind::integers, "rows"},
      {row_factors, DataKind::reals, "row_factors"},
      {plus_unit, DataKind::integers, "plus_unit"},
      {plus_row, DataKind::integers, "plus_row"},
      {plus_slot, DataKind::integers, "plus_slot"},
      {plus_group, DataKind::integers, "plus_group"},
      {plus_class, DataKind::integers, "plus_class"},
      {condition, DataKind::integers, "condition"},
      {conditions, DataKind::integers, "conditions"},
      {fast, DataKind::reals, "fast"},
      {slow, DataKind::reals, "slow"},
      {strong_fast, DataKind::reals, "strong_fast"},
      {strong_slow, DataKind::reals, "strong_slow"},
      {lift, DataKind::reals, "lift"},
      {lift_start, DataKind::integers, "lift_start"},
      {lift_column, DataKind::integers, "lift_column"},
      {trace, DataKind::reals, "trace"},
      {trace_node, DataKind::integers, "trace_node"},
      {products, DataKind::reals, "products"},
      {facet_flux, DataKind::reals, "facet_flux"},
      {rate, DataKind::reals, "rate"},
      {gradient, DataKind::reals, "gradient"},
      {whole_gradient, DataKind::reals, "whole_gradient"},
      {limiter, DataKind::reals, "limiter"},
      {h, DataKind::real, "h"},
      {keep, DataKind::real, "keep"},
      {start_factor, DataKind::real, "start_factor"},
      {state_factor, DataKind::real, "state_factor"},
      {sum_factor, DataKind::real, "sum_factor"},
      {rate_factor, DataKind::real, "rate_factor"},
      {start, DataKind::reals, "start"},
      {sum, DataKind::reals, "sum"},
      {out, DataKind::reals, "out"},
      {length, DataKind::reals, "length"},
      {shortest, DataKind::reals, "shortest"},
      {weights, DataKind::reals, "weights"},
      {means, DataKind::reals, "means"},
      {mass, DataKind::reals, "mass"},
      {high_modes, DataKind::reals, "high_modes"},
      {linear, DataKind::reals, "linear"},
      {lobatto, DataKind::reals, "lobatto"},
      {gradient_weights, DataKind::reals, "gradient_weights"},
      {limiter_slack, DataKind::reals, "limiter_slack"},
      {limiter_scale, DataKind::reals, "limiter_scale"},
      {num_nodes, DataKind::integer, "num_nodes"},
      {nodes_per_item, DataKind::integer, "nodes_per_item"},
      {substeps, DataKind::integer, "substeps"},
      {before, DataKind::real, "before"},
      {values, DataKind::reals, "values"},
      {arrival_times, DataKind::reals, "arrival_times"},
      {num_slices, DataKind::integer, "num_slices"},
      {slices_per_item, DataKind::integer, "slices_per_item"},
      {slice_start, DataKind::integers, "slice_start"},
      {entry_index, DataKind::integers, "entry_index"},
      {entry_value, DataKind::reals, "entry_value"},
      {fixed_rate, DataKind::reals, "fixed_rate"},
  };
  const auto *found = std::find_if(std::begin(texts), std::end(texts),
                                   [&](const ArgumentText &text) { return text.role == role; });
  require(found != std::end(texts), "arguments of laws' kernels have names");
  return *found;
}

const char *declaration_of(DataKind kind) {
  switch (kind) {
  case DataKind::integer:
    return "const i32 ";
  case DataKind::real:
    return "const real ";
  case DataKind::integers:
    return const_i32;
  case DataKind::reals:
    return const_real;
  }
  return nullptr;
}

} // namespace

void LawArguments::add(ArgumentRole role, int index) {
  const ArgumentText &text = text_of_role(role);
  list_.add(role, index, declaration_of(text.kind), text.name);
}

void LawArguments::add_all(std::initializer_list<ArgumentRole> roles) {
  for (const ArgumentRole role : roles)
    add(role);
}

void LawArguments::add_written(ArgumentRole role) {
  list_.add(role, 0, "WEFT_GLOBAL real *WEFT_RESTRICT ", text_of_role(role).name);
}

void LawArguments::add_shared(ArgumentRole role) {
  list_.add(role, 0, "WEFT_GLOBAL const real *", text_of_role(role).name);
}

void LawArguments::add_shared_written(ArgumentRole role) {
  list_.add(role, 0, "WEFT_GLOBAL real *", text_of_role(role).name);
}

} // namespace weft
