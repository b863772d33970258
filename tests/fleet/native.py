#!/usr/bin/env python3
# native.py - prints the rows of a stream in ClickHouse's Native format, a line each, cells
# separated by | and NULL empty, as read_parquet does; the names of the columns first, again
# where a block has others.
import struct, sys

data = sys.stdin.buffer.read()
at = 0

def number():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value

def text():
    global at
    size = number()
    at += size
    if at > len(data):
        sys.exit('a text reaches past the end')
    return data[at - size:at].decode()

def fixed(code, rows):
    global at
    values = struct.unpack_from('<%d%s' % (rows, code), data, at)
    at += struct.calcsize('<%d%s' % (rows, code))
    return values

def column(kind, rows):
    if kind.startswith('Nullable('):
        nulls = fixed('B', rows)
        return ['' if null else value for null, value in zip(nulls, column(kind[9:-1], rows))]
    if kind == 'String':
        return [text() for _ in range(rows)]
    return fixed({'Int64': 'q', 'Date': 'H'}[kind], rows)

last = None
while at < len(data):
    columns, rows = number(), number()
    names, cells = [], []
    for _ in range(columns):
        names.append(text())
        cells.append(column(text(), rows))
    if names != last:
        print('|'.join(names))
    last = names
    for row in zip(*cells):
        print('|'.join(map(str, row)))
