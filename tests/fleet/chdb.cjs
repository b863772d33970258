// chdb.cjs - prints the rows of a query by chDB, which is ClickHouse in a process; cells
// separated by |, NULL empty.
//   node chdb.cjs ENGINES SQL
const path = require('node:path');
const { createRequire } = require('node:module');

const [engines, sql] = process.argv.slice(2);
const { query } = createRequire(path.resolve(engines, 'x.js'))('chdb');
process.stdout.write(query(sql.replace(/;\s*$/, ''), 'TSV').replaceAll('\\N', '').replaceAll('\t', '|'));
