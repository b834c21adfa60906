# Run by ctest: packs the build into a Debian package, looks at what it holds and asks for, and runs
# the program from it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
# Packed quickly, not well.
execute_process(COMMAND ${CPACK} -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR}
                        -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package ${WORK_DIR}/weft_${VERSION}-1_*.deb)
if(NOT package)
  message(FATAL_ERROR "cpack made no weft_${VERSION}-1_ARCHITECTURE.deb in ${WORK_DIR}")
endif()

set(root ${WORK_DIR}/root)
execute_process(COMMAND dpkg-deb --extract ${package} ${root} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${root} ${root}/*)
set(expected
    bin/weft ${LIBRARY_DIR}/libweft.so ${LIBRARY_DIR}/libweft.so.${VERSION}
    ${LIBRARY_DIR}/cmake/weft/weft-config.cmake ${LIBRARY_DIR}/pkgconfig/weft.pc include/weft/weft.h
    share/weft/physics/heat.toml share/weft/kernels/dialect/opencl.h share/weft/cases/heat_sink/case.toml
    share/doc/weft/copyright share/doc/weft/changelog.gz share/doc/weft/changelog.Debian.gz
    share/man/man1/weft.1.gz share/bash-completion/completions/weft
    share/fish/vendor_completions.d/weft.fish
    share/doc/weft/CITATION.cff share/doc/weft/docs/install.md)
foreach(module IN LISTS MODULES)
  list(APPEND expected ${LIBRARY_DIR}/weft/lib${module}.so)
endforeach()
foreach(file IN LISTS expected)
  if(NOT usr/${file} IN_LIST files)
    message(SEND_ERROR "The package lacks /usr/${file}")
  endif()
endforeach()
foreach(file IN LISTS files)
  if(NOT file MATCHES "^usr/(bin|include/weft|${LIBRARY_DIR}|share/(weft|doc/weft|man|lintian|bash-completion|fish))/"
     OR file MATCHES "/\\.|/out/")
    message(SEND_ERROR "The package has what it should not have: /${file}")
  endif()
endforeach()

# What the program is linked with, and what a run needs beyond that.
foreach(needed Depends:libc6 Depends:ocl-icd-libopencl1 Recommends:pocl-opencl-icd Recommends:gmsh)
  string(REPLACE ":" ";" needed ${needed})
  list(POP_FRONT needed field name)
  execute_process(COMMAND dpkg-deb --field ${package} ${field} OUTPUT_VARIABLE names
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT " ${names}" MATCHES " ${name}[ ,\n]")
    message(SEND_ERROR "${name} is missing in ${field}: ${names}")
  endif()
endforeach()

# The program, found by PATH as when installed: it takes its modules from where the package has them,
# and never from the working folder.
set(folder ${WORK_DIR}/folder)
file(COPY ${CASE} DESTINATION ${folder})
file(MAKE_DIRECTORY ${folder}/weft)
file(TOUCH ${folder}/libweft_mumps.so ${folder}/weft/libweft_mumps.so)
cmake_path(GET CASE FILENAME case)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${root}/usr/bin:$ENV{PATH}
                        weft run ${case} --set "solver.method=\"direct\""
                WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)
if("weft_mumps" IN_LIST MODULES AND NOT report MATCHES "direct \\(MUMPS")
  message(FATAL_ERROR "The program of the package does not find the module of MUMPS:\n${report}")
endif()
