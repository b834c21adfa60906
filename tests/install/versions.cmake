# Run by ctest: what names Weft's version beside CMakeLists.txt names the same one.
foreach(text "CITATION.cff|version: " "packaging/conda/recipe.yaml|version: "
             "packaging/spack/spack.yaml|weft@=" "python/pyproject.toml|version = \""
             "packaging/spack/spack_repo/weft/packages/weft/package.py|version(\"")
  string(REPLACE "|" ";" text "${text}")
  list(POP_FRONT text file before)
  file(READ ${SOURCE_DIR}/${file} content)
  string(FIND "${content}" "${before}${VERSION}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "${file} lacks the version ${VERSION} (after '${before}')")
  endif()
endforeach()
