# guest.sh - what the jobs share; sourced in the emulated machine, in /out.
#
# A recording NAME leaves NAME.data, NAME.truth (what the workload printed), NAME.said
# (what the recorder said) and NAME.status.

# ours NAME [OPTION...] -- COMMAND...
ours()
{
	n=$1
	shift
	perftab-capture perf -o "$n.data" "$@" >"$n.truth" 2>"$n.said"
	ended "$n" $?
}

# piped NAME [OPTION...] -- COMMAND...: the form for a pipe, through one
piped()
{
	n=$1
	options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	perftab-capture perf -o - $options -- sh -c "$* >$n.truth" 2>"$n.said" | cat >"$n.data"
	ended "$n" $?
}

# untraced NAME [OPTION...] -- COMMAND...: without tracefs, as for most users
untraced()
{
	umount /sys/kernel/tracing
	ours "$@"
	mount -t tracefs tracefs /sys/kernel/tracing
}

# theirs NAME [OPTION...] COMMAND...: the same with perf record
theirs()
{
	n=$1
	shift
	perf record -N -c 1 -o "$n.data" "$@" >"$n.truth" 2>"$n.said"
	ended "$n" $?
}

ended()
{
	echo "$2" >"$1.status"
	[ -s "$1.truth" ] || rm -f "$1.truth"
	echo "[lab] $1: status $2, $(stat -c %s "$1.data" 2>/dev/null || echo no) bytes, $(cut -d' ' -f1 /proc/uptime) s"
	sed 's/^/[lab]    /' "$1.said"
}

# Killed in the middle, by -9: the workload goes on, the recorder does not.
killed()
{
	n=$1
	after=$2
	shift 2
	perftab-capture perf -o "$n.data" "$@" >"$n.truth" 2>"$n.said" &
	pid=$!
	sleep "$after"
	kill -9 $pid
	wait $pid 2>/dev/null
	status=$?
	while pidof counted_work >/dev/null; do
		sleep 0.1
	done
	ended "$n" $status
}

# attached NAME [OPTION...] -- COMMAND...: to a process that starts it a little later
attached()
{
	n=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	(
		sleep 0.5
		exec "$@"
	) >"$n.truth" &
	perftab-capture perf -p $! -o "$n.data" $options 2>"$n.said"
	ended "$n" $?
}

# seen_by_perf NAME: how many switches perf of this machine finds in NAME.data
seen_by_perf()
{
	perf script -i "$1.data" 2>"$1.perf-said" | grep -c 'sched:sched_switch:' >"$1.perf"
	echo "[lab] $1: perf sees $(cat "$1.perf") switches"
	head -3 "$1.perf-said"
}
