-- tables.sql - the tables of a perftab database, schema version 1 (PRAGMA user_version).
--
-- Times are nanoseconds on the trace's own clock (ts_ns and everything that ends in _ns);
-- trace.wall_offset_ns leads to wall time where the recorder noted it.  Counter values and
-- deltas are signed 64-bit: a counter above 2^63 reads as negative.  NULL means unknown or
-- not applicable.  Deltas are kept, not cumulative values; counter_base holds the first
-- value of each counter on each CPU, so that the recorded stream can be had back exactly.

-- One input.
CREATE TABLE trace (
	trace_id       INTEGER PRIMARY KEY,
	path           TEXT,                 -- as given on the command line
	format         TEXT NOT NULL,        -- perf.data
	status         TEXT NOT NULL,        -- complete, recovered (damaged spots skipped) or partial (the end is missing)
	bytes          INTEGER,              -- size of the input
	first_ns       INTEGER,              -- first and last time of a sample, switch or exit
	last_ns        INTEGER,
	clock          TEXT,                 -- which clock ts_ns counts on
	wall_offset_ns INTEGER,              -- ts_ns + this = nanoseconds since 1970, where the recorder noted it
	host           TEXT,                 -- host name
	os_release     TEXT,                 -- kernel or OS build
	arch           TEXT,                 -- machine, as uname -m says
	cpu_count      INTEGER,              -- CPUs online while recording
	cpu_model      TEXT,
	recorder       TEXT,                 -- version of the recorder
	command        TEXT                  -- its command line
) STRICT;

-- Counters that the kernel reads together, at every firing of their leader.
CREATE TABLE counter_group (
	group_id       INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	leader         TEXT NOT NULL,        -- name of the counter that fires at every switch
	counters       INTEGER NOT NULL,     -- how many are read, leader included; 0: none, only times are known
	scope          TEXT NOT NULL,        -- cpu: counts whatever runs on a CPU; task: follows one thread
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
	source         TEXT NOT NULL,        -- perf
	type           INTEGER,              -- perf: attr.type
	config         INTEGER,              -- perf: attr.config
	period         INTEGER               -- perf: sample_period; NULL: a frequency was asked for
) STRICT;

-- One life of a process id.
CREATE TABLE process (
	process_id     INTEGER PRIMARY KEY,
	trace_id       INTEGER NOT NULL REFERENCES trace,
	pid            INTEGER NOT NULL,     -- 0: idle
	parent_pid     INTEGER,
	start_ns       INTEGER,              -- NULL: ran before the recording began
	end_ns         INTEGER,              -- NULL: outlived it
	name           TEXT,                 -- last name of its main thread
	command        TEXT                  -- command line, where the format records it
) STRICT;

-- One life of a thread id.  Idle is one thread on each CPU.
CREATE TABLE thread (
	thread_id      INTEGER PRIMARY KEY,
	process_id     INTEGER NOT NULL REFERENCES process,
	tid            INTEGER NOT NULL,     -- as the machine counts; 0: idle
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
	words          TEXT NOT NULL         -- the same for people
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
	(9, 'unattributed', 'no_thread',   'the thread switched out is not known');

-- One context switch as one group saw it, and what each counter rose by since the group's
-- previous switch on that CPU.  A column delta_<slot> follows for each counter of the
-- widest group; context_switch_named shows them under their names.
CREATE TABLE context_switch (       -- no NOT NULL: the check costs time on millions of rows
	switch_id      INTEGER PRIMARY KEY,
	ts_ns          INTEGER,
	cpu            INTEGER,
	group_id       INTEGER REFERENCES counter_group,
	prev_thread_id INTEGER REFERENCES thread, -- switched out: whom the interval is charged to if proven
	next_thread_id INTEGER REFERENCES thread, -- switched in, where recorded
	prev_state     INTEGER,              -- the scheduler's state of the thread switched out, as the tracepoint has it; 0: was running
	status         INTEGER REFERENCES charge_status,
	on_cpu_ns      INTEGER,              -- length of the interval, from the switch-in where that is known
	running_ns     INTEGER               -- rise of the group's time_running, where recorded
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

-- One overflow of a counter that is not a switch leader.
CREATE TABLE sample (
	sample_id      INTEGER PRIMARY KEY,
	ts_ns          INTEGER,
	cpu            INTEGER,
	thread_id      INTEGER REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	period         INTEGER,              -- events it stands for
	ip             INTEGER               -- instruction address; above 2^63 (kernel) it reads as negative
) STRICT;

-- The counters read along with a sample, cumulative as recorded.
CREATE TABLE sample_value (
	sample_id      INTEGER NOT NULL REFERENCES sample,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	value          INTEGER NOT NULL
) STRICT;

-- A thread got a name.
CREATE TABLE comm (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,              -- 0: had it when the recording began
	thread_id      INTEGER NOT NULL REFERENCES thread,
	name           TEXT,
	is_exec        INTEGER NOT NULL      -- 1: by running another program
) STRICT;

-- A thread began.
CREATE TABLE fork (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,              -- 0: ran when the recording began
	thread_id      INTEGER NOT NULL REFERENCES thread,
	parent_thread_id INTEGER REFERENCES thread
) STRICT;

-- A thread ended.
CREATE TABLE exit (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	ts_ns          INTEGER,
	thread_id      INTEGER NOT NULL REFERENCES thread
) STRICT;

-- The recorder says that it lost records.
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

-- What the header of the trace says.
CREATE TABLE header_fact (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	key            TEXT NOT NULL,
	value          TEXT
) STRICT;

-- One kind of thing that must be known before the numbers are believed.
CREATE TABLE finding (
	trace_id       INTEGER NOT NULL REFERENCES trace,
	severity       TEXT NOT NULL,        -- info, warning, or damage (parts of the input were not read)
	kind           TEXT NOT NULL,        -- listed in docs/findings.md
	count          INTEGER NOT NULL,
	first_offset   INTEGER,              -- place of the first one in the input
	text           TEXT NOT NULL
) STRICT;

-- Totals, worked out at conversion.  "Proven" is charged and with_idle together; what is
-- unproven is in no process's or thread's proven sums, and is theirs only by the rule
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
	running_ns         INTEGER           -- time the group counted for it; NULL: unknown
) STRICT;

CREATE TABLE process_charge (
	process_id     INTEGER NOT NULL REFERENCES process,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	charged        INTEGER NOT NULL,
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
	running_ns         INTEGER
) STRICT;

CREATE TABLE thread_charge (
	thread_id      INTEGER NOT NULL REFERENCES thread,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	charged        INTEGER NOT NULL,
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
	first_ns        INTEGER NOT NULL,    -- first and last switch
	last_ns         INTEGER NOT NULL
) STRICT;

-- The books of each CPU and counter: last_value - first_value = charged + with_idle + idle
-- + unattributed, always.
CREATE TABLE cpu_charge (
	cpu            INTEGER NOT NULL,
	counter_id     INTEGER NOT NULL REFERENCES counter,
	first_value    INTEGER NOT NULL,
	last_value     INTEGER NOT NULL,
	charged        INTEGER NOT NULL,     -- of threads other than idle
	with_idle      INTEGER NOT NULL,
	idle           INTEGER NOT NULL,
	unattributed   INTEGER NOT NULL
) STRICT;

CREATE TABLE status_summary (
	group_id       INTEGER NOT NULL REFERENCES counter_group,
	status         INTEGER NOT NULL REFERENCES charge_status,
	switches       INTEGER NOT NULL,
	on_cpu_ns      INTEGER NOT NULL
) STRICT;

CREATE TABLE status_charge (
	counter_id     INTEGER NOT NULL REFERENCES counter,
	status         INTEGER NOT NULL REFERENCES charge_status,
	value          INTEGER NOT NULL
) STRICT;
