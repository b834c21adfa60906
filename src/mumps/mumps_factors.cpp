#include "mumps/mumps_factors.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace weft {

namespace {

// The jobs of MUMPS's users' guide, and the number by which it is told of all processes: this one.
enum Job { job_start = -1, job_end = -2, job_analyse = 1, job_factorise = 2, job_solve = 3 };
constexpr int world = -987654;
constexpr int most_memory_trials = 4;

} // namespace

// ICNTL(i), CNTL(i) and INFOG(i) of the users' guide.
#define WEFT_ICNTL(i) mumps_.icntl[(i)-1]
#define WEFT_INFOG(i) mumps_.infog[(i)-1]

MumpsFactors::MumpsFactors(const DirectPattern &pattern) {
  for (std::int32_t row = 0; row < pattern.num_rows; ++row)
    for (std::int64_t e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e)
      if (!pattern.symmetric || pattern.columns[e] <= row) {
        rows_.push_back(row + 1);
        columns_.push_back(pattern.columns[e] + 1);
        entries_.push_back(e);
      }
  values_.resize(entries_.size());
  // Threads of SCOTCH order a matrix in another way each time: no run would have the bits of
  // another.
  ::setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
  mumps_.par = 1;
  mumps_.sym = pattern.symmetric ? 2 : 0;
  mumps_.comm_fortran = world;
  call(job_start);
  WEFT_ICNTL(1) = WEFT_ICNTL(2) = WEFT_ICNTL(3) = -1; // no messages
  WEFT_ICNTL(4) = 0;
  WEFT_ICNTL(14) = 30; // per cent of memory more than the analysis says
  WEFT_ICNTL(24) = 1;  // null pivots are found and passed over
  mumps_.n = pattern.num_rows;
  mumps_.nnz = static_cast<MUMPS_INT8>(entries_.size());
  mumps_.irn = rows_.data();
  mumps_.jcn = columns_.data();
  mumps_.a = values_.data();
  try {
    call(job_analyse);
  } catch (...) {
    mumps_.job = job_end;
    dmumps_c(&mumps_);
    throw;
  }
}

MumpsFactors::~MumpsFactors() {
  mumps_.job = job_end;
  dmumps_c(&mumps_);
}

void MumpsFactors::call(int job) {
  mumps_.job = job;
  dmumps_c(&mumps_);
  const int code = WEFT_INFOG(1);
  if (code >= 0)
    return;
  std::string text =
      "INFOG(1) = " + std::to_string(code) + ", INFOG(2) = " + std::to_string(WEFT_INFOG(2));
  if (code == -13 || code == -9 || code == -8)
    text += " (not enough memory)";
  else if (code == -6 || code == -10)
    text += " (the matrix is singular)";
  throw std::runtime_error(text);
}

void MumpsFactors::factorise(const double *values) {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    values_[i] = values[entries_[i]];
  for (int trial = 1;; ++trial) {
    try {
      call(job_factorise);
      break;
    } catch (const std::runtime_error &) {
      // Pivots moved for stability: more room than the analysis foresaw.
      const bool too_little_room = WEFT_INFOG(1) == -9 || WEFT_INFOG(1) == -8;
      if (!too_little_room || trial == most_memory_trials)
        throw;
      WEFT_ICNTL(14) *= 2;
    }
  }
  null_pivots_.clear();
  for (int i = 0; i < WEFT_INFOG(28); ++i)
    null_pivots_.push_back(mumps_.pivnul_list[i] - 1);
  const int entries = WEFT_INFOG(29); // negative: in millions
  factor_entries_ = entries < 0 ? -1e6 * entries : entries;
}

DirectFigures MumpsFactors::figures() const {
  return {.factor_entries = factor_entries_,
          .num_null_pivots = static_cast<std::int32_t>(null_pivots_.size()),
          .null_pivots = null_pivots_.data()};
}

void MumpsFactors::solve(double *x) {
  mumps_.rhs = x;
  call(job_solve);
}

} // namespace weft
