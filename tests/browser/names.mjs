/*
 * names.mjs - names that would do something if they were markup, wherever a trace can have one:
 * nothing runs, and each is shown as text.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { box, equal, folder, holds, LABEL, tab, table, visit } from "./look.mjs";

const names = () => readFileSync(join(folder, "names"), "utf8").split("\n").filter(Boolean);

/* As a page shows them: control characters and marks of direction are visible. */
const visible = list => tab.value(`${JSON.stringify(list)}.map(n => Words.name(n))`);

/* Nothing ran, nothing left, and no element came of a name. */
async function harmless(what) {
	equal(`${what}: nothing ran`, await tab.value("window.hostile"), undefined);
	equal(`${what}: images, frames and the like`, await tab.value("document.querySelectorAll('img, iframe, svg, object, embed, link, base, " +
		"style[id], form, math, details:not(.noprint), a, script[src]').length"), 0);
	equal(`${what}: requests`, tab.requests, []);
	equal(`${what}: errors`, tab.errors, []);
}

/* Names of processes, as the trace itself has them. */
export async function hostile() {
	await visit("hostile.html");
	await harmless("hostile");
	const shown = (await table()).map(r => r.process);
	for (const name of await visible(names()))
		holds(`shown as text: ${name}`, shown.includes(name), JSON.stringify(shown.slice(0, 50)));
	const canvas = await box(".lanes canvas");
	for (const part of [0.2, 0.5, 0.8]) /* tooltips */
		await tab.mouse("mouseMoved", canvas.x + LABEL + (canvas.width - LABEL) * part, canvas.y + 10, { button: "none", buttons: 0 });
	await tab.settle();
	await harmless("tooltips");
	/* The policy would stop what came in all the same. */
	await tab.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hostile = 1\"><img src=\"https://example.com/x\">')");
	await tab.value("new Promise(r => setTimeout(r, 200))");
	equal("the policy stops handlers", await tab.value("window.hostile"), undefined);
	holds("the policy stops requests", tab.errors.some(e => /Content Security Policy/.test(e)), tab.errors.join("; "));
}

/* What the page of one name shows in each place that had it. */
const places = () => tab.value(`(() => {
	const texts = selector => [...document.querySelectorAll(selector)].map(e => e.textContent);
	return { title: document.title, heading: texts("h1")[0],
		facts: Object.fromEntries([...document.querySelectorAll("dl dt")].map(dt => [dt.textContent, dt.nextSibling.textContent])),
		counters: texts("#s-bill ~ .table thead button"), charts: texts("select option"), findings: texts(".findings li bdi") };
})()`);

/* The file is called so, and the host, the system, the counter and the rest as well. */
async function onePage(at, name, shown) {
	const what = `name ${at}, ${shown}`;

	await visit(`name-${at}.html`);
	await harmless(what);
	const found = await places(), { facts } = found;
	for (const fact of ["host", "CPU model", "recorder", "command"])
		equal(`${what}: ${fact}`, facts[fact], shown);
	equal(`${what}: system`, facts.system, `${shown} ${shown}`);
	equal(`${what}: input`, facts.input, shown);
	equal(`${what}: heading`, found.heading, shown.split("/").pop());
	if (!name.includes("/") && /^[ -~]+$/.test(name))
		equal(`${what}: title`, found.title, name);
	holds(`${what}: counter`, found.counters.includes(shown), found.counters.join(" | "));
	holds(`${what}: chart`, found.charts.includes(`${shown} per second`), found.charts.join(" | "));
	holds(`${what}: finding`, found.findings.includes(shown), found.findings.join(" | "));
}

/* One name is a cell of this column. */
async function allShown(page, section, title) {
	await visit(page);
	await harmless(page);
	const shown = (await table(section)).map(row => row[title]);
	for (const name of await visible(names()))
		holds(`${page}: shown as text: ${name}`, shown.includes(name), JSON.stringify(shown.slice(0, 5)));
	for (const button of ["sort", "filter"]) {
		await tab.value(button === "sort" ? "document.querySelector('main thead button').click()" :
			"{ const f = document.querySelector('main input'); f.value = '<'; f.dispatchEvent(new Event('input')); }");
		await tab.settle();
		await harmless(`${page}, ${button}`);
	}
}

export async function everywhere() {
	const list = names();

	holds("names", list.length >= 41, String(list.length));
	await visit("name-1.html");
	const shown = await visible(list);
	for (let at = 0; at < list.length; at++)
		await onePage(at + 1, list[at], shown[at]);
	await allShown("threads.html", "s-bill", "thread");
	await allShown("symbols.html", "s-samples-by-place", "symbol");
	await allShown("modules.html", "s-samples-by-place", "module");
	await allShown("instances.html", "s-values", "instance");
	await allShown("programs.html", "s-by-program", "name");
}
