/* words.js - numbers, times and elements as they are shown. */
const Words = (() => {
	/* An element with attributes and what is in it: texts are never markup. */
	function make(name, attributes = {}, ...children) {
		const element = document.createElement(name);

		for (const [key, value] of Object.entries(attributes))
			if (key === "class")
				element.className = value;
			else if (value !== undefined && value !== false)
				element.setAttribute(key, value === true ? "" : value);
		for (const child of children)
			if (child !== null && child !== undefined)
				element.append(child);
		return element;
	}

	/* 1234567 as 1,234,567; all digits, also of a BigInt. */
	function integer(value) {
		return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	}

	/* To the nearest microsecond, as text_table_ms() of tools/common/text_table.c. */
	function milliseconds(ns) {
		const us = (BigInt(ns) + (ns < 0 ? -500n : 500n)) / 1000n;
		const digits = String(us < 0n ? -us : us).padStart(4, "0");

		return `${us < 0n ? "-" : ""}${integer(digits.slice(0, -3))}.${digits.slice(-3)}`;
	}

	/* 1.5 G, 20.3 M */
	function rough(value) {
		const size = Math.abs(value);

		for (const [least, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
			if (size >= least)
				return `${Number((value / least).toPrecision(3))} ${letter}`;
		return String(Number(value.toPrecision(3)));
	}

	/* A length of time, in the unit that suits it. */
	function duration(ns) {
		const size = Math.abs(ns);

		for (const [least, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
			if (size >= least)
				return `${Number((ns / least).toPrecision(4))} ${unit}`;
		return `${Math.round(ns)} ns`;
	}

	/* A time since the first of the trace, with the digits that `step` needs. */
	function time(ns, step = 1) {
		const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(step, 1)))));

		return `+${(ns / 1e9).toFixed(digits)} s`;
	}

	/* Control characters and marks of direction become visible: a name cannot look like another. */
	function name(text) {
		return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
			c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
	}

	return { make, integer, milliseconds, rough, duration, time, name };
})();
