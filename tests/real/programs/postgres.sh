# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# PostgreSQL: initdb (a chain of processes), a server of many processes that signal each other, pgbench.
needs=(setpriv)
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
needs+=("${bin:-/usr/lib/postgresql/bin}/postgres")

prepare() { :; }

as_user() { "${demoted[@]}" "${preload[@]}" "$@" </dev/null; }
# Asking it would leave lines in its log, as many as it takes.
answers() {
	local tries=0
	until grep -q '^ready' data/postmaster.pid 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] && kill -0 "$postmaster" 2>/dev/null || return 1
		sleep 0.1
	done
}

# Its folder is not ours: the user may not enter the build's.
work() {
	home=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-postgres.XXXXXX") || return 1
	chmod 777 "$home" && cd "$home" || return 1
	serve
	local status=$?
	cd / && rm -rf "$home"
	return "$status"
}

serve() {
	as_user "$bin/initdb" -D data -U me -A trust -N --no-instructions --locale=C || return 1
	(exec "${demoted[@]}" "${preload[@]}" "$bin/postgres" -D data -F -c listen_addresses= \
		-c unix_socket_directories=. -c log_checkpoints=off -c autovacuum=off -c max_logical_replication_workers=0 </dev/null) &
	postmaster=$!
	answers || return 1
	local bench=("$bin/pgbench" -h "$home/data" -U me --random-seed=1 -n postgres)
	as_user "$bin/pgbench" -h "$home/data" -U me -i -q -s $((scale / 4 + 1)) postgres
	as_user "${bench[@]}" -t $((scale * 100))
	as_user "${bench[@]}" -c 4 -j 2 -M prepared -t $((scale * 50))
	as_user "${bench[@]}" -c 2 -S -t $((scale * 200))
	as_user "$bin/psql" -h "$home/data" -U me -c 'select count(*) from pgbench_history' \
		-c 'select sum(length(filler)), count(*) from pgbench_accounts' -c 'select no_such_column' postgres
	local status=$?
	kill -TERM "$postmaster" # lets the last client's process end by itself
	wait "$postmaster"
	echo "the server's status: $?"
	return "$status"
}

# pgbench's rates and times (of its run, its phases and its transactions); the server's log has a time and a
# process id in front.
filter() {
	sed -E -e 's/^[0-9-]{10} [0-9:.]{12} (UTC \[)[0-9]+\]/T \1P]/' \
		-e 's/(database system was shut down at )[0-9-]{10} [0-9:]{8} UTC/\1T/' \
		-e 's/^((latency average|initial connection time|tps) = )[0-9.]+/\1N/' \
		-e 's/\(elapsed [0-9.]+ s, remaining [0-9.]+ s\)/(elapsed T)/' \
		-e 's/^done in [0-9.]+ s \((.*)\)\.$/done in T (\1)/' \
		-e '/^done in T/s/[0-9]+\.[0-9]+ s/T/g'
}
