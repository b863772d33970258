/*
 * reader.h - reads a Parquet file without lib/, as far as perftab's files need it, and
 * prints its rows.
 */
#ifndef PERFTAB_GENERATE_PARQUET_READER_H
#define PERFTAB_GENERATE_PARQUET_READER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Names of the columns in a line, then a line for each row, with | between cells.  NULL
 * is empty, bytes are hexadecimal.  NULL, or what is wrong with the file.
 */
const char *parquet_print(FILE *to, const uint8_t *data, size_t size);
/* The name=value of the footer, a line each, instead of the rows. */
const char *parquet_print_keys(FILE *to, const uint8_t *data, size_t size);

#endif
