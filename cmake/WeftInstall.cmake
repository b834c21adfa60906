# cmake --install: libweft, its public header, the program, the texts it comes with, and the package
# by which another project finds it: find_package(weft), target weft::weft, #include <weft/weft.h>.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weft_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
file(RELATIVE_PATH weft_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set_target_properties(weft PROPERTIES INSTALL_RPATH "$ORIGIN")
target_include_directories(weft INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(weft INTERFACE cxx_std_20)

install(TARGETS weft EXPORT weft_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES src/app/weft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft)
install(DIRECTORY kernels physics cases DESTINATION ${CMAKE_INSTALL_DATADIR}/weft
        PATTERN out EXCLUDE)
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION ${weft_package_dir})

if(TARGET weft_program)
  set_target_properties(weft_program PROPERTIES INSTALL_RPATH "$ORIGIN/${weft_lib_from_bin}")
  install(TARGETS weft_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Where the library looks for its modules.
if(TARGET weft_hypre)
  install(TARGETS weft_hypre LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft)
endif()

configure_package_config_file(cmake/weft-config.cmake.in ${CMAKE_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${weft_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weft-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weft-config.cmake ${CMAKE_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${weft_package_dir})
