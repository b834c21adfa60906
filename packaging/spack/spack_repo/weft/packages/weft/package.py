from spack.package import depends_on, license, variant, version
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Weft(CMakePackage):
    """A solver of partial differential equations on unstructured meshes: equations are mathematics
    in a text file, compute kernels are generated at run time for the CPU or GPU at hand."""

    license("BSD-3-Clause")

    # Nothing to fetch: packaging/spack/spack.yaml builds the source tree that it lies in.
    version("0.1.0")

    variant("hypre", default=False, description="Build the module of hypre")
    variant("pocl", default=True, description="Bring PoCL, which makes the CPU a device")
    variant("gmsh", default=True, description="Bring Gmsh, which meshes geometry files")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@9:10")
    depends_on("spdlog@1.10:1.14")
    depends_on("eigen@3.4")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.3:")
    depends_on("tomlplusplus@3.4:")
    depends_on("xxhash@0.8:")
    depends_on("sqlite@3.40:")
    depends_on("zlib-api")
    depends_on("hdf5@1.10:1.14~mpi")
    depends_on("metis@5.1:")
    depends_on("ocl-icd@2.3:+headers")
    depends_on("hypre+mpi", when="+hypre")
    depends_on("mpi", when="+hypre")
    depends_on("pocl@3.1:+icd", type="run", when="+pocl")
    depends_on("gmsh@4.8:+opencascade", type="run", when="+gmsh")

    def cmake_args(self):
        return [
            self.define("WEFT_TESTS", False),
            self.define_from_variant("WEFT_HYPRE", "hypre"),
            # The module needs MUMPS without MPI under Debian's name of the library.
            self.define("WEFT_MUMPS", False),
        ]

    def setup_run_environment(self, env):
        # One folder only: the machine's own OpenCL drivers are found with ~pocl.
        if self.spec.satisfies("+pocl"):
            env.set("OCL_ICD_VENDORS", self.spec["pocl"].prefix.etc.OpenCL.vendors)
