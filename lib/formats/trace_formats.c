/* trace_formats.c - the formats of traces, for programs without SQLite. */
#include "formats/formats.h"

const struct reader_ops *const trace_formats[] = { TRACE_FORMATS, NULL };
