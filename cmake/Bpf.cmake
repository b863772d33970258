# perftab_bpf_object(HEADER NAME SOURCE DEPENDS...): generated/HEADER with the BPF object
# that clang makes of SOURCE, as the byte array NAME.  Sets PERFTAB_HAVE_BPF where libbpf
# and a clang that knows the kernel's machine are there; else nothing is made.  A static
# recorder for another machine needs that machine's static libbpf, libelf and zlib.
find_program(BPF_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
find_program(BPF_STRIP NAMES llvm-strip llvm-strip-19 llvm-strip-18 llvm-strip-17
             llvm-strip-16 llvm-strip-15 llvm-strip-14)
find_path(BPF_INCLUDE_DIR bpf/libbpf.h)
find_library(BPF_LIBRARY bpf)

set(PERFTAB_HAVE_BPF OFF)
if(PERFTAB_BPF AND BPF_CLANG AND BPF_INCLUDE_DIR AND BPF_LIBRARY
   AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
	set(PERFTAB_HAVE_BPF ON)
endif()
set(BPF_LIBRARIES ${BPF_LIBRARY})
if(PERFTAB_HAVE_BPF AND (PERFTAB_CAPTURE_ONLY OR PERFTAB_STATIC))
	find_library(ELF_LIBRARY elf)
	find_library(Z_LIBRARY z)
	if(ELF_LIBRARY AND Z_LIBRARY)
		list(APPEND BPF_LIBRARIES ${ELF_LIBRARY} ${Z_LIBRARY})
	else()
		set(PERFTAB_HAVE_BPF OFF)
	endif()
endif()
set(BPF_TARGET bpfel)
if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
	set(BPF_TARGET bpfeb)
endif()

function(perftab_bpf_object header name source)
	if(NOT PERFTAB_HAVE_BPF)
		return()
	endif()
	set(object ${PROJECT_BINARY_DIR}/generated/${name}.o)
	set(strip)
	if(BPF_STRIP) # of what debuggers want; what the loader wants stays
		set(strip COMMAND ${BPF_STRIP} -g ${object})
	endif()
	add_custom_command(
		OUTPUT ${PROJECT_BINARY_DIR}/generated/${header}
		COMMAND ${BPF_CLANG} -O2 -g -target ${BPF_TARGET} -Wall -Werror ${PERFTAB_PREFIX_MAPS}
		        -idirafter ${BPF_INCLUDE_DIR}
		        -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
		        -idirafter /usr/${CMAKE_LIBRARY_ARCHITECTURE}/include
		        -c ${source} -o ${object}
		${strip}
		COMMAND ${CMAKE_COMMAND} -DFROM=${object} -DNAME=${name}
		        -DTO=${PROJECT_BINARY_DIR}/generated/${header}
		        -P ${PROJECT_SOURCE_DIR}/cmake/BytesOf.cmake
		DEPENDS ${source} ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/BytesOf.cmake
		COMMENT "BPF object ${name}"
		VERBATIM)
endfunction()
