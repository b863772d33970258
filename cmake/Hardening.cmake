# What makes faults harder to use, where the compiler knows it: in optimised builds without
# instrumentation.  cli_hardening reads it back from the programs.
option(PERFTAB_HARDENING "harden optimised builds" ON)

set(PERFTAB_HARDENED OFF)
if(PERFTAB_HARDENING AND NOT WIN32 AND NOT PERFTAB_SANITIZERS AND NOT PERFTAB_COVERAGE
   AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
	set(PERFTAB_HARDENED ON)
endif()
set(PERFTAB_HARDENED ${PERFTAB_HARDENED} CACHE INTERNAL "whether this build is hardened")
if(NOT PERFTAB_HARDENED)
	return()
endif()

include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(OUTPUT_VARIABLE pie_output LANGUAGES C)

# The branch protection of x86-64 and of 64-bit ARM; each compiler knows its own alone.
foreach(flag -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero
		-fcf-protection=full -mbranch-protection=standard)
	string(MAKE_C_IDENTIFIER "HAVE${flag}" known)
	check_c_compiler_flag(${flag} ${known})
	if(${known})
		target_compile_options(perftab_plain_flags INTERFACE ${flag})
	endif()
endforeach()
# A packager's own level stays.
if(NOT "$ENV{CFLAGS} $ENV{CPPFLAGS} ${CMAKE_C_FLAGS}" MATCHES "_FORTIFY_SOURCE")
	target_compile_options(perftab_plain_flags INTERFACE
		-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
	string(MAKE_C_IDENTIFIER "HAVE${flag}" known)
	check_linker_flag(C ${flag} ${known})
	if(${known})
		target_link_options(perftab_plain_flags INTERFACE ${flag})
	endif()
endforeach()
# The recorder for other machines is static, and not position-independent.
if(CMAKE_C_LINK_PIE_SUPPORTED AND NOT PERFTAB_CAPTURE_ONLY)
	set(shared $<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>)
	set(type $<TARGET_PROPERTY:TYPE>)
	set(shared $<OR:${shared},$<STREQUAL:${type},MODULE_LIBRARY>,$<STREQUAL:${type},SHARED_LIBRARY>>)
	target_compile_options(perftab_plain_flags INTERFACE $<$<NOT:${shared}>:-fPIE>)
	if(PERFTAB_STATIC)
		set(pie -static-pie)
	else()
		set(pie -pie)
	endif()
	target_link_options(perftab_plain_flags INTERFACE $<$<STREQUAL:${type},EXECUTABLE>:${pie}>)
endif()
