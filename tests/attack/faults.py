#!/usr/bin/env python3
"""faults.py [OPTION...] INPUT...: converts and analyzes with one system call, or one
allocation, that fails.  Checks the exit status, what has the output's name, what is left
over, and that the next run works.  fault.c is the library that makes calls fail."""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

# kind: calls, ways to fail, how many of them at most
KINDS = {
    'malloc': ('malloc', ['12'], None),
    'malloc-after': ('malloc', ['12'], 60),
    'write': ('write', ['28', '5'], 40),
    'write-short': ('write', ['short'], 15),
    'write-again': ('write', ['4'], 15),
    'read': ('read', ['5'], 40),
    'read-short': ('read', ['short'], 15),
    'read-again': ('read', ['4'], 15),
    'open': ('open', ['24', '13'], 25),
    'names': ('rename,unlink,mkdir', ['18', '5'], 60),
    'ftruncate': ('ftruncate', ['28'], 3),
    'fallocate': ('fallocate', ['28', '95'], 10), # only of outputs from 4 MiB on
    'fsync': ('fsync', ['5'], 10),
    'close': ('close', ['5'], 10),
    'mmap': ('mmap', ['12'], 20),
    'kill': ('write,rename,unlink,open,ftruncate,fsync,mkdir', ['signal9'], 30),
    'interrupt': ('write,read,open,rename', ['signal2'], 20),
    'terminate': ('write,read,open,rename', ['signal15'], 10),
}
COMMANDS = {
    'db': ['perftab-convert', '-f', '-o', 'out'],
    'sql': ['perftab-convert', '-f', '--loader', 'sql', '-o', 'out'],
    'csv': ['perftab-convert', '-f', '--to', 'csv', '-o', 'out'],
    'anonymous': ['perftab-convert', '-f', '--anonymize', '-o', 'out'],
    'parquet': ['perftab-convert', '-f', '--to', 'parquet', '-o', 'out'],
    'parquet-all': ['perftab-convert', '-f', '--to', 'parquet', '--all-tables', '-o', 'out'],
    'clickhouse': ['perftab-convert', '-f', '--to', 'clickhouse', '-o', 'out'],
    'clickhouse-second': ['perftab-convert', '-f', '--to', 'clickhouse', '--table', 'bill_by_second', '-o', 'out'],
    'clickhouse-switch': ['perftab-convert', '-f', '--to', 'clickhouse', '--table', 'switch', '-o', 'out'],
    'perfetto': ['perftab-convert', '-f', '--to', 'perfetto', '-o', 'out'],
    'folded': ['perftab-convert', '-f', '--to', 'folded', '-o', 'out'],
    'speedscope': ['perftab-convert', '-f', '--to', 'speedscope', '-o', 'out'],
    'html': ['perftab-analyze', '--html', 'out'],
    'null': ['perftab-convert', '--to', 'null'],
    'list': ['perftab-convert', '--list'],
    'json': ['perftab-analyze', '--json'],
    'check': ['perftab-analyze', '--check', '--csv'],
    'interval': ['perftab-analyze', '--interval', '10ms', '--csv'],
    'symbol': ['perftab-analyze', '--by', 'symbol', '--csv'],
    'query': ['perftab-analyze', '--csv', '--sql', 'SELECT * FROM process_bill'],
}
DATABASES = ('db', 'sql', 'anonymous')
# What is in an output that is replaced.  A page replaces only pages.
OLD_TABLES = {'csv': ['out/a.csv', 'out/b.csv'],
              'parquet': ['out/bill/host=a/date=2026-01-01/1.parquet', 'out/switch/host=a/date=2026-01-01/1.parquet']}
OLD_PAGE = '<!doctype html>\n<!-- perftab-analyze --html -->\nOLD'


def is_written(output):
    return 'out' in COMMANDS[output]


class Run:
    """One command in a folder of its own."""

    def __init__(self, arguments, options):
        self.arguments, self.options = arguments, options
        self.folder = tempfile.mkdtemp(prefix='faults.', dir=options.work)

    def clean(self):
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put_old(self, output):
        for name in OLD_TABLES.get(output.partition('-')[0], ['out']):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), 'w', encoding='ascii') as file:
                file.write(OLD_PAGE if output == 'html' else 'OLD')

    def run(self, fault=None, at=0, how='12', after=False):
        environment = dict(os.environ, ASAN_OPTIONS='verify_asan_link_order=0')
        if fault:
            environment.update(LD_PRELOAD=self.options.fault, FAULT=fault, FAULT_AT=str(at), FAULT_HOW=how,
                               FAULT_COUNT=self.path('count'))
            if after:
                environment['FAULT_AFTER'] = '1'
        try:
            done = subprocess.run(self.arguments, cwd=self.folder, env=environment, capture_output=True, timeout=120,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, b'', b'did not end'
        return done.returncode, done.stdout, done.stderr

    def count(self):
        try:
            with open(self.path('count')) as file:
                return int(file.read())
        except (OSError, ValueError):
            return 0

    def left(self):
        return sorted(name for name in os.listdir(self.folder) if name not in ('out', 'count'))

    def content(self):
        return content_of(self.path('out'))


def content_of(path):
    """What is in an output: None, bytes of files, or the rows of a database."""
    if not os.path.lexists(path):
        return None
    if os.path.isdir(path):
        return {name: content_of(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    with open(path, 'rb') as file:
        data = file.read()
    return hashlib.sha1(data).hexdigest() if len(data) > 3 else data


def rows_of(path):
    """The same rows may be on other pages."""
    rows = hashlib.sha1()
    with sqlite3.connect('file:' + path + '?mode=ro', uri=True) as database:
        database.text_factory = bytes
        if database.execute('PRAGMA integrity_check').fetchone()[0] != b'ok':
            return 'not sound'
        names = database.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall()
        rows.update(repr(names).encode())
        for kind, name, _ in names:
            if kind == b'table':
                for row in database.execute('SELECT * FROM "%s"' % name.decode()):
                    rows.update(repr(row).encode())
    return rows.hexdigest()


class Attack:
    def __init__(self, source, output, options):
        program, *words = COMMANDS[output]
        arguments = [os.path.join(options.bin, program), *words, os.path.abspath(source)]
        if options.no_sandbox:
            arguments.append('--no-sandbox')
        self.run = Run(arguments, options)
        self.source, self.output, self.options = os.path.basename(source), output, options
        self.writes = is_written(output)
        self.random = random.Random('%s %s %d' % (self.source, output, options.seed))
        self.counts, self.failures = collections.Counter(), []

    def say(self, what, detail):
        self.counts['FAILURE ' + what] += 1
        self.failures.append('%s: %s: %s: %s' % (self.source, self.output, what, detail))

    def result(self, out):
        return self.run.content() if self.writes else out

    def same(self, content):
        if content == self.wanted:
            return True
        if self.output not in DATABASES or not isinstance(content, str):
            return False
        return rows_of(self.run.path('out')) == self.wanted_rows

    def attack(self):
        status, out, err = self.run.run()
        if status not in (0, 3):
            self.counts['refused'] += 1
            return self
        self.status, self.wanted, self.words = status, self.result(out), err
        if self.output in DATABASES:
            self.wanted_rows = rows_of(self.run.path('out'))
        for kind in self.options.kinds:
            calls, ways, most = KINDS[kind]
            for way in ways:
                self.attack_calls(kind, calls, way, most if most else self.options.depth)
        shutil.rmtree(self.run.folder)
        return self

    def attack_calls(self, kind, calls, way, most):
        self.run.clean()
        self.run.run(calls, 0, way)
        total = self.run.count()
        if kind == 'malloc':
            places = list(range(1, min(total, most) + 1))
        elif total <= most:
            places = list(range(1, total + 1))
        else:
            places = sorted(set(range(1, most // 3 + 1)) | set(self.random.sample(range(1, total + 1), most - most // 3)))
        for at in places[::self.options.step if kind == 'malloc' else 1]:
            self.run.clean()
            old = self.writes and self.random.random() < .3
            if old:
                self.run.put_old(self.output)
            before = self.run.content() if old else None
            self.at = at
            self.counts['runs'] += 1
            self.counts['runs ' + kind] += 1
            status, out, err = self.run.run(calls, at, way, kind.endswith('after'))
            tag = '%s %s, call %d of %d, status %s: %s' % (kind, way, at, total, status, err[-300:].decode(errors='replace'))
            self.judge(kind, status, out, err, before, tag)

    def judge(self, kind, status, out, err, before, tag):
        content = self.result(out) if self.writes or status in (0, 3) else None
        left = self.run.left()
        if status is None:
            return self.say('does not end', tag)
        if b'Sanitizer' in err or status in (-4, -6, -7, -8, -11):
            return self.say('crash', tag)
        if kind == 'kill' and status == -9:
            return self.judge_killed(content, before, tag)
        if kind in ('interrupt', 'terminate') and status in (-2, -15):
            return self.judge_interrupted(content, before, left, err, tag)
        if status == self.status:
            if not self.same(content):
                self.say('other content', tag)
            if err != self.words:
                self.counts['other words'] += 1
        elif status == 1:
            self.judge_failed(content, before, err, tag)
        else:
            return self.say('other status', tag)
        # Who may not remove a file leaves it.
        if left and kind not in ('names', 'malloc-after', 'open', 'close'):
            self.say('left over', '%s %s' % (left, tag))
        return None

    def judge_failed(self, content, before, err, tag):
        if not err:
            self.say('silent', tag)
        if self.writes and content != before and b' is complete, but ' not in err:
            self.say('failed, and has the name', tag)

    def judge_killed(self, content, before, tag):
        if self.writes and content != before and not self.same(content):
            self.say('half an output has the name', tag)
        status, out, err = self.run.run()
        if status != self.status or not self.same(self.result(out)):
            self.say('the next run fails', '%s; then %s %s' % (tag, status, err[:200]))
        if self.run.left():
            self.say('left over after the next run', '%s %s' % (self.run.left(), tag))

    def judge_interrupted(self, content, before, left, err, tag):
        if not self.writes:
            return
        if content == before:
            # Before main() signals are the system's; a sanitizer reads files there.
            if b'nothing was written' not in err and (err or self.at > 10):
                self.say('interrupted, and does not say it', tag)
        elif not self.same(content) or b' is complete' not in err:
            self.say('interrupted, and has the name', tag)
        if left:
            self.say('left over', '%s %s' % (left, tag))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True, help='folder of the programs')
    parser.add_argument('--fault', required=True, help='the library made of fault.c')
    parser.add_argument('--work', default=None, help='folder for outputs')
    parser.add_argument('--kinds', type=lambda text: text.split(','), default=list(KINDS))
    parser.add_argument('--outputs', type=lambda text: text.split(','), default=list(COMMANDS))
    parser.add_argument('--depth', type=int, default=2000, help='allocations to fail, from the first on')
    parser.add_argument('--step', type=int, default=1, help='of those, every how manyth')
    parser.add_argument('--seed', type=int, default=5)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--no-sandbox', action='store_true')
    parser.add_argument('--show', type=int, default=10, help='failures of a kind to print')
    parser.add_argument('inputs', nargs='+')
    options = parser.parse_args()
    options.fault, options.bin = os.path.abspath(options.fault), os.path.abspath(options.bin)
    counts, shown = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        attacks = [pool.submit(Attack(source, output, options).attack)
                   for source in options.inputs for output in options.outputs]
        for attack in concurrent.futures.as_completed(attacks):
            done = attack.result()
            counts += done.counts
            for failure in done.failures:
                what = failure.split(': ')[2]
                shown[what] += 1
                if shown[what] <= options.show:
                    print(failure, flush=True)
    print(', '.join('%s %d' % item for item in sorted(counts.items())))
    failures = sum(count for what, count in counts.items() if what.startswith('FAILURE'))
    return 1 if failures or not counts['runs'] else 0


if __name__ == '__main__':
    sys.exit(main())
