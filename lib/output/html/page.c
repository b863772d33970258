/* page.c - writes the frame of a page, and gives it its name when it is complete. */
#include "output/html/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "output/html/blocks.h"
#include "page_assets.h"

/* How each page begins; what begins otherwise is never replaced. */
static const char mark[] = "<!doctype html>\n<!-- perftab-analyze --html";

bool page_is_possible(void)
{
	return ASSET_HAS_UPLOT;
}

/* --- the file --- */

/* True if it is not a file: target_begin() refuses that, and a FIFO would block. */
static bool is_page(const char *path)
{
	char head[sizeof(mark)] = "";
	struct os_info info;
	FILE *file;
	bool found;

	if (os_inspect_name(path, &info) && info.kind != OS_FILE)
		return true;
	file = os_open_stream(path);
	if (!file && errno == ENOMEM)
		memory_note_failure();
	if (!file)
		return errno == ENOENT;
	found = fread(head, 1, sizeof(mark) - 1, file) == sizeof(mark) - 1 &&
		memcmp(head, mark, sizeof(mark) - 1) == 0;
	fclose(file);
	return found;
}

static enum status open_file(struct page *page, const char *path, struct error *error)
{
	const struct sink_options options = { .path = path, .overwrite = true };
	enum status status;

	if (!is_page(path)) {
		if (memory_failed())
			return error_nomem(error);
		return error_set(error, ST_IO, ERROR_NO_OFFSET,
				 "output %s exists and is not a page of perftab-analyze: "
				 "not replaced",
				 path);
	}
	status = target_begin(&page->target, &options, false, error);
	if (status != ST_OK)
		return status;
	page->to = os_stream_of(page->target.lock_fd);
	return page->to ? ST_OK
			: error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot write %s: %s",
				    path, strerror(errno));
}

/* --- the frame --- */

static void put_escaped(FILE *to, struct str text)
{
	char shown[400];

	text_shown(shown, sizeof(shown), text, 100);
	for (const char *at = shown; *at; at++)
		if (*at == '<')
			fputs("&lt;", to);
		else if (*at == '>')
			fputs("&gt;", to);
		else if (*at == '&')
			fputs("&amp;", to);
		else
			fputc(*at, to);
}

static void put_hash(FILE *to, const char *hex)
{
	uint8_t bytes[32];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		const char digits[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	fputs(" 'sha256-", to);
	block_base64(to, bytes, sizeof(bytes));
	fputs("'", to);
}

static void put_asset(FILE *to, const char *element, const unsigned char *bytes,
		      size_t size)
{
	fprintf(to, "<%s>", element);
	fwrite(bytes, 1, size, to);
	fprintf(to, "</%s>\n", element);
}

static void put_head(FILE *to, struct str title)
{
	fprintf(to, "%s -->\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		mark);
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src",
	      to);
	put_hash(to, ASSET_UPLOT_JS_SHA256);
	put_hash(to, ASSET_PAGE_JS_SHA256);
	fputs("; style-src", to);
	put_hash(to, ASSET_UPLOT_CSS_SHA256);
	put_hash(to, ASSET_PAGE_CSS_SHA256);
	fputs("; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
	      to);
	put_escaped(to, title);
	fputs("</title>\n", to);
	put_asset(to, "style", asset_uplot_css, sizeof(asset_uplot_css));
	put_asset(to, "style", asset_page_css, sizeof(asset_page_css));
	fputs("</head>\n<body>\n", to);
	fwrite(asset_page_html, 1, sizeof(asset_page_html), to);
}

static void put_scripts(FILE *to)
{
	fputs("<!-- uPlot, which draws the lines:\n", to);
	fwrite(asset_uplot_licence, 1, sizeof(asset_uplot_licence), to);
	fputs("-->\n", to);
	put_asset(to, "script", asset_uplot_js, sizeof(asset_uplot_js));
	put_asset(to, "script", asset_page_js, sizeof(asset_page_js));
	fputs("</body>\n</html>\n", to);
}

/* --- the file --- */

enum status page_open(struct page *page, const char *path, struct str title,
		      struct error *error)
{
	enum status status = ST_OK;

	*page = (struct page){ .target = { .lock_fd = -1 }, .title = title };
	page->is_stdout = strcmp(path, "-") == 0;
	if (page->is_stdout)
		page->to = stdout;
	else
		status = open_file(page, path, error);
	if (status != ST_OK)
		return status;
	page->document = os_open_text(&page->text, &page->size);
	return page->document ? ST_OK : error_nomem(error);
}

void page_begin(struct page *page)
{
	put_head(page->to, page->title);
}

static enum status write_document(struct page *page, struct error *error)
{
	struct bytes deflated = { .data = NULL };
	bool failed = !os_close_text(page->document, &page->text, &page->size);

	page->document = NULL;
	failed = failed || !block_deflate(&deflated, page->text, page->size, SIZE_MAX);
	if (!failed)
		block_write(page->to, "document", &deflated);
	bytes_release(&deflated);
	return failed ? error_nomem(error) : ST_OK;
}

enum status page_finish(struct page *page, struct error *error)
{
	enum status status = write_document(page, error);
	FILE *to = page->to;
	bool failed;

	if (status != ST_OK)
		return status;
	put_scripts(to);
	if (page->is_stdout)
		return ST_OK; /* the program closes it, and reports what failed */
	failed = ferror(to) != 0;
	page->to = NULL;
	failed |= fclose(to) != 0;
	if (failed)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "cannot write %s: %s",
				 page->target.path, strerror(errno));
	return target_commit(&page->target, error);
}

void page_close(struct page *page)
{
	if (page->document)
		fclose(page->document);
	free(page->text);
	if (page->to && !page->is_stdout)
		fclose(page->to);
	target_release(&page->target);
	*page = (struct page){ .target = { .lock_fd = -1 } };
}
