# hypre and MPI, for the module alone: nothing else is linked with them, and where they are not
# found the module is left out. scripts/packages lists them in the group hypre.
option(WEFT_HYPRE "Build the module of hypre where hypre and MPI are found" ON)
if(NOT WEFT_HYPRE)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
find_path(HYPRE_INCLUDE_DIR HYPRE.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY HYPRE)
if(MPI_C_FOUND AND HYPRE_INCLUDE_DIR AND HYPRE_LIBRARY)
  add_library(weft_hypre_dependencies INTERFACE)
  target_include_directories(weft_hypre_dependencies SYSTEM INTERFACE ${HYPRE_INCLUDE_DIR})
  # Of MPI only the C functions are used.
  target_compile_definitions(weft_hypre_dependencies INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(weft_hypre_dependencies INTERFACE ${HYPRE_LIBRARY} MPI::MPI_C)
else()
  message(STATUS "hypre or MPI was not found: building without the preconditioner hypre")
endif()
