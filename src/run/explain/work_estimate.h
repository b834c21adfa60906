// How long work of several kinds will take, from what its pieces have taken so far.
#pragma once

#include <map>
#include <string>

namespace weft {

class WorkEstimate {
public:
  // So many more pieces of a kind; `guess_s`: of one, until some are done.
  void expect(const std::string &kind, double pieces, double guess_s);
  // So many were done in so many seconds; more than were expected may be.
  void done(const std::string &kind, double pieces, double seconds);
  // What was expected and will not come.
  void drop(const std::string &kind, double pieces);

  double left_s() const;
  double fraction() const; // of the time of all work; 0 where nothing is known
  // Mean of those done, or else the guess.
  double seconds_of(const std::string &kind) const;

private:
  struct Kind {
    double expected = 0, done = 0, seconds = 0, guess_s = 0;
    double each_s() const { return done > 0 ? seconds / done : guess_s; }
  };
  std::map<std::string, Kind> kinds_;
};

// Candidates of a search after which there is an estimate of what all of them take.
inline constexpr int announced_after = 4;

// "25 s", "4 min", "3 h": what an estimate is worth.
std::string about(double seconds);

// What a search says then, once: how long all its candidates take, or how many of them the budget
// is enough for. `each_s`: of one. `budget_s` may be infinite.
std::string announcement(int candidates, double each_s, double budget_s);

} // namespace weft
