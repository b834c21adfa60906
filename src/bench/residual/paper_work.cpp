#include "bench/residual/paper_work.h"

#include <fmt/format.h>

#include "base/log.h"

namespace weft {

namespace {

std::vector<std::string> texts_of(const std::vector<ResidualJob> &jobs) {
  std::vector<std::string> texts;
  for (const ResidualJob &job : jobs)
    texts.push_back(to_text(job));
  return texts;
}

} // namespace

void PaperWork::compile_now(const std::vector<ResidualJob> &jobs) {
  workers_.run(texts_of(jobs), [](int) {});
}

void PaperWork::done(const std::string &kind, double pieces, const std::string &stage) {
  estimate_.done(kind, pieces, since_.seconds());
  since_ = Timer();
  progress_.update(estimate_.fraction(), 0, stage);
}

void PaperWork::compile(const std::vector<ResidualJob> &jobs, const std::string &announce) {
  if (!announce.empty())
    log::info("{}", announce);
  const auto say = [&] {
    if (announce.empty())
      return;
    make_way();
    log::info("about {} for all of it, as far as can be told by now", about(left_s()));
  };
  if (workers_.number() == 0) { // they are compiled when they are needed, as part of that
    drop("kernel", static_cast<double>(jobs.size()));
    say();
    return;
  }
  const std::vector<std::string> texts = texts_of(jobs);
  const int told_by = std::min<int>(2 * workers_.number(), static_cast<int>(texts.size()));
  begin();
  workers_.run(texts, [&](int num_done) {
    done("kernel", 1, fmt::format("kernel {} of {}", num_done, texts.size()));
    if (num_done == told_by)
      say();
  });
  begin();
}

} // namespace weft
