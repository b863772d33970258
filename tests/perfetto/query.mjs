// query.mjs TRACE SQL... - runs queries over a trace in Perfetto's trace processor.
// query.mjs --each SQL... - the same over each trace that standard input names, a line each; after
// the rows of each comes a line with a dot.
//
// Traces are read with the options that Perfetto's UI has by default.
// PERFETTO_ENGINE is the folder with the engine, as scripts/perfetto-engine makes it: WebAssembly
// and what drives it in a browser's worker.  Here node stands in for the worker.
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import vm from "node:vm";
import { pathToFileURL } from "node:url";

const CHUNK_BYTES = 32 << 20;
const folder = path.resolve(process.env.PERFETTO_ENGINE);
const [trace, ...queries] = process.argv.slice(2);

globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function WorkerGlobalScope() {};
globalThis.location ??= { href: pathToFileURL(folder).href + "/" };
globalThis.engineBytes = new Uint8Array(readFileSync(path.join(folder, "trace_processor.wasm")));
console.warn = () => {};

// The driver looks for the browser's ways to load it; it gets the bytes instead.
function loadDriver() {
	const edits = [
		["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
		["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.engineBytes,"],
		["const wasmBridge = new wasm_bridge_1.WasmBridge();",
			"const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.bridge = wasmBridge;"],
	];
	let text = readFileSync(path.join(folder, "engine_bundle.node.js"), "utf8");
	for (const [from, to] of edits) {
		if (!text.includes(from))
			throw new Error(`another version of the engine: no "${from}"`);
		text = text.replace(from, to);
	}
	vm.runInThisContext(text);
	return globalThis.bridge;
}

const { EngineBase } = await import(pathToFileURL(path.join(folder, "engine.mjs")).href);

class Engine extends EngineBase {
	mode = "WASM";
	id = "perftab";

	constructor(port) {
		super();
		this.port = port;
		port.onmessage = (message) => {
			if (message.data instanceof Uint8Array)
				this.onRpcResponseBytes(message.data);
		};
	}

	rpcSendRequestBytes(bytes) {
		this.port.postMessage(bytes);
	}
}

const channel = new MessageChannel();
loadDriver().initialize(channel.port1);
const engine = new Engine(channel.port2);
while (!globalThis.bridge.reqBufferAddr) // the engine starts
	await new Promise((resolve) => setTimeout(resolve, 5));

async function run(name) {
	const bytes = new Uint8Array(readFileSync(name));

	await engine.resetTraceProcessor({ cropTrackEvents: false, ingestFtraceInRawTable: true,
		analyzeTraceProtoContent: false, ftraceDropUntilAllCpusValid: true });
	for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
		await engine.parse(bytes.subarray(at, at + CHUNK_BYTES));
	await engine.notifyEof();
	for (const query of queries) {
		const result = await engine.query(query), columns = result.columns();
		for (const row = result.iter({}); row.valid(); row.next())
			console.log(columns.map((column) => String(row.get(column) ?? "")).join("|"));
	}
}

if (trace === "--each") {
	for await (const name of createInterface({ input: process.stdin })) {
		await run(name);
		console.log(".");
	}
} else {
	await run(trace);
}
process.exit(0);
