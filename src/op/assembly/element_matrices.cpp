#include "op/assembly/element_matrices.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/text/block_layout.h"
#include "op/weak_form/matrix_cost.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

// The load vector beside the matrix: what the function then reads more, and its outputs.
// `residual`: the form's integral of that kind in the same place.
void add_vector(CellIntegral &in, const FormIntegrals &integrals, const IntegralDomain &domain,
                const CellIntegral &residual) {
  const Form &form = integrals.discretisation().form;
  if (!form.linear)
    throw Error(ErrorKind::unsupported,
                {.what = "a load vector beside the element matrices of a non-linear form",
                 .remedy = "compute the residual instead"});
  std::vector<int> components;
  for (const TestField &test : in.tests)
    components.push_back(test.components);
  const FormIntegral &integral = *integrals.integral(Domain::cells);
  in.with_vector = true;
  in.function = matrix_and_vector(integrals.for_kernels(integral.linearised, integral, domain),
                                  integrals.for_kernels(integral.residual, integral, domain),
                                  in.dim, components);
  for (const NodalInput &input : residual.inputs) {
    const bool known =
        std::any_of(in.inputs.begin(), in.inputs.end(), [&](const NodalInput &other) {
          return other.kind == input.kind && other.index == input.index &&
                 other.order == input.order;
        });
    if (!known && input.kind != Kind::field)
      in.inputs.push_back(input);
  }
}

void add_directions(CellIntegral &in) {
  for (std::size_t f = 0; f < in.tests.size(); ++f)
    in.inputs.push_back(
        {Kind::direction, static_cast<int>(f), in.tests[f].components, in.tests[f].family});
}

} // namespace

ElementMatrices::ElementMatrices(Device &device, const FormIntegrals &integrals,
                                 const OperatorSettings &settings, int set,
                                 const MatrixVariant &variant, bool with_vector)
    : FormPlan(device, integrals, settings, WithoutParts{}), variant_(variant) {
  require(variant.destination != MatrixDestination::csr, "assembly has a plan of its own");
  Part part;
  part.set = set;
  part.groups = consecutive_groups(d_.mesh->sets[set].num_cells(), lanes_);
  for (const NodeMap *map : families_)
    part.nodes.push_back(
        upload(device_, group_nodes(part.groups, map->sets[set]), "node numbers of cells"));
  count_cells(part);
  integral_ = describe(IntegralKind::matrix, part);
  if (with_vector)
    add_vector(integral_, integrals_, part, describe(IntegralKind::residual, part));
  if (variant.destination == MatrixDestination::applied)
    add_directions(integral_);

  const std::int64_t groups = part.groups.num_groups();
  size_ = variant.destination == MatrixDestination::applied
              ? groups * lanes_ * integral_.num_rows()
              : num_matrix_slots(integral_, variant, groups) * num_matrix_entries(integral_);
  result_ = device_.allocate(size_ * real_bytes(), "element matrices");
  part.element_vectors = result_;
  launch_.variant = to_string(variant, lanes_);
  launch_.source = make_matrix_kernel(integral_, variant, device_.info().backend);
  refuse_local_memory();
  launch_.program = device_.build(
      {.name = launch_.source.name, .text = launch_.source.text, .kernels = {launch_.source.name}});
  launch_.cell = integral_.cell;
  launch_.order = integral_.families[integral_.tests[0].family].element.order;
  launch_.num_cells = part.counts.cells;
  launch_.launch = matrix_launch(variant, part.counts);
  launch_.cost = matrix_cost(integral_, variant, part.counts, {}, launch_.source.cost);
  launch_.needed = static_cast<double>(part.counts.cells) * launch_.source.cost.operations;
  parts_.push_back(std::move(part));
  bind(launch_, integral_, parts_.front());
}

void ElementMatrices::refuse_local_memory() const {
  const std::int64_t needed = launch_.source.local_bytes;
  const auto allowed = static_cast<std::int64_t>(device_.info().local_memory_bytes);
  if (needed > 0 && needed > allowed)
    throw Error(ErrorKind::unsupported,
                {.what = "element matrices that need more local memory than the device has",
                 .where = launch_.variant + " of " + launch_.source.name,
                 .found = fmt::format("{} bytes a work-group", needed),
                 .allowed = fmt::format("at most {}", allowed),
                 .remedy = "take smaller work-groups, or local = none"});
}

KernelArgument ElementMatrices::argument(const ArgumentSpec &spec, const CellIntegral &in,
                                         Part &part) {
  if (spec.role == ArgumentRole::element_matrices)
    return part.element_vectors;
  return FormPlan::argument(spec, in, part);
}

void ElementMatrices::compute(const Vector &u, const Vector *x) {
  for (const int argument : launch_.field_arguments)
    launch_.arguments[argument] = u.buffer;
  for (const int argument : launch_.direction_arguments)
    launch_.arguments[argument] = x->buffer;
  device_.launch(launch_.program, launch_.source.name, launch_.launch, launch_.arguments);
}

std::int64_t ElementMatrices::index(std::int64_t slot, int entry) const {
  const int entries = variant_.destination == MatrixDestination::applied
                          ? integral_.num_rows()
                          : num_matrix_entries(integral_);
  if (variant_.destination == MatrixDestination::per_cell)
    return slot * entries + entry;
  const std::int64_t width = variant_.destination == MatrixDestination::applied
                                 ? lanes_
                                 : interleave_width(integral_, variant_);
  return (slot / width * entries + entry) * width + slot % width;
}

std::vector<std::vector<double>> ElementMatrices::host() const {
  const std::vector<double> values =
      get_vector(device_, Vector{result_, size_, settings_.precision});
  const int entries = variant_.destination == MatrixDestination::applied
                          ? integral_.num_rows()
                          : num_matrix_entries(integral_);
  std::vector<std::vector<double>> cells(launch_.num_cells);
  for (std::size_t slot = 0; slot < groups().cells.size(); ++slot)
    if (const std::int32_t cell = groups().cells[slot]; cell >= 0)
      for (int e = 0; e < entries; ++e)
        cells[cell].push_back(values[index(static_cast<std::int64_t>(slot), e)]);
  return cells;
}

} // namespace weft
