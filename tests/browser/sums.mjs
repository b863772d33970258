/*
 * sums.mjs - whatever part of the time is shown, selected or filtered, the page has the sums of
 * --csv: over buckets and over single switches, in the table, in the chart and in the lanes.
 */
import { box, csv, csvOf, digits, equal, focusLanes, holds, LABEL, process_, sameSelection, sameSums, selectedPart, state, tab, table,
	visit } from "./look.mjs";

const counters = [["cycles:HG", "cycles:HG"], ["instructions:HG", "instructions:HG"]];
const clear = () => tab.value("Page.model.view.select(0)").then(() => tab.settle());

/* Parts of the view, 0 to 1, by mouse. */
async function drag(from, to) {
	await tab.value("scrollTo(0, 0)");
	await tab.settle();
	const lanes = await box(".lanes canvas"), x = part => lanes.x + LABEL + (lanes.width - LABEL) * part;

	await tab.drag(x(from), lanes.y + 10, x(to), lanes.y + 12);
}

async function select(from, to) {
	await tab.value(`Page.model.view.select(${from}, ${to})`);
	await tab.settle();
}

/* --- parts of the time --- */

export async function buckets() {
	await visit("buckets.html");
	await sameSums("buckets: all", "buckets.csv", process_.concat(counters));
	const { whole } = await state(), length = whole.to - whole.from;
	const single = await tab.value("({ to: Page.model.switches.to, all: Page.model.switches.isAll })");

	holds("buckets: single switches end before the trace", !single.all && single.to > whole.from && single.to < whole.from + length / 2,
		JSON.stringify(single));
	await drag(0.5, 0.72);
	holds("buckets: the page names their length", /its edges are those of buckets of \d/.test((await state()).selected));
	await sameSelection("buckets, by mouse", "buckets.data");

	/* Zoomed in to single switches, edges are exact. */
	await tab.value(`Page.model.view.show(${whole.from}, ${single.to - 1})`);
	await tab.settle();
	await drag(0.2, 0.31);
	holds("single switches: exact", /to the nanosecond/.test((await state()).selected), (await state()).selected);
	await sameSelection("single switches, by mouse", "buckets.data");

	/* From single switches into buckets, the last of the trace, and parts that begin anywhere. */
	await select(single.to / 3 + 0.5, whole.from + length * 0.61);
	await sameSelection("from switches into buckets", "buckets.data");
	await select(whole.from + length * 0.93, whole.to);
	await sameSelection("up to the end", "buckets.data");
	for (let i = 1; i < 7; i++) {
		const from = whole.from + length * (i * 0.6180339 % 1), to = whole.from + length * (i * 0.4142135 % 1);

		await select(Math.min(from, to), Math.max(from, to));
		await sameSelection(`part ${i}`, "buckets.data");
	}

	/* Less than a bucket becomes one, never nothing. */
	await select(whole.from + length * 0.8, whole.from + length * 0.8 + 1);
	const part = await selectedPart();
	holds("less than a bucket", part && BigInt(part[3]) > BigInt(part[1]), (await state()).selected);
	await sameSelection("less than a bucket", "buckets.data");
}

/* A page of a window has its sums, and a part of it those of the part. */
export async function windowed() {
	const options = csv("window-options.csv")[0];

	await visit("window.html");
	await sameSums("window", "window.csv", process_.concat(counters));
	const { whole, selected } = await state();
	const first = await tab.value("Page.model.page.first_ns");
	equal("window: the time shown", [BigInt(first) + BigInt(whole.from), BigInt(first) + BigInt(whole.to)].map(String), [options.from, options.to]);
	holds("window: nothing is selected", !/--from/.test(selected), selected);
	holds("window: all of its switches are in the page", await tab.value("Page.model.switches.isAll"));
	await drag(0.25, 0.5);
	holds("window: exact", /to the nanosecond/.test((await state()).selected), (await state()).selected);
	await sameSelection("part of a window", "buckets.data");
	await select(whole.from, whole.to);
	equal("window: all of it is selected", await selectedPart(), ["--from", options.from, "--to", options.to]);
	await sameSelection("all of a window", "buckets.data");
}

/* Rules of the bill hold for a part of the time too; so does a choice of CPUs. */
export async function rules() {
	for (const [page, trace, ...options] of [
		["unproven", "everything.data", "--unproven", "switched-out"], ["with-idle", "everything.data", "--with-idle", "thread"],
		["everything", "everything.data"], ["to-threads", "interrupts.db", "--interrupts", "thread"],
		["two-cpus", "bill.data", "--cpu", "0,2"], ["by-thread", "everything.data", "--by", "thread"]]) {
		await visit(`${page}.html`);
		await sameSums(page, `${page}.csv`, process_);
		for (const [from, to] of [[0.1, 0.45], [0.4, 0.9]]) {
			await drag(from, to);
			await sameSelection(page, trace, ...options);
		}
	}
}

/* What a selection has no numbers of is empty, not 0. */
export async function manyCounters() {
	await visit("counters.html");
	const titles = Object.keys(csv("counters.csv")[0]).slice(5).filter(title => !title.startsWith("context-switches"));
	await sameSums("20 counters", "counters.csv", process_.concat(titles.map(t => [t, t])));
	await drag(0.2, 0.7);
	const wanted = csvOf("counters.data", ...await selectedPart()), shown = await table();
	const line = shown.find(row => row.pid), own = wanted.find(row => row.pid === line.pid);
	const empty = titles.filter(title => line[title] === "");

	holds("20 counters: some have no sums of a part", empty.length > 0 && empty.length < titles.length, String(empty.length));
	for (const title of titles.filter(t => !empty.includes(t)))
		equal(`20 counters: ${title}`, digits(line[title]), own[title]);
	holds("20 counters: the page says so", /counters have no sums/.test(await tab.value("document.getElementById('main').innerText")));
	holds("20 counters: in no line and in total",
		await tab.value(`[...document.querySelectorAll("#s-bill ~ .table tfoot td")].filter(c => c.textContent === "").length`) >= empty.length);
	await clear();
	await sameSums("20 counters, all again", "counters.csv", process_.concat(titles.map(t => [t, t])));
}

/* Zooming and moving leave the table as it is; so does sorting, and a filter leaves lines. */
export async function steady() {
	const titles = process_.concat(counters), lines = csv("bill.csv");

	await visit("bill.html");
	await focusLanes();
	for (const key of ["+", "+", "ArrowRight", "+", "End", "-", "ArrowLeft", "0"]) {
		await tab.key(key);
		await sameSums(`after the key ${key}`, "bill.csv", titles);
	}
	const heads = await tab.value("document.querySelectorAll('#s-bill ~ .table thead button').length");
	for (let at = 0; at < heads; at++)
		for (const way of ["down", "up"]) {
			await tab.value(`document.querySelectorAll("#s-bill ~ .table thead button")[${at}].click()`);
			await sameSums(`sorted by column ${at}, ${way}`, "bill.csv", titles);
		}
	const show = async (text, of) => {
		await tab.value("{ const f = document.querySelector('#s-bill ~ .table input'); f.focus(); f.select(); }");
		await tab.send("Input.insertText", { text });
		const line = (row, names) => names.map(name => digits(row[name])).join("|");
		const wanted = of.filter(row => `${row.process}\n${row.pid}`.toLowerCase().includes(text.toLowerCase()));
		const shown = (await table()).filter(row => !row.process.startsWith("(the other "));

		equal(`filter ${text}`, shown.map(r => line(r, titles.map(t => t[0]))).sort(), wanted.map(r => line(r, titles.map(t => t[1]))).sort());
		return shown.length;
	};
	for (const text of ["work-1", "1003", "(IDLE)", "work"])
		holds(`filter ${text}: lines`, await show(text, lines) > 0);
	equal("filter: nothing has this", await show("nothing has this", lines), 0);
	await tab.key("Escape");

	/* Of a part of the time, too; of lines that the part has no sums of nothing is left. */
	await drag(0.3, 0.6);
	const part = await sameSelection("before the filter", "bill.data");
	const own = new Set((await table()).map(row => row.pid || row.process));
	await show("work-2", part.filter(row => own.has(row.pid || row.process)));
	await tab.key("Escape");
	await sameSelection("after the filter", "bill.data");
	await focusLanes();
	await tab.key("+");
	await sameSelection("selected, then zoomed", "bill.data");
	await tab.key("Escape");
	await sameSums("after the selection", "bill.csv", titles);
}

/* --- over time --- */

/* Lines of the chart: their titles, times and values as they are drawn, but for the end of the last step. */
const drawn = () => tab.value(`(() => {
	const { chart } = Page.model;
	return { title: chart.choice.title, under: chart.choice.under !== undefined, scale: chart.choice.scale,
		lines: chart.lines.map(l => l.name), data: chart.plot.data.map(column => [...column].slice(0, -1)),
		end: chart.plot.data.map(column => column.at(-1)) };
})()`);

async function choose(at) {
	await tab.value(`(() => {
		const select = document.querySelector("select");
		select.value = "${at}";
		select.dispatchEvent(new Event("change"));
	})()`);
	await tab.settle();
}

const near = (a, b, part) => Math.abs(a - b) <= part * Math.max(1, Math.abs(b));
const pidOf = name => /\((\d+)\)$/.exec(name)?.[1];

/* What is drawn of a counter adds up to the bill, line by line. */
function sameOverTime(page, chart, column, rows) {
	holds(`${page}, ${chart.title}: the last step is drawn`, near(chart.end[0], 2 * chart.data[0].at(-1) - chart.data[0].at(-2), 1e-6) &&
		chart.end.slice(1).every((value, at) => value === chart.data[at + 1].at(-1)), JSON.stringify(chart.end));
	const [times, ...values] = chart.data, width = (times[1] - times[0]) * 1e9, left = new Map(rows.map(row => [row.pid || row.process, row]));
	const total = lines => lines.reduce((sum, row) => sum + Number(row[column] || 0), 0);

	left.delete("(idle)");
	chart.lines.forEach((name, at) => {
		const sum = values[at].reduce((all, value) => all + value, 0) * width / chart.scale, key = pidOf(name) || name;

		if (name === "(the rest)")
			return;
		holds(`${page}, ${chart.title}: ${name} is in the bill`, left.has(key));
		holds(`${page}, ${chart.title}: ${name}`, near(sum, total([left.get(key)]), 1e-6), `${sum}, in the bill ${left.get(key)?.[column]}`);
		left.delete(key);
	});
	const rest = chart.lines.indexOf("(the rest)");
	const sum = rest < 0 ? 0 : values[rest].reduce((all, value) => all + value, 0) * width / chart.scale;
	holds(`${page}, ${chart.title}: the rest`, near(sum, total([...left.values()]), 1e-6), `${sum}, in the bill ${total([...left.values()])}`);
}

/* A ratio that is drawn is that of --metrics in the same bucket. */
function sameRatios(page, chart, first) {
	const [times, ...values] = chart.data, metric = chart.title.split(",")[0];
	let compared = 0;

	for (const part of [0.2, 0.55, 0.8]) {
		const at = Math.floor(times.length * part), ns = s => (BigInt(first) + BigInt(Math.round(s * 1e9))).toString();
		const rows = csvOf(`${page}.data`, "--metrics", "--from", ns(times[at]), "--to", ns(times[at + 1]));

		chart.lines.forEach((name, line) => {
			const row = rows.find(r => r.pid && r.pid === pidOf(name));
			const value = values[line][at];

			if (!row || row[metric] === "" || value === null)
				return;
			compared++;
			holds(`${page}, ${metric} of ${name} at ${times[at]} s`, near(value, Number(row[metric]), 1e-4), `${value}, in the bill ${row[metric]}`);
		});
	}
	holds(`${page}, ${metric}: values are compared`, compared > 5, String(compared));
}

/* Lanes: time of buckets is known to 1/128 of each part. */
async function sameLanes(page, rows) {
	const lanes = await tab.value(`(() => {
		const { lanes, view } = Page.model, level = lanes.levels.reduce((a, b) => a.width < b.width ? a : b);
		let sum = 0, parts = 0;
		for (let at = 0; at < lanes.cpus.length; at++)
			lanes.buckets(level, at, view.whole.from, view.whole.to, (start, end, slot, share) => {
				if (slot !== Colours.IDLE) {
					sum += (end - start) * share;
					parts += (end - start) / 128;
				}
			});
		return { sum, parts };
	})()`);
	const wanted = rows.filter(row => row.process !== "(idle)").reduce((sum, row) => sum + Number(row.on_cpu_ns), 0);

	holds(`${page}: lanes`, Math.abs(lanes.sum - wanted) <= lanes.parts + 1 && lanes.parts < wanted, `${JSON.stringify(lanes)}, in the bill ${wanted}`);
}

/* Where all are single switches, a lane has the time of each line to the nanosecond. */
async function sameSingle(page, rows) {
	const slots = await tab.value(`(() => {
		const { lanes, view, rows } = Page.model, sums = new Map();
		lanes.cpus.forEach((cpu, at) => lanes.single(at, view.whole.from, view.whole.to,
			(start, end, slot) => sums.set(slot, (sums.get(slot) || 0) + end - start)));
		return rows.filter(r => r.kind === "task" && r.slot < Colours.TASKS).map(r => [String(r.pid), String(sums.get(r.slot) || 0)]);
	})()`);

	holds(`${page}: lines with colours`, slots.length > 20);
	equal(`${page}: single switches of lanes`, slots, slots.map(([pid]) => [pid, rows.find(row => row.pid === pid).on_cpu_ns]));
}

export async function overTime() {
	for (const page of ["bill", "buckets"]) {
		const rows = csv(`${page}.csv`), seen = [];

		await visit(`${page}.html`);
		const first = await tab.value("Page.model.page.first_ns");
		const count = await tab.value("document.querySelector('select').options.length");
		for (let at = 0; at < count; at++) {
			await choose(at);
			const chart = await drawn();
			const column = { "CPUs in use": "on_cpu_ns", "switches per second": "switches" }[chart.title] || chart.title.replace(/ per second$/, "");

			seen.push(chart.under ? "ratio" : column);
			if (chart.under)
				sameRatios(page, chart, first);
			else
				sameOverTime(page, chart, column, rows);
		}
		equal(`${page}: charts`, seen.sort(), ["cycles:HG", "instructions:HG", "on_cpu_ns", "ratio", "switches"]);
		await sameLanes(page, rows);
		if (page === "bill")
			await sameSingle(page, rows);
	}
}

/* Values of PerfLib: the points that are drawn, and the totals of a part, are those of --csv. */
export async function values() {
	const keyOf = row => [row.counterset, row.instance ?? "", row.counter, row.incarnation ?? ""].join("|"), lines = new Map();

	await visit("file-values.html");
	const { first, start, width, series } = await tab.value(`(() => {
		const { page, points, rows } = Page.model;
		return { first: page.first_ns, start: points.start, width: points.width,
			series: rows.map(r => ({ key: [r.counterset, r.instance ?? "", r.counter, r.incarnation ?? ""].join("|"),
				index: [...r.points.index], counts: [...r.points.counts], means: [...r.points.means] })) };
	})()`);
	for (const row of csv("file-values.csv").filter(r => r.value !== "")) {
		const key = keyOf(row), bucket = Math.floor((Number(BigInt(row.ts_ns) - BigInt(first)) - start) / width);

		lines.set(key, (lines.get(key) || new Map()).set(bucket, (lines.get(key)?.get(bucket) || []).concat(Number(row.value))));
	}
	const mean = list => list.reduce((a, b) => a + b, 0) / list.length, shown = series.filter(s => s.index.length);
	const buckets = new Set(shown.flatMap(s => s.index));

	holds("values: points", shown.length > 20 && buckets.size > 1, `${shown.length} series, ${buckets.size} buckets`);
	equal("values: which have points", shown.map(s => s.key).sort(), [...lines.keys()].sort());
	for (const { key, index, counts, means } of shown) {
		const wanted = [...lines.get(key)].sort(([a], [b]) => a - b);

		equal(`${key}: where points are`, index.map((b, i) => [b, counts[i]]), wanted.map(([b, list]) => [b, list.length]));
		holds(`${key}: points`, wanted.every(([, list], i) => near(means[i], mean(list), 1e-6)), JSON.stringify([means, wanted]));
	}

	/* The second half. */
	const from = start + width * (Math.min(...buckets) + Math.ceil((Math.max(...buckets) - Math.min(...buckets)) / 2));
	await select(from, from + width * (Math.max(...buckets) + 1));
	const rows = await tab.value("Page.model.table.rows.map(r => ({ counterset: r.counterset, instance: r.instance, counter: r.counter, incarnation: r.incarnation, " +
		"values: r.values, mean: Number(r.mean), min: Number(r.min), max: Number(r.max) }))");
	let compared = 0;
	for (const row of rows) {
		const list = [...lines.get(keyOf(row)) || []].filter(([b]) => start + b * width >= from).flatMap(([, l]) => l);

		equal(`${keyOf(row)}: values of a part`, row.values, list.length);
		compared += list.length;
		holds(`${keyOf(row)}: mean of a part`, !list.length || near(row.mean, mean(list), 1e-6), `${row.mean} and ${list}`);
		holds(`${keyOf(row)}: ends of a part`, !list.length || (near(row.min, Math.min(...list), 1e-6) && near(row.max, Math.max(...list), 1e-6)),
			`${row.min}, ${row.max} and ${list}`);
	}
	holds("values of a part", compared > 20, String(compared));
}

/* --- where the trace comes from --- */

/* All blocks of data, and the document without the name of the input and its bytes. */
const content = () => tab.value(`(async () => {
	const document_ = await Data.readDocument(), blocks = [...document.querySelectorAll("script[id]:not(#document)")];
	delete document_.report.trace.path;
	delete document_.report.trace.bytes;
	return [JSON.stringify(document_, (k, v) => typeof v === "bigint" ? String(v) : v), ...blocks.map(b => b.id + b.textContent)];
})()`);

export async function pipe() {
	for (const kind of ["switches", "samples", "values"]) {
		await visit(`file-${kind}.html`);
		const file = await content(), shown = (await tab.value("document.getElementById('main').innerText"));

		holds(`${kind}: data`, file.length > 1 && file[0].length > 100, file.map(b => b.length).join(" "));
		await visit(`pipe-${kind}.html`);
		equal(`${kind}: a pipe has the data of the file`, await content(), file);
		equal(`${kind}: a pipe looks like the file`, await tab.value("document.getElementById('main').innerText"), shown);
		equal(`${kind}: its title`, await tab.value("document.getElementById('title').textContent"), "standard input");
	}
}
