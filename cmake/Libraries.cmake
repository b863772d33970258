# Libraries to link.  The recorder alone requires none; its optional ones are static.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(PERFTAB_SQLITE_MINIMUM 3.37) # STRICT tables
if(PERFTAB_CAPTURE_ONLY OR PERFTAB_STATIC)
	set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
if(NOT PERFTAB_CAPTURE_ONLY)
	find_package(SQLite3 ${PERFTAB_SQLITE_MINIMUM} REQUIRED)
	find_package(ZLIB REQUIRED)
	find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
	find_library(CSV_LIBRARY csv REQUIRED)
	set(required REQUIRED)
endif()
find_path(ZSTD_INCLUDE_DIR zstd.h ${required})
find_library(ZSTD_LIBRARY zstd ${required})
# Optional: event names of processor models (libpfm4-dev).
find_path(PFM_INCLUDE_DIR perfmon/pfmlib_perf_event.h)
find_library(PFM_LIBRARY pfm)
# Optional: .etl buffers compressed with XPRESS_HUFF (libwim-dev).
find_path(WIM_INCLUDE_DIR wimlib.h)
find_library(WIM_LIBRARY wim)
# Optional: names of functions from ELF files (libelf-dev).
if(NOT PERFTAB_CAPTURE_ONLY)
	find_path(ELF_INCLUDE_DIR gelf.h)
	find_library(ELF_LIBRARY elf)
endif()
# What the static ones use themselves.
if(PERFTAB_STATIC)
	target_link_libraries(SQLite::SQLite3 INTERFACE m)
	if(ELF_LIBRARY)
		list(APPEND ELF_LIBRARY ZLIB::ZLIB)
	endif()
endif()
