# CPack includes this before it packs what was installed below STAGE: dependencies, copyright,
# changelog, compression and times as Debian's policy has them.
cmake_policy(VERSION 3.21)
set(STAGE ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(DOC ${STAGE}/usr/share/doc/perftab)

# run(COMMAND...): its output in `output`
macro(run)
	execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
	                COMMAND_ERROR_IS_FATAL ANY)
endmacro()

find_program(CMAKE_OBJCOPY objcopy REQUIRED)
set(EPOCH $ENV{SOURCE_DATE_EPOCH})
if(NOT EPOCH)
	string(TIMESTAMP EPOCH %s UTC)
	set(ENV{SOURCE_DATE_EPOCH} ${EPOCH})
endif()

# --- dependencies ---
# What the symbols ask for; of SQLite at least what the schema asks for (STRICT tables).
set(WORK ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
file(MAKE_DIRECTORY ${WORK}/debian)
file(WRITE ${WORK}/debian/control "Source: perftab\n\nPackage: perftab\nArchitecture: any\n")
file(GLOB objects ${STAGE}/usr/bin/* ${STAGE}/usr/lib/*/perftab/*.so ${STAGE}/usr/lib/perftab/*.so)
execute_process(COMMAND dpkg-shlibdeps --ignore-missing-info -O ${objects} WORKING_DIRECTORY ${WORK}
                OUTPUT_VARIABLE output ERROR_VARIABLE errors COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^shlibs:Depends=([^\n]*)\n.*$" "\\1" depends "${output}")
if(NOT depends MATCHES "libsqlite3-0( \\(>= ([0-9.]+)\\))?")
	message(FATAL_ERROR "no dependency on SQLite in '${depends}'")
endif()
if(NOT CMAKE_MATCH_2 OR CMAKE_MATCH_2 VERSION_LESS CPACK_PERFTAB_SQLITE)
	string(REGEX REPLACE "libsqlite3-0( \\([^)]*\\))?" "libsqlite3-0 (>= ${CPACK_PERFTAB_SQLITE})" depends "${depends}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}")

# --- documents ---
file(READ ${CPACK_PERFTAB_SOURCE}/LICENSE licence)
string(REGEX REPLACE "^MIT License\n\nCopyright[^\n]*\n\n" "" licence "${licence}")
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n" "\n " licence " ${licence}")
string(STRIP "${licence}" licence)
set(uplot)
if(CPACK_PERFTAB_UPLOT)
	file(STRINGS ${CPACK_PERFTAB_UPLOT}/LICENSE holder REGEX "Copyright")
	string(REGEX REPLACE "^.*Copyright *(\\([cC]\\))? *" "" holder "${holder}")
	set(uplot "Files: embedded/uPlot\nCopyright: ${holder}\nLicense: Expat\nComment: in pages of perftab-analyze --html\n\n")
endif()
file(WRITE ${DOC}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: perftab

Files: *
Copyright: 2026 the perftab authors
License: Expat

${uplot}License: Expat
 ${licence}
")
file(REMOVE ${DOC}/LICENSE)

set(ENV{LC_ALL} C)
run(date -u -R -d @${EPOCH})
file(WRITE ${DOC}/changelog.Debian
"perftab (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built by cpack from the release; its changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${output}
")
file(RENAME ${DOC}/CHANGELOG.md ${DOC}/changelog)
file(GLOB packed ${DOC}/changelog ${DOC}/changelog.Debian ${STAGE}/usr/share/man/man*/*.?)
run(gzip -9nf ${packed})
# Documents that refer to it, by its name here.
file(GLOB_RECURSE documents ${DOC}/*.md)
foreach(file IN LISTS documents)
	file(READ ${file} text)
	string(REPLACE "CHANGELOG.md" "changelog.gz" new "${text}")
	if(NOT new STREQUAL text)
		file(WRITE ${file} "${new}")
	endif()
endforeach()
if(EXISTS ${STAGE}/usr/share/zsh/site-functions)
	file(RENAME ${STAGE}/usr/share/zsh/site-functions ${STAGE}/usr/share/zsh/vendor-completions)
endif()

# --- modes and times ---
run(chmod -R u=rwX,go=rX ${STAGE}/usr)
file(GLOB objects ${STAGE}/usr/lib/*/perftab/*.so ${STAGE}/usr/lib/perftab/*.so)
run(chmod 644 ${objects})
file(GLOB objects ${STAGE}/usr/bin/* ${STAGE}/usr/lib/*/perftab/*.so ${STAGE}/usr/lib/perftab/*.so)
foreach(object IN LISTS objects)
	run(${CMAKE_OBJCOPY} --remove-section=.comment ${object})
endforeach()
run(find ${STAGE} -newermt @${EPOCH} -exec touch -hd @${EPOCH} {} +)
