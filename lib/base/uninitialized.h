/*
 * uninitialized.h - large variables of the functions that each record goes through.
 *
 * Hardened builds set automatic variables to zero (cmake/Hardening.cmake).  For the first
 * four that were marked, that took a fifth of the time of reading switches.  One that is
 * marked is filled before it is read.
 */
#ifndef PERFTAB_UNINITIALIZED_H
#define PERFTAB_UNINITIALIZED_H

#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define UNINITIALIZED __attribute__((uninitialized))
#endif
#endif
#ifndef UNINITIALIZED
#define UNINITIALIZED
#endif

#endif
