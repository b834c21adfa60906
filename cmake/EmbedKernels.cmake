# The text files under kernels/, physics/ and cases/, and some of src/, go into the binary: a
# generated .cpp holds each as a raw string, and src/base/embedded.h hands them out. The script part
# below runs at build time, so that changing a kernel rebuilds one file.

if(CMAKE_SCRIPT_MODE_FILE)
  # cmake -D OUTPUT=... -D ROOT=... -D LIST=... -P EmbedKernels.cmake
  file(STRINGS ${LIST} paths)
  set(entries "")
  foreach(path IN LISTS paths)
    file(READ ${ROOT}/${path} text)
    string(APPEND entries "    {\"${path}\", R\"weft_text(${text})weft_text\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"base/embedded_files.h\"\n\n"
       "namespace weft {\n\n"
       "const std::vector<EmbeddedFile> &embedded_files() {\n"
       "  static const std::vector<EmbeddedFile> files = {\n${entries}  };\n"
       "  return files;\n}\n\n} // namespace weft\n")
  return()
endif()

# Adds the generated source to `target`.
function(weft_embed_texts target)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/kernels/* ${PROJECT_SOURCE_DIR}/physics/*
       ${PROJECT_SOURCE_DIR}/src/*.html ${PROJECT_SOURCE_DIR}/src/*.css ${PROJECT_SOURCE_DIR}/src/*.js)
  list(FILTER paths EXCLUDE REGEX "\\.md$|/\\.")
  file(GLOB cases CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/cases/*/*.toml ${PROJECT_SOURCE_DIR}/cases/*/*.geo
       ${PROJECT_SOURCE_DIR}/cases/*/*.step)
  list(APPEND paths ${cases} cases/README.md src/cli/begin/new_case.toml src/device/opencl/pocl_builtins.cl)
  list(SORT paths)
  set(list_file ${PROJECT_BINARY_DIR}/embedded/files.txt)
  list(JOIN paths "\n" lines)
  file(CONFIGURE OUTPUT ${list_file} CONTENT "${lines}\n")
  set(output ${PROJECT_BINARY_DIR}/embedded/embedded_files.cpp)
  list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE dependencies)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D ROOT=${PROJECT_SOURCE_DIR} -D LIST=${list_file} -P
            ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${dependencies} ${list_file} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding kernels/, physics/, cases/ and pages"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
