/*
 * elf_names.c - names of functions from an ELF file, read with libelf.
 *
 * Runs in a process that has no permissions: libelf is not made for hostile files.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/files/read.h"

#define LOADS_MAX 256 /* parts of a file that are mapped */

/* --- build ids --- */

static bool is_same_id(const struct file_request *request, const uint8_t *id, size_t size)
{
	return size >= request->build_id_bytes && request->build_id_bytes &&
	       memcmp(id, request->build_id, request->build_id_bytes) == 0 &&
	       /* Recorders of old cut long ids off, and dropped zeros at the end. */
	       (size == request->build_id_bytes || request->build_id_bytes >= 16);
}

/* Whether the notes have a build id; then *same says whether it is the wanted one. */
static bool find_id(Elf_Data *notes, const struct file_request *request, bool *same)
{
	size_t at = 0, name, body, next;
	GElf_Nhdr note;

	while (notes && (next = gelf_getnote(notes, at, &note, &name, &body)) > at) {
		const uint8_t *bytes = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    name + 4 <= notes->d_size && memcmp(bytes + name, "GNU", 4) == 0 &&
		    body <= notes->d_size && note.n_descsz <= notes->d_size - body) {
			*same = is_same_id(request, bytes + body, note.n_descsz);
			return true;
		}
		at = next;
	}
	return false;
}

static bool has_id(Elf *elf, const struct file_request *request)
{
	size_t count = 0;
	Elf_Scn *section = NULL;
	bool same = false;

	if (elf_getphdrnum(elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		Elf_Data *notes;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		notes = elf_getdata_rawchunk(
			elf, (int64_t)header.p_offset, header.p_filesz,
			header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (find_id(notes, request, &same))
			return same;
	}
	/* In a file of debug information only sections have what was there. */
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    find_id(elf_getdata(section, NULL), request, &same))
			return same;
	}
	return false;
}

/* --- functions --- */

static bool is_code(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
		return false;
	section = elf_getscn(elf, symbol->st_shndx);
	return section && gelf_getshdr(section, &header) &&
	       (header.sh_flags & SHF_EXECINSTR) != 0;
}

/* As perf chooses: functions, with a size, not weak, global, few underscores. */
static uint32_t rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	unsigned int bind = GELF_ST_BIND(symbol->st_info);
	uint32_t underscores = 0;

	while (underscores < 7 && name[underscores] == '_')
		underscores++;
	return (type != STT_NOTYPE ? 256u : 0) | (symbol->st_size ? 128u : 0) |
	       (bind != STB_WEAK ? 64u : 0) | (bind == STB_GLOBAL ? 32u : 0) |
	       (7 - underscores);
}

static void add_symbol(Elf *elf, const GElf_Sym *symbol, const char *name,
		       struct functions *functions)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	GElf_Ehdr header;
	struct function function = {
		.start = symbol->st_value,
		.bytes = symbol->st_size,
		.name = name,
	};

	/* Marks of the assembler ($x, $d) are not functions. */
	if (!name || !name[0] || name[0] == '$' ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    !is_code(elf, symbol))
		return;
	if (gelf_getehdr(elf, &header) && header.e_machine == EM_ARM && type == STT_FUNC)
		function.start &= ~(uint64_t)1; /* Thumb */
	function.rank = rank_of(symbol, name);
	functions_add(functions, &function);
}

/* All of one kind of table. */
static void add_symbols(Elf *elf, unsigned int kind, struct functions *functions)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)) != NULL && !functions->failed) {
		GElf_Shdr header;
		Elf_Data *data;
		size_t count;

		if (!gelf_getshdr(section, &header) || header.sh_type != kind ||
		    header.sh_entsize == 0)
			continue;
		data = elf_getdata(section, NULL);
		count = data ? data->d_size / header.sh_entsize : 0;
		for (size_t i = 1; i < count && i < INT32_MAX && !functions->failed;
		     i++) {
			GElf_Sym symbol;

			if (!gelf_getsym(data, (int)i, &symbol))
				break;
			add_symbol(elf, &symbol,
				   elf_strptr(elf, header.sh_link, symbol.st_name),
				   functions);
		}
	}
}

/* --- places --- */

/* File offsets to the addresses that symbols have. */
static bool to_addresses(Elf *elf, const struct file_request *request, uint64_t *places)
{
	GElf_Phdr loads[LOADS_MAX];
	size_t count = 0, headers = 0;

	if (elf_getphdrnum(elf, &headers) != 0)
		return false;
	for (size_t i = 0; i < headers && count < LOADS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &loads[count]) &&
		    loads[count].p_type == PT_LOAD)
			count++;
	for (uint32_t i = 0; i < request->count; i++) {
		uint64_t place = request->places[i];
		bool is_code = false;

		places[i] = UINT64_MAX;
		for (size_t k = 0; k < count; k++) {
			const GElf_Phdr *load = &loads[k];

			if (place < load->p_offset ||
			    place - load->p_offset >= load->p_filesz || is_code)
				continue;
			places[i] = place - load->p_offset + load->p_vaddr;
			is_code = (load->p_flags & PF_X) != 0;
		}
	}
	return count != 0;
}

/* --- names of a file --- */

static enum file_result name_places(Elf *elf, Elf *debug,
				    const struct file_request *request,
				    struct bytes *answer)
{
	struct functions functions = { .count = 0 };
	uint64_t *places = memory_alloc((request->count + 1) * sizeof(*places));
	enum file_result result = FILE_UNREADABLE;

	if (places && to_addresses(elf, request, places)) {
		if (debug)
			add_symbols(debug, SHT_SYMTAB, &functions);
		add_symbols(elf, SHT_SYMTAB, &functions);
		if (!functions.count)
			add_symbols(elf, SHT_DYNSYM, &functions);
		result = functions.count ? FILE_NAMED : FILE_NO_SYMBOLS;
		if (functions.failed ||
		    !functions_answer(&functions, places, request->count, answer))
			result = FILE_UNREADABLE;
	}
	free(functions.list);
	free(places);
	return result;
}

enum file_result elf_names(int fd, int debug_fd, const struct file_request *request,
			   struct bytes *answer)
{
	enum file_result result = FILE_UNREADABLE;
	Elf *elf, *debug = NULL;
	GElf_Ehdr header;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return result;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (debug_fd >= 0)
		debug = elf_begin(debug_fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	    (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
		bool same_debug = debug && elf_kind(debug) == ELF_K_ELF &&
				  gelf_getehdr(debug, &header) && has_id(debug, request);

		result = has_id(elf, request)
				 ? name_places(elf, same_debug ? debug : NULL, request,
					       answer)
				 : FILE_OTHER_BUILD_ID;
	}
	elf_end(debug);
	elf_end(elf);
	return result;
}
