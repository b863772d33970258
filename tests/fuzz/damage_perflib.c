/* damage_perflib.c - damage.c for bundles, whose checksums are made right again. */
#include "harness.h"

#define DAMAGE_RUN perflib_run
#include "damage.c"
