# MPI, for the module alone: nothing else is linked with it, and where it is not found the module is
# left out. scripts/packages lists it in the group mpi.
option(WEFT_MPI "Build the module of MPI where MPI is found" ON)
if(NOT WEFT_MPI)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(MPI_C_FOUND)
  add_library(weft_mpi_dependencies INTERFACE)
  # Of MPI only the C functions are used.
  target_compile_definitions(weft_mpi_dependencies INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(weft_mpi_dependencies INTERFACE MPI::MPI_C)
else()
  message(STATUS "MPI was not found: building for one process alone")
endif()
