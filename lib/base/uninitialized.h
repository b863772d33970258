/*
 * uninitialized.h - large variables of the functions that each record goes through.
 *
 * Hardened builds set automatic variables to zero (cmake/Hardening.cmake).  That took a
 * fifth of the time of reading switches for four variables that are filled before they
 * are read; these are marked.
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
