# cmake --install: libweft, its public headers, the program, the texts it comes with, and what
# another project finds it by: find_package(weft) with the target weft::weft, or pkg-config; then
# #include <weft/weft.h>.
include(CMakePackageConfigHelpers)

set(weft_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
file(RELATIVE_PATH weft_include_from_lib ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})

set_target_properties(weft PROPERTIES INSTALL_RPATH "$ORIGIN")
target_include_directories(weft INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS weft EXPORT weft_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY kernels physics cases DESTINATION ${CMAKE_INSTALL_DATADIR}/weft
        PATTERN out EXCLUDE PATTERN ".*" EXCLUDE)
install(FILES LICENSE SECURITY.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN decisions EXCLUDE PATTERN developer EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION ${weft_package_dir})

if(TARGET weft_program)
  set_target_properties(weft_program PROPERTIES INSTALL_RPATH "$ORIGIN/${weft_lib_from_bin}")
  install(TARGETS weft_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Where the library and the program look for modules.
foreach(module weft_mpi weft_hypre weft_mumps)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft)
  endif()
endforeach()

configure_package_config_file(cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${weft_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_file(cmake/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${weft_package_dir})
