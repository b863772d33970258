# Installs documents, manuals, schema and samples so that what they refer to is there.
#
# Folders are as in the source tree, below DOCDIR.  A Markdown link to a file that is not installed
# becomes its text, and manuals name documents by where they are installed.
set(PERFTAB_DOC_REFERENCE "" CACHE STRING
    "folder of the documents as manuals name it; empty: where they are installed")

set(documents CHANGELOG.md README.md SECURITY.md schema/README.md)
file(GLOB found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     docs/*.md docs/examples/* docs/formats/*.md docs/pictures/* sample-traces/README.md
     sample-traces/*/*)
list(APPEND documents ${found})
set(manuals perftab-analyze.1 perftab-capture.1 perftab-convert.1 perftab.3)

# At installation, because only then the prefix is known.
set(staged ${PROJECT_BINARY_DIR}/documents)
install(CODE "
	set(SOURCE \"${PROJECT_SOURCE_DIR}\")
	set(STAGED \"${staged}\")
	set(DOCUMENTS \"${documents}\")
	set(MANUALS \"${manuals}\")
	set(REFERENCE \"${PERFTAB_DOC_REFERENCE}\")
	if(NOT REFERENCE)
		set(REFERENCE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/perftab\")
	endif()
	include(\"${PROJECT_SOURCE_DIR}/cmake/StageDocs.cmake\")
")
install(DIRECTORY ${staged}/doc/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/perftab)
install(DIRECTORY ${staged}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${staged}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/perftab)
install(FILES schema/tables.sql schema/indexes.sql schema/late_indexes.sql schema/views.sql
              schema/perflib_views.sql DESTINATION ${CMAKE_INSTALL_DATADIR}/perftab/schema)
