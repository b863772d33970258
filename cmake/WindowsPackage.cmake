# A folder to unpack anywhere, of which scripts/windows-zip makes a ZIP: the programs, the SQLite
# extension, manuals, schema, samples, licences.
install(FILES LICENSE cmake/windows/self-test.cmd DESTINATION .)
install(FILES docs/windows.md DESTINATION . RENAME README.md)
# Of links to what the package lacks StageDocs.cmake leaves the text.
file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     docs/*.md docs/examples/* docs/formats/*.md docs/pictures/*)
list(APPEND documents CHANGELOG.md schema/README.md)
install(CODE "
	set(SOURCE \"${PROJECT_SOURCE_DIR}\")
	set(STAGED \"${PROJECT_BINARY_DIR}/documents\")
	set(DOCUMENTS \"${documents}\")
	set(MANUALS)
	include(\"${PROJECT_SOURCE_DIR}/cmake/StageDocs.cmake\")
")
install(DIRECTORY ${PROJECT_BINARY_DIR}/documents/doc/ DESTINATION .)
install(FILES schema/tables.sql schema/indexes.sql schema/late_indexes.sql schema/views.sql
              schema/perflib_views.sql DESTINATION schema)
install(DIRECTORY sample-traces/ DESTINATION samples)
install(DIRECTORY ${perftab_mingw_prefix}/licences/ DESTINATION licences)
install(FILES cmake/windows/licences.md DESTINATION licences RENAME README.md)
