/*
 * data.js - unpacks the blocks of the page.  What is in them is described where they are
 * made: lib/output/html/pack_*.c.  Times are nanoseconds since the first of the trace.
 */
const Data = (() => {
	/* The bytes of a block, which is base64 of what zlib made. */
	async function inflate(id) {
		const text = atob(document.getElementById(id).textContent);
		const bytes = new Uint8Array(text.length);

		for (let i = 0; i < text.length; i++)
			bytes[i] = text.charCodeAt(i);
		const stream = new Blob([bytes]).stream()
			.pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	/* Integers that a double cannot hold become BigInts. */
	function parse(text) {
		let at = 0, inString = false, marked = "", kept = 0;

		for (const match of text.matchAll(/(?<![\d.])-?\d{16,}(?![\d.eE])/g)) {
			for (; at < match.index; at++)
				if (text.charCodeAt(at) === 34)
					inString = !inString;
				else if (inString && text.charCodeAt(at) === 92)
					at++;
			if (inString || Number.isSafeInteger(Number(match[0])))
				continue;
			marked += `${text.slice(kept, match.index)}{"$n": "${match[0]}"}`;
			kept = match.index + match[0].length;
		}
		if (!kept)
			return JSON.parse(text);
		return JSON.parse(marked + text.slice(kept), (key, value) =>
			value && typeof value.$n === "string" && Object.keys(value).length === 1 ? BigInt(value.$n) : value);
	}

	async function readDocument() {
		return parse(new TextDecoder().decode(await inflate("document")));
	}

	class Reader {
		constructor(bytes) {
			this.bytes = bytes;
			this.at = 0;
		}
		int() {
			let value = 0, scale = 1, byte;

			do {
				byte = this.bytes[this.at++];
				value += (byte & 127) * scale;
				scale *= 128;
			} while (byte > 127);
			return value;
		}
		signed() {
			const value = this.int();

			return value % 2 ? -(value + 1) / 2 : value / 2;
		}
		bigSigned() {
			let value = 0n, shift = 0n, byte;

			do {
				byte = this.bytes[this.at++];
				value |= BigInt(byte & 127) << shift;
				shift += 7n;
			} while (byte > 127);
			return BigInt.asIntN(64, value >> 1n ^ -(value & 1n));
		}
		/* Signed numbers; as BigInts if one of them needs more than 48 bits. */
		column(count) {
			const numbers = new Float64Array(count), start = this.at;

			for (let i = 0; i < count; i++) {
				const before = this.at;

				numbers[i] = this.signed();
				if (this.at - before > 7) {
					const big = new BigInt64Array(count);

					this.at = start;
					for (let k = 0; k < count; k++)
						big[k] = this.bigSigned();
					return big;
				}
			}
			return numbers;
		}
	}

	/* Where buckets begin, since the first time of the trace, and how long they are. */
	function grid(block, firstNs) {
		const first = BigInt(block.first) << BigInt(block.shift);

		return { start: Number(first - firstNs), width: 2 ** block.shift, buckets: block.buckets };
	}

	async function readLanes(level, cpus, firstNs) {
		const reader = new Reader(await inflate(level.block));
		const lanes = grid(level, firstNs);

		lanes.cpus = cpus.map(() => {
			const end = reader.int() + reader.at, bytes = reader.bytes;
			const offsets = new Uint32Array(lanes.buckets + 1);
			let pairs = new Uint8Array(1024), used = 0, bucket = 0, last = 0, lastSize = 0;

			const put = (from, size, source) => {
				if (used + size > pairs.length) {
					const more = new Uint8Array(2 * pairs.length + size);

					more.set(pairs);
					pairs = more;
				}
				for (let i = 0; i < size; i++)
					pairs[used + i] = source[from + i];
				used += size;
				offsets[++bucket] = used;
			};
			while (reader.at < end) {
				const token = bytes[reader.at++];

				if (token === 0) {
					for (let n = reader.int(); n > 0; n--)
						offsets[++bucket] = used;
				} else if (token === 255) {
					for (let n = reader.int(); n > 0; n--)
						put(last, lastSize, pairs);
				} else {
					last = used;
					lastSize = 2 * token;
					put(reader.at, lastSize, bytes);
					reader.at += lastSize;
				}
			}
			offsets.fill(used, bucket + 1);
			return { offsets, pairs };
		});
		return lanes;
	}

	async function readBook(block, slotCount, firstNs) {
		const reader = new Reader(await inflate(block.block));
		const book = Object.assign(grid(block, firstNs), block, { slots: [] });

		for (let s = 0; s < slotCount; s++) {
			const count = reader.int(), index = new Uint32Array(count), columns = [];

			for (let i = 0, last = 0; i < count; i++)
				index[i] = last += reader.int();
			for (let v = 0; v < 2 + block.counters; v++)
				columns.push(reader.column(count));
			book.slots.push({ index, columns });
		}
		return book;
	}

	/* Means of values over time: lib/output/html/points.c. */
	async function readPoints(block, count, firstNs) {
		const reader = new Reader(await inflate(block.block)), series = [], { bytes } = reader;
		const view = new DataView(bytes.buffer, bytes.byteOffset), points = grid(block, firstNs);

		for (let s = 0; s < count; s++) {
			const size = reader.int(), index = new Uint32Array(size), counts = new Float64Array(size);
			const means = new Float32Array(size);

			for (let i = 0, last = 0; i < size; i++)
				index[i] = last += reader.int();
			for (let i = 0; i < size; i++)
				counts[i] = reader.int();
			for (let i = 0; i < size; i++, reader.at += 4)
				means[i] = view.getFloat32(reader.at, true);
			series.push({ index, counts, means });
		}
		return Object.assign(points, { series });
	}

	/* Single switches; `byCpu`: their places in the order of time. */
	async function readSwitches(block, books, firstNs, endNs) {
		const reader = new Reader(await inflate(block.block)), count = reader.int();
		const cpu = new Int32Array(count), end = new Float64Array(count);
		const kind = new Uint8Array(count), book = new Uint8Array(count);
		const thread = new Uint32Array(count), byCpu = new Map();

		for (let i = 0; i < count; i++)
			cpu[i] = reader.int() - 1;
		for (let i = 0, at = Number(BigInt(block.start_ns) - firstNs); i < count; i++)
			end[i] = at += reader.signed();
		const ns = reader.column(count);
		for (let i = 0; i < count; i++)
			thread[i] = reader.int();
		for (let i = 0; i < count; i++)
			kind[i] = reader.int();
		for (let i = 0; i < count; i++)
			book[i] = reader.int();
		const places = books.map(() => []), counters = [];
		for (let i = 0; i < count; i++) {
			places[book[i]].push(i);
			if (!byCpu.has(cpu[i]))
				byCpu.set(cpu[i], []);
			byCpu.get(cpu[i]).push(i);
		}
		books.forEach((b, at) => {
			counters.push([]);
			for (let c = 0; c < b.counters; c++)
				counters[at].push(reader.column(places[at].length));
		});
		const place = new Uint32Array(count);
		places.forEach(list => list.forEach((i, at) => { place[i] = at; }));
		for (const list of byCpu.values())
			list.sort((a, b) => end[a] - end[b]);
		const to = block.to_ns === undefined ? endNs : Number(BigInt(block.to_ns) - firstNs);
		return { count, cpu, end, ns, thread, kind, book, counters, place, byCpu, to,
			from: Number(BigInt(block.start_ns) - firstNs), threads: block.threads,
			isAll: block.to_ns === undefined };
	}

	/* A sum that may outgrow a double. */
	class Sum {
		constructor() {
			this.number = 0;
			this.big = 0n;
		}
		add(value) {
			if (typeof value === "bigint") {
				this.big += value;
				return;
			}
			this.number += value;
			if (this.number > 2 ** 52 || this.number < -(2 ** 52)) {
				this.big += BigInt(this.number);
				this.number = 0;
			}
		}
		get value() {
			const all = this.big + BigInt(this.number);

			return all <= BigInt(Number.MAX_SAFE_INTEGER) && all >= BigInt(Number.MIN_SAFE_INTEGER) ?
				Number(all) : all;
		}
	}

	/* enum charge_class in lib/model/record.h; in a switch's kind with SWITCH_ENDS, 8. */
	const CLASS = { WITH_IDLE: 1, INTERRUPT: 2, UNPROVEN: 3 };

	return { CLASS, inflate, readDocument, readLanes, readBook, readPoints, readSwitches, Reader, Sum, parse };
})();
