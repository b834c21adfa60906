// One domain's integrands become the outputs of a FormIntegral.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "form/expression/elaborate.h"
#include "form/expression/term_regions.h"
#include "form/weak_form/form.h"

namespace weft {

// A value of the test functions, with the trial symbol that stands at the same index.
struct TestValue {
  Symbol test;
  Symbol trial;
};

class IntegralBuilder {
public:
  IntegralBuilder(const FormSpec &spec, Elaborator &elaborator, Domain domain);

  // A line of [weak_form]: its derivatives with respect to the test functions.
  void add(const IntegralSpec &integral);
  // f0 and f1 of a field, as expressions.
  void add(const PointwiseSpec &pointwise);

  bool empty() const { return by_groups_.empty(); }

  // Sums the integrals, those of single groups switched by table entries.
  FormIntegral build();

  // After build(): the linearisation equals its transpose.
  bool symmetric();
  // Terms that are in some regions only.
  const std::set<RestrictedTerms> &restricted() const { return restriction_.terms(); }
  // After build(): sets [field] where the field's test function appears.
  void mark_tested(std::vector<bool> &tested) const;

private:
  struct Part {
    std::vector<NodeId> outputs;
    SourceText where;
  };
  std::vector<NodeId> &outputs_of(const std::vector<std::string> &groups, const SourceText &where);
  NodeId residual_of(const Tensor &integrand, const TestValue &value, const IntegralSpec &integral);
  void add_part(const SourceText &text, SymbolKind kind, int field, const Shape &shape);
  // Drops the outputs of second derivatives where there are none.
  bool keep_second_derivatives();
  NodeId switched(const std::vector<std::string> &groups, const Part &part, NodeId value);

  const FormSpec &spec_;
  Elaborator &elaborator_;
  Domain domain_;
  TermRestriction restriction_;
  // In the order of a FormIntegral's outputs, with those of second derivatives.
  std::vector<TestValue> values_;
  std::map<std::vector<std::string>, Part> by_groups_;
  std::vector<NodeId> sum_; // [output]
};

} // namespace weft
