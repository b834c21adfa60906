// What stored numbers are read and written by, with their type as an argument: the same in each
// language, before its own names of loads and stores.
#ifndef WEFT_JOIN
#define WEFT_JOIN_TEXT(a, b) a##b
#define WEFT_JOIN(a, b) WEFT_JOIN_TEXT(a, b)
#endif
#define lane_load_as(T, p) WEFT_JOIN(lane_load_, T)(p)
#define lane_store_as(T, v, p) WEFT_JOIN(lane_store_, T)(v, p)
#define lane_store_stream_as(T, v, p) WEFT_JOIN(lane_store_stream_, T)(v, p)
#define real_load_as(T, p) WEFT_JOIN(real_load_, T)(p)
#define real_store_as(T, v, p) WEFT_JOIN(real_store_, T)(v, p)
