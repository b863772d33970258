/*
 * access.mjs - pages without a mouse, and for screen readers: everything that does something is reached
 * and done by keys alone, and the table has names and roles.
 */
import { equal, holds, process_, sameSelection, sameSums, csv, selectedPart, SHIFT, state, tab, table, visit } from "./look.mjs";

const LEAST_CONTRAST = 4.5; /* WCAG 2, level AA */

/* --- by keys alone --- */

/* Tab, or Shift and Tab, until the element has the focus: never by a script. */
async function tabTo(selector, modifiers = 0) {
	for (let i = 0; i < 80; i++) {
		if (await tab.value(`document.activeElement.matches(${JSON.stringify(selector)})`))
			return true;
		await tab.key("Tab", modifiers);
	}
	holds(`Tab reaches ${selector}`, false);
	return false;
}

async function pressed(selector, key = "Enter") {
	await tabTo(selector);
	await tab.key(key);
}

/* The keys of the page's own list, where the focus is. */
async function keysOf(what) {
	const { whole } = await state(), length = now => now.to - now.from;
	const after = async (key, modifiers) => { await tab.key(key, modifiers); return state(); };
	const close = (a, b) => Math.abs(a - b) < 2;

	let now = await after("=");
	holds(`${what}: =`, close(length(now) * 2, whole.to - whole.from), JSON.stringify(now));
	now = await after("+");
	holds(`${what}: +`, close(length(now) * 4, whole.to - whole.from), JSON.stringify(now));
	const { from } = now, page = length(now) * 0.9;
	now = await after("PageDown");
	holds(`${what}: Page Down`, close(now.from, Math.min(from + page, whole.to - length(now))) && now.from > from, JSON.stringify(now));
	now = await after("Home");
	equal(`${what}: Home`, [now.from, close(length(now) * 4, whole.to - whole.from)], [whole.from, true]);
	now = await after("End");
	equal(`${what}: End`, [now.to, close(length(now) * 4, whole.to - whole.from)], [whole.to, true]);
	const last = now.from;
	now = await after("PageUp");
	holds(`${what}: Page Up`, close(now.from, Math.max(last - page, whole.from)), JSON.stringify(now));
	const before = (await after("Home")).from;
	now = await after("ArrowRight");
	holds(`${what}: right`, close(now.from - before, length(now) * 0.1), JSON.stringify(now));
	now = await after("ArrowLeft");
	holds(`${what}: left`, close(now.from, before), JSON.stringify(now));
	now = await after("-");
	holds(`${what}: -`, close(length(now) * 2, whole.to - whole.from), JSON.stringify(now));
	now = await after("0");
	equal(`${what}: 0`, [now.from, now.to], [whole.from, whole.to]);
	const middle = (whole.from + whole.to) / 2, step = (whole.to - whole.from) / 20;
	now = await after("ArrowLeft", SHIFT);
	holds(`${what}: Shift and left`, now.selection && close(now.selection.from, middle - step) && close(now.selection.to, middle), JSON.stringify(now.selection));
	await tab.key("Escape");
	for (let i = 1; i < 4; i++) {
		now = await after("ArrowRight", SHIFT);
		holds(`${what}: Shift and right, ${i}`, now.selection && close(now.selection.from, middle) && close(now.selection.to, middle + i * step),
			JSON.stringify(now.selection));
	}
	await sameSelection(`${what}, by keys`, "bill.data");
	const { selection } = now;
	now = await after("Enter");
	equal(`${what}: Enter`, [now.from, now.to], [selection.from, selection.to]);
	now = await after("Escape");
	holds(`${what}: Escape`, !now.selection);
	await tab.key("0");
	await tab.value("document.activeElement.blur()");
}

async function toolbar() {
	const { whole } = await state(), length = async () => { const now = await state(); return now.to - now.from; };
	const button = label => `[role=toolbar] button[aria-label^="${label}"]`;

	await pressed(button("zoom in"));
	holds("button: zoom in", Math.abs(await length() * 2 - (whole.to - whole.from)) < 2);
	const { from } = await state();
	await pressed(button("later"), " ");
	holds("button: later", (await state()).from > from);
	await pressed(button("the whole time"));
	holds("button: all", Math.abs(await length() - (whole.to - whole.from)) < 2);
	await tabTo(".lanes canvas");
	await tab.key("ArrowRight", SHIFT);
	const part = await selectedPart();
	holds("button: a part is selected", part);
	await tabTo(button("zoom to the selection"), SHIFT);
	await tab.key("Enter");
	holds("button: zoom to the selection", await length() < (whole.to - whole.from) / 10);
	await pressed(button("clear the selection"));
	equal("button: clear the selection", await selectedPart(), null);
	await tabTo(button("the whole time"), SHIFT);
	await tab.key("Enter");
	await tab.value("document.activeElement.blur()");
}

async function chartByKeys() {
	const title = await tab.value("document.querySelector('.plot').getAttribute('aria-label')");

	await tabTo("select");
	await tab.key("ArrowDown");
	holds("the chart by keys", await tab.value("document.querySelector('.plot').getAttribute('aria-label')") !== title, title);
	await tab.key("ArrowUp");
	await tabTo(".plot");
	await keysOf("chart");
	await pressed(".legend button", " ");
	equal("a line of the chart by keys", await tab.value("[document.querySelector('.legend button').getAttribute('aria-pressed'), Page.model.chart.plot.series[1].show]"),
		["false", false]);
	await tab.key(" ");
	equal("the line is back", await tab.value("[document.querySelector('.legend button').getAttribute('aria-pressed'), Page.model.chart.plot.series[1].show]"),
		["true", true]);
}

async function tableByKeys() {
	await tabTo("#s-bill ~ .table input");
	for (const letter of "work-1")
		await tab.key(letter);
	holds("filter by keys", (await table()).every(row => row.process.includes("work-1")));
	await tab.key("Escape");
	await sameSums("the filter is cleared by keys", "bill.csv", process_);
	const heads = await tab.value("[...document.querySelectorAll('#s-bill ~ .table thead button')].map(b => b.textContent)");
	await tabTo("#s-bill ~ .table thead th:nth-child(4) button");
	for (const way of ["descending", "ascending"]) {
		await tab.key("Enter");
		equal(`sorted by keys: ${way}`, await tab.value("[...document.querySelectorAll('#s-bill ~ .table th[aria-sort]')].map(h => [h.textContent, h.getAttribute('aria-sort')])"),
			[[heads[3], way]]);
	}
	await pressed("summary");
	holds("the list of keys opens", await tab.value("document.querySelector('details').open && document.getElementById('keys').getBoundingClientRect().height > 0"));
}

export async function keyboard() {
	await visit("bill.html");
	await tabTo(".lanes canvas");
	await keysOf("lanes");
	await toolbar();
	await chartByKeys();
	await tableByKeys();
	equal("errors", tab.errors, []);

	/* More lines: the focus stays in the table, though the button is gone. */
	await visit("lines.html");
	holds("lines: some are not shown", await tab.value("document.querySelectorAll('#s-bill ~ .table tbody tr').length") < csv("lines.csv").length);
	await pressed("#s-bill ~ .table > button");
	await sameSums("lines: all, by keys", "lines.csv", process_);
	holds("lines: the focus is still in the table", await tab.value("document.querySelector('#s-bill ~ .table').contains(document.activeElement)"));

	await visit("perflib.html");
	await tabTo(".plot");
	await tab.key("ArrowRight", SHIFT);
	holds("values: a part by keys", /^Selected/.test(await tab.value("document.getElementById('selected').textContent")));
	await tab.key("Escape");
	holds("values: cleared by keys", !/^Selected/.test(await tab.value("document.getElementById('selected').textContent")));
}

/* --- to a screen reader --- */

/* The browser's own tree of what it would say: { role, name, isFocusable, id }. */
async function tree() {
	await tab.send("Accessibility.enable", {});
	const { nodes } = await tab.send("Accessibility.getFullAXTree", {});

	return nodes.filter(n => !n.ignored).map(n => ({ role: n.role.value, name: (n.name?.value || "").trim(),
		isFocusable: (n.properties || []).some(p => p.name === "focusable" && p.value.value) }));
}

/* Every stop of Tab, in order, until the focus has left the page. */
async function stops() {
	const seen = [];

	await tab.value("document.activeElement.blur()");
	for (let i = 0; i < 200; i++) {
		await tab.key("Tab");
		const stop = await tab.value(`(() => {
			const e = document.activeElement, all = [...document.querySelectorAll("*")];
			if (e === document.body || e === document.documentElement)
				return null;
			const style = getComputedStyle(e), box = e.getBoundingClientRect();
			return { at: all.indexOf(e), what: e.tagName + " " + (e.getAttribute("aria-label") || e.textContent).slice(0, 30),
				outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0, isShown: box.width > 0 && box.height > 0,
				isInView: box.bottom > 0 && box.top < innerHeight };
		})()`);
		if (!stop || seen.some(s => s.at === stop.at))
			return seen;
		seen.push(stop);
	}
	return seen;
}

/* Elements with a text of their own and too little contrast to what is below it. */
const faint = () => tab.value(`(() => {
	const parts = color => (color.match(/[\\d.]+/g) || []).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const paper = e => {
		for (; e; e = e.parentElement) {
			const color = parts(getComputedStyle(e).backgroundColor);
			if (color.length === 3 || color[3] === 1)
				return color;
		}
		return [255, 255, 255];
	};
	return [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() &&
		[...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
		const a = light(parts(getComputedStyle(e).color)), b = light(paper(e));
		return [e.tagName + " " + e.textContent.slice(0, 20), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
	}).filter(([, contrast]) => contrast < ${LEAST_CONTRAST});
})()`);

/* What holds for every page. */
async function lookAt(page) {
	await visit(page);
	const nodes = await tree(), nameless = nodes.filter(n => n.isFocusable && !n.name && n.role !== "RootWebArea");
	const of = role => nodes.filter(n => n.role === role);

	equal(`${page}: each stop has a name`, nameless, []);
	for (const role of ["banner", "main", "contentinfo"])
		equal(`${page}: ${role}`, of(role).length, 1);
	equal(`${page}: headings of the first level`, of("heading").filter(n => n.name).length > 0 && await tab.value("document.querySelectorAll('h1').length"), 1);
	equal(`${page}: images without words`, of("image").concat(of("img"), of("Canvas")).filter(n => !n.name), []);
	equal(`${page}: regions`, of("region").filter(n => !n.name), []);
	const tables = await tab.value("[...document.querySelectorAll('table caption')].map(c => c.textContent)");
	equal(`${page}: tables have names`, of("table").map(n => n.name), tables);
	equal(`${page}: language, ids, scopes`, await tab.value(`[document.documentElement.lang, document.title !== "",
		[...document.querySelectorAll("[id]")].map(e => e.id).filter((id, at, all) => all.indexOf(id) !== at),
		document.querySelectorAll("th:not([scope])").length,
		[...document.querySelectorAll("[aria-labelledby], [aria-describedby]")].filter(e =>
			!document.getElementById(e.getAttribute("aria-labelledby") || e.getAttribute("aria-describedby"))).length]`), ["en", true, [], 0, 0]);
	const seen = await stops();
	holds(`${page}: Tab goes in the order of the page`, seen.length > 0 && seen.every((s, i) => i === 0 || s.at > seen[i - 1].at), JSON.stringify(seen.map(s => s.what)));
	equal(`${page}: stops that cannot be seen`, seen.filter(s => !s.outline || !s.isShown || !s.isInView).map(s => s.what), []);
	for (const scheme of ["dark", "light"]) {
		await tab.scheme(scheme);
		equal(`${page}, ${scheme}: faint texts`, await faint(), []);
	}
	return { nodes, of };
}

export async function accessible() {
	for (const page of ["sampled", "perflib", "diff", "empty", "header", "lossy", "tree"])
		await lookAt(`${page}.html`);
	const { nodes, of } = await lookAt("bill.html"), lines = csv("bill.csv");
	const names = role => of(role).map(n => n.name);

	/* The table, line by line. */
	const bill = new Set(names("rowheader"));
	for (const line of lines)
		holds(`a row header ${line.process}`, bill.has(line.process), [...bill].slice(0, 50).join(" "));
	for (const title of ["process", "pid", "switches", "on-CPU ms", "cycles:HG"])
		holds(`a column header ${title}`, names("columnheader").includes(title), names("columnheader").join(" "));
	holds("numbers are cells", lines.every(line => nodes.some(n => n.role === "cell" && n.name.replace(/,/g, "") === line["cycles:HG"])));
	for (const [role, pattern] of [["toolbar", /^time$/], ["image", /^4 CPUs, .*the table has what each process cost/],
		["image", /:HG per second over time; the table has the sums/], ["searchbox", /^filter: Bill by process/],
		["combobox", /what the chart shows/], ["button", /^zoom in/], ["group", /^lines of the chart/]])
		holds(`${role} ${pattern}`, names(role).some(name => pattern.test(name)), names(role).join(" | "));
	const keys = await tab.value("[...document.querySelectorAll('[aria-describedby=keys]')].length");
	holds("lanes and chart have the list of keys", keys === 2);

	/* What changes is said: the selection, the part that is shown, how many lines a filter leaves. */
	for (const selector of ["#selected", ".range", "#s-bill ~ .table .note"])
		equal(`${selector} is said when it changes`, await tab.value(`document.querySelector("${selector}").getAttribute("aria-live")`), "polite");
	const before = names("image").find(name => /CPUs/.test(name));
	await tab.value("Page.model.view.zoom(0.5)");
	await tab.settle();
	const after = (await tree()).find(n => n.role === "image" && /CPUs/.test(n.name))?.name;
	holds("the lanes say which part they show", after && after !== before, after);
}
