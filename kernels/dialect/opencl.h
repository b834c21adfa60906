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
#ifndef WEFT_FUNCTION
#define WEFT_FUNCTION static inline __attribute__((always_inline))
#endif
#define WEFT_GLOBAL __global
#define WEFT_LOCAL __local
#define WEFT_PRIVATE __private
#define WEFT_CONSTANT __constant
#define WEFT_TABLE __constant
#ifndef WEFT_RESTRICT
#define WEFT_RESTRICT restrict
#endif
#define WEFT_LOCAL_ARRAY(type, name, count) __local type name[count]
#define WEFT_UNROLL _Pragma("unroll")
#ifdef __clang__
#define WEFT_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define WEFT_UNROLL_ALL _Pragma("unroll")
#endif
#define WEFT_NO_UNROLL _Pragma("nounroll")
#ifdef __clang__
#define WEFT_SCALAR_LOOP _Pragma("clang loop vectorize(disable)")
#else
#define WEFT_SCALAR_LOOP
#endif

#define weft_group_id() ((i32)get_group_id(0))
#define weft_local_id() ((i32)get_local_id(0))
#define weft_group_size() ((i32)get_local_size(0))
#define weft_num_groups() ((i32)get_num_groups(0))
#define weft_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#if defined(__x86_64__) || defined(__aarch64__)
#define weft_step() __asm__ volatile("" ::: "memory")
#else
#define weft_step()
#endif

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
#ifdef __clang__
// One access however wide; PoCL's vload and vstore go in halves.
typedef lane weft_unaligned_lane __attribute__((aligned(sizeof(real))));
#define WEFT_LOAD(space, p) (*(const space weft_unaligned_lane *)(p))
#define WEFT_STORE(v, space, p) (*(space weft_unaligned_lane *)(p) = (v))
#else
#define WEFT_LOAD(space, p) WEFT_JOIN(vload, WEFT_LANES)(0, p)
#define WEFT_STORE(v, space, p) WEFT_JOIN(vstore, WEFT_LANES)(v, 0, p)
#endif
WEFT_FUNCTION lane lane_load(const __global real *p) { return WEFT_LOAD(__global, p); }
WEFT_FUNCTION lane lane_load_local(const __local real *p) { return WEFT_LOAD(__local, p); }
WEFT_FUNCTION lane lane_load_private(const __private real *p) { return WEFT_LOAD(__private, p); }
WEFT_FUNCTION void lane_store(lane v, __global real *p) { WEFT_STORE(v, __global, p); }
WEFT_FUNCTION void lane_store_local(lane v, __local real *p) { WEFT_STORE(v, __local, p); }
WEFT_FUNCTION void lane_store_private(lane v, __private real *p) { WEFT_STORE(v, __private, p); }
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

// Rows of 4 reals to 4 lanes, out[k][l] = r[l][k]. Rows are joined to full vectors with wide loads
// and then take two rounds of two-source shuffles, each one instruction on AVX-512 and AVX2. Clang
// would take the shuffles apart again if it saw through the joins: WEFT_OPAQUE hides a value's
// origin. (8 rows of doubles: 2.9 ns, against 7.1 ns without it and 4.6 ns by hardware gathers.)
#if defined(__clang__) && defined(__x86_64__) && WEFT_LANES >= 4
#ifdef __AVX512F__
#define WEFT_OPAQUE(v) __asm__("" : "+v"(v))
#else
#define WEFT_OPAQUE(v)
#endif
typedef WEFT_JOIN(WEFT_REAL_TYPE, 8) weft_real8;

WEFT_FUNCTION weft_real8 weft_join4(weft_real4 a, weft_real4 b) {
  weft_real8 both = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  WEFT_OPAQUE(both);
  return both;
}

#ifdef WEFT_REAL_F64
#if WEFT_LANES == 4
#define WEFT_EVEN_LANES 0, 4, 2, 6
#define WEFT_ODD_LANES 1, 5, 3, 7
#define WEFT_EVEN_BLOCKS 0, 1, 4, 5
#define WEFT_ODD_BLOCKS 2, 3, 6, 7
#elif WEFT_LANES == 8
#define WEFT_EVEN_LANES 0, 8, 2, 10, 4, 12, 6, 14
#define WEFT_ODD_LANES 1, 9, 3, 11, 5, 13, 7, 15
#define WEFT_EVEN_BLOCKS 0, 1, 4, 5, 8, 9, 12, 13
#define WEFT_ODD_BLOCKS 2, 3, 6, 7, 10, 11, 14, 15
#endif
// Halves of rows 0, 2, 4, ... and of rows 1, 3, 5, ... are collected, then zipped.
WEFT_FUNCTION void weft_transpose_4x4(const __private weft_real4 *r, __private weft_real4 *out) {
  weft_real4 even_low = __builtin_shufflevector(r[0], r[2], 0, 1, 4, 5);
  weft_real4 odd_low = __builtin_shufflevector(r[1], r[3], 0, 1, 4, 5);
  weft_real4 even_high = __builtin_shufflevector(r[0], r[2], 2, 3, 6, 7);
  weft_real4 odd_high = __builtin_shufflevector(r[1], r[3], 2, 3, 6, 7);
  WEFT_OPAQUE(even_low);
  WEFT_OPAQUE(odd_low);
  WEFT_OPAQUE(even_high);
  WEFT_OPAQUE(odd_high);
  out[0] = __builtin_shufflevector(even_low, odd_low, 0, 4, 2, 6);
  out[1] = __builtin_shufflevector(even_low, odd_low, 1, 5, 3, 7);
  out[2] = __builtin_shufflevector(even_high, odd_high, 0, 4, 2, 6);
  out[3] = __builtin_shufflevector(even_high, odd_high, 1, 5, 3, 7);
}
WEFT_FUNCTION void weft_transpose_8x4(const __private weft_real4 *r, __private weft_real8 *out) {
  const weft_real8 r02 = weft_join4(r[0], r[2]), r46 = weft_join4(r[4], r[6]);
  const weft_real8 r13 = weft_join4(r[1], r[3]), r57 = weft_join4(r[5], r[7]);
  weft_real8 even_low = __builtin_shufflevector(r02, r46, 0, 1, 4, 5, 8, 9, 12, 13);
  weft_real8 odd_low = __builtin_shufflevector(r13, r57, 0, 1, 4, 5, 8, 9, 12, 13);
  weft_real8 even_high = __builtin_shufflevector(r02, r46, 2, 3, 6, 7, 10, 11, 14, 15);
  weft_real8 odd_high = __builtin_shufflevector(r13, r57, 2, 3, 6, 7, 10, 11, 14, 15);
  WEFT_OPAQUE(even_low);
  WEFT_OPAQUE(odd_low);
  WEFT_OPAQUE(even_high);
  WEFT_OPAQUE(odd_high);
  out[0] = __builtin_shufflevector(even_low, odd_low, 0, 8, 2, 10, 4, 12, 6, 14);
  out[1] = __builtin_shufflevector(even_low, odd_low, 1, 9, 3, 11, 5, 13, 7, 15);
  out[2] = __builtin_shufflevector(even_high, odd_high, 0, 8, 2, 10, 4, 12, 6, 14);
  out[3] = __builtin_shufflevector(even_high, odd_high, 1, 9, 3, 11, 5, 13, 7, 15);
}
// The way back: unzip, then give the halves back to their rows.
WEFT_FUNCTION void weft_transpose_4x8(const __private weft_real8 *in, __private weft_real4 *r) {
  weft_real8 even_low = __builtin_shufflevector(in[0], in[1], 0, 8, 2, 10, 4, 12, 6, 14);
  weft_real8 odd_low = __builtin_shufflevector(in[0], in[1], 1, 9, 3, 11, 5, 13, 7, 15);
  weft_real8 even_high = __builtin_shufflevector(in[2], in[3], 0, 8, 2, 10, 4, 12, 6, 14);
  weft_real8 odd_high = __builtin_shufflevector(in[2], in[3], 1, 9, 3, 11, 5, 13, 7, 15);
  WEFT_OPAQUE(even_low);
  WEFT_OPAQUE(odd_low);
  WEFT_OPAQUE(even_high);
  WEFT_OPAQUE(odd_high);
  weft_real8 r02 = __builtin_shufflevector(even_low, even_high, 0, 1, 8, 9, 2, 3, 10, 11);
  weft_real8 r46 = __builtin_shufflevector(even_low, even_high, 4, 5, 12, 13, 6, 7, 14, 15);
  weft_real8 r13 = __builtin_shufflevector(odd_low, odd_high, 0, 1, 8, 9, 2, 3, 10, 11);
  weft_real8 r57 = __builtin_shufflevector(odd_low, odd_high, 4, 5, 12, 13, 6, 7, 14, 15);
  WEFT_OPAQUE(r02);
  WEFT_OPAQUE(r46);
  WEFT_OPAQUE(r13);
  WEFT_OPAQUE(r57);
  r[0] = r02.lo;
  r[1] = r13.lo;
  r[2] = r02.hi;
  r[3] = r13.hi;
  r[4] = r46.lo;
  r[5] = r57.lo;
  r[6] = r46.hi;
  r[7] = r57.hi;
}
WEFT_FUNCTION void weft_transpose4_back(const __private lane *in, __private weft_real4 *r) {
#if WEFT_LANES == 4
  weft_transpose_4x4(in, r);
#elif WEFT_LANES == 8
  weft_transpose_4x8(in, r);
#else
  weft_real8 low[4], high[4];
  WEFT_UNROLL for (i32 k = 0; k < 4; ++k) {
    low[k] = in[k].lo;
    high[k] = in[k].hi;
  }
  weft_transpose_4x8(low, r);
  weft_transpose_4x8(high, r + 8);
#endif
}
WEFT_FUNCTION void weft_transpose4(const __private weft_real4 *r, __private lane *out) {
#if WEFT_LANES == 4
  weft_transpose_4x4(r, out);
#elif WEFT_LANES == 8
  weft_transpose_8x4(r, out);
#else
  weft_real8 low[4], high[4];
  weft_transpose_8x4(r, low);
  weft_transpose_8x4(r + 8, high);
  WEFT_UNROLL for (i32 k = 0; k < 4; ++k)
    out[k] = (lane)(low[k], high[k]);
#endif
}
#else
// Rows j, j+4, j+8, ... share a vector; every group of 4x4 is then transposed in place: zip, zip.
#if WEFT_LANES == 4
#define WEFT_ROWS(j) r[j]
#define WEFT_ZIP_LOW 0, 4, 1, 5
#define WEFT_ZIP_HIGH 2, 6, 3, 7
#define WEFT_PAIRS_LOW 0, 1, 4, 5
#define WEFT_PAIRS_HIGH 2, 3, 6, 7
#elif WEFT_LANES == 8
#define WEFT_ROWS(j) weft_join4(r[j], r[j + 4])
#define WEFT_ZIP_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define WEFT_ZIP_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define WEFT_PAIRS_LOW 0, 1, 8, 9, 4, 5, 12, 13
#define WEFT_PAIRS_HIGH 2, 3, 10, 11, 6, 7, 14, 15
#define WEFT_EVEN_BLOCKS 0, 1, 2, 3, 8, 9, 10, 11
#define WEFT_ODD_BLOCKS 4, 5, 6, 7, 12, 13, 14, 15
#else
WEFT_FUNCTION lane weft_join8(weft_real8 a, weft_real8 b) {
  lane both = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  WEFT_OPAQUE(both);
  return both;
}
#define WEFT_ROWS(j) weft_join8(weft_join4(r[j], r[j + 4]), weft_join4(r[j + 8], r[j + 12]))
#define WEFT_ZIP_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define WEFT_ZIP_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define WEFT_PAIRS_LOW 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define WEFT_PAIRS_HIGH 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define WEFT_EVEN_BLOCKS 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define WEFT_ODD_BLOCKS 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#endif
// Its own inverse.
WEFT_FUNCTION void weft_transpose_groups(__private lane *r) {
  lane low01 = __builtin_shufflevector(r[0], r[1], WEFT_ZIP_LOW);
  lane low23 = __builtin_shufflevector(r[2], r[3], WEFT_ZIP_LOW);
  lane high01 = __builtin_shufflevector(r[0], r[1], WEFT_ZIP_HIGH);
  lane high23 = __builtin_shufflevector(r[2], r[3], WEFT_ZIP_HIGH);
  WEFT_OPAQUE(low01);
  WEFT_OPAQUE(low23);
  WEFT_OPAQUE(high01);
  WEFT_OPAQUE(high23);
  r[0] = __builtin_shufflevector(low01, low23, WEFT_PAIRS_LOW);
  r[1] = __builtin_shufflevector(low01, low23, WEFT_PAIRS_HIGH);
  r[2] = __builtin_shufflevector(high01, high23, WEFT_PAIRS_LOW);
  r[3] = __builtin_shufflevector(high01, high23, WEFT_PAIRS_HIGH);
}
WEFT_FUNCTION void weft_transpose4(const __private weft_real4 *r, __private lane *out) {
  WEFT_UNROLL for (i32 k = 0; k < 4; ++k)
    out[k] = WEFT_ROWS(k);
  weft_transpose_groups(out);
}
WEFT_FUNCTION void weft_transpose4_back(const __private lane *in, __private weft_real4 *r) {
  lane groups[4] = {in[0], in[1], in[2], in[3]};
  weft_transpose_groups(groups);
  WEFT_UNROLL for (i32 k = 0; k < 4; ++k) {
#if WEFT_LANES == 4
    r[k] = groups[k];
#elif WEFT_LANES == 8
    WEFT_OPAQUE(groups[k]);
    r[k] = groups[k].lo;
    r[k + 4] = groups[k].hi;
#else
    WEFT_OPAQUE(groups[k]);
    r[k] = groups[k].lo.lo;
    r[k + 4] = groups[k].lo.hi;
    r[k + 8] = groups[k].hi.lo;
    r[k + 12] = groups[k].hi.hi;
#endif
  }
}
#endif
#else
WEFT_FUNCTION void weft_transpose4(const __private weft_real4 *r, __private lane *out) {
  WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l) {
    lane_set(out[0], l, r[l].s0);
    lane_set(out[1], l, r[l].s1);
    lane_set(out[2], l, r[l].s2);
    lane_set(out[3], l, r[l].s3);
  }
}
WEFT_FUNCTION void weft_transpose4_back(const __private lane *in, __private weft_real4 *r) {
  WEFT_UNROLL for (i32 l = 0; l < WEFT_LANES; ++l)
    r[l] = (weft_real4)(lane_get(in[0], l), lane_get(in[1], l), lane_get(in[2], l),
                        lane_get(in[3], l));
}
#endif

#ifdef WEFT_EVEN_BLOCKS
// Blocks of 16 bytes are transposed in place, then the matrix of blocks: each shuffle is one
// instruction that needs no table.
WEFT_FUNCTION void lane_transpose(__private lane *r) {
#ifdef WEFT_REAL_F64
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; k += 2) {
    lane even = __builtin_shufflevector(r[k], r[k + 1], WEFT_EVEN_LANES);
    lane odd = __builtin_shufflevector(r[k], r[k + 1], WEFT_ODD_LANES);
    r[k] = even;
    r[k + 1] = odd;
  }
#else
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; k += 4) weft_transpose_groups(r + k);
#endif
  WEFT_UNROLL for (i32 distance = 16 / (i32)sizeof(real); distance < WEFT_LANES; distance *= 2)
    WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; ++k) if ((k & distance) == 0) {
      lane a = r[k], b = r[k + distance];
      WEFT_OPAQUE(a);
      WEFT_OPAQUE(b);
      r[k] = __builtin_shufflevector(a, b, WEFT_EVEN_BLOCKS);
      r[k + distance] = __builtin_shufflevector(a, b, WEFT_ODD_BLOCKS);
    }
}
#elif WEFT_LANES > 1
// Halves of what lies far apart are zipped, as often as lanes can be halved.
WEFT_FUNCTION void weft_zip(const __private lane *r, __private lane *zipped) {
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES / 2; ++k) {
    const lane a = r[k], b = r[k + WEFT_LANES / 2];
    zipped[2 * k].even = a.lo;
    zipped[2 * k].odd = b.lo;
    zipped[2 * k + 1].even = a.hi;
    zipped[2 * k + 1].odd = b.hi;
  }
}
WEFT_FUNCTION void lane_transpose(__private lane *r) {
  lane zipped[WEFT_LANES];
  weft_zip(r, zipped);
#if WEFT_LANES >= 4
  weft_zip(zipped, r);
#endif
#if WEFT_LANES >= 8
  weft_zip(r, zipped);
#endif
#if WEFT_LANES == 16
  weft_zip(zipped, r);
#endif
#if WEFT_LANES == 2 || WEFT_LANES == 8
  WEFT_UNROLL for (i32 k = 0; k < WEFT_LANES; ++k) r[k] = zipped[k];
#endif
}
#else
WEFT_FUNCTION void lane_transpose(__private lane *r) {}
#endif

// A macro, because `base` and `index` may be pointers to any address space.
#define lane_gather4(base, index, out) lane_gather4_strided(base, 4, index, out)
#define lane_gather4_strided(base, stride, index, out)                                             \
  do {                                                                                             \
    weft_real4 weft_rows[WEFT_LANES];                                                              \
    WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                \
      weft_rows[weft_l] = vload4(0, (base) + (size_t)(index)[weft_l] * (stride));                  \
    weft_transpose4(weft_rows, out);                                                               \
  } while (0)

// Rows are added one after the other: lanes may name the same row.
#define lane_scatter_add4(base, index, in) lane_scatter_add4_strided(base, 4, index, in)
#define lane_scatter_add4_strided(base, stride, index, in)                                                         \
  do {                                                                                             \
    weft_real4 weft_rows[WEFT_LANES];                                                              \
    weft_transpose4_back(in, weft_rows);                                                           \
    WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l) {                              \
      const size_t weft_row = (size_t)(index)[weft_l] * (stride);                                  \
      vstore4(vload4(0, (base) + weft_row) + weft_rows[weft_l], 0, (base) + weft_row);             \
    }                                                                                              \
  } while (0)

// The real `bytes` bytes past `base`, a pointer to reals in that address space.
#define weft_real_at(space, base, bytes) (*(space real *)((space char *)(base) + (bytes)))

// One real a lane. Where the processor gathers by itself that takes fewer instructions than
// element-wise reads; its scale is an immediate, so any other step of bytes is read element-wise.
#define WEFT_GATHER_ELEMENTS(space, base, bytes, index, out)                                       \
  WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                  \
      lane_set(out, weft_l, weft_real_at(space, base, (u32)(bytes) * (index)[weft_l]))
#if defined(__AVX512F__) && defined(WEFT_REAL_F64) && WEFT_LANES == 8
#define WEFT_GATHER_SCALED(base, scale, index)                                                     \
  __builtin_ia32_gathersiv8df(lane_splat(0), (const void *)(size_t)(base),                         \
                              __builtin_convertvector(vload8(0, index), int8), (uchar)255, scale)
#elif defined(__AVX512F__) && defined(WEFT_REAL_F32) && WEFT_LANES == 16
#define WEFT_GATHER_SCALED(base, scale, index)                                                     \
  __builtin_ia32_gathersiv16sf(lane_splat(0), (const void *)(size_t)(base),                        \
                               __builtin_convertvector(vload16(0, index), int16), (ushort)65535, scale)
#endif
#ifdef WEFT_GATHER_SCALED
#define lane_gather(space, base, bytes, index, out)                                                \
  do {                                                                                             \
    if ((bytes) == 1)                                                                              \
      out = WEFT_GATHER_SCALED(base, 1, index);                                                    \
    else if ((bytes) == 2)                                                                         \
      out = WEFT_GATHER_SCALED(base, 2, index);                                                    \
    else if ((bytes) == 4)                                                                         \
      out = WEFT_GATHER_SCALED(base, 4, index);                                                    \
    else if ((bytes) == 8)                                                                         \
      out = WEFT_GATHER_SCALED(base, 8, index);                                                    \
    else                                                                                           \
      WEFT_GATHER_ELEMENTS(space, base, bytes, index, out);                                        \
  } while (0)
#else
#define lane_gather(space, base, bytes, index, out)                                                \
  do {                                                                                             \
    WEFT_GATHER_ELEMENTS(space, base, bytes, index, out);                                          \
  } while (0)
#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define WEFT_ALONE(space, type, pointer) (*(volatile space type *)(pointer))
#define weft_prefetch(pointer, bytes)                                                              \
  __builtin_prefetch((const void *)((size_t)(pointer) + (bytes)))
#else
#define WEFT_ALONE(space, type, pointer) (*(space type *)(pointer))
#define weft_prefetch(pointer, bytes)
#endif
#define weft_read_alone(pointer) WEFT_ALONE(WEFT_GLOBAL const, real, pointer)
#define weft_read_index_alone(pointer) WEFT_ALONE(WEFT_GLOBAL const, i32, pointer)
// One number of `type` a lane, read one by one. Loads are what it waits for: two indices of 16 bits
// come with one.
#if WEFT_LANES == 1
#define WEFT_GATHER_ALONE(space, type, base, index, out)                                           \
  (out = WEFT_ALONE(space, type, (base) + (index)[0]))
#else
#define WEFT_GATHER_ALONE(space, type, base, index, out)                                           \
  do {                                                                                             \
    if (sizeof(*(index)) == 2)                                                                     \
      WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; weft_l += 2) {                         \
        const u32 weft_pair =                                                                      \
            WEFT_ALONE(WEFT_GLOBAL const, u32, (WEFT_GLOBAL const u32 *)((index) + weft_l));       \
        lane_set(out, weft_l, WEFT_ALONE(space, type, (base) + (weft_pair & 0xffff)));             \
        lane_set(out, weft_l + 1, WEFT_ALONE(space, type, (base) + (weft_pair >> 16)));            \
      }                                                                                            \
    else                                                                                           \
      WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                              \
          lane_set(out, weft_l, WEFT_ALONE(space, type, (base) + (index)[weft_l]));                \
  } while (0)
#endif
#define lane_gather_alone(space, base, index, out) WEFT_GATHER_ALONE(space, real, base, index, out)
