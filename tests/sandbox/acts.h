/* acts.h - what hostile code would try: files, sockets, programs. */
#ifndef PERFTAB_ACTS_H
#define PERFTAB_ACTS_H

#define ACT_BYTES 1025

/* "what [path]"; the result is a sentence that says what came of it. */
void act(const char *text, char result[ACT_BYTES]);

#endif
