// cmanp data: checks tables; packs and describes sets of pictures. The training half brings public ones.
#include <fmt/format.h>

#include <array>
#include <cmanp/error.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/data.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/pack_report.hpp"
#include "cli/verbs.hpp"
#include "images/class_ranges.hpp"
#include "images/pack.hpp"
#include "images/picture_file.hpp"

namespace cmanp::cli {
namespace {

using nlohmann::ordered_json;

struct DataCommand {
  std::string what;  // data to describe
  std::string output;
  TablePackOptions table;  // what to pack: a folder of pictures, or the files of a table
  images::DataOptions options;
  std::string classes = "all";  // of the picture to write
  std::size_t index = 0;        // its place among those to test on
  bool json = false;
};

void print(const ordered_json& result, bool json) {
  if (json) {
    print_json(result);
  } else {
    print_fields(result);
  }
}

ordered_json describe(const std::string& name, const images::PackedImages& packed) {
  const images::PackedHeader& header = packed.header();
  std::array<std::size_t, 3> splits{};
  std::map<std::uint16_t, std::size_t> classes;
  for (std::size_t i = 0; i < header.count; ++i) {
    ++splits.at(static_cast<std::size_t>(packed.split(i)));
    if (packed.label(i) != images::kNoLabel) ++classes[packed.label(i)];
  }
  ordered_json result{{"data", name},
                      {"kind", header.kind},
                      {"pictures", header.count},
                      {"left_out", header.left_out},
                      {"train", splits[0]},
                      {"validation", splits[1]},
                      {"test", splits[2]},
                      {"height", header.height},
                      {"width", header.width},
                      {"channels", header.channels},
                      {"checksum", header.checksum}};
  if (!classes.empty()) {
    result["classes"] = fmt::format("{} ({}-{})", classes.size(), classes.begin()->first, classes.rbegin()->first);
  }
  return result;
}

void pack_pictures(const DataCommand& command) {
  const std::string& folder = command.table.files.front();
  check_output(command.output, {folder});
  const auto source = images::open_source(folder, command.options);
  PackReport report;
  images::pack(*source, resolved(*source, command.options), command.output, report.events());
  report.finish();
  print(describe(command.output, images::PackedImages(command.output)), command.json);
}

void pack(const DataCommand& command) {
  const std::string& first = command.table.files.front();
  if (!std::filesystem::exists(first)) throw Error(fmt::format("{}: there is no such file or folder", first));
  if (std::filesystem::is_regular_file(first)) {
    TablePackOptions table = command.table;
    table.output = command.output;
    table.json = command.json;
    return pack_table(table);
  }
  if (command.table.files.size() > 1) {
    throw Error(fmt::format("{}: is no file; of folders of pictures, one at a time", first));
  }
  pack_pictures(command);
}

void info(const DataCommand& command) {
  PackReport report;
  const images::PackedImages packed = images::open_images(command.what, command.options, report.events());
  report.finish();
  print(describe(command.what, packed), command.json);
}

void picture(const DataCommand& command) {
  check_output(command.output, {command.what});
  const images::ClassRanges classes(command.classes);
  PackReport report;
  const images::PackedImages packed = images::open_images(command.what, command.options, report.events());
  report.finish();
  const images::PackedHeader& header = packed.header();
  std::size_t found = 0;
  for (std::size_t i = 0; i < header.count; ++i) {
    if (packed.split(i) != images::Split::test || !(classes.all() || classes.contains(packed.label(i)))) continue;
    if (found++ < command.index) continue;
    const auto pixels = packed.pixels(i);
    images::write_png(command.output,
                      {header.height, header.width, header.channels, {pixels.begin(), pixels.end()}, {}});
    const ordered_json label = packed.label(i) == images::kNoLabel ? ordered_json() : ordered_json(packed.label(i));
    return print({{"picture", command.output}, {"class", label}}, command.json);
  }
  throw Error(fmt::format("{}: has {} pictures to test on of classes {}, counted from 0; there is no {}", command.what,
                          found, command.classes, command.index));
}

void add_data_options(CLI::App* verb, images::DataOptions& options) {
  verb->add_option("--resolution", options.resolution, "Pixels a side (default: as the data have it, or 32)")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1024}))
      ->type_name("N");
  verb->add_option("--channels", options.channels, "1: grey, 3: colour (default: as the data have it)")
      ->check(CLI::IsMember({1, 3}));
  verb->add_flag("--transpose", options.transpose, "Turn rows into columns, as the official EMNIST files need");
  verb->add_option("--test-share", options.test_share, "Share to test on, of a folder that has no such split")
      ->check(number_between(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--split-seed", options.split_seed, "Decides which those are")->capture_default_str();
}

CLI::App* add_command(CLI::App* verb, const std::string& name, const std::string& description,
                      const std::string& example, const std::shared_ptr<DataCommand>& command,
                      void (*run)(const DataCommand&)) {
  CLI::App* added = add_verb(*verb, name, description, example);
  add_json(added, command->json);
  added->callback([command, run] { run(*command); });
  return added;
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* verb = add_verb(app, "data", "Checks tables; brings, packs and describes sets of pictures",
                            "cmanp data get fashion-mnist && cmanp data info ~/.local/share/cmanp/fashion-mnist");
  verb->footer(verb->get_footer() + "\nThe verb data get belongs to the training half, cmanp-train.");
  verb->require_subcommand(1);
  add_data_check(*verb);

  auto to_pack = std::make_shared<DataCommand>();
  CLI::App* packer = add_command(verb, "pack", "Packs pictures of any kind, or a table, into one file to train from",
                                 "cmanp data pack photographs/ --resolution 64 -o photographs.images\n"
                                 "  cmanp data pack stations.csv -o stations.table",
                                 to_pack, pack);
  packer
      ->add_option("data", to_pack->table.files,
                   "A folder of pictures: IDX, CIFAR-10, CelebA, JPEG, PNG; or a table's CSV or TSV, gzipped or not, "
                   "several files with the same columns")
      ->required()
      ->type_name("FOLDER|FILE");
  const auto of_table = [&](const char* flag, auto& value, const char* what) {
    return packer->add_option(flag, value, what)->group("Of a table");
  };
  of_table("--group", to_pack->table.group, "The column that tells series apart, by which rows are sorted first")
      ->type_name("NAME");
  of_table("--x", to_pack->table.x, "The column along which values lie, by which they are sorted then")
      ->type_name("NAME");
  of_table("--columns", to_pack->table.types, "The type of a column, NAME:number, NAME:time or NAME:category")
      ->check(check_column_type)
      ->type_name("NAME:TYPE");
  packer->add_option("--output,-o", to_pack->output, "The file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  add_data_options(packer, to_pack->options);

  auto to_tell = std::make_shared<DataCommand>();
  CLI::App* teller = add_command(verb, "info", "Counts pictures, splits and classes of a folder or a packed file",
                                 "cmanp data info photographs.images", to_tell, info);
  teller->add_option("data", to_tell->what, "A folder or a packed file")->required()->type_name("FOLDER|FILE");
  add_data_options(teller, to_tell->options);

  auto to_show = std::make_shared<DataCommand>();
  CLI::App* shower = add_command(verb, "picture", "Writes one of the pictures to test on, as a model is given them",
                                 "cmanp data picture photographs.images --index 7 -o seventh.png", to_show, picture);
  shower->add_option("data", to_show->what, "A folder or a packed file")->required()->type_name("FOLDER|FILE");
  shower->add_option("--index", to_show->index, "Its place among them, from 0")->capture_default_str();
  shower->add_option("--classes", to_show->classes, "Of these classes only, such as 0-9")->capture_default_str();
  shower->add_option("--output,-o", to_show->output, "The PNG to write")->required()->type_name("FILE");
  add_data_options(shower, to_show->options);
}

}  // namespace cmanp::cli
