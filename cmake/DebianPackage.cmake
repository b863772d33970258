# cpack -G DEB: perftab, libperftab0 and libperftab-dev as NAME_VERSION-0perftab1_ARCHITECTURE.deb,
# and perftab-dbgsym with the symbols of the programs.  cmake/DebianStage.cmake makes of the installed
# files what Debian asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perftab)
set(CPACK_PACKAGE_CONTACT "perftab authors <perftab@packages.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL programs library development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Lower than what Debian would call it.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0perftab1)
set(version ${PROJECT_VERSION}-0perftab1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAMS_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME perftab)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION utils)
if(PERFTAB_PFM_NAME MATCHES "\\.so\\.4$") # loaded when a name of a model is asked for
	set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS libpfm4)
endif()
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "linux-perf, sqlite3")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION
"${PROJECT_DESCRIPTION}
perftab reads perf.data in every form, Windows ETW traces and Windows
performance counters, and writes SQLite databases, CSV and Parquet files,
traces for Perfetto, flame graphs and pages to look at.  Where counters
were read at every context switch, it charges each CPU's counter deltas to
the thread that was switched out, and prints a bill per process.  It records
as well.")

set(library libperftab${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# What CPack would make itself, along with scripts that call ldconfig: a trigger does that.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers
    ${PROJECT_BINARY_DIR}/debian/shlibs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"performance traces as tables - library
libperftab reads perf.data, Windows ETW traces and Windows performance
counters, and returns the rows of the tables that perftab-convert writes.")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
     "libperftab ${PROJECT_VERSION_MAJOR} ${library} (>= ${PROJECT_VERSION})\n")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libperftab-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${version})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "perftab (= ${version})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"performance traces as tables - header of the library
The header and the manual of libperftab, which reads perf.data, Windows ETW
traces and Windows performance counters.")

set(CPACK_BUILD_SOURCE_DIRS "${PROJECT_SOURCE_DIR};${PROJECT_BINARY_DIR}")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianStage.cmake)
set(CPACK_PERFTAB_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PERFTAB_UPLOT "${UPLOT_DIR}")
set(CPACK_PERFTAB_SQLITE ${PERFTAB_SQLITE_MINIMUM})
include(CPack)
