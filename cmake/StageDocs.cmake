# Writes DOCUMENTS and MANUALS of SOURCE as they are installed to STAGED/doc and STAGED/man; see
# cmake/InstallDocs.cmake.
cmake_policy(VERSION 3.21)
file(REMOVE_RECURSE ${STAGED})

# stage_markdown(DOCUMENT): a link to what is not installed becomes its text
function(stage_markdown document)
	file(READ ${SOURCE}/${document} text)
	get_filename_component(folder /${document} DIRECTORY)
	# Without brackets, which CMake's lists nest.
	string(REGEX MATCHALL "\\([A-Za-z0-9_./-]+(#[a-z0-9-]*)?\\)" links "${text}")
	list(REMOVE_DUPLICATES links)
	foreach(link IN LISTS links)
		string(REGEX REPLACE "^\\(([^#)]*).*$" "\\1" target "${link}")
		get_filename_component(file "${folder}/${target}" ABSOLUTE BASE_DIR /)
		string(REGEX REPLACE "^/+" "" file "${file}")
		if(file IN_LIST DOCUMENTS)
			continue()
		endif()
		string(REGEX REPLACE "([.+*?])" "\\\\\\1" pattern "${target}")
		string(REGEX REPLACE "\\[([^]]*)\\]\\(${pattern}(#[^)]*)?\\)" "\\1" text "${text}")
	endforeach()
	file(WRITE ${STAGED}/doc/${document} "${text}")
endfunction()

foreach(document IN LISTS DOCUMENTS)
	get_filename_component(folder ${STAGED}/doc/${document} DIRECTORY)
	if(document MATCHES "\\.md$")
		stage_markdown(${document})
	else()
		file(COPY ${SOURCE}/${document} DESTINATION ${folder})
	endif()
endforeach()

foreach(manual IN LISTS MANUALS)
	file(READ ${SOURCE}/docs/man/${manual} text)
	string(REGEX REPLACE "\\.Pa ((docs|schema)/[^ \n]*\\.md|CHANGELOG\\.md)" ".Pa ${REFERENCE}/\\1" text "${text}")
	file(WRITE ${STAGED}/man/${manual} "${text}")
endforeach()
