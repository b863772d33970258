/*
 * chrome.mjs - drives a headless Chromium through two pipes, by the Chrome DevTools protocol.
 *
 * Messages are JSON that ends with a zero byte.  The browser has no network: every request
 * that leaves, and every script error, is kept for the test to see.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const ANSWER_MS = 20000;
const CODES = { "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
	"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40 };

export async function open(program) {
	const home = mkdtempSync(join(tmpdir(), "perftab-browser."));
	const child = spawn(program, ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--mute-audio", "--lang=en-US",
		"--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>", "--disable-crash-reporter",
		`--user-data-dir=${home}`, "--window-size=1200,900", "about:blank"],
	{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: Object.assign({}, process.env, { HOME: home }) });
	const waiting = new Map(), listeners = [];
	let last = 0, rest = Buffer.alloc(0);

	child.stdio[4].on("data", data => {
		rest = Buffer.concat([rest, data]);
		for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
			const message = JSON.parse(rest.subarray(0, end).toString());

			rest = rest.subarray(end + 1);
			const wait = waiting.get(message.id);
			if (wait) {
				waiting.delete(message.id);
				wait(message);
			} else {
				listeners.forEach(listener => listener(message));
			}
		}
	});
	const send = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
		const id = ++last, timer = setTimeout(() => reject(new Error(`${method}: no answer`)), ANSWER_MS);

		waiting.set(id, message => {
			clearTimeout(timer);
			if (message.error)
				reject(new Error(`${method}: ${message.error.message}`));
			else
				resolve(message.result);
		});
		child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
	});
	const close = async () => {
		const ended = new Promise(resolve => child.once("exit", resolve));

		await Promise.race([send("Browser.close").catch(() => null), pause(2000)]);
		if (await Promise.race([ended.then(() => false), pause(3000, true)]))
			child.kill("SIGKILL");
		await ended;
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	};
	const page = async () => new Tab(send, listeners, (await send("Target.createTarget", { url: "about:blank" })).targetId);

	return { page, close };
}

class Tab {
	constructor(send, listeners, target) {
		this.sendTo = send;
		this.target = target;
		this.requests = [];
		this.errors = [];
		listeners.push(message => this.note(message));
	}

	note({ method, params, sessionId }) {
		if (sessionId !== this.session)
			return;
		if (method === "Network.requestWillBeSent" && !/^(file|data):/.test(params.request.url))
			this.requests.push(params.request.url);
		if (method === "Network.requestWillBeSent")
			this.requested = params.request.url;
		if (method === "Runtime.exceptionThrown")
			this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
		if (method === "Log.entryAdded" && params.entry.level === "error")
			this.errors.push(params.entry.text);
		if (method === "Page.javascriptDialogOpening")
			this.errors.push(`a dialog: ${params.message}`);
	}

	async send(method, params) {
		if (!this.session) {
			this.session = (await this.sendTo("Target.attachToTarget", { targetId: this.target, flatten: true })).sessionId;
			for (const domain of ["Page", "Runtime", "Network", "Log"])
				await this.sendTo(`${domain}.enable`, {}, this.session);
		}
		return this.sendTo(method, params, this.session);
	}

	/* The value of an expression, which may be a promise. */
	async value(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(`${expression.slice(0, 200)}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
		return result.value;
	}

	async until(expression, what) {
		for (const end = Date.now() + ANSWER_MS; Date.now() < end; await pause(15))
			if (await this.value(expression))
				return;
		throw new Error(`never: ${what || expression}`);
	}

	/* Opens a page of perftab-analyze and waits until it is complete. */
	async goto(url) {
		this.requests.length = this.errors.length = 0;
		await this.send("Page.navigate", { url });
		await this.until("document.readyState === 'complete' && (document.documentElement.dataset.ready || " +
			"document.documentElement.dataset.failed)", `${url} is drawn`);
		const failed = await this.value("document.documentElement.dataset.failed");
		if (failed)
			throw new Error(`${url}: ${failed}`);
	}

	/* Two frames later what was asked for has been drawn. */
	async settle() {
		await this.value("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))");
	}

	/* With what the key does by default: Enter and Space press buttons. */
	async key(key, modifiers = 0) {
		const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
		const code = CODES[key], more = code ? { windowsVirtualKeyCode: code, code: key === " " ? "Space" : key } : {};

		for (const type of ["keyDown", "keyUp"])
			await this.send("Input.dispatchKeyEvent", { type, key, text: type === "keyDown" ? text : undefined, modifiers, ...more });
		await this.settle();
	}

	async mouse(type, x, y, more = {}) {
		await this.send("Input.dispatchMouseEvent", Object.assign({ type, x, y, button: "left", buttons: 1, clickCount: 1 }, more));
	}

	async drag(x0, y0, x1, y1) {
		await this.mouse("mousePressed", x0, y0);
		await this.mouse("mouseMoved", (x0 + x1) / 2, y0);
		await this.mouse("mouseMoved", x1, y1);
		await this.mouse("mouseReleased", x1, y1, { buttons: 0 });
		await this.settle();
	}

	async scheme(scheme, media = "") {
		await this.send("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: scheme }] });
		await this.settle();
	}

	/* The whole page, or a part, as PNG. */
	async picture(clip) {
		const { data } = await this.send("Page.captureScreenshot", { format: "png", clip: clip && { scale: 1, ...clip },
			captureBeyondViewport: true });

		return Buffer.from(data, "base64");
	}
}
