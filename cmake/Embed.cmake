# perftab_embed(HEADER NAME...): generated/HEADER with each schema/NAME.sql as schema_NAME.
#
# Byte arrays, because ISO C guarantees string literals of only 4095 bytes.  The version of
# the schema and the application id are in schema/version.txt.
function(perftab_embed header)
	set(text "/* Made from the .sql files in schema/ by cmake/Embed.cmake. */\n")
	set(sources)
	foreach(name ${ARGN})
		set(file ${PROJECT_SOURCE_DIR}/schema/${name}.sql)
		list(APPEND sources ${file})
		file(READ ${file} hex HEX)
		string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
		string(APPEND text
		       "static const unsigned char schema_${name}_bytes[] = {${bytes}0};\n"
		       "#define schema_${name} ((const char *)schema_${name}_bytes)\n")
	endforeach()
	file(STRINGS ${PROJECT_SOURCE_DIR}/schema/version.txt versions REGEX "^[A-Z]")
	foreach(line ${versions})
		string(APPEND text "#define SCHEMA_${line}\n")
	endforeach()
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources}
	             ${PROJECT_SOURCE_DIR}/schema/version.txt)
	file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${header} CONTENT "${text}" @ONLY)
endfunction()
