# SPDX-License-Identifier: BSD-3-Clause
# Builds the consumer with Halocline as a subproject (add_subdirectory, which is what FetchContent does), as one shared library;
# then installs that library into a folder of several parts, as Debian has, and builds the consumer with pkg-config.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

# The build folder is kept, so that unchanged files are not recompiled. Not optimised: to compile takes longer than to run.
file(REMOVE ${WORK}/build/CMakeCache.txt)
run("configuring the consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHALOCLINE_SOURCE=${SOURCE} -DBUILD_SHARED_LIBS=ON
    -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu
    -DHALOCLINE_MPI=${MPI} -DHALOCLINE_HWLOC=${HWLOC} -DHALOCLINE_CUDA=${CUDA}
    ${kernels})
foreach(package IN ITEMS GTest CLI11)
  if(output MATCHES "${package}")
    message(FATAL_ERROR "as a subproject, halocline looks for ${package}:\n${output}")
  endif()
endforeach()
build_and_run()

# With DESTDIR, as packagers install.
file(REMOVE_RECURSE ${WORK}/stage)
set(ENV{DESTDIR} ${WORK}/stage)
run("installing the shared library" ${CMAKE_COMMAND} --install ${WORK}/build/halocline --prefix /opt/halocline)
unset(ENV{DESTDIR})
set(prefix ${WORK}/stage/opt/halocline)
file(GLOB_RECURSE archives ${prefix}/*.a)
file(GLOB_RECURSE pc ${prefix}/*/halocline.pc)
file(GLOB_RECURSE shared ${prefix}/*/libhalocline.so.0.1)
if(archives OR NOT pc OR NOT shared)
  message(FATAL_ERROR "installed are archives '${archives}', pkg-config's '${pc}' and the library '${shared}'; wanted are none, one and one")
endif()

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(FATAL_ERROR "there is no pkg-config")
endif()
get_filename_component(folder ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${folder})
run("asking pkg-config" ${pkg_config} --cflags --libs halocline)
separate_arguments(flags UNIX_COMMAND "${output}")
run("compiling with pkg-config's flags" ${CXX} ${CONSUMER}/main.cpp -o ${WORK}/with_pkg_config ${flags})
get_filename_component(folder ${shared} DIRECTORY)
run("running that program" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK}/with_pkg_config)
if(NOT output MATCHES "2 subdomains, 432 cells, 0 wrong")
  message(FATAL_ERROR "the program ended with:\n${output}")
endif()

if(CC)
  get_filename_component(pc ${pc} DIRECTORY)
  compile_c_with_pkg_config(${pc})
  check_output("the program in C" "262144 cells, 0 wrong" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK}/c_with_pkg_config)
  if(FC)
    compile_fortran_with_pkg_config(${pc})
    check_output("the program in Fortran" "heat: 1000.000" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${WORK}/fortran_with_pkg_config)
  endif()
endif()

# The library exports names of the installed headers only.
find_program(nm nm REQUIRED)
run("listing the library's symbols" ${nm} -DC --defined-only ${shared})
string(REGEX MATCHALL "[^\n]*halocline::[^\n]*" symbols "${output}")
list(LENGTH symbols count)
if(count LESS 50)
  message(FATAL_ERROR "the library shows only ${count} names of halocline")
endif()
foreach(hidden IN ITEMS "halocline::exchange::Exchange::" "halocline::device::HostBackend" "halocline::routing::choose(" "halocline::make_plan")
  string(FIND "${output}" "${hidden}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "the library shows ${hidden}")
  endif()
endforeach()
message(STATUS "the library shows ${count} names")
