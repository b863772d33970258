/* diff.js - the page of a comparison: both sides run by run, medians, intervals, verdicts. */
const Diff = (() => {
	const { make, integer, name } = Words;
	const ROW = 26, NAME = 190, GAP = 30;

	function percent(value) {
		return `${value < 0 ? "−" : "+"}${Math.abs(value * 100).toFixed(2)} %`;
	}

	function table(diff) {
		const rows = diff.lines.map(line => Object.assign({ kind: "task" }, line));
		const text = (title, key) => ({ title, key, isText: true, get: r => r[key] });
		const number = (title, key, show) => ({ title, key, get: r => r[key], show });
		const made = new Table("Programs compared", [text("name", "name"),
			number("median A", "median_a", v => integer(Math.round(v))), number("median B", "median_b", v => integer(Math.round(v))),
			number("change", "change", percent), number("from", "low", percent), number("to", "high", percent),
			number("p", "p", v => v.toPrecision(2)), text("verdict", "verdict")]);

		made.setRows(rows);
		return made;
	}

	/* A dot: a run; a bar: the median. */
	function runs(context, line, left, width, y) {
		const most = Math.max(...line.a, ...line.b, 1), x = value => left + value / most * width;

		[[line.a, line.median_a, 0, y - 5], [line.b, line.median_b, 1, y + 5]].forEach(([values, median, slot, at]) => {
			context.fillStyle = Colours.css(slot);
			context.globalAlpha = 0.55;
			for (const value of values) {
				context.beginPath();
				context.arc(x(value), at, 3, 0, 2 * Math.PI);
				context.fill();
			}
			context.globalAlpha = 1;
			context.fillRect(x(median) - 1, at - 5, 2, 10);
		});
	}

	/* The 95 % interval of the change; all lines have one scale. */
	function interval(context, line, left, width, y, most) {
		const x = change => left + width / 2 + Math.max(-1, Math.min(1, change / most)) * width / 2;

		if (line.change === null)
			return;
		context.fillStyle = context.strokeStyle = line.verdict === "dearer" ? Colours.style("--damage") :
			line.verdict === "cheaper" ? Colours.css(3) : Colours.style("--dim");
		if (line.low !== null)
			context.fillRect(x(line.low), y - 1.5, Math.max(1, x(line.high) - x(line.low)), 3);
		context.beginPath();
		context.arc(x(line.change), y, 4, 0, 2 * Math.PI);
		context.fill();
	}

	function draw(canvas, diff) {
		const scale = window.devicePixelRatio || 1, wide = Math.max(500, canvas.parentElement.clientWidth);
		const high = ROW * (diff.lines.length + 1), context = canvas.getContext("2d");
		const width = (wide - NAME - GAP - 10) / 2, middle = NAME + width + GAP;
		const most = Math.max(0.01, ...diff.lines.flatMap(l => [l.change, l.low, l.high].map(v => Math.abs(v || 0))));

		canvas.width = wide * scale;
		canvas.height = high * scale;
		canvas.style.width = `${wide}px`;
		canvas.style.height = `${high}px`;
		context.scale(scale, scale);
		context.font = "12px system-ui, sans-serif";
		context.textBaseline = "middle";
		context.fillStyle = Colours.style("--dim");
		context.fillText("runs, from 0 to the largest", NAME, ROW / 2);
		context.fillText(`change and its 95 % interval, ±${(most * 100).toPrecision(3)} %`, middle, ROW / 2);
		context.fillRect(middle + width / 2, ROW, 1, high);
		diff.lines.forEach((line, at) => {
			const y = ROW * (at + 1.5);

			context.fillStyle = Colours.style("--text");
			context.fillText(name(line.name).slice(0, 26), 0, y);
			runs(context, line, NAME, width, y);
			interval(context, line, middle, width, y, most);
		});
	}

	function legend() {
		return make("p", { class: "note" }, Colours.swatch(0), "A ", Colours.swatch(1), "B");
	}

	async function show(document_) {
		const { diff } = document_, canvas = make("canvas", { role: "img",
			"aria-label": "runs of both sides, and the interval of the change; the table has the numbers" });
		const few = Math.min(diff.runs_a, diff.runs_b) < 5;
		const title = `${name(diff.counter)}: ${diff.runs_a} runs (A) and ${diff.runs_b} runs (B)`;

		document.getElementById("title").textContent = title;
		document.title = title;
		document.getElementById("facts").replaceChildren(make("p", {}, diff.of_all_processes ?
			"Of all processes: the traces do not show which the command started." : "Of what the recorded command started."));
		if (few)
			document.getElementById("facts").append(make("p", {},
				"No verdicts: fewer than 5 runs a side cannot be distinguished from chance."));
		const holder = make("div", { class: "scroll" }, canvas), made = table(diff);
		const section = Report.section("Both sides", legend(), holder);
		Report.section("By program", made.element);
		const redraw = () => {
			section.querySelector(".note").replaceWith(legend());
			draw(canvas, diff);
		};
		redraw();
		Colours.onChange(redraw);
		window.addEventListener("resize", redraw);
		Page.drawn();
		return { diff, table: made };
	}

	return { show };
})();
