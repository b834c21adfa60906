#include "run/variants/variant_choice.h"

#include <map>

#include "base/error.h"
#include "base/log.h"
#include "run/variants/variants_file.h"
#include "tune/model/performance_model.h"

namespace weft {

namespace {

std::string match_text(TuningMatch match) {
  switch (match) {
  case TuningMatch::device:
    return "this device";
  case TuningMatch::architecture:
    return "a device of the same architecture";
  case TuningMatch::vendor:
    break;
  }
  return "a device of the same vendor";
}

} // namespace

bool is_candidate(const SearchSpace &space, const Variant &variant) {
  try {
    check_variant(space, variant, "");
    return true;
  } catch (const Error &) {
    return false;
  }
}

CostModel cost_model(const DeviceInfo &info, Precision precision, const MachineFigures &figures) {
  return [=](const std::vector<NamedCost> &costs) {
    return predict(costs, precision, info, figures).seconds;
  };
}

Variant replayed_variant(const SearchSpace &space, const std::string &path) {
  const std::map<std::string, Variant> variants = read_variants(path);
  for (const auto &[kernel, variant] : variants)
    if (kernel != space.kernel)
      throw Error(ErrorKind::input, {.what = "variants of a kernel that the case does not have",
                                     .where = path,
                                     .found = kernel,
                                     .allowed = space.kernel});
  const Variant &variant = variants.at(space.kernel);
  check_variant(space, variant, path + ": " + space.kernel);
  return in_order(space, variant);
}

std::optional<Variant> kept_variant(TuningDatabase &database, const TuningKey &key,
                                    const SearchSpace &space) {
  const std::optional<KeptTuning> kept = database.find(key);
  if (!kept || !is_candidate(space, kept->variant))
    return {};
  log::debug("{}: kept from a search on {}: {:.4g} ms, predicted {:.4g} ms", space.kernel,
             match_text(kept->match), 1e3 * kept->seconds, 1e3 * kept->predicted_s);
  return kept->variant;
}

} // namespace weft
