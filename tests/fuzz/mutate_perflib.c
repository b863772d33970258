/* mutate_perflib.c - mutate.c for bundles, whose checksums are made right again. */
#define harness_run perflib_run
#include "mutate.c"
