# The commit that the program is built from, for the outputs of benchmarks: a generated header that
# src/base/version.cpp includes. It is looked at in every build and written where it has changed; a
# source tree that is no checkout of git has none. The script part runs at build time.

if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -D OUTPUT=... -D ROOT=... -P WeftCommit.cmake
  set(commit "")
  find_program(git git)
  if(git)
    set(ENV{GIT_OPTIONAL_LOCKS} 0) # leaves a commit that is being made alone
    # Not that of a repository which a mere copy of the sources lies in.
    execute_process(COMMAND ${git} -C ${ROOT} rev-parse --show-toplevel OUTPUT_VARIABLE top
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH "${ROOT}" root)
    if(top STREQUAL root)
      execute_process(COMMAND ${git} -C ${ROOT} describe --always --dirty --abbrev=12
                      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define WEFT_COMMIT \"${commit}\"\n")
  return()
endif()

# Gives the sources of `target` the header "base/commit.h".
function(weft_commit target)
  set(folder ${PROJECT_BINARY_DIR}/commit)
  set(make ${CMAKE_COMMAND} -D OUTPUT=${folder}/base/commit.h -D ROOT=${PROJECT_SOURCE_DIR} -P
           ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  execute_process(COMMAND ${make})
  add_custom_target(weft_commit COMMAND ${make} BYPRODUCTS ${folder}/base/commit.h VERBATIM)
  add_dependencies(${target} weft_commit)
  target_include_directories(${target} PRIVATE ${folder})
  # Alone, so that a commit compiles one small file anew.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/version.cpp
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
