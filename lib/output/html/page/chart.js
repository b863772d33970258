/*
 * chart.js - lines over time, drawn by uPlot, with a legend of buttons.  Buckets are joined
 * until there are about as many as can be seen.
 */
const Chart = (() => {
	const HEIGHT = 220;
	const LABEL = 60; /* as in lanes.js */
	const BINS = 240, FEW_BINS = 40;
	const SAMPLES = 4; /* of a bin: their distance is not to be seen */
	const TICK = 30; /* half of the label of a time */

	class Chart {
		constructor(view) {
			this.view = view;
			this.hidden = new Set();
			this.legend = Words.make("div", { class: "legend", role: "group", "aria-label": "lines of the chart" });
			this.holder = Words.make("div", { class: "plot", tabindex: "0", role: "img", "aria-describedby": "keys" });
			this.element = Words.make("div", { class: "chart" }, this.holder, this.legend);
			view.listen(this.holder, () => {
				const over = this.holder.querySelector(".u-over");

				return (over || this.holder).getBoundingClientRect();
			});
		}

		/* The choice says of which columns of its book; lines: { name, slot, of: slots }. */
		setLines(choice, lines) {
			this.choice = choice;
			this.lines = lines;
			this.make();
		}

		/* Fewer where hardly anything happened. */
		bins() {
			const { book } = this.choice, counts = this.lines.map(line => book.slots[line.of[0]].index.length);
			const whole = this.view.whole.to - this.view.whole.from, most = Math.max(0, ...counts) / (book.of === "event" ? SAMPLES : 1);

			return Math.max(FEW_BINS, Math.min(BINS, most * (this.view.to - this.view.from) / whole));
		}

		/* Times, and for each line values, of the part that is shown. */
		data() {
			return this.choice.data ? this.choice.data(this.lines) : this.sums();
		}

		sums() {
			const { book, column, under, scale } = this.choice, { from, to } = this.view;
			const bins = this.bins();
			let join = 1;

			while (book.width * join * bins < to - from)
				join *= 2;
			const width = book.width * join, before = Math.floor((from - book.start) / width);
			const first = Math.max(0, before - 1);
			const end = Math.min(Math.ceil(book.buckets / join), Math.ceil((to - book.start) / width) + 2);
			const count = Math.max(1, end - first), times = new Array(count);
			for (let i = 0; i < count; i++)
				times[i] = (book.start + (first + i) * width) / 1e9;
			/* A step is seen up to the next time: the last one ends with the last bin. */
			const close = values => values.concat(values.slice(-1));
			return [times.concat((book.start + (first + count) * width) / 1e9)].concat(this.lines.map(line => {
				const sums = new Array(count).fill(0), unders = new Array(count).fill(0);

				for (const { index, columns } of line.of.map(slot => book.slots[slot]))
					for (let i = 0; i < index.length; i++) {
						const bin = Math.floor(index[i] / join) - first;

						if (bin < 0 || bin >= count)
							continue;
						sums[bin] += Number(columns[column][i]);
						if (under !== undefined)
							unders[bin] += Number(columns[under][i]);
					}
				return close(sums.map((sum, i) => under === undefined ? sum / width * scale :
					unders[i] > 0 ? sum / unders[i] * scale : null));
			}));
		}

		/* Would the label of that time end beyond the chart? */
		isCut(time, width) {
			const { from, to } = this.view;

			return (to - time) / (to - from) * width < TICK;
		}

		make() {
			const text = Colours.style("--text"), grid = Colours.style("--line");
			const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 },
				font: "11px system-ui, sans-serif" };

			if (this.plot)
				this.plot.destroy();
			this.holder.setAttribute("aria-label", `${this.choice.title} over time; the table has the sums`);
			this.plot = new uPlot({
				width: Math.max(200, this.holder.clientWidth), height: HEIGHT,
				legend: { show: false }, padding: [10, 0, 0, 0],
				cursor: { drag: { x: false, y: false, setScale: false }, points: { show: false }, y: false,
					bind: { dblclick: () => null, mousedown: () => null, mouseup: () => null } },
				select: { show: true, left: 0, top: 0, width: 0, height: 0 },
				scales: { x: { time: false, range: () => [this.view.from / 1e9, this.view.to / 1e9] },
					y: { range: (u, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.05 : 1] } },
				axes: [
					Object.assign({}, axis, { space: 90, values: (u, marks) => marks.map(m =>
						this.isCut(m * 1e9, u.width - LABEL) ? "" : `+${Number(m.toPrecision(10))} s`) }),
					Object.assign({}, axis, { values: (u, marks) => marks.map(m => this.choice.show(m)), size: LABEL }),
				],
				series: [{}].concat(this.lines.map(line => ({
					stroke: Colours.css(line.slot), dash: Colours.dash(line.slot), width: 1.5, points: { show: Boolean(this.choice.data), size: 4 },
					show: !this.hidden.has(line.slot), spanGaps: false,
					paths: this.choice.data ? undefined : uPlot.paths.stepped({ align: 1 }),
				}))),
			}, this.data(), this.holder);
			this.holder.querySelector("canvas").setAttribute("aria-hidden", "true"); /* the holder has the words */
			this.drawn = this.state();
			this.makeLegend();
			this.drawMark();
		}

		makeLegend() {
			this.legend.replaceChildren(...this.lines.map((line, at) => {
				const button = Words.make("button", { type: "button",
					"aria-pressed": String(!this.hidden.has(line.slot)) },
				Colours.swatch(line.slot), Words.make("bdi", {}, line.name));

				button.addEventListener("click", () => {
					const isHidden = !this.hidden.has(line.slot);

					this.hidden[isHidden ? "add" : "delete"](line.slot);
					button.setAttribute("aria-pressed", String(!isHidden));
					this.plot.setSeries(at + 1, { show: !isHidden });
				});
				return button;
			}));
		}

		/* What the lines depend on, but for what make() is called for. */
		state() {
			return [this.view.from, this.view.to, Math.max(200, this.holder.clientWidth)].join();
		}

		draw() {
			if (!this.plot)
				return;
			const state = this.state(), width = Math.max(200, this.holder.clientWidth);

			if (width !== this.plot.width)
				this.plot.setSize({ width, height: HEIGHT });
			if (state !== this.drawn)
				this.plot.setData(this.data());
			this.drawn = state;
			this.drawMark();
		}

		drawMark() {
			const { selection, from, to } = this.view, over = this.plot.over;

			if (!selection || selection.to < from || selection.from > to) {
				this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
				return;
			}
			const a = Math.max(0, (selection.from - from) / (to - from)) * over.clientWidth;
			const b = Math.min(1, (selection.to - from) / (to - from)) * over.clientWidth;

			this.plot.setSelect({ left: a, top: 0, width: Math.max(1, b - a), height: over.clientHeight }, false);
		}
	}

	return Chart;
})();
