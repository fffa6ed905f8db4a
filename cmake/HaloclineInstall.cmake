# Installs the libraries, the headers, the tool, and what find_package(halocline) reads.
include(CMakePackageConfigHelpers)

set(halocline_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/halocline)
get_property(halocline_stages GLOBAL PROPERTY HALOCLINE_STAGES)

install(TARGETS ${halocline_stages} halocline EXPORT halocline_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT halocline_targets NAMESPACE halocline:: FILE halocline-targets.cmake
        DESTINATION ${halocline_config_folder})

set(halocline_header_patterns PATTERN *.hpp)
if(NOT HALOCLINE_HAVE_MPI)
  list(APPEND halocline_header_patterns PATTERN comm/mpi.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/halocline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING ${halocline_header_patterns})
if(TARGET halocline_cli)
  install(TARGETS halocline_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/halocline FILES_MATCHING PATTERN *.json)
endif()
if(TARGET halocline_simgrid)
  install(TARGETS halocline_simgrid RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/halocline)
endif()
if(TARGET halocline_profile)
  install(TARGETS halocline_profile LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The libraries are static, so that what they were built with is needed again where a program is linked.
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/halocline-config.cmake.in
  ${PROJECT_BINARY_DIR}/halocline-config.cmake INSTALL_DESTINATION ${halocline_config_folder})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halocline-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halocline-config.cmake ${PROJECT_BINARY_DIR}/halocline-config-version.cmake
        DESTINATION ${halocline_config_folder})
