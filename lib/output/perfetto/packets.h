/*
 * packets.h - writes a Perfetto trace: packets of protobuf fields, to a file or a pipe.
 *
 * A trace is a sequence of TracePacket, each a field 1 of Trace.  Numbers of the fields:
 * protos/perfetto/trace of github.com/google/perfetto (Apache 2.0), a public interface
 * that only grows.
 */
#ifndef PERFTAB_PERFETTO_PACKETS_H
#define PERFTAB_PERFETTO_PACKETS_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

struct packets {
	int fd;		     /* borrowed */
	struct bytes bytes;  /* not yet written */
	struct error *error; /* borrowed */
};

/* Fields of the packet, or of what is inside it. */
void packets_int(struct packets *packets, unsigned int field, int64_t value);
void packets_text(struct packets *packets, unsigned int field, struct str text);
/* One number of a packed field, which packets_begin() began. */
void packets_number(struct packets *packets, uint64_t value);
/* A TracePacket of that time, from our one writer: returns its place. */
size_t packets_begin_packet(struct packets *packets, int64_t ts_ns);
/* A message, or a packed field: returns its place, for packets_end(). */
size_t packets_begin(struct packets *packets, unsigned int field);
void packets_end(struct packets *packets, size_t place);
/* Between packets: writes the buffer once it is large, or at once if `all`. */
MUST_CHECK enum status packets_write(struct packets *packets, bool all);
void packets_release(struct packets *packets);

/* The message Trace. */
#define TRACE_PACKET 1
/* TracePacket */
#define PACKET_FTRACE_EVENTS 1
#define PACKET_PROCESS_TREE 2
#define PACKET_CLOCK_SNAPSHOT 6
#define PACKET_TIMESTAMP 8
#define PACKET_SEQUENCE 10
#define PACKET_TRACK_EVENT 11
#define PACKET_SEQUENCE_FLAGS 13
#define PACKET_SYSTEM_INFO 45
#define PACKET_TRACK_DESCRIPTOR 60
/* FtraceEventBundle, FtraceEvent, TaskNewtaskFtraceEvent */
#define BUNDLE_CPU 1
#define BUNDLE_EVENT 2
#define BUNDLE_COMPACT_SCHED 4
#define EVENT_TIMESTAMP 1
#define EVENT_PID 2
#define EVENT_TASK_NEWTASK 235
#define NEWTASK_PID 1
#define NEWTASK_COMM 2
#define NEWTASK_CLONE_FLAGS 3
/* CompactSched: one packed field for each property of the switches */
#define SCHED_TIMESTAMP 1
#define SCHED_PREV_STATE 2
#define SCHED_NEXT_PID 3
#define SCHED_NEXT_PRIO 4
#define SCHED_INTERN_TABLE 5
#define SCHED_NEXT_COMM_INDEX 6
/* ProcessTree, Process, Thread */
#define TREE_PROCESS 1
#define TREE_THREAD 2
#define PROCESS_PID 1
#define PROCESS_PPID 2
#define PROCESS_CMDLINE 3
#define THREAD_TID 1
#define THREAD_NAME 2
#define THREAD_TGID 3
/* ClockSnapshot, Clock; their numbers of clocks */
#define SNAPSHOT_CLOCK 1
#define CLOCK_NUMBER 1
#define CLOCK_TIME 2
#define CLOCK_IS_REALTIME 1
#define CLOCK_IS_BOOTTIME 6
/* SystemInfo, Utsname */
#define INFO_UTSNAME 1
#define UTSNAME_RELEASE 3
#define UTSNAME_MACHINE 4
/* TrackDescriptor, CounterDescriptor, TrackEvent */
#define TRACK_UUID 1
#define TRACK_NAME 2
#define TRACK_COUNTER 8
#define COUNTER_UNIT_NAME 6
#define TRACK_EVENT_TYPE 9
#define TRACK_EVENT_TRACK 11
#define TRACK_EVENT_NAME 23
#define TRACK_EVENT_VALUE 30
#define TYPE_INSTANT 3
#define TYPE_COUNTER 4

#endif
