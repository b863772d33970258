/* bill.js - the page of a bill, or of what was sampled. */
const Bill = (() => {
	const { make, integer, name } = Words;
	const LINES = 8; /* of a chart */

	/* --- lines and columns --- */

	/*
	 * The lines of the main table: of the bill, or of samples where there is no bill; lanes and
	 * switches name lines by their numbers there: main_view() of tools/analyze/html.c.
	 */
	function model({ report, page }, isBill = report.groups.length > 0 || !report.sampling) {
		const plural = { process: "processes", thread: "threads", comm: "comms" }[report.by];
		const lines = isBill ? report.lines : report.sampling[plural];
		const rows = lines.map((line, at) => {
			const slot = line.kind !== "task" ? Colours.KINDS[line.kind] : at < page.slots ? at : Colours.REST;

			return Object.assign({ slot, ns: line.on_cpu_ns }, line,
				isBill ? {} : { values: line.events, samples: line.samples });
		});
		const counters = isBill ? report.counters.map((c, at) => ({ name: c.name, at, isPlain: page.plain[at] })) :
			report.sampling.events.map((e, at) => ({ name: `${e.name} (estimated)`, at, isPlain: !page.events[at].periods }));

		return { report, page, isBill, rows, counters, metrics: isBill ? page.metrics : [] };
	}

	function lineName(m, row) {
		const named = (name, id) => id === null ? name : `${name} (${id})`;

		if (m.report.by === "comm")
			return row.comm;
		if (row.kind !== "task")
			return row.process;
		return m.report.by === "thread" ? named(row.thread, row.tid) : named(row.process, row.pid);
	}

	function slotName(m, slot) {
		const row = slot < Colours.TASKS ? m.rows[slot] : m.rows.find(r => r.kind !== "task" && r.slot === slot);
		const words = { [Colours.REST]: "(the rest)", [Colours.IDLE]: "(idle)", [Colours.WITH_IDLE]: "(with idle)",
			[Colours.INTERRUPTS]: "(interrupts)", [Colours.UNATTRIBUTED]: "(unattributed)", [Colours.OTHERS]: "(other processes)" };

		return name(row ? lineName(m, row) : words[slot] || "");
	}

	function ratio(metric, values) {
		const over = Number(values[metric.denominator]), above = values[metric.numerator];

		return over > 0 && above !== null ? Number(above) / over * metric.scale : null;
	}

	function columns(m) {
		const by = m.report.by, text = (title, key) => ({ title, isText: true, get: r => r[key], key });
		const number = (title, key) => ({ title, get: r => r[key], show: integer, key });
		const id = key => ({ title: key, get: r => r[key], show: String, key, isKey: true });
		const first = by === "comm" ? [text("program", "comm"), number("processes", "processes"), number("threads", "threads")] :
			by === "thread" ? [text("process", "process"), text("thread", "thread"), id("pid"), id("tid")] :
				[text("process", "process"), id("pid"), number("threads", "threads")];
		const rest = [];

		if (!m.isBill)
			rest.push({ title: "samples", get: r => r.samples, show: integer, key: "samples" });
		if (m.rows.some(r => r.ns !== null)) {
			rest.push({ title: "switches", get: r => r.switches, show: integer, key: "switches" });
			rest.push({ title: "on-CPU ms", get: r => r.ns, show: Words.milliseconds, key: "on_cpu_ns",
				title2: ns => ns === null || ns === undefined ? "" : `${integer(ns)} ns` });
		}
		const heaviest = m.isBill ? m.page.heaviest : m.counters.findIndex(c => !c.isPlain);
		const shareOf = heaviest === undefined || heaviest < 0 ? r => r.ns : r => r.values[heaviest];
		rest.push({ title: "share", key: "share", get: r => m.all ? Number(shareOf(r) || 0) / m.all * 100 : null, show: v => `${v.toFixed(1)} %` });
		m.shareOf = shareOf;
		m.shareNote = m.rows.some(shareOf) ? make("p", { class: "note" },
			`Share is of ${heaviest >= 0 && m.counters[heaviest] ? name(m.counters[heaviest].name) : "on-CPU time"}.`) : null;
		for (const c of m.counters.filter(c => !c.isPlain))
			rest.push({ title: name(c.name), get: r => r.values[c.at], show: integer, key: c.name });
		for (const metric of m.metrics)
			rest.push({ title: metric.name, hint: metric.unit, key: metric.name,
				get: r => r.kind === "task" || r.kind === "total" ? ratio(metric, r.values) : null,
				show: v => `${v < 1000 ? v.toFixed(3) : integer(Math.round(v))}${metric.unit ? ` ${metric.unit}` : ""}` });
		return first.concat(rest);
	}

	/* What no line has a number of, has no total. */
	function total(m, rows) {
		const add = get => {
			const sum = new Data.Sum(), numbers = rows.map(get).filter(v => v !== null && v !== undefined);

			numbers.forEach(v => sum.add(v));
			return numbers.length || !rows.length ? sum.value : null;
		};

		return { kind: "total", process: "total", comm: "total", switches: add(r => r.switches), ns: add(r => r.ns),
			samples: add(r => r.samples), values: m.counters.map((c, at) => add(r => r.values[at])) };
	}

	/* Falls of counters are not part of the whole. */
	function setRows(m, rows) {
		const sum = total(m, rows);

		m.all = Number(m.shareOf(sum) || 0);
		m.table.setRows(rows, sum);
	}

	/* --- a part of the time --- */

	/* Does the page have the counter over time?  There may be too many, or too many groups. */
	function isOverTime(m, at) {
		const { groups, books_left_out: leftOut } = m.page;
		const group = m.isBill ? groups.find(g => at >= g.first && at < g.first + g.slots) : m.page.events[at];
		const book = m.books.find(b => b.of === (m.isBill ? "group" : "event") && group && b.id === group.id);

		return book ? !m.isBill || at - group.first < book.counters : !leftOut;
	}

	/* Counters of all books, in the order of the table. */
	function rowOf(m, sums, slot) {
		const row = { switches: 0, ns: 0, samples: 0, values: m.counters.map((c, at) => m.overTime[at] ? 0 : null) };

		m.books.forEach((book, at) => {
			const values = sums[at][slot];

			if (book.of === "group") {
				const g = m.page.groups.findIndex(x => x.id === book.id);

				if (g < 0)
					return;
				if (g === m.page.reference)
					[row.switches, row.ns] = values;
				for (let c = 0; c < book.counters; c++)
					row.values[m.page.groups[g].first + c] = values[2 + c];
			} else if (book.of === "event" && !m.isBill) {
				const e = m.page.events.findIndex(x => x.id === book.id);

				if (e >= 0) {
					row.samples += values[0];
					row.values[e] = values[2];
				}
			} else if (book.of === "time" && !m.isBill) {
				[row.switches, row.ns] = values;
			}
		});
		return row;
	}

	function partRows(m, from, to) {
		const sums = m.sums.of(from, to), rows = [], seen = new Set();
		const isNothing = row => !row.switches && !row.ns && !row.samples && row.values.every(v => !v);
		const left = m.rows.filter(r => r.kind === "task").length - m.page.slots;

		for (const line of m.rows) {
			if (line.slot === Colours.REST || seen.has(line.slot))
				continue;
			seen.add(line.slot);
			const row = Object.assign({}, line, rowOf(m, sums, line.slot), { threads: null, processes: null });
			if (line.kind !== "task" || !isNothing(row))
				rows.push(row);
		}
		if (left > 0) {
			const words = `(the other ${integer(left)} lines)`;

			rows.push(Object.assign(rowOf(m, sums, Colours.REST), { kind: "others", slot: Colours.REST, process: words,
				comm: words, pid: null, tid: null }));
		}
		return rows;
	}

	function showPart(m) {
		const { selection } = m.view, words = document.getElementById("selected");

		if (!selection || !m.books.length) {
			words.textContent = m.books.length && m.end > 0 ? "Drag, or press Shift and an arrow key, to select a part of the time: the table is then of that part." : "";
			setRows(m, m.rows);
			return;
		}
		const part = m.sums.snap(selection.from, selection.to), first = BigInt(m.page.first_ns);
		const at = ns => (first + BigInt(Math.round(ns))).toString();

		words.textContent = `Selected: ${Words.time(part.from)} to ${Words.time(part.to)}, ${Words.duration(part.to - part.from)}` +
			(part.isExact ? ", to the nanosecond." : `; its edges are those of buckets of ${Words.duration(part.width)}.`) +
			` The same in a terminal: --from ${at(part.from)} --to ${at(part.to)}`;
		setRows(m, partRows(m, part.from, part.to));
	}

	/* --- charts --- */

	/*
	 * What can be drawn: a column of a book per nanosecond times `scale`, or the ratio of two,
	 * `column` and `under`; and what is to be known of it.
	 */
	function choices(m) {
		const list = [];
		const rate = (book, title, column, scale = 1e9, note = "") => list.push({ book, title, column, scale, note, show: Words.rough });
		const inUse = (book, title) => rate(book, title, 1, 1,
			"Each interval counts in full where it ends, so a step can show more CPUs in use than there are.");

		for (const book of m.books) {
			if (book.of === "group") {
				const g = m.page.groups.findIndex(x => x.id === book.id);
				const first = g < 0 ? Infinity : m.page.groups[g].first;
				const has = at => at >= first && at < first + book.counters;

				m.counters.filter(c => m.isBill && !c.isPlain && has(c.at))
					.sort((a, b) => (b.at === m.page.heaviest) - (a.at === m.page.heaviest))
					.forEach(c => rate(book, `${name(c.name)} per second`, 2 + c.at - first));
				m.metrics.filter(x => has(x.numerator) && has(x.denominator)).forEach(x => list.push({ book,
					title: x.name + (x.unit ? `, ${x.unit}` : ""), show: Words.rough, scale: x.scale,
					column: 2 + x.numerator - first, under: 2 + x.denominator - first }));
				if (g === m.page.reference) {
					inUse(book, "CPUs in use");
					rate(book, "switches per second", 0);
				}
			} else if (book.of === "event") {
				const e = (m.page.events || []).findIndex(x => x.id === book.id);

				if (e < 0)
					continue;
				const event = m.report.sampling.events[e];
				if (m.page.events[e].periods)
					rate(book, `${name(event.name)} per second, estimated`, 2);
				rate(book, `samples of ${name(event.name)} per second`, 0);
			} else {
				inUse(book, "CPUs in use, by SWITCH records");
			}
		}
		return list;
	}

	function weight({ columns }, choice) {
		let sum = 0;

		for (const value of columns[choice.under === undefined ? choice.column : choice.under])
			sum += Math.abs(Number(value));
		return sum;
	}

	/* The heaviest slots have lines of their own; ratios of the others say nothing. */
	function showChart(m, choice) {
		const { book } = choice;
		const weights = book.slots.map((slot, at) => at === Colours.IDLE ? 0 : weight(slot, choice));
		const order = weights.map((w, slot) => slot).filter(slot => weights[slot] > 0)
			.sort((a, b) => weights[b] - weights[a]);
		const own = order.slice(0, LINES), rest = order.slice(LINES);
		const lines = own.map(slot => ({ slot, name: slotName(m, slot), of: [slot] }));

		if (rest.length && choice.under === undefined) {
			const line = lines.find(l => l.slot === Colours.REST);

			if (line)
				line.of.push(...rest);
			else
				lines.push({ slot: Colours.REST, name: "(the rest)", of: rest });
		}
		m.chart.setLines(choice, lines);
		m.chartNote.textContent = choice.note || "";
	}

	/* --- the page --- */

	function detailNote(m) {
		const { page } = m, parts = [];

		if (page.lanes && page.lanes.left_out)
			parts.push(`Only the first ${integer(page.lanes.cpus.length)} CPUs have lanes.`);
		if (m.overTime.some(has => !has))
			parts.push(`There are more counters than the page has over time: ${m.overTime.filter(has => !has).length} counters have no sums of a selection.`);
		if (m.switches && !m.switches.isAll)
			parts.push(`Single switches are in the page up to ${Words.time(m.switches.to)}; later ones are in buckets. ` +
				"For those of another part, make a page with --from and --to.");
		else if (m.switches)
			parts.push("All single switches are in the page.");
		m.note.textContent = parts.join(" ");
	}

	function timeline(m) {
		const lanes = m.page.lanes, first = BigInt(m.page.first_ns || "0");
		const from = m.page.from_ns ? Number(BigInt(m.page.from_ns) - first) : 0;
		const end = Number(BigInt(m.page.last_ns || "0") - first);
		const to = m.page.to_ns ? Math.min(end, Number(BigInt(m.page.to_ns) - first)) : end;

		m.end = end;
		m.view = new View(Math.max(0, from), Math.max(to, Math.max(0, from) + 1));
		m.lanes = new Lanes(m.view, lanes ? lanes.cpus : [], {
			ofSlot: slot => slotName(m, slot),
			ofSwitch: (s, n) => {
				const [line, tid] = s.threads[s.thread[n]];
				const kind = ["", " (with idle)", " (interrupt)", " (unattributed)"][s.kind[n] & 7];

				return `${line === null ? "?" : name(lineName(m, m.rows[line]))}${tid === null ? "" : ` tid ${tid}`}${kind}`;
			},
		});
		m.chart = new Chart(m.view);
		m.select = make("select", { "aria-label": "what the chart shows" });
		m.chartNote = make("p", { class: "note" });
		m.note = make("p", { class: "note" });
	}

	async function read(m) {
		const { page } = m, first = BigInt(page.first_ns || "0"), levels = page.lanes ? page.lanes.levels : [];

		m.books = await Promise.all((page.books || []).map(b => Data.readBook(b, Colours.SLOTS, first)));
		m.overTime = m.counters.map((c, at) => isOverTime(m, at));
		if (levels.length)
			m.lanes.levels.push(await Data.readLanes(levels[levels.length - 1], page.lanes.cpus, first));
		m.sums = new Sums(m.books, { unproven: m.report.unproven === "switched-out",
			withIdle: m.report.with_idle === "thread" || m.report.unproven === "switched-out",
			interrupts: m.report.interrupts_to === "thread" });
	}

	/* What the first picture does not need. */
	async function readMore(m) {
		const { page } = m, first = BigInt(page.first_ns || "0"), levels = page.lanes ? page.lanes.levels : [];

		if (page.switches) {
			m.switches = await Data.readSwitches(page.switches, m.books, first, m.end + 1);
			m.switches.slots = m.switches.threads.map(([line, tid]) =>
				line !== null ? m.rows[line].slot : tid === null ? Colours.UNATTRIBUTED : Colours.REST);
			m.sums.switches = m.lanes.switches = m.switches;
		}
		for (const level of levels.slice(0, -1))
			m.lanes.levels.push(await Data.readLanes(level, page.lanes.cpus, first));
		detailNote(m);
		m.view.changed();
	}

	/* The table that --by asked for, where lines are not those of lanes: of the whole time. */
	function showCut(m) {
		const { cut } = m.report;

		if (!cut)
			return;
		if (cut.by === "interrupt") {
			Report.plainTable("Interrupts", m.report.interrupts);
			return;
		}
		const table = new Table(`${m.isBill ? "Bill" : "Sampled,"} by ${cut.by}`, cutColumns(m), { top: m.page.top });

		table.setRows(cutRows(m, cut));
		Report.section({ cpu: "By CPU", tree: "By tree", cgroup: "By control group" }[cut.by], table.element);
	}

	/* Lines of a tree follow their parents: how deep each is. */
	function cutRows(m, cut) {
		const above = [];

		return cut.lines.map(line => {
			const row = Object.assign({ kind: "task" }, line, m.isBill ? {} : { values: line.events });

			if (cut.by === "tree") {
				while (above.length && (line.parent_pid === null || above[above.length - 1] !== line.parent_pid))
					above.pop();
				row.depth = above.length;
				above.push(line.pid);
			}
			return row;
		});
	}

	function cutColumns(m) {
		const { by } = m.report.cut, isTree = by === "tree";
		const number = (title, key) => ({ title, get: r => r[key], show: integer });
		const time = (title, key) => ({ title, get: r => r[key], show: Words.milliseconds,
			title2: ns => ns === null || ns === undefined ? "" : `${integer(ns)} ns` });
		const first = by === "cpu" ? [{ title: "CPU", get: r => r.cpu, show: String, isKey: true }] :
			[{ title: isTree ? "process" : "control group", isText: true, get: r => r[isTree ? "process" : "cgroup"],
				indent: isTree ? r => r.depth : undefined }];

		if (isTree)
			first.push({ title: "pid", get: r => r.pid, show: String, isKey: true });
		if (by === "cgroup")
			first.push(number("processes", "processes"));
		if (by !== "cpu")
			first.push(number("threads", "threads"));
		if (!m.isBill)
			first.push(number("samples", "samples"));
		if (m.report.cut.lines.some(r => r.on_cpu_ns !== null))
			first.push(number("switches", "switches"), time("on-CPU ms", "on_cpu_ns"));
		if (isTree && m.isBill)
			first.push(time("tree on-CPU ms", "tree_on_cpu_ns"));
		return first.concat(m.counters.filter(c => !c.isPlain).flatMap(c => {
			const own = { title: name(c.name), get: r => r.values[c.at], show: integer };

			return isTree && m.isBill ?
				[own, { title: `tree ${name(c.name)}`, hint: "with all below it", get: r => r.tree_values[c.at], show: integer }] : [own];
		}));
	}

	function showTables(m) {
		const { report } = m;

		if (!report.cut || report.cut.by !== "interrupt")
			Report.plainTable("Interrupts", report.interrupts);
		if (report.places)
			Report.plainTable("Samples by place", report.places.map(line => {
				const row = Object.assign({}, line);

				report.sampling.events.forEach((e, at) => { row[`${e.name} (estimated)`] = (line.events || [])[at]; });
				return row;
			}), ["kind"]);
		if (m.isBill && report.sampling) {
			const title = "Sampled, not read at switches", sampled = model(m, false);

			sampled.table = new Table(title, columns(sampled), { top: m.page.top });
			Report.section(title, sampled.shareNote, sampled.table.element);
			setRows(sampled, sampled.rows);
		}
		if (report.stat)
			Report.stat(report.stat);
		Report.judged(report, m.page);
		Report.findings(report.findings);
	}

	async function show(document_) {
		const m = model(document_), { report, page } = m;
		const hasLanes = page.lanes && page.lanes.cpus.length;

		Report.facts(report.trace, page);
		timeline(m);
		m.table = new Table(m.isBill ? `Bill by ${report.by}` : `Sampled, by ${report.by}`, columns(m),
			{ top: page.top, swatch: Colours.swatch });
		await read(m);
		const list = choices(m);
		if (m.end > 0 && (hasLanes || list.length))
			Report.section("Over time", Report.buttons(m.view), hasLanes ? m.lanes.element : null,
				list.length ? make("div", { class: "bar noprint" }, make("label", {}, "chart: ", m.select)) : null,
				list.length ? m.chart.element : null, m.chartNote, m.note);
		showCut(m);
		const isBilled = !m.isBill || report.groups.length || m.rows.some(r => r.kind === "task");
		m.section = Report.section(m.isBill ? "Bill" : "Samples", isBilled ? null : make("p", {}, "Nothing to bill: no switch with counters was recorded."),
			make("p", { id: "selected", "aria-live": "polite" }), m.shareNote, m.table.element);
		m.select.replaceChildren(...list.map((c, at) => make("option", { value: String(at) }, c.title)));
		m.select.addEventListener("change", () => showChart(m, list[Number(m.select.value)]));
		if (m.end > 0 && list.length)
			showChart(m, list[0]);
		m.view.onChange(isSelection => {
			m.lanes.draw();
			m.chart.draw();
			if (isSelection)
				showPart(m);
		});
		showPart(m);
		showTables(m);
		m.view.flush();
		const redraw = () => {
			if (m.end > 0 && list.length)
				showChart(m, list[Number(m.select.value) || 0]);
			m.table.draw();
			m.view.flush();
		};
		Colours.onChange(redraw);
		window.addEventListener("resize", () => m.view.changed());
		Page.drawn();
		await readMore(m);
		return m;
	}

	return { show };
})();
