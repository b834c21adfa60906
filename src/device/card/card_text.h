// A card's figures by name: as JSON, which is how files give them too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "device/card/card.h"

namespace weft {

struct CardFigure {
  std::string name; // "memory_gbps"
  std::string allowed;
  std::function<nlohmann::ordered_json()> get;
  std::function<bool(const nlohmann::ordered_json &)> set; // false: it is not of this kind
};

// They read and write `card`, which has to outlive them.
std::vector<CardFigure> figures_of(Card &card);

nlohmann::ordered_json card_json(const Card &card);
// The same as a table for readers.
std::string card_table(const Card &card);

} // namespace weft
