"""Conan recipe: `conan create .` builds and packs the client, and `test_package` builds a bot with it."""

from pathlib import Path
from typing import ClassVar

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class RefereeClientConan(ConanFile):
    name = "referee-client"
    description = "Client for bots that play on Referee, a match referee"
    license = "Apache-2.0"
    topics = ("games", "bots", "grpc")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options: ClassVar = {"shared": [True, False], "fPIC": [True, False]}
    default_options: ClassVar = {"shared": False, "fPIC": True}
    implements: ClassVar = ["auto_shared_fpic"]
    generators = "CMakeDeps"

    def set_version(self):
        text = load(self, Path(self.recipe_folder) / "CMakeLists.txt")
        self.version = text.split("project(referee_client VERSION ")[1].split()[0]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "cmake/*", "examples/*", "include/*", "src/*", "proto/*"):
            copy(self, pattern, self.recipe_folder, self.export_sources_folder)
        # In a checkout, the contract is outside of the folder of the client.
        contract = Path(self.recipe_folder).parents[1] / "proto"
        copy(self, "*.proto", contract, Path(self.export_sources_folder) / "proto")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("grpc/[>=1.51 <2]")
        self.requires("protobuf/[>=3.21]")
        self.requires("openssl/[>=3 <4]")

    def build_requirements(self):
        self.tool_requires("grpc/<host_version>")
        self.tool_requires("protobuf/<host_version>")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BUILD_TESTING"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # CMake projects use the package's own configuration, which provides referee::client.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [str(Path("lib") / "cmake" / "referee")]
        self.cpp_info.libs = ["referee_client"]
