/*
 * look.mjs - what the tests of pages share: the browser, files of the folder, what a page shows.
 *
 * The arguments are those of pages.mjs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spawnSync } from "node:child_process";
import { open } from "./chrome.mjs";

export const SHIFT = 8;
export const LABEL = 60; /* where the time begins: lanes.js and chart.js */
export const [program, folder, ...parts] = process.argv.slice(2);
export const browser = await open(program), tab = await browser.page();
let failures = 0;

export const failed = () => failures > 0;

export function fail(text) {
	console.error(`FAIL: ${text}`);
	failures++;
}

export function equal(what, got, wanted) {
	const a = JSON.stringify(got), b = JSON.stringify(wanted);

	if (a !== b)
		fail(`${what}: got ${a?.slice(0, 500)}, expected ${b?.slice(0, 500)}`);
}

export function holds(what, is, detail = "") {
	if (!is)
		fail(`${what} ${detail}`);
}

/* Lines of CSV, with "" inside of quotes. */
export function csvLines(text) {
	const rows = [[]];
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

export function csv(name) {
	return csvLines(readFileSync(join(folder, name), "utf8"));
}

/* What --csv prints of a trace, complete or damaged. */
export function csvOf(trace, ...options) {
	const { status, stdout, stderr } = spawnSync("perftab-analyze", ["--csv", ...options, join(folder, trace)]);

	if (status !== 0 && status !== 3)
		throw new Error(`perftab-analyze --csv ${options.join(" ")} ${trace}: ${stderr}`);
	return csvLines(stdout.toString());
}

/* What the main table shows, by title; the whole of it, not only the first lines. */
export async function table(section = "s-bill") {
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

export const digits = text => (text || "").replace(/,/g, "");

/* The lines of the table have the numbers of the CSV. */
export async function sameSums(what, file, titles, section) {
	const rows = await table(section), wanted = csv(file);
	const line = (row, of) => titles.map(([title, column]) => digits(row[of ? column : title])).join("|");

	equal(`${what}: lines`, rows.length, wanted.length);
	equal(`${what}: sums`, rows.map(r => line(r)).sort(), wanted.map(r => line(r, true)).sort());
}

export async function visit(name) {
	await tab.goto(pathToFileURL(join(folder, name)).href);
	await tab.settle();
	equal(`${name}: requests`, tab.requests, []);
	equal(`${name}: errors`, tab.errors, []);
}

export const process_ = [["process", "process"], ["pid", "pid"], ["switches", "switches"], ["on-CPU ms", "on_cpu_ns"]];

/* The number of a cell; none counts as nothing. */
const number = text => BigInt(digits(text) || 0);

/* What distinguishes a line: its number, or the words of one that is kept apart. */
const keyOf = row => row.tid || row.pid || row.process;

/* What the selected part is to the program: --from NS --to NS. */
export async function selectedPart() {
	const { selection, selected } = await state(), part = /--from (-?\d+) --to (-?\d+)/.exec(selected);

	return selection && part ? ["--from", part[1], "--to", part[2]] : null;
}

/*
 * The table of the selected part has the sums that --csv prints of it: each line that is shown
 * alone has its own, "(the other N lines)" have those of the others, and all are in the total.
 * Lines of a number that was used twice count as others: it does not tell them apart.
 */
export async function sameSelection(what, trace, ...options) {
	const part = await selectedPart();

	holds(`${what}: a part is selected`, part, (await state()).selected);
	if (!part)
		return [];
	const wanted = csvOf(trace, ...part, ...options), shown = await table(), of = part.join(" ");
	const names = ["process", "pid", "tid", "thread", "threads"], column = title => title === "on-CPU ms" ? "on_cpu_ns" : title;
	const titles = Object.keys(shown[0]).filter(title => column(title) in (wanted[0] || {}) && !names.includes(title));
	const count = (rows, key) => rows.filter(row => keyOf(row) === key).length;
	const isAlone = row => !keyOf(row).startsWith("(the other ") && count(shown, keyOf(row)) === 1 && count(wanted, keyOf(row)) <= 1;
	const alone = shown.filter(isAlone), keys = alone.map(keyOf);

	for (const row of alone) {
		const line = wanted.find(r => keyOf(r) === keyOf(row)) || {};

		equal(`${what}, ${of}: ${keyOf(row)}`, titles.map(t => number(row[t]).toString()), titles.map(t => number(line[column(t)]).toString()));
	}
	const sum = (rows, title) => rows.reduce((all, row) => all + number(row[title]), 0n).toString();
	equal(`${what}, ${of}: the others`, titles.map(t => sum(shown.filter(r => !isAlone(r)), t)),
		titles.map(t => sum(wanted.filter(r => !keys.includes(keyOf(r))), column(t))));
	equal(`${what}, ${of}: in total`, await totals(titles), titles.map(t => sum(wanted, column(t))));
	holds(`${what}, ${of}: lines are compared`, alone.length > 2 && titles.length > 2, `${keys} ${titles}`);
	return wanted;
}

/* What the last line of the main table says of these columns. */
function totals(titles) {
	return tab.value(`(() => {
		const section = document.getElementById("s-bill").parentElement;
		const heads = [...section.querySelectorAll("thead button")].map(b => b.textContent);
		const cells = section.querySelector("tfoot tr").cells;
		return ${JSON.stringify(titles)}.map(title => {
			const cell = cells[heads.indexOf(title)];
			return (title === "on-CPU ms" ? cell.title.replace(" ns", "") : cell.textContent).replace(/,/g, "");
		});
	})()`);
}

/* Fails unless some pixels of the lanes are not the paper's. */
export async function inkOfLanes() {
	return tab.value(`(() => {
		const canvas = document.querySelector(".lanes canvas"), context = canvas.getContext("2d");
		const { data } = context.getImageData(${LABEL}, 0, canvas.width - ${LABEL}, canvas.height - 18);
		const paper = Colours.of(Colours.IDLE), seen = new Map();
		for (let i = 0; i < data.length; i += 4) {
			const key = data.slice(i, i + 3).join(" ");
			seen.set(key, (seen.get(key) || 0) + 1);
		}
		seen.delete(paper.join(" "));
		return [...seen].sort((a, b) => b[1] - a[1]).slice(0, 40);
	})()`);
}

export const focusLanes = () => tab.value("document.querySelector('.lanes canvas').focus()");
export const state = () => tab.value("({ from: Page.model.view.from, to: Page.model.view.to, selection: Page.model.view.selection, " +
	"whole: Page.model.view.whole, shows: document.querySelector('.lanes canvas').dataset.shows, " +
	"selected: document.getElementById('selected').textContent, step: Number(document.documentElement.dataset.step) })");
export const box = selector => tab.value(`(() => { const b = document.querySelector("${selector}").getBoundingClientRect();
	return { x: b.x, y: b.y, width: b.width, height: b.height }; })()`);

/* The colour of the middle of a lane, at a share of its width. */
export const pixel = (part, lane) => tab.value(`(() => {
	const canvas = document.querySelector(".lanes canvas"), { lanes } = Page.model;
	return [...canvas.getContext("2d").getImageData(${LABEL} + Math.round((canvas.width - ${LABEL + 1}) * ${part}),
		Math.round(lanes.height * (${lane} + 0.5)), 1, 1).data].slice(0, 3).join(" ");
})()`);
