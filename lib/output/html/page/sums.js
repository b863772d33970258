/*
 * sums.js - what each slot counted in a part of the time, from the data of the page.
 *
 * An interval between two switches is where it ends, as with --from and --to.  Edges of a
 * selection are exact where single switches are in the page; else they move to the next
 * edge of a bucket.
 */
const Sums = (() => {
	const { UNATTRIBUTED, WITH_IDLE, INTERRUPTS, SLOTS } = Colours;
	const { CLASS, Sum } = Data;

	class Sums {
		constructor(books, rules) {
			this.books = books;
			this.rules = rules;
			this.switches = null;
		}

		covers(from, to) {
			return this.switches && from >= this.switches.from && to <= this.switches.to;
		}

		/* The part of the time that can be summed, and whether it is what was asked for. */
		snap(from, to) {
			const coarsest = this.books.reduce((a, b) => b.width > a.width ? b : a);
			const edge = (time, round) => coarsest.start + round((time - coarsest.start) / coarsest.width) * coarsest.width;
			const isFrom = edge(from, Math.round) === from || this.covers(from, Math.min(to, edge(from, Math.ceil)));
			const isTo = edge(to, Math.round) === to || this.covers(Math.max(from, edge(to, Math.floor)), to);

			const part = { from: isFrom ? from : edge(from, Math.round), to: isTo ? to : edge(to, Math.round),
				isExact: isFrom && isTo, width: coarsest.width };

			/* Less than half a bucket is the bucket it is in. */
			return part.from < part.to ? part :
				Object.assign(part, { from: edge(from, Math.floor), to: edge(to, Math.ceil) });
		}

		/* For each book, for each slot, sums of its columns. */
		of(from, to) {
			const sums = this.books.map(book => Array.from({ length: SLOTS }, () =>
				Array.from({ length: 2 + book.counters }, () => new Sum())));

			this.books.forEach((book, at) => {
				const first = Math.ceil((from - book.start) / book.width);
				const end = Math.floor((to - book.start) / book.width);

				if (first > end) {
					this.addSwitches(sums[at], at, from, to);
					return;
				}
				this.addBuckets(sums[at], book, first, end);
				this.addSwitches(sums[at], at, from, book.start + first * book.width);
				this.addSwitches(sums[at], at, book.start + end * book.width, to);
			});
			return sums.map(book => book.map(slot => slot.map(sum => sum.value)));
		}

		addBuckets(sums, book, first, end) {
			book.slots.forEach(({ index, columns }, slot) => {
				let i = 0;

				while (i < index.length && index[i] < first)
					i++;
				for (; i < index.length && index[i] < end; i++)
					columns.forEach((column, c) => sums[slot][c].add(column[i]));
			});
		}

		/* Those that end in the part; the rule of lib/output/html/collect.c, add_to_book(). */
		addSwitches(sums, at, from, to) {
			const s = this.switches;

			if (!(from < to) || !s)
				return;
			for (let i = 0; i < s.count; i++) {
				if (s.book[i] !== at || s.end[i] < from || s.end[i] >= to)
					continue;
				const kind = s.kind[i] & 7, own = s.slots[s.thread[i]];
				let ends = s.kind[i] & 8 ? 1 : 0, ns = s.ns[i], slot = own;

				if (kind === CLASS.UNPROVEN && !this.rules.unproven) {
					slot = UNATTRIBUTED;
				} else if (kind === CLASS.INTERRUPT) {
					ends = 0;
					slot = this.rules.interrupts ? own : INTERRUPTS;
				} else if (kind === CLASS.WITH_IDLE && !this.rules.withIdle) {
					sums[own][1].add(ns);
					ns = 0;
					slot = WITH_IDLE;
				}
				sums[slot][0].add(ends);
				sums[slot][1].add(ns);
				s.counters[at].forEach((column, c) => sums[slot][2 + c].add(column[s.place[i]]));
			}
		}
	}

	return Sums;
})();
