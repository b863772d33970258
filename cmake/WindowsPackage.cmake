# A ZIP to unpack anywhere: the program, how to use it, the licence.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION .)
install(FILES ${PROJECT_SOURCE_DIR}/docs/windows.md DESTINATION . RENAME README.md)
set(CPACK_GENERATOR ZIP)
set(CPACK_PACKAGE_NAME perftab-capture)
set(CPACK_SYSTEM_NAME win64)
set(CPACK_PACKAGE_CHECKSUM SHA256)
include(CPack)
