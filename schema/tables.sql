-- tables.sql - the tables of a perftab database, schema version 2 (PRAGMA user_version).
--
-- Times are nanoseconds on the trace's own clock (ts_ns and everything that ends in _ns);
-- trace.wall_offset_ns leads to wall time where the recorder noted it.  Counter values and
-- deltas are signed 64-bit: a counter above 2^63 reads as negative.  NULL means unknown or
-- not applicable.  Deltas are kept, not cumulative values; counter_base holds the first
-- value of each counter on each CPU, so that the recorded stream can be rebuilt exactly.

-- One input.
CREATE TABLE trace (
	trace_id       INTEGER PRIMARY KEY,
	path           TEXT,                 -- as given on the command line
	format         TEXT NOT NULL,        -- perf.data, etl, xperf text, perflib, blg, pdh text
	status         TEXT NOT NULL,        -- complete, recovered (damaged spots skipped) or partial (the end, or a file of a directory, is missing)
	bytes          INTEGER,              -- size of the input
	first_ns       INTEGER,              -- first and last time of a sample, switch or exit
	last_ns        INTEGER,
	clock          TEXT,                 -- which clock ts_ns counts on
	wall_offset_ns INTEGER,              -- ts_ns + this = nanoseconds since 1970 at first_ns, where the recorder noted it (or --wall said it)
	wall_offset_end_ns INTEGER,          -- the same at last_ns, where noted: the difference is the drift of the clocks
	host           TEXT,                 -- host name
	os_release     TEXT,                 -- kernel or OS build
	arch           TEXT,                 -- machine, as uname -m says
	cpu_count      INTEGER,              -- CPUs online while recording
	cpu_model      TEXT,
	recorder       TEXT,                 -- version of the recorder
	command        TEXT,                 -- its command line
	form           TEXT,                 -- file, pipe or directory; text; bundle, bare block or V1 blocks; comma- or tab-separated
	byte_order     TEXT                  -- little-endian or big-endian
) STRICT;

-- Counters that the kernel reads together, at every firing of their leader.
CREATE TABLE counter_group (
	group_id       INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	leader         TEXT NOT NULL,        -- name of the counter that fires at every switch
	counters       INTEGER NOT NULL,     -- number of counters, leader included; 0: none, only times are known
	scope          TEXT NOT NULL,        -- cpu: counts all threads of a CPU; task: follows one thread; cgroup: those of one control group, CPU by CPU
	has_times      TEXT NOT NULL         -- yes: time_enabled and time_running were recorded, so multiplexing shows; no: unknown
) STRICT;

-- One counter of one trace.
CREATE TABLE counter (
	counter_id     INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	group_id       INTEGER REFERENCES counter_group, -- NULL: not read at switches
	slot           INTEGER,              -- its column context_switch.delta_<slot>
	name           TEXT NOT NULL,        -- as the user wrote it; a repeated name gets #2, #3, ...
	event          TEXT NOT NULL,        -- as the user wrote it
	unit           TEXT,                 -- ns for clocks, else NULL: plain events
	source         TEXT NOT NULL,        -- perf or etw
	type           INTEGER,              -- perf: attr.type
	config         INTEGER,              -- perf: attr.config
	period         INTEGER               -- perf: sample_period; NULL: a frequency was requested
) STRICT;

-- One incarnation of a process id.
CREATE TABLE process (
	process_id     INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	pid            INTEGER,              -- 0: idle; NULL: threads whose process the trace does not name, or outside the namespace
	parent_pid     INTEGER,
	start_ns       INTEGER,              -- NULL: ran before the recording began
	end_ns         INTEGER,              -- NULL: outlived it
	name           TEXT,                 -- last name of its main thread
	command        TEXT                  -- command line, where the format records it
) STRICT;

-- One incarnation of a thread id.  Idle is one thread on each CPU.
CREATE TABLE thread (
	thread_id      INTEGER PRIMARY KEY,
	process_id     INTEGER NOT NULL REFERENCES process,
	tid            INTEGER NOT NULL,     -- as the machine counts; 0: idle, or outside the recorder's PID namespace
	recorder_tid   INTEGER,              -- as the recorder's PID namespace counts, where that differs
	idle_cpu       INTEGER,              -- idle threads: their CPU, else NULL
	start_ns       INTEGER,              -- NULL: before the recording, or not known
	end_ns         INTEGER,              -- NULL: after the recording, or not known
	name           TEXT                  -- the last one (comm)
) STRICT;

-- What an interval between two switches proves; the same list for every trace.
CREATE TABLE charge_status (
	status         INTEGER PRIMARY KEY,
	name           TEXT NOT NULL,        -- baseline, charged, with_idle or unattributed
	reason         TEXT NOT NULL,        -- why unattributed, else ''
	words          TEXT NOT NULL         -- explanation for users
) STRICT;
INSERT INTO charge_status VALUES
	(0, 'baseline',     'first',       'first switch of the CPU: nothing to subtract from'),
	(1, 'charged',      '',            'proven to be of the thread switched out'),
	(2, 'with_idle',    '',            'of this thread and of idle, whose switch-out was not recorded'),
	(3, 'unattributed', 'lost',        'records were lost in between'),
	(4, 'unattributed', 'throttle',    'sampling was throttled in between'),
	(5, 'unattributed', 'decrease',    'a counter went down'),
	(6, 'unattributed', 'leader',      'the leader counted other than one switch'),
	(7, 'unattributed', 'multiplexed', 'the group was not always on the PMU'),
	(8, 'unattributed', 'chain',       'another thread had been switched in'),
	(9, 'unattributed', 'no_thread',   'the thread switched out is not known'),
	(10, 'unattributed', 'unread',     'no counters were read at this switch'),
	(11, 'unattributed', 'after_unread', 'no counters were read at the switch before'),
	(12, 'unattributed', 'suspect',    'the recorder itself reports that the counters went wrong'),
	(13, 'unattributed', 'edges',      'interrupts began or ended in between, unrecorded');

-- One context switch as one group saw it, and what each counter rose by since the group's
-- previous switch on that CPU.  A column delta_<slot> follows for each counter of the
-- widest group; context_switch_named shows them under their names.
CREATE TABLE context_switch (       -- no NOT NULL: the check costs time on millions of rows
	switch_id      INTEGER PRIMARY KEY,
	ts_ns          INTEGER,
	cpu            INTEGER,
	group_id       INTEGER REFERENCES counter_group,
	prev_thread_id INTEGER REFERENCES thread, -- switched out: charged with the interval if proven
	next_thread_id INTEGER REFERENCES thread, -- switched in, where recorded
	prev_state     INTEGER,              -- the scheduler's state of the thread switched out, as the tracepoint has it; 0: was running
	status         INTEGER REFERENCES charge_status,
	on_cpu_ns      INTEGER,              -- length of the interval, from the switch-in where that is known
	running_ns     INTEGER,              -- rise of the group's time_running, where recorded
	detail_id      INTEGER               -- the rest of the tracepoint's fields: a row of the table <system>_<event>_detail
) STRICT;

-- A kind and vector of interrupts.  A softirq that threads run themselves, not on the way out
-- of an interrupt, is another one than the same softirq that interrupts them.
CREATE TABLE interrupt (
	interrupt_id   INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	kind           TEXT NOT NULL,        -- irq, softirq or vector; isr or dpc on Windows
	vector         INTEGER,              -- number of the irq, softirq or vector
	name           TEXT,                 -- of the irq's handler, the softirq, the vector's tracepoint, the routine
	in_thread      INTEGER NOT NULL      -- 1: the work of the thread that runs it
) STRICT;

-- What a counter, or the recording as a whole, was compared with: known work on each CPU
-- before the recording, and the kernel's own books of its time (perftab-capture).
CREATE TABLE audit_check (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	what           TEXT NOT NULL,        -- loop, events: known work; placed, held, untested, max_khz: the CPU; ctxt, irqs, softirqs, ticks: the kernel's books
	cpu            INTEGER,              -- NULL: all
	counter_id     INTEGER REFERENCES counter, -- NULL: not about a counter
	least          INTEGER,              -- at least so many are right
	most           INTEGER,              -- at most; placed: counters that the PMU has
	found          INTEGER,              -- counted, or recorded; placed: counters that were free; max_khz: the highest frequency
	verdict        TEXT,                 -- proven, plausible, contradicted; NULL: a fact
	note           TEXT                  -- why it is contradicted, untested, or who may hold counters
) STRICT;

-- What the kernel's own books (schedstat, status) have of a thread that existed when the
-- recording began and when it ended; kernel_task_check compares it.
CREATE TABLE kernel_task (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	tid            INTEGER NOT NULL,     -- as the recorder saw it
	run_ns         INTEGER NOT NULL,     -- on a CPU; known to a tick
	voluntary      INTEGER,              -- switches
	involuntary    INTEGER               -- switches
) STRICT;

-- The verdict on each counter.
CREATE TABLE counter_audit (
	counter_id     INTEGER NOT NULL REFERENCES counter,
	verdict        TEXT NOT NULL,        -- proven (by known work), plausible (nothing is against it) or contradicted
	reason         TEXT                  -- by what; NULL: nothing was tested
) STRICT;

-- A group that was read while a thread kept its CPU: when the recording began and ended, once
-- a second in between, and where an interrupt began or ended.  Its deltas are in
-- group_read_value; like those of switches they are part of all totals.
CREATE TABLE group_read (
	read_id        INTEGER PRIMARY KEY,
	ts_ns          INTEGER NOT NULL,
	cpu            INTEGER NOT NULL,
	group_id       INTEGER NOT NULL REFERENCES counter_group,
	thread_id      INTEGER REFERENCES thread, -- on the CPU: charged with the interval if proven
	after_switch_id INTEGER NOT NULL,    -- the last switch_id before it, 0: none
	status         INTEGER NOT NULL REFERENCES charge_status, -- baseline: the first values of the CPU
	on_cpu_ns      INTEGER NOT NULL,     -- length of the interval
	running_ns     INTEGER,              -- rise of the group's time_running, where recorded
	interrupt_id   INTEGER REFERENCES interrupt, -- charged with the interval; NULL: the thread is
	interrupt_ended INTEGER              -- 1: that interrupt ended here
) STRICT;

-- What each counter of the group rose by since the group's switch or read before on that CPU.
-- Of a read where an interrupt began or ended, counters that did not rise are left out.
CREATE TABLE group_read_value (
	read_id        INTEGER NOT NULL REFERENCES group_read,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	delta          INTEGER NOT NULL      -- signed, as delta_<slot> of a switch
) STRICT;

-- First and last cumulative value of each counter on each CPU.
CREATE TABLE counter_base (
	counter_id     INTEGER NOT NULL REFERENCES counter,
	cpu            INTEGER NOT NULL,
	thread_id      INTEGER REFERENCES thread, -- scope task: whose instance of the counter
	first_ns       INTEGER NOT NULL,
	first_value    INTEGER NOT NULL,
	last_ns        INTEGER NOT NULL,
	last_value     INTEGER NOT NULL
) STRICT;

-- One overflow of a counter, or firing of a tracepoint, that is not a switch leader.
CREATE TABLE sample (
	sample_id      INTEGER PRIMARY KEY,
	ts_ns          INTEGER,
	cpu            INTEGER,
	thread_id      INTEGER REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	period         INTEGER,              -- events it stands for
	mode           INTEGER,              -- 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user; 0: unknown
	ip             INTEGER,              -- instruction address; above 2^63 (kernel) it reads as negative
	addr           INTEGER,              -- data address, likewise
	callchain_id   INTEGER REFERENCES callchain,
	weight         INTEGER,              -- of WEIGHT_STRUCT all three parts in one number, as recorded
	data_src       INTEGER,              -- bits of perf_mem_data_src, as recorded
	hw_transaction INTEGER,              -- bits of a hardware transaction, as recorded
	phys_addr      INTEGER,
	cgroup_id      INTEGER,              -- table cgroup names it
	data_page_bytes INTEGER,
	code_page_bytes INTEGER,
	stack_bytes    INTEGER,              -- user stack recorded with it; its content is not kept
	aux_bytes      INTEGER               -- hardware trace data recorded with it; likewise
) STRICT;

-- The counters read along with a sample, cumulative as recorded.
CREATE TABLE sample_value (
	sample_id      INTEGER NOT NULL REFERENCES sample,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	value          INTEGER NOT NULL
) STRICT;

-- Branches recorded with a sample (LBR and the like), the latest first.
CREATE TABLE sample_branch (
	sample_id      INTEGER NOT NULL REFERENCES sample,
	position       INTEGER NOT NULL,     -- 0, 1, ...
	from_ip        INTEGER,
	to_ip          INTEGER,
	flags          INTEGER               -- bits of perf_branch_entry, as little-endian machines have them
) STRICT;

-- Registers recorded with a sample.
CREATE TABLE sample_register (
	sample_id      INTEGER NOT NULL REFERENCES sample,
	at             TEXT NOT NULL,        -- user: of user space; interrupt: at the time of the sample
	number         INTEGER NOT NULL,     -- perf's number of the register on that machine
	value          INTEGER NOT NULL
) STRICT;

-- One distinct chain of calls.
CREATE TABLE callchain (
	callchain_id   INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	depth          INTEGER NOT NULL,     -- entries in frames
	frames         TEXT NOT NULL         -- JSON array, innermost first: "0x..." addresses, and where they change "kernel", "user", ...
) STRICT;

-- The call chain recorded with a switch: where the thread left its CPU.
CREATE TABLE switch_callchain (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	switch_id      INTEGER REFERENCES context_switch, -- NULL: a switch that has no row
	ts_ns          INTEGER NOT NULL,
	cpu            INTEGER NOT NULL,
	callchain_id   INTEGER NOT NULL REFERENCES callchain
) STRICT;

-- A branch recorded with a switch, the latest first.
CREATE TABLE switch_branch (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	switch_id      INTEGER REFERENCES context_switch, -- likewise
	ts_ns          INTEGER NOT NULL,
	cpu            INTEGER NOT NULL,
	position       INTEGER NOT NULL,    -- 0, 1, ...
	from_ip        INTEGER,
	to_ip          INTEGER,
	flags          INTEGER              -- as in sample_branch
) STRICT;

-- The user part of call chains, recorded when their thread left the kernel (Linux 6.19).  It
-- continues those that end with "user deferred" and the cookie.
CREATE TABLE callchain_deferred (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cpu            INTEGER,
	thread_id      INTEGER REFERENCES thread,
	cookie         INTEGER NOT NULL,    -- in those chains, after "user deferred"
	callchain_id   INTEGER REFERENCES callchain -- NULL: it is empty
) STRICT;

-- A new name of a thread.
CREATE TABLE comm (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,              -- 0: before the recording
	thread_id      INTEGER NOT NULL REFERENCES thread,
	name           TEXT,
	is_exec        INTEGER NOT NULL      -- 1: by exec of another program
) STRICT;

-- A thread started.  Times of fork and exit are those in the record's body, up to some us before
-- the time of the record.
CREATE TABLE fork (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,              -- 0: before the recording
	thread_id      INTEGER NOT NULL REFERENCES thread,
	parent_thread_id INTEGER REFERENCES thread
) STRICT;

-- A thread ended.
CREATE TABLE exit (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	thread_id      INTEGER NOT NULL REFERENCES thread
) STRICT;

-- The recorder reports lost records.
CREATE TABLE lost (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cpu            INTEGER,
	record         TEXT NOT NULL,        -- LOST (records of any kind) or LOST_SAMPLES
	counter_id     INTEGER REFERENCES counter,
	events         INTEGER NOT NULL      -- how many
) STRICT;

-- The kernel stopped (1) or resumed (0) the sampling of a counter.
CREATE TABLE throttle (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cpu            INTEGER,
	counter_id     INTEGER REFERENCES counter,
	throttled      INTEGER NOT NULL
) STRICT;

-- PERF_RECORD_SWITCH and SWITCH_CPU_WIDE: a thread was switched in or out; no counters.
CREATE TABLE switch_record (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cpu            INTEGER,
	thread_id      INTEGER REFERENCES thread,
	is_out         INTEGER NOT NULL,     -- 1: switched out, 0: switched in
	is_preempted   INTEGER NOT NULL,     -- 1: switched out while runnable
	other_tid      INTEGER,              -- the other thread of the switch, as the recorder saw it
	on_cpu_ns      INTEGER               -- switched out: time since its switch-in, NULL: unknown
) STRICT;

-- A counter's value at the end of a thread (PERF_RECORD_READ).
CREATE TABLE counter_read (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	thread_id      INTEGER REFERENCES thread,
	counter_id     INTEGER REFERENCES counter,
	value          INTEGER NOT NULL,
	enabled_ns     INTEGER,
	running_ns     INTEGER
) STRICT;

-- A file or other memory was mapped.
CREATE TABLE mmap (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,              -- 0: before the recording
	pid            INTEGER,              -- -1: the kernel's
	thread_id      INTEGER REFERENCES thread,
	mode           INTEGER,              -- as sample.mode
	addr           INTEGER,
	bytes          INTEGER,
	file_offset    INTEGER,
	filename       TEXT,
	is_data        INTEGER NOT NULL,     -- 1: not executable
	prot           INTEGER,              -- as mmap(2); NULL in old records, like the columns below
	flags          INTEGER,              -- as mmap(2)
	major          INTEGER,              -- of the device
	minor          INTEGER,
	inode          INTEGER,
	inode_generation INTEGER,
	build_id       TEXT                  -- hexadecimal
) STRICT;

-- Build ids that the recorder collected.
CREATE TABLE build_id (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	pid            INTEGER,              -- -1: of the host's kernel and all processes
	mode           INTEGER,              -- as sample.mode
	build_id       TEXT NOT NULL,
	filename       TEXT
) STRICT;

-- Functions that the trace itself names (simpleperf does).
CREATE TABLE file_symbol (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	filename       TEXT,
	base           TEXT NOT NULL,        -- what addr is: file: an offset in the file; map: one from the start of the mapping; address: an address
	addr           INTEGER NOT NULL,
	bytes          INTEGER,              -- NULL: up to the next one
	name           TEXT
) STRICT;

-- Files that sampled addresses and those of call chains are in: programs, libraries, the
-- kernel.
CREATE TABLE module (
	module_id      INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	name           TEXT,                 -- the last part of the path
	path           TEXT,                 -- as the trace has it
	build_id       TEXT,                 -- hexadecimal
	symbols        TEXT                  -- where names come from: trace, file, kallsyms; or why there is none: no build id, no file, other build id, other boot, no symbols, unreadable; NULL: no file was looked for
) STRICT;

-- What is at an address of a sample or a call chain.
CREATE TABLE frame_symbol (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	process_id     INTEGER REFERENCES process, -- NULL: the kernel's
	address        INTEGER NOT NULL,     -- as in sample.ip and callchain.frames
	from_ns        INTEGER,              -- it was there from this time on; NULL: from the start
	to_ns          INTEGER,              -- and before this time; NULL: to the end
	module_id      INTEGER NOT NULL REFERENCES module,
	module         TEXT,                 -- module.path
	module_offset  INTEGER,              -- offset in the file; of the kernel, from its start
	symbol         TEXT,                 -- name of the function; NULL: not known
	offset         INTEGER               -- of the address, from the start of the function
) STRICT;

-- Hardware trace data (Intel PT, CoreSight ...): its place; the data is not kept.
CREATE TABLE aux (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cpu            INTEGER,
	thread_id      INTEGER REFERENCES thread,
	record         TEXT NOT NULL,        -- AUX, AUXTRACE, ITRACE_START or AUX_OUTPUT_HW_ID
	aux_offset     INTEGER,              -- in the AUX buffer
	bytes          INTEGER,
	flags          INTEGER               -- AUX: 1 truncated, 2 overwrite, 4 partial, 8 collision; AUX_OUTPUT_HW_ID: the id
) STRICT;

-- A control group that appeared or existed.
CREATE TABLE cgroup (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	cgroup_id      INTEGER,
	path           TEXT
) STRICT;

-- From that switch on the thread switched out was in this control group: rows only where it
-- was not in it before.
CREATE TABLE thread_cgroup (
	thread_id      INTEGER NOT NULL REFERENCES thread,
	from_switch_id INTEGER NOT NULL,     -- context_switch.switch_id
	ts_ns          INTEGER NOT NULL,     -- of that switch
	cgroup_id      INTEGER NOT NULL      -- table cgroup names it
) STRICT;

-- Namespaces of a thread, a row each.
CREATE TABLE namespace (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	thread_id      INTEGER REFERENCES thread,
	kind           TEXT NOT NULL,        -- net, uts, ipc, pid, user, mnt, cgroup; else its number
	device         INTEGER,
	inode          INTEGER
) STRICT;

-- A symbol appeared in the kernel or was removed (BPF programs, trampolines).
CREATE TABLE ksymbol (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	addr           INTEGER,
	bytes          INTEGER,
	kind           TEXT NOT NULL,        -- bpf, ool (out of line); else its number
	is_removed     INTEGER NOT NULL,
	name           TEXT
) STRICT;

-- A BPF program was loaded or unloaded.
CREATE TABLE bpf_event (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	kind           TEXT NOT NULL,        -- load, unload; else its number
	program_id     INTEGER,
	tag            TEXT,                 -- hexadecimal
	flags          INTEGER               -- as recorded; none are known
) STRICT;

-- The kernel changed its own code.
CREATE TABLE text_poke (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	addr           INTEGER,
	old_bytes      BLOB,
	new_bytes      BLOB
) STRICT;

-- perf stat record: one count of one counter on one CPU or thread.
CREATE TABLE stat (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	round          INTEGER NOT NULL,     -- 1, 2, ...: see stat_round
	counter_id     INTEGER REFERENCES counter,
	cpu            INTEGER,              -- NULL: not by CPU
	thread         INTEGER,              -- position in thread_map
	value          INTEGER NOT NULL,     -- as counted, not scaled
	enabled_ns     INTEGER,
	running_ns     INTEGER
) STRICT;

CREATE TABLE stat_round (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	round          INTEGER NOT NULL,
	kind           TEXT NOT NULL,        -- interval or final
	time_ns        INTEGER               -- since the start; of the final one, as recorded
) STRICT;

-- The requested threads.
CREATE TABLE thread_map (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	position       INTEGER NOT NULL,     -- 0, 1, ...
	tid            INTEGER NOT NULL,     -- -1: all
	name           TEXT
) STRICT;

-- The requested CPUs.
CREATE TABLE cpu_map (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	cpu            INTEGER NOT NULL      -- -1: wherever the threads run
) STRICT;

-- perf sched stats: the counts of a CPU in /proc/schedstat since the boot, named as there.
-- They are recorded at the beginning and at the end: subtract.
CREATE TABLE schedstat_cpu (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	jiffies        INTEGER,             -- the time
	cpu            INTEGER,
	version        INTEGER NOT NULL,    -- of /proc/schedstat: 15, 16 or 17
	yld_count      INTEGER,             -- calls of sched_yield()
	array_exp      INTEGER,             -- 0 in all kernels since 2.6.23
	sched_count    INTEGER,             -- calls of schedule()
	sched_goidle   INTEGER,             -- of these, those that left the CPU idle
	ttwu_count     INTEGER,             -- wakeups by this CPU
	ttwu_local     INTEGER,             -- of these, those of threads on this CPU
	rq_cpu_time    INTEGER,             -- time of all threads on the CPU, in ns
	run_delay      INTEGER,             -- time that threads waited for it, in ns
	pcount         INTEGER              -- time slices
) STRICT;

-- The same of a scheduling domain of a CPU.
CREATE TABLE schedstat_domain (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	jiffies        INTEGER,             -- likewise
	cpu            INTEGER,
	domain         INTEGER NOT NULL,    -- 0: the innermost
	version        INTEGER NOT NULL,    -- likewise
	busy_lb_count  INTEGER,             -- attempts to balance the load while the CPU was busy
	busy_lb_balanced INTEGER,           -- of these, those that found it balanced
	busy_lb_failed INTEGER,             -- of these, those that moved no thread
	busy_lb_imbalance INTEGER,          -- imbalance, added up: versions 15 and 16
	busy_lb_imbalance_load INTEGER,     -- version 17: of load
	busy_lb_imbalance_util INTEGER,     -- version 17: of utilization
	busy_lb_imbalance_task INTEGER,     -- version 17: of the number of threads
	busy_lb_imbalance_misfit INTEGER,   -- version 17: of threads too large for their CPU
	busy_lb_gained INTEGER,             -- threads moved to this CPU
	busy_lb_hot_gained INTEGER,         -- of these, those with a warm cache
	busy_lb_nobusyq INTEGER,            -- attempts without a busier queue
	busy_lb_nobusyg INTEGER,            -- attempts without a busier group
	idle_lb_count  INTEGER,             -- the same while it was idle
	idle_lb_balanced INTEGER,           -- of these, those that found it balanced
	idle_lb_failed INTEGER,             -- of these, those that moved no thread
	idle_lb_imbalance INTEGER,          -- imbalance, added up: versions 15 and 16
	idle_lb_imbalance_load INTEGER,     -- version 17: of load
	idle_lb_imbalance_util INTEGER,     -- version 17: of utilization
	idle_lb_imbalance_task INTEGER,     -- version 17: of the number of threads
	idle_lb_imbalance_misfit INTEGER,   -- version 17: of threads too large for their CPU
	idle_lb_gained INTEGER,             -- threads moved to this CPU
	idle_lb_hot_gained INTEGER,         -- of these, those with a warm cache
	idle_lb_nobusyq INTEGER,            -- attempts without a busier queue
	idle_lb_nobusyg INTEGER,            -- attempts without a busier group
	newidle_lb_count INTEGER,           -- the same while it became idle
	newidle_lb_balanced INTEGER,        -- of these, those that found it balanced
	newidle_lb_failed INTEGER,          -- of these, those that moved no thread
	newidle_lb_imbalance INTEGER,       -- imbalance, added up: versions 15 and 16
	newidle_lb_imbalance_load INTEGER,  -- version 17: of load
	newidle_lb_imbalance_util INTEGER,  -- version 17: of utilization
	newidle_lb_imbalance_task INTEGER,  -- version 17: of the number of threads
	newidle_lb_imbalance_misfit INTEGER, -- version 17: of threads too large for their CPU
	newidle_lb_gained INTEGER,          -- threads moved to this CPU
	newidle_lb_hot_gained INTEGER,      -- of these, those with a warm cache
	newidle_lb_nobusyq INTEGER,         -- attempts without a busier queue
	newidle_lb_nobusyg INTEGER,         -- attempts without a busier group
	alb_count      INTEGER,             -- active balancing: attempts
	alb_failed     INTEGER,             -- that moved no thread
	alb_pushed     INTEGER,             -- that moved one
	sbe_count      INTEGER,             -- not used by the kernel
	sbe_balanced   INTEGER,             -- likewise
	sbe_pushed     INTEGER,             -- likewise
	sbf_count      INTEGER,             -- likewise
	sbf_balanced   INTEGER,             -- likewise
	sbf_pushed     INTEGER,             -- likewise
	ttwu_wake_remote INTEGER,           -- wakeups of threads that ran on another CPU before
	ttwu_move_affine INTEGER,           -- wakeups that moved a thread without a warm cache
	ttwu_move_balance INTEGER           -- wakeups that began to balance
) STRICT;

-- Tracepoints of the trace.  Each has a table of its own, <system>_<event>, with a column
-- for each field of its recorded format after these: trace_id, sample_id, ts_ns, cpu,
-- thread_id, sample_pid, sample_tid (the last two as the recorder saw them).
CREATE TABLE tracepoint (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	system         TEXT NOT NULL,
	name           TEXT NOT NULL,
	table_name     TEXT NOT NULL,
	format_from    TEXT NOT NULL,        -- file, tracefs (given by --tracefs) or shape (assumed)
	format         TEXT                  -- the fields as the kernel declares them, a line each
) STRICT;

-- Records that have no table of their own, as bytes.
CREATE TABLE other_record (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	record_offset  INTEGER,              -- in the input
	type           INTEGER NOT NULL,     -- PERF_RECORD_*
	record         TEXT,                 -- its name, NULL: unknown
	bytes          INTEGER NOT NULL,     -- of the record, header included
	body           BLOB                  -- without header and trailer; NULL: larger than 65536 bytes
) STRICT;

-- Number of records of each type in the trace.
CREATE TABLE record_count (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	type           INTEGER NOT NULL,     -- -1: types that are not counted apart
	record         TEXT,
	records        INTEGER NOT NULL
) STRICT;

-- Sections of the header.
CREATE TABLE header_feature (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	feature        INTEGER NOT NULL,     -- its bit
	name           TEXT,
	section_offset INTEGER,              -- in the input
	bytes          INTEGER NOT NULL,
	status         TEXT NOT NULL,        -- decoded (see header_fact and others), kept (as content), empty or dropped (see finding)
	content        BLOB                  -- kept ones of at most 1 MiB
) STRICT;

-- Facts of the trace's header.
CREATE TABLE header_fact (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	key            TEXT NOT NULL,
	value          TEXT
) STRICT;

-- One kind of thing to know before trusting the numbers; a gap in the input has a row of its
-- own.
CREATE TABLE finding (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	severity       TEXT NOT NULL,        -- info, warning, or damage (parts of the input were not read)
	kind           TEXT NOT NULL,        -- listed in docs/findings.md
	count          INTEGER NOT NULL,
	first_offset   INTEGER,              -- place of the first one in the input
	end_offset     INTEGER,              -- a gap: where it ends
	text           TEXT NOT NULL
) STRICT;

-- Totals, computed at conversion.  "Proven" is charged and with_idle together.  Proven sums of
-- processes and threads exclude unproven intervals, which belong to them only with
-- --unproven switched-out.

CREATE TABLE process_summary (
	process_id         INTEGER NOT NULL REFERENCES process,
	group_id           INTEGER NOT NULL REFERENCES counter_group, -- as this group saw it
	threads            INTEGER NOT NULL, -- with proven switches
	switches           INTEGER NOT NULL, -- proven switch-outs, and each CPU's first
	on_cpu_ns          INTEGER NOT NULL,
	with_idle_switches INTEGER NOT NULL, -- of the switches: shared with idle
	timeless_switches  INTEGER NOT NULL, -- of those: with unknown time, which adds 0
	unproven_switches  INTEGER NOT NULL,
	unproven_ns        INTEGER NOT NULL,
	running_ns         INTEGER,          -- time the group counted for it; NULL: unknown
	reads              INTEGER NOT NULL, -- intervals that ended with a read: group_read
	interrupts_ns      INTEGER NOT NULL  -- of interrupts while it was on a CPU: not in on_cpu_ns
) STRICT;

CREATE TABLE process_charge (
	process_id     INTEGER NOT NULL REFERENCES process,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	charged        INTEGER NOT NULL,
	interrupts     INTEGER NOT NULL,     -- of interrupts while it was on a CPU: not in charged
	with_idle      INTEGER NOT NULL,
	unproven       INTEGER NOT NULL
) STRICT;

CREATE TABLE thread_summary (
	thread_id          INTEGER NOT NULL REFERENCES thread,
	group_id           INTEGER NOT NULL REFERENCES counter_group,
	switches           INTEGER NOT NULL,
	on_cpu_ns          INTEGER NOT NULL,
	with_idle_switches INTEGER NOT NULL,
	timeless_switches  INTEGER NOT NULL,
	unproven_switches  INTEGER NOT NULL,
	unproven_ns        INTEGER NOT NULL,
	running_ns         INTEGER,
	reads              INTEGER NOT NULL, -- intervals that ended with a read
	interrupts_ns      INTEGER NOT NULL
) STRICT;

CREATE TABLE thread_charge (
	thread_id      INTEGER NOT NULL REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	charged        INTEGER NOT NULL,
	interrupts     INTEGER NOT NULL,     -- of interrupts while it was on a CPU: not in charged
	with_idle      INTEGER NOT NULL,
	unproven       INTEGER NOT NULL
) STRICT;

-- Parts of thread_summary and thread_charge, where samples name the control group: what a
-- thread did in it.  Idle has none; intervals without a known one are in the totals alone.
CREATE TABLE cgroup_summary (
	cgroup_id          INTEGER NOT NULL, -- table cgroup names it
	thread_id          INTEGER NOT NULL REFERENCES thread,
	group_id           INTEGER NOT NULL REFERENCES counter_group,
	switches           INTEGER NOT NULL,
	on_cpu_ns          INTEGER NOT NULL,
	with_idle_switches INTEGER NOT NULL,
	timeless_switches  INTEGER NOT NULL,
	unproven_switches  INTEGER NOT NULL,
	unproven_ns        INTEGER NOT NULL,
	running_ns         INTEGER,
	reads              INTEGER NOT NULL, -- intervals that ended with a read
	interrupts_ns      INTEGER NOT NULL  -- of interrupts while it was there, not in on_cpu_ns
) STRICT;

-- The charge for each counter.
CREATE TABLE cgroup_charge (
	cgroup_id      INTEGER NOT NULL,
	thread_id      INTEGER NOT NULL REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	charged        INTEGER NOT NULL,
	interrupts     INTEGER NOT NULL,     -- of interrupts while it was there, not in charged
	with_idle      INTEGER NOT NULL,
	unproven       INTEGER NOT NULL
) STRICT;

CREATE TABLE cpu_summary (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	cpu             INTEGER NOT NULL,
	group_id        INTEGER NOT NULL REFERENCES counter_group,
	switches        INTEGER NOT NULL,    -- that this group saw
	all_switches    INTEGER NOT NULL,    -- that any group saw
	on_cpu_ns       INTEGER NOT NULL,    -- of all threads, idle included
	idle_ns         INTEGER NOT NULL,
	unattributed_ns INTEGER NOT NULL,
	running_ns      INTEGER,
	first_ns        INTEGER NOT NULL,    -- first and last switch or read
	last_ns         INTEGER NOT NULL,
	reads           INTEGER NOT NULL,    -- of this group: rows of group_read
	interrupts_ns   INTEGER NOT NULL     -- part of on_cpu_ns
) STRICT;

-- The books of each CPU and counter: last_value - first_value = charged + interrupts
-- + with_idle + idle + unattributed, always.
CREATE TABLE cpu_charge (
	cpu            INTEGER NOT NULL,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	first_value    INTEGER NOT NULL,
	last_value     INTEGER NOT NULL,
	charged        INTEGER NOT NULL,     -- of threads other than idle
	interrupts     INTEGER NOT NULL,     -- also those that interrupted idle
	with_idle      INTEGER NOT NULL,
	idle           INTEGER NOT NULL,
	unattributed   INTEGER NOT NULL
) STRICT;

CREATE TABLE status_summary (
	group_id       INTEGER NOT NULL REFERENCES counter_group,
	status         INTEGER NOT NULL REFERENCES charge_status,
	switches       INTEGER NOT NULL,
	on_cpu_ns      INTEGER NOT NULL,     -- of the intervals of both
	reads          INTEGER NOT NULL      -- intervals that ended with a read
) STRICT;

CREATE TABLE status_charge (
	counter_id     INTEGER NOT NULL REFERENCES counter,
	status         INTEGER NOT NULL REFERENCES charge_status,
	value          INTEGER NOT NULL
) STRICT;

-- Interrupts of a kind and vector on a CPU while a thread was there, as a group saw them.
CREATE TABLE interrupt_summary (
	interrupt_id   INTEGER NOT NULL REFERENCES interrupt,
	group_id       INTEGER REFERENCES counter_group,
	cpu            INTEGER NOT NULL,
	thread_id      INTEGER REFERENCES thread, -- interrupted; NULL: unknown
	status         TEXT NOT NULL,        -- charged (proven), or estimated: the counters are, the time is not
	interrupts     INTEGER NOT NULL,     -- how many ended there
	time_ns        INTEGER NOT NULL      -- without that of interrupts inside them
) STRICT;

-- What they were charged for each counter.
CREATE TABLE interrupt_charge (
	interrupt_id   INTEGER NOT NULL REFERENCES interrupt,
	kind           TEXT NOT NULL,        -- as in interrupt
	vector         INTEGER,              -- likewise
	cpu            INTEGER NOT NULL,
	thread_id      INTEGER REFERENCES thread, -- interrupted; NULL: unknown
	counter_id     INTEGER NOT NULL REFERENCES counter,
	status         TEXT NOT NULL,        -- charged, or estimated: part of no other sum
	charged        INTEGER NOT NULL      -- part of charged of its thread where interrupt.in_thread is 1
) STRICT;

-- Sampling: estimates, from the samples that were not lost.  sum(events) is the sum of
-- the samples' periods.

CREATE TABLE sample_summary (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	thread_id      INTEGER REFERENCES thread, -- NULL: of no known thread
	counter_id     INTEGER NOT NULL REFERENCES counter,
	samples        INTEGER NOT NULL,
	events         INTEGER NOT NULL      -- estimated: sum of the periods
) STRICT;

-- Parts of sample_summary: samples that name their control group.
CREATE TABLE sample_cgroup_summary (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	cgroup_id      INTEGER NOT NULL,
	thread_id      INTEGER REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	samples        INTEGER NOT NULL,
	events         INTEGER NOT NULL      -- estimated: sum of the periods
) STRICT;

CREATE TABLE sample_cpu_summary (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	cpu            INTEGER,              -- NULL: not recorded
	counter_id     INTEGER NOT NULL REFERENCES counter,
	samples        INTEGER NOT NULL,
	events         INTEGER NOT NULL      -- estimated: sum of the periods
) STRICT;

-- Time on a CPU, from SWITCH records: measured, not estimated.
CREATE TABLE on_cpu_summary (
	thread_id      INTEGER NOT NULL REFERENCES thread,
	cpu            INTEGER,              -- NULL: not recorded
	switches       INTEGER NOT NULL,     -- switch-outs
	on_cpu_ns      INTEGER NOT NULL      -- between switch-in and switch-out
) STRICT;

-- PerfLib: snapshots of counters, raw.  snapshot, block, counterset, instance and counter are
-- numbers of one trace, not of the database: join them with trace_id.

-- One answer of PerfQueryCounterData.
CREATE TABLE perflib_snapshot (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	snapshot        INTEGER NOT NULL,     -- 1, 2, ... in the order of the input
	ts_ns           INTEGER,              -- PerfTimeStamp in nanoseconds, NULL: unknown
	query           INTEGER,              -- number of the query handle; .blg: place in the catalogue; NULL: a bare block
	code            INTEGER,              -- return code of the call, 0: success; NULL: a bare block
	record_offset   INTEGER NOT NULL,     -- of the answer in the input
	bytes           INTEGER,              -- of the answer; NULL: a line of PDH-CSV
	blocks          INTEGER,              -- dwNumCounters; NULL: no header
	perf_time       INTEGER,              -- PerfTimeStamp, ticks
	perf_freq       INTEGER,              -- PerfFreq, ticks a second
	perf_time_100ns INTEGER,              -- PerfTime100NSec: 100 ns since 1601, UTC
	system_time     TEXT                  -- SYSTEMTIME, as YYYY-MM-DDThh:mm:ss.mmm; it may be local time
) STRICT;

-- One PERF_COUNTER_HEADER of a snapshot: the answer to one identifier of the query.
CREATE TABLE perflib_block (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	snapshot        INTEGER NOT NULL,     -- perflib_snapshot.snapshot
	block           INTEGER NOT NULL,     -- its place in the snapshot, 0, 1, ...: the Index of the identifier
	counterset      INTEGER,              -- NULL: beyond what is kept
	record_offset   INTEGER NOT NULL,     -- in the input
	type            INTEGER NOT NULL,     -- 0 error, 1 single counter, 2 counters, 4 instances, 6 counterset; 256 and above: a part of a .blg of that type
	status          INTEGER NOT NULL,     -- Win32 error, 0: none
	bytes           INTEGER NOT NULL,     -- header included
	counters        INTEGER,              -- number in its header, NULL: not that type
	instances       INTEGER,              -- likewise
	object_time     INTEGER,              -- V1: the object's own time, ticks; NULL: it has none
	object_freq     INTEGER,              -- V1: ticks of it in a second
	body            BLOB                  -- of unknown types, and after a status: the bytes after the header, at most 65536
) STRICT;

-- One counterset, as it was registered.
CREATE TABLE perflib_counterset (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	counterset      INTEGER NOT NULL,     -- 1, 2, ... in the order of the input
	guid            TEXT,                 -- NULL: unknown, as in a bare block
	name            TEXT,                 -- in the language of the capture
	english_name    TEXT,                 -- in English
	help            TEXT,                 -- what it says of itself, in the language of the capture
	provider        TEXT,                 -- name of the provider
	provider_guid   TEXT,                 -- GUID of the provider
	instance_type   INTEGER,              -- 0 single, 2 multi, 4 global aggregate, 6 multi aggregate, 12 global aggregate history
	detail_level    INTEGER,              -- 100 novice, 200 advanced
	counters        INTEGER,              -- number registered, NULL: unknown
	title           INTEGER,              -- V1: index of its name in the recording machine's registry
	machine         TEXT                  -- V1, PDH: the machine of the counters
) STRICT;

-- One counter of a counterset, as it was registered.
CREATE TABLE perflib_counter (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	counterset      INTEGER NOT NULL,     -- perflib_counterset.counterset
	counter         INTEGER NOT NULL,     -- its id, unique in the counterset; V1: its place in the object
	name            TEXT,                 -- in the language of the capture
	english_name    TEXT,                 -- in English
	help            TEXT,                 -- what it says of itself, in the language of the capture
	type            INTEGER,              -- PERF_COUNTER_TYPE; NULL: not registered
	attributes      INTEGER,              -- 1 by reference, 2 no display, 4 no group separator, 8 as real, 16 as hexadecimal
	detail_level    INTEGER,              -- 100 novice, 200 advanced
	default_scale   INTEGER,              -- a power of ten
	base_counter    INTEGER,              -- id of the counter to divide by; NULL: none
	time_counter    INTEGER,              -- likewise, of the time stamp (PerfTimeId)
	freq_counter    INTEGER,              -- likewise, of its frequency (PerfFreqId)
	multi_counter   INTEGER,              -- likewise, of the number of items (MultiId)
	aggregate       INTEGER,              -- 0 undefined, 1 total, 2 average, 3 minimum, 4 maximum
	title           INTEGER,              -- V1: index of its name
	time_base       INTEGER               -- PDH: perflib_raw.second counts this many a second, where it is a time
) STRICT;

-- One incarnation of an instance: the same id, name and ordinal in one block of one query, without
-- being absent in between.  Counters without instances have a row with a NULL number and name.
CREATE TABLE perflib_instance (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	instance        INTEGER NOT NULL,     -- 1, 2, ... in the order of the input
	counterset      INTEGER NOT NULL,     -- perflib_counterset.counterset
	query           INTEGER,              -- NULL: a bare block
	block           INTEGER NOT NULL,     -- perflib_block.block
	number          INTEGER,              -- InstanceId
	name            TEXT,                 -- the provider's name for it
	ordinal         INTEGER NOT NULL,     -- 0, or 1, 2, ... where number and name are repeated in a block
	parent_title    INTEGER,              -- V1: title of its parent's object; NULL: no parent
	parent_number   INTEGER,              -- V1: place of that parent among the instances of its object
	parent_name     TEXT,                 -- PDH: name of its parent
	first_snapshot  INTEGER NOT NULL      -- its first snapshot
) STRICT;

-- One raw value.
CREATE TABLE perflib_raw (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	snapshot        INTEGER NOT NULL,     -- perflib_snapshot.snapshot
	instance        INTEGER NOT NULL,     -- perflib_instance.instance
	counter         INTEGER,              -- perflib_counter.counter; NULL: not in the answer
	position        INTEGER NOT NULL,     -- place in the block's list of counters, which may contain an id twice
	bytes           INTEGER NOT NULL,     -- of the value
	value           INTEGER,              -- of 4 bytes: unsigned; of 8: above 2^63 negative; NULL: see raw
	second          INTEGER,              -- PDH: the divisor of the value, a time or a base
	multi           INTEGER,              -- PDH: number of items of a multi-timer
	status          INTEGER,              -- PDH: CStatus; 0 and 1: the value is valid, others have no value
	raw             BLOB                  -- values of other sizes, up to 65536 bytes, and 2^63, as bytes
) STRICT;

-- One value that the recording program computed (PDH-CSV).
CREATE TABLE perflib_cooked (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	snapshot        INTEGER NOT NULL,     -- perflib_snapshot.snapshot
	instance        INTEGER NOT NULL,     -- perflib_instance.instance
	counter         INTEGER NOT NULL,     -- perflib_counter.counter
	value           REAL NOT NULL         -- a value missing in the text has no row
) STRICT;

-- One answer of PerfQueryCounterSetRegistrationInfo.
CREATE TABLE perflib_answer (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	counterset      INTEGER NOT NULL,     -- perflib_counterset.counterset
	request         INTEGER NOT NULL,     -- PERF_REG_*: 1 structure .. 10 English names; 0: the list of instances
	argument        INTEGER NOT NULL,     -- counter id, or language (LCID)
	code            INTEGER NOT NULL,     -- Win32 error, 0: none
	bytes           INTEGER NOT NULL,     -- of the answer
	record_offset   INTEGER NOT NULL      -- of the answer in the input
) STRICT;

-- One PERF_COUNTER_IDENTIFIER of a query.
CREATE TABLE perflib_identifier (
	trace_id        INTEGER NOT NULL REFERENCES trace,
	query           INTEGER NOT NULL,     -- number of the query handle
	call            TEXT NOT NULL,        -- add (PerfAddCounters) or info (PerfQueryCounterInfo)
	record_offset   INTEGER NOT NULL,     -- in the input
	counterset      INTEGER,              -- NULL: beyond what is kept
	status          INTEGER NOT NULL,     -- Win32 error, 0: none
	counter         INTEGER,              -- NULL: all
	number          INTEGER,              -- InstanceId; NULL: any
	instance_name   TEXT,                 -- NULL: none given; * and ? stand for others
	block           INTEGER NOT NULL      -- Index: perflib_block.block
) STRICT;
