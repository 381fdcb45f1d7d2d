# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# redis-server with its own client: an event loop (epoll), background threads, jemalloc; on a unix socket.
needs=(redis-server redis-benchmark redis-cli)

prepare() { :; }

cli() { redis-cli -s redis.sock "$@"; }

work() {
	(server redis-server --port 0 --unixsocket redis.sock --save '' --appendonly no --enable-debug-command local) &
	local pid=$! tries=0
	until grep -q 'ready to accept' ../stdout.raw; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] && kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
	measured redis-benchmark -s redis.sock -n $((scale * 1500)) -c 20 -P 4 --csv \
		-t set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100
	measured redis-benchmark -s redis.sock -n $((scale * 1500)) -c 8 --threads 2 --csv -t set,get
	measured redis-cli -s redis.sock info commandstats | sort
	measured redis-cli -s redis.sock dbsize
	measured redis-cli -s redis.sock no-such-command
	cli save
	cli shutdown nosave
	wait "$pid"
	echo "the server's status: $?"
}

# Rates and latencies of the client's table, times of the server's statistics (not its counts), the log's process
# id and time.
filter() {
	sed -E -e '/^"[A-Z]/s/,"[0-9.]+"/,"N"/g' \
		-e 's/,usec=[0-9]+,usec_per_call=[0-9.]+/,T/' \
		-e 's/^[0-9]+:([A-Z]) [0-9]+ [A-Z][a-z]+ [0-9]{4} [0-9:.]+/P:\1 T/' \
		-e 's/(Redis version=.*, pid=)[0-9]+/\1P/'
}
