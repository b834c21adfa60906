#include "kernel/cell/cell_printer.h"

#include <array>
#include <fmt/format.h>

#include "kernel/text/sections.h"

namespace weft {

// As a loop.
void CellPrinter::print_node_loop(LaneText &text, int input, int component,
                                  const std::vector<NodeSum> &sums) {
  const NodalInput &in = in_.inputs[input];
  for (const NodeSum &sum : sums)
    text.line(fmt::format("lane {} = {};", sum.name, text.constant(0)));
  text.open(fmt::format("WEFT_NO_UNROLL for (i32 i = 0; i < {}; ++i) {{", in_.nodes_of(in)));
  text.line(fmt::format(
      "const lane at_node = {};",
      cell_entry(affine_text("i", in.components, in_.first_cell_input(input) + component))));
  for (const NodeSum &sum : sums)
    text.line(fmt::format("{0} = lane_fma(lane_splat({1}), at_node, {0});", sum.name,
                          tables_[in.family].entry_at("i", sum.entry)));
  text.close();
  const double multiply_adds = static_cast<double>(sums.size()) * in_.nodes_of(in);
  text.count().multiply_adds += multiply_adds;
  text.count().loop_multiply_adds += multiply_adds;
}

void CellPrinter::print_gradient(LaneText &text, const FieldUse &use) {
  const NodalInput &in = in_.inputs[use.input];
  const std::string &name = use.name;
  const std::string side = side_prefix(in.side);
  const int dim = in_.dim;
  for (int e = 0; e < dim && directions_; ++e)
    text.line(fmt::format("const lane {}_r{} = {};", name, e,
                          directions_->gradient(use.input, use.component, e)));
  for (int e = 0; e < dim && !directions_ && !in_.loops_over(in.family); ++e) {
    std::vector<Term> terms;
    for (int i = 0; i < in_.nodes_of(in); ++i)
      terms.push_back({tables_[in.family].gradient(i, e), cell_entry(use.input, i, use.component)});
    if (terms.front().coefficient.literal && terms.front().coefficient.value < 0 &&
        static_cast<int>(terms.size()) > 1 + e)
      std::swap(terms.front(), terms[1 + e]);
    text.sum("const lane ", fmt::format("{}_r{}", name, e), terms, false);
  }
  for (int d = 0; d < dim; ++d) {
    std::string sum;
    for (int e = 0; e < dim; ++e)
      sum = e == 0 ? fmt::format("{}k{}{} * {}_r{}", side, e, d, name, e)
                   : fmt::format("lane_fma({}k{}{}, {}_r{}, {})", side, e, d, name, e, sum);
    text.count().multiplications += 1;
    text.count().multiply_adds += dim - 1;
    if (in_.reads_coordinates()) {
      sum = fmt::format("({}) * {}inverse_det", sum, side);
      text.count().multiplications += 1;
    }
    text.line(fmt::format("const lane {}_d{} = {};", name, d, sum));
  }
}

// In reference coordinates.
void CellPrinter::print_second(LaneText &text, const FieldUse &use) {
  const NodalInput &in = in_.inputs[use.input];
  for (const int number : use.second) {
    std::vector<Term> terms;
    for (int i = 0; i < in_.nodes_of(in); ++i)
      terms.push_back({tables_[in.family].entry(i, 1 + in_.dim + number),
                       cell_entry(use.input, i, use.component)});
    text.sum("const lane ", fmt::format("{}_h{}", use.name, number), terms, false);
  }
}

namespace {

// Kinds of symbols of a quantity's value, gradient and second derivatives.
std::array<SymbolKind, 3> symbol_kinds(NodalInput::Kind kind) {
  switch (kind) {
  case NodalInput::Kind::direction:
    return {SymbolKind::direction, SymbolKind::direction_gradient, SymbolKind::direction_hessian};
  case NodalInput::Kind::auxiliary:
    return {SymbolKind::auxiliary, SymbolKind::auxiliary_gradient, SymbolKind::auxiliary_hessian};
  case NodalInput::Kind::rate_offset:
    return {SymbolKind::rate_offset, SymbolKind::rate_offset_gradient,
            SymbolKind::rate_offset_hessian};
  default:
    return {SymbolKind::field, SymbolKind::field_gradient, SymbolKind::field_hessian};
  }
}

} // namespace

void CellPrinter::find_field_uses() {
  for (std::size_t input = 0; input < in_.inputs.size(); ++input) {
    const NodalInput &in = in_.inputs[input];
    if (in.kind == NodalInput::Kind::coordinates || in.kind == NodalInput::Kind::cell_size)
      continue;
    const auto [value_kind, gradient_kind, second_kind] = symbol_kinds(in.kind);
    for (int k = 0; k < in.components; ++k) {
      FieldUse use{.input = static_cast<int>(input), .component = k};
      use.name = symbol_name({.kind = value_kind,
                              .index = in.index,
                              .component = k,
                              .side = in.side,
                              .order = in.order});
      for (const Symbol &s : in_.function.symbols)
        if (s.index == in.index && s.component == k && s.side == in.side && s.order == in.order) {
          use.value = use.value || s.kind == value_kind;
          use.gradient = use.gradient || s.kind == gradient_kind;
          if (s.kind == second_kind)
            use.second.push_back(s.direction);
        }
      if (use.gradient && constant_gradients(in.family)) {
        use.gradient_index = num_gradients_;
        num_gradients_ += in_.dim;
      }
      if (directions_ && in.family >= 0)
        directions_->use(use.input, use.value, use.gradient);
      field_uses_.push_back(use);
    }
  }
  if (directions_ && in_.reads_coordinates())
    directions_->use(0, in_.function.uses(SymbolKind::coordinate), true);
}

void CellPrinter::print_fields(LaneText &text) {
  for (std::size_t input = 0; input < in_.inputs.size(); ++input)
    if (const NodalInput &in = in_.inputs[input]; in.kind == NodalInput::Kind::cell_size)
      text.line(fmt::format("const lane {}h = {};", side_prefix(in.side),
                            cell_entry(static_cast<int>(input), 0, 0)));
  for (const FieldUse &use : field_uses_) {
    const NodalInput &in = in_.inputs[use.input];
    const bool gradient = use.gradient && use.gradient_index < 0;
    if (in.family < 0) {
      if (use.value)
        text.line(
            fmt::format("const lane {} = {};", use.name, cell_entry(use.input, 0, use.component)));
      for (int d = 0; d < in_.dim && use.gradient; ++d)
        text.line(fmt::format("const lane {}_d{} = {};", use.name, d, text.constant(0)));
      continue;
    }
    if (directions_) {
      if (use.value)
        text.line(fmt::format("const lane {} = {};", use.name,
                              directions_->value(use.input, use.component)));
    } else if (in_.loops_over(in.family)) {
      std::vector<NodeSum> sums;
      if (use.value)
        sums.push_back({use.name, 0});
      for (int e = 0; e < in_.dim && gradient; ++e)
        sums.push_back({fmt::format("{}_r{}", use.name, e), 1 + e});
      for (const int number : use.second)
        sums.push_back({fmt::format("{}_h{}", use.name, number), 1 + in_.dim + number});
      if (!sums.empty())
        print_node_loop(text, use.input, use.component, sums);
    } else {
      if (use.value) {
        std::vector<Term> terms;
        for (int i = 0; i < in_.nodes_of(in); ++i)
          terms.push_back({tables_[in.family].value(i), cell_entry(use.input, i, use.component)});
        text.sum("const lane ", use.name, terms, false);
      }
      print_second(text, use);
    }
    if (gradient)
      print_gradient(text, use);
  }
}

} // namespace weft
