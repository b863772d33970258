/*
 * buffer_bytes.h - sizes of buffers, which are smaller in fuzz targets.
 *
 * A fuzz target runs thousands of inputs of a few kilobytes a second.  With small buffers
 * a run costs less than the memory it does not use, and each input crosses the edges of
 * blocks, which only large traces reach otherwise.
 */
#ifndef PERFTAB_BUFFER_BYTES_H
#define PERFTAB_BUFFER_BYTES_H

#ifdef PERFTAB_SMALL_BUFFERS
#define BUFFER_SIZE(usual, fuzzed) (fuzzed)
#else
#define BUFFER_SIZE(usual, fuzzed) (usual)
#endif

#endif
