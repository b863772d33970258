# Toolchain for 64-bit Windows: gcc-mingw-w64-x86-64-win32, of Debian, and the libraries that
# scripts/mingw-libraries builds.
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/../scripts/mingw-libraries --prefix
                OUTPUT_VARIABLE perftab_mingw_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH ${perftab_mingw_prefix} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
