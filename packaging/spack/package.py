# SPDX-License-Identifier: BSD-3-Clause
# A recipe for Spack. Parsed by a test; neither Spack nor its style check has run it. In a clone:
#   spack repo create halocline-repo && mkdir -p halocline-repo/packages/halocline && cp packaging/spack/package.py halocline-repo/packages/halocline
#   spack repo add halocline-repo && spack dev-build halocline@main
from spack.package import *


class Halocline(CMakePackage, CudaPackage):
    """Halo exchange of distributed 3-D stencil codes, on GPUs and CPUs: a library for C++, C, Fortran and Python, and a tool."""

    # dev-build takes the sources of the clone; a fork that publishes versions sets its own address.
    git = "https://halocline.invalid/halocline.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="One shared library instead of an archive a stage")
    variant("mpi", default=True, description="Ranks as MPI processes")
    variant("hwloc", default=True, description="Discovery of the machine by hwloc")
    variant("apps", default=True, description="The applications and the command-line tool")
    variant("scotch", default=False, description="Mapping by Scotch")
    variant("ucx", default=False, description="Messages of net by UCX")
    variant("nccl", default=False, description="Messages by NCCL")
    variant("xxhash", default=True, description="Checkpoints")
    variant("fortran", default=False, description="The Fortran module")
    variant("python", default=False, description="The Python package")

    depends_on("cxx", type="build")
    depends_on("c", type="build", when="+apps")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@8:")
    depends_on("nlohmann-json@3:")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("cli11", when="+apps")
    depends_on("libpng", when="+apps")
    depends_on("scotch", when="+scotch")
    depends_on("ucx@1.10:", when="+ucx")
    depends_on("nccl@2.19:", when="+nccl")
    depends_on("xxhash@0.8:", when="+xxhash")
    depends_on("cuda@12.5:", when="+cuda")
    extends("python@3.11:", when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    depends_on("py-numpy@1.24:", type=("build", "run"), when="+python")
    depends_on("py-mpi4py@4:", type="run", when="+python+mpi")

    conflicts("%gcc@:10", msg="Halocline is C++20")
    conflicts("~cuda", when="+nccl", msg="NCCL moves messages of GPUs")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs to compile for: cuda_arch=90, for example")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HALOCLINE_BUILD_APPS", "apps"),
            self.define_from_variant("HALOCLINE_MPI", "mpi"),
            self.define_from_variant("HALOCLINE_HWLOC", "hwloc"),
            self.define_from_variant("HALOCLINE_PNG", "apps"),
            self.define_from_variant("HALOCLINE_SCOTCH", "scotch"),
            self.define_from_variant("HALOCLINE_UCX", "ucx"),
            self.define_from_variant("HALOCLINE_NCCL", "nccl"),
            self.define_from_variant("HALOCLINE_XXHASH", "xxhash"),
            self.define_from_variant("HALOCLINE_FORTRAN", "fortran"),
            self.define_from_variant("HALOCLINE_PYTHON", "python"),
            self.define_from_variant("HALOCLINE_CUDA", "cuda"),
            self.define("HALOCLINE_JAX", False),
            self.define("HALOCLINE_BUILD_TESTS", False),
            self.define("HALOCLINE_BUILD_BENCH", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        if self.spec.satisfies("+python"):
            args.append(self.define("HALOCLINE_PYTHON_FOLDER", python_platlib))
        return args
