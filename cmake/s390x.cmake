# Toolchain for s390x, which is big-endian: gcc-s390x-linux-gnu.
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/DebianCross.cmake)
