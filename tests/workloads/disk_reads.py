#!/usr/bin/env python3
"""disk_reads.py FILE READS: reads blocks past the page cache, asks the kernel for its counts of switches
before and after, and prints how many there were, and how many of tasks that were there both times.
Its name tells in a trace when it asked."""
import ctypes
import glob
import mmap
import os
import sys

libc = ctypes.CDLL(None)


def name(text):
    libc.prctl(15, text.encode(), 0, 0, 0)


def ctxt():
    with open('/proc/stat', encoding='ascii') as stat:
        return next(int(line.split()[1]) for line in stat if line.startswith('ctxt'))


def of_tasks():
    counts = {}
    for path in glob.glob('/proc/[0-9]*/task/[0-9]*/status'):
        try:
            with open(path, encoding='ascii', errors='replace') as status:
                counts[path] = sum(int(line.split()[1]) for line in status
                                   if 'voluntary_ctxt_switches' in line)
        except OSError:
            pass
    return counts


file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
buffer = mmap.mmap(-1, 4096)
blocks = os.fstat(file).st_size // 4096
name('tasks-1')
tasks = of_tasks()
name('counts-1')
first = ctxt()
name('reads')
for i in range(int(sys.argv[2])):
    os.preadv(file, [buffer], i % blocks * 4096)
name('counts-2')
last = ctxt()
name('tasks-2')
after = of_tasks()
name('done')
print(last - first, sum(after[path] - tasks.get(path, 0) for path in after))
