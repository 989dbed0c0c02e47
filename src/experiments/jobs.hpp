// The jobs that a plan comes to: a row with a seed each, a folder each.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/plan.hpp"

namespace cmanp::experiments {

enum class Equal { time, steps };  // what all rows of an item get alike

const char* to_text(Equal equal);

struct Choice {
  std::string budget = "smoke";
  Equal equal = Equal::steps;
  std::map<std::string, std::string> data;  // what the user gave for a plan's needs
  std::filesystem::path out;
};

// Which of the plan's commands one of a job is, and what its lines of JSON say besides: the value of `each`.
struct Origin {
  std::size_t command = 0;
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
};

struct Job {
  std::string name;  // item/row/seed
  std::string item, row;
  std::int64_t seed = 0;
  std::filesystem::path folder;
  std::vector<Words> commands;  // each without the program's name, to be run in the folder
  std::vector<Words> recorded;  // the same, without the places of data on this machine
  std::string cannot;           // why it cannot be run; empty: it can
  std::string after = {};       // the job whose run it takes over, and its folder
  std::filesystem::path after_folder = {};
  std::vector<Origin> origins = {};              // of each command
  std::vector<std::string> pictures = {};        // that it leaves in its folder
  double training_minutes = 0;                   // of one core; 0 where it trains nothing, or by steps
  std::map<std::string, std::string> data = {};  // what the user gave for the plan's needs, without folders around it
};

// Of a plan, in the order of its rows, seed after seed. Throws Error where the budget has no number of steps, or of
// minutes, that `equal` asks for.
std::vector<Job> jobs_of(const Plan& plan, const Choice& choice);

// Those that `wanted` names (item, item/row or item/row/seed), and those whose runs they take over; all where it names
// none. All of the first seed come before those of the next, and jobs that need another's run after others. Throws
// Error for a name that no job has, with the nearest.
std::vector<Job> chosen(const std::vector<Job>& jobs, const std::vector<std::string>& wanted);

enum class JobState { finished, cannot, to_do };
JobState state_of(const Job& job);  // one that is finished is so whether it could be run here or not

// What is left to do of jobs: how many, and how long those train whose time is given.
struct Extent {
  std::size_t jobs = 0, finished = 0, cannot = 0;
  double training_minutes = 0;  // of one core
};

Extent extent_of(const std::vector<Job>& jobs);

// "3 jobs, 2.5 core-hours of training"
std::string to_text(const Extent& extent);

// A value of a plan as a number where it is one, else as text.
nlohmann::ordered_json as_json(const std::string& value);

// What identifies a job's numbers: its commands and the program's version. `job.json` has it.
nlohmann::ordered_json identity_of(const Job& job, const std::string& version);

// Which parts of that are others in the job's folder; none where nothing is there.
std::vector<std::string> what_differs(const Job& job, const std::string& version);

}  // namespace cmanp::experiments
