# Headers that most files include are parsed once. They only save time: every file includes what it
# uses, and -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them.

set(WEFT_COMMON_HEADERS
    <algorithm>
    <array>
    <cmath>
    <cstdint>
    <filesystem>
    <fstream>
    <functional>
    <limits>
    <map>
    <memory>
    <numeric>
    <optional>
    <set>
    <span>
    <sstream>
    <string>
    <tuple>
    <utility>
    <vector>
    <fmt/format.h>)

# weft_precompiled_headers(NAME HEADER...): an object library without code, which compiles HEADERS for
# others to reuse. Those need the same options as it has.
function(weft_precompiled_headers name)
  set(source ${CMAKE_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only its precompiled headers are used.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE weft_dependencies)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
