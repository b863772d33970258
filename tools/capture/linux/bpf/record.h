/*
 * record.h - what the BPF programs send, and their configuration.
 *
 * Included by switches.bpf.c, which clang compiles for the kernel, and by programs.c.
 * Both run on the same machine, so its byte order and alignment are all there is to it.
 */
#ifndef PERFTAB_BPF_RECORD_H
#define PERFTAB_BPF_RECORD_H

#define BPF_COMM_BYTES 16
#define BPF_COUNTERS_MAX 32    /* of all groups of one CPU */
#define BPF_WORDS_MAX 36       /* their values, and two times of each group */
#define BPF_COMMAND_BYTES 4096 /* a power of two; longer ones are cut */
#define BPF_EDGE_READS 4       /* at most, until no interrupt comes in between */
#define BPF_COST_READS 4       /* the last one is taken: by then caches are warm */
#define BPF_CGROUP_DEPTH 64    /* of a control group, at most */

enum bpf_record_kind {
	BPF_RECORD_SWITCH = 1,
	BPF_RECORD_READ, /* the counters were read, with the thread that was on the CPU */
	BPF_RECORD_COST, /* a read after the first one: what such a record costs */
	BPF_RECORD_EDGE, /* an interrupt began or ended */
	BPF_RECORD_COMMAND, /* struct bpf_command */
};

enum bpf_read {			    /* why; the argument of read_counters */
		BPF_READ_FIRST = 1, /* switches of this CPU are recorded from here on */
		BPF_READ_TICK,
		BPF_READ_LAST, /* and up to here */
};

/* Programs at the edges of interrupts: on_irq_entry, on_irq_exit, on_edge_2 and so on. */
#define BPF_EDGE_IRQ_ENTRY 0
#define BPF_EDGE_IRQ_EXIT 1
#define BPF_EDGES_MAX 24

/* Of an edge, in the place of the next thread. */
struct bpf_edge {
	unsigned int program;
	int number;   /* irq, softirq or vector */
	int returned; /* by the handler of an irq */
	unsigned int padding;
	char name[BPF_COMM_BYTES]; /* of an irq's handler, cut */
};

/* A thread, as the machine numbers it. */
struct bpf_thread {
	int tid, pid, prio;
	unsigned int padding;
	char comm[BPF_COMM_BYTES];
};

struct bpf_record {
	unsigned long long time_ns;  /* CLOCK_MONOTONIC */
	unsigned long long switches; /* recorded of this CPU so far, this one too */
	unsigned long long lost;     /* records of this CPU that found no room so far */
	unsigned int kind;
	unsigned int cpu;
	/* Of the thread on the CPU, in the recorder's PID namespace; 0: not of it. */
	int own_tid, own_pid;
	unsigned int prev_state; /* READ: 0 */
	unsigned int exit_state;
	unsigned int is_preempted;
	unsigned int padding;
	unsigned long long cgroup_id; /* SWITCH: of the previous thread */
	struct bpf_thread prev; /* who is on the CPU; EDGE: without name and priority */
	union {
		struct bpf_thread next;
		struct bpf_edge edge;
	};
	/* For each group: time enabled, time running, the values of its counters. */
	unsigned long long words[BPF_WORDS_MAX]; /* only those in use are sent */
};

/* The command line of a process that began a program; begins as a bpf_record does. */
struct bpf_command {
	unsigned long long time_ns;
	unsigned long long bytes; /* of text[], so many are sent */
	unsigned long long padding;
	unsigned int kind;
	int own_pid; /* in the recorder's PID namespace; 0: not of it */
	char text[BPF_COMMAND_BYTES];
};

/* Of each CPU, kept by the programs. */
struct bpf_cpu_state {
	unsigned long long switches, lost;
	unsigned int is_armed;
	unsigned int edges; /* so far: shows whether one came in between */
};

/* Constant once the programs are loaded; the verifier drops what it rules out. */
struct bpf_config {
	unsigned int counters; /* of a CPU */
	unsigned int bytes;    /* of a record */
	unsigned int wake_bytes;
	unsigned int has_prev_state; /* sched_switch has a fourth argument: 5.18 */
	unsigned int has_cgroups;
	unsigned long long cgroup_id; /* only while tasks of it run; 0: whole CPUs */
	unsigned long long namespace_dev, namespace_ino; /* 0: the machine's own */
	unsigned char begins_group[BPF_COUNTERS_MAX];
};

#endif
