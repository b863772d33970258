// hyparquet.mjs - prints what hyparquet reads from a Parquet file.
//   node hyparquet.mjs ENGINES FILE
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [engines, file] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.resolve(engines, 'node_modules', name)));
const { parquetReadObjects, parquetMetadata } = await load('hyparquet/src/index.js');
const { compressors } = await load('hyparquet-compressors/src/index.js');
const bytes = fs.readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const names = parquetMetadata(buffer).schema.slice(1).map((column) => column.name);
const parsers = { timestampFromNanoseconds: (value) => value, timestampFromMicroseconds: (value) => value * 1000n, stringFromBytes: (value) => value && new TextDecoder().decode(value) };

function cell(value) {
	if (value === null || value === undefined) return '';
	return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}

for (const row of await parquetReadObjects({ file: buffer, compressors, parsers, utf8: false }))
	console.log(names.map((name) => cell(row[name])).join('|'));
