# Run after a test program is built: writes one add_test() for each of its GoogleTest suites, whose
# tests run in one process. Most tests take less time than to start a process with a driver in it.
#   cmake -D PROGRAM=... -D PREFIX=... -D PROPERTIES=... -D FILE=... -P add_test_suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listing
                COMMAND_ERROR_IS_FATAL ANY)
# A suite stands at the beginning of its line, as "Suite." or "Name/Suite.  # TypeParam = ...".
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." lines "${listing}")
if(NOT lines)
  message(FATAL_ERROR "${PROGRAM} lists no tests")
endif()
set(text "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "[\n.]" "" suite "${line}")
  string(APPEND text "add_test([=[${PREFIX}${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n")
  if(PROPERTIES)
    string(APPEND text "set_tests_properties([=[${PREFIX}${suite}]=] PROPERTIES")
    foreach(word IN LISTS PROPERTIES)
      string(APPEND text " [=[${word}]=]")
    endforeach()
    string(APPEND text ")\n")
  endif()
endforeach()
file(WRITE ${FILE} "${text}")
