/*
 * command.h - perftab-capture audit: counters on trial without a recording.
 */
#ifndef PERFTAB_AUDIT_COMMAND_H
#define PERFTAB_AUDIT_COMMAND_H

/* argv[0] is "audit"; returns the exit status. */
int audit_command(int argc, char **argv);

#endif
