/* control_groups.c - finds, opens and lists control groups; see control_groups.h. */
#include "capture/linux/recorder/control_groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define HANDLE_BYTES 128 /* MAX_HANDLE_SZ */

/* --- the mount --- */

/* One of the words between commas. */
static bool has_option(const char *options, const char *wanted)
{
	size_t length = strlen(wanted);

	for (const char *at = options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, wanted, length) == 0 &&
		    (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

bool control_groups_find_mount(const char *mounts, char *path, size_t room)
{
	char line[2 * CGROUP_PATH_BYTES], folder[CGROUP_PATH_BYTES], type[32],
		options[1024];
	FILE *file = fopen(mounts, "re");
	bool found = false, is_v1 = false;

	while (file && !is_v1 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %4095s %31s %1023s", folder, type, options) != 3)
			continue;
		is_v1 = strcmp(type, "cgroup") == 0 && has_option(options, "perf_event");
		if ((!is_v1 && (found || strcmp(type, "cgroup2") != 0)) ||
		    strlen(folder) >= room)
			continue;
		snprintf(path, room, "%s", folder);
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

/* --- the one that is followed --- */

/* Without a folder of its own below the mount there is nothing to follow. */
static bool has_parent_step(const char *name)
{
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
			return true;
	}
	return false;
}

enum status control_groups_open(const char *mount, const char *name, int *fd, char *path,
				size_t room, struct error *error)
{
	size_t length = strlen(mount);
	char folder[2 * CGROUP_PATH_BYTES];
	const char *below = name;

	if (strncmp(below, mount, length) == 0 &&
	    (below[length] == '/' || below[length] == '\0'))
		below += length;
	below += strspn(below, "/");
	if (!*name || has_parent_step(below) ||
	    (size_t)snprintf(path, room, "/%s", below) >= room ||
	    (size_t)snprintf(folder, sizeof(folder), "%s%s", mount, path) >=
		    sizeof(folder))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--cgroup: '%.100s' is not a path below %.100s", name,
				 mount);
	*fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd >= 0)
		return ST_OK;
	if (errno == ENOENT || errno == ENOTDIR)
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "--cgroup: there is no control group '%.100s' below "
				 "%.100s",
				 below, mount);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "--cgroup: cannot open %.200s: %s", folder, strerror(errno));
}

/* --- those there are --- */

/* The number by which the kernel knows it: the handle of its folder, or its inode. */
static uint64_t id_at(int at, const char *folder, int flags)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + HANDLE_BYTES];
	} named = { .handle = { .handle_bytes = HANDLE_BYTES } };
	struct stat info;
	uint64_t id;
	int mount;

	if (name_to_handle_at(at, folder, &named.handle, &mount, flags) == 0 &&
	    named.handle.handle_bytes == sizeof(id)) {
		memcpy(&id, named.handle.f_handle, sizeof(id));
		return id;
	}
	return fstatat(at, folder, &info, flags) == 0 ? info.st_ino : 0;
}

static uint64_t id_of(const char *folder)
{
	return id_at(AT_FDCWD, folder, 0);
}

uint64_t control_groups_id(int fd)
{
	return id_at(fd, "", AT_EMPTY_PATH);
}

static void write_cgroup(struct bytes *to, const struct counters *c, uint64_t id,
			 const char *path)
{
	size_t start = perf_begin_record(to, PERF_RECORD_CGROUP), text;

	bytes_u64(to, id);
	text = to->size;
	bytes_text(to, path);
	bytes_pad(to, text, 8);
	bytes_u64(to, 0); /* pid, tid */
	bytes_u64(to, 0); /* it was there before */
	bytes_u32(to, (uint32_t)c->request.cpus.cpus[0]);
	bytes_u32(to, 0);
	bytes_u64(to, counters_tracker(c)->ids[0]);
	(void)perf_end_record(to, start);
}

struct listing {
	struct bytes *to;
	const struct counters *counters;
	size_t mount_bytes; /* the path below it is what follows */
	size_t count;
	char folder[CGROUP_PATH_BYTES];
};

static void list_folder(struct listing *list, size_t length, int depth)
{
	const char *below = list->folder + list->mount_bytes;
	const struct dirent *entry;
	uint64_t id = id_of(list->folder);
	DIR *folder;

	if (!id || list->count++ >= CGROUPS_MAX || depth == DEPTH_MAX)
		return;
	write_cgroup(list->to, list->counters, id, *below ? below : "/");
	folder = opendir(list->folder);
	while (folder && (entry = readdir(folder))) {
		size_t more = strlen(entry->d_name) + 1;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    length + more >= sizeof(list->folder))
			continue;
		list->folder[length] = '/';
		memcpy(list->folder + length + 1, entry->d_name, more);
		list_folder(list, length + more, depth + 1);
		list->folder[length] = '\0';
	}
	if (folder)
		closedir(folder);
}

void control_groups_write(struct bytes *to, const char *mount, const struct counters *c)
{
	struct listing list = { .to = to, .counters = c, .mount_bytes = strlen(mount) };

	snprintf(list.folder, sizeof(list.folder), "%s", mount);
	list_folder(&list, list.mount_bytes, 0);
}
