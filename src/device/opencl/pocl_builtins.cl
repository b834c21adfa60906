// The functions of OpenCL C that kernels use, declared. PoCL 3.1 reads 18,000 lines of declarations
// twice for each program (opencl-c.h of Clang), which takes it 0.25 s; with _OPENCL_H_ defined it
// reads none of them.

#define WEFT_BUILTIN __attribute__((overloadable, const))
#define WEFT_OF_VECTORS(declare, name, type)                                                       \
  declare(name, type, ) declare(name, type, 2) declare(name, type, 4) declare(name, type, 8)       \
      declare(name, type, 16)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WEFT_OF_REALS(declare, name)                                                               \
  WEFT_OF_VECTORS(declare, name, float) WEFT_OF_VECTORS(declare, name, double)
#else
#define WEFT_OF_REALS(declare, name) WEFT_OF_VECTORS(declare, name, float)
#endif

#define WEFT_OF_ONE(name, type, width) WEFT_BUILTIN type##width name(type##width);
#define WEFT_OF_TWO(name, type, width) WEFT_BUILTIN type##width name(type##width, type##width);
#define WEFT_OF_THREE(name, type, width)                                                           \
  WEFT_BUILTIN type##width name(type##width, type##width, type##width);
WEFT_OF_REALS(WEFT_OF_ONE, sqrt)
WEFT_OF_REALS(WEFT_OF_ONE, exp)
WEFT_OF_REALS(WEFT_OF_ONE, log)
WEFT_OF_REALS(WEFT_OF_ONE, sin)
WEFT_OF_REALS(WEFT_OF_ONE, cos)
WEFT_OF_REALS(WEFT_OF_ONE, tan)
WEFT_OF_REALS(WEFT_OF_ONE, asin)
WEFT_OF_REALS(WEFT_OF_ONE, acos)
WEFT_OF_REALS(WEFT_OF_ONE, atan)
WEFT_OF_REALS(WEFT_OF_ONE, sinh)
WEFT_OF_REALS(WEFT_OF_ONE, cosh)
WEFT_OF_REALS(WEFT_OF_ONE, tanh)
WEFT_OF_REALS(WEFT_OF_ONE, fabs)
WEFT_OF_REALS(WEFT_OF_ONE, floor)
WEFT_OF_REALS(WEFT_OF_TWO, pow)
WEFT_OF_REALS(WEFT_OF_TWO, atan2)
WEFT_OF_REALS(WEFT_OF_THREE, fma)

// Loads and stores of vectors, in all address spaces.
#define WEFT_LOADS(type, width, space)                                                             \
  type##width __attribute__((overloadable, pure)) vload##width(size_t, const space type *);
#define WEFT_STORES(type, width, space)                                                            \
  void __attribute__((overloadable)) vstore##width(type##width, size_t, space type *);
#define WEFT_IN_SPACES(type, width)                                                                \
  WEFT_LOADS(type, width, __global)                                                                \
  WEFT_LOADS(type, width, __local)                                                                 \
  WEFT_LOADS(type, width, __private)                                                               \
  WEFT_LOADS(type, width, __constant)                                                              \
  WEFT_STORES(type, width, __global)                                                               \
  WEFT_STORES(type, width, __local)                                                                \
  WEFT_STORES(type, width, __private)
#define WEFT_OF_WIDTHS(type) WEFT_IN_SPACES(type, 4) WEFT_IN_SPACES(type, 8) WEFT_IN_SPACES(type, 16)
WEFT_OF_WIDTHS(float)
#ifdef cl_khr_fp64
WEFT_OF_WIDTHS(double)
#endif
WEFT_OF_WIDTHS(int)
WEFT_OF_WIDTHS(ushort)

// Numbers of 16 bits, where the processor has no instruction for them.
#define WEFT_HALVES(width)                                                                         \
  float##width __attribute__((overloadable, pure)) vload_half##width(size_t,                       \
                                                                     const __private half *);      \
  void __attribute__((overloadable))                                                               \
  vstore_half##width##_rte(float##width, size_t, __private half *);
WEFT_HALVES()
WEFT_HALVES(4)
WEFT_HALVES(8)
WEFT_HALVES(16)

WEFT_BUILTIN size_t get_group_id(uint);
WEFT_BUILTIN size_t get_local_id(uint);
WEFT_BUILTIN size_t get_local_size(uint);
WEFT_BUILTIN size_t get_num_groups(uint);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
#line 1
