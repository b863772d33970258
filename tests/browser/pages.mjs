/*
 * pages.mjs - looks at pages of perftab-analyze in a browser:
 *   node pages.mjs CHROMIUM FOLDER [PART...]
 *
 * The folder, made by tests/cli/html.sh, has pages and what the program prints otherwise.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execFileSync } from "node:child_process";
import { open } from "./chrome.mjs";

const SHIFT = 8;
const [program, folder, ...parts] = process.argv.slice(2), browser = await open(program), tab = await browser.page();
let failures = 0;

function fail(text) {
	console.error(`FAIL: ${text}`);
	failures++;
}

function equal(what, got, wanted) {
	const a = JSON.stringify(got), b = JSON.stringify(wanted);

	if (a !== b)
		fail(`${what}: got ${a?.slice(0, 500)}, expected ${b?.slice(0, 500)}`);
}

function holds(what, is, detail = "") {
	if (!is)
		fail(`${what} ${detail}`);
}

/* Lines of a CSV file, with "" inside of quotes. */
function csv(name) {
	const text = readFileSync(join(folder, name), "utf8"), rows = [[]];
	let cell = "", quoted = false;

	for (let i = 0; i < text.length; i++) {
		const c = text[i];

		if (quoted && c === "\"" && text[i + 1] === "\"")
			cell += text[++i];
		else if (c === "\"")
			quoted = !quoted;
		else if (quoted || (c !== "," && c !== "\n" && c !== "\r"))
			cell += c;
		else if (c === ",")
			cell = rows[rows.length - 1].push(cell) && "";
		else if (c === "\n")
			cell = rows[rows.length - 1].push(cell) && rows.push([]) && "";
	}
	const [head, ...lines] = rows.filter(r => r.length);
	return lines.map(line => Object.fromEntries(head.map((h, at) => [h, line[at]])));
}

/* What the main table shows, by title; the whole of it, not only the first lines. */
async function table(section = "s-bill") {
	return tab.value(`(() => {
		const section = document.getElementById("${section}").parentElement;
		const more = section.querySelector(".table > button");
		if (!more.hidden)
			more.click();
		const titles = [...section.querySelectorAll("thead button")].map(b => b.textContent);
		return [...section.querySelectorAll("tbody tr")].map(row => Object.fromEntries(
			[...row.cells].map((cell, at) => [titles[at], titles[at] === "on-CPU ms" ? cell.title.replace(" ns", "") : cell.textContent])));
	})()`);
}

const digits = text => (text || "").replace(/,/g, "");

/* The lines of the table have the numbers of the CSV. */
async function sameSums(what, file, titles, section) {
	const rows = await table(section), wanted = csv(file);
	const line = (row, of) => titles.map(([title, column]) => digits(row[of ? column : title])).join("|");

	equal(`${what}: lines`, rows.length, wanted.length);
	equal(`${what}: sums`, rows.map(r => line(r)).sort(), wanted.map(r => line(r, true)).sort());
}

async function visit(name) {
	await tab.goto(pathToFileURL(join(folder, name)).href);
	await tab.settle();
	equal(`${name}: requests`, tab.requests, []);
	equal(`${name}: errors`, tab.errors, []);
}

const process_ = [["process", "process"], ["pid", "pid"], ["switches", "switches"], ["on-CPU ms", "on_cpu_ns"]];

/* Fails unless some pixels of the lanes are not the paper's. */
async function inkOfLanes() {
	return tab.value(`(() => {
		const canvas = document.querySelector(".lanes canvas"), context = canvas.getContext("2d");
		const { data } = context.getImageData(44, 0, canvas.width - 44, canvas.height - 18);
		const paper = Colours.of(Colours.IDLE), seen = new Map();
		for (let i = 0; i < data.length; i += 4) {
			const key = data.slice(i, i + 3).join(" ");
			seen.set(key, (seen.get(key) || 0) + 1);
		}
		seen.delete(paper.join(" "));
		return [...seen].sort((a, b) => b[1] - a[1]).slice(0, 40);
	})()`);
}

const focusLanes = () => tab.value("document.querySelector('.lanes canvas').focus()");
const state = () => tab.value("({ from: Page.model.view.from, to: Page.model.view.to, selection: Page.model.view.selection, " +
	"whole: Page.model.view.whole, shows: document.querySelector('.lanes canvas').dataset.shows, " +
	"selected: document.getElementById('selected').textContent, step: Number(document.documentElement.dataset.step) })");
const box = selector => tab.value(`(() => { const b = document.querySelector("${selector}").getBoundingClientRect();
	return { x: b.x, y: b.y, width: b.width, height: b.height }; })()`);

/* The colour of the middle of a lane, at a share of its width. */
const pixel = (part, lane) => tab.value(`(() => {
	const canvas = document.querySelector(".lanes canvas"), { lanes } = Page.model;
	return [...canvas.getContext("2d").getImageData(44 + Math.round((canvas.width - 45) * ${part}),
		Math.round(lanes.height * (${lane} + 0.5)), 1, 1).data].slice(0, 3).join(" ");
})()`);

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
	const lanes = await box(".lanes canvas"), x = lanes.x + 44 + (lanes.width - 44) * 0.25;
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

/* A part of the time has the sums of --from and --to. */
async function selection(page, trace) {
	await tab.value("scrollTo(0, 0)");
	await tab.settle();
	const lanes = await box(".lanes canvas");

	await tab.drag(lanes.x + 44 + (lanes.width - 44) * 0.3, lanes.y + 10, lanes.x + 44 + (lanes.width - 44) * 0.6, lanes.y + 12);
	const now = await state(), window_ = /--from (\d+) --to (\d+)/.exec(now.selected);
	holds(`${page}: selected by mouse`, now.selection && window_, now.selected);
	if (!window_)
		return;
	const text = execFileSync("perftab-analyze", ["--csv", "--from", window_[1], "--to", window_[2], trace],
		{ stdio: ["ignore", "pipe", "ignore"] });
	const wanted = text.toString().trim().split("\n").slice(1).map(l => l.split(","));
	const shown = await table(), counters = Object.keys(shown[0]).filter(t => t.includes("cycles") || t.includes("instructions"));
	const own = shown.filter(r => r.pid);
	for (const row of own) {
		const line = wanted.find(w => w[1] === row.pid);

		holds(`${page}: ${row.process} is in the window`, line);
		if (line)
			equal(`${page}: sums of ${row.process} in the selection`,
				[row.switches, row["on-CPU ms"], ...counters.map(c => row[c])].map(digits), [line[3], line[4], ...line.slice(-counters.length)]);
	}
	/* All together, with the rest. */
	for (const [at, title] of [[3, "switches"], [4, "on-CPU ms"]]) {
		const sum = list => list.reduce((a, v) => a + BigInt(digits(v) || 0), 0n).toString();

		equal(`${page}: ${title} of the selection`, sum(shown.map(r => r[title])), sum(wanted.map(w => w[at])));
	}
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
	holds("a line chart is drawn", await tab.value("document.querySelectorAll('.plot canvas').length === 1"));
	await zoom();
	await singleSwitches();
	await sortAndFilter();
	await visit("bill.html");
	await focusOrder();
	await selection("bill.html", join(folder, "bill.data"));
	const light = await pixel(0.5, 0), paper = await tab.value("getComputedStyle(document.body).backgroundColor");
	await tab.scheme("dark");
	holds("dark paper", await tab.value("getComputedStyle(document.body).backgroundColor") !== paper, light);
	await tab.scheme("light", "print");
	equal("print: buttons", await tab.value("getComputedStyle(document.querySelector('.bar')).display"), "none");
	await tab.scheme("light");
}

/* --- the others --- */

/* Names that would do something if they were markup. */
async function hostile() {
	const names = readFileSync(join(folder, "names"), "utf8").split("\n").filter(Boolean);

	await visit("hostile.html");
	equal("nothing ran", await tab.value("window.hostile"), undefined);
	equal("images, frames and the like", await tab.value("document.querySelectorAll('img, iframe, svg, object, embed, link, base, style[id], form, math').length"), 0);
	const shown = (await table()).map(r => r.process);
	const visible = await tab.value(`${JSON.stringify(names)}.map(n => Words.name(n))`);
	for (const name of visible)
		holds(`shown as text: ${name}`, shown.includes(name), JSON.stringify(shown.slice(0, 50)));
	const canvas = await box(".lanes canvas");
	for (const part of [0.2, 0.5, 0.8]) /* tooltips */
		await tab.mouse("mouseMoved", canvas.x + 44 + (canvas.width - 44) * part, canvas.y + 10, { button: "none", buttons: 0 });
	await tab.settle();
	equal("nothing ran in tooltips", await tab.value("window.hostile"), undefined);
	equal("errors", tab.errors, []);
	/* The policy would stop what came in all the same. */
	await tab.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hostile = 1\"><img src=\"https://example.com/x\">')");
	await tab.value("new Promise(r => setTimeout(r, 200))");
	equal("the policy stops handlers", await tab.value("window.hostile"), undefined);
	holds("the policy stops requests", tab.errors.some(e => /Content Security Policy/.test(e)), tab.errors.join("; "));
}

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
	await selection("interrupts.html", join(folder, "interrupts.db"));
	await visit("empty.html");
	await sameSums("empty", "empty.csv", process_);
	equal("empty: nothing over time", await tab.value("document.getElementById('s-over-time')"), null);
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

/* The totals are those of the values that --csv prints one by one. */
async function perflib() {
	const totals = new Map();

	await visit("types.html");
	await visit("perflib.html");
	for (const row of csv("perflib.csv")) {
		const key = [row.counterset, row.instance, row.counter, row.life].join("|");

		if (row.value === "")
			continue;
		if (!totals.has(key))
			totals.set(key, []);
		totals.get(key).push(Number(row.value));
	}
	const series = await tab.value("Page.model.rows.map(r => [[r.counterset, r.instance ?? '', r.counter, r.life ?? ''].join('|'), Number(r.values), " +
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
	equal("diff: medians", shown.map(r => [r["median A"], r["median B"]].map(digits)),
		wanted.map(r => [r.median_a, r.median_b].map(v => String(Math.round(Number(v))))));
	equal("diff: changes", shown.map(r => r.change.replace("−", "-").replace(" %", "")),
		wanted.map(r => (Number(r.change) < 0 ? "" : "+") + (Number(r.change) * 100).toFixed(2)));
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

try {
	for (const part of [bill, hostile, many, cuts, sampled, perflib, diff, big].filter(p => !parts.length || parts.includes(p.name)))
		await part().catch(error => fail(`${part.name}: ${error.message}`));
} finally {
	await browser.close();
}
process.exit(failures ? 1 : 0);
