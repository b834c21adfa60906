// What stands before the CUDA text of a program that tests/stand_in/nvrtc.cpp compiles for the
// host: the names of CUDA C++ that kernels/dialect/cuda.h uses, and how the driver reaches them.
// __global__ is left to the compiler, which finds the kernels by it.

struct stand_in_dim3 {
  unsigned x, y, z;
};
#define STAND_IN_EXPORT extern "C" __attribute__((visibility("default"), used))
// threadIdx, blockIdx, blockDim, gridDim; set by the driver.
STAND_IN_EXPORT stand_in_dim3 stand_in_place[4] = {};
STAND_IN_EXPORT void (*stand_in_barrier)() = nullptr;
#define threadIdx stand_in_place[0]
#define blockIdx stand_in_place[1]
#define blockDim stand_in_place[2]
#define gridDim stand_in_place[3]
#define __syncthreads() stand_in_barrier()

// Of a warp that all threads of the block are in step with.
template <typename T> inline T __shfl_down_sync(unsigned, T value, int by) {
  static T values[1024];
  const unsigned thread = threadIdx.x, other = thread + (unsigned)by;
  values[thread] = value;
  stand_in_barrier();
  const T result = other / 32 == thread / 32 && other < blockDim.x ? values[other] : value;
  stand_in_barrier();
  return result;
}

#define __device__
#define __constant__ static const
#define __forceinline__ inline
// One block runs at a time. The driver fills the section before each.
#define __shared__ static __attribute__((section("stand_in_block")))

#define STAND_IN_FUNCTION1(name)                                                                   \
  extern "C" double name(double);                                                                  \
  extern "C" float name##f(float);
#define STAND_IN_FUNCTION2(name)                                                                   \
  extern "C" double name(double, double);                                                          \
  extern "C" float name##f(float, float);
STAND_IN_FUNCTION1(sqrt)
STAND_IN_FUNCTION1(exp)
STAND_IN_FUNCTION1(log)
STAND_IN_FUNCTION1(sin)
STAND_IN_FUNCTION1(cos)
STAND_IN_FUNCTION1(tan)
STAND_IN_FUNCTION1(asin)
STAND_IN_FUNCTION1(acos)
STAND_IN_FUNCTION1(atan)
STAND_IN_FUNCTION1(sinh)
STAND_IN_FUNCTION1(cosh)
STAND_IN_FUNCTION1(tanh)
STAND_IN_FUNCTION1(fabs)
STAND_IN_FUNCTION1(floor)
STAND_IN_FUNCTION2(pow)
STAND_IN_FUNCTION2(atan2)
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);

template <typename T> inline void __stcs(T *to, T value) {
  *to = value;
}

inline float __uint_as_float(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}
inline unsigned __float_as_uint(float value) {
  return __builtin_bit_cast(unsigned, value);
}
// Toward zero.
inline float __double2float_rz(double value) {
  const float nearest = (float)value;
  return __builtin_fabs((double)nearest) > __builtin_fabs(value)
             ? __uint_as_float(__float_as_uint(nearest) - 1)
             : nearest;
}

// PTX that the compiler puts these in the place of: bits of binary16, which GCC knows as _Float16.
template <typename T> inline T stand_in_from_f16(unsigned short bits) {
  return (T) __builtin_bit_cast(_Float16, bits);
}
template <typename T> inline unsigned short stand_in_to_f16(T value) {
  return __builtin_bit_cast(unsigned short, (_Float16)value);
}
// Two at once, rounded to f64 on the way.
inline unsigned stand_in_fma_f16x2(unsigned a, unsigned b, unsigned c) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto part = [shift](unsigned pair) {
      return stand_in_from_f16<double>((unsigned short)(pair >> shift));
    };
    result |= (unsigned)stand_in_to_f16(part(a) * part(b) + part(c)) << shift;
  }
  return result;
}

template <typename T> struct stand_in_is_pointer { static constexpr bool value = false; };
template <typename T> struct stand_in_is_pointer<T *> { static constexpr bool value = true; };

// The parameters in their order: in braces they are taken from left to right.
template <typename... Parameter> struct stand_in_call {
  stand_in_call(void (*kernel)(Parameter...), Parameter... parameter) { kernel(parameter...); }
};
template <typename... Parameter>
inline void stand_in_run(void (*kernel)(Parameter...), void **values) {
  [[maybe_unused]] int i = 0;
  stand_in_call<Parameter...>{kernel, *(Parameter *)values[i++]...};
}

// The sizes of the parameters, those of pointers negative; then 0.
template <typename... Parameter> inline const int *stand_in_sizes(void (*)(Parameter...)) {
  static const int sizes[] = {
      (stand_in_is_pointer<Parameter>::value ? -1 : 1) * (int)sizeof(Parameter)..., 0};
  return sizes;
}
