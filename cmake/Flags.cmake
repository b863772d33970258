# One INTERFACE target has the language and the warnings, a second one the instrumentation
# as well.  Extensions for other programs use the first: those have no sanitizers.
add_library(perftab_plain_flags INTERFACE)
# Libraries hold machine code as well: tests link that, in a tenth of the time.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
	set(CMAKE_C_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
endif()
target_compile_features(perftab_plain_flags INTERFACE c_std_11)
target_compile_definitions(perftab_plain_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
if(WIN32) # Windows 8, and printf as C has it
	target_compile_definitions(perftab_plain_flags INTERFACE
		_WIN32_WINNT=0x0602 UNICODE WIN32_LEAN_AND_MEAN __USE_MINGW_ANSI_STDIO=1
		_POSIX_C_SOURCE=200809L)
endif()
target_include_directories(perftab_plain_flags INTERFACE
	${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/tools ${PROJECT_BINARY_DIR}/generated)
target_compile_options(perftab_plain_flags INTERFACE
	-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
	-Wvla -Wundef -Wwrite-strings -Wcast-qual
	-fno-common)

# Shared objects have no instrumentation, and no link-time optimization, which takes minutes: in
# builds without either they have the objects of the programs.
if(NOT PERFTAB_SANITIZERS AND NOT PERFTAB_COVERAGE AND NOT PERFTAB_STATIC AND NOT PERFTAB_CAPTURE_ONLY
   AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
	set(PERFTAB_COMPILED_ONCE ON)
	set(CMAKE_POSITION_INDEPENDENT_CODE ON)
	set(CMAKE_C_VISIBILITY_PRESET hidden)
	target_compile_options(perftab_plain_flags INTERFACE -ffunction-sections -fdata-sections)
endif()

# The last that matches counts.
if(PERFTAB_REPRODUCIBLE)
	set(PERFTAB_PREFIX_MAPS -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/usr/src/perftab
	    -ffile-prefix-map=${PROJECT_BINARY_DIR}=/usr/src/perftab/build)
	target_compile_options(perftab_plain_flags INTERFACE ${PERFTAB_PREFIX_MAPS})
	target_link_options(perftab_plain_flags INTERFACE ${PERFTAB_PREFIX_MAPS}) # LTO compiles there
endif()

if(PERFTAB_WERROR)
	target_compile_options(perftab_plain_flags INTERFACE -Werror)
endif()

# Programs with libasan start in half the time.  Made here, and linked by its path, so that
# installed programs find it as well.
function(perftab_link_asan_names)
	set(source ${PROJECT_SOURCE_DIR}/cmake/asan_names.c)
	set(library ${PROJECT_BINARY_DIR}/asan_names.so)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
	execute_process(COMMAND ${CMAKE_C_COMPILER} -O1 -fPIC -shared -nostdlib -fno-builtin
	                        ${source} -o ${library} COMMAND_ERROR_IS_FATAL ANY)
	target_link_options(perftab_flags INTERFACE -Wl,--no-as-needed ${library} -Wl,--as-needed)
endfunction()

add_library(perftab_flags INTERFACE)
target_link_libraries(perftab_flags INTERFACE perftab_plain_flags)
if(PERFTAB_SANITIZERS)
	target_compile_options(perftab_flags INTERFACE
		-fsanitize=${PERFTAB_SANITIZERS} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(perftab_flags INTERFACE -fsanitize=${PERFTAB_SANITIZERS})
	# Linked in, the runtimes of GCC are one: a search for leaks reads half as much.
	if(CMAKE_C_COMPILER_ID STREQUAL GNU AND PERFTAB_SANITIZERS MATCHES address)
		target_link_options(perftab_flags INTERFACE -static-libasan -static-libubsan)
		perftab_link_asan_names()
	endif()
endif()
if(PERFTAB_FUZZERS) # lib/base/buffer_bytes.h
	target_compile_definitions(perftab_flags INTERFACE PERFTAB_SMALL_BUFFERS)
endif()
if(PERFTAB_COVERAGE)
	target_compile_options(perftab_flags INTERFACE --coverage)
	target_link_options(perftab_flags INTERFACE --coverage)
endif()
