# Run by CPack once the files are staged: the documents under the names and in the form that Debian
# wants them; a manual page and completions for shells, of what the program says of itself.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
set(documents ${usr}/share/doc/weft)
set(manual ${usr}/share/man/man1/weft.1)
file(RENAME ${documents}/LICENSE ${documents}/copyright)
file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
file(COPY_FILE ${CPACK_WEFT_DEBIAN_CHANGELOG} ${documents}/changelog.Debian)
file(MAKE_DIRECTORY ${usr}/share/man/man1)
execute_process(COMMAND help2man --no-info --name ${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
                        --version-string ${CPACK_PACKAGE_VERSION} --output ${manual} ${usr}/bin/weft
                COMMAND_ERROR_IS_FATAL ANY)
foreach(completion bash:bash-completion/completions/weft fish:fish/vendor_completions.d/weft.fish)
  string(REPLACE ":" ";" completion ${completion})
  list(POP_FRONT completion shell file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${usr}/share/${folder})
  execute_process(COMMAND ${usr}/bin/weft completion ${shell} OUTPUT_FILE ${usr}/share/${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Without names and times, so that equal texts give equal files.
execute_process(COMMAND gzip -9n ${documents}/changelog ${documents}/changelog.Debian ${manual}
                COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
file(COPY_FILE ${CPACK_WEFT_LINTIAN_OVERRIDES} ${usr}/share/lintian/overrides/weft)
