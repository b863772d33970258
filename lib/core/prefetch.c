/* prefetch.c - see prefetch.h. */
#include "core/prefetch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum stage { IDLE, READING, STOP };

struct prefetch {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum stage stage;
	int fd;
	/* while READING the thread's, else the caller's */
	uint64_t offset;
	uint8_t *to;
	size_t size;
	ssize_t got;
	int error;
};

/* All of it, however many calls that takes; fewer only at the end of the file. */
static ssize_t read_whole(int fd, uint64_t offset, uint8_t *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return done ? (ssize_t)done : -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static void *work(void *context)
{
	struct prefetch *p = context;

	pthread_mutex_lock(&p->lock);
	while (p->stage != STOP) {
		if (p->stage == IDLE) {
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		p->got = read_whole(p->fd, p->offset, p->to, p->size);
		p->error = errno;
		pthread_mutex_lock(&p->lock);
		if (p->stage == READING)
			p->stage = IDLE;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int start_thread(struct prefetch *p)
{
	sigset_t all, before;
	int failed;

	/* Signals are for the main thread, which knows what to do with them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&p->thread, NULL, work, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

struct prefetch *prefetch_start(int fd)
{
	struct prefetch *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	if (start_thread(p) == 0)
		return p;
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return NULL;
}

void prefetch_read(struct prefetch *p, uint64_t offset, uint8_t *to, size_t size)
{
	pthread_mutex_lock(&p->lock);
	p->offset = offset;
	p->to = to;
	p->size = size;
	p->stage = READING;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

ssize_t prefetch_wait(struct prefetch *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->stage == READING)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	errno = p->error;
	return p->got;
}

void prefetch_stop(struct prefetch *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stage = STOP;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
