# SPDX-License-Identifier: BSD-3-Clause
# Installs the libraries, the headers, the tool, and the CMake package. Each file belongs to one component, and so to one package
# (HaloclinePackages.cmake):
#   runtime       shared libraries, which programs need to run
#   development   headers, archives, and files for CMake, pkg-config and Fortran
#   tool          the command-line tool, and what it loads
#   python        the Python package
include(CMakePackageConfigHelpers)

set(halocline_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/halocline)
get_property(halocline_stages GLOBAL PROPERTY HALOCLINE_STAGES)

if(BUILD_SHARED_LIBS)
  set(halocline_stages "")
  if(HALOCLINE_HAVE_MPI)
    set(halocline_stages halocline_comm_mpi)
  endif()
endif()
get_property(halocline_bindings GLOBAL PROPERTY HALOCLINE_BINDINGS)
install(TARGETS ${halocline_stages} ${halocline_bindings} halocline EXPORT halocline_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(EXPORT halocline_targets NAMESPACE halocline:: FILE halocline-targets.cmake
        DESTINATION ${halocline_config_folder} COMPONENT development)

set(halocline_header_patterns PATTERN *.hpp)
if(NOT HALOCLINE_HAVE_MPI)
  list(APPEND halocline_header_patterns PATTERN mpi.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/halocline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING ${halocline_header_patterns})
if(TARGET halocline_cli)
  install(TARGETS halocline_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/halocline COMPONENT tool FILES_MATCHING PATTERN *.json)
endif()
if(TARGET halocline_profile)
  install(TARGETS halocline_profile LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline COMPONENT tool)
endif()
include(HaloclineBill)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_BINARY_DIR}/halocline.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

# For builds without CMake: halocline.pc for C++, halocline-c.pc for C, halocline-fortran.pc for Fortran, whose compilers and linkers take
# other flags. They name folders by the way from their own, so that an installation can be moved.
file(RELATIVE_PATH halocline_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH halocline_pc_includedir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(BUILD_SHARED_LIBS)
  set(halocline_pc_libraries -lhalocline)
  set(halocline_pc_requires "")
else()
  # Archives precede the archives that they depend on.
  list(REVERSE halocline_stages)
  list(FILTER halocline_stages EXCLUDE REGEX "^halocline_comm_mpi$")
  list(TRANSFORM halocline_stages PREPEND -l OUTPUT_VARIABLE halocline_pc_libraries)
  set(halocline_pc_requires fmt)
  if(HALOCLINE_HAVE_HWLOC)
    list(APPEND halocline_pc_requires hwloc)
  endif()
  if(HALOCLINE_HAVE_MPI)
    list(APPEND halocline_pc_libraries ${MPI_CXX_LIBRARIES})
  endif()
  if(HALOCLINE_HAVE_CUDA)
    get_target_property(halocline_cudart CUDA::cudart_static IMPORTED_LOCATION)
    list(APPEND halocline_pc_libraries ${halocline_cudart} -lrt)
  endif()
  list(APPEND halocline_pc_libraries -pthread ${CMAKE_DL_LIBS})
endif()
list(TRANSFORM halocline_pc_libraries REPLACE "^dl$" "-ldl")
list(JOIN halocline_pc_libraries " " halocline_pc_libraries)
list(JOIN halocline_pc_requires ", " halocline_pc_requires)
set(halocline_pc_name halocline)
set(halocline_pc_flags -std=c++20)
configure_file(${PROJECT_SOURCE_DIR}/cmake/halocline.pc.in ${PROJECT_BINARY_DIR}/halocline.pc @ONLY)
set(halocline_pc_name halocline-c)
set(halocline_pc_flags "")
if(NOT BUILD_SHARED_LIBS)
  set(halocline_pc_libraries "-lhalocline_c ${halocline_pc_libraries} -lstdc++ -lm")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/halocline.pc.in ${PROJECT_BINARY_DIR}/halocline-c.pc @ONLY)
set(halocline_pc_files ${PROJECT_BINARY_DIR}/halocline.pc ${PROJECT_BINARY_DIR}/halocline-c.pc)
if(HALOCLINE_HAVE_FORTRAN)
  set(halocline_pc_name halocline-fortran)
  set(halocline_pc_flags "-I\${includedir}/halocline_fortran")
  string(PREPEND halocline_pc_libraries "-lhalocline_fortran ")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/halocline.pc.in ${PROJECT_BINARY_DIR}/halocline-fortran.pc @ONLY)
  list(APPEND halocline_pc_files ${PROJECT_BINARY_DIR}/halocline-fortran.pc)
endif()
install(FILES ${halocline_pc_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Programs must link the dependencies of static libraries again.
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/halocline-config.cmake.in
  ${PROJECT_BINARY_DIR}/halocline-config.cmake INSTALL_DESTINATION ${halocline_config_folder})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halocline-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halocline-config.cmake ${PROJECT_BINARY_DIR}/halocline-config-version.cmake
        DESTINATION ${halocline_config_folder} COMPONENT development)
