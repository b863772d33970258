# Toolchain for 64-bit ARM: gcc-aarch64-linux-gnu.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/DebianCross.cmake)
