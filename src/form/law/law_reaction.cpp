#include "form/law/law_reaction.h"

#include <utility>

#include "base/error.h"
#include "form/expression/elaborate.h"
#include "form/graph/rewrite.h"

namespace weft {

namespace {

const Scope in_cells{.place = {Domain::cells, {}}, .fields = true};

// Source over capacity of one field, [component].
std::vector<NodeId> rate_of_field(const FormSpec &spec, Elaborator &elaborator,
                                  const FieldSpec &field, const SourceText &source) {
  Graph &graph = elaborator.graph();
  std::vector<NodeId> rate = elaborator.evaluate(source, in_cells, field.shape).components;
  if (depends_on(graph, rate, SymbolKind::field_gradient))
    throw Error(ErrorKind::input,
                {.what = "a source with gradients can't be split from the rest of the law",
                 .where = source.where(),
                 .allowed = "fields, parameters, place and time",
                 .remedy = "leave [time] reactions and substeps out, or write the part with "
                           "gradients into the flux"});
  const auto capacity = spec.law->capacity.find(field.name);
  if (capacity == spec.law->capacity.end())
    return rate;
  const NodeId divisor = elaborator.evaluate(capacity->second, in_cells, Shape{})(0);
  for (NodeId &component : rate)
    component = graph.div(component, divisor);
  return rate;
}

} // namespace

LawReactions make_law_reactions(const FormSpec &spec) {
  require(spec.law.has_value(), "reactions are those of a conservation law");
  Elaborator elaborator(spec);
  Graph &graph = elaborator.graph();
  LawReactions result{.dim = spec.dim, .fields = spec.fields, .auxiliary = spec.auxiliary};
  std::vector<NodeId> rates, slopes;
  for (std::size_t f = 0; f < spec.fields.size(); ++f) {
    const FieldSpec &field = spec.fields[f];
    result.num_components += field.components();
    const auto source = spec.law->source.find(field.name);
    if (source == spec.law->source.end()) {
      rates.resize(result.num_components, graph.constant(0));
      slopes.resize(result.num_components, graph.constant(0));
      continue;
    }
    const std::vector<NodeId> rate = rate_of_field(spec, elaborator, field, source->second);
    for (int k = 0; k < field.components(); ++k) {
      const Symbol own{SymbolKind::field, static_cast<int>(f), k};
      const std::vector<NodeId> both = {rate[k], derivative(graph, std::span(&rate[k], 1), own)[0]};
      const std::vector<NodeId> sided = substitute(graph, both, [&](Graph &g, Symbol s) {
        if (s.kind == SymbolKind::field)
          s.side = s == own ? Side::minus : Side::plus;
        return g.symbol(s);
      });
      rates.push_back(sided[0]);
      slopes.push_back(sided[1]);
    }
  }
  result.rate = extract(graph, rates);
  result.slope = extract(graph, slopes);
  result.cell_table = elaborator.tables().cell_table();
  return result;
}

FormSpec without_sources(FormSpec spec) {
  spec.law->source.clear();
  return spec;
}

} // namespace weft
