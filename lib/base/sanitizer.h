/* sanitizer.h - what gcc says of the sanitizers of a build, said with clang as well. */
#ifndef PERFTAB_SANITIZER_H
#define PERFTAB_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#endif
