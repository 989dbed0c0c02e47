"""tools/check_includes finds what a room may not include, and this repository has none."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TABLE = """
### Who may include whom

| room | may include | and use |
|---|---|---|
| `low/` | – | – |
| `middle/` | low/one.hpp | json |
| `high/` | low, middle | – |

## Style
"""


def check(root):
    return subprocess.run([sys.executable, "-B", REPOSITORY / "tools/check_includes", root], capture_output=True,
                          text=True)


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "CONTRIBUTING.md").write_text(TABLE)
        for name in ("low/one", "low/two"):
            self.write(f"src/{name}.hpp", "#include <vector>\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, message):
        result = check(self.root)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual(result.stderr.strip(), message)

    def test_what_is_allowed(self):
        self.write("src/middle/a.hpp", '#include "low/one.hpp"\n#include <nlohmann/json.hpp>\n')
        self.write("src/high/b.cpp", '#include "low/two.hpp"\n#  include "middle/a.hpp"\n#include "high/c.hpp"\n')
        result = check(self.root)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_room_above(self):
        self.write("src/low/three.cpp", '\n#include "high/b.hpp"\n')
        self.write("src/high/b.hpp", "")
        self.expect("src/low/three.cpp:2: low/ may not include high/b.hpp")

    def test_a_header_beside_the_one_that_is_allowed(self):
        self.write("src/middle/a.cpp", '#include "low/two.hpp"\n')
        self.expect("src/middle/a.cpp:1: middle/ may not include low/two.hpp")

    def test_an_outside_library(self):
        self.write("src/high/b.cpp", "#include <torch/torch.h>\n")
        self.expect("src/high/b.cpp:1: high/ may not use libtorch (torch/torch.h)")

    def test_a_folder_without_a_row(self):
        self.write("src/new/a.cpp", "")
        self.expect("src/new/a.cpp: its folder has no row in CONTRIBUTING.md")

    def test_this_repository(self):
        result = check(REPOSITORY)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
