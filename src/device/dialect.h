// The head of every program text: the names of kernels/dialect/README.md in a back end's language.
#pragma once

#include <string>

#include "base/precision.h"

namespace weft {

// `backend` as in DeviceInfo: "opencl", "cuda" or "host". Put WEFT_LANES and WEFT_REAL_F64 or
// WEFT_REAL_F32 before it.
std::string dialect_text(const std::string &backend);

// Head of every program: lanes, precision, dialect.
std::string program_head(const std::string &backend, Precision precision, int lanes);

// What comes after it in programs that read or write numbers in other precisions than `real`: the
// names with f64, f32, f16, bf16 in README.md.
std::string stored_dialect_text(const std::string &backend);

} // namespace weft
