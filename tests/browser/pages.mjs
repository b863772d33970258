/*
 * pages.mjs - looks at pages of perftab-analyze in a browser:
 *   node pages.mjs CHROMIUM FOLDER PART...
 *
 * The folder, made by tests/cli/html.sh or html_sums.sh, html_names.sh, html_access.sh, has pages
 * and what the program prints otherwise.  A part is a function, here or in one of the others.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, keyboard } from "./access.mjs";
import { box, browser, csv, digits, equal, fail, failed, focusLanes, folder, holds, inkOfLanes, LABEL, parts, pixel, process_,
	sameSelection, sameSums, SHIFT, state, tab, table, visit } from "./look.mjs";
import { everywhere, hostile } from "./names.mjs";
import * as sums from "./sums.mjs";

/* --- a bill --- */

async function zoom() {
	const before = await state();

	await focusLanes();
	await tab.key("+");
	let now = await state();
	holds("zoom in by key", Math.abs((now.to - now.from) * 2 - (before.to - before.from)) < 2, JSON.stringify(now));
	await tab.key("ArrowRight");
	const panned = await state();
	holds("pan by key", panned.from > now.from && Math.abs(panned.to - panned.from - now.to + now.from) < 2);
	await tab.key("-");
	await tab.key("0");
	now = await state();
	equal("whole time by key", [now.from, now.to], [before.from, before.to]);

	/* Around the pointer: what was under it stays there. */
	const lanes = await box(".lanes canvas"), x = lanes.x + LABEL + (lanes.width - LABEL) * 0.25;
	await tab.mouse("mouseWheel", x, lanes.y + 10, { deltaX: 0, deltaY: -400, button: "none", buttons: 0 });
	await tab.settle();
	now = await state();
	const fixed = before.from + (before.to - before.from) * 0.25, still = now.from + (now.to - now.from) * 0.25;
	holds("zoom by wheel", now.to - now.from < (before.to - before.from) * 0.5 && Math.abs(fixed - still) < (now.to - now.from) * 0.01,
		JSON.stringify(now));
	console.log(`a page of 3,000 switches: drawn after ${await drawnAfter()} ms, a step of zooming ${now.step} ms`);
	await tab.key("0");
}

/* The colour of a single switch in the middle of the view is that of its process. */
async function singleSwitches() {
	const target = await tab.value(`(() => {
		const { switches: s, lanes } = Page.model;
		for (let n = 10; n < s.count; n++)
			if ((s.kind[n] & 7) === 0 && s.ns[n] > 5000 && s.slots[s.thread[n]] < Colours.TASKS)
				return { from: s.end[n] - s.ns[n], to: s.end[n], lane: lanes.cpus.indexOf(s.cpu[n]),
					colour: Colours.of(s.slots[s.thread[n]]).join(" ") };
	})()`);

	await tab.value(`Page.model.view.show(${target.from}, ${target.to})`);
	await tab.settle();
	equal("zoomed in: what is shown", (await state()).shows, "switches");
	for (const part of [0.1, 0.5, 0.9])
		equal("zoomed in: pixels of the switch", await pixel(part, target.lane), target.colour);
	await tab.value("Page.model.view.show(0, Infinity)");
	await tab.value("Page.model.view.show(Page.model.view.whole.from, Page.model.view.whole.to)");
	await tab.settle();
}

/* A part of the time, selected by mouse and by key. */
async function selection(page, trace) {
	await tab.value("scrollTo(0, 0)");
	await tab.settle();
	const lanes = await box(".lanes canvas");

	await tab.drag(lanes.x + LABEL + (lanes.width - LABEL) * 0.3, lanes.y + 10, lanes.x + LABEL + (lanes.width - LABEL) * 0.6, lanes.y + 12);
	await sameSelection(page, trace);
	const now = await state();
	await focusLanes();
	await tab.key("Enter");
	const zoomed = await state();
	holds(`${page}: zoom to the selection`, zoomed.to - zoomed.from < (now.to - now.from) * 0.5);
	await tab.key("Escape");
	holds(`${page}: Escape clears the selection`, !(await state()).selection);
	await tab.key("ArrowRight", SHIFT);
	holds(`${page}: selected by key`, (await state()).selection);
	await tab.key("Escape");
	await tab.key("0");
}

async function sortAndFilter() {
	const click = title => tab.value(`[...document.querySelectorAll("#s-bill ~ .table thead button")].find(b => b.textContent === "${title}").click()`);
	const column = async title => (await table()).filter(r => r.pid).map(r => r[title]);

	await click("process");
	let names = await column("process");
	equal("sorted by name", names, names.slice().sort((a, b) => a < b ? -1 : a > b ? 1 : 0));
	await click("switches");
	let numbers = (await column("switches")).map(v => Number(digits(v)));
	equal("sorted by switches", numbers, numbers.slice().sort((a, b) => b - a));
	await click("switches");
	numbers = (await column("switches")).map(v => Number(digits(v)));
	equal("sorted the other way", numbers, numbers.slice().sort((a, b) => a - b));
	equal("aria-sort", await tab.value("[...document.querySelectorAll('#s-bill ~ .table th[aria-sort]')].map(h => h.textContent + h.ariaSort)"),
		["switchesascending"]);
	const lines = (await table()).length;
	await tab.value("document.querySelector('#s-bill ~ .table input').focus()");
	await tab.send("Input.insertText", { text: "WORK-1" });
	names = (await table()).map(r => r.process);
	holds("filtered", names.length > 0 && names.every(n => n.includes("work-1")), names.join(" "));
	await tab.key("Escape");
	equal("the filter is cleared", (await table()).length, lines);
}

/* Everything that does something can be reached by Tab, in the order of the page. */
async function focusOrder() {
	const seen = [];

	await tab.value("document.activeElement.blur()");
	for (let i = 0; i < 30; i++) {
		await tab.key("Tab");
		seen.push(await tab.value("document.activeElement.tagName + (document.activeElement.getAttribute('aria-label') || '')"));
	}
	const order = ["BUTTONzoom out", "CANVAS", "SELECTwhat", "DIV", "INPUTfilter"].map(s => seen.findIndex(x => x.startsWith(s)));
	holds("order of Tab", order.every((at, i) => at >= 0 && (i === 0 || at > order[i - 1])), seen.join(", "));
}

async function bill() {
	await visit("bill.html");
	await sameSums("bill", "bill.csv", process_.concat([["cycles:HG", "cycles:HG"], ["instructions:HG", "instructions:HG"]]));
	holds("text of the page", /rule|proven/.test(await tab.value("document.body.innerText")));
	holds("lanes are drawn", (await inkOfLanes()).length > 8);
	const area = await box(".u-over"), lanes = await box(".lanes canvas");
	equal("lanes and chart have one time axis", [area.x, area.width].map(Math.round), [lanes.x + LABEL, lanes.width - LABEL].map(Math.round));
	holds("a line chart is drawn", await tab.value("document.querySelectorAll('.plot canvas').length === 1"));
	await zoom();
	await singleSwitches();
	await sortAndFilter();
	await visit("bill.html");
	await focusOrder();
	await selection("bill.html", "bill.data");
	const light = await pixel(0.5, 0), paper = await tab.value("getComputedStyle(document.body).backgroundColor");
	await tab.scheme("dark");
	holds("dark paper", await tab.value("getComputedStyle(document.body).backgroundColor") !== paper, light);
	await tab.scheme("light", "print");
	equal("print: buttons", await tab.value("getComputedStyle(document.querySelector('.bar')).display"), "none");
	await tab.scheme("light");
}

/* --- the others --- */

async function many() {
	await visit("many.html");
	await sameSums("5,000 processes", "many.csv", process_);
	await visit("cpus.html");
	await sameSums("256 CPUs", "cpus.csv", process_);
	equal("256 lanes", await tab.value("Page.model.lanes.cpus.length"), 256);
	await focusLanes();
	await tab.key("+");
	console.log(`256 CPUs: drawn after ${await drawnAfter()} ms, a step of zooming ${(await state()).step} ms`);
	await visit("one.html");
	await sameSums("1 CPU", "one.csv", process_);
	holds("1 CPU: ink", (await inkOfLanes()).length > 0);
	await visit("lossy.html");
	await sameSums("losses", "lossy.csv", process_);
	holds("losses: finding", /lost/.test(await tab.value("document.querySelector('.findings').innerText")));
	holds("losses: hatched", (await inkOfLanes()).some(([c]) => c === "90 90 90"), JSON.stringify(await inkOfLanes()));
	await visit("interrupts.html");
	await sameSums("interrupts", "interrupts.csv", process_);
	holds("interrupts: marked", (await inkOfLanes()).some(([c]) => c === "200 0 0"), JSON.stringify(await inkOfLanes()));
	await selection("interrupts.html", "interrupts.db");
	await visit("empty.html");
	await sameSums("empty", "empty.csv", process_);
	equal("empty: nothing over time", await tab.value("document.getElementById('s-over-time')"), null);
	for (const page of ["header", "nothing"]) {
		await visit(`${page}.html`);
		await sameSums(`${page} of a trace`, `${page}.csv`, process_);
		equal(`${page}: nothing over time`, await tab.value("document.querySelectorAll('#s-over-time, canvas, select').length"), 0);
		equal(`${page}: name of the file`, await tab.value("document.getElementById('title').textContent"), `${page}.data`);
	}
	holds("nothing: a finding", /ended before it wrote its first event/.test(await tab.value("document.querySelector('.findings').innerText")));
	await visit("threads.html");
	await sameSums("threads", "threads.csv", process_.concat([["tid", "tid"], ["thread", "thread"]]));
	await visit("comm.html");
	await sameSums("programs", "comm.csv", [["program", "comm"], ["processes", "processes"], ["switches", "switches"], ["on-CPU ms", "on_cpu_ns"]]);
}

/* The table of another cut, above the bill by process; the lanes are there. */
async function cuts() {
	const time = [["switches", "switches"], ["on-CPU ms", "on_cpu_ns"]];

	for (const [page, section, titles] of [
		["cpu", "s-by-cpu", [["CPU", "cpu"], ["cycles:HG", "cycles:HG"]].concat(time)],
		["tree", "s-by-tree", [["process", "process"], ["pid", "pid"], ["task-clock", "task-clock"]].concat(time)],
		["cgroup", "s-by-control-group", [["control group", "cgroup"], ["processes", "processes"]].concat(time)],
	]) {
		await visit(`${page}.html`);
		await sameSums(`by ${page}`, `${page}.csv`, titles, section);
		holds(`by ${page}: lanes`, (await inkOfLanes()).length > 0);
		await sameSums(`by ${page}: by process too`, `${page}-process.csv`, process_);
	}
	await visit("tree.html");
	const depths = await tab.value("[...document.querySelectorAll('#s-by-tree ~ .table tbody th')].map(c => [c.textContent, c.style.paddingLeft])");
	equal("by tree: the child is indented", depths.slice(0, 2), [["bash", "0.5em"], ["sched-messaging", "1.5em"]]);
	await visit("sampled-cpu.html");
	await sameSums("sampled, by cpu", "sampled-cpu.csv", [["CPU", "cpu"], ["samples", "samples"]], "s-by-cpu");
	await visit("by-interrupt.html");
	equal("by interrupt: the order of sections", (await tab.value("[...document.querySelectorAll('h2')].map(h => h.id)")).slice(0, 3),
		["s-over-time", "s-interrupts", "s-bill"]);
	equal("by interrupt: lines", (await table("s-interrupts")).length, csv("by-interrupt.csv").length);
}

async function sampled() {
	await visit("sampled.html");
	await sameSums("sampled", "sampled.csv", [["process", "process"], ["pid", "pid"], ["samples", "samples"],
		["cpu-clock (estimated)", "cpu-clock"]], "s-samples");
	await visit("places.html");
	await sameSums("by symbol", "places.csv", [["module", "module"], ["symbol", "symbol"], ["samples", "samples"]], "s-samples-by-place");
	await visit("modules.html");
	await sameSums("by module", "modules.csv", [["module", "module"], ["samples", "samples"]], "s-samples-by-place");
	holds("samples over time", await tab.value("document.querySelectorAll('.plot canvas').length === 1"));
}

/* A line of the text report: its cells, where two blanks or more are between them. */
const textCells = (file, first) => (readFileSync(join(folder, file), "utf8").split("\n").find(l => l.startsWith(first)) || "").trim().split(/ {2,}/);

/* Switches were billed by time alone, and something else was sampled: the bill is the main table. */
async function leader() {
	await visit("leader.html");
	await sameSums("leader", "leader.csv", process_);
	equal("leader: sections", await tab.value("[...document.querySelectorAll('h2')].map(h => h.id).slice(0, 3)"),
		["s-over-time", "s-bill", "s-sampled-not-read-at-switches"]);
	const rows = await tab.value(`Page.model.rows.filter(r => r.kind === "task").map(r => [r.pid, String(r.ns)])`);
	const sums = await tab.value(`(() => {
		const { switches: s, rows } = Page.model, sums = new Map();
		for (let n = 0; n < s.count; n++) {
			const line = s.threads[s.thread[n]][0];
			sums.set(line, (sums.get(line) || 0) + ((s.kind[n] & 7) === 0 ? s.ns[n] : 0));
		}
		return rows.map((r, line) => r.kind === "task" ? [r.pid, String(sums.get(line) || 0)] : null).filter(Boolean);
	})()`);
	holds("leader: lines", rows.length > 30);
	equal("leader: switches are those of their lines", sums, rows);
	const sampled = await table("s-sampled-not-read-at-switches");
	const wanted = await tab.value("Page.model.report.sampling.processes.filter(r => r.samples).map(r => [r.process, String(r.samples), String(r.events[0])])");
	equal("leader: sampled", sampled.filter(r => r.samples !== "0").map(r => [r.process, digits(r.samples), digits(r["page-faults (estimated)"])]), wanted);
	holds("leader: sampled lines", wanted.length > 10);

	/* As the text has them: time to the microsecond, and what the share is of. */
	const shown = await tab.value("[...document.querySelectorAll('#s-bill ~ .table tbody tr, #s-bill ~ .table tfoot tr')].map(r => [...r.cells].map(c => c.textContent))");
	let compared = 0;
	for (const cells of shown.filter(c => /^work|^total/.test(c[0]))) {
		equal(`leader: text of ${cells[0]}`, cells[4], textCells("leader.txt", `${cells[0]} `).at(-2));
		compared++;
	}
	holds("leader: text is compared", compared > 30);
	const notes = id => tab.value(`[...document.getElementById("${id}").parentElement.querySelectorAll(".note")].map(p => p.textContent).filter(Boolean)`);
	equal("leader: share", await notes("s-bill"), ["Share is of on-CPU time."]);
	equal("leader: share of samples", await notes("s-sampled-not-read-at-switches"), ["Share is of page-faults (estimated)."]);

	/* What a chart of CPUs shows is said while it is shown. */
	for (const [at, title] of (await tab.value("[...document.querySelector('select').options].map(o => o.textContent)")).entries()) {
		await tab.value(`{ const s = document.querySelector("select"); s.value = "${at}"; s.dispatchEvent(new Event("change")); }`);
		equal(`leader: ${title}`, (await notes("s-over-time")).some(n => /counts in full where it ends/.test(n)), title === "CPUs in use");
	}
}

/* Counts of perf stat have the words of the text report. */
async function stat() {
	await visit("stat.html");
	const section = "document.getElementById('s-counted-by-perf-stat').parentElement";

	equal("stat: titles", await tab.value(`[...${section}.querySelectorAll("thead button")].map(b => b.textContent)`),
		textCells("stat.txt", "event  "));
	for (const cells of await tab.value(`[...${section}.querySelectorAll("tbody tr")].map(r => [...r.cells].map(c => c.textContent).filter(Boolean))`))
		equal(`stat: ${cells[0]}`, cells, textCells("stat.txt", cells[0]));
	equal("stat: lines", (await table("s-counted-by-perf-stat")).length, 3);
	const words = (await tab.value(`[...${section}.querySelectorAll("p")].map(p => p.textContent).join(" ")`)).replace(/\s+/g, " ");
	const text = readFileSync(join(folder, "stat.txt"), "utf8").replace(/\s+/g, " ");
	for (const sentence of [/total of the whole recording of 2\.500 s, all CPUs and threads together\./, /Estimates \(~\): .* each CPU and thread\./,
		/On 1 CPUs .* in no sum\./]) {
		holds(`stat: ${sentence}`, sentence.test(words), words);
		equal(`stat: as the text, ${sentence}`, sentence.exec(words)?.[0], sentence.exec(text)?.[0]);
	}
}

/* The totals are those of the values that --csv prints one by one. */
async function perflib() {
	const totals = new Map();

	await visit("types.html");
	await visit("perflib.html");
	for (const row of csv("perflib.csv")) {
		const key = [row.counterset, row.instance, row.counter, row.incarnation].join("|");

		if (row.value === "")
			continue;
		if (!totals.has(key))
			totals.set(key, []);
		totals.get(key).push(Number(row.value));
	}
	const series = await tab.value("Page.model.rows.map(r => [[r.counterset, r.instance ?? '', r.counter, r.incarnation ?? ''].join('|'), Number(r.values), " +
		"r.mean === undefined ? null : Number(r.mean), r.points ? [...r.points.counts].reduce((a, b) => a + b, 0) : 0])");
	let compared = 0;
	for (const [key, values, mean, points] of series) {
		const wanted = totals.get(key);

		if (!wanted)
			continue;
		compared++;
		equal(`${key}: values`, [values, points], [wanted.length, wanted.length]);
		const sum = wanted.reduce((a, b) => a + b, 0) / wanted.length;
		holds(`${key}: mean`, Math.abs(mean - sum) <= 1e-9 * Math.max(1, Math.abs(sum)), `${mean} and ${sum}`);
	}
	holds("values are compared", compared > 20, String(compared));
	holds("values: a chart", await tab.value("document.querySelectorAll('.plot canvas').length === 1"));
	const rows = (await table("s-values")).length;
	await tab.value("Page.model.view.select(0, Page.model.view.whole.to / 2)");
	await tab.settle();
	const part = await tab.value("Page.model.table.rows.map(r => r.values)");
	holds("values: a part", part.length === rows && part.some((v, i) => v < series[i][1]), `${rows} ${part.length}`);
}

async function diff() {
	await visit("diff.html");
	const wanted = csv("diff.csv"), shown = await table("s-by-program");

	equal("diff: names and verdicts", shown.map(r => [r.name, r.verdict]), wanted.map(r => [r.name, r.verdict]));
	/* As they are shown, and in the data of the page with all digits. */
	const percent = value => value === "" ? "" : `${Number(value) < 0 ? "−" : "+"}${Math.abs(Number(value) * 100).toFixed(2)} %`;
	equal("diff: medians", shown.map(r => [r["median A"], r["median B"]].map(digits)),
		wanted.map(r => [r.median_a, r.median_b].map(v => String(Math.round(Number(v))))));
	equal("diff: changes and intervals", shown.map(r => [r.change, r.from, r.to]), wanted.map(r => [r.change, r.low, r.high].map(percent)));
	equal("diff: p", shown.map(r => r.p), wanted.map(r => r.p === "" ? "" : Number(r.p).toPrecision(2)));
	const lines = await tab.value("Page.model.diff.lines");
	equal("diff: all digits", lines.map(l => [l.name, l.median_a, l.median_b, l.change, l.low, l.high, l.p].map(v => v === null ? "" : v)),
		wanted.map(r => [r.name, ...[r.median_a, r.median_b, r.change, r.low, r.high, r.p].map(v => v === "" ? "" : Number(v))]));
	equal("diff: runs", lines.map(l => [l.a.length, l.b.length]), wanted.map(() => [6, 6]));
	holds("diff: intervals", shown.some(r => r.from && r.to));
	holds("diff: a picture", await tab.value(`(() => { const c = document.querySelector("canvas");
		return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v); })()`));
}

/* Printed, not tested: machines of tests are shared. */
async function drawnAfter() {
	return Number(await tab.value("document.documentElement.dataset.drawn"));
}

/* --- big ones, where asked for --- */

async function big() {
	if (!existsSync(join(folder, "big.html")))
		return;
	const drawn = [];

	for (let i = 0; i < 5; i++) {
		await visit("big.html");
		drawn.push(await drawnAfter());
	}
	const steps = [];
	await focusLanes();
	for (const key of ["+", "+", "+", "ArrowRight", "+", "+", "ArrowLeft", "+", "-", "-"]) {
		await tab.key(key);
		steps.push((await state()).step);
	}
	console.log(`drawn after ${drawn.join(", ")} ms; steps ${steps.join(", ")} ms; heap ` +
		`${await tab.value("Math.round(performance.memory.usedJSHeapSize / 1048576)")} MiB`);
}

const all = [bill, hostile, many, cuts, sampled, leader, stat, perflib, diff, big, everywhere, keyboard, accessible, ...Object.values(sums)];

try {
	for (const name of parts) {
		const part = all.find(p => p.name === name);

		if (part)
			await part().catch(error => fail(`${part.name}: ${error.message}`));
		else
			fail(`no part ${name}`);
	}
} finally {
	await browser.close();
}
process.exit(failed() || !parts.length ? 1 : 0);
