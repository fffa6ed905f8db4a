# SPDX-License-Identifier: BSD-3-Clause
# Installs this build into a fresh folder, moves that folder, and builds the consumer with find_package(halocline).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

install_and_move()

# The installation must not depend on its build folder.
file(GLOB_RECURSE texts ${WORK}/prefix/*.cmake ${WORK}/prefix/*.hpp ${WORK}/prefix/*.h ${WORK}/prefix/*.f90)
list(LENGTH texts count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} headers and CMake files were installed")
endif()
foreach(text IN LISTS texts)
  file(READ ${text} content)
  foreach(folder IN ITEMS ${SOURCE}/ ${BUILD}/ ${WORK}/first)
    string(FIND "${content}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${text} names ${folder}")
    endif()
  endforeach()
endforeach()
if(NOT MPI AND EXISTS ${WORK}/prefix/include/halocline/mpi.hpp)
  message(FATAL_ERROR "comm/mpi.hpp was installed without MPI")
endif()

configure_with_package(${CMAKE_COMMAND})
build_and_run()
if(CC)
  # A project of C alone cannot link archives of C++.
  file(WRITE ${WORK}/c_alone/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(c_alone LANGUAGES C)\nfind_package(halocline REQUIRED)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/c_alone -B ${WORK}/c_alone/build -DCMAKE_C_COMPILER=${CC} -DCMAKE_PREFIX_PATH=${WORK}/prefix
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0 OR NOT output MATCHES "LANGUAGES C CXX")
    message(FATAL_ERROR "find_package(halocline) in a project of C ended with ${status} and said:\n${output}")
  endif()
  file(GLOB_RECURSE pc ${WORK}/prefix/*/halocline-c.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  compile_c_with_pkg_config(${folder})
  check_output("the program in C" "262144 cells, 0 wrong" ${WORK}/c_with_pkg_config)
endif()
# The tool, if it was built, runs from the installation.
if(EXISTS ${BUILD}/bin/halocline)
  run("running the installed tool" ${WORK}/prefix/bin/halocline --version)
  run("finding machine maps from there" ${WORK}/prefix/bin/halocline partition --machine summit --nodes 2 --size 64)
  # In a full build the tool's texts are made, too.
  if(EXISTS ${BUILD}/cli/texts/made)
    foreach(file bash-completion/completions/halocline zsh/site-functions/_halocline fish/vendor_completions.d/halocline.fish man/man1/halocline.1
                 man/man1/halocline-run-jacobi3d.1)
      if(NOT EXISTS ${WORK}/prefix/share/${file})
        message(FATAL_ERROR "share/${file} is not installed")
      endif()
    endforeach()
  endif()
  if(MPI)
    run("finding the profiling library from there" ${WORK}/prefix/bin/halocline profile --output ${WORK}/profile.csv --
        ${SOURCE}/scripts/mpirun.sh -n 1 ${WORK}/prefix/bin/halocline exchange --backend host --size 16 --repeat 1)
  endif()
endif()
