/*
 * Makes a big-endian copy of an uncompressed little-endian perf.data, in the form of a
 * file or of a pipe: what a big-endian machine would have written of the same events.
 * AUX area data, stacks and BPF programs are copied as they are.  The formats are those
 * of perf.data-file-format.txt and <linux/perf_event.h>; nothing of the reader is used.
 */
#include "swap/swap.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	SECTION_BYTES = 16,
	FEATURE_BITS = 256,
};

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	uint64_t attr_bytes;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[FEATURE_BITS / 64];
};

static void usage(FILE *out)
{
	fputs("usage: swap_trace IN OUT\n"
	      "\n"
	      "Writes OUT, a big-endian copy of IN, an uncompressed little-endian perf.data\n"
	      "file or pipe.  What it cannot swap it refuses, naming it and its place, and\n"
	      "writes nothing.\n"
	      "\n"
	      "  --help  print this\n",
	      out);
}

static struct section swap_section(struct cursor *cursor)
{
	struct section section;

	section.offset = swap_u64(cursor);
	section.size = swap_u64(cursor);
	return section;
}

/* The magic is a u64 like any other: "PERFILE2" reads "2ELIFREP" after it. */
static uint64_t swap_magic(struct cursor *header)
{
	const uint8_t *magic = header->image->data;

	if (header->image->size < PIPE_HEADER_BYTES)
		die("%zu bytes are not a perf.data", header->image->size);
	if (!memcmp(magic, "2ELIFREP", 8))
		die("the file is big-endian already");
	if (!memcmp(magic, "PERFFILE", 8))
		die("the file is of version 1, which is not supported");
	if (memcmp(magic, "PERFILE2", 8))
		die("the file is not a perf.data");
	swap_u64(header);
	return swap_u64(header);
}

static void swap_ids(struct swapper *swapper, struct section section)
{
	struct cursor ids =
		cursor_open(&swapper->image, "ids section", section.offset, section.size);

	while (cursor_left(&ids) >= 8)
		event_add_id(swapper, swapper->event_count - 1, swap_u64(&ids));
	copy_padding(&ids);
}

static void swap_attrs(struct swapper *swapper, const struct file_header *header)
{
	struct cursor attrs = cursor_open(&swapper->image, "attrs section",
					  header->attrs.offset, header->attrs.size);

	if (header->attr_bytes <= SECTION_BYTES)
		cursor_die(&attrs, "attrs of %llu bytes are impossible",
			   (unsigned long long)header->attr_bytes);
	while (cursor_left(&attrs)) {
		swap_attr(swapper, &attrs, (size_t)header->attr_bytes - SECTION_BYTES,
			  true);
		swap_ids(swapper, swap_section(&attrs));
	}
}

/* The names of the events in files of perf 3. */
static void swap_event_types(struct swapper *swapper, const struct file_header *header)
{
	struct cursor types =
		cursor_open(&swapper->image, "event types section",
			    header->event_types.offset, header->event_types.size);

	while (cursor_left(&types))
		swap_layout(&types, "8qqqqqqqq");
}

static void swap_features(struct swapper *swapper, const struct file_header *header)
{
	uint64_t start = header->data.offset + header->data.size;
	struct cursor table = cursor_open(&swapper->image, "feature table", start,
					  swapper->image.size - start);

	for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
		struct section section;
		struct cursor feature;

		if (!(header->features[bit / 64] >> (bit % 64) & 1))
			continue;
		section = swap_section(&table);
		feature = cursor_open(&swapper->image, feature_name(bit), section.offset,
				      section.size);
		if (section.size)
			swap_feature(swapper, &feature, bit);
	}
}

static void swap_stream(struct swapper *swapper, struct cursor *stream)
{
	while (cursor_left(stream))
		swap_record(swapper, stream);
}

static void swap_file(struct swapper *swapper, struct cursor *cursor)
{
	struct file_header header;
	struct cursor data;

	header.attr_bytes = swap_u64(cursor);
	header.attrs = swap_section(cursor);
	header.data = swap_section(cursor);
	header.event_types = swap_section(cursor);
	for (unsigned i = 0; i < FEATURE_BITS / 64; i++)
		header.features[i] = swap_u64(cursor);
	data = cursor_open(&swapper->image, "data section", header.data.offset,
			   header.data.size);
	swap_attrs(swapper, &header);
	swap_event_types(swapper, &header);
	/* perf record was killed: there are records to the end, and no features. */
	if (!header.data.size)
		data.end = swapper->image.size;
	else
		swap_features(swapper, &header);
	swap_stream(swapper, &data);
}

static void swap_image(struct swapper *swapper)
{
	struct cursor header = { .image = &swapper->image, .what = "header" };
	uint64_t bytes;

	header.end = swapper->image.size;
	bytes = swap_magic(&header);
	header.what = "stream";
	if (bytes == PIPE_HEADER_BYTES)
		swap_stream(swapper, &header);
	else if (bytes == FILE_HEADER_BYTES)
		swap_file(swapper, &header);
	else
		die("a header of %llu bytes is unknown", (unsigned long long)bytes);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct swapper swapper = { 0 };
	int option = getopt_long(argc, argv, "h", options, NULL);

	if (option == 'h') {
		usage(stdout);
		return 0;
	}
	if (option != -1 || argc - optind != 2) {
		usage(stderr);
		return 2;
	}
	image_load(&swapper.image, argv[optind]);
	swap_image(&swapper);
	image_report_rest(&swapper.image);
	image_store(&swapper.image, argv[optind + 1]);
	image_release(&swapper.image);
	release_formats(&swapper);
	free(swapper.events);
	free(swapper.ids);
	return 0;
}
