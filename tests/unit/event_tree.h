/*
 * event_tree.h - sysfs and tracefs of machines that are not there, in a folder.
 */
#ifndef PERFTAB_EVENT_TREE_H
#define PERFTAB_EVENT_TREE_H

enum event_tree {
	TREE_INTEL,  /* cpu, msr, power with units, uncore_imc_0 to _10, uncore_cbox_1 */
	TREE_HYBRID, /* cpu_core and cpu_atom */
	TREE_ARM,    /* armv8_pmuv3_0 */
	TREE_S390,   /* cpum_cf */
	TREE_EMPTY,  /* software and tracepoint only, as guests have it */
};

/* <folder>/sysfs and <folder>/tracefs; 0: it could not be written. */
int event_tree_make(const char *folder, enum event_tree tree);
/* <folder>/<path> with the folders above it. */
int event_tree_write(const char *folder, const char *path, const void *bytes,
		     unsigned long size);
int event_tree_text(const char *folder, const char *path, const char *text);

#endif
