/* main.js - reads the document and shows the page of its kind. */
const Page = (() => {
	const kinds = { bill: Bill, values: Values, diff: Diff };

	/* For measuring: milliseconds since navigation. */
	function drawn() {
		document.documentElement.dataset.drawn = performance.now().toFixed(1);
	}

	async function start() {
		const status = document.getElementById("status");

		try {
			if (typeof DecompressionStream === "undefined")
				throw new Error("this browser has no DecompressionStream: use a newer one");
			const document_ = await Data.readDocument();

			Page.model = await kinds[document_.kind].show(document_);
			status.hidden = true;
			document.getElementById("keys").parentElement.hidden = !document.querySelector("[aria-describedby=keys]");
			document.documentElement.dataset.ready = "1";
		} catch (error) {
			status.textContent = `The page cannot be shown: ${error.message}`;
			document.documentElement.dataset.failed = String(error.stack);
		}
	}

	return { drawn, start };
})();

Page.start();
