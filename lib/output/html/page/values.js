/* values.js - the page of PerfLib values: series over time per instance, and their totals. */
const Values = (() => {
	const { make, integer, name } = Words;
	const LINES = 12; /* of a chart */

	function real(value) {
		if (typeof value === "bigint")
			return integer(value);
		return Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
	}

	function instance(series) {
		return series.instance === null ? "" : name(series.instance);
	}

	/* Counters, each of all instances, those that change first. */
	function counters(document_) {
		const found = new Map();

		document_.series.forEach((series, at) => {
			const key = JSON.stringify([series.counterset, series.counter]);

			if (!found.has(key))
				found.set(key, { title: `${name(series.counterset)}: ${name(series.counter)}`, of: [], moves: 0 });
			found.get(key).of.push(at);
			found.get(key).moves += series.values > 1 && series.min !== series.max;
		});
		return [...found.values()].sort((a, b) => (b.moves > 0) - (a.moves > 0));
	}

	/* Times and values of the points in the view; a line has no value where it has no point. */
	function data(points, view, lines) {
		const times = new Set(), { from, to } = view;
		const first = Math.floor((from - points.start) / points.width) - 1, end = Math.ceil((to - points.start) / points.width) + 1;

		for (const line of lines)
			for (const bucket of line.points.index)
				if (bucket >= first && bucket <= end)
					times.add(bucket);
		const buckets = [...times].sort((a, b) => a - b), places = new Map(buckets.map((b, i) => [b, i]));
		return [buckets.map(b => (points.start + (b + 0.5) * points.width) / 1e9)].concat(lines.map(line => {
			const values = new Array(buckets.length).fill(undefined);

			line.points.index.forEach((bucket, i) => {
				if (places.has(bucket))
					values[places.get(bucket)] = line.points.means[i];
			});
			return values;
		}));
	}

	/* The totals of the points in a part of the time. */
	function part(row, points, from, to) {
		const { index, counts, means } = row.points, found = { values: 0, mean: null, min: null, max: null, last: null };
		let sum = 0;

		index.forEach((bucket, i) => {
			const time = points.start + bucket * points.width;

			if (time < from || time >= to)
				return;
			found.values += counts[i];
			sum += means[i] * counts[i];
			found.min = found.min === null ? means[i] : Math.min(found.min, means[i]);
			found.max = found.max === null ? means[i] : Math.max(found.max, means[i]);
			found.last = means[i];
		});
		if (found.values)
			found.mean = sum / found.values;
		return Object.assign({}, row, found);
	}

	function showPart(m) {
		const { selection } = m.view;

		m.selected.textContent = !m.points ? "" : selection ?
			`Selected: ${Words.time(selection.from)} to ${Words.time(selection.to)}, in steps of ${Words.duration(m.points.width)}.` :
			"Drag, or press Shift and an arrow key, to select a part of the time: the table is then of that part.";
		m.table.setRows(selection && m.points ? m.rows.map(row => part(row, m.points, selection.from, selection.to)) : m.rows);
	}

	function showChart(m, counter) {
		const rows = counter.of.map(at => m.rows[at]).filter(row => row.points && row.points.index.length)
			.sort((a, b) => Math.abs(Number(b.mean || 0)) - Math.abs(Number(a.mean || 0)));
		const lines = rows.slice(0, LINES).map((row, slot) => ({ slot, points: row.points,
			name: `${instance(row) || name(row.counter)}${row.unit ? `, ${row.unit}` : ""}` }));

		m.chart.hidden.clear();
		m.chart.setLines({ title: counter.title, show: Words.rough, data: l => data(m.points, m.view, l) }, lines);
		m.note.textContent = rows.length > LINES ? `The ${LINES} instances with the largest means of ${integer(rows.length)}.` : "";
	}

	function overTime(m, list) {
		const select = make("select", { "aria-label": "what the chart shows" },
			...list.map((c, at) => make("option", { value: String(at) }, c.title)));

		m.note = make("p", { class: "note" });
		m.chart = new Chart(m.view);
		m.redraw = () => showChart(m, list[Number(select.value) || 0]);
		Report.section("Over time", Report.buttons(m.view), make("div", { class: "bar noprint" },
			make("label", {}, "counter: ", select)), m.chart.element, m.note);
		select.addEventListener("change", m.redraw);
	}

	function makeTable(m) {
		const text = key => ({ title: key, isText: true, key, get: r => r[key] === null ? "" : r[key] });
		const number = key => ({ title: key, key, get: r => r[key], show: real });

		m.table = new Table("Values", [text("counterset"), text("instance"), text("counter"), number("mean"), number("min"),
			number("max"), number("last"), text("unit"), { title: "values", key: "values", get: r => r.values, show: integer }],
		{ top: m.page.top || 200 });
		m.selected = make("p", { id: "selected", "aria-live": "polite" });
		Report.section("Values", m.selected, m.table.element);
	}

	async function show(document_) {
		const { page, report } = document_, first = BigInt(page.first_ns || "0");
		const m = { page, report, rows: document_.series.map(s => Object.assign({ kind: "task" }, s)) };
		const list = counters(document_);

		Report.facts(report.trace, page);
		m.view = new View(0, Math.max(1, Number(BigInt(page.last_ns || "0") - first)));
		if (page.points) {
			m.points = await Data.readPoints(page.points, m.rows.length, first);
			m.rows.forEach((row, at) => { row.points = m.points.series[at]; });
		}
		if (m.points && list.length)
			overTime(m, list);
		makeTable(m);
		if (document_.left_out)
			Report.section("Left out", make("p", {}, `${integer(document_.left_out)} series did not fit: choose with --counterset, --counter or --instance.`));
		if (document_.notes.length)
			Report.section("Of note", make("ul", {}, ...document_.notes.map(n =>
				make("li", {}, `${integer(n.count)} ${name(n.status)}: ${name(n.words)}`))));
		Report.findings(report.findings);
		m.view.onChange(isSelection => {
			if (m.chart)
				m.chart.draw();
			if (isSelection)
				showPart(m);
		});
		const redraw = () => {
			if (m.redraw)
				m.redraw();
			m.view.flush();
		};
		showPart(m);
		redraw();
		Colours.onChange(redraw);
		window.addEventListener("resize", () => m.view.changed());
		Page.drawn();
		return m;
	}

	return { show };
})();
