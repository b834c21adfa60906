#include "bench/residual/bench_orders_command.h"

#include <memory>
#include <string>
#include <vector>

#include "bench/bench_options.h"
#include "bench/residual/bench_orders.h"
#include "bench/residual/prediction_keys.h"
#include "output/kernel_rows.h"

namespace weft {

namespace {

struct OrdersCommandOptions : OrdersOptions {
  std::string json, csv;
};

std::vector<nlohmann::ordered_json> json_rows(const OrdersResult &result) {
  std::vector<nlohmann::ordered_json> rows;
  for (const OrdersRow &row : result.rows) {
    nlohmann::ordered_json json = to_json(row.record);
    json["problem"] = row.problem;
    json["order"] = row.order;
    json["line_points"] = row.line_points;
    json["sums"] = row.sums;
    json["ns_per_dof"] = *row.record.seconds / static_cast<double>(*row.record.dofs) * 1e9;
    add_prediction(json, row.predicted, row.predicted_over_measured());
    rows.push_back(std::move(json));
  }
  return rows;
}

} // namespace

void add_bench_orders(CLI::App &bench) {
  CLI::App *command = bench.add_subcommand(
      "orders", "products with a linearised operator against the order of the elements, on boxes "
                "of distorted cells; the bake-off problems of CEED");
  const auto options = std::make_shared<OrdersCommandOptions>();
  command->add_option("--cell", options->cell)
      ->check(CLI::IsMember({"quadrilateral", "hexahedron"}))
      ->capture_default_str();
  command->add_option("--orders", options->orders, "of the elements")
      ->delimiter(',')
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command
      ->add_option("--problem", options->problems,
                   "forms, or bp1 to bp6 of CEED: mass, Poisson, and Poisson at Gauss-Lobatto "
                   "points, each of "
                   "scalars and vectors")
      ->delimiter(',')
      ->check(CLI::IsMember(orders_problem_names()))
      ->capture_default_str();
  command
      ->add_option("--more-points", options->more_points,
                   "points of quadrature in a direction, more than the order")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  command->add_option("--dofs", options->dofs, "of each problem's components, about")
      ->check(CLI::Range(8.0, 1e9))
      ->capture_default_str();
  command->add_option("--leaf-cells", options->leaf_cells, "cells of a leaf block; 0: by default")
      ->check(CLI::Range(0, 4096));
  command->add_option("--strategy", options->strategy, "in place of the default")
      ->check(CLI::IsMember({"transposed", "cell", "block"}));
  command->add_option("--geometry", options->geometry, "in place of the default")
      ->check(CLI::IsMember({"on_the_fly", "stored"}));
  command->add_option("--sums", options->sums, "in place of the default")
      ->check(CLI::IsMember({"points", "lines", "planes"}));
  command->add_option("--precision", options->precision, "only this one")
      ->check(CLI::IsMember({"f64", "f32"}));
  add_repeats_option(*command, options->repeats);
  add_device_options(*command, options->device, options->threads);
  add_table_options(*command, options->json, options->csv);
  command->callback([options] {
    const OrdersResult result = bench_orders(*options);
    if (!options->json.empty())
      write_bench_json(options->json, result.machine, json_rows(result));
    if (!options->csv.empty())
      write_rows_csv(options->csv, json_rows(result));
  });
}

} // namespace weft
