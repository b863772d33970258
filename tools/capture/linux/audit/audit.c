/* audit.c - runs the trials of all CPUs in time, and reports what they found. */
#include "capture/linux/audit/audit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "capture/linux/audit/facts.h"
#include "capture/linux/audit/system.h"
#include "model/own_facts.h"

#define ROUNDS 8 /* of CPUs that are tried at the same time */
#define STACK_BYTES ((size_t)256 << 10)
#define WARNINGS_MAX 4
#define SYSFS "/sys/devices/system/cpu"

/* --- one CPU --- */

enum { JOB_RUNS, JOB_DONE, JOB_LEFT };

/* Owned by its thread once the audit has left it. */
struct job {
	struct audit_trial *trial;
	pthread_t thread;
	bool is_started;
	_Atomic int state;
};

static void free_job(struct job *job)
{
	audit_trial_free(job->trial);
	free(job);
}

static void *run_job(void *context)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	struct job *job = context;

	/* Some 2 ms, before all others of a busy CPU but those of real time. */
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) != 0)
		(void)setpriority(PRIO_PROCESS, 0, -20); /* if that is permitted */
	if (atomic_load(&job->state) == JOB_RUNS)
		audit_trial_run(job->trial);
	if (atomic_exchange(&job->state, JOB_DONE) == JOB_LEFT)
		free_job(job);
	return NULL;
}

/*
 * A thread that never gets its CPU cannot even end there, and its process has to wait for
 * it: let it run elsewhere.
 */
static void leave_job(struct job *job, const struct counters *c)
{
	size_t count = c->request.cpus.count;
	size_t cpus = count ? (size_t)c->request.cpus.cpus[count - 1] + 1 : 1;
	cpu_set_t *set;

	if (cpus < (size_t)sysconf(_SC_NPROCESSORS_CONF))
		cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	set = CPU_ALLOC(cpus);
	if (!set)
		return;
	memset(set, 0xff, CPU_ALLOC_SIZE(cpus));
	(void)pthread_setaffinity_np(job->thread, CPU_ALLOC_SIZE(cpus), set);
	CPU_FREE(set);
}

/* A thread that can run on that CPU alone; false: there is none, or no such CPU. */
static bool start_job(struct job *job)
{
	size_t cpus = (size_t)job->trial->cpu + 1, bytes = CPU_ALLOC_SIZE(cpus);
	cpu_set_t *set = CPU_ALLOC(cpus);
	pthread_attr_t attr;

	if (!set)
		return false;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S((size_t)job->trial->cpu, bytes, set);
	pthread_attr_init(&attr);
	job->is_started = pthread_attr_setaffinity_np(&attr, bytes, set) == 0 &&
			  pthread_attr_setstacksize(&attr, STACK_BYTES) == 0 &&
			  pthread_create(&job->thread, &attr, run_job, job) == 0;
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return job->is_started;
}

static void wait_until(struct job *job, double seconds)
{
	double left = seconds - os_seconds();
	struct timespec end;

	if (!job || !job->is_started)
		return;
	clock_gettime(CLOCK_REALTIME, &end);
	if (left > 0) {
		long ns = end.tv_nsec + (long)(left * 1e9);

		end.tv_sec += ns / 1000000000;
		end.tv_nsec = ns % 1000000000;
	}
	if (pthread_timedjoin_np(job->thread, NULL, &end) == 0)
		job->is_started = false;
}

/* The trial of a job that is over; NULL: not in time, and its thread is on its own. */
static struct audit_trial *end_job(struct job *job, const struct counters *c)
{
	struct audit_trial *trial;

	if (!job)
		return NULL;
	if (job->is_started) {
		leave_job(job, c);
		pthread_detach(job->thread);
		if (atomic_exchange(&job->state, JOB_LEFT) == JOB_RUNS)
			return NULL;
		job->is_started = false; /* it ended just now */
	}
	trial = job->trial;
	free(job);
	if (trial->is_done)
		return trial;
	audit_trial_free(trial);
	return NULL;
}

/* --- all of them --- */

static struct job *new_job(const struct counters *c, size_t at)
{
	struct job *job = memory_alloc_zeroed(1, sizeof(*job));

	if (job)
		job->trial = audit_trial_new(c, at, SYSFS);
	if (!job || !job->trial) {
		free(job);
		return NULL;
	}
	return job;
}

/* Some CPUs at a time: two neighbours disturb each other little, many take long. */
static void run_jobs(struct job **jobs, size_t count, double end)
{
	size_t each = (count + ROUNDS - 1) / ROUNDS;

	for (size_t from = 0; from < count; from += each) {
		size_t to = from + each < count ? from + each : count;
		size_t rounds = (count - from + each - 1) / each;
		double now = os_seconds();

		for (size_t i = from; i < to; i++)
			if (jobs[i])
				start_job(jobs[i]);
		for (size_t i = from; i < to; i++)
			wait_until(jobs[i], now + (end - now) / (double)rounds);
	}
	for (size_t i = 0; i < count; i++)
		wait_until(jobs[i], end);
}

/* Its hardware events found no counters, all or some of the time. */
static bool is_held(const struct audit_group *group)
{
	return group->hardware && !group->refused && !group->ran;
}

static bool needs_users(const struct audit_trial *trial)
{
	if (!trial)
		return false;
	for (size_t g = 0; g < trial->group_count; g++)
		if (is_held(&trial->groups[g]))
			return true;
	return trial->placed < trial->places;
}

bool audit_run(struct audit *audit, const struct counters *c)
{
	double began = os_seconds();
	bool has_memory = true, needed = false;
	struct job **jobs;

	*audit = (struct audit){ .count = c->request.cpus.count };
	jobs = memory_alloc_zeroed(audit->count, sizeof(*jobs));
	audit->trials = memory_alloc_zeroed(audit->count, sizeof(*audit->trials));
	for (size_t i = 0; i < audit->count && jobs && audit->trials; i++) {
		jobs[i] = new_job(c, i);
		has_memory &= jobs[i] != NULL;
	}
	if (jobs && audit->trials)
		run_jobs(jobs, audit->count, began + AUDIT_BUDGET_NS * 1e-9);
	for (size_t i = 0; i < audit->count && jobs && audit->trials; i++) {
		audit->trials[i] = end_job(jobs[i], c);
		needed |= needs_users(audit->trials[i]);
	}
	if (needed)
		audit->user_count =
			system_counter_users("/proc", getpid(), AUDIT_USERS_NS,
					     audit->users, sizeof(audit->users));
	has_memory &= jobs && audit->trials;
	free(jobs);
	audit->seconds = os_seconds() - began;
	return has_memory;
}

void audit_release(struct audit *audit)
{
	for (size_t i = 0; audit->trials && i < audit->count; i++)
		audit_trial_free(audit->trials[i]);
	free(audit->trials);
	*audit = (struct audit){ .count = 0 };
}

/* --- what it found --- */

static int64_t number(uint64_t value)
{
	return value > INT64_MAX ? FACT_NONE : (int64_t)value;
}

static const char *users_of(const struct audit *audit)
{
	return audit->users[0]
		       ? audit->users
		       : "no user of it is known here: perhaps one that this user "
			 "may not see, or the host of a virtual machine";
}

static const char *work_of(const struct audit_event *event)
{
	bool is_counted = event->kind == AUDIT_SWITCHES || event->kind == AUDIT_FAULTS;

	return own_fact_word(is_counted ? FACT_EVENTS : FACT_LOOP);
}

static void write_event(struct bytes *lines, int cpu, const struct audit_event *event)
{
	const struct audit_result *result = &event->result;
	enum audit_verdict verdict = audit_verdict_of(result);
	struct fact fact = fact_of(work_of(event));

	if (verdict == AUDIT_UNTESTED)
		return;
	fact.cpu = cpu;
	fact.event = (int64_t)event->index;
	fact.least = number(result->expected.least);
	fact.most = number(result->expected.most);
	fact.found = number(result->found);
	fact.verdict = audit_verdict_words[verdict];
	fact.note = audit_reason_of(result);
	fact_write(lines, &fact);
}

static void write_group(struct bytes *lines, const struct audit *audit,
			const struct audit_trial *trial, const struct audit_group *group)
{
	struct fact fact =
		fact_of(own_fact_word(is_held(group) ? FACT_HELD : FACT_UNTESTED));

	if (is_held(group) || group->refused) {
		fact.cpu = trial->cpu;
		fact.event = (int64_t)trial->events[group->first].index;
		fact.most = is_held(group) ? (int64_t)group->hardware : FACT_NONE;
		fact.note = is_held(group) ? users_of(audit) : strerror(group->refused);
		fact_write(lines, &fact);
	}
	if (is_held(group))
		return;
	for (size_t i = 0; i < group->count; i++)
		write_event(lines, trial->cpu, &trial->events[group->first + i]);
}

static void write_machine(struct bytes *lines, const struct audit *audit,
			  const struct audit_trial *trial)
{
	struct fact fact = fact_of(own_fact_word(FACT_MAX_KHZ));

	fact.cpu = trial->cpu;
	if (trial->scope.max_khz) {
		fact.found = number(trial->scope.max_khz);
		fact_write(lines, &fact);
	}
	if (!trial->places)
		return;
	fact.what = own_fact_word(FACT_PLACED);
	fact.most = (int64_t)trial->places;
	fact.found = (int64_t)trial->placed;
	fact.note = trial->placed < trial->places ? users_of(audit) : NULL;
	fact_write(lines, &fact);
}

void audit_write(struct bytes *lines, const struct audit *audit, const struct counters *c)
{
	for (size_t i = 0; i < audit->count; i++) {
		const struct audit_trial *trial = audit->trials ? audit->trials[i] : NULL;
		struct fact fact = fact_of("untested");

		if (!trial) {
			fact.cpu = c->request.cpus.cpus[i];
			fact.note = "the loop did not get this CPU in time";
			fact_write(lines, &fact);
			continue;
		}
		write_machine(lines, audit, trial);
		for (size_t g = 0; g < trial->group_count; g++)
			write_group(lines, audit, trial, &trial->groups[g]);
	}
}

/* --- for users --- */

static void print_number(char *to, size_t size, uint64_t value)
{
	if (value > INT64_MAX)
		text_print(to, size, "any number");
	else
		text_grouped(to, size, (int64_t)value);
}

static void print_expected(char *to, size_t size, const struct audit_range *expected)
{
	char least[40], most[40];

	print_number(least, sizeof(least), expected->least);
	print_number(most, sizeof(most), expected->most);
	if (expected->most > INT64_MAX)
		text_print(to, size, "at least %s", least);
	else
		text_print(to, size, "%s to %s", least, most);
}

static const char *name_of(const struct counters *c, const struct audit_event *event,
			   char *shown, size_t size)
{
	text_shown(shown, size, str_of(c->events[event->index].name), 60);
	return shown;
}

static size_t warn_events(const struct audit_trial *trial, const struct counters *c,
			  void (*warn)(void *context, const char *text), void *context,
			  size_t warned)
{
	for (size_t i = 0; i < trial->event_count; i++) {
		const struct audit_event *event = &trial->events[i];
		char words[400], name[200], found[40], expected[100];

		if (audit_verdict_of(&event->result) != AUDIT_CONTRADICTED ||
		    warned++ >= WARNINGS_MAX)
			continue;
		print_number(found, sizeof(found), event->result.found);
		print_expected(expected, sizeof(expected), &event->result.expected);
		text_print(words, sizeof(words),
			   "%s is contradicted on CPU %d: %s, %s where known work gives "
			   "%s",
			   name_of(c, event, name, sizeof(name)), trial->cpu,
			   audit_reason_of(&event->result), found, expected);
		warn(context, words);
	}
	return warned;
}

void audit_warn(const struct audit *audit, const struct counters *c,
		void (*warn)(void *context, const char *text), void *context)
{
	size_t warned = 0, held = 0;
	const struct audit_trial *first = NULL;
	char words[900];

	for (size_t i = 0; i < audit->count && audit->trials && warn; i++) {
		const struct audit_trial *trial = audit->trials[i];

		if (!trial)
			continue;
		warned = warn_events(trial, c, warn, context, warned);
		if (trial->placed < trial->places && !held++)
			first = trial;
	}
	if (warned > WARNINGS_MAX) {
		text_print(words, sizeof(words),
			   "%zu more are contradicted; perftab-capture audit lists them",
			   warned - WARNINGS_MAX);
		warn(context, words);
	}
	if (!first)
		return;
	text_print(
		words, sizeof(words),
		"others hold counters of the PMU on %zu CPU%s: %zu of %zu can count on CPU "
		"%d; %s",
		held, held == 1 ? "" : "s", first->placed, first->places, first->cpu,
		users_of(audit));
	warn(context, words);
}

static size_t print_event(FILE *to, const struct counters *c,
			  const struct audit_event *event)
{
	enum audit_verdict verdict = audit_verdict_of(&event->result);
	char name[200], found[40], expected[100];

	fprintf(to, "  %-28s %-12s", name_of(c, event, name, sizeof(name)),
		audit_verdict_words[verdict]);
	if (verdict == AUDIT_UNTESTED) {
		fputs(" it is not known what it must count\n", to);
		return 0;
	}
	print_number(found, sizeof(found), event->result.found);
	print_expected(expected, sizeof(expected), &event->result.expected);
	fprintf(to, " counted %s, expected %s%s%s\n", found, expected,
		verdict == AUDIT_CONTRADICTED ? ": " : "",
		audit_reason_of(&event->result));
	return verdict == AUDIT_CONTRADICTED;
}

static size_t print_group(FILE *to, const struct audit *audit, const struct counters *c,
			  const struct audit_trial *trial,
			  const struct audit_group *group)
{
	size_t contradicted = 0;

	if (group->refused)
		fprintf(to, "  this group was not opened: %s\n",
			strerror(group->refused));
	else if (is_held(group))
		fprintf(to, "  this group of %zu hardware events found no counters: %s\n",
			group->hardware, users_of(audit));
	else
		for (size_t i = 0; i < group->count; i++)
			contradicted +=
				print_event(to, c, &trial->events[group->first + i]);
	return contradicted;
}

size_t audit_print(FILE *to, const struct audit *audit, const struct counters *c)
{
	size_t contradicted = 0;
	bool has_pmu = false;

	for (size_t i = 0; i < audit->count; i++) {
		const struct audit_trial *trial = audit->trials ? audit->trials[i] : NULL;

		fprintf(to, "CPU %d\n", c->request.cpus.cpus[i]);
		if (!trial) {
			fputs("  untested: the loop did not get this CPU in time\n", to);
			continue;
		}
		for (size_t g = 0; g < trial->group_count; g++)
			contradicted +=
				print_group(to, audit, c, trial, &trial->groups[g]);
		has_pmu |= trial->has_pmu;
		if (trial->places)
			fprintf(to,
				"  counters of the PMU          %zu of %zu can count%s%s\n",
				trial->placed, trial->places,
				trial->placed < trial->places ? ": " : "",
				trial->placed < trial->places ? users_of(audit) : "");
	}
	if (!has_pmu)
		fputs("None of these events is counted by a PMU: this tested what the "
		      "kernel counts itself.\n",
		      to);
	return contradicted;
}
