// The dialect in OpenCL C 1.2. README.md lists the names; a lane is a vector type, so that a
// CPU device computes WEFT_LANES cells at once whatever the kernel's inner loops are.

// clang-format off
#ifdef WEFT_REAL_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT ON

typedef uchar u8;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;

#define WEFT_JOIN_TEXT(a, b) a##b
#define WEFT_JOIN(a, b) WEFT_JOIN_TEXT(a, b)

#ifdef WEFT_REAL_F64
#define WEFT_REAL_TYPE double
#define WEFT_MASK_TYPE long
#else
#define WEFT_REAL_TYPE float
#define WEFT_MASK_TYPE int
#endif

typedef WEFT_REAL_TYPE real;
typedef WEFT_JOIN(WEFT_REAL_TYPE, 4) weft_real4;
#if WEFT_LANES == 1
typedef real lane;
typedef int mask;
#else
typedef WEFT_JOIN(WEFT_REAL_TYPE, WEFT_LANES) lane;
typedef WEFT_JOIN(WEFT_MASK_TYPE, WEFT_LANES) mask;
#endif

#define WEFT_KERNEL(name, ...) __kernel void name(__VA_ARGS__)
#define WEFT_FUNCTION static inline __attribute__((always_inline))
#define WEFT_GLOBAL __global
#define WEFT_LOCAL __local
#define WEFT_PRIVATE __private
#define WEFT_CONSTANT __constant
#define WEFT_RESTRICT restrict
#define WEFT_LOCAL_ARRAY(type, name, count) __local type name[count]
#define WEFT_UNROLL _Pragma("unroll")
#define WEFT_NO_UNROLL _Pragma("nounroll")

#define weft_group_id() ((i32)get_group_id(0))
#define weft_local_id() ((i32)get_local_id(0))
#define weft_group_size() ((i32)get_local_size(0))
#define weft_num_groups() ((i32)get_num_groups(0))
#define weft_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#if WEFT_LANES == 1
#define lane_get(v, i) (v)
#define lane_set(v, i, s) ((v) = (s))
#elif defined(__clang__)
// Element access keeps the vector in a register, which a pointer to it may not.
#define lane_get(v, i) ((v)[i])
#define lane_set(v, i, s) ((v)[i] = (s))
#else
#define lane_get(v, i) (((const __private real *)&(v))[i])
#define lane_set(v, i, s) (((__private real *)&(v))[i] = (s))
#endif

WEFT_FUNCTION lane lane_splat(real s) { return (lane)(s); }

#if WEFT_LANES == 1
WEFT_FUNCTION lane lane_load(const __global real *p) { return *p; }
WEFT_FUNCTION lane lane_load_local(const __local real *p) { return *p; }
WEFT_FUNCTION lane lane_load_private(const __private real *p) { return *p; }
WEFT_FUNCTION void lane_store(lane v, __global real *p) { *p = v; }
WEFT_FUNCTION void lane_store_local(lane v, __local real *p) { *p = v; }
WEFT_FUNCTION void lane_store_private(lane v, __private real *p) { *p = v; }
WEFT_FUNCTION void lane_store_stream(lane v, __global real *p) { *p = v; }
#else
#define WEFT_VLOAD WEFT_JOIN(vload, WEFT_LANES)
#define WEFT_VSTORE WEFT_JOIN(vstore, WEFT_LANES)
WEFT_FUNCTION lane lane_load(const __global real *p) { return WEFT_VLOAD(0, p); }
WEFT_FUNCTION lane lane_load_local(const __local real *p) { return WEFT_VLOAD(0, p); }
WEFT_FUNCTION lane lane_load_private(const __private real *p) { return WEFT_VLOAD(0, p); }
WEFT_FUNCTION void lane_store(lane v, __global real *p) { WEFT_VSTORE(v, 0, p); }
WEFT_FUNCTION void lane_store_local(lane v, __local real *p) { WEFT_VSTORE(v, 0, p); }
WEFT_FUNCTION void lane_store_private(lane v, __private real *p) { WEFT_VSTORE(v, 0, p); }
#if defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
WEFT_FUNCTION void lane_store_stream(lane v, __global real *p) {
  __builtin_nontemporal_store(v, (__global lane *)p);
}
#else
WEFT_FUNCTION void lane_store_stream(lane v, __global real *p) { *(__global lane *)p = v; }
#endif
#endif

// FP_CONTRACT makes this one instruction where the device has it.
WEFT_FUNCTION lane lane_fma(lane a, lane b, lane c) { return a * b + c; }

WEFT_FUNCTION lane lane_sqrt(lane a) { return sqrt(a); }
WEFT_FUNCTION lane lane_exp(lane a) { return exp(a); }
WEFT_FUNCTION lane lane_log(lane a) { return log(a); }
WEFT_FUNCTION lane lane_sin(lane a) { return sin(a); }
WEFT_FUNCTION lane lane_cos(lane a) { return cos(a); }
WEFT_FUNCTION lane lane_tan(lane a) { return tan(a); }
WEFT_FUNCTION lane lane_asin(lane a) { return asin(a); }
WEFT_FUNCTION lane lane_acos(lane a) { return acos(a); }
WEFT_FUNCTION lane lane_atan(lane a) { return atan(a); }
WEFT_FUNCTION lane lane_sinh(lane a) { return sinh(a); }
WEFT_FUNCTION lane lane_cosh(lane a) { return cosh(a); }
WEFT_FUNCTION lane lane_tanh(lane a) { return tanh(a); }
WEFT_FUNCTION lane lane_abs(lane a) { return fabs(a); }
WEFT_FUNCTION lane lane_floor(lane a) { return floor(a); }
#if defined(WEFT_REAL_F64) && WEFT_LANES == 8
// PoCL 3.1's pow of double8 (AVX-512) spoils other lanes when one base is 0; of double4 it is right.
WEFT_FUNCTION lane lane_pow(lane a, lane b) { return (lane)(pow(a.lo, b.lo), pow(a.hi, b.hi)); }
#elif defined(WEFT_REAL_F64) && WEFT_LANES == 16
WEFT_FUNCTION lane lane_pow(lane a, lane b) {
  return (lane)(pow(a.s0123, b.s0123), pow(a.s4567, b.s4567), pow(a.s89ab, b.s89ab),
                pow(a.scdef, b.scdef));
}
#else
WEFT_FUNCTION lane lane_pow(lane a, lane b) { return pow(a, b); }
#endif
WEFT_FUNCTION lane lane_atan2(lane a, lane b) { return atan2(a, b); }

WEFT_FUNCTION mask lane_lt(lane a, lane b) { return a < b; }
WEFT_FUNCTION mask lane_le(lane a, lane b) { return a <= b; }
WEFT_FUNCTION mask lane_gt(lane a, lane b) { return a > b; }
WEFT_FUNCTION mask lane_ge(lane a, lane b) { return a >= b; }
WEFT_FUNCTION mask lane_eq(lane a, lane b) { return a == b; }
WEFT_FUNCTION mask lane_ne(lane a, lane b) { return a != b; }
WEFT_FUNCTION mask mask_and(mask a, mask b) { return a & b; }
WEFT_FUNCTION mask mask_or(mask a, mask b) { return a | b; }
#if WEFT_LANES == 1
WEFT_FUNCTION mask mask_not(mask a) { return !a; }
#else
WEFT_FUNCTION mask mask_not(mask a) { return ~a; }
#endif
WEFT_FUNCTION lane lane_select(mask m, lane a, lane b) { return m ? a : b; }

WEFT_FUNCTION lane lane_min(lane a, lane b) { return b < a ? b : a; }
WEFT_FUNCTION lane lane_max(lane a, lane b) { return a < b ? b : a; }
WEFT_FUNCTION lane lane_sign(lane a) {
  const lane zero = lane_splat(0);
  return a > zero ? lane_splat(1) : (a < zero ? lane_splat(-1) : zero);
}

// Rows of 4 reals to 4 lanes: rows j, j+4, j+8, ... are joined to one vector each (j = 0..3), then
// two rounds of shuffles transpose every 4x4 group. Compilers turn this into WEFT_LANES wide loads
// and 8 two-source shuffles (plus the joins), where element-wise reads cost 4 WEFT_LANES inserts.
WEFT_FUNCTION void weft_transpose4(const __private weft_real4 *r, __private lane *out) {
#if WEFT_LANES == 1
  out[0] = r[0].s0;
  out[1] = r[0].s1;
  out[2] = r[0].s2;
  out[3] = r[0].s3;
#elif WEFT_LANES == 2
  out[0] = (lane)(r[0].s0, r[1].s0);
  out[1] = (lane)(r[0].s1, r[1].s1);
  out[2] = (lane)(r[0].s2, r[1].s2);
  out[3] = (lane)(r[0].s3, r[1].s3);
#else
#if WEFT_LANES == 4
#define WEFT_JOIN_ROWS(j) r[j]
#define WEFT_ZIP_LOW(a, b) (lane)(a.s0, b.s0, a.s1, b.s1)
#define WEFT_ZIP_HIGH(a, b) (lane)(a.s2, b.s2, a.s3, b.s3)
#define WEFT_PAIRS_LOW(a, b) (lane)(a.s01, b.s01)
#define WEFT_PAIRS_HIGH(a, b) (lane)(a.s23, b.s23)
#elif WEFT_LANES == 8
#define WEFT_JOIN_ROWS(j) (lane)(r[j], r[j + 4])
#define WEFT_ZIP_LOW(a, b) (lane)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5)
#define WEFT_ZIP_HIGH(a, b) (lane)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7)
#define WEFT_PAIRS_LOW(a, b) (lane)(a.s01, b.s01, a.s45, b.s45)
#define WEFT_PAIRS_HIGH(a, b) (lane)(a.s23, b.s23, a.s67, b.s67)
#else
#define WEFT_JOIN_ROWS(j) (lane)(r[j], r[j + 4], r[j + 8], r[j + 12])
#define WEFT_ZIP_LOW(a, b)                                                                         \
  (lane)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5, a.s8, b.s8, a.s9, b.s9, a.sc, b.sc, a.sd, \
         b.sd)
#define WEFT_ZIP_HIGH(a, b)                                                                        \
  (lane)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7, a.sa, b.sa, a.sb, b.sb, a.se, b.se, a.sf, \
         b.sf)
#define WEFT_PAIRS_LOW(a, b) (lane)(a.s01, b.s01, a.s45, b.s45, a.s89, b.s89, a.scd, b.scd)
#define WEFT_PAIRS_HIGH(a, b) (lane)(a.s23, b.s23, a.s67, b.s67, a.sab, b.sab, a.sef, b.sef)
#endif
  const lane a0 = WEFT_JOIN_ROWS(0), a1 = WEFT_JOIN_ROWS(1);
  const lane a2 = WEFT_JOIN_ROWS(2), a3 = WEFT_JOIN_ROWS(3);
  const lane low01 = WEFT_ZIP_LOW(a0, a1), low23 = WEFT_ZIP_LOW(a2, a3);
  const lane high01 = WEFT_ZIP_HIGH(a0, a1), high23 = WEFT_ZIP_HIGH(a2, a3);
  out[0] = WEFT_PAIRS_LOW(low01, low23);
  out[1] = WEFT_PAIRS_HIGH(low01, low23);
  out[2] = WEFT_PAIRS_LOW(high01, high23);
  out[3] = WEFT_PAIRS_HIGH(high01, high23);
#endif
}

// A macro, because `base` and `index` may be pointers to any address space.
#define lane_gather4(base, index, out)                                                             \
  do {                                                                                             \
    weft_real4 weft_rows[WEFT_LANES];                                                              \
    WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                \
      weft_rows[weft_l] = vload4((size_t)(index)[weft_l], base);                                   \
    weft_transpose4(weft_rows, out);                                                               \
  } while (0)
