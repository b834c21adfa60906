# Run by ctest: install, configure the consumer against the installed package, build it, run it, and
# the examples likewise.
function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "exit code ${code} from: ${command}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
step(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
     -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_PREFIX_PATH=${prefix})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer ${SOURCE_DIR}/slab.toml)

# The installed examples, as a user builds them.
file(GLOB_RECURSE examples ${prefix}/CMakeLists.txt)
list(LENGTH examples num_examples)
if(num_examples EQUAL 0)
  message(FATAL_ERROR "no example was installed")
endif()
foreach(file IN LISTS examples)
  cmake_path(GET file PARENT_PATH source)
  cmake_path(GET source FILENAME name)
  if(name MATCHES "^petsc" AND NOT HAS_PETSC)
    continue()
  endif()
  step(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/${name} -G ${GENERATOR}
       -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
       -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_PREFIX_PATH=${prefix})
  step(${CMAKE_COMMAND} --build ${WORK_DIR}/${name})
  step(${CMAKE_COMMAND} -E chdir ${source} ${WORK_DIR}/${name}/${name})
endforeach()

# The consumer by pkg-config, from wherever the prefix was moved to.
file(RENAME ${prefix} ${WORK_DIR}/moved)
file(GLOB_RECURSE package ${WORK_DIR}/moved/weft.pc)
cmake_path(GET package PARENT_PATH folder)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} pkg-config --cflags --libs weft
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags} ${CXX_FLAGS}")
step(${CXX_COMPILER} -std=c++20 ${SOURCE_DIR}/main.cpp ${flags} -Wl,-rpath,${folder}/.. -o
     ${WORK_DIR}/build/by_pkg_config)
step(${WORK_DIR}/build/by_pkg_config ${SOURCE_DIR}/slab.toml)
