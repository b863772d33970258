/* scratch.h - a folder in memory, for targets whose inputs must be files. */
#ifndef PERFTAB_SCRATCH_H
#define PERFTAB_SCRATCH_H

/* Of this process, removed at its end. */
const char *scratch_folder(void);
/* The path of NAME in it; valid until the next call. */
const char *scratch_path(const char *name);
/* A file of these bytes there; ends the program on failure. */
void scratch_save(const char *name, const void *bytes, unsigned long size);

#endif
