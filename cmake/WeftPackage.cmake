# The Debian package: cmake --workflow --preset deb makes build-deb/weft_VERSION-1_ARCHITECTURE.deb.
# Debian's own folders for libraries need the prefix /usr when the build is configured, as the preset
# has it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "solver of partial differential equations on unstructured meshes")
set(CPACK_PACKAGE_DESCRIPTION
    "Weft takes equations written as mathematics in a text file and a mesh made
of real geometry. It generates the compute kernels at run time for the CPU or
GPU at hand, solves, and says how fast it was and what the machine allows.

This package holds the program, the library with its C++ headers, the modules
of MPI, hypre and MUMPS, kernels and physics files, and examples with the values
that they must reach.")
# Whoever publishes the package says -D CPACK_PACKAGE_CONTACT="Name <address>".
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "Weft contributors")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What the files are linked with comes from dpkg-shlibdeps, which reads of other packages what shlibs
# says of this one.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
     "libweft ${PROJECT_VERSION_MAJOR} weft (>= ${PROJECT_VERSION})\n")
# The cache of the dynamic linker is brought up to date.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs
                                       ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What only a run needs: the groups of scripts/packages without what is there to compile with. Any
# OpenCL driver does in PoCL's place.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/packages list run mpi direct hypre
                OUTPUT_VARIABLE recommends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" recommends "${recommends}")
list(FILTER recommends EXCLUDE REGEX "-dev$")
list(TRANSFORM recommends REPLACE "^pocl-opencl-icd$" "pocl-opencl-icd | opencl-icd")
list(JOIN recommends ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS paraview)

# Its date is that of the build, or SOURCE_DATE_EPOCH.
string(TIMESTAMP weft_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/documents.cmake)
set(CPACK_WEFT_DEBIAN_CHANGELOG ${PROJECT_BINARY_DIR}/debian/changelog)
set(CPACK_WEFT_LINTIAN_OVERRIDES ${PROJECT_SOURCE_DIR}/packaging/debian/lintian-overrides)
include(CPack)
