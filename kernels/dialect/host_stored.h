// Numbers as they are stored, in plain C++: see opencl_stored.h. Conversions are integer arithmetic
// on the bits of doubles, whatever the compiler knows of 16-bit numbers.

// clang-format off
typedef u16 f16;
typedef u16 bf16;
#ifdef WEFT_COUNT_OPS
// One of the other precision than reals.
template <typename T> struct weft_stored {
  T value;
  weft_stored() = default;
  weft_stored(T v) : value(v) {}
  weft_stored(const weft_stored &other) : value(other.value) { WEFT_READ_REAL(other); }
  weft_stored &operator=(const weft_stored &other) {
    WEFT_READ_REAL(other);
    WEFT_WRITTEN(*this);
    value = other.value;
    return *this;
  }
};
#ifdef WEFT_REAL_F64
typedef real f64;
typedef weft_stored<float> f32;
#else
typedef weft_stored<double> f64;
typedef real f32;
#endif
#define WEFT_STORED_VALUE(p) (WEFT_READ_REAL(*(p)), (p)->value)
#define WEFT_STORED_SET(p, v) (WEFT_WRITTEN(*(p)), (p)->value = (v))
#define WEFT_STORED_STREAM(p, v) (weft_access(p, sizeof *(p), 's'), (p)->value = (v))
#else
typedef double f64;
typedef float f32;
#define WEFT_STORED_VALUE(p) (*(p))
#define WEFT_STORED_SET(p, v) (*(p) = (v))
#define WEFT_STORED_STREAM(p, v) (*(p) = (v))
#endif

struct weft_format { int exponent_bits, fraction_bits; };
static const weft_format weft_format_f16 = {5, 10}, weft_format_bf16 = {8, 7};

// Exact.
WEFT_FUNCTION double weft_number_of_bits(unsigned bits, weft_format format) {
  const unsigned largest = (1u << format.exponent_bits) - 1;
  const unsigned fraction = bits & ((1u << format.fraction_bits) - 1);
  const unsigned exponent = bits >> format.fraction_bits & largest;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == largest)
    return fraction ? __builtin_nan("") : sign * __builtin_inf();
  const int lowest = 2 - (int)(largest / 2 + 1) - format.fraction_bits; // of a subnormal's last bit
  return exponent == 0 ? sign * __builtin_ldexp((double)fraction, lowest)
                       : sign * __builtin_ldexp((double)(fraction + (1u << format.fraction_bits)),
                                                lowest + (int)exponent - 1);
}
// To nearest even, overflowing to infinity.
WEFT_FUNCTION unsigned short weft_bits_of_number(double v, weft_format format) {
  const unsigned largest = (1u << format.exponent_bits) - 1;
  const unsigned infinity = largest << format.fraction_bits;
  const unsigned sign = __builtin_signbit(v) ? 0x8000u : 0u;
  if (v != v)
    return (unsigned short)(sign | infinity | 1u << (format.fraction_bits - 1));
  const double magnitude = __builtin_fabs(v);
  const int lowest = 2 - (int)(largest / 2 + 1) - format.fraction_bits;
  int exponent = lowest; // magnitude = [1/2, 1) 2^exponent
  if (magnitude > 0 && magnitude <= __DBL_MAX__)
    __builtin_frexp(magnitude, &exponent);
  else if (magnitude > 0)
    return (unsigned short)(sign | infinity);
  // In units of the last bit kept; halves are exact, so that nearbyint rounds once.
  const int last = exponent - 1 - format.fraction_bits > lowest ? exponent - 1 - format.fraction_bits
                                                                 : lowest;
  const unsigned units = (unsigned)__builtin_nearbyint(__builtin_ldexp(magnitude, -last));
  // Units carry into the exponent as they should.
  const unsigned bits = units + ((unsigned)(last - lowest) << format.fraction_bits);
  return (unsigned short)(sign | (bits < infinity ? bits : infinity));
}

WEFT_FUNCTION real weft_from_f64(double v) { return real((weft_number)v); }
WEFT_FUNCTION double weft_to_f64(real v) { return (double)WEFT_NUMBER(v); }
WEFT_FUNCTION real weft_from_f32(float v) { return real((weft_number)v); }
WEFT_FUNCTION float weft_to_f32(real v) { return (float)WEFT_NUMBER(v); }
#define WEFT_STORED_BITS(T)                                                                        \
  WEFT_FUNCTION real weft_from_##T(unsigned short v) {                                             \
    return real((weft_number)weft_number_of_bits(v, weft_format_##T));                             \
  }                                                                                                \
  WEFT_FUNCTION unsigned short weft_to_##T(real v) {                                               \
    return weft_bits_of_number((double)WEFT_NUMBER(v), weft_format_##T);                           \
  }
WEFT_STORED_BITS(f16)
WEFT_STORED_BITS(bf16)

#define WEFT_STORED(T)                                                                             \
  WEFT_FUNCTION real real_load_##T(const T *p) { return weft_from_##T(WEFT_STORED_VALUE(p)); }     \
  WEFT_FUNCTION void real_store_##T(real v, T *p) { WEFT_STORED_SET(p, weft_to_##T(v)); }          \
  WEFT_FUNCTION lane lane_load_##T(const T *p) { WEFT_EACH(lane, real_load_##T(p + l)); }          \
  WEFT_FUNCTION void lane_store_##T(lane v, T *p) {                                                \
    for (i32 l = 0; l < WEFT_LANES; ++l)                                                           \
      real_store_##T(WEFT_ELEMENT(v, l), p + l);                                                   \
  }                                                                                                \
  WEFT_FUNCTION void lane_store_stream_##T(lane v, T *p) {                                         \
    if ((unsigned long)p % (WEFT_LANES * sizeof(T)) != 0)                                          \
      weft_host_fail("lane_store_stream_" #T " to an address that is not aligned to a lane");      \
    for (i32 l = 0; l < WEFT_LANES; ++l)                                                           \
      WEFT_STORED_STREAM(p + l, weft_to_##T(WEFT_ELEMENT(v, l)));                                  \
  }
WEFT_STORED(f64)
WEFT_STORED(f32)
WEFT_STORED(f16)
WEFT_STORED(bf16)

#define lane_gather_as(T, base, index, out)                                                        \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, WEFT_JOIN(real_load_, T)((base) + (index)[weft_l]));                   \
  } while (0)
#define lane_scatter_as(T, v, base, index)                                                         \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      WEFT_JOIN(real_store_, T)(lane_get(v, weft_l), (base) + (index)[weft_l]);                    \
  } while (0)
#define WEFT_PLACE4(base, index, part, l)                                                          \
  ((base) + 4 * (i64)(index)[((part) * WEFT_LANES + l) / 4] + ((part) * WEFT_LANES + l) % 4)
#define lane_gather4_as(T, base, index, part, out)                                                 \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, WEFT_JOIN(real_load_, T)(WEFT_PLACE4(base, index, part, weft_l)));     \
  } while (0)
#define lane_scatter4_as(T, v, base, index, part)                                                  \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      WEFT_JOIN(real_store_, T)(lane_get(v, weft_l), WEFT_PLACE4(base, index, part, weft_l));      \
  } while (0)
#define lane_spread4(v, part, out)                                                                 \
  do {                                                                                             \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, lane_get(v, ((part) * WEFT_LANES + weft_l) / 4));                      \
  } while (0)
