// The dialect in plain C++, for tests: the host device compiles it with the project's own compiler,
// so that the sanitizers see every access, and runs work-items one after the other. A lane is a
// struct without conversions: what this dialect accepts is in the dialect's README and no more.
// With WEFT_COUNT_OPS reals count the operations done on them, and every number tells the host
// device where it is read from and written to, which finds the bytes of buffers among that.

// clang-format off
typedef long i64;

#ifdef WEFT_REAL_F64
typedef double weft_number;
#define WEFT_NUMBER_CODE 'd'
#define WEFT_MATH(name) __builtin_##name
#else
typedef float weft_number;
#define WEFT_NUMBER_CODE 'f'
#define WEFT_MATH(name) __builtin_##name##f
#endif

// Set by the host device before it runs a work-item; the names are its interface to this text.
#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))
struct weft_work_item { int group, num_groups, local, group_size; i64 group_serial; };
WEFT_EXPORT weft_work_item weft_item;
WEFT_EXPORT void (*weft_host_barrier)();
WEFT_EXPORT void (*weft_host_fail)(const char *what);
weft_work_item weft_item;
void (*weft_host_barrier)();
void (*weft_host_fail)(const char *what);

#ifdef WEFT_COUNT_OPS
#ifdef WEFT_COUNT_WARPS
// Every step of a work-item, with the innermost frame of its stack: see WarpTrace. The compiler
// calls the function of its name where a piece of straight code begins.
#define WEFT_UNTRACED __attribute__((noinline, no_sanitize_coverage))
WEFT_EXPORT void (*weft_host_step)(const void *frame, const void *address, unsigned bytes, char how);
WEFT_EXPORT const void *weft_text_begin, *weft_text_end;
void (*weft_host_step)(const void *frame, const void *address, unsigned bytes, char how);
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, etext;
const void *weft_text_begin = &__ehdr_start, *weft_text_end = &etext;
#define WEFT_STEP(address, bytes, how)                                                             \
  (weft_host_step ? weft_host_step(__builtin_frame_address(0), address, bytes, how) : (void)0)
static bool weft_steps_pause; // what is no kernel's is done
extern "C" WEFT_UNTRACED void __sanitizer_cov_trace_pc() {
  if (!weft_steps_pause)
    WEFT_STEP(nullptr, 0, 'b');
}
#define WEFT_PAUSE_STEPS(pause) (weft_steps_pause = (pause))
static WEFT_UNTRACED void weft_step_barrier() { WEFT_STEP(nullptr, 0, '|'); }
#else
#define WEFT_UNTRACED __attribute__((noinline))
#define WEFT_STEP(address, bytes, how) (void)0
#define WEFT_PAUSE_STEPS(pause) (void)0
#endif

// What is counted, by the names of the dialect where it has one.
#define WEFT_COUNTED(x)                                                                            \
  x(add) x(multiply) x(fma) x(divide) x(sqrt) x(abs) x(sign) x(floor) x(min) x(max)                \
  x(exp) x(log) x(sin) x(cos) x(tan) x(asin) x(acos) x(atan) x(atan2) x(sinh) x(cosh) x(tanh)      \
  x(pow) x(stage_reads4) x(stage_reads1) x(stage_adds4) x(stage_adds1) x(local_bytes)
#define WEFT_COUNTED_PLACE(name) weft_count_of_##name,
#define WEFT_COUNTED_NAME(name) #name,
enum { WEFT_COUNTED(WEFT_COUNTED_PLACE) weft_num_counted };
WEFT_EXPORT const char *weft_counted_names[];
WEFT_EXPORT unsigned long long weft_counted[];
const char *weft_counted_names[] = {WEFT_COUNTED(WEFT_COUNTED_NAME) nullptr};
unsigned long long weft_counted[weft_num_counted];
#define WEFT_COUNT(name, number) (weft_counted[weft_count_of_##name] += (number))

// The buffers of the launch lie between these; accesses there are told to the host device, which
// knows whether they are of one.
WEFT_EXPORT const char *weft_buffers_begin, *weft_buffers_end;
WEFT_EXPORT bool (*weft_host_access)(const void *address, unsigned bytes, char how);
const char *weft_buffers_begin, *weft_buffers_end;
bool (*weft_host_access)(const void *address, unsigned bytes, char how);
// Arrays of local memory.
struct weft_local_range { const char *begin, *end; };
static weft_local_range weft_locals[64];
static void weft_local_declared(const void *array, unsigned long bytes) {
  for (weft_local_range &range : weft_locals)
    if (!range.begin || range.begin == array) {
      range = {(const char *)array, (const char *)array + bytes};
      return;
    }
  weft_host_fail("more local arrays than are counted");
}
// `how`: r(ead), v: the value of a real is read, w(ritten), s(treamed past the caches)
WEFT_UNTRACED static void weft_access(const void *address, unsigned bytes, char how) {
  for (const weft_local_range &range : weft_locals) {
    if (!range.begin) // nor is there one after it
      break;
    if ((const char *)address >= range.begin && (const char *)address < range.end) {
      WEFT_COUNT(local_bytes, bytes);
      WEFT_STEP(address, bytes, 'l');
    }
  }
  if ((const char *)address >= weft_buffers_begin && (const char *)address < weft_buffers_end &&
      weft_host_access(address, bytes, how))
    WEFT_STEP(address, bytes, how);
}
#define WEFT_READ(number) weft_access(&(number), sizeof(number), 'r')
#define WEFT_READ_REAL(number) weft_access(&(number), sizeof(number), 'v')
#define WEFT_WRITTEN(number) weft_access(&(number), sizeof(number), 'w')

// An integer that may lie in a buffer; does all that T does by turning into one.
template <typename T> struct weft_integer {
  T value;
  weft_integer() = default;
  // Not by itself from wider ones: `wide ? a : b` of both takes the wider.
  template <typename U> explicit(sizeof(U) > sizeof(T)) constexpr weft_integer(U v) : value((T)v) {}
  weft_integer(const weft_integer &other) : value(other.value) { WEFT_READ(other); }
  weft_integer &operator=(const weft_integer &other) {
    WEFT_READ(other);
    WEFT_WRITTEN(*this);
    value = other.value;
    return *this;
  }
  operator T() const { WEFT_READ(*this); return value; }
  template <typename U> weft_integer &operator+=(U v) { return *this = (T)*this + v; }
  template <typename U> weft_integer &operator-=(U v) { return *this = (T)*this - v; }
  template <typename U> weft_integer &operator*=(U v) { return *this = (T)*this * v; }
  template <typename U> weft_integer &operator/=(U v) { return *this = (T)*this / v; }
  weft_integer &operator++() { return *this += 1; }
  weft_integer &operator--() { return *this -= 1; }
};
typedef weft_integer<unsigned char> u8;
typedef weft_integer<unsigned short> u16;
typedef weft_integer<int> i32;
typedef weft_integer<unsigned> u32;

template <typename T> struct weft_is_arithmetic { static constexpr bool value = false; };
#define WEFT_ARITHMETIC(type) \
  template <> struct weft_is_arithmetic<type> { static constexpr bool value = true; };
WEFT_ARITHMETIC(int) WEFT_ARITHMETIC(unsigned) WEFT_ARITHMETIC(long) WEFT_ARITHMETIC(bool)
WEFT_ARITHMETIC(unsigned short) WEFT_ARITHMETIC(float) WEFT_ARITHMETIC(double)
WEFT_ARITHMETIC(i32) WEFT_ARITHMETIC(u32) WEFT_ARITHMETIC(u16)

struct real {
  weft_number value;
  real() = default;
  template <typename T, bool allowed = weft_is_arithmetic<T>::value>
    requires allowed
  constexpr real(T v) : value((weft_number)v) {}
  real(const real &other) : value(other.value) { WEFT_READ_REAL(other); }
  real &operator=(const real &other) {
    WEFT_READ_REAL(other);
    WEFT_WRITTEN(*this);
    value = other.value;
    return *this;
  }
  weft_number read() const { WEFT_READ_REAL(*this); return value; }
  explicit operator weft_number() const { return read(); }
  explicit operator int() const { return (int)read(); }
  friend real operator+(const real &a, const real &b) { WEFT_COUNT(add, 1); return real(a.read() + b.read()); }
  friend real operator-(const real &a, const real &b) { WEFT_COUNT(add, 1); return real(a.read() - b.read()); }
  friend real operator*(const real &a, const real &b) { WEFT_COUNT(multiply, 1); return real(a.read() * b.read()); }
  friend real operator/(const real &a, const real &b) { WEFT_COUNT(divide, 1); return real(a.read() / b.read()); }
  friend real operator-(const real &a) { return real(-a.read()); }
  real &operator+=(const real &b) { return *this = *this + b; }
  real &operator-=(const real &b) { return *this = *this - b; }
  real &operator*=(const real &b) { return *this = *this * b; }
  real &operator/=(const real &b) { return *this = *this / b; }
  friend bool operator<(const real &a, const real &b) { return a.read() < b.read(); }
  friend bool operator<=(const real &a, const real &b) { return a.read() <= b.read(); }
  friend bool operator>(const real &a, const real &b) { return a.read() > b.read(); }
  friend bool operator>=(const real &a, const real &b) { return a.read() >= b.read(); }
  friend bool operator==(const real &a, const real &b) { return a.read() == b.read(); }
  friend bool operator!=(const real &a, const real &b) { return a.read() != b.read(); }
};
static inline real weft_real_fma(const real &a, const real &b, const real &c) {
  WEFT_COUNT(fma, 1);
  return real(a.read() * b.read() + c.read());
}
static inline void weft_real_stream(const real &v, real *p) {
  p->value = v.read();
  weft_access(p, sizeof *p, 's');
}
#define WEFT_NUMBER(r) ((r).value)
#else
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef weft_number real;
#define weft_real_fma(a, b, c) ((a) * (b) + (c))
#define weft_real_stream(v, p) (*(p) = (v))
#define WEFT_NUMBER(r) (r)
#define WEFT_COUNT(name, number) (void)0
#define WEFT_PAUSE_STEPS(pause) (void)0
#define weft_local_declared(array, bytes) (void)0
#endif

// One letter for each parameter of a kernel: p(ointer), i(32), l(64), d(ouble), f(loat).
template <typename T> struct weft_parameter;
template <typename T> struct weft_parameter<T *> { static constexpr char code = 'p'; };
template <typename T> struct weft_parameter<T *__restrict__> { static constexpr char code = 'p'; };
template <> struct weft_parameter<i32> { static constexpr char code = 'i'; };
template <> struct weft_parameter<i64> { static constexpr char code = 'l'; };
template <> struct weft_parameter<real> { static constexpr char code = WEFT_NUMBER_CODE; };

template <int... I> struct weft_indices {};
template <int N, int... I> struct weft_count_to : weft_count_to<N - 1, N - 1, I...> {};
template <int... I> struct weft_count_to<0, I...> { typedef weft_indices<I...> type; };
template <typename... A, int... I>
void weft_call(void (*f)(A...), void **arguments, weft_indices<I...>) { f(*(A *)arguments[I]...); }
template <typename... A> void weft_call(void (*f)(A...), void **arguments) {
  weft_call(f, arguments, typename weft_count_to<sizeof...(A)>::type());
}
template <typename... A> const char *weft_signature(void (*)(A...)) {
  static const char codes[] = {weft_parameter<A>::code..., 0};
  return codes;
}

// The name may be a macro.
#define WEFT_KERNEL(name, ...) WEFT_KERNEL_OF(name, __VA_ARGS__)
#define WEFT_KERNEL_OF(name, ...)                                                                  \
  void name(__VA_ARGS__);                                                                          \
  WEFT_EXPORT void weft_call_##name(void **arguments) { weft_call(name, arguments); }               \
  WEFT_EXPORT const char *weft_signature_##name() { return weft_signature(name); }                  \
  void name(__VA_ARGS__)
#define WEFT_FUNCTION [[maybe_unused]] static inline
#define WEFT_GLOBAL
#define WEFT_LOCAL
#define WEFT_PRIVATE
#define WEFT_CONSTANT static const
#define WEFT_TABLE
#define WEFT_RESTRICT __restrict__
// Filled with NaN when a group begins: what the group before left is not to be read.
#define WEFT_LOCAL_ARRAY(type, name, count)                                                        \
  WEFT_PAUSE_STEPS(true);                                                                          \
  static type name[count];                                                                         \
  static i64 weft_serial_of_##name = -1;                                                           \
  if (weft_serial_of_##name != weft_item.group_serial) {                                           \
    weft_serial_of_##name = weft_item.group_serial;                                                \
    __builtin_memset((void *)name, 0xff, sizeof name);                                             \
    weft_local_declared(name, sizeof name);                                                        \
  }                                                                                                \
  WEFT_PAUSE_STEPS(false)
#define WEFT_UNROLL
#define WEFT_UNROLL_ALL
#define WEFT_NO_UNROLL
#define WEFT_SCALAR_LOOP

#define weft_group_id() (weft_item.group)
#define weft_local_id() (weft_item.local)
#define weft_group_size() (weft_item.group_size)
#define weft_num_groups() (weft_item.num_groups)
#ifdef WEFT_COUNT_WARPS
#define weft_barrier() (weft_step_barrier(), weft_host_barrier())
#else
#define weft_barrier() weft_host_barrier()
#endif
#define weft_step()

#if WEFT_LANES == 1
typedef real lane;
typedef bool mask;
#define lane_get(v, i) (v)
#define lane_set(v, i, s) ((v) = (s))
#define WEFT_ELEMENT(v, l) (v)
#else
struct lane { real element[WEFT_LANES]; };
struct mask { bool element[WEFT_LANES]; };
#define lane_get(v, i) ((v).element[i])
#define lane_set(v, i, s) ((v).element[i] = (s))
#define WEFT_ELEMENT(v, l) ((v).element[l])
#endif

// result's elements, each from an expression in the lane's number l
#define WEFT_EACH(type, expression)                                                                \
  type result;                                                                                     \
  for (i32 l = 0; l < WEFT_LANES; ++l)                                                             \
    WEFT_ELEMENT(result, l) = (expression);                                                        \
  return result
#define WEFT_A WEFT_ELEMENT(a, l)
#define WEFT_B WEFT_ELEMENT(b, l)

#if WEFT_LANES > 1
static inline lane operator+(lane a, lane b) { WEFT_EACH(lane, WEFT_A + WEFT_B); }
static inline lane operator-(lane a, lane b) { WEFT_EACH(lane, WEFT_A - WEFT_B); }
static inline lane operator*(lane a, lane b) { WEFT_EACH(lane, WEFT_A * WEFT_B); }
static inline lane operator/(lane a, lane b) { WEFT_EACH(lane, WEFT_A / WEFT_B); }
static inline lane operator-(lane a) { WEFT_EACH(lane, -WEFT_A); }
static inline lane &operator+=(lane &a, lane b) { return a = a + b; }
static inline lane &operator-=(lane &a, lane b) { return a = a - b; }
static inline lane &operator*=(lane &a, lane b) { return a = a * b; }
static inline lane &operator/=(lane &a, lane b) { return a = a / b; }
#endif

WEFT_FUNCTION lane lane_splat(real s) { WEFT_EACH(lane, s); }
WEFT_FUNCTION lane lane_load(const real *p) { WEFT_EACH(lane, p[l]); }
WEFT_FUNCTION lane lane_load_local(const real *p) { WEFT_EACH(lane, p[l]); }
WEFT_FUNCTION lane lane_load_private(const real *p) { WEFT_EACH(lane, p[l]); }
WEFT_FUNCTION void lane_store(lane v, real *p) {
  for (i32 l = 0; l < WEFT_LANES; ++l)
    p[l] = WEFT_ELEMENT(v, l);
}
WEFT_FUNCTION void lane_store_local(lane v, real *p) { lane_store(v, p); }
WEFT_FUNCTION void lane_store_private(lane v, real *p) { lane_store(v, p); }
WEFT_FUNCTION void lane_store_stream(lane v, real *p) {
  if ((unsigned long)p % sizeof(lane) != 0)
    weft_host_fail("lane_store_stream to an address that is not aligned to a lane");
  for (i32 l = 0; l < WEFT_LANES; ++l)
    weft_real_stream(WEFT_ELEMENT(v, l), p + l);
}

WEFT_FUNCTION lane lane_fma(lane a, lane b, lane c) {
  WEFT_EACH(lane, weft_real_fma(WEFT_A, WEFT_B, WEFT_ELEMENT(c, l)));
}

#define WEFT_LANE_FUNCTION(name, function)                                                         \
  WEFT_FUNCTION real weft_real_##name(real a) {                                                    \
    WEFT_COUNT(name, 1);                                                                           \
    return real(WEFT_MATH(function)(WEFT_NUMBER(a)));                                              \
  }                                                                                                \
  WEFT_FUNCTION lane lane_##name(lane a) { WEFT_EACH(lane, weft_real_##name(WEFT_A)); }
WEFT_LANE_FUNCTION(sqrt, sqrt)
WEFT_LANE_FUNCTION(exp, exp)
WEFT_LANE_FUNCTION(log, log)
WEFT_LANE_FUNCTION(sin, sin)
WEFT_LANE_FUNCTION(cos, cos)
WEFT_LANE_FUNCTION(tan, tan)
WEFT_LANE_FUNCTION(asin, asin)
WEFT_LANE_FUNCTION(acos, acos)
WEFT_LANE_FUNCTION(atan, atan)
WEFT_LANE_FUNCTION(sinh, sinh)
WEFT_LANE_FUNCTION(cosh, cosh)
WEFT_LANE_FUNCTION(tanh, tanh)
WEFT_LANE_FUNCTION(abs, fabs)
WEFT_LANE_FUNCTION(floor, floor)

#define WEFT_LANE_FUNCTION2(name)                                                                  \
  WEFT_FUNCTION real weft_real_##name(real a, real b) {                                            \
    WEFT_COUNT(name, 1);                                                                           \
    return real(WEFT_MATH(name)(WEFT_NUMBER(a), WEFT_NUMBER(b)));                                  \
  }                                                                                                \
  WEFT_FUNCTION lane lane_##name(lane a, lane b) {                                                 \
    WEFT_EACH(lane, weft_real_##name(WEFT_A, WEFT_B));                                             \
  }
WEFT_LANE_FUNCTION2(pow)
WEFT_LANE_FUNCTION2(atan2)

WEFT_FUNCTION mask lane_lt(lane a, lane b) { WEFT_EACH(mask, WEFT_A < WEFT_B); }
WEFT_FUNCTION mask lane_le(lane a, lane b) { WEFT_EACH(mask, WEFT_A <= WEFT_B); }
WEFT_FUNCTION mask lane_gt(lane a, lane b) { WEFT_EACH(mask, WEFT_A > WEFT_B); }
WEFT_FUNCTION mask lane_ge(lane a, lane b) { WEFT_EACH(mask, WEFT_A >= WEFT_B); }
WEFT_FUNCTION mask lane_eq(lane a, lane b) { WEFT_EACH(mask, WEFT_A == WEFT_B); }
WEFT_FUNCTION mask lane_ne(lane a, lane b) { WEFT_EACH(mask, WEFT_A != WEFT_B); }
WEFT_FUNCTION mask mask_and(mask a, mask b) { WEFT_EACH(mask, WEFT_A && WEFT_B); }
WEFT_FUNCTION mask mask_or(mask a, mask b) { WEFT_EACH(mask, WEFT_A || WEFT_B); }
WEFT_FUNCTION mask mask_not(mask a) { WEFT_EACH(mask, !WEFT_A); }
WEFT_FUNCTION lane lane_select(mask m, lane a, lane b) {
  WEFT_EACH(lane, WEFT_ELEMENT(m, l) ? WEFT_A : WEFT_B);
}

WEFT_FUNCTION real weft_real_min(real a, real b) { WEFT_COUNT(min, 1); return b < a ? b : a; }
WEFT_FUNCTION real weft_real_max(real a, real b) { WEFT_COUNT(max, 1); return a < b ? b : a; }
WEFT_FUNCTION real weft_real_sign(real a) {
  WEFT_COUNT(sign, 1);
  return a > real(0) ? real(1) : (a < real(0) ? real(-1) : real(0));
}
WEFT_FUNCTION lane lane_min(lane a, lane b) { WEFT_EACH(lane, weft_real_min(WEFT_A, WEFT_B)); }
WEFT_FUNCTION lane lane_max(lane a, lane b) { WEFT_EACH(lane, weft_real_max(WEFT_A, WEFT_B)); }
WEFT_FUNCTION lane lane_sign(lane a) { WEFT_EACH(lane, weft_real_sign(WEFT_A)); }

WEFT_FUNCTION void lane_transpose(lane *r) {
  for (int k = 0; k < WEFT_LANES; ++k)
    for (int l = 0; l < k; ++l) {
      const real other = WEFT_ELEMENT(r[k], l);
      WEFT_ELEMENT(r[k], l) = WEFT_ELEMENT(r[l], k);
      WEFT_ELEMENT(r[l], k) = other;
    }
}

#define lane_gather4(base, index, out) lane_gather4_strided(base, 4, index, out)
#define lane_gather4_strided(base, stride, index, out)                                             \
  do {                                                                                             \
    WEFT_COUNT(stage_reads4, WEFT_LANES);                                                          \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      for (i32 weft_k = 0; weft_k < 4; ++weft_k)                                                   \
        WEFT_ELEMENT((out)[weft_k], weft_l) = (base)[(stride) * (i64)(index)[weft_l] + weft_k];    \
  } while (0)
#define lane_scatter_add4(base, index, in) lane_scatter_add4_strided(base, 4, index, in)
#define lane_scatter_add4_strided(base, stride, index, in)                                         \
  do {                                                                                             \
    WEFT_COUNT(stage_adds4, WEFT_LANES);                                                           \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      for (i32 weft_k = 0; weft_k < 4; ++weft_k)                                                   \
        (base)[(stride) * (i64)(index)[weft_l] + weft_k] += WEFT_ELEMENT((in)[weft_k], weft_l);    \
  } while (0)

// Reals that a lane group gathers; those from buffers are read from memory, not from a stage.
#ifdef WEFT_COUNT_OPS
static void weft_count_gather(const char *base) {
  if (base < weft_buffers_begin || base >= weft_buffers_end)
    WEFT_COUNT(stage_reads1, WEFT_LANES);
}
#else
#define weft_count_gather(base)
#endif

// The real `bytes` bytes past `base`, a pointer to reals in that address space. Kernels add to it.
#define WEFT_REAL_PAST(space, base, bytes) (*(space real *)((space char *)(base) + (bytes)))
#define weft_real_at(space, base, bytes)                                                           \
  (WEFT_COUNT(stage_adds1, 1), WEFT_REAL_PAST(space, base, bytes))
#define lane_gather(space, base, bytes, index, out)                                                \
  do {                                                                                             \
    weft_count_gather((const char *)(base));                                                       \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, WEFT_REAL_PAST(space, base, (u32)(bytes) * (index)[weft_l]));          \
  } while (0)

#define weft_read_alone(pointer) (*(pointer))
#define weft_read_index_alone(pointer) (*(pointer))
#define lane_gather_alone(space, base, index, out)                                                 \
  do {                                                                                             \
    weft_count_gather((const char *)(base));                                                       \
    for (i32 weft_l = 0; weft_l < WEFT_LANES; ++weft_l)                                            \
      lane_set(out, weft_l, (base)[(index)[weft_l]]);                                              \
  } while (0)
#define weft_prefetch(pointer, bytes)                                                              \
  __builtin_prefetch((const void *)((unsigned long)(pointer) + (bytes)))
