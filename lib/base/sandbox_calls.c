/*
 * sandbox_calls.c - restricts system calls with a seccomp filter.
 *
 * Calls for files, memory, threads, time and waiting are allowed.  Calls that reach
 * outside the process (programs, sockets, other processes) fail with EPERM; all others,
 * those of newer kernels too, with ENOSYS, so that the C library falls back to an older
 * one.
 */
#include "base/sandbox_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

#ifdef ARCHITECTURE

/* Where each architecture has a call of its own, it is in the list if it is there. */
static const uint16_t allowed[] = {
	/* files that are open */
	__NR_read,
	__NR_write,
	__NR_pread64,
	__NR_pwrite64,
	__NR_readv,
	__NR_writev,
	__NR_preadv,
	__NR_pwritev,
	__NR_close,
	__NR_lseek,
	__NR_fstat,
	__NR_fstatfs,
	__NR_fcntl,
	__NR_flock,
	__NR_fsync,
	__NR_fdatasync,
	__NR_ftruncate,
	__NR_fallocate,
	__NR_fadvise64,
	__NR_copy_file_range,
	__NR_fchmod,
	__NR_getdents64,
	__NR_dup,
	__NR_dup3,
	__NR_pipe2,
	__NR_eventfd2,
#ifdef __NR_dup2
	__NR_dup2,
#endif
#ifdef __NR_pipe
	__NR_pipe,
#endif
	/* names: which of them, Landlock decides */
	__NR_openat,
	__NR_faccessat,
	__NR_statfs,
	__NR_statx,
	__NR_readlinkat,
	__NR_getcwd,
	__NR_mkdirat,
	__NR_unlinkat,
	__NR_linkat,
	__NR_renameat2,
#ifdef __NR_newfstatat
	__NR_newfstatat,
#endif
#ifdef __NR_renameat
	__NR_renameat,
#endif
#ifdef __NR_faccessat2
	__NR_faccessat2,
#endif
#ifdef __NR_open
	__NR_open,
	__NR_stat,
	__NR_lstat,
	__NR_access,
	__NR_readlink,
	__NR_mkdir,
	__NR_rmdir,
	__NR_unlink,
	__NR_link,
	__NR_rename,
#endif
	/* memory, threads, signals to itself */
	__NR_brk,
	__NR_munmap,
	__NR_mremap,
	__NR_madvise,
	__NR_futex,
	__NR_sched_yield,
	__NR_sched_getaffinity,
	__NR_set_robust_list,
	__NR_membarrier,
	__NR_rt_sigaction,
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_sigaltstack,
	__NR_restart_syscall,
	__NR_exit,
	__NR_exit_group,
#ifdef __NR_rseq
	__NR_rseq,
#endif
	/* time, waiting, who and where */
	__NR_clock_gettime,
	__NR_clock_getres,
	__NR_gettimeofday,
	__NR_clock_nanosleep,
	__NR_nanosleep,
	__NR_ppoll,
	__NR_pselect6,
	__NR_getrandom,
	__NR_getpid,
	__NR_gettid,
	__NR_getppid,
	__NR_getuid,
	__NR_geteuid,
	__NR_getgid,
	__NR_getegid,
	__NR_getrusage,
	__NR_sysinfo,
	__NR_uname,
	__NR_times,
	__NR_umask,
	__NR_getcpu,
#ifdef __NR_poll
	__NR_poll,
#endif
#ifdef __NR_select
	__NR_select,
#endif
#ifdef PERFTAB_SANDBOX_READS /* the leak check of a sanitizer looks at the process */
	__NR_ptrace,
	__NR_wait4,
	__NR_prctl,
	__NR_process_vm_readv,
#ifdef __NR_getdents
	__NR_getdents,
#endif
#endif
};

/* Out of the process. */
static const uint16_t refused[] = {
	__NR_execve, __NR_execveat, __NR_socket, __NR_socketpair,      __NR_connect,
	__NR_bind,   __NR_listen,   __NR_sendto, __NR_sendmsg,	       __NR_kill,
	__NR_tkill,  __NR_ptrace,   __NR_bpf,	 __NR_perf_event_open, __NR_unshare,
	__NR_setns,  __NR_mount,    __NR_chroot,
#ifdef __NR_fork
	__NR_fork,   __NR_vfork,
#endif
};

/* The calls of the lists, each a comparison and an answer; the rest is below this. */
#define PROGRAM_MAX (2 * (ARRAY_COUNT(allowed) + ARRAY_COUNT(refused)) + 64)

struct program {
	struct sock_filter steps[PROGRAM_MAX];
	unsigned short count;
};

#define ANSWER_ERROR(number) (SECCOMP_RET_ERRNO | (number))

static void add(struct program *program, uint16_t code, uint8_t yes, uint8_t no,
		uint32_t value)
{
	program->steps[program->count++] =
		(struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = value };
}

static void load(struct program *program, size_t offset)
{
	add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* If what was loaded is `value`, that is the answer. */
static void answer_if(struct program *program, uint32_t value, uint32_t answer)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
	add(program, BPF_RET | BPF_K, 0, 0, answer);
}

/* The low half of an argument: the high half is ignored. */
static size_t low_half(int argument)
{
	size_t at = offsetof(struct seccomp_data, args) + 8 * (size_t)argument;

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? at + 4 : at;
}

/* `call` is allowed if `argument` has (or has not) one of these bits. */
static void allow_by_bits(struct program *program, uint32_t call, int argument,
			  uint32_t bits, bool has)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, call);
	load(program, low_half(argument));
	add(program, BPF_JMP | BPF_JSET | BPF_K, has ? 0 : 1, has ? 1 : 0, bits);
	add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	add(program, BPF_RET | BPF_K, 0, 0, ANSWER_ERROR(EPERM));
}

/* `call` is allowed if `argument` is this value. */
static void allow_by_value(struct program *program, uint32_t call, int argument,
			   uint32_t value, uint32_t otherwise)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, call);
	load(program, low_half(argument));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
	add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	add(program, BPF_RET | BPF_K, 0, 0, otherwise);
}

/* Threads, but no processes; memory, but no code; signals to itself. */
static void add_by_argument(struct program *program)
{
#ifdef PERFTAB_SANDBOX_READS
	uint32_t thread = CLONE_VM; /* the leak check is neither a thread nor a process */
#else
	uint32_t thread = CLONE_THREAD;
#endif

#ifdef __s390x__
	allow_by_bits(program, __NR_clone, 1, thread, true);
#else
	allow_by_bits(program, __NR_clone, 0, thread, true);
#endif
	allow_by_bits(program, __NR_mmap, 2, PROT_EXEC, false);
	allow_by_bits(program, __NR_mprotect, 2, PROT_EXEC, false);
	allow_by_value(program, __NR_tgkill, 0, (uint32_t)getpid(), ANSWER_ERROR(EPERM));
	/* Limits are read, not set: the new ones are a pointer. */
	allow_by_value(program, __NR_prlimit64, 2, 0, ANSWER_ERROR(EPERM));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 5, __NR_ioctl);
	load(program, low_half(1));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, TCGETS);
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, TIOCGWINSZ);
	add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	add(program, BPF_RET | BPF_K, 0, 0, ANSWER_ERROR(ENOTTY));
}

static void make(struct program *program)
{
	load(program, offsetof(struct seccomp_data, arch));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
	add(program, BPF_RET | BPF_K, 0, 0, ANSWER_ERROR(EPERM));
	load(program, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_COUNT(allowed); i++)
		answer_if(program, allowed[i], SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < ARRAY_COUNT(refused); i++)
		answer_if(program, refused[i], ANSWER_ERROR(EPERM));
	add_by_argument(program);
	add(program, BPF_RET | BPF_K, 0, 0, ANSWER_ERROR(ENOSYS));
}

int sandbox_restrict_calls(void)
{
	struct program program = { .count = 0 };
	struct sock_fprog filter = { .filter = program.steps };

	make(&program);
	filter.len = program.count;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}

#else

int sandbox_restrict_calls(void)
{
	return ENOSYS;
}

#endif
