/*
 * workload.c - starts the command in a child process, waits for it, keeps its exit
 * status.
 */
#include "capture/linux/recorder/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"

/* A command that ends has its last counts in the trace. */
#define STOP_SECONDS 1.0
#define STOP_STEP_SECONDS 0.01

static pid_t command_pid; /* in the child */

static void pass_on(int number)
{
	if (command_pid > 0) {
		(void)kill(command_pid, number);
		(void)kill(command_pid, SIGCONT); /* a stopped one does not end */
	}
}

/* The command itself. */
static _Noreturn void become(int news, char *const *command)
{
	int why;

	execvp(command[0], command);
	why = errno;
	(void)!write(news, &why, sizeof(why));
	_exit(why == ENOENT ? WORKLOAD_NOT_FOUND : WORKLOAD_NOT_EXECUTABLE);
}

/* Ends as the command does; a terminal's signals reach the command without our help. */
static _Noreturn void wait_for_command(void)
{
	struct sigaction action = { .sa_handler = pass_on };
	int status;

	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (waitpid(command_pid, &status, 0) < 0)
		if (errno != EINTR)
			_exit(EXIT_FAILURE);
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* In the child, until the gate opens. */
static _Noreturn void wait_and_start(int gate, int news, char *const *command,
				     bool to_stderr)
{
	char go;

	if (to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (read(gate, &go, 1) != 1) /* the recorder gave up */
		_exit(EXIT_FAILURE);
	signal(SIGPIPE, SIG_DFL);
	command_pid = fork();
	if (command_pid == 0)
		become(news, command);
	close(news);
	if (command_pid < 0)
		_exit(EXIT_FAILURE);
	wait_for_command();
}

/* --- in the recorder --- */

static int why_not_executable(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return errno;
	if (S_ISDIR(info.st_mode))
		return EISDIR;
	return access(path, X_OK) != 0 ? EACCES : 0;
}

/* Of all folders of PATH, EACCES says more than ENOENT. */
static int why_not_in_path(const char *name)
{
	const char *folder = getenv("PATH");
	char path[PATH_MAX];
	int result = ENOENT;

	folder = folder ? folder : "/bin:/usr/bin";
	for (;;) {
		size_t length = strcspn(folder, ":");
		int why;

		if ((size_t)snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folder,
				     length ? "/" : "", name) < sizeof(path)) {
			why = why_not_executable(path);
			if (why == 0)
				return 0;
			result = why == EACCES ? why : result;
		}
		if (!folder[length])
			return result;
		folder += length + 1;
	}
}

static enum status cannot_run(const char *name, int why, struct error *error)
{
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "cannot run '%.100s': %s", name, strerror(why));
}

static enum status find(struct workload *workload, const char *name, struct error *error)
{
	int why = !*name	      ? ENOENT
		  : strchr(name, '/') ? why_not_executable(name)
				      : why_not_in_path(name);

	if (why == 0)
		return ST_OK;
	workload->ended = true;
	workload->exit_status =
		why == ENOENT ? WORKLOAD_NOT_FOUND : WORKLOAD_NOT_EXECUTABLE;
	return cannot_run(name, why, error);
}

enum status workload_prepare(struct workload *workload, char *const *command,
			     bool to_stderr, struct error *error)
{
	int gate[2], news[2];
	enum status status;

	*workload = (struct workload){ .gate = -1, .news = -1 };
	status = find(workload, command[0], error);
	if (status != ST_OK)
		return status;
	if (pipe2(gate, O_CLOEXEC) != 0)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot make a pipe: %s",
				 strerror(errno));
	if (pipe2(news, O_CLOEXEC) != 0) {
		close(gate[0]);
		close(gate[1]);
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot make a pipe: %s",
				 strerror(errno));
	}
	workload->gate = gate[1];
	workload->news = news[0];
	workload->pid = fork();
	if (workload->pid == 0) {
		close(gate[1]);
		close(news[0]);
		wait_and_start(gate[0], news[1], command, to_stderr);
	}
	close(gate[0]);
	close(news[1]);
	if (workload->pid < 0) {
		workload->pid = 0;
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot fork: %s",
				 strerror(errno));
	}
	return ST_OK;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void on_end(struct workload *workload, int status)
{
	workload->ended = true;
	workload->exit_status =
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void workload_wait(struct workload *workload)
{
	int status;

	while (waitpid(workload->pid, &status, 0) < 0)
		if (errno != EINTR || os_interrupted()) /* once more: not waited for */
			return;
	on_end(workload, status);
}

enum status workload_run(struct workload *workload, const char *name, struct error *error)
{
	int why = 0;
	ssize_t got;

	(void)!write(workload->gate, "", 1);
	close_end(&workload->gate);
	do { /* its end closes with a good exec */
		got = read(workload->news, &why, sizeof(why));
	} while (got < 0 && errno == EINTR);
	close_end(&workload->news);
	if (got != sizeof(why))
		return ST_OK;
	workload_wait(workload); /* the end is near */
	if (why == ENOENT)	 /* of a file that find() has seen */
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "cannot run '%.100s': the interpreter that it names "
				 "does not exist",
				 name);
	return cannot_run(name, why, error);
}

bool workload_ended(struct workload *workload)
{
	int status;

	if (workload->pid && !workload->ended &&
	    waitpid(workload->pid, &status, WNOHANG) == workload->pid)
		on_end(workload, status);
	return workload->ended;
}

void workload_stop(struct workload *workload)
{
	double end = os_seconds() + STOP_SECONDS;

	close_end(&workload->gate);
	close_end(&workload->news);
	if (!workload->pid || workload->stopped || workload_ended(workload))
		return;
	workload->stopped = true;
	(void)kill(workload->pid, SIGTERM);
	(void)kill(workload->pid, SIGCONT);
	while (!workload_ended(workload) && os_seconds() < end)
		os_sleep_until(os_seconds() + STOP_STEP_SECONDS);
}
