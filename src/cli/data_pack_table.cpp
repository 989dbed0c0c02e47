// cmanp data pack of tables: the same rows as one file that training maps.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/data.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "data/packed_table.hpp"

namespace cmanp::cli {

void pack_table(const TablePackOptions& options) {
  check_output(options.output, options.files);
  data::TableOptions reading;
  for (const std::string& told : options.types) {
    const auto [name, type] = data::parse_typed_name(told);
    reading.types[name] = type;
  }
  reading.made = {options.group, options.x};
  reading.aside = std::filesystem::absolute(options.output).parent_path();  // it may not fit into memory
  const data::DataTable table = data::read_data_table({options.files.begin(), options.files.end()}, reading);
  const data::Roles roles = data::find_roles(table, {options.group, options.x, {}});
  if (roles.x.empty()) data::fail_without_x(table);
  const std::size_t rows = table.rows(), columns = table.columns.size();
  data::pack_table(table, roles, options.output);
  const nlohmann::ordered_json result{{"data", options.output}, {"rows", rows},
                                      {"columns", columns},     {"group", roles.group},
                                      {"x", roles.x},           {"bytes", std::filesystem::file_size(options.output)}};
  if (options.json) return print_json(result);
  print_fields(result);
}

}  // namespace cmanp::cli
