#!/bin/sh
# SPDX-License-Identifier: MIT
# The sealed core: who may include whom, and which symbols the core's objects may ask for
# (doc/determinism.md). Reads the sources under $top_srcdir and the archives under $top_builddir;
# then breaks each rule in a small tree of its own and expects to be told.
set -u
srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${top_builddir:-$srcdir}
nm=${NM:-nm}
cc=${CC:-cc}
LC_ALL=C
export LC_ALL

# --- includes: a violation a line, for the tree at $1 ---------------------------------------
include_violations() (
  cd "$1" || exit 1
  find core transport sim daemon -name '*.[ch]' -o -name '*.def' 2>/dev/null | sort |
    xargs grep -HE '^[[:space:]]*#[[:space:]]*include' /dev/null | awk '
    BEGIN {
      # The floors, lowest first: what a folder may include besides itself.
      may["core/base"] = ""
      may["core/amqp"] = "core/base"
      may["core/broker"] = "core/base core/amqp"
      may["core/store"] = may["core/broker"] " core/broker"
      may["core/session"] = may["core/store"] " core/store"
      may["core/cluster"] = may["core/session"] " core/session transport/transport.h"
      may["core/handlers"] = may["core/session"] " core/session core/cluster"
      may["core/node"] = may["core/handlers"] " core/handlers transport/transport.h"
      may["core/management"] = may["core/node"] " core/node"
      may["transport"] = "core/base"
      may["sim"] = may["core/management"] " core/management transport"
      may["daemon"] = "core/base core/node core/management core/session/client.h transport"
      # What the sealed folders need of the system: values and formats, no input and no output.
      pure = " glib.h string.h stdarg.h stddef.h stdint.h stdbool.h inttypes.h limits.h float.h "
      files = " stdio.h stdlib.h errno.h "
      # The processes in which runs of the simulator run; the runs know nothing of them.
      processes = " errno.h poll.h signal.h string.h sys/wait.h unistd.h "
      # It tells clients our version, and that is all.
      greeting = "core/session/client_handshake.c"
    }
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    function allowed(from, path,    n, i, names) {
      if (folder(path) == from)
        return 1
      n = split(may[from], names, " ")
      for (i = 1; i <= n; i++)
        if (path == names[i] || folder(path) == names[i])
          return 1
      return 0
    }
    {
      file = $0; sub(/:.*/, "", file)
      from = folder(file)
      what = $0; sub(/^[^:]*:[ \t]*#[ \t]*include[ \t]*/, "", what)
      quoted = substr(what, 1, 1) == "\""
      name = substr(what, 2); sub(/[">].*$/, "", name)
      sealed = from ~ /^core\// || (from == "transport" && file !~ /^transport\/corosync_/)
      if (!(from in may))
        print file ": a folder without a floor"
      else if (!quoted && name ~ /^corosync\// && file !~ /^transport\/corosync_/)
        print file ": " name ": corosync belongs to transport/corosync_*"
      else if (!quoted && sealed && index(pure, " " name " ") == 0)
        print file ": " name ": the outside world"
      else if (!quoted && file ~ /^sim\/sweep_workers\./ && index(processes, " " name " ") > 0)
        next
      else if (!quoted && from == "sim" && index(pure files, " " name " ") == 0)
        print file ": " name ": the outside world"
      else if (quoted && name == "config.h" && from !~ /^(sim|daemon)$/ && file != greeting)
        print file ": " name ": local settings"
      else if (quoted && name != "config.h" && !allowed(from, name))
        print file ": " name ": not below " from
    }'
)

# --- symbols: a violation a line, for the objects under $1 ----------------------------------
# Besides what reads the outside world: qsort leaves the order of equals to the C library, and
# a GHashTable iterates in the order of its hashes, which may be addresses.
clock='clock|clock_gettime|clock_nanosleep|gettimeofday|time|times|localtime(_r)?|gmtime(_r)?'
clock="$clock|mktime|strftime|sleep|usleep|nanosleep|g_usleep|g_get_monotonic_time|g_get_real_time"
clock="$clock|g_get_current_time|g_date_time_new_now.*|g_timer_.*"
random='rand|rand_r|random|random_r|srand|srandom|[a-z]rand48(_r)?|g_random_.*|g_rand_.*|getrandom'
random="$random|getentropy|arc4random.*|g_uuid_.*"
environment='getenv|secure_getenv|setenv|putenv|environ|g_getenv|g_setenv|g_get_environ'
environment="$environment|g_environ_.*|getpid|gethostname|g_get_(host|user|real)_name|sysconf"
environment="$environment|setlocale|strcoll|strxfrm|g_utf8_collate.*"
threads='pthread_.*|thrd_.*|mtx_.*|cnd_.*|fork|g_thread_.*|g_mutex_.*|g_rec_mutex_.*|g_rw_lock_.*'
threads="$threads|g_cond_.*|g_private_.*|g_once_.*|g_async_queue_.*"
loop='g_main_.*|g_source_.*|g_timeout_.*|g_idle_.*|g_unix_.*|g_poll|poll|ppoll|select|epoll_.*'
objects='g_object_.*|g_signal_.*|g_type_.*|g_variant_.*|g_socket_.*|g_io_.*|g_bus_.*|g_settings_.*'
unordered='g_hash_table_(iter_.*|foreach.*|find|get_keys.*|get_values.*|steal_all_.*)|qsort|qsort_r'
sockets='socket|socketpair|bind|listen|accept4?|connect|send|sendto|sendmsg|recv|recvfrom|recvmsg'
sockets="$sockets|ioctl|fcntl(64)?|pipe2?|eventfd|timerfd_.*|signal|sigaction|cpg_.*"
files='open(64|at|at64)?|creat|read|readv|pread(64)?|write|writev|pwrite(64)?|close|mmap(64)?'
files="$files|fopen(64)?|fdopen|freopen|fread|fwrite|fputs|fputc|putc|puts|printf|fprintf|vfprintf"
files="$files|perror|stdout|stderr|stdin|g_print|g_printerr|g_file_.*|g_mkdir.*|g_io_channel_.*"
nowhere="$clock|$random|$environment|$threads|$loop|$objects|$unordered|$sockets"
# The simulator's own input and output: options, scenario files, traces and reports.
sim_files='(main|command_[a-z]+|trace_writer|report|space_time|scenario_[a-z]+|shrink_runs)\.o$'

# A line for every symbol of the objects under $1, object's name first.
symbols() (
  cd "$1" || exit 1
  find core transport sim -name '*.a' -o -path 'sim/*.o' 2>/dev/null | sort |
    xargs -r "$nm" -A 2>/dev/null
)

# The processes and the real time in which runs of the simulator run (sim/sweep_workers.h): the one
# object of sim/ that has them, and no more of the outside world than that.
sim_processes='sweep_workers\.o$'
processes='g_get_monotonic_time|fork|pipe|poll|signal|sigaction|read|write|close'

symbol_violations() {
  symbols "$1" | awk 'NF >= 2 && $(NF - 1) == "U" { sub(/:$/, "", $1); print $1, $NF }' |
    awk -v nowhere="^($nowhere)\$" -v files="^($files)\$" -v sim_files="$sim_files" \
    -v processes="^($processes)\$" -v sim_processes="$sim_processes" '
    $1 ~ /^transport\// && $1 ~ /corosync_[a-z_]*\.o$/ { next }
    $1 ~ /^sim\// && $1 ~ sim_processes && $2 ~ processes { next }
    $2 ~ nowhere { print $1 ": " $2; next }
    $2 ~ files && !($1 ~ /^sim\// && $1 ~ sim_files) { print $1 ": " $2 }'
}

# Likewise for what was linked, from wherever it came; $1 is the program.
program_violations() {
  "$nm" -u "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
    awk -v nowhere="^($nowhere)\$" -v processes="^($processes)\$" -v name="${1##*/}" '
    $1 ~ nowhere && $1 !~ processes { print name ": " $1 }'
}

# --- values: a violation a line, for the tree at $1 -------------------------------------------
# An address as a number or as text is another one in each process. Reals are rounded by compilers
# and machines as they like: they pass through in field tables, nothing is decided by one.
# sim/probes.c has a cache by address: what it finds there it would find elsewhere, too.
value_violations() (
  cd "$1" || exit 1
  find core transport sim -name '*.[ch]' ! -name 'corosync_*' 2>/dev/null | sort | xargs -r awk '
    /^ +\* / { next }
    { code = $0; sub(/\/\*.*/, "", code) }
    code ~ /%p|GPOINTER_TO_SIZE|uintptr_t|intptr_t|g_direct_hash/ && FILENAME != "sim/probes.c" {
      print FILENAME ":" FNR ": an address as a value"
    }
    FILENAME ~ /^core\/amqp\/field_table/ { next }
    { gsub(/"[^"]*"/, "", code) }
    code ~ /(^|[^A-Za-z_])g?(double|float)([^A-Za-z_]|$)/ {
      print FILENAME ":" FNR ": a real"
    }'
)

# Each source of the sealed folders is in an archive (or, in sim, an object) that was looked at.
unread_sources() {
  objects=$(symbols "$2" | sed -n 's/.*[:/]\([^:/]*\)\.o:.*/\1/p' | sort -u)
  (cd "$1" && find core transport sim -name '*.c' 2>/dev/null | sort) | while read -r source; do
    case $source in transport/corosync_*) continue ;; esac
    name=$(basename "$source" .c)
    printf '%s\n' "$objects" | grep -qE "^(.*-)?$name\$" || echo "$source: in no archive"
  done
}

# --- TAP ---------------------------------------------------------------------------------------
count=0
report() { # text, violations
  count=$((count + 1))
  if [ -z "$2" ]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    printf '%s\n' "$2" | sed 's/^/# /'
  fi
}

expect() { # text, what the violation has to say, violations
  count=$((count + 1))
  if printf '%s\n' "$3" | grep -qF -- "$2" && [ "$(printf '%s\n' "$3" | wc -l)" -eq 1 ]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    printf '%s\n' "expected: $2" "$3" | sed 's/^/# /'
  fi
}

report 'includes go downward only' "$(include_violations "$srcdir")"
report 'the core asks for nothing of the outside world' "$(symbol_violations "$builddir")"
report 'consort-sim, as linked, asks for no more than its workers do' \
  "$(program_violations "$builddir/consort-sim")"
report 'no address and no real decides' "$(value_violations "$srcdir")"
report 'every source of the core was looked at' "$(unread_sources "$srcdir" "$builddir")"

temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
mkdir -p "$temp/core/amqp" "$temp/core/cluster" "$temp/core/session" "$temp/transport" \
  "$temp/sim" "$temp/daemon"

while read -r file include; do
  echo "#include $include" > "$temp/$file"
  name=$(printf '%s\n' "$include" | tr -d '"<>')
  case $file in
    *good.*) report "takes: $file including $include" "$(include_violations "$temp")" ;;
    *) expect "bites: $file including $include" "$file: $name:" "$(include_violations "$temp")" ;;
  esac
  rm "$temp/$file"
done <<'ROWS'
core/amqp/bad.c "core/broker/queue.h"
core/session/bad.h "core/cluster/cluster.h"
core/cluster/bad.c "transport/sim_network.h"
core/cluster/bad.c "core/handlers/chain_builder.h"
core/amqp/bad.c "method.h"
core/amqp/bad.c "config.h"
core/amqp/bad.c <time.h>
core/amqp/bad.c <gio/gio.h>
transport/bad.c "core/amqp/frame.h"
transport/sim_bad.c <corosync/cpg.h>
transport/sim_bad.c <unistd.h>
sim/bad.c "daemon/listener.h"
sim/bad.c <sys/socket.h>
sim/bad.c <sys/wait.h>
sim/sweep_workers.c <sys/socket.h>
daemon/bad.c "core/broker/queue.h"
core/cluster/good.c "transport/transport.h"
core/session/good.c "core/broker/queue.h"
sim/good.c "core/node/node.h"
sim/sweep_workers.good.c <sys/wait.h>
daemon/good.c "core/session/client.h"
transport/corosync_good.c <corosync/cpg.h>
ROWS

while read -r file symbol; do
  object=$temp/${file%.c}.o
  printf 'extern int %s (void);\nint bad (void);\nint bad (void) { return %s (); }\n' \
    "$symbol" "$symbol" > "$temp/$file"
  archive=$(dirname "$object")/libbad.a
  # shellcheck disable=SC2086
  $cc -w -fno-builtin -c -o "$object" "$temp/$file" && ar cr "$archive" "$object" && rm "$object"
  expect "bites: $file calling $symbol" ": $symbol" "$(symbol_violations "$temp")"
  rm -f "$archive" "$temp/$file"
done <<'ROWS'
core/amqp/bad.c clock_gettime
core/amqp/bad.c time
core/amqp/bad.c g_random_int
core/amqp/bad.c getenv
core/amqp/bad.c pthread_create
core/amqp/bad.c g_timeout_add_full
core/amqp/bad.c g_hash_table_iter_next
core/amqp/bad.c g_hash_table_get_keys_as_array
core/amqp/bad.c qsort
core/amqp/bad.c read
transport/sim_bad.c g_get_monotonic_time
sim/bad.c fopen
sim/main.c rand
sim/sweep.c fork
sim/sweep_workers.c getenv
ROWS

while read -r file rule code; do
  printf '%s\n' "$code" > "$temp/$file"
  rule=$(printf '%s\n' "$rule" | tr _ ' ')
  case $rule in
    nothing) report "takes: $code" "$(value_violations "$temp")" ;;
    *) expect "bites: $code" "$file:1: $rule" "$(value_violations "$temp")" ;;
  esac
  rm "$temp/$file"
done <<'ROWS'
core/amqp/bad.c an_address_as_a_value trace_point (trace, name, "session %p", session);
core/amqp/bad.c an_address_as_a_value return (guint64) (uintptr_t) queue;
transport/sim_bad.c an_address_as_a_value seed = GPOINTER_TO_SIZE (group);
sim/bad.c an_address_as_a_value table = g_hash_table_new (g_direct_hash, g_direct_equal);
sim/bad.c a_real double share = 0.5;
core/amqp/bad.c a_real if ((gdouble) n / m > 2)
core/amqp/field_table.c nothing double value;
core/amqp/good.c nothing { 'd', "double" }, /* a double */
ROWS

printf 'int rand (void);\nint main (void) { return rand (); }\n' > "$temp/program.c"
# shellcheck disable=SC2086
$cc -w -fno-builtin -o "$temp/program" "$temp/program.c"
expect 'bites: a program calling rand' 'program: rand' "$(program_violations "$temp/program")"

echo 'int lonely;' > "$temp/core/amqp/lonely.c"
expect 'bites: a source in no archive' 'core/amqp/lonely.c' "$(unread_sources "$temp" "$temp")"
echo "1..$count"
