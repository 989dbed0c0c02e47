// Conditions files on many machines, and merges their states in a tree: only states travel, a few hundred kB each.
//
//   mpirun -n 4 mpi_condition MODEL STATE X_FROM:X_TO Y_LOW:Y_HIGH FILE.csv ...    (a heading, then a line "x,y" a
//   point)
#include <mpi.h>

#include <cmanp/cmanp.hpp>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

void observe_file(cmanp::Context& context, const char* path) {
  std::ifstream file(path);
  if (!file) throw cmanp::Error(std::string(path) + ": cannot be read");
  std::vector<double> x, y;
  std::string line;
  std::getline(file, line);  // the heading
  for (int number = 2; std::getline(file, line); ++number) {
    double at = 0, value = 0;
    if (std::sscanf(line.c_str(), "%lf,%lf", &at, &value) != 2)
      throw cmanp::Error(std::string(path) + ":" + std::to_string(number) + ": is no line of the form x,y");
    x.push_back(at);
    y.push_back(value);
  }
  context.observe(x, y);
}

// At rank 0: all that was observed anywhere.
void merge_all(cmanp::Context& context) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 1; step < ranks; step *= 2) {
    if (rank % (2 * step) != 0) {
      const std::vector<std::byte> state = context.to_bytes();
      MPI_Send(state.data(), static_cast<int>(state.size()), MPI_BYTE, rank - step, 0, MPI_COMM_WORLD);
      return;
    }
    if (rank + step >= ranks) continue;
    MPI_Status status;
    int size = 0;
    MPI_Probe(rank + step, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::vector<std::byte> state(static_cast<std::size_t>(size));
    MPI_Recv(state.data(), size, MPI_BYTE, rank + step, 0, MPI_COMM_WORLD, &status);
    context.merge(cmanp::Context::from_bytes(context.model(), state));
  }
}

cmanp::Range stretch(const char* text) {
  double from = 0, to = 0;
  if (std::sscanf(text, "%lf:%lf", &from, &to) != 2) throw cmanp::Error(std::string(text) + ": is not FROM:TO");
  return {{from}, {to}};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    if (argc < 6) throw cmanp::Error("usage: mpi_condition MODEL STATE X_FROM:X_TO Y_LOW:Y_HIGH FILE.csv ...");
    // States merge in one frame only, so that all are given the same.
    const auto frame = cmanp::frame_between(stretch(argv[3]), stretch(argv[4]));
    cmanp::Context context(cmanp::Model::load(argv[1]), {.frame = frame});
    for (int file = 5 + rank; file < argc; file += ranks) observe_file(context, argv[file]);
    merge_all(context);
    if (rank == 0) {
      context.save(argv[2]);
      std::printf("%llu points of %d files by %d processes\n", static_cast<unsigned long long>(context.size()),
                  argc - 5, ranks);
    }
  } catch (const cmanp::Error& error) {
    std::fprintf(stderr, "process %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others would wait for its state
  }
  MPI_Finalize();
}
