# cmake -DFROM=FILE -DNAME=NAME -DTO=HEADER -P BytesOf.cmake: the file as a byte array.
file(READ ${FROM} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${TO} "/* Made from ${NAME} by cmake/BytesOf.cmake. */\n"
     "static const unsigned char ${NAME}[] = {${bytes}};\n")
