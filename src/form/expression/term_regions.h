// Terms of integrands whose fields are there in some regions only: where they are integrated.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "case/form_spec.h"
#include "form/expression/parameter_tables.h"
#include "form/graph/graph.h"

namespace weft {

// Regions in which a cell lies: of facets between two cells the one of a side, or, without a side,
// of exactly one of both: that on which the field is.
struct TermRegion {
  std::vector<std::string> regions; // sorted
  Side side = Side::none;
  auto operator<=>(const TermRegion &) const = default;
};
using TermRegions = std::set<TermRegion>; // all of them

// Terms over groups of a form that are where all of these regions are.
struct RestrictedTerms {
  Domain domain = Domain::cells;
  std::vector<std::string> groups; // empty: over all cells or facets where the regions are
  TermRegions regions;
  SourceText where;
  bool operator<(const RestrictedTerms &other) const {
    return std::tie(domain, groups, regions) < std::tie(other.domain, other.groups, other.regions);
  }
};

// Whether some field or known field is in some regions only.
bool has_regions(const std::vector<FieldSpec> &fields, const std::vector<FieldSpec> &auxiliary);

// The regions of the fields and known fields that nodes of a graph use.
class RegionsOfNodes {
public:
  RegionsOfNodes(const Graph &graph, const std::vector<FieldSpec> &fields,
                 const std::vector<FieldSpec> &auxiliary)
      : graph_(graph), fields_(fields), auxiliary_(auxiliary) {}

  // The regions of the field that a symbol is of; null where it is everywhere, or none of a field.
  const std::vector<std::string> *of_symbol(const Symbol &symbol) const;
  const TermRegions &of(NodeId node);
  // As a factor of what is in the regions `also`, it is no sum of terms in different regions.
  bool is_one_term(NodeId node, const TermRegions &also = {});

private:
  const Graph &graph_;
  const std::vector<FieldSpec> &fields_, &auxiliary_;
  std::map<NodeId, TermRegions> known_;
  std::map<std::pair<NodeId, TermRegions>, bool> one_term_;
};

// Restricts the integrands of one domain of a form.
class TermRestriction {
public:
  TermRestriction(const FormSpec &spec, Graph &graph, ParameterTables &tables, Domain domain);

  // No field is in some regions only.
  bool empty() const { return empty_; }
  // The regions of the field that a symbol is of, if it is in some only.
  TermRegions of_symbol(const Symbol &symbol) const;

  // `value`, a factor of the test function whose regions are `also`, each of its terms 0 where one
  // of its fields is not. Over named groups, which lie where their fields are, it is as it was.
  NodeId restricted(NodeId value, const TermRegions &also, const std::vector<std::string> &groups,
                    const SourceText &where);

  // Between two cells: a value of symbols of fields without a side, as one of the side that each is
  // on.
  NodeId with_sides(NodeId value);
  // Between two cells: where the side has that field, `value`, else 0.
  NodeId on_side(NodeId value, const Symbol &field, Side side);

  // Of all that was restricted, each once.
  const std::set<RestrictedTerms> &terms() const { return terms_; }

private:
  NodeId inside(const std::vector<std::string> &regions, Side side);
  NodeId inside(const TermRegions &regions);

  Graph &graph_;
  ParameterTables &tables_;
  Domain domain_;
  RegionsOfNodes regions_;
  bool empty_;
  SourceText where_;
  std::set<RestrictedTerms> terms_;
};

} // namespace weft
