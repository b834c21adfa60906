# Run by CPack once the files are staged: the documents under the names and in the form that Debian
# wants them, and a manual page of what the program says of itself.
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
                        --output ${manual} ${usr}/bin/weft
                COMMAND_ERROR_IS_FATAL ANY)
# Without names and times, so that equal texts give equal files.
execute_process(COMMAND gzip -9n ${documents}/changelog ${documents}/changelog.Debian ${manual}
                COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
file(COPY_FILE ${CPACK_WEFT_LINTIAN_OVERRIDES} ${usr}/share/lintian/overrides/weft)
