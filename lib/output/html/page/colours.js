/* colours.js - a colour for each slot, in light and dark. */
const Colours = (() => {
	/* lib/output/html/slots.h has the same numbers. */
	const TASKS = 24, REST = 24, IDLE = 25, WITH_IDLE = 26, INTERRUPTS = 27,
		UNATTRIBUTED = 28, OTHERS = 29, SLOTS = 30;
	const KINDS = { others: OTHERS, idle: IDLE, with_idle: WITH_IDLE, interrupts: INTERRUPTS,
		unattributed: UNATTRIBUTED };
	const tasks = ["#4269d0", "#efb118", "#ff725c", "#3ca951", "#a463f2", "#2ec4c4", "#ff8ab7",
		"#9c6b4e", "#97bbf5", "#b6c832", "#e0529c", "#6f7fb8"];
	const dark = window.matchMedia("(prefers-color-scheme: dark)");
	const printing = window.matchMedia("print");
	let isPrinted = false;

	function isDark() {
		return dark.matches && !printing.matches && !isPrinted;
	}

	function rgb(hex) {
		return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
	}

	/* The second dozen is the first, mixed with the paper. */
	function of(slot) {
		const mix = (a, b, part) => a.map((x, i) => Math.round(x * (1 - part) + b[i] * part));

		if (slot < TASKS) {
			const base = rgb(tasks[slot % tasks.length]);

			return slot < tasks.length ? base : mix(base, isDark() ? [20, 20, 20] : [60, 60, 60], 0.45);
		}
		switch (slot) {
		case INTERRUPTS:
			return isDark() ? [255, 70, 70] : [200, 0, 0];
		case UNATTRIBUTED:
			return isDark() ? [190, 190, 190] : [90, 90, 90];
		case WITH_IDLE:
			return isDark() ? [110, 120, 140] : [170, 180, 195];
		case IDLE:
			return isDark() ? [40, 43, 50] : [232, 234, 238];
		default:
			return isDark() ? [120, 124, 132] : [160, 164, 172];
		}
	}

	function css(slot) {
		return `rgb(${of(slot).join(" ")})`;
	}

	function style(name) {
		return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	}

	/* Unattributed is hatched, what is shared with idle is dotted: without colours as well. */
	function isInk(slot, x, y) {
		if (slot === UNATTRIBUTED)
			return (x + y) % 5 < 2;
		return slot !== WITH_IDLE || (x % 3 === 0 && y % 3 === 0);
	}

	/* The same of lines. */
	function dash(slot) {
		return { [UNATTRIBUTED]: [7, 3], [WITH_IDLE]: [2, 2] }[slot];
	}

	function onChange(callback) {
		dark.addEventListener("change", callback);
		window.addEventListener("beforeprint", () => { isPrinted = true; callback(); });
		window.addEventListener("afterprint", () => { isPrinted = false; callback(); });
	}

	function swatch(slot) {
		const names = { [UNATTRIBUTED]: " hatched", [WITH_IDLE]: " dotted", [IDLE]: " empty" };
		const element = Words.make("span", { class: `swatch${names[slot] || ""}`, "aria-hidden": "true" });

		element.style.setProperty("--ink", css(slot));
		return element;
	}

	return { TASKS, REST, IDLE, WITH_IDLE, INTERRUPTS, UNATTRIBUTED, OTHERS, SLOTS, KINDS,
		of, css, style, isInk, dash, onChange, swatch };
})();
