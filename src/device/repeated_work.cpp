#include "device/repeated_work.h"

namespace weft {

void RepeatedWork::run() {
  if (!device_.records() || !ran_) {
    ran_ = true;
    return work_();
  }
  if (!tried_) {
    tried_ = true;
    recording_ = device_.record(work_);
  }
  if (recording_)
    device_.replay(recording_);
  else
    work_();
}

} // namespace weft
