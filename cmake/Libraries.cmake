# Libraries to link.  The recorder alone requires none; its optional ones are static.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(PERFTAB_CAPTURE_ONLY)
	set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
else()
	find_package(SQLite3 3.37 REQUIRED)
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
