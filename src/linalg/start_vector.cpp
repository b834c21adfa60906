#include "linalg/start_vector.h"

namespace weft {

double random_value(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t bits = seed * 0xd1342543de82ef95u + (place + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return double(bits >> 11) * 0x1p-52 - 1;
}

std::vector<double> start_vector(std::int64_t size, std::uint64_t seed) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = random_value(seed, i);
  return values;
}

} // namespace weft
