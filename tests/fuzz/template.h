/*
 * template.h - a small converted database for the targets that read one: every family
 * of tables, in a file in memory.
 */
#ifndef PERFTAB_TEMPLATE_H
#define PERFTAB_TEMPLATE_H

/* Converts the samples to that path; ends the program on failure. */
void template_make(const char *path);

/* Polls of the interrupt flag until it reads as set: an endless query ends by it. */
void template_allow_polls(unsigned int polls);

#endif
