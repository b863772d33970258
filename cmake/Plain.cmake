# The list that has the database, which needs SQLite, and the main function of programs.
set(PLAIN_EXCEPTIONS "/(formats|os_windows_main)\\.c")

# perftab_plain_objects(NAME TARGET...): an object library of the sources of these static
# libraries, compiled again for shared objects: position-independent, with hidden symbols,
# and not instrumented by sanitizers, which the programs that load them do not have.
function(perftab_plain_objects name)
	set(sources)
	foreach(target ${ARGN})
		get_target_property(files ${target} SOURCES)
		get_target_property(folder ${target} SOURCE_DIR)
		list(TRANSFORM files PREPEND ${folder}/)
		list(APPEND sources ${files})
	endforeach()
	list(FILTER sources EXCLUDE REGEX ${PLAIN_EXCEPTIONS})
	add_library(${name} OBJECT ${sources})
	set_target_properties(${name} PROPERTIES
		POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
		INTERPROCEDURAL_OPTIMIZATION OFF) # it takes minutes
	target_link_libraries(${name} PUBLIC perftab_plain_flags Threads::Threads)
	# What only programs use, signals for example, is left out by --gc-sections.
	# Without sanitizers, -O1 warns of variables that are set on each way that uses them.
	target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections
	                       $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
	target_include_directories(${name} PRIVATE
		${PROJECT_SOURCE_DIR}/include ${ZSTD_INCLUDE_DIR} ${CSV_INCLUDE_DIR}
		${ZLIB_INCLUDE_DIRS} ${SQLite3_INCLUDE_DIRS})
	if(PERFTAB_WIM AND WIM_INCLUDE_DIR AND WIM_LIBRARY)
		target_include_directories(${name} PRIVATE ${WIM_INCLUDE_DIR})
		target_compile_definitions(${name} PRIVATE PERFTAB_HAVE_WIM)
	endif()
endfunction()

# perftab_plain(NAME TARGET...): those, or the objects of the libraries themselves, where they are
# compiled once.
function(perftab_plain name)
	if(NOT PERFTAB_COMPILED_ONCE)
		perftab_plain_objects(${name} ${ARGN})
		return()
	endif()
	add_library(${name} INTERFACE)
	foreach(target ${ARGN})
		target_sources(${name} INTERFACE
			$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,${PLAIN_EXCEPTIONS}>)
	endforeach()
	target_link_libraries(${name} INTERFACE perftab_plain_flags Threads::Threads)
endfunction()

# What shared objects of plain objects need.
set(PLAIN_LINK_OPTIONS LINKER:--gc-sections LINKER:--no-undefined)
set(PLAIN_LIBRARIES ${ZSTD_LIBRARY} ${CSV_LIBRARY} ZLIB::ZLIB Threads::Threads m)
if(PERFTAB_WIM AND WIM_INCLUDE_DIR AND WIM_LIBRARY)
	list(APPEND PLAIN_LIBRARIES ${WIM_LIBRARY})
endif()
