#!/bin/bash
# machine.sh - emulated machines that record: from Debian packages to recordings.
#
#   machine.sh fetch MACHINE          kernel, perf, busybox and static libraries, once
#   machine.sh build MACHINE          our recorder, our workload, the initramfs
#   machine.sh run MACHINE JOB OUT    boots, runs JOB, unpacks what it leaves into OUT
#   machine.sh all MACHINE JOB OUT    these three
#
# MACHINE is DISTRIBUTION-ARCHITECTURE: bookworm-arm64, bookworm-s390x, trixie-arm64.
# Nothing foreign is run but in the emulator: packages are unpacked, not configured.
# What is fetched stays in PERFTAB_LAB (default: build/lab/machines).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
store=${PERFTAB_LAB:-$source_dir/build/lab/machines}
readonly stamp=@1700000000 # the kernel parses an initramfs's times: others, other counts

fail()
{
	echo "machine.sh: $*" >&2
	exit 1
}

# seconds WHAT COMMAND...: says how long it took, on stderr
seconds()
{
	local what=$1 begin end

	shift
	begin=$(date +%s%N)
	"$@"
	end=$(date +%s%N)
	printf '[lab] %s: %d.%d s\n' "$what" $(((end - begin) / 1000000000)) \
		$(((end - begin) / 100000000 % 10)) >&2
}

# --- what comes from Debian ---

# Files that a program needs besides itself, by name, from the unpacked packages.
libraries_of()
{
	local root=$1 seen=" " file name path
	local -a todo=("$2")

	while ((${#todo[@]})); do
		file=${todo[0]}
		todo=("${todo[@]:1}")
		for name in $(readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p') \
			$(readelf -l "$file" 2>/dev/null | sed -n 's/.*interpreter: .*\/\([^/]*\)\]/\1/p'); do
			[[ $seen != *" $name "* ]] || continue
			seen+="$name "
			path=$(find "$root" -name "$name" -print -quit)
			[[ -n $path ]] || fail "perf needs $name, which no package brought"
			echo "$path"
			todo+=("$path")
		done
	done
}

# The drivers of the disk that hands the recordings over, in the order they are loaded.
keep_drivers()
{
	local root=$1 keep=$2 name path

	: >"$keep/drivers.list"
	for name in virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev \
		virtio_pci virtio_blk; do
		[[ $architecture != s390x || $name != virtio_pci* ]] || continue
		path=$(find "$root" -name "$name.ko*" -print -quit)
		case $path in
		'') continue ;; # part of the kernel
		*.xz) xz -dc "$path" >"$keep/drivers/$name.ko" ;;
		*) cp "$path" "$keep/drivers/$name.ko" ;;
		esac
		echo "/drivers/$name.ko" >>"$keep/drivers.list"
	done
}

# Static libraries for the recorder: of the release that the cross compiler is of, so that
# its C library has what they use, whatever the machine runs.
fetch_libraries()
{
	local mirror=$1 libraries=$folder/libraries release

	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	rm -rf "$libraries"
	mkdir -p "$libraries"
	mmdebstrap --quiet --variant=extract --architectures="$architecture" \
		--include="libzstd-dev,libbpf-dev,libelf-dev,zlib1g-dev" \
		"$release" "$folder/root.tar" "$mirror" 2>"$folder/fetch.log" ||
		fail "cannot fetch: $(tail -1 "$folder/fetch.log")"
	tar -C "$libraries" -xf "$folder/root.tar" --exclude='./dev/*'
	rm "$folder/root.tar"
	cp -r "$libraries"/usr/include/{zstd*.h,bpf} "$keep/usr/include/"
	cp "$libraries/usr/lib/$triplet"/lib{zstd,bpf,elf,z}.a "$keep/usr/lib/$triplet/"
	rm -rf "$libraries"
}

fetch()
{
	local root=$folder/root keep=$folder/keep
	local mirror

	[[ ! -e $keep/complete ]] || return 0
	command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing: scripts/install-packages lab"
	mirror=$(apt-get indextargets --format "\$(SITE)" | head -1)
	rm -rf "$root" "$keep"
	mkdir -p "$root" "$keep"/{bin,lib,drivers,usr/include,"usr/lib/$triplet"}
	mmdebstrap --quiet --variant=extract --architectures="$architecture" \
		--include="linux-perf,busybox-static,linux-image-$architecture" \
		"$distribution" "$folder/root.tar" "$mirror" 2>"$folder/fetch.log" ||
		fail "cannot fetch: $(tail -1 "$folder/fetch.log")"
	tar -C "$root" -xf "$folder/root.tar" --exclude='./dev/*'
	rm "$folder/root.tar"
	fetch_libraries "$mirror"

	cp -L "$(find "$root" -path '*/bin/busybox' -print -quit)" "$keep/bin/busybox"
	cp -L "$root/usr/bin/perf" "$keep/bin/perf"
	libraries_of "$root" "$root/usr/bin/perf" | xargs cp -Lt "$keep/lib"
	keep_drivers "$root" "$keep"
	cp -L "$(find "$root/boot" -name 'vmlinuz-*' -print -quit)" "$keep/kernel"
	rm -rf "$root"
	touch "$keep/complete"
}

# --- what is ours ---

# The recorder as the presets build it, with Debian's static libraries.
build_recorder()
{
	cmake -S "$source_dir" -B "$folder/recorder" --preset "$architecture" \
		-DCMAKE_FIND_ROOT_PATH="$folder/keep" >"$folder/build.log"
	cmake --build "$folder/recorder" >>"$folder/build.log" ||
		fail "$(cat "$folder/build.log")"
}

build()
{
	local files=$folder/files name

	command -v "$triplet-gcc" >/dev/null || fail "$triplet-gcc is missing: scripts/install-packages cross"
	build_recorder
	rm -rf "$files"
	mkdir -p "$files"
	cp -r "$folder"/keep/{bin,lib,drivers,drivers.list} "$files/"
	ln -s lib "$files/lib64"
	ln -s busybox "$files/bin/sh"
	"$triplet-gcc" -std=gnu11 -O2 -Wall -Wextra -Wconversion -Werror -static -nostdlib \
		-ffreestanding -fno-stack-protector -o "$files/bin/counted_work" \
		"$here/counted_work.c"
	"$triplet-strip" -o "$files/bin/perftab-capture" "$folder/recorder/tools/perftab-capture"
	install -m 755 "$here/guest_init" "$files/init"
	pack "$files" >"$folder/base.cpio"
	rm -rf "$files"
}

pack()
{
	find "$1" -exec touch -h -d "$stamp" {} +
	(cd "$1" && find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc -R 0:0)
}

# --- running ---

emulator()
{
	local -a command

	case $architecture in
	arm64) # the architected pointer authentication is four times as slow
		command=(qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on
			-append "console=ttyAMA0 quiet panic=-1 nokaslr"
			-device virtio-blk-pci,drive=disk)
		;;
	s390x)
		command=(qemu-system-s390x -M s390-ccw-virtio -cpu max
			-append "console=ttysclp0 quiet panic=-1 nokaslr"
			-device virtio-blk-ccw,drive=disk)
		;;
	esac
	# One CPU, which takes 2 ns for an instruction, and no look at the host's clock: with
	# more than one the instruction counters of all CPUs count alike.
	"${command[@]}" -smp 1 -m 1G -icount shift=1,sleep=off \
		-rtc base=2026-01-01,clock=vm -seed 1 -nographic -no-reboot -nic none \
		-nodefaults -monitor none "$@"
}

run()
{
	local job=$1 out=$2 scratch

	[[ -e $folder/base.cpio ]] || fail "build $machine first"
	scratch=$(mktemp -d)
	# shellcheck disable=SC2064
	trap "rm -rf '$scratch'" EXIT
	rm -rf "$out"
	mkdir -p "$out" "$scratch/more"
	cp "$here/guest.sh" "$scratch/more/"
	cp "$here/jobs/$job.sh" "$scratch/more/job.sh"
	{
		cat "$folder/base.cpio"
		pack "$scratch/more"
	} >"$scratch/initrd"
	truncate -s 64M "$scratch/disk"
	timeout "${LIMIT:-900}" bash -c "$(declare -f emulator); architecture=$architecture; emulator \"\$@\"" - \
		-serial "file:$out/console.log" -kernel "$folder/keep/kernel" \
		-initrd "$scratch/initrd" \
		-drive "file=$scratch/disk,format=raw,if=none,id=disk" \
		</dev/null >"$out/emulator.log" 2>&1 || fail "the emulator failed: $(cat "$out/emulator.log")"
	tar -C "$out" -xf "$scratch/disk" 2>/dev/null || {
		tail -20 "$out/console.log" >&2
		fail "the machine handed nothing over"
	}
}

(($# == 2 || $# == 4)) || {
	sed -n '4,7s/^# *//p' "$0" >&2
	exit 2
}
machine=$2
distribution=${machine%-*}
architecture=${machine#*-}
folder=$store/$machine
case $architecture in
arm64) triplet=aarch64-linux-gnu ;;
s390x) triplet=s390x-linux-gnu ;;
*) fail "$machine: not a machine" ;;
esac
mkdir -p "$folder"
case $1 in
fetch | build) seconds "$1 $machine" "$1" ;;
run) seconds "run $machine $3" run "$3" "$4" ;;
all)
	seconds "fetch $machine" fetch
	seconds "build $machine" build
	seconds "run $machine $3" run "$3" "$4"
	cat "$4/console.log"
	;;
*) fail "$1: not a task" ;;
esac
