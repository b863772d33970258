# perftab_windows_program(TARGET DESCRIPTION): a static program with wmain(), version and manifest.
# Elsewhere nothing is to be done.
function(perftab_windows_program target description)
	if(NOT WIN32)
		return()
	endif()
	set(program ${target})
	configure_file(${PROJECT_SOURCE_DIR}/cmake/windows/program.rc.in ${target}.rc @ONLY)
	configure_file(${PROJECT_SOURCE_DIR}/cmake/windows/program.manifest.in ${target}.manifest @ONLY)
	target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target}.rc)
	set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${target}.rc APPEND PROPERTY
		OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${target}.manifest)
	target_link_options(${target} PRIVATE -municode -static -s
		-Wl,--gc-sections,--no-insert-timestamp)
endfunction()
