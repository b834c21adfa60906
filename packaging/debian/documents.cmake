# Run by CPack once the files are staged: the documents under the names and in the form that Debian
# wants them.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
set(documents ${share}/doc/weft)
file(RENAME ${documents}/LICENSE ${documents}/copyright)
file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
file(COPY_FILE ${CPACK_WEFT_DEBIAN_CHANGELOG} ${documents}/changelog.Debian)
# Without names and times, so that equal texts give equal files.
execute_process(COMMAND gzip -9n ${documents}/changelog ${documents}/changelog.Debian
                COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${share}/lintian/overrides)
file(COPY_FILE ${CPACK_WEFT_LINTIAN_OVERRIDES} ${share}/lintian/overrides/weft)
