# SPDX-License-Identifier: BSD-3-Clause
# Shared by the install tests.

# run(<what> <command>...): fails the test, with all output, if the command fails.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

# check_output(<what> <expected> <command>...): fails the test where the command fails, or prints something else.
function(check_output what expected)
  run("running ${what}" ${ARGN})
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${what} ended with:\n${output}")
  endif()
endfunction()

# compile_with_pkg_config(<language> <package> <folder of its file> <command>...): a program without CMake, by its own compiler alone.
function(compile_with_pkg_config language package folder)
  find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
  set(ENV{PKG_CONFIG_PATH} ${folder}:$ENV{PKG_CONFIG_PATH})
  run("asking pkg-config for ${language}" ${pkg_config} --cflags --libs ${package})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("compiling ${language} with pkg-config's flags" ${ARGN} ${flags})
endfunction()
function(compile_c_with_pkg_config folder)
  compile_with_pkg_config(C halocline-c ${folder} ${CC} -std=c11 -Wall -Wextra -pedantic -Werror ${SOURCE}/examples/hello_halo.c
                          -o ${WORK}/c_with_pkg_config)
endfunction()
function(compile_fortran_with_pkg_config folder)
  compile_with_pkg_config(Fortran halocline-fortran ${folder} ${FC} ${SOURCE}/examples/hello_halo.f90 -o ${WORK}/fortran_with_pkg_config)
endfunction()

# build_as_the_guide(<language> <file of the guide's lines> <files>...): a program with MPI, by the lines for CMake of the guide's page.
function(build_as_the_guide language file)
  file(READ ${SOURCE}/docs/guide/18-c-and-fortran.md page)
  if(NOT page MATCHES "```cmake\n(project\\(my_program LANGUAGES ${language} [^`]*)```")
    message(FATAL_ERROR "the guide has no lines for ${language}")
  endif()
  list(JOIN ARGN " " files)
  string(REPLACE "${file}" "${files}" lines "${CMAKE_MATCH_1}")
  file(WRITE ${WORK}/guide_${language}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\n${lines}")
  run("configuring with the guide's lines for ${language}" ${CMAKE_COMMAND} -S ${WORK}/guide_${language} -B ${WORK}/guide_${language}/build
      -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${CC} -DCMAKE_PREFIX_PATH=${WORK}/prefix ${kernels})
  run("building with the guide's lines for ${language}" ${CMAKE_COMMAND} --build ${WORK}/guide_${language}/build)
endfunction()

# With CUDA, the consumer has a program with kernels: the unchanged example.
set(kernels "")
if(CUDA)
  set(kernels -DHELLO_GPU=${SOURCE}/examples/hello_gpu.cu -DCMAKE_CUDA_COMPILER=${CUDACXX} -DCMAKE_CUDA_HOST_COMPILER=${CXX}
      "-DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES}")
endif()

# The same for compilers of C and Fortran.
if(CC)
  list(APPEND kernels -DHELLO_C=${SOURCE}/examples/hello_halo.c -DCMAKE_C_COMPILER=${CC})
endif()
if(FC)
  list(APPEND kernels -DHELLO_FORTRAN=${SOURCE}/examples/hello_halo.f90 -DCMAKE_Fortran_COMPILER=${FC})
endif()

# Installs this build into a fresh folder, and moves that folder.
function(install_and_move)
  file(REMOVE_RECURSE ${WORK}/first ${WORK}/prefix ${WORK}/build)
  run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
  file(RENAME ${WORK}/first ${WORK}/prefix)
endfunction()

# configure_with_package(<cmake>): configures the consumer, with find_package(halocline).
function(configure_with_package cmake)
  run("configuring the consumer" ${cmake} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix ${kernels})
  if(NOT output MATCHES "halocline's headers: ${WORK}/prefix/include")
    message(FATAL_ERROR "another halocline than the installed one was found:\n${output}")
  endif()
endfunction()

# Builds the consumer that was configured in WORK/build, and runs it alone, without any launcher.
function(build_and_run)
  run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)
  execute_process(COMMAND ${WORK}/build/consumer RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR NOT output MATCHES "2 subdomains, 432 cells, 0 wrong")
    message(FATAL_ERROR "the consumer ended with ${status} and said:\n${output}")
  endif()
  message(STATUS "the consumer said: ${output}")
  if(CC)
    check_output("the program in C" "262144 cells, 0 wrong" ${WORK}/build/hello_c)
  endif()
  if(FC)
    check_output("the program in Fortran" "heat: 1000.000" ${WORK}/build/hello_fortran)
  endif()
  # Not run, because there may be no GPU.
  if(CUDA AND NOT EXISTS ${WORK}/build/hello_gpu)
    message(FATAL_ERROR "the consumer has no hello_gpu")
  endif()
  if(MPI AND NOT EXISTS ${WORK}/build/consumer_mpi)
    message(FATAL_ERROR "halocline has MPI, but offers no halocline::comm_mpi")
  endif()
endfunction()
