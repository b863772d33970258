/*
 * counted_work.c - programs that run a number of instructions known beforehand.
 *
 *   counted_work fight N1 N2   two children on CPU 0 at the same time: fightA, fightB
 *   counted_work storm K N     K children, one after the other: st000, st001, ...; child
 *                              number i runs N * (i % 4 + 1) rounds
 *   counted_work NAME ROUNDS   a child: sets this name, runs a loop of two instructions
 *                              (ROUNDS: eight letters, a to p, are hexadecimal digits)
 *
 * Children are forked and exec'd.  When all have ended, a line for each goes to standard
 * output: name, pid, instructions in user mode, those of the loop alone.  There is no C
 * library, and what a child runs besides its loop has no branches, so that the assembler
 * itself says how many instructions that is: on arm64, bytes between two labels, by 4.
 * On s390x, where instructions differ in length, only those of the loop are printed.
 */
typedef unsigned long u64;

#define PROGRAM "/bin/counted_work"
#define LOOP 2 /* instructions of a round */
#define TEXT_MAX 65536
#define PAIR 2

/*
 * What a child runs besides its rounds, from its fork to its end; the assembler counts.
 */
extern const u64 around_loop;

/* Forks; the child becomes `path`.  Returns its pid. */
long spawn(const char *path, char *const *words);
_Noreturn void work(const u64 *stack);

#if defined(__aarch64__)
enum { NR_WRITE = 64, NR_EXIT_GROUP = 94, NR_SET_AFFINITY = 122, NR_WAIT4 = 260 };

__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"child_begin:\n"
	"	ldr x9, [sp]\n" /* a child has three words */
	"	cmp x9, #3\n"
	"	b.ne parent\n"
	"	ldr x1, [sp, #16]\n"
	"	mov x0, #15\n"	/* PR_SET_NAME */
	"	mov x8, #167\n" /* prctl */
	"	svc #0\n"
	"	ldr x1, [sp, #24]\n"
	"	mov x0, #0\n"
	"	.rept 8\n"
	"	ldrb w2, [x1], #1\n"
	"	sub w2, w2, #'a'\n"
	"	add x0, x2, x0, lsl #4\n"
	"	.endr\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	mov x8, #94\n" /* exit_group(0) */
	"	svc #0\n"
	"child_end:\n"
	"parent:\n"
	"	mov x0, sp\n"
	"	bl work\n"

	".globl spawn\n"
	"spawn:\n"
	"	mov x9, x0\n"
	"	mov x10, x1\n"
	"	mov x0, #17\n" /* SIGCHLD */
	"	mov x1, #0\n"
	"	mov x2, #0\n"
	"	mov x3, #0\n"
	"	mov x4, #0\n"
	"	mov x8, #220\n" /* clone */
	"	svc #0\n"
	"forked:\n"
	"	cbnz x0, 1f\n"
	"	mov x0, x9\n"
	"	mov x1, x10\n"
	"	mov x2, #0\n"
	"	mov x8, #221\n" /* execve */
	"	svc #0\n"
	"execed:\n"
	"	mov x8, #94\n" /* there was no exec */
	"	svc #0\n"
	"1:	ret\n"

	".section .rodata\n"
	".balign 8\n"
	".globl around_loop\n"
	"around_loop:\n" /* instructions of 4 bytes; the loop is counted by its rounds */
	"	.quad ((execed - forked) + (child_end - child_begin)) / 4 - 2\n"
	".text\n");

static long call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory", "cc");
	return x0;
}
#elif defined(__s390x__)
enum { NR_WRITE = 4, NR_EXIT_GROUP = 248, NR_SET_AFFINITY = 239, NR_WAIT4 = 114 };

__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	lg %r9, 0(%r15)\n"
	"	cghi %r9, 3\n" /* a child has three words */
	"	jne parent\n"
	"	lg %r3, 16(%r15)\n"
	"	lghi %r2, 15\n"	 /* PR_SET_NAME */
	"	lghi %r1, 172\n" /* prctl */
	"	svc 0\n"
	"	lg %r3, 24(%r15)\n"
	"	lghi %r2, 0\n"
	"	.rept 8\n"
	"	llgc %r4, 0(%r3)\n"
	"	aghi %r4, -97\n" /* 'a' */
	"	sllg %r2, %r2, 4\n"
	"	agr %r2, %r4\n"
	"	aghi %r3, 1\n"
	"	.endr\n"
	"1:	aghi %r2, -1\n"
	"	jne 1b\n"
	"	lghi %r1, 248\n" /* exit_group(0) */
	"	svc 0\n"
	"parent:\n"
	"	lgr %r2, %r15\n"
	"	aghi %r15, -160\n"
	"	brasl %r14, work\n"

	".globl spawn\n"
	"spawn:\n"
	"	ldgr %f0, %r2\n"
	"	ldgr %f1, %r3\n"
	"	lghi %r2, 0\n"	/* the stack comes first here */
	"	lghi %r3, 17\n" /* SIGCHLD */
	"	lghi %r4, 0\n"
	"	lghi %r5, 0\n"
	"	lghi %r1, 120\n" /* clone */
	"	svc 0\n"
	"	ltgr %r2, %r2\n"
	"	jne 1f\n"
	"	lgdr %r2, %f0\n"
	"	lgdr %r3, %f1\n"
	"	lghi %r4, 0\n"
	"	lghi %r1, 11\n" /* execve */
	"	svc 0\n"
	"	lghi %r1, 248\n" /* there was no exec */
	"	svc 0\n"
	"1:	br %r14\n"

	".section .rodata\n"
	".balign 8\n"
	".globl around_loop\n"
	"around_loop:\n"
	"	.quad 0\n"
	".text\n");

static long call(long number, long a, long b, long c, long d)
{
	register long r1 __asm__("1") = number;
	register long r2 __asm__("2") = a;
	register long r3 __asm__("3") = b;
	register long r4 __asm__("4") = c;
	register long r5 __asm__("5") = d;

	__asm__ volatile("svc 0"
			 : "+d"(r2)
			 : "d"(r1), "d"(r3), "d"(r4), "d"(r5)
			 : "memory", "cc");
	return r2;
}
#else
#error "no instructions for this architecture"
#endif

/* --- text --- */

static char text[TEXT_MAX];
static u64 text_bytes;

static void put(const char *from)
{
	while (*from && text_bytes < TEXT_MAX)
		text[text_bytes++] = *from++;
}

static void put_number(u64 number)
{
	char digits[24];
	int at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + number % 10);
	} while (number /= 10);
	put(digits + at);
}

static u64 parse_number(const char *from)
{
	u64 number = 0;

	while (*from >= '0' && *from <= '9')
		number = number * 10 + (u64)(*from++ - '0');
	return number;
}

/* --- children --- */

static long start(char *name, u64 rounds)
{
	char letters[9];
	char *const words[] = { (char *)"counted_work", name, letters, 0 };

	for (int i = 0; i < 8; i++)
		letters[i] = (char)('a' + (rounds >> (28 - 4 * i) & 15));
	letters[8] = '\0';
	return spawn(PROGRAM, words);
}

static void wait_for_one(void)
{
	(void)call(NR_WAIT4, -1, 0, 0, 0);
}

static void tell(const char *name, long pid, u64 rounds)
{
	put(name);
	put("\t");
	put_number((u64)pid);
	put("\t");
	put_number(LOOP * rounds + around_loop);
	put("\t");
	put_number(LOOP * rounds);
	put("\n");
}

static void fight(u64 first, u64 second)
{
	char names[PAIR][8] = { "fightA", "fightB" };
	u64 rounds[PAIR] = { first, second }, cpu_0 = 1;
	long pids[PAIR];

	(void)call(NR_SET_AFFINITY, 0, sizeof(cpu_0), (long)&cpu_0, 0);
	for (int i = 0; i < PAIR; i++)
		pids[i] = start(names[i], rounds[i]);
	for (int i = 0; i < PAIR; i++)
		wait_for_one();
	for (int i = 0; i < PAIR; i++)
		tell(names[i], pids[i], rounds[i]);
}

static void storm(u64 count, u64 least)
{
	for (u64 i = 0; i < count; i++) {
		char name[8] = { 's',
				 't',
				 (char)('0' + i / 100 % 10),
				 (char)('0' + i / 10 % 10),
				 (char)('0' + i % 10),
				 0 };
		u64 rounds = least * (i % 4 + 1);
		long pid = start(name, rounds);

		wait_for_one();
		tell(name, pid, rounds);
	}
}

/* argc, then argv. */
_Noreturn void work(const u64 *stack)
{
	char *const *words = (char *const *)(stack + 1);

	if (stack[0] == 4 && words[1][0] == 'f')
		fight(parse_number(words[2]), parse_number(words[3]));
	else if (stack[0] == 4)
		storm(parse_number(words[2]), parse_number(words[3]));
	(void)call(NR_WRITE, 1, (long)text, (long)text_bytes, 0);
	for (;;)
		(void)call(NR_EXIT_GROUP, 0, 0, 0, 0);
}
