// chdb.cjs - prints the rows of a query by chDB, which is ClickHouse in a process, or those of a
// Parquet file; cells separated by |, NULL empty, BLOB columns as hexadecimal digits.
//   node chdb.cjs ENGINES SQL | ENGINES --file FILE [BLOB...]
const path = require('node:path');
const { createRequire } = require('node:module');

const [engines, sql, file, ...blobs] = process.argv.slice(2);
const { query } = createRequire(path.resolve(engines, 'x.js'))('chdb');

// A query for all columns of the file, and not of its folders; times in nanoseconds.
const settings = 'SETTINGS use_hive_partitioning = 0';
function columns(table) {
	const cells = query(`DESCRIBE ${table} ${settings}`, 'TSVRaw').trimEnd().split('\n').map((line) => {
		const [name, type] = line.split('\t');
		const quoted = '`' + name.replaceAll('`', '\\`') + '`';
		if (type.includes('DateTime64')) return `toUnixTimestamp64Nano(${quoted})`;
		return blobs.includes(name) ? `lower(hex(${quoted}))` : quoted;
	});
	return `SELECT ${cells.join(', ')} FROM ${table} ${settings}`;
}

const asked = sql === '--file' ? columns(`file('${file}', Parquet)`) : sql.replace(/;\s*$/, '');
process.stdout.write(query(asked, 'TSVRaw').replaceAll('\\N', '').replaceAll('\t', '|'));
