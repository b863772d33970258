# A folder to unpack anywhere, of which scripts/windows-zip makes a ZIP: the programs, the SQLite
# extension, manuals, schema, samples, licences.
install(FILES LICENSE CHANGELOG.md cmake/windows/self-test.cmd DESTINATION .)
install(FILES docs/windows.md DESTINATION . RENAME README.md)
install(DIRECTORY docs DESTINATION . FILES_MATCHING PATTERN *.md PATTERN man EXCLUDE)
install(FILES schema/tables.sql schema/indexes.sql schema/late_indexes.sql schema/views.sql
              schema/perflib_views.sql schema/README.md DESTINATION schema)
install(DIRECTORY sample-traces/ DESTINATION samples)
install(DIRECTORY ${perftab_mingw_prefix}/licences/ DESTINATION licences)
install(FILES cmake/windows/licences.md DESTINATION licences RENAME README.md)
