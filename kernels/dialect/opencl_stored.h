// Numbers as they are stored, in OpenCL C: f64, f32, f16 (IEEE binary16) and bf16 (the upper half
// of an f32), read into lanes of `real` and rounded to nearest even when they are written, whatever
// `real` is. It comes after opencl.h; README.md lists the names.

// clang-format off
typedef float f32;
typedef u16 f16;
typedef u16 bf16;
#if defined(WEFT_REAL_F64) || defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WEFT_HAS_F64
typedef double f64;
#endif

// Vectors of WEFT_LANES numbers.
#if WEFT_LANES == 1
#define WEFT_VECTOR(type) type
#define WEFT_CONVERT(v, type) ((type)(v))
#define WEFT_BITS_OF_MASK(m) (-(i32)(m))
#else
#define WEFT_VECTOR(type) WEFT_JOIN(type, WEFT_LANES)
#ifdef __clang__
#define WEFT_CONVERT(v, type) __builtin_convertvector(v, WEFT_VECTOR(type))
#else
#define WEFT_CONVERT(v, type) WEFT_JOIN(WEFT_JOIN_TEXT(convert_, type), WEFT_LANES)(v)
#endif
#define WEFT_BITS_OF_MASK(m) WEFT_CONVERT(m, int)
#endif
#define WEFT_AS_VECTOR(v, type) WEFT_JOIN(as_, WEFT_VECTOR(type))(v)
typedef WEFT_VECTOR(float) weft_singles;
typedef WEFT_VECTOR(ushort) weft_shorts;
typedef WEFT_VECTOR(int) weft_ints;
typedef WEFT_VECTOR(uint) weft_uints;

#ifdef WEFT_REAL_F64
WEFT_FUNCTION lane weft_from_singles(weft_singles v) { return WEFT_CONVERT(v, double); }
// What is rounded a second time, to 16 bits, is first rounded to odd, after which the result is what
// one rounding gives (Boldo and Melquiond 2008, DOI 10.1109/TC.2007.70819).
WEFT_FUNCTION weft_singles weft_singles_to_round(lane v) {
  const weft_singles nearest = WEFT_CONVERT(v, float);
  const lane back = WEFT_CONVERT(nearest, double);
  const weft_ints bits = WEFT_AS_VECTOR(nearest, int);
  const weft_ints inexact_and_even = WEFT_BITS_OF_MASK(back != v) & ~bits & 1;
  const weft_ints is_larger = WEFT_BITS_OF_MASK(fabs(back) > fabs(v)); // 0 or -1
  // An even one takes a step towards v.
  return WEFT_AS_VECTOR(bits + (1 + 2 * is_larger) * inexact_and_even, float);
}
#else
WEFT_FUNCTION lane weft_from_singles(weft_singles v) { return v; }
WEFT_FUNCTION weft_singles weft_singles_to_round(lane v) { return v; }
#endif

// Bits of numbers to lanes and back.
#ifdef WEFT_HAS_F64
typedef WEFT_VECTOR(double) weft_vector_f64;
WEFT_FUNCTION lane weft_from_f64(weft_vector_f64 v) { return WEFT_CONVERT(v, WEFT_REAL_TYPE); }
WEFT_FUNCTION weft_vector_f64 weft_to_f64(lane v) { return WEFT_CONVERT(v, double); }
#endif
typedef weft_singles weft_vector_f32;
WEFT_FUNCTION lane weft_from_f32(weft_singles v) { return weft_from_singles(v); }
WEFT_FUNCTION weft_singles weft_to_f32(lane v) { return WEFT_CONVERT(v, float); }

typedef weft_shorts weft_vector_f16;
#if defined(__clang__) && defined(__F16C__)
// One instruction; vload_half and vstore_half of PoCL 3.1 are many.
#if WEFT_LANES == 1
typedef __fp16 weft_halves __attribute__((ext_vector_type(4)));
WEFT_FUNCTION lane weft_from_f16(u16 v) {
  const ushort4 bits = {v, 0, 0, 0};
  return __builtin_convertvector(__builtin_astype(bits, weft_halves), float4).x;
}
WEFT_FUNCTION u16 weft_to_f16(lane v) {
  const float4 number = {weft_singles_to_round(v), 0, 0, 0};
  return __builtin_astype(__builtin_convertvector(number, weft_halves), ushort4).x;
}
#else
typedef __fp16 weft_halves __attribute__((ext_vector_type(WEFT_LANES)));
WEFT_FUNCTION lane weft_from_f16(weft_shorts v) {
  return weft_from_singles(WEFT_CONVERT(__builtin_astype(v, weft_halves), float));
}
WEFT_FUNCTION weft_shorts weft_to_f16(lane v) {
  return __builtin_astype(__builtin_convertvector(weft_singles_to_round(v), weft_halves),
                          weft_shorts);
}
#endif
#else
#if WEFT_LANES == 1
#define WEFT_LOAD_HALVES vload_half
#define WEFT_STORE_HALVES vstore_half_rte
#else
#define WEFT_LOAD_HALVES WEFT_JOIN(vload_half, WEFT_LANES)
#define WEFT_STORE_HALVES WEFT_JOIN(WEFT_JOIN(vstore_half, WEFT_LANES), _rte)
#endif
WEFT_FUNCTION lane weft_from_f16(weft_shorts v) {
  return weft_from_singles(WEFT_LOAD_HALVES(0, (const __private half *)&v));
}
WEFT_FUNCTION weft_shorts weft_to_f16(lane v) {
  weft_shorts bits;
  WEFT_STORE_HALVES(weft_singles_to_round(v), 0, (__private half *)&bits);
  return bits;
}
#endif

typedef weft_shorts weft_vector_bf16;
WEFT_FUNCTION lane weft_from_bf16(weft_shorts v) {
  return weft_from_singles(WEFT_AS_VECTOR(WEFT_CONVERT(v, uint) << 16, float));
}
// To the nearest by an addition to the bits that are cut off, which overflows to infinity; NaN is
// kept from doing so.
WEFT_FUNCTION weft_shorts weft_to_bf16(lane v) {
  const weft_singles number = weft_singles_to_round(v);
  const weft_uints bits = WEFT_AS_VECTOR(number, uint);
  const weft_uints rounded = bits + 0x7fff + (bits >> 16 & 1);
  return WEFT_CONVERT((number != number ? bits | 0x400000 : rounded) >> 16, ushort);
}

#if WEFT_LANES == 1 || defined(__clang__)
#define WEFT_LOAD_STORED(T, p) (*(const __global weft_unaligned_##T *)(p))
#define WEFT_STORE_STORED(T, v, p) (*(__global weft_unaligned_##T *)(p) = (v))
#else
#define WEFT_LOAD_STORED(T, p) WEFT_JOIN(vload, WEFT_LANES)(0, p)
#define WEFT_STORE_STORED(T, v, p) WEFT_JOIN(vstore, WEFT_LANES)(v, 0, p)
#endif
#if WEFT_LANES > 1 && defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
#define WEFT_STREAM_STORED(T, v, p) __builtin_nontemporal_store(v, (__global weft_vector_##T *)(p))
#else
#define WEFT_STREAM_STORED(T, v, p) WEFT_STORE_STORED(T, v, p)
#endif
#define WEFT_STORED(T)                                                                             \
  typedef weft_vector_##T weft_unaligned_##T __attribute__((aligned(sizeof(T))));                  \
  WEFT_FUNCTION lane lane_load_##T(const __global T *p) {                                          \
    return weft_from_##T(WEFT_LOAD_STORED(T, p));                                                  \
  }                                                                                                \
  WEFT_FUNCTION void lane_store_##T(lane v, __global T *p) {                                       \
    WEFT_STORE_STORED(T, weft_to_##T(v), p);                                                       \
  }                                                                                                \
  WEFT_FUNCTION void lane_store_stream_##T(lane v, __global T *p) {                                \
    WEFT_STREAM_STORED(T, weft_to_##T(v), p);                                                      \
  }                                                                                                \
  WEFT_FUNCTION real real_load_##T(const __global T *p) {                                          \
    const weft_vector_##T all = *p;                                                                \
    return lane_get(weft_from_##T(all), 0);                                                        \
  }                                                                                                \
  WEFT_FUNCTION void real_store_##T(real v, __global T *p) {                                       \
    *p = lane_get(weft_to_##T(lane_splat(v)), 0);                                                  \
  }
#ifdef WEFT_HAS_F64
WEFT_STORED(f64)
#endif
WEFT_STORED(f32)
WEFT_STORED(f16)
WEFT_STORED(bf16)


// Read one by one, converted at once.
#define lane_gather_as(T, base, index, out)                                                        \
  do {                                                                                             \
    WEFT_JOIN(weft_vector_, T) weft_bits;                                                          \
    WEFT_GATHER_ALONE(WEFT_GLOBAL const, T, base, index, weft_bits);                               \
    out = WEFT_JOIN(weft_from_, T)(weft_bits);                                                     \
  } while (0)
#define lane_scatter_as(T, v, base, index)                                                         \
  do {                                                                                             \
    const WEFT_JOIN(weft_vector_, T) weft_bits = WEFT_JOIN(weft_to_, T)(v);                        \
    WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                \
        (base)[(index)[weft_l]] = lane_get(weft_bits, weft_l);                                     \
  } while (0)

// Rows of four.
#if WEFT_LANES < 4
#define WEFT_GATHER4(T, base, index, part, bits)                                                   \
  WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                  \
      lane_set(bits, weft_l, (base)[4 * (i64)(index)[((part) * WEFT_LANES + weft_l) / 4] +         \
                                    ((part) * WEFT_LANES + weft_l) % 4])
#else
#define WEFT_ROW4(base, index, row) vload4(0, (base) + 4 * (size_t)(index)[row])
#if WEFT_LANES == 4
#define WEFT_GATHER4(T, base, index, part, bits) bits = WEFT_ROW4(base, index, part)
#elif WEFT_LANES == 8
#define WEFT_GATHER4(T, base, index, part, bits)                                                   \
  bits = (WEFT_JOIN(weft_vector_, T))(WEFT_ROW4(base, index, 2 * (part)),                          \
                                      WEFT_ROW4(base, index, 2 * (part) + 1))
#else
#define WEFT_GATHER4(T, base, index, part, bits)                                                   \
  bits = (WEFT_JOIN(weft_vector_, T))(                                                             \
      WEFT_ROW4(base, index, 4 * (part)), WEFT_ROW4(base, index, 4 * (part) + 1),                  \
      WEFT_ROW4(base, index, 4 * (part) + 2), WEFT_ROW4(base, index, 4 * (part) + 3))
#endif
#endif
#define lane_gather4_as(T, base, index, part, out)                                                 \
  do {                                                                                             \
    WEFT_JOIN(weft_vector_, T) weft_bits;                                                          \
    WEFT_GATHER4(T, base, index, part, weft_bits);                                                 \
    out = WEFT_JOIN(weft_from_, T)(weft_bits);                                                     \
  } while (0)
#define lane_scatter4_as(T, v, base, index, part)                                                  \
  do {                                                                                             \
    const WEFT_JOIN(weft_vector_, T) weft_bits = WEFT_JOIN(weft_to_, T)(v);                        \
    WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                \
        (base)[4 * (i64)(index)[((part) * WEFT_LANES + weft_l) / 4] +                              \
               ((part) * WEFT_LANES + weft_l) % 4] = lane_get(weft_bits, weft_l);                  \
  } while (0)
#define lane_spread4(v, part, out)                                                                 \
  WEFT_UNROLL for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                  \
      lane_set(out, weft_l, lane_get(v, ((part) * WEFT_LANES + weft_l) / 4))
