/* damage_perflib.c - damage.c for bundles, whose checksums are made right again. */
#define harness_run perflib_run
#include "damage.c"
