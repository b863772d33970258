/*
 * test_symbol_files.c - names of functions from ELF files and kallsyms that are made
 * here, so that the name and the offset of each place are known.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/files/files.h"
#include "symbols/files/read.h"
#include "unit.h"

#define ID_BYTES 20
static const uint8_t id[ID_BYTES] = { 0xab, 2,	3,  4,	5,  6,	7,  8,	9,  10,
				      11,   12, 13, 14, 15, 16, 17, 18, 19, 20 };
static const uint8_t other_id[ID_BYTES] = { 0xab, 2, 3, 4, 5, 6, 7, 8, 9 };

/* --- ELF files --- */

/* Where the parts of a file are; code is mapped 0x1000 above the rest. */
enum {
	AT_LOADS = 64,
	AT_NOTE = 0x140,
	AT_TEXT = 0x200,
	AT_SYMBOLS = 0x300,
	AT_STRINGS = 0x500,
	AT_SECTIONS = 0x600,
	FILE_BYTES = 0x800,
	BASE = 0x400000,
	TEXT = BASE + 0x1000 + AT_TEXT,
};
enum {
	SECTION_TEXT = 1,
	SECTION_DATA,
	SECTION_SYMBOLS,
	SECTION_STRINGS,
	SECTION_NOTE,
	SECTIONS
};

struct symbol {
	const char *name;
	uint64_t start, bytes;
	uint8_t bind, type;
	uint16_t section;
};

static const struct symbol symbols[] = {
	{ "_alias", TEXT, 0x10, STB_GLOBAL, STT_FUNC, SECTION_TEXT },
	{ "first", TEXT, 0x10, STB_GLOBAL, STT_FUNC, SECTION_TEXT },
	{ "strong", TEXT + 0x10, 0x10, STB_LOCAL, STT_FUNC, SECTION_TEXT },
	{ "weak", TEXT + 0x10, 0x10, STB_WEAK, STT_FUNC, SECTION_TEXT },
	{ "$x", TEXT + 0x28, 0, STB_LOCAL, STT_NOTYPE, SECTION_TEXT },
	{ "label", TEXT + 0x30, 0, STB_LOCAL, STT_NOTYPE, SECTION_TEXT },
	{ "object", TEXT + 0x34, 4, STB_GLOBAL, STT_OBJECT, SECTION_TEXT },
	{ "undefined", TEXT + 0x35, 4, STB_GLOBAL, STT_FUNC, SHN_UNDEF },
	{ "absolute", TEXT + 0x36, 4, STB_GLOBAL, STT_FUNC, SHN_ABS },
	{ "constant", TEXT + 0x37, 4, STB_GLOBAL, STT_FUNC, SECTION_DATA },
	{ "last", TEXT + 0x40, 0x10, STB_GLOBAL, STT_GNU_IFUNC, SECTION_TEXT },
};

/* What differs from a plain program. */
struct elf_form {
	const struct symbol *symbols;
	size_t count;
	const uint8_t *id;
	uint32_t symbol_kind;	/* of the table; 0: SHT_SYMTAB */
	uint16_t type, machine; /* 0: ET_DYN, EM_X86_64 */
	bool id_in_section;	/* and in no segment */
	bool no_loads;
};

static void put(uint8_t *file, size_t at, const void *part, size_t size)
{
	assert_true(at + size <= FILE_BYTES);
	memcpy(file + at, part, size);
}

static void put_loads(uint8_t *file, const struct elf_form *form)
{
	const Elf64_Phdr note = { .p_type = form->id_in_section ? PT_NULL : PT_NOTE,
				  .p_offset = AT_NOTE,
				  .p_filesz = 16 + ID_BYTES,
				  .p_align = 4 };
	/* All of the file as data; the code lies in that as well. */
	const Elf64_Phdr data = { .p_type = form->no_loads ? PT_NULL : PT_LOAD,
				  .p_flags = PF_R,
				  .p_vaddr = BASE,
				  .p_filesz = AT_TEXT + 0x10 };
	const Elf64_Phdr code = { .p_type = form->no_loads ? PT_NULL : PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_offset = AT_TEXT,
				  .p_vaddr = TEXT,
				  .p_filesz = 0x80 };

	put(file, AT_LOADS, &note, sizeof(note));
	put(file, AT_LOADS + sizeof(note), &data, sizeof(data));
	put(file, AT_LOADS + 2 * sizeof(note), &code, sizeof(code));
}

static size_t put_symbols(uint8_t *file, const struct elf_form *form)
{
	size_t name_at = 1;

	for (size_t i = 0; i < form->count; i++) {
		const struct symbol *from = &form->symbols[i];
		const Elf64_Sym symbol = {
			.st_name = (Elf64_Word)name_at,
			.st_info = (unsigned char)ELF64_ST_INFO(from->bind, from->type),
			.st_shndx = from->section,
			.st_value = from->start,
			.st_size = from->bytes,
		};

		put(file, AT_SYMBOLS + (i + 1) * sizeof(symbol), &symbol, sizeof(symbol));
		put(file, AT_STRINGS + name_at, from->name, strlen(from->name) + 1);
		name_at += strlen(from->name) + 1;
	}
	return name_at;
}

static void put_sections(uint8_t *file, const struct elf_form *form, size_t string_bytes)
{
	const Elf64_Shdr sections[SECTIONS] = {
		[SECTION_TEXT] = { .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_offset = AT_TEXT,
				   .sh_size = 0x80 },
		[SECTION_DATA] = { .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC },
		[SECTION_SYMBOLS] = { .sh_type = form->symbol_kind ? form->symbol_kind
								   : SHT_SYMTAB,
				      .sh_offset = AT_SYMBOLS,
				      .sh_size = (form->count + 1) * sizeof(Elf64_Sym),
				      .sh_link = SECTION_STRINGS,
				      .sh_entsize = sizeof(Elf64_Sym) },
		[SECTION_STRINGS] = { .sh_type = SHT_STRTAB,
				      .sh_offset = AT_STRINGS,
				      .sh_size = string_bytes },
		[SECTION_NOTE] = { .sh_type = form->id_in_section ? SHT_NOTE : SHT_NULL,
				   .sh_offset = AT_NOTE,
				   .sh_size = 16 + ID_BYTES,
				   .sh_addralign = 4 },
	};

	put(file, AT_SECTIONS, sections, sizeof(sections));
}

/* An open file of that form. */
static int open_elf(const char *name, const struct elf_form *form)
{
	uint8_t file[FILE_BYTES] = { 0 };
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = form->type ? form->type : ET_DYN,
		.e_machine = form->machine ? form->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = AT_LOADS,
		.e_shoff = AT_SECTIONS,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SHN_UNDEF,
	};
	const uint32_t note[] = { 4, ID_BYTES, NT_GNU_BUILD_ID };
	int fd;

	put(file, 0, &header, sizeof(header));
	put_loads(file, form);
	put(file, AT_NOTE, note, sizeof(note));
	put(file, AT_NOTE + 12, "GNU", 4);
	put(file, AT_NOTE + 16, form->id ? form->id : id, ID_BYTES);
	put_sections(file, form, put_symbols(file, form));
	unit_write_file(unit_path(name), file, sizeof(file));
	fd = open(unit_path(name), O_RDONLY);
	assert_true(fd >= 0);
	return fd;
}

/* --- answers --- */

/* "0 first+0, 2 last+5" */
static const char *answer_text(const struct bytes *answer)
{
	static char text[1024];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < answer->size;) {
		uint32_t place, length;
		uint64_t offset;

		memcpy(&place, answer->data + i, 4);
		memcpy(&length, answer->data + i + 4, 4);
		memcpy(&offset, answer->data + i + 8, 8);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u %.*s+%llu",
				       at ? ", " : "", place, (int)length,
				       (const char *)answer->data + i + 16,
				       (unsigned long long)offset);
		i += 16 + length;
	}
	return text;
}

static struct file_request request_of(const uint64_t *places, uint32_t count)
{
	return (struct file_request){ .kind = FILE_ELF,
				      .build_id = id,
				      .build_id_bytes = ID_BYTES,
				      .count = count,
				      .places = places };
}

/* The names of the places in a file of that form, with debug information or NULL. */
static void assert_elf(const struct elf_form *form, const struct elf_form *debug,
		       const struct file_request *request, enum file_result result,
		       const char *names)
{
	struct bytes answer = { .size = 0 };
	int fd = open_elf("file", form);
	int debug_fd = debug ? open_elf("debug", debug) : -1;

	assert_int_equal(elf_names(fd, debug_fd, request, &answer), result);
	assert_string_equal(answer_text(&answer), names);
	bytes_release(&answer);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
}

static const uint64_t text_places[] = { AT_TEXT, AT_TEXT + 0x30, AT_TEXT + 0x4f };
static const struct elf_form plain = { .symbols = symbols, .count = COUNT(symbols) };

UNIT_TEST(each_place_has_its_function)
{
	static const uint64_t places[] = {
		0x10,	 /* mapped, before all functions */
		AT_TEXT, /* in both segments: the code counts */
		AT_TEXT + 0xf,	AT_TEXT + 0x10,
		AT_TEXT + 0x20, /* after the end of `strong` */
		AT_TEXT + 0x28, /* a mark of the assembler, not a function */
		AT_TEXT + 0x37, /* `label` has no size: up to the next one */
		AT_TEXT + 0x4f, AT_TEXT + 0x50,
		AT_TEXT + 0x80, /* after the segment */
	};
	struct file_request request = request_of(places, COUNT(places));

	assert_elf(&plain, NULL, &request, FILE_NAMED,
		   "1 first+0, 2 first+15, 3 strong+0, 6 label+7, 7 last+15");
}

UNIT_TEST(only_the_wanted_build_is_read)
{
	static const struct {
		int line;
		const uint8_t *wanted;
		uint32_t bytes;
		enum file_result result;
	} rows[] = {
		{ ROW, id, ID_BYTES, FILE_NAMED },
		/* Recorders of old cut ids off. */
		{ ROW, id, 16, FILE_NAMED },
		{ ROW, id, 15, FILE_OTHER_BUILD_ID },
		{ ROW, id, 0, FILE_OTHER_BUILD_ID },
		{ ROW, other_id, ID_BYTES, FILE_OTHER_BUILD_ID },
		{ ROW, other_id, 16, FILE_OTHER_BUILD_ID },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct file_request request = request_of(text_places, 1);
		struct bytes answer = { .size = 0 };
		int fd = open_elf("file", &plain);

		request.build_id = rows[i].wanted;
		request.build_id_bytes = rows[i].bytes;
		ROW_INT(&rows[i], elf_names(fd, -1, &request, &answer), rows[i].result);
		ROW_TEXT(&rows[i], answer_text(&answer),
			 rows[i].result == FILE_NAMED ? "0 first+0" : "");
		bytes_release(&answer);
		close(fd);
	}
}

UNIT_TEST(a_library_without_symtab_has_dynamic_symbols)
{
	const struct elf_form dynamic = { symbols, COUNT(symbols),
					  .symbol_kind = SHT_DYNSYM };
	const struct elf_form none = { NULL, 0, .symbol_kind = SHT_DYNSYM };
	struct file_request request = request_of(text_places, COUNT(text_places));

	assert_elf(&dynamic, NULL, &request, FILE_NAMED,
		   "0 first+0, 1 label+0, 2 last+15");
	assert_elf(&none, NULL, &request, FILE_NO_SYMBOLS, "");
}

UNIT_TEST(files_that_cannot_be_mapped_are_refused)
{
	const struct elf_form object = { symbols, COUNT(symbols), .type = ET_REL };
	const struct elf_form no_loads = { symbols, COUNT(symbols), .no_loads = true };
	struct file_request request = request_of(text_places, COUNT(text_places));
	struct bytes answer = { .size = 0 };
	int fd;

	assert_elf(&object, NULL, &request, FILE_UNREADABLE, "");
	/* Without segments there is no address. */
	assert_elf(&no_loads, NULL, &request, FILE_UNREADABLE, "");
	unit_write_file(unit_path("text"), "#!/bin/sh\n", 10);
	fd = open(unit_path("text"), O_RDONLY);
	assert_int_equal(elf_names(fd, -1, &request, &answer), FILE_UNREADABLE);
	close(fd);
}

UNIT_TEST(debug_information_of_the_same_build_has_more_names)
{
	static const struct symbol hidden[] = {
		{ "hidden", TEXT + 0x50, 0x10, STB_LOCAL, STT_FUNC, SECTION_TEXT },
	};
	static const uint64_t places[] = { AT_TEXT + 1, AT_TEXT + 0x52 };
	struct elf_form debug = { hidden, 1, .id_in_section = true };
	struct file_request request = request_of(places, COUNT(places));

	assert_elf(&plain, &debug, &request, FILE_NAMED, "0 first+1, 1 hidden+2");
	debug.id = other_id;
	assert_elf(&plain, &debug, &request, FILE_NAMED, "0 first+1");
}

UNIT_TEST(the_lowest_bit_of_thumb_is_no_address)
{
	static const struct symbol thumb[] = {
		{ "thumb", TEXT + 1, 0x10, STB_GLOBAL, STT_FUNC, SECTION_TEXT },
	};
	struct file_request request = request_of(text_places, 1);
	struct elf_form form = { thumb, 1, .machine = EM_ARM };

	assert_elf(&form, NULL, &request, FILE_NAMED, "0 thumb+0");
	form.machine = EM_X86_64;
	assert_elf(&form, NULL, &request, FILE_NAMED, "");
}

/* --- functions in order --- */

UNIT_TEST(places_may_come_in_any_order)
{
	static const struct function list[] = {
		{ 0x20, 0x10, 0, "b" },
		{ 0x10, 0x10, 0, "a" },
		{ 0x30, 0, 1, "c" },
		{ 0x30, 8, 0, "worse" },
	};
	static const uint64_t places[] = {
		0x3f, 0x10, 0x2f, 0xf, UINT64_MAX, 0x20, 0x1f
	};
	struct functions functions = { .count = 0 };
	struct bytes answer = { .size = 0 };

	for (size_t i = 0; i < COUNT(list); i++)
		functions_add(&functions, &list[i]);
	assert_false(functions.failed);
	assert_true(functions_answer(&functions, places, COUNT(places), &answer));
	assert_string_equal(answer_text(&answer), "0 c+15, 1 a+0, 2 b+15, 5 b+0, 6 a+15");
	bytes_release(&answer);
	free(functions.list);
}

UNIT_TEST(more_functions_than_the_first_room)
{
	static const uint64_t places[] = { 16, 16 * 3000 + 5 };
	struct functions functions = { .count = 0 };
	struct bytes answer = { .size = 0 };

	for (uint64_t i = 3000; i > 0; i--)
		functions_add(&functions,
			      &(struct function){ 16 * i, 16, 0,
						  i == 3000 ? "last" : "one" });
	assert_int_equal(functions.count, 3000);
	assert_true(functions_answer(&functions, places, COUNT(places), &answer));
	assert_string_equal(answer_text(&answer), "0 one+0, 1 last+5");
	bytes_release(&answer);
	free(functions.list);
}

/* --- the kernel --- */

#define KALLSYMS                       \
	"ffffffff81000000 T _text\n"   \
	"ffffffff81000000 t startup\n" \
	"not a line of code\n"         \
	"ffffffff81000100 t local\n"   \
	"ffffffff81000100 T global\n"  \
	"ffffffff81000100 W weak\n"    \
	"ffffffff81000180 d data\n"    \
	"ffffffff81000200 t in_module\t[module]\n"

/* The notes of a kernel: one by others, then the build id. */
static int open_notes(const uint8_t *kernel_id)
{
	uint8_t notes[20 + 16 + ID_BYTES] = { 0 };
	const uint32_t first[] = { 6, 0, 257 },
		       second[] = { 4, ID_BYTES, NT_GNU_BUILD_ID };

	memcpy(notes, first, sizeof(first));
	memcpy(notes + 12, "Linux", 6); /* padded to 8 */
	memcpy(notes + 20, second, sizeof(second));
	memcpy(notes + 32, "GNU", 4);
	memcpy(notes + 36, kernel_id, ID_BYTES);
	unit_write_file(unit_path("notes"), notes, sizeof(notes));
	return open(unit_path("notes"), O_RDONLY);
}

static void assert_kernel(const char *kallsyms, const uint8_t *kernel_id, uint64_t start,
			  enum file_result result, const char *names)
{
	static const uint64_t places[] = { UINT64_C(0xffffffff80ffffff),
					   UINT64_C(0xffffffff81000004),
					   UINT64_C(0xffffffff810001ff),
					   UINT64_C(0xffffffff81000201) };
	struct file_request request = request_of(places, COUNT(places));
	struct bytes answer = { .size = 0 };
	int lines, notes = open_notes(kernel_id);

	request.kind = FILE_KERNEL;
	request.start = start;
	unit_write_file(unit_path("kallsyms"), kallsyms, strlen(kallsyms));
	lines = open(unit_path("kallsyms"), O_RDONLY);
	assert_int_equal(kernel_names(lines, notes, &request, &answer), result);
	assert_string_equal(answer_text(&answer), names);
	bytes_release(&answer);
	close(lines);
	close(notes);
}

UNIT_TEST(a_kernel_is_that_of_the_boot)
{
	const uint64_t start = UINT64_C(0xffffffff81000000);

	assert_kernel(KALLSYMS, id, start, FILE_KERNEL_NAMED,
		      "1 _text+4, 2 global+255, 3 in_module+1");
	assert_kernel(KALLSYMS, id, start + 0x200000, FILE_OTHER_BOOT, "");
	assert_kernel(KALLSYMS, other_id, start, FILE_OTHER_BUILD_ID, "");
	/* Without the right to see addresses, all are zero. */
	assert_kernel("0000000000000000 T _text\n0000000000000000 t local\n", id, start,
		      FILE_NO_SYMBOLS, "");
}

/* --- the process --- */

struct asked {
	struct files *files;
	struct arena arena;
	struct file_name names[COUNT(text_places)];
};

static enum file_result ask(struct asked *asked, const char *path)
{
	struct file_request request = request_of(text_places, COUNT(text_places));

	request.path = str_of(path);
	memset(asked->names, 0, sizeof(asked->names));
	return files_ask(asked->files, &request, &asked->arena, asked->names);
}

UNIT_TEST(the_process_reads_one_file_after_the_other)
{
	struct error error = { .status = ST_OK };
	struct asked asked = { .files = NULL };
	char *too_long = unit_alloc(FILE_PATH_BYTES_MAX + 2);

	unit_directory();
	close(open_elf("program", &plain));
	unit_write_file(unit_path("text"), "#!/bin/sh\n", 10);
	asked.files = files_start(unit_path("."), &error);
	assert_non_null(asked.files);
	assert_int_equal(ask(&asked, "/program"), FILE_NAMED);
	ASSERT_STR(asked.names[0].name, "first");
	ASSERT_STR(asked.names[1].name, "label");
	ASSERT_STR(asked.names[2].name, "last");
	assert_int_equal(asked.names[2].offset, 15);
	assert_int_equal(ask(&asked, "/nothing"), FILE_NONE);
	assert_int_equal(ask(&asked, "/text"), FILE_UNREADABLE);
	assert_null(asked.names[0].name.ptr);
	memset(too_long, 'x', FILE_PATH_BYTES_MAX + 1);
	assert_int_equal(ask(&asked, too_long), FILE_NONE);
	/* A path of the trace that is below the root already. */
	assert_int_equal(ask(&asked, unit_path("./program")), FILE_NAMED);
	files_stop(asked.files);
	arena_release(&asked.arena);
}
