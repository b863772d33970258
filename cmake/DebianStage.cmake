# CPack includes this before it packs what was installed, each component below
# CPACK_TEMPORARY_INSTALL_DIRECTORY: dependencies, copyright, changelog, compression and times as
# Debian's policy has them.
cmake_policy(VERSION 3.21)
find_program(CMAKE_OBJCOPY objcopy REQUIRED)
find_program(CMAKE_STRIP strip REQUIRED)
set(ENV{LC_ALL} C)
set(STAGE ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each component has its own

# run(COMMAND...): its output in `output`
macro(run)
	execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
	                COMMAND_ERROR_IS_FATAL ANY)
endmacro()

set(EPOCH $ENV{SOURCE_DATE_EPOCH})
if(NOT EPOCH)
	string(TIMESTAMP EPOCH %s UTC)
	set(ENV{SOURCE_DATE_EPOCH} ${EPOCH})
endif()

# --- dependencies ---

# objects_of(COMPONENT): its programs, libraries and modules in `objects`
macro(objects_of component)
	file(GLOB objects ${STAGE}/${component}/usr/bin/* ${STAGE}/${component}/usr/lib/*/perftab/*.so
	     ${STAGE}/${component}/usr/lib/perftab/*.so ${STAGE}/${component}/usr/lib/*/*.so.*.*
	     ${STAGE}/${component}/usr/lib/*.so.*.*)
endmacro()

# What the symbols ask for; of SQLite at least what the schema asks for (STRICT tables).
set(WORK ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
file(MAKE_DIRECTORY ${WORK}/debian)
file(WRITE ${WORK}/debian/control "Source: perftab\n\nPackage: perftab\nArchitecture: any\n")
foreach(component programs library)
	objects_of(${component})
	execute_process(COMMAND dpkg-shlibdeps --ignore-missing-info -O ${objects}
	                WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output
	                ERROR_VARIABLE errors COMMAND_ERROR_IS_FATAL ANY)
	string(REGEX REPLACE "^shlibs:Depends=([^\n]*)\n.*$" "\\1" depends "${output}")
	if(NOT depends MATCHES "libsqlite3-0( \\(>= ([0-9.]+)\\))?")
		message(FATAL_ERROR "no dependency on SQLite in '${depends}'")
	endif()
	if(NOT CMAKE_MATCH_2 OR CMAKE_MATCH_2 VERSION_LESS CPACK_PERFTAB_SQLITE)
		string(REGEX REPLACE "libsqlite3-0( \\([^)]*\\))?"
		       "libsqlite3-0 (>= ${CPACK_PERFTAB_SQLITE})" depends "${depends}")
	endif()
	string(TOUPPER ${component} upper)
	set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
	foreach(object IN LISTS objects)
		run(${CMAKE_OBJCOPY} --remove-section=.comment ${object})
		if(component STREQUAL library) # CPack strips the programs
			run(${CMAKE_STRIP} --strip-unneeded ${object})
		endif()
		if(object MATCHES "\\.so")
			run(chmod 644 ${object})
		endif()
	endforeach()
endforeach()

# --- copyright and changelog of each package ---

file(READ ${CPACK_PERFTAB_SOURCE}/LICENSE licence)
string(REGEX REPLACE "^MIT License\n\nCopyright[^\n]*\n\n" "" licence "${licence}")
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n" "\n " licence " ${licence}")
string(STRIP "${licence}" licence)
set(uplot)
if(CPACK_PERFTAB_UPLOT)
	file(STRINGS ${CPACK_PERFTAB_UPLOT}/LICENSE holder REGEX "Copyright")
	string(REGEX REPLACE "^.*Copyright *(\\([cC]\\))? *" "" holder "${holder}")
	set(uplot "Files: embedded/uPlot
Copyright: ${holder}
License: Expat
Comment: in pages of perftab-analyze --html

")
endif()
run(date -u -R -d @${EPOCH})
set(date "${output}")

# write_legal(COMPONENT PACKAGE)
function(write_legal component package)
	set(doc ${STAGE}/${component}/usr/share/doc/${package})
	file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: perftab

Files: *
Copyright: 2026 the perftab authors
License: Expat

${uplot}License: Expat
 ${licence}
")
	file(WRITE ${doc}/changelog.Debian
"perftab (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built by cpack from the release; its changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
	file(READ ${CPACK_PERFTAB_SOURCE}/CHANGELOG.md text)
	file(WRITE ${doc}/changelog "${text}")
	run(gzip -9nf ${doc}/changelog ${doc}/changelog.Debian)
endfunction()

write_legal(programs perftab)
write_legal(library ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME})
write_legal(development ${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME})

# --- documents ---

set(DOC ${STAGE}/programs/usr/share/doc/perftab)
file(REMOVE ${DOC}/LICENSE ${DOC}/CHANGELOG.md)
# Documents refer to the changelog by its name here.
file(GLOB_RECURSE documents ${DOC}/*.md)
foreach(file IN LISTS documents)
	file(READ ${file} text)
	string(REPLACE "CHANGELOG.md" "changelog.gz" new "${text}")
	if(NOT new STREQUAL text)
		file(WRITE ${file} "${new}")
	endif()
endforeach()
if(EXISTS ${STAGE}/programs/usr/share/zsh/site-functions)
	file(RENAME ${STAGE}/programs/usr/share/zsh/site-functions
	     ${STAGE}/programs/usr/share/zsh/vendor-completions)
endif()
# The manual of the library refers to an example, which its package has.
file(MAKE_DIRECTORY ${STAGE}/development/usr/share/doc/libperftab-dev)
file(RENAME ${DOC}/docs/examples ${STAGE}/development/usr/share/doc/libperftab-dev/examples)
set(manual ${STAGE}/development/usr/share/man/man3/perftab.3)
file(READ ${manual} text)
string(REPLACE "/doc/perftab/docs/examples/" "/doc/libperftab-dev/examples/" text "${text}")
file(WRITE ${manual} "${text}")
file(GLOB_RECURSE packed ${STAGE}/programs/usr/share/man/*.[1-9] ${manual})
run(gzip -9nf ${packed})
file(READ ${DOC}/docs/library.md text)
string(REPLACE "(examples/" "(../../libperftab-dev/examples/" text "${text}")
file(WRITE ${DOC}/docs/library.md "${text}")

# --- modes and times ---

run(chmod -R u=rwX,go=rX ${STAGE})
run(find ${STAGE} -newermt @${EPOCH} -exec touch -hd @${EPOCH} {} +)
