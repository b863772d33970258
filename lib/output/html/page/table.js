/*
 * table.js - a table that can be sorted and filtered.
 *
 * Columns: { title, get(row), show(value), none, isText, hint, indent(row) }; `none` is shown where
 * there is no value.  Rows of a kind other than "task" stay below the others, as in the text of
 * perftab-analyze.
 */
const Table = (() => {
	const { make } = Words;

	class Table {
		constructor(caption, columns, options = {}) {
			this.columns = columns;
			this.top = options.top || 0;
			this.swatch = options.swatch;
			this.sorted = options.sorted === undefined ? -1 : options.sorted;
			this.isDescending = true;
			this.rows = [];
			this.words = "";
			this.caption = make("caption", {}, caption);
			this.head = make("thead");
			this.body = make("tbody");
			this.foot = make("tfoot");
			this.note = make("p", { class: "note", "aria-live": "polite" });
			this.filter = make("input", { type: "search", placeholder: "filter", "aria-label": `filter: ${caption}` });
			this.more = make("button", { type: "button", hidden: true });
			this.scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
				make("table", {}, this.caption, this.head, this.body, this.foot));
			this.element = make("div", { class: "table" },
				make("div", { class: "bar noprint" }, this.filter, this.note), this.scroll, this.more);
			this.filter.addEventListener("input", () => {
				this.words = this.filter.value.toLowerCase();
				this.draw();
			});
			this.filter.addEventListener("keydown", event => {
				if (event.key !== "Escape" || !this.filter.value)
					return;
				event.stopPropagation();
				this.filter.value = this.words = "";
				this.draw();
			});
			this.more.addEventListener("click", () => {
				this.top = 0;
				this.draw();
				this.scroll.focus(); /* the button, which had it, is gone */
			});
			this.makeHead();
		}

		makeHead() {
			this.head.replaceChildren(make("tr", {}, ...this.columns.map((column, at) => {
				const button = make("button", { type: "button", title: column.hint }, column.title);
				const cell = make("th", { scope: "col", class: column.isText ? "text" : "" }, button);

				button.addEventListener("click", () => {
					this.isDescending = this.sorted === at ? !this.isDescending : !column.isText;
					this.sorted = at;
					this.draw();
				});
				return cell;
			})));
		}

		setRows(rows, total) {
			this.rows = rows;
			this.total = total;
			this.draw();
		}

		/* Those that the filter leaves, in order. */
		shown() {
			const texts = this.columns.filter(c => c.isText || c.isKey);
			let rows = this.rows;

			if (this.words)
				rows = rows.filter(row => texts.some(c =>
					String(c.get(row) ?? "").toLowerCase().includes(this.words)));
			if (this.sorted < 0)
				return rows;
			const { get, isText } = this.columns[this.sorted], sign = this.isDescending ? -1 : 1;
			const order = (a, b) => {
				const x = get(a), y = get(b);

				if ((a.kind !== "task") !== (b.kind !== "task"))
					return a.kind === "task" ? -1 : 1;
				if (a.kind !== "task")
					return 0;
				if (x === null || x === undefined || y === null || y === undefined)
					return (x === null || x === undefined) - (y === null || y === undefined);
				if (isText)
					return sign * (x < y ? -1 : x > y ? 1 : 0);
				return x < y ? -sign : x > y ? sign : 0;
			};
			return rows.slice().sort(order);
		}

		cell(row, column, name) {
			const value = column.get(row);
			const text = value === null || value === undefined ? column.none || "" : (column.show || Words.name)(value);
			const cell = make(name, { class: column.isText ? "text" : "", scope: name === "th" ? "row" : undefined });

			if (column.isText && this.swatch && name === "th" && row.slot !== undefined)
				cell.append(this.swatch(row.slot));
			if (column.indent)
				cell.style.paddingLeft = `${0.5 + column.indent(row)}em`;
			cell.append(column.isText ? make("bdi", {}, text) : text);
			if (column.title2)
				cell.title = column.title2(value);
			return cell;
		}

		row(row) {
			return make("tr", { class: row.kind === "task" || row.kind === "total" ? "" : "apart" },
				...this.columns.map((column, at) => this.cell(row, column, at === 0 ? "th" : "td")));
		}

		draw() {
			const rows = this.shown();
			let hidden = 0, tasks = 0;
			const kept = rows.filter(row => {
				if (row.kind !== "task" || !this.top || tasks++ < this.top)
					return true;
				hidden++;
				return false;
			});

			this.body.replaceChildren(...kept.map(row => this.row(row)));
			this.foot.replaceChildren(...(this.total && !this.words ? [this.row(this.total)] : []));
			this.more.hidden = !hidden;
			this.more.textContent = `Show all ${Words.integer(rows.length)} lines`;
			this.note.textContent = this.words ? `${rows.length} of ${this.rows.length} lines` : "";
			[...this.head.rows[0].cells].forEach((cell, at) => {
				if (at === this.sorted)
					cell.setAttribute("aria-sort", this.isDescending ? "descending" : "ascending");
				else
					cell.removeAttribute("aria-sort");
			});
		}
	}

	return Table;
})();
