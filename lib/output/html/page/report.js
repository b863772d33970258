/* report.js - what is said about a trace: facts, rules, findings, how intervals were judged. */
const Report = (() => {
	const { make, integer, name } = Words;

	function section(title, ...content) {
		const id = `s-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
		const element = make("section", { "aria-labelledby": id }, make("h2", { id }, title), ...content);

		document.getElementById("main").append(element);
		return element;
	}

	function utc(trace, page) {
		if (!page.wall_offset_ns || !page.first_ns)
			return null;
		const ms = Number((BigInt(page.first_ns) + BigInt(page.wall_offset_ns)) / 1000000n);

		return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : null;
	}

	function facts(trace, page) {
		const length = page.first_ns && page.last_ns ?
			Words.duration(Number(BigInt(page.last_ns) - BigInt(page.first_ns))) : null;
		const pairs = [
			["input", trace.path], ["format", trace.format],
			["status", trace.status === "complete" ? null : trace.status],
			["length", length], ["recorded", utc(trace, page)], ["host", trace.host],
			["system", [trace.os_release, trace.arch].filter(Boolean).join(" ")],
			["CPUs", trace.cpu_count], ["CPU model", trace.cpu_model],
			["recorder", trace.recorder], ["command", trace.command],
		].filter(([, value]) => value !== null && value !== undefined && value !== "");
		const list = make("dl", {}, ...pairs.map(([title, value]) =>
			make("div", {}, make("dt", {}, title), make("dd", {}, make("bdi", {}, name(value))))));
		const file = trace.path === "-" ? "standard input" : String(trace.path || "").split("/").pop();

		document.getElementById("facts").replaceChildren(list);
		document.getElementById("title").textContent = name(file || "perftab");
		return length;
	}

	/* What moves and zooms the view, and what it shows. */
	function buttons(view) {
		const range = make("span", { class: "range", "aria-live": "polite" });
		const button = (text, label, run) => {
			const element = make("button", { type: "button", "aria-label": label, title: label }, text);

			element.addEventListener("click", run);
			return element;
		};

		view.onChange(() => {
			const length = view.to - view.from;

			range.textContent = `${Words.time(view.from, length / 1000)} to ${Words.time(view.to, length / 1000)} ` +
				`(${Words.duration(length)})`;
		});
		return make("div", { class: "bar noprint", role: "toolbar", "aria-label": "time" },
			button("−", "zoom out (-)", () => view.zoom(2)), button("+", "zoom in (+)", () => view.zoom(0.5)),
			button("←", "earlier (left arrow)", () => view.pan(-0.25)), button("→", "later (right arrow)", () => view.pan(0.25)),
			button("all", "the whole time (0)", () => view.show(view.whole.from, view.whole.to)),
			button("zoom to selection", "zoom to the selection (Enter)",
				() => view.selection && view.show(view.selection.from, view.selection.to)),
			button("clear selection", "clear the selection (Escape)", () => view.select(0)), range);
	}

	/* The words of tools/analyze/text_pages.c. */
	function rule(report) {
		if (report.unproven === "switched-out")
			return "Every interval is charged to the thread switched out, proven or not.";
		if (report.with_idle === "thread")
			return "An interval is charged to a thread if no other but idle can have run in it; the others are (unattributed).";
		return "An interval is charged to a thread if it is proven to be that thread's alone; the others are (with idle) or (unattributed).";
	}

	function findings(list) {
		const order = ["damage", "warning", "info"];
		const sorted = (list || []).slice().sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));

		if (!sorted.length)
			return;
		section("Findings", make("ul", { class: "findings" }, ...sorted.map(f =>
			make("li", { class: order.includes(f.severity) ? f.severity : "" },
				make("strong", {}, name(f.severity)), " ", make("bdi", {}, name(f.text)),
				` (${integer(f.count)}${f.first_offset === null || f.first_offset === undefined ? "" :
					`, ${f.count > 1 ? "the first at" : "at"} 0x${BigInt(f.first_offset).toString(16)}`})`))));
	}

	function judged(report, page) {
		const rows = (report.groups || []).flatMap(group => group.statuses.map(s => ({
			kind: "task", leader: group.leader, status: s.status,
			words: page.statuses[`${s.status} ${s.reason}`] || s.reason,
			switches: s.switches, ns: s.on_cpu_ns })));

		if (!rows.length)
			return;
		const table = new Table("Intervals by what they prove", [
			{ title: "group", isText: true, get: r => r.leader },
			{ title: "status", isText: true, get: r => r.status },
			{ title: "meaning", isText: true, get: r => r.words },
			{ title: "switches", get: r => r.switches, show: integer },
			{ title: "on-CPU ms", get: r => r.ns, show: Words.milliseconds },
		]);
		const words = { separate: "kept apart", "switched-out": "charged to the thread switched out", thread: "charged to the thread" };

		table.setRows(rows);
		section("How the numbers were judged", make("p", {}, rule(report)),
			make("p", {}, `Unproven intervals: ${words[report.unproven] || ""}. Shared with idle: ${words[report.with_idle] || ""}. ` +
				`Interrupts, where recorded: ${words[report.interrupts_to] || ""}.`), table.element);
	}

	/* The words of text_counts() of tools/analyze/text_estimate.c. */
	function stat({ counts, time_ns: time }) {
		const isByCpu = counts.some(c => "cpu" in c), isScaled = counts.some(c => c.scaled);
		const never = counts.reduce((sum, c) => sum + c.never_counted, 0);
		const ms = (title, key) => ({ title, get: r => r[key], show: Words.milliseconds });
		const table = new Table("Counted by perf stat", [
			isByCpu && { title: "cpu", get: r => r.cpu, show: String, none: "any", isKey: true },
			{ title: "event", isText: true, get: r => r.unit === "ns" ? `${r.event} (ns)` : r.event },
			{ title: "counted", get: r => r.estimate === null ? null : r.counted, show: integer, none: "not counted" },
			isScaled && { title: "estimate", get: r => r.scaled ? r.estimate : null, show: v => `~${integer(v)}` },
			ms("enabled ms", "enabled_ns"), ms("counting ms", "running_ns"),
			{ title: "of the time", show: v => `${v.toFixed(2)} %`,
				get: r => Number(r.enabled_ns) ? Number(r.running_ns) * 100 / Number(r.enabled_ns) : null },
		].filter(Boolean), { top: 100 });

		table.setRows(counts.map(c => Object.assign({ kind: "task" }, c)));
		section("Counted by perf stat", make("p", {}, `In total of the whole recording${time === null ? "" :
			` of ${(Number(time) / 1e9).toFixed(3)} s`}${isByCpu ? "" : ", all CPUs and threads together"}.`),
		isScaled ? make("p", {}, "Estimates (~): counters took turns on the PMU, so these counted only part of the time; an estimate is " +
			"what was counted * time enabled / time counting, of each CPU and thread.") : null,
		never ? make("p", {}, `On ${integer(never)} CPUs or threads of an event its counter never got onto the PMU; they are in no sum.`) : null,
		table.element);
	}

	/* Any list of objects: a column for each member. */
	function plainTable(title, rows, skip = []) {
		if (!rows || !rows.length)
			return;
		const keys = Object.keys(rows[0]).filter(key => !skip.includes(key) && typeof rows[0][key] !== "object" ||
			(rows[0][key] === null && rows.some(r => r[key] !== null)));
		const columns = keys.map(key => {
			const isText = rows.some(r => typeof r[key] === "string");

			return { title: key, isText, get: r => r[key],
				show: isText ? name : v => typeof v === "number" && !Number.isInteger(v) ? String(v) : integer(v) };
		});
		const table = new Table(title, columns, { top: 100 });

		table.setRows(rows.map(r => Object.assign({ kind: "task" }, r)));
		section(title, table.element);
	}

	return { section, facts, buttons, rule, findings, judged, stat, plainTable };
})();
