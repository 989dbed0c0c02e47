// make_seeds FOLDER: writes valid inputs for the fuzz targets to start from, in FOLDER/<target>/.
#include <cmanp/cmanp.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "events/event_states.hpp"
#include "files/safetensors.hpp"
#include "images/make_pictures.hpp"
#include "images/pack.hpp"
#include "support/temporary_folder.hpp"
#include "tiny_event_model.hpp"
#include "tiny_model.hpp"

namespace {

namespace fs = std::filesystem;
using namespace cmanp;

void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// The first byte says how to read the others.
void write_chosen(const fs::path& path, char choice, const char* text) { write(path, choice + std::string(text)); }

// With it, every change would be refused at once, and what lies behind never be reached. One file keeps it.
void remove_checksum(const fs::path& path) {
  if (path.filename() == "mixed") return;
  const std::string file = testing::read_file(path);
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof size);
  auto header = nlohmann::ordered_json::parse(file.substr(sizeof size, size));
  const std::string tensors = file.substr(sizeof size + size);
  for (const char* entry : {"checksum", "checksum_kind"}) header["__metadata__"].erase(entry);
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  size = text.size();
  write(path, std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + tensors);
}

void make_tensors(const fs::path& folder) {
  const std::vector<float> floats(6, 1.0F);
  const std::vector<double> doubles(2, 2.0);
  const std::vector<std::uint64_t> counts(1, 3);
  files::write_safetensors(folder / "empty", {}, {});
  files::write_safetensors(folder / "mixed", {{"format", "seed"}, {"config", "{\"a\": [1, 2.5]}"}},
                           {{"floats", files::view_of(floats, {2, 3})},
                            {"doubles", files::view_of(doubles, {2})},
                            {"count", files::view_of(counts, {})}});
}

void make_tables(const fs::path& folder) {
  write_chosen(folder / "points", 0x00, "x,y\n1,2\n-3.5e-2,+4\n");
  write_chosen(folder / "targets", 0x11, "\xEF\xBB\xBFx1,x2\r\n0.5, \"1\"\r\n\r\n2,3");
  write_chosen(folder / "questions", 0x24, "x,y1,y2\n1,2,3\n4,,\n5\nnan,1e999,inf\n");
}

void make_models(const fs::path& folder) {
  runtime::write_model(folder / "diagonal", testing::tiny_model_data());
  runtime::write_model(folder / "cholesky", testing::tiny_model_data(Covariance::cholesky));
  runtime::write_model(folder / "lowrank", testing::tiny_model_data(Covariance::lowrank));
}

void make_states(const fs::path& folder) {
  Context context(testing::tiny_model());
  context.save(folder / "empty");
  const std::vector<double> points(3, 0.25);
  context.observe(points, points);
  context.save(folder / "pending");
  const std::vector<double> many(5'000, -0.75);
  context.observe(many, many);
  context.save(folder / "folded");
}

void make_events(const fs::path& folder) {
  write_chosen(folder / "text", 0x08, "0:a 0.5:b 0.5:a\n\n3:b 4e1:a\n");
  write_chosen(folder / "unmarked", 0x08, "0 1.5\t2\r\n1 2 3");
  write_chosen(
      folder / "jodie", 0x09,
      "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n0,1,0.0,0,1.5,2\n1,2,0.5,1,3\n");
  write_chosen(folder / "csv", 0x0E, "sequence,time,mark\nann,0,a\nbob,0.5,b\nann,1.5,a\n");
  write_chosen(folder / "plain", 0x0A, "\xEF\xBB\xBFtime , weight\r\n\"1\",5\r\n+2,6\r\n");
}

void make_event_files(const fs::path& folder) {
  testing::write_small_event_model(folder / "unmarked", testing::tiny_event_config(0), 0.5);
  testing::write_small_event_model(folder / "marked", testing::tiny_event_config(2));
  events::EventEngine engine(testing::tiny_event_model());
  events::SequenceStates states;
  save_states(folder / "no-states", engine.model(), states);
  states.emplace("ann", engine.begin());
  engine.observe(states.emplace("bob", engine.begin()).first->second, 2.5, 1);
  save_states(folder / "states", engine.model(), states);
}

void make_json(const fs::path& folder) {
  write_chosen(folder / "settings", 0, "// of mine\n{\"task\": \"gp\", \"lr\": 5e-4, \"classes\": [1, [2, null]]}\n");
  write_chosen(folder / "deep", 0, std::string(40, '[').append(40, ']').c_str());
  write_chosen(folder / "twice", 0, "{\"a\": {\"b\": 1, \"b\": 2}}");
  write_chosen(folder / "config", 1,
               "{\"dim_x\": 1, \"dim_y\": 1, \"d_model\": 4, \"nhead\": 2, \"cov_approx\": \"lowrank\"}");
  write_chosen(folder / "normalisation", 2,
               "{\"x_shift\": [0], \"x_scale\": [1], \"y_shift\": [-2.5], \"y_scale\": [1e3]}");
  write_chosen(folder / "domain", 3,
               "{\"log_mean\": 0, \"log_std\": 1, \"tie_gap\": 0.1, \"span\": 9, \"longest_gap\": 5, \"from\": null, "
               "\"marks\": [\"a\", \"b\"]}");
  write_chosen(folder / "sequences", 4, "[\"ann\", \"bob\"]");
}

// The first byte chooses what the others are.
void make_capi(const fs::path& folder) {
  const auto add = [&](const char* name, char choice, const fs::path& file) {
    write(folder / name, choice + testing::read_file(file));
  };
  const testing::TemporaryFolder made;
  runtime::write_model(made / "model", testing::tiny_model_data(Covariance::cholesky));
  add("model", 0, made / "model");
  testing::write_small_event_model(made / "events", testing::tiny_event_config(2));
  add("event_model", 1, made / "events");
  Context context(Model::load(made / "model"));
  const std::vector<double> points(3, 0.25);
  context.observe(points, points);
  context.save(made / "state");
  add("state", 2, made / "state");
  EventStream stream(EventModel::load(made / "events"));
  stream.observe("ann", 1.5, 1);
  stream.save(made / "states");
  add("states", 3, made / "states");
  std::string calls(1, 4);
  for (int i = 0; i < 600; ++i) calls += static_cast<char>(i * 29 % 11);
  write(folder / "calls", calls);
}

// One word a line, behind the program's name.
void make_arguments(const fs::path& folder) {
  write(folder / "predict", "predict\n--model\nm.cmanp\n--context\nc.csv\n--targets\nt.csv\n--json");
  write(folder / "unknown", "straem\n--modle=m\n-s\n--save-every\n1e999");
  write(folder / "numbers", "bench\ncondition\n--model\nm\n--points\n-1\n--threads\n0x10");
  write(folder / "below", "events\nstream\n--help");
  write(folder / "complete", "help\n--complete\nbandit\nrun\n--pol");
}

void make_pictures(const fs::path& folder) {
  using namespace std::string_literals;
  for (const std::size_t channels : {1, 3}) {
    const images::Image image = testing::sample_image(9, 7, channels);
    const std::string kind = channels == 1 ? "grey" : "colour";
    write(folder / (kind + ".png"), testing::make_png(image));
    for (const bool progressive : {false, true}) {
      write(folder / (kind + (progressive ? "-progressive.jpg" : ".jpg")),
            testing::make_jpeg(7, 9, static_cast<int>(channels), testing::text_of(image), progressive));
    }
  }
  write(folder / "palette.png", testing::make_png({2, 1, 8, 3, "\0\1\0"s, {{"PLTE", "abcdef"}, {"tRNS", "\0"s}}}));
  write(folder / "sixteen.png", testing::make_png({1, 2, 16, 6, "\0abcdefgh\0ABCDEFGH"s}));
  const std::string long_text = testing::make_png_with_long_text();
  write(folder / "long-text.png", long_text);
  write(folder / "no-text.png", long_text.substr(0, long_text.find("zTXt") + 4));  // ends behind length and type
}

void make_image_sets(const fs::path& folder) {
  const std::string idx = testing::make_idx({2, 3, 3}, "abcdefghiABCDEFGHI");
  write(folder / "plain", idx);
  write(folder / "zipped", testing::gzipped(idx));
  write(folder / "labels", testing::make_idx({4}, "abcd"));
  const fs::path set = folder / "set";
  testing::write_idx_set(set, 2, 3);
  const auto source = images::open_source(set);
  images::pack(*source, images::resolved(*source, {}), folder / "packed");
  fs::remove_all(set);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: make_seeds FOLDER\n";
    return 2;
  }
  const fs::path folder = arguments[1];
  const std::map<const char*, void (*)(const fs::path&)> makers{
      {"safetensors", make_tensors}, {"csv", make_tables},
      {"model", make_models},        {"state", make_states},
      {"pictures", make_pictures},   {"images", make_image_sets},
      {"events", make_events},       {"event_files", make_event_files},
      {"json", make_json},           {"capi", make_capi},
      {"arguments", make_arguments}};
  for (const auto& [name, make] : makers) {
    fs::create_directories(folder / name);
    make(folder / name);
  }
  for (const char* name : {"safetensors", "model", "state", "event_files"}) {
    for (const auto& entry : fs::directory_iterator(folder / name)) remove_checksum(entry.path());
  }
}
