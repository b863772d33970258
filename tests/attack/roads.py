#!/usr/bin/env python3
"""roads.py: three roads to one report, for damaged inputs.

Makes mutants of the inputs and compares `perftab-convert`, `perftab-analyze INPUT` and
`perftab-analyze DATABASE`: exit status, status of the trace, findings, and the report as a
whole.  The mutants follow from the seed.  Inputs that differ are kept in the work folder.

usage: roads.py --bin DIR --work DIR [--mutants N] [--seed N] [--seconds N] INPUT...
"""
import argparse
import collections
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import time

EXTREMES = [0, 1, 2, 7, 8, 0x7f, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
            0xfffffff8, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 8]
OPTIONS = [['--json'], ['--csv'], ['--check'], ['--by', 'thread', '--csv'], ['--by', 'cpu', '--json'],
           ['--metrics', '--json'], ['--unproven', 'switched-out', '--csv'], ['--by', 'comm', '--csv'],
           ['--by', 'tree', '--json'], ['--by', 'cgroup', '--csv'], ['--by', 'interrupt', '--csv'],
           ['--with-idle', 'thread', '--csv'], ['--interval', '1ms', '--csv'], ['--interval', '1ms', '--json'],
           ['--from', '+0s', '--to', '+1ms', '--json'], ['--cpu', '0', '--json']]
SHAPES = {2: '<H', 4: '<I', 8: '<Q'}


def put(data, at, size, value):
    if 0 <= at and at + size <= len(data):
        data[at:at + size] = struct.pack(SHAPES[size], value & ((1 << 8 * size) - 1))


def records(data, at, end):
    """(offset, size) of records that follow one another."""
    found = []
    while at + 8 <= end and len(found) < 20000:
        size = struct.unpack_from('<H', data, at + 6)[0]
        if size < 8 or at + size > end:
            break
        found.append((at, size))
        at += size
    return found


def change_bytes(rng, data, pool):
    """Any format: bits, numbers, pieces, lines."""
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        if len(data) < 16:
            return
        at = rng.randrange(len(data)) if rng.random() < .6 else rng.randrange(min(len(data), 1024))
        kind = rng.randrange(9)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind in (1, 2, 3):
            size = (8, 4, 2)[kind - 1]
            put(data, at // size * size, size, rng.choice(EXTREMES))
        elif kind == 4:
            length = rng.randrange(1, 512)
            data[at:at + length] = data[at:at + length] * 2
        elif kind == 5:
            del data[at:at + rng.randrange(1, 512)]
        elif kind == 6:
            other = rng.choice(pool)
            begin, length = rng.randrange(len(other)) & ~7, rng.randrange(8, 2048)
            data[at & ~7:(at & ~7) + length] = other[begin:begin + length]
        elif kind == 7 and rng.random() < .3:
            del data[at:]
        else:
            at &= ~3
            if at + 4 <= len(data):
                put(data, at, 4, struct.unpack_from('<I', data, at)[0] + rng.choice([-8, -1, 1, 8, 1 << 16]))


def change_attr(rng, data):
    at, size = struct.unpack_from('<QQ', data, 24)
    entry = struct.unpack_from('<Q', data, 16)[0]
    if not 80 <= entry < 4096 or at + size > len(data) or size < entry:
        return
    at += entry * rng.randrange(size // entry)
    field, width, bits = rng.choice([(0, 4, 0), (4, 4, 0), (8, 8, 0), (24, 8, 27), (32, 8, 6), (40, 8, 40),
                                     (72, 8, 18), (80, 8, 64), (entry - 16, 8, 0), (entry - 8, 8, 0)])
    old = struct.unpack_from(SHAPES[width], data, at + field)[0]
    put(data, at + field, width, old ^ 1 << rng.randrange(bits) if bits else rng.choice(EXTREMES + [old + 8]))


def change_feature(rng, data, end):
    at = end + 16 * rng.randrange(20)
    if at + 16 > len(data):
        return
    offset, size = struct.unpack_from('<QQ', data, at)
    if rng.random() < .5:
        put(data, at + rng.choice([0, 8]), 8, rng.choice(EXTREMES + [len(data) - 4]))
    elif size and offset + size <= len(data):
        put(data, (offset + rng.randrange(size)) & ~3, 4, rng.choice(EXTREMES))


def change_record(rng, data, begin, end, is_pipe):
    found = records(data, begin, min(len(data), end))
    if not found:
        return
    (at, size), (other, other_size) = rng.choice(found), rng.choice(found)
    kind, new = rng.randrange(7), None
    if kind == 0:
        put(data, at, 4, rng.choice(list(range(24)) + list(range(64, 90))))
    elif kind == 1:
        put(data, at + 6, 2, rng.choice([0, 7, 8, 16, size - 8, size + 8, size - 1, 0xffff, 0xfff8]))
    elif kind == 2:
        put(data, at + 4, 2, rng.getrandbits(16))
    elif kind == 3:
        new = bytes(data[at:at + size]) * rng.choice([0, 2, 20])
    elif kind == 4:
        new = bytes(data[other:other + other_size]) + bytes(data[at:at + size])
    elif size > 8:
        put(data, (at + rng.randrange(8, size)) & ~7, 8, rng.choice(EXTREMES + [rng.getrandbits(64)]))
    if new is not None:
        data[at:at + size] = new
        if not is_pipe and rng.random() < .8:
            put(data, 48, 8, end - begin + len(new) - size)


def change_perf(rng, data):
    """A perf.data of little-endian machines: header, attributes, features, records."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        is_pipe = struct.unpack_from('<Q', data, 8)[0] == 16
        begin, size = (16, len(data) - 16) if is_pipe else struct.unpack_from('<QQ', data, 40)
        kind = rng.randrange(10)
        if begin > len(data):
            return
        if is_pipe or kind > 3:
            change_record(rng, data, begin, begin + size, is_pipe)
        elif kind == 0:
            put(data, rng.randrange(8, 104) & ~7, 8, rng.choice(EXTREMES + [len(data), begin, size]))
        elif kind == 1:
            change_attr(rng, data)
        else:
            change_feature(rng, data, begin + size)


def mutate(rng, data, pool):
    data = bytearray(data)
    if rng.random() < .2: # bits alone
        for _ in range(rng.choice([1, 1, 2, 5, 20, 100])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(data)
    if data[:8] == b'PERFILE2' and len(data) > 104 and rng.random() < .8:
        change_perf(rng, data)
        if rng.random() < .9:
            return bytes(data)
    change_bytes(rng, data, pool)
    return bytes(data)


class Roads:
    def __init__(self, programs, work):
        self.convert = os.path.join(os.path.abspath(programs), 'perftab-convert')
        self.analyze = os.path.join(os.path.abspath(programs), 'perftab-analyze')
        self.work = work
        self.count = collections.Counter()

    def run(self, *command, good=(0, 1, 3)):
        got = subprocess.run(command, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=120, check=False)
        if got.returncode not in good or b'Sanitizer' in got.stderr or b'runtime error' in got.stderr:
            return got, f'{os.path.basename(command[0])}: exit status {got.returncode}: {got.stderr[-2000:].decode(errors="replace")}'
        return got, None

    def compare(self, options):
        """Of the input `x` in the work folder: what differs, or None."""
        database = os.path.join(self.work, 'x.db')
        if os.path.exists(database):
            os.remove(database)
        converted, fault = self.run(self.convert, 'x', '-o', 'x.db')
        if fault:
            return fault
        read, fault = self.run(self.analyze, '--json', 'x')
        if fault:
            return fault
        self.count[f'exit status {converted.returncode}'] += 1
        if converted.returncode != read.returncode:
            return (f'exit status {converted.returncode} of convert, {read.returncode} of analyze: '
                    f'{converted.stderr[-200:]} {read.stderr[-200:]}')
        if converted.returncode == 1:
            return 'database of a failed run' if os.path.exists(database) else None
        stored, fault = self.run(self.analyze, '--json', 'x.db')
        if fault:
            return fault
        if stored.returncode != read.returncode:
            return f'exit status {read.returncode} of the input, {stored.returncode} of the database'
        if read.stdout != stored.stdout:
            return 'report: ' + self.difference(read.stdout, stored.stdout)
        if options == ['--json']:
            return None
        # 2: times or intervals that the trace does not have
        good = (0, 1, 2, 3) if '--interval' in options or '--from' in options else (0, 1, 3)
        read, fault = self.run(self.analyze, *options, 'x', good=good)
        stored, other = self.run(self.analyze, *options, 'x.db', good=good)
        if fault or other:
            return fault or other
        if (read.returncode, read.stdout) != (stored.returncode, stored.stdout):
            return f'{" ".join(options)}: exit status {read.returncode}, {stored.returncode}; or another report'
        return None

    @staticmethod
    def difference(one, other):
        try:
            one, other = (json.loads(text)['traces'] for text in (one, other))
            words = []
            for a, b in zip(one, other):
                words += [f'{key}: {a.get(key)} / {b.get(key)}' for key in a if a.get(key) != b.get(key)]
            return '; '.join(words)[:600]
        except (ValueError, KeyError, TypeError):
            return 'other text'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--work', required=True)
    parser.add_argument('--mutants', type=int, default=100)
    parser.add_argument('--seconds', type=float, default=1e9)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('inputs', nargs='+')
    given = parser.parse_args()
    rng = random.Random(given.seed)
    inputs = [(path, open(path, 'rb').read()) for path in given.inputs]
    inputs = [(path, data) for path, data in inputs if 16 <= len(data) <= 1500000]
    pool = [data for _, data in inputs if len(data) > 200]
    weights = [1 / (1 + len(data) / 60000) for _, data in inputs]
    roads, failed, end = Roads(given.bin, given.work), 0, time.time() + given.seconds
    done = 0
    while done < given.mutants and time.time() < end:
        path, data = rng.choices(inputs, weights)[0]
        mutant = mutate(rng, data, pool)
        with open(os.path.join(given.work, 'x'), 'wb') as out:
            out.write(mutant)
        what = roads.compare(rng.choice(OPTIONS))
        done += 1
        if what:
            failed += 1
            shutil.copy(os.path.join(given.work, 'x'), os.path.join(given.work, f'differs-{given.seed}-{done}'))
            print(f'mutant {done} of seed {given.seed}, of {path}: {what}', file=sys.stderr, flush=True)
    print(f'{done} mutants, {failed} differ; ' + ', '.join(f'{roads.count[k]} with {k}' for k in sorted(roads.count)))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
