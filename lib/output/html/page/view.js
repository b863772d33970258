/*
 * view.js - the part of the time that is shown, and the part that is selected; mouse and
 * keys are the same for lanes and charts.
 */
const View = (() => {
	const LEAST_NS = 100;

	class View {
		constructor(from, to) {
			this.whole = { from, to };
			this.from = from;
			this.to = to;
			this.selection = null;
			this.listeners = [];
			this.isAsked = false;
		}

		onChange(listener) {
			this.listeners.push(listener);
		}

		/* Everything that shows the view is drawn once before the next frame. */
		changed(isSelection = false) {
			this.isSelectionNew = this.isSelectionNew || isSelection;
			if (this.isAsked)
				return;
			this.isAsked = true;
			requestAnimationFrame(() => this.flush());
		}

		flush() {
			const isNew = this.isSelectionNew, start = performance.now();

			this.isAsked = this.isSelectionNew = false;
			for (const listener of this.listeners)
				listener(isNew);
			document.documentElement.dataset.step = (performance.now() - start).toFixed(1);
		}

		show(from, to) {
			const all = this.whole.to - this.whole.from;
			const length = Math.min(all, Math.max(to - from, Math.min(LEAST_NS, all)));

			this.from = Math.min(Math.max(from, this.whole.from), this.whole.to - length);
			this.to = this.from + length;
			this.changed();
		}

		zoom(factor, at = (this.from + this.to) / 2) {
			this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
		}

		pan(part) {
			const by = (this.to - this.from) * part;

			this.show(this.from + by, this.to + by);
		}

		select(a, b) {
			const from = Math.max(this.whole.from, Math.min(a, b));
			const to = Math.min(this.whole.to, Math.max(a, b));

			this.selection = b === undefined || to <= from ? null : { from, to };
			this.changed(true);
		}

		/* Of the selection, or of the middle of the view, moved by a step. */
		extend(step) {
			const { from, to } = this.selection || { from: (this.from + this.to) / 2,
				to: (this.from + this.to) / 2 };

			this.select(from, to + step);
		}

		key(event) {
			const step = (this.to - this.from) / 20;
			const keys = {
				"ArrowLeft": () => event.shiftKey ? this.extend(-step) : this.pan(-0.1),
				"ArrowRight": () => event.shiftKey ? this.extend(step) : this.pan(0.1),
				"PageUp": () => this.pan(-0.9),
				"PageDown": () => this.pan(0.9),
				"+": () => this.zoom(0.5),
				"=": () => this.zoom(0.5),
				"-": () => this.zoom(2),
				"0": () => this.show(this.whole.from, this.whole.to),
				"Home": () => this.show(this.whole.from, this.whole.from + this.to - this.from),
				"End": () => this.show(this.whole.to - (this.to - this.from), this.whole.to),
				"Enter": () => this.selection && this.show(this.selection.from, this.selection.to),
				"Escape": () => this.select(0),
			};

			if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
				return;
			event.preventDefault();
			keys[event.key]();
		}

		/* `area()`: left and width, on the screen, of what shows the view in this element. */
		listen(element, area) {
			let drag = null;
			const at = event => {
				const { left, width } = area();

				return this.from + (event.clientX - left) / width * (this.to - this.from);
			};

			element.addEventListener("wheel", event => {
				if (event.ctrlKey || (!event.deltaY && !event.deltaX))
					return;
				event.preventDefault();
				if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
					this.pan((event.deltaX || event.deltaY) / 1000);
				else
					this.zoom(Math.exp(event.deltaY / 400), at(event));
			}, { passive: false });
			element.addEventListener("pointerdown", event => {
				if (event.button !== 0)
					return;
				element.setPointerCapture(event.pointerId);
				drag = { x: event.clientX, time: at(event), from: this.from, to: this.to,
					isPan: event.shiftKey, moved: false };
			});
			element.addEventListener("pointermove", event => {
				if (!drag || (!drag.moved && Math.abs(event.clientX - drag.x) < 4))
					return;
				drag.moved = true;
				if (!drag.isPan) {
					this.select(drag.time, at(event));
					return;
				}
				const by = (drag.x - event.clientX) / area().width * (drag.to - drag.from);
				this.show(drag.from + by, drag.to + by);
			});
			const end = event => {
				if (drag && !drag.moved && event.type === "pointerup" && this.selection)
					this.select(0);
				drag = null;
			};
			element.addEventListener("pointerup", end);
			element.addEventListener("pointercancel", end);
			element.addEventListener("dblclick", () => this.show(this.whole.from, this.whole.to));
			element.addEventListener("keydown", event => this.key(event));
		}
	}

	return View;
})();
