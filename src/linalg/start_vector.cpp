#include "linalg/start_vector.h"

namespace weft {

std::vector<double> start_vector(std::int64_t size, std::uint64_t seed) {
  std::vector<double> values(size);
  std::uint64_t state = seed * 0xd1342543de82ef95u;
  for (double &value : values) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t bits = state;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    value = double(bits >> 11) * 0x1p-52 - 1;
  }
  return values;
}

} // namespace weft
