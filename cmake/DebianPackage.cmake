# cpack -G DEB: perftab_VERSION-0perftab1_ARCHITECTURE.deb, and perftab-dbgsym with the symbols for
# debuggers.  cmake/DebianStage.cmake makes of the installed files what Debian asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perftab)
set(CPACK_PACKAGE_CONTACT "perftab authors <perftab@packages.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Lower than what Debian would call it.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0perftab1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "linux-perf, sqlite3")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"perftab reads perf.data in every form, Windows ETW traces and Windows
performance counters, and writes SQLite databases, CSV and Parquet files,
traces for Perfetto, flame graphs and pages to look at.  Where counters
were read at every context switch, it charges each CPU's counter deltas to
the thread that was switched out, and prints a bill per process.  It records
as well.")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_BUILD_SOURCE_DIRS "${PROJECT_SOURCE_DIR};${PROJECT_BINARY_DIR}")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianStage.cmake)
set(CPACK_PERFTAB_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PERFTAB_UPLOT "${UPLOT_DIR}")
set(CPACK_PERFTAB_SQLITE ${PERFTAB_SQLITE_MINIMUM})
include(CPack)
