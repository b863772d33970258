/*
 * lanes.js - a lane for each CPU: who was on it when.
 *
 * Buckets are drawn as stacked shares; where single switches are in the page and wide
 * enough, as they were.  Pixels are written one by one, so a step costs milliseconds.
 */
const Lanes = (() => {
	const { SLOTS } = Colours;
	const { CLASS } = Data;
	const AXIS = 18, ALL_HEIGHT = 600;
	const LABEL = 60; /* as in chart.js: one time is below the other */
	const MANY = 60000; /* single switches that are drawn at once */

	class Lanes {
		/* `names(slot)`, `threadName(thread)`: what a tooltip says. */
		constructor(view, cpus, names) {
			this.view = view;
			this.cpus = cpus;
			this.names = names;
			this.levels = [];
			this.switches = null;
			this.height = Math.max(1, Math.min(22, Math.floor(ALL_HEIGHT / Math.max(1, cpus.length))));
			this.gap = this.height >= 7 ? 2 : this.height >= 4 ? 1 : 0;
			this.canvas = Words.make("canvas", { tabindex: "0", role: "img", "aria-describedby": "keys" });
			this.mark = Words.make("div", { class: "mark", hidden: true });
			this.tip = Words.make("div", { class: "tip", role: "tooltip", hidden: true });
			this.element = Words.make("div", { class: "lanes" }, this.canvas, this.mark, this.tip);
			view.listen(this.canvas, () => {
				const box = this.canvas.getBoundingClientRect();

				return { left: box.left + LABEL, width: box.width - LABEL };
			});
			this.canvas.addEventListener("pointermove", event => this.hover(event));
			this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
		}

		/* The coarsest level that still has a bucket for each two pixels. */
		level(pixels) {
			const fit = this.levels.filter(l => l.width * 2 <= (this.view.to - this.view.from) / pixels * 5);

			return fit.length ? fit.reduce((a, b) => a.width > b.width ? a : b) :
				this.levels.reduce((a, b) => a.width < b.width ? a : b);
		}

		/* Calls back with from, to, slot, part for what a CPU did in the view. */
		buckets(level, at, from, to, call) {
			const { offsets, pairs } = level.cpus[at];
			let b = Math.max(0, Math.floor((from - level.start) / level.width));
			const last = Math.min(level.buckets - 1, Math.floor((to - level.start) / level.width));

			for (; b <= last; b++) {
				const start = level.start + b * level.width;

				for (let i = offsets[b]; i < offsets[b + 1]; i += 2)
					call(start, start + level.width, pairs[i], pairs[i + 1] / 64, -1);
			}
		}

		single(at, from, to, call) {
			const s = this.switches, list = s.byCpu.get(this.cpus[at]) || [];

			for (let i = this.firstAfter(list, from); i < list.length; i++) {
				const n = list[i], ns = Number(s.ns[n]);

				if (s.end[n] - ns > to)
					return;
				if (ns > 0 || i > 0) {
					const kind = s.kind[n] & 7, before = i > 0 ? s.end[list[i - 1]] : s.end[n];
					const isUnproven = kind === CLASS.UNPROVEN, isIdle = kind === CLASS.WITH_IDLE && ns <= 0;
					const slot = isUnproven ? Colours.UNATTRIBUTED : kind === CLASS.INTERRUPT ? Colours.INTERRUPTS :
						isIdle ? Colours.WITH_IDLE : s.slots[s.thread[n]];
					const start = isUnproven || isIdle ? before : s.end[n] - Math.max(ns, 0);

					if (slot !== Colours.IDLE)
						call(start, s.end[n], slot, 1, n);
				}
			}
		}

		firstAfter(list, time) {
			let low = 0, high = list.length;

			while (low < high) {
				const middle = low + high >> 1;

				if (this.switches.end[list[middle]] < time)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		}

		/* Are single switches there for all of the view, and not too many? */
		isSingle() {
			const s = this.switches, { from, to } = this.view;
			let count = 0;

			if (!s || to > s.to || from < s.from)
				return false;
			for (const list of s.byCpu.values())
				count += this.firstAfter(list, to) - this.firstAfter(list, from);
			return count <= MANY;
		}

		draw() {
			const scale = window.devicePixelRatio || 1, count = this.cpus.length;
			const wide = Math.max(200, this.element.clientWidth), high = this.height * count + AXIS;
			const context = this.canvas.getContext("2d");
			const width = Math.max(1, Math.round((wide - LABEL) * scale));
			const lane = Math.max(1, Math.round(this.height * scale)), gap = Math.round(this.gap * scale);

			if (this.canvas.width !== Math.round(wide * scale) || this.canvas.height !== Math.round(high * scale)) {
				this.canvas.width = Math.round(wide * scale);
				this.canvas.height = Math.round(high * scale);
				this.canvas.style.width = `${wide}px`;
				this.canvas.style.height = `${high}px`;
			}
			context.clearRect(0, 0, this.canvas.width, this.canvas.height);
			if (!this.levels.length)
				return;
			this.single_ = this.isSingle();
			this.shownLevel = this.level(width);
			this.paint(context, width, lane, gap, Math.round(LABEL * scale));
			this.labels(context, scale, lane, wide);
			this.drawMark();
			this.canvas.dataset.shows = this.single_ ? "switches" : `buckets of ${this.shownLevel.width} ns`;
			this.canvas.setAttribute("aria-label", `${count} CPUs, ${Words.time(this.view.from)} to ` +
				`${Words.time(this.view.to)}; the table has what each process cost`);
		}

		paint(context, width, lane, gap, left) {
			const image = context.createImageData(width, lane * this.cpus.length);
			const pixels = new Uint32Array(image.data.buffer), parts = new Float32Array(width * SLOTS);
			const masks = new Uint32Array(width); /* slots that a pixel has parts of */
			const inks = Array.from({ length: SLOTS }, (_, slot) => {
				const [r, g, b] = Colours.of(slot);

				return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
			});
			const { from, to } = this.view, perPixel = (to - from) / width;
			const add = (start, end, slot, share) => {
				const a = (start - from) / perPixel, b = (end - from) / perPixel;
				let x = a > 0 ? a | 0 : 0;

				if (a >= width || b <= 0)
					return;
				if (x === (b | 0)) {
					masks[x] |= 1 << slot;
					parts[x * SLOTS + slot] += (b - Math.max(a, 0)) * share;
					return;
				}
				for (const last = Math.min(width - 1, b | 0); x <= last; x++) {
					masks[x] |= 1 << slot;
					parts[x * SLOTS + slot] += (Math.min(b, x + 1) - Math.max(a, x)) * share;
				}
			};

			for (let at = 0; at < this.cpus.length; at++) {
				if (this.single_)
					this.single(at, from, to, add);
				else
					this.buckets(this.shownLevel, at, from, to, add);
				this.stack(pixels, parts, masks, inks, width, at * lane, lane - gap);
			}
			context.putImageData(image, left, 0);
		}

		/* Shares of a pixel's time, from below; the first of them and interrupts are always seen. */
		stack(pixels, parts, masks, inks, width, top, high) {
			const paper = inks[Colours.IDLE];

			for (let x = 0; x < width; x++) {
				let y = top + high, rest = 0;

				for (let mask = masks[x]; mask; mask &= mask - 1) {
					const slot = 31 - Math.clz32(mask & -mask), part = parts[x * SLOTS + slot];

					parts[x * SLOTS + slot] = 0;
					rest += Math.min(part, 1) * high;
					let rows = Math.round(rest);
					if (rows < 1 && (y === top + high || slot === Colours.INTERRUPTS))
						rows = 1;
					if (slot === Colours.INTERRUPTS && y === top)
						y++;
					rest -= rows;
					for (; rows > 0 && y > top; rows--) {
						y--;
						pixels[y * width + x] = Colours.isInk(slot, x, y) ? inks[slot] : paper;
					}
				}
				masks[x] = 0;
				while (y > top)
					pixels[--y * width + x] = paper;
			}
		}

		labels(context, scale, lane, wide) {
			const every = Math.ceil(12 / this.height), { from, to } = this.view;
			const step = Axis.step(to - from, (wide - LABEL) / 110);

			context.save();
			context.fillStyle = Colours.style("--text");
			context.font = `${11 * scale}px system-ui, sans-serif`;
			context.textBaseline = "middle";
			context.textAlign = "right";
			let last = -Infinity;
			this.cpus.forEach((cpu, at) => {
				const y = Math.max(at * lane + lane / 2, 6 * scale);

				if (at % every !== 0 || y - last < 11 * scale)
					return;
				context.fillText(cpu < 1000 ? `CPU ${cpu}` : String(cpu), (LABEL - 5) * scale, y);
				last = y;
			});
			context.textAlign = "center";
			const y = lane * this.cpus.length + AXIS / 2 * scale;
			for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
				const x = (LABEL + (t - from) / (to - from) * (wide - LABEL)) * scale;

				if (x < this.canvas.width - 30 * scale)
					context.fillText(Words.time(t, step), Math.max(x, (LABEL + 22) * scale), y);
			}
			context.restore();
		}

		drawMark() {
			const { selection, from, to } = this.view, width = this.canvas.clientWidth - LABEL;

			this.mark.hidden = !selection;
			if (!selection)
				return;
			const a = Math.max(0, (selection.from - from) / (to - from)) * width;
			const b = Math.min(1, (selection.to - from) / (to - from)) * width;

			this.mark.hidden = b <= a;
			this.mark.style.left = `${LABEL + a}px`;
			this.mark.style.width = `${Math.max(1, b - a)}px`;
			this.mark.style.height = `${this.height * this.cpus.length}px`;
		}

		/* What there is under the pointer. */
		hover(event) {
			const box = this.canvas.getBoundingClientRect();
			const x = event.clientX - box.left - LABEL, at = Math.floor((event.clientY - box.top) / this.height);
			const { from, to } = this.view, pixel = (to - from) / (box.width - LABEL);
			const time = from + x * pixel, found = [];

			this.tip.hidden = x < 0 || at < 0 || at >= this.cpus.length || !this.levels.length;
			if (this.tip.hidden)
				return;
			const keep = (start, end, slot, share, single) => {
				if (start <= time && time < end)
					found.push({ start, end, slot, share, single });
			};
			if (this.single_)
				this.single(at, time, time, keep);
			else
				this.buckets(this.shownLevel, at, time, time, keep);
			const lines = found.sort((a, b) => b.share - a.share).map(f =>
				Words.make("div", {}, Colours.swatch(f.slot), Words.make("bdi", {},
					f.single >= 0 ? this.names.ofSwitch(this.switches, f.single) : this.names.ofSlot(f.slot)),
				f.single >= 0 ? ` ${Words.duration(f.end - f.start)}` : ` ${Math.round(f.share * 100)} %`));
			this.tip.replaceChildren(
				Words.make("div", {}, `CPU ${this.cpus[at]}, ${Words.time(time, pixel)}` +
					(this.single_ ? "" : `, ${Words.duration(this.shownLevel.width)}`)),
				...(lines.length ? lines : [Words.make("div", {}, "idle, or not known")]));
			this.tip.style.left = `${Math.min(x + LABEL + 14, box.width - 220)}px`;
			this.tip.style.top = `${event.clientY - box.top + 14}px`;
		}
	}

	return Lanes;
})();

/* Round steps of an axis. */
const Axis = {
	step(length, marks) {
		const rough = length / Math.max(1, marks), power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));

		return power * [1, 2, 5, 10].find(m => m * power >= rough);
	},
};
