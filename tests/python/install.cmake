# SPDX-License-Identifier: BSD-3-Clause
# pip install of this tree's source distribution in a new virtual environment, and the first exchange there.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
  set(result ${result} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${PYTHON} -m venv environment)
run(environment/bin/pip install --quiet --timeout 20 --retries 1 build)
if(NOT result EQUAL 0)
  message("python_install: skipped: PyPI cannot be reached: ${output}")
  return()
endif()
# Without CUDA: other builds compile the kernels. Not optimised: to compile takes longer than to run. As wheels.py does, which goes on with
# these objects.
set(ENV{CMAKE_ARGS} "-DHALOCLINE_CUDA=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O0")
run(environment/bin/python -m build --sdist --outdir dist ${SOURCE})
file(GLOB archive ${WORK}/dist/halocline-*.tar.gz)
if(NOT result EQUAL 0 OR archive STREQUAL "")
  message(FATAL_ERROR "the source distribution: ${output}")
endif()
# Unpacked here, so that a compiler cache finds the files of the last time.
file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${WORK})
file(GLOB unpacked ${WORK}/halocline-*)
run(environment/bin/pip install --quiet ${unpacked})
if(NOT result EQUAL 0)
  message(FATAL_ERROR "pip install failed: ${output}")
endif()
file(WRITE ${WORK}/first.py [[
import pathlib
import halocline
d = halocline.Domain((16, 16, 16), stencil=1, fields={"u": "float32"}, devices=2)
d["u"].set(3)
d.exchange()
assert all((block.array == 3).all() for block in d["u"].blocks)
files = pathlib.Path(halocline.__file__).parent
assert (files / "py.typed").exists() and (files / "_core.pyi").exists()
print(halocline.__version__, files)
]])
run(environment/bin/python first.py)
if(NOT result EQUAL 0 OR NOT output MATCHES "^[0-9.]+ ${WORK}/environment/")
  message(FATAL_ERROR "the installed package: ${output}")
endif()
message("installed: ${output}")
