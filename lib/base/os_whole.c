/* os_whole.c - reads and writes all bytes, in as many calls as that needs. */
#include <errno.h>

#include "base/os.h"

/* One call of the system passed `done` bytes of `*size`; false: it failed, or the end. */
static bool pass(ptrdiff_t done, size_t *size)
{
	if (done < 0)
		return errno == EINTR;
	if (done == 0)
		errno = EIO;
	*size -= (size_t)done;
	return done > 0;
}

static size_t passed(ptrdiff_t done)
{
	return done < 0 ? 0 : (size_t)done;
}

bool os_write_all(int fd, const void *from, size_t size)
{
	const char *at = from;

	while (size) {
		ptrdiff_t wrote = os_write(fd, at, size);

		if (!pass(wrote, &size))
			return false;
		at += passed(wrote);
	}
	return true;
}

bool os_write_all_at(int fd, const void *from, size_t size, uint64_t offset)
{
	const char *at = from;

	while (size) {
		ptrdiff_t wrote = os_write_at(fd, at, size, offset);

		if (!pass(wrote, &size))
			return false;
		at += passed(wrote);
		offset += passed(wrote);
	}
	return true;
}

bool os_read_all(int fd, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ptrdiff_t got = os_read(fd, at, size);

		if (!pass(got, &size))
			return false;
		at += passed(got);
	}
	return true;
}

bool os_read_all_at(int fd, void *to, size_t size, uint64_t offset)
{
	char *at = to;

	while (size) {
		ptrdiff_t got = os_read_at(fd, at, size, offset);

		if (!pass(got, &size))
			return false;
		at += passed(got);
		offset += passed(got);
	}
	return true;
}
