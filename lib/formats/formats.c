/* formats.c - the list of all input formats. */
#include "formats/formats.h"

const struct reader_ops *const all_formats[] = { TRACE_FORMATS, &database_reader, NULL };
