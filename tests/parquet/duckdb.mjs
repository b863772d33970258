// duckdb.mjs - prints what DuckDB reads from a Parquet file, or the result of a query.
//   node duckdb.mjs ENGINES FILE | ENGINES --query SQL
import { createRequire } from 'node:module';
import path from 'node:path';

const [engines, file, query] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.resolve(engines, 'x.js'))('@duckdb/node-api');

function cell(value) {
	if (value === null) return '';
	if (typeof value !== 'object') return String(value);
	if ('nanos' in value) return String(value.nanos);
	if ('micros' in value) return String(value.micros * 1000n);
	return Buffer.from(value.bytes).toString('hex');
}

const database = await (await DuckDBInstance.create()).connect();
// A timestamp with a time zone has microseconds only.
const columns = file === '--query' ? [] : (await database.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${file}', hive_partitioning = false)`)).getRows();
const wanted = columns.map(([name, type]) => {
	const quoted = '"' + name.replaceAll('"', '""') + '"';
	return type.startsWith('TIMESTAMP') ? `(epoch_us(${quoted}) * 1000) AS ${quoted}` : quoted;
});
const result = await database.runAndReadAll(file === '--query' ? query : `SELECT ${wanted} FROM read_parquet('${file}', hive_partitioning = false)`);
for (const row of result.getRows()) console.log(row.map(cell).join('|'));
