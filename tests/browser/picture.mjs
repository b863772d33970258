/*
 * picture.mjs - pictures of a page: node picture.mjs CHROMIUM PAGE OUT.png [light|dark [WIDTHxHEIGHT [EXPRESSION]]]
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { open } from "./chrome.mjs";

const [program, page, out, scheme = "light", size = "1200x900", expression] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number), browser = await open(program);

try {
	const tab = await browser.page();

	await tab.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
	await tab.scheme(scheme);
	await tab.goto(pathToFileURL(page).href);
	if (expression)
		console.log(await tab.value(expression));
	await tab.settle();
	writeFileSync(out, await tab.picture({ x: 0, y: 0, width, height }));
	console.log(`drawn ${await tab.value("document.documentElement.dataset.drawn")} ms, errors: ${tab.errors.join("; ") || "none"}`);
} finally {
	await browser.close();
}
