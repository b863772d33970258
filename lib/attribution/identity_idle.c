/* identity_idle.c - the idle threads of CPUs, which have the number 0. */
#include "attribution/identity.h"
#include "base/array.h"
#include "base/text.h"

/* The system's own name for it. */
static const char *idle_name(const struct identity *identity)
{
	return identity->processes_apart ? "Idle" : "swapper";
}

struct thread *identity_idle(struct identity *identity, int64_t cpu)
{
	char name[32];
	struct thread *idle;
	struct thread_more *more;

	if (!ARRAY_GROW_ZEROED(identity->idle, identity->idle_count, (size_t)cpu)) {
		identity->out_of_memory = true;
		return NULL;
	}
	if (identity->idle[cpu])
		return identity->idle[cpu];
	if (!identity->idle_process)
		identity->idle_process =
			identity_new_process(identity, 0, str_of(idle_name(identity)));
	idle = identity->idle_process
		       ? identity_new_thread(identity, &identity->machine_space, 0)
		       : NULL;
	more = idle ? identity_more(identity, idle) : NULL;
	if (!more)
		return NULL;
	more->idle_cpu = cpu;
	idle->is_idle = true;
	idle->process = identity->idle_process;
	text_print(name, sizeof(name), "%s/%lld", idle_name(identity), (long long)cpu);
	more->name = arena_str(&identity->arena, str_of(name));
	identity->idle[cpu] = idle;
	return idle;
}
