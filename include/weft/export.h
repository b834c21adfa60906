// What libweft exports: all else is hidden.
#pragma once

#define WEFT_EXPORT __attribute__((visibility("default")))
