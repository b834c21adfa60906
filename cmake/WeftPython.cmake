# The Python package in the build folder, for the tests, which are left out where there is nothing to
# build it with. `scripts/install_tool python` fetches that for `python3`; python/ says how the package is
# installed, which needs nothing of this.
set(WEFT_PYTHON_TOOLS ${PROJECT_BINARY_DIR}/python)
set(WEFT_PYTHON_FOUND OFF)
if(WEFT_PYTHON AND NOT WEFT_SANITIZE AND NOT WEFT_THREAD_SANITIZE)
  find_program(WEFT_PYTHON_INTERPRETER python3 REQUIRED)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env "PYTHONPATH=${WEFT_PYTHON_TOOLS}:$ENV{PYTHONPATH}"
                          ${WEFT_PYTHON_INTERPRETER} -c "import nanobind, numpy, scipy"
                  RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(code EQUAL 0)
    set(WEFT_PYTHON_FOUND ON)
    set(Python_EXECUTABLE ${WEFT_PYTHON_INTERPRETER})
    add_subdirectory(python weft_python)
  else()
    message(STATUS "nanobind, numpy or scipy was not found: leaving out the Python package "
                   "(scripts/install_tool python)")
  endif()
endif()

# Sets `result` to an interpreter that has a module which is not among the tools, with a NumPy of its
# own, and for which the package's extension module is built, too; to nothing where there is none.
function(weft_python_with module result)
  set(${result} "" PARENT_SCOPE)
  if(NOT WEFT_PYTHON_FOUND)
    return()
  endif()
  set(print_abi "import sysconfig; print(sysconfig.get_config_var('SOABI'))")
  execute_process(COMMAND ${WEFT_PYTHON_INTERPRETER} -c "${print_abi}" OUTPUT_VARIABLE built_for COMMAND_ERROR_IS_FATAL ANY)
  foreach(interpreter IN ITEMS ${WEFT_PYTHON_INTERPRETER} /usr/bin/python3)
    execute_process(COMMAND ${interpreter} -c "import numpy, ${module}; ${print_abi}"
                    OUTPUT_VARIABLE found RESULT_VARIABLE code ERROR_QUIET)
    if(code EQUAL 0 AND found STREQUAL built_for)
      set(${result} ${interpreter} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
