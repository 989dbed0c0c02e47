"""Builds the Python package: CMake makes the extension and the program, setuptools the wheel.

CMANP_BUILD_DIR names a build folder to use, such as one that is there already; otherwise it is build-python/cmake.
"""

import os
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))


class BuildByCMake(build_ext):
    def run(self):
        folder = os.path.join(HERE, os.environ.get("CMANP_BUILD_DIR", "build-python/cmake"))
        options = ["-DCMANP_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", *self.pybind11()]
        if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
            options += ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMANP_TESTS=OFF", "-DCMANP_TRAINING=OFF"]
        jobs = str(os.cpu_count() or 1)
        target = os.path.join(HERE, "bindings", "python") if self.inplace else os.path.abspath(self.build_lib)
        cmake = os.environ.get("CMAKE", "cmake")
        for command in (
            [cmake, "-S", HERE, "-B", folder, *options],
            [cmake, "--build", folder, "-j", jobs, "--target", "cmanp_python", "cmanp_cli"],
            [cmake, "--install", folder, "--component", "python", "--prefix", target],
        ):
            subprocess.run(command, check=True)
        if not self.pybind11_stays():  # whoever builds on in the folder does without it
            subprocess.run([cmake, "-S", HERE, "-B", folder, "-DCMANP_PYTHON=OFF"], check=True)

    @staticmethod
    def pybind11():
        try:
            import pybind11
        except ImportError:  # CMake may know it where Python does not
            return []
        return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]

    @classmethod
    def pybind11_stays(cls):
        """Whether it is an environment's; pip's build isolation has one that is gone afterwards."""
        homes = tuple(os.path.join(prefix, "") for prefix in (sys.prefix, sys.base_prefix))
        return all(option.split("=", 1)[1].startswith(homes) for option in cls.pybind11())


def version():
    """The project's, out of the one place where it stands."""
    with open(os.path.join(HERE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(cmanp VERSION (\S+)", file.read(), re.MULTILINE).group(1)


os.makedirs(os.path.join(HERE, "build-python"), exist_ok=True)
setup(
    version=version(),
    ext_modules=[Extension("cmanp._cmanp", sources=[])],
    cmdclass={"build_ext": BuildByCMake},
    # build/ is CMake's.
    options={"build": {"build_base": "build-python"}, "egg_info": {"egg_base": "build-python"}},
)
