/*
 * api.h - the functions of Windows that the recorder calls: all three tables.
 */
#ifndef PERFTAB_CAPTURE_WINDOWS_API_API_H
#define PERFTAB_CAPTURE_WINDOWS_API_API_H

#include "capture/windows/api/etw.h"
#include "capture/windows/api/perflib.h"
#include "capture/windows/api/system.h"

struct windows_api {
	struct etw_api etw;
	struct perflib_api perflib;
	struct system_api system;
};

#endif
