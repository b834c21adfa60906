// Numbers as they are stored, in CUDA C++: see opencl_stored.h. NVRTC has no header of 16-bit
// numbers; PTX converts them.

// clang-format off
typedef double f64;
typedef float f32;
typedef u16 f16;
typedef u16 bf16;

#ifdef WEFT_REAL_F64
#define WEFT_PTX_REAL "f64"
#define WEFT_PTX_REGISTER "d"
#else
#define WEFT_PTX_REAL "f32"
#define WEFT_PTX_REGISTER "f"
#endif

WEFT_FUNCTION real weft_from_f64(f64 v) { return (real)v; }
WEFT_FUNCTION f64 weft_to_f64(real v) { return (f64)v; }
WEFT_FUNCTION real weft_from_f32(f32 v) { return (real)v; }
WEFT_FUNCTION f32 weft_to_f32(real v) { return (f32)v; }

WEFT_FUNCTION real weft_from_f16(u16 v) {
  real number;
  asm("cvt." WEFT_PTX_REAL ".f16 %0, %1;" : "=" WEFT_PTX_REGISTER(number) : "h"(v));
  return number;
}
WEFT_FUNCTION u16 weft_to_f16(real v) {
  u16 bits;
  asm("cvt.rn.f16." WEFT_PTX_REAL " %0, %1;" : "=h"(bits) : WEFT_PTX_REGISTER(v));
  return bits;
}

WEFT_FUNCTION real weft_from_bf16(u16 v) { return (real)__uint_as_float((u32)v << 16); }
WEFT_FUNCTION u16 weft_to_bf16(real v) {
#ifdef WEFT_REAL_F64
  // To odd, so that the second rounding gives what one alone would (Boldo and Melquiond 2008, DOI
  // 10.1109/TC.2007.70819).
  const float single = __double2float_rz(v);
  const u32 bits = __float_as_uint(single) | ((double)single != v ? 1 : 0);
#else
  const u32 bits = __float_as_uint(v);
#endif
  return v != v ? (bits | 0x400000) >> 16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

#define WEFT_STORED(T)                                                                             \
  WEFT_FUNCTION lane lane_load_##T(const T *p) { return weft_from_##T(*p); }                       \
  WEFT_FUNCTION void lane_store_##T(lane v, T *p) { *p = weft_to_##T(v); }                         \
  WEFT_FUNCTION void lane_store_stream_##T(lane v, T *p) { __stcs(p, weft_to_##T(v)); }            \
  WEFT_FUNCTION real real_load_##T(const T *p) { return weft_from_##T(*p); }                       \
  WEFT_FUNCTION void real_store_##T(real v, T *p) { *p = weft_to_##T(v); }
WEFT_STORED(f64)
WEFT_STORED(f32)
WEFT_STORED(f16)
WEFT_STORED(bf16)

#define lane_gather_as(T, base, index, out) ((out) = WEFT_JOIN(real_load_, T)((base) + (index)[0]))
#define lane_scatter_as(T, v, base, index) WEFT_JOIN(real_store_, T)(v, (base) + (index)[0])
#define lane_gather4_as(T, base, index, part, out)                                                 \
  ((out) = WEFT_JOIN(real_load_, T)((base) + 4 * (i64)(index)[0] + (part)))
#define lane_scatter4_as(T, v, base, index, part)                                                  \
  WEFT_JOIN(real_store_, T)(v, (base) + 4 * (i64)(index)[0] + (part))
#define lane_spread4(v, part, out) ((out) = (v))
