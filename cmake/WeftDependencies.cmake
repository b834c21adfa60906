# Every library comes from Debian's packages; scripts/quickstart installs them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
# Debian's serial HDF5 has a name of its own, beside that for MPI; elsewhere CMake finds it.
pkg_check_modules(HDF5 IMPORTED_TARGET hdf5-serial)
if(NOT HDF5_FOUND)
  find_package(HDF5 REQUIRED COMPONENTS C)
  add_library(PkgConfig::HDF5 ALIAS hdf5::hdf5)
endif()
find_package(OpenCL REQUIRED)
# METIS comes without a file of its own for CMake or pkg-config.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)

add_library(weft_dependencies INTERFACE)
target_link_libraries(
  weft_dependencies
  INTERFACE Threads::Threads fmt::fmt spdlog::spdlog Eigen3::Eigen nlohmann_json::nlohmann_json
            CLI11::CLI11 PkgConfig::TOMLPLUSPLUS PkgConfig::XXHASH SQLite::SQLite3 ZLIB::ZLIB PkgConfig::HDF5
            OpenCL::OpenCL ${METIS_LIBRARY}
            ${CMAKE_DL_LIBS})
target_include_directories(weft_dependencies SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_compile_definitions(weft_dependencies INTERFACE CL_TARGET_OPENCL_VERSION=300
                                                       TOML_ENABLE_WINDOWS_COMPAT=0)
