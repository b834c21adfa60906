// The dialect in CUDA C++, as NVRTC compiles it: a work-group is a block, a lane one real.

// clang-format off
#if WEFT_LANES != 1
#error "the CUDA dialect has one lane: threads of a warp are its vector"
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;

#ifdef WEFT_REAL_F64
typedef double real;
#define WEFT_MATH(name) name
#else
typedef float real;
#define WEFT_MATH(name) name##f
#endif
typedef real lane;
typedef bool mask;

#define WEFT_KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define WEFT_FUNCTION static __device__ __forceinline__
#define WEFT_GLOBAL
#define WEFT_LOCAL
#define WEFT_PRIVATE
#define WEFT_TABLE
#ifdef WEFT_TABLES_IN_MEMORY // not in the 64 KiB of constant memory
#define WEFT_CONSTANT static __device__ const
#else
#define WEFT_CONSTANT __constant__
#endif
#define WEFT_RESTRICT __restrict__
#define WEFT_LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define WEFT_UNROLL _Pragma("unroll")
#define WEFT_UNROLL_ALL WEFT_UNROLL
#define WEFT_NO_UNROLL _Pragma("unroll 1")
#define WEFT_SCALAR_LOOP

#define weft_group_id() ((i32)blockIdx.x)
#define weft_local_id() ((i32)threadIdx.x)
#define weft_group_size() ((i32)blockDim.x)
#define weft_num_groups() ((i32)gridDim.x)
#define weft_barrier() __syncthreads()
#define weft_step()

// Threads that go in step, and v of the one so many further in the warp. All of a warp call it.
#define WEFT_WARP 32
WEFT_FUNCTION real weft_shuffle_down(real v, i32 by) { return __shfl_down_sync(0xffffffffu, v, by); }

#define lane_get(v, i) (v)
#define lane_set(v, i, s) ((v) = (s))

WEFT_FUNCTION lane lane_splat(real s) { return s; }
WEFT_FUNCTION lane lane_load(const real *p) { return *p; }
WEFT_FUNCTION lane lane_load_local(const real *p) { return *p; }
WEFT_FUNCTION lane lane_load_private(const real *p) { return *p; }
WEFT_FUNCTION void lane_store(lane v, real *p) { *p = v; }
WEFT_FUNCTION void lane_store_local(lane v, real *p) { *p = v; }
WEFT_FUNCTION void lane_store_private(lane v, real *p) { *p = v; }
WEFT_FUNCTION void lane_transpose(lane *) {}
WEFT_FUNCTION void lane_store_stream(lane v, real *p) { __stcs(p, v); }

WEFT_FUNCTION lane lane_fma(lane a, lane b, lane c) { return WEFT_MATH(fma)(a, b, c); }

WEFT_FUNCTION lane lane_sqrt(lane a) { return WEFT_MATH(sqrt)(a); }
WEFT_FUNCTION lane lane_exp(lane a) { return WEFT_MATH(exp)(a); }
WEFT_FUNCTION lane lane_log(lane a) { return WEFT_MATH(log)(a); }
WEFT_FUNCTION lane lane_sin(lane a) { return WEFT_MATH(sin)(a); }
WEFT_FUNCTION lane lane_cos(lane a) { return WEFT_MATH(cos)(a); }
WEFT_FUNCTION lane lane_tan(lane a) { return WEFT_MATH(tan)(a); }
WEFT_FUNCTION lane lane_asin(lane a) { return WEFT_MATH(asin)(a); }
WEFT_FUNCTION lane lane_acos(lane a) { return WEFT_MATH(acos)(a); }
WEFT_FUNCTION lane lane_atan(lane a) { return WEFT_MATH(atan)(a); }
WEFT_FUNCTION lane lane_sinh(lane a) { return WEFT_MATH(sinh)(a); }
WEFT_FUNCTION lane lane_cosh(lane a) { return WEFT_MATH(cosh)(a); }
WEFT_FUNCTION lane lane_tanh(lane a) { return WEFT_MATH(tanh)(a); }
WEFT_FUNCTION lane lane_abs(lane a) { return WEFT_MATH(fabs)(a); }
WEFT_FUNCTION lane lane_floor(lane a) { return WEFT_MATH(floor)(a); }
WEFT_FUNCTION lane lane_pow(lane a, lane b) { return WEFT_MATH(pow)(a, b); }
WEFT_FUNCTION lane lane_atan2(lane a, lane b) { return WEFT_MATH(atan2)(a, b); }

WEFT_FUNCTION mask lane_lt(lane a, lane b) { return a < b; }
WEFT_FUNCTION mask lane_le(lane a, lane b) { return a <= b; }
WEFT_FUNCTION mask lane_gt(lane a, lane b) { return a > b; }
WEFT_FUNCTION mask lane_ge(lane a, lane b) { return a >= b; }
WEFT_FUNCTION mask lane_eq(lane a, lane b) { return a == b; }
WEFT_FUNCTION mask lane_ne(lane a, lane b) { return a != b; }
WEFT_FUNCTION mask mask_and(mask a, mask b) { return a && b; }
WEFT_FUNCTION mask mask_or(mask a, mask b) { return a || b; }
WEFT_FUNCTION mask mask_not(mask a) { return !a; }
WEFT_FUNCTION lane lane_select(mask m, lane a, lane b) { return m ? a : b; }

WEFT_FUNCTION lane lane_min(lane a, lane b) { return b < a ? b : a; }
WEFT_FUNCTION lane lane_max(lane a, lane b) { return a < b ? b : a; }
WEFT_FUNCTION lane lane_sign(lane a) { return (real)((a > 0) - (a < 0)); }

#define lane_gather4(base, index, out) lane_gather4_strided(base, 4, index, out)
#define lane_gather4_strided(base, stride, index, out)                                             \
  do {                                                                                             \
    const i64 weft_row = (stride) * (i64)(index)[0];                                               \
    WEFT_UNROLL for (i32 weft_k = 0; weft_k < 4; ++weft_k)                                         \
      (out)[weft_k] = (base)[weft_row + weft_k];                                                   \
  } while (0)
#define lane_scatter_add4(base, index, in) lane_scatter_add4_strided(base, 4, index, in)
#define lane_scatter_add4_strided(base, stride, index, in)                                                         \
  do {                                                                                             \
    const i64 weft_row = (stride) * (i64)(index)[0];                                                      \
    WEFT_UNROLL for (i32 weft_k = 0; weft_k < 4; ++weft_k)                                         \
      (base)[weft_row + weft_k] += (in)[weft_k];                                                   \
  } while (0)

// The real `bytes` bytes past `base`, a pointer to reals in that address space.
#define weft_real_at(space, base, bytes) (*(space real *)((space char *)(base) + (bytes)))
#define lane_gather(space, base, bytes, index, out)                                                \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, weft_real_at(space, base, (u32)(bytes) * (index)[weft_l]));            \
  } while (0)

#define weft_read_alone(pointer) (*(pointer))
#define weft_read_index_alone(pointer) (*(pointer))
#define lane_gather_alone(space, base, index, out) ((out) = (base)[(index)[0]])
#define weft_prefetch(pointer, bytes)
