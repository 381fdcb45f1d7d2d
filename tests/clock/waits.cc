/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits NAME: what the C++ library and C11 offer to wait with a limit, under a replayed clock. Each
 * prints what came of it, which must be the same in every replay.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <threads.h>
#include <time.h>

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

static constexpr milliseconds limit(50);

static void tell(const char *name, bool is_over, steady_clock::time_point begin)
{
	const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);

	printf("%s %d %d\n", name, is_over, waited >= limit);
}

/* ---- nobody comes -------------------------------------------------------------------------- */

static void conditions()
{
	std::mutex mutex;
	std::condition_variable condition;
	std::condition_variable_any any;
	std::unique_lock<std::mutex> lock(mutex);
	const auto never = [] { return false; };
	auto begin = steady_clock::now();

	tell("wait_for", !condition.wait_for(lock, limit, never), begin);
	begin = steady_clock::now();
	tell("wait_until", !condition.wait_until(lock, begin + limit, never), begin);
	begin = steady_clock::now();
	tell("wait_until-system",
		!condition.wait_until(lock, system_clock::now() + limit, never), begin);
	begin = steady_clock::now();
	tell("any", !any.wait_for(lock, limit, never), begin);
}

static void locks()
{
	std::timed_mutex mutex;
	std::recursive_timed_mutex recursive;
	std::shared_timed_mutex shared;
	std::lock_guard<std::timed_mutex> held(mutex);
	std::lock_guard<std::recursive_timed_mutex> held_too(recursive);
	std::lock_guard<std::shared_timed_mutex> held_all(shared);

	std::thread([&] {
		auto begin = steady_clock::now();

		tell("try_lock_for", !mutex.try_lock_for(limit), begin);
		begin = steady_clock::now();
		tell("try_lock_until", !mutex.try_lock_until(begin + limit), begin);
		begin = steady_clock::now();
		tell("try_lock_until-system", !mutex.try_lock_until(system_clock::now() + limit), begin);
		begin = steady_clock::now();
		tell("recursive", !recursive.try_lock_for(limit), begin);
		begin = steady_clock::now();
		tell("shared", !shared.try_lock_shared_for(limit), begin);
		begin = steady_clock::now();
		begin = steady_clock::now();
		tell("exclusive", !shared.try_lock_until(begin + limit), begin);
	}).join();
}

static void futures()
{
	std::promise<int> promise;
	auto future = promise.get_future();
	auto begin = steady_clock::now();

	tell("future", future.wait_for(limit) == std::future_status::timeout, begin);
	begin = steady_clock::now();
	tell("future-until", future.wait_until(begin + limit) == std::future_status::timeout, begin);
	begin = steady_clock::now();
	tell("future-system",
		future.wait_until(system_clock::now() + limit) == std::future_status::timeout, begin);
	promise.set_value(1);
	tell("future-ready", future.wait_for(limit) == std::future_status::ready, begin);
}

static void sleeps()
{
	auto begin = steady_clock::now();

	std::this_thread::sleep_for(limit);
	tell("sleep_for", true, begin);
	begin = steady_clock::now();
	std::this_thread::sleep_until(begin + limit);
	tell("sleep_until", true, begin);
	begin = steady_clock::now();
	std::this_thread::sleep_until(system_clock::now() + limit);
	tell("sleep_until-system", true, begin);
}

static int hold(void *mutex)
{
	mtx_lock(static_cast<mtx_t *>(mutex));
	return 0;
}

static timespec later()
{
	timespec until;

	timespec_get(&until, TIME_UTC);
	until.tv_nsec += limit.count() * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

static void c11()
{
	const timespec wait = {0, limit.count() * 1000000};
	thrd_t thread;
	cnd_t condition;
	mtx_t mutex, held;
	timespec until;

	cnd_init(&condition);
	mtx_init(&mutex, mtx_timed);
	mtx_init(&held, mtx_timed);
	thrd_create(&thread, hold, &held);
	thrd_join(thread, nullptr);
	mtx_lock(&mutex);
	auto begin = steady_clock::now();
	until = later();
	tell("cnd_timedwait", cnd_timedwait(&condition, &mutex, &until) == thrd_timedout, begin);
	begin = steady_clock::now();
	until = later();
	tell("mtx_timedlock", mtx_timedlock(&held, &until) == thrd_timedout, begin);
	begin = steady_clock::now();
	tell("thrd_sleep", thrd_sleep(&wait, nullptr) == 0, begin);
}

/* ---- somebody comes ------------------------------------------------------------------------ */

/* By turns, far within the limit: how long each turn takes does not matter. */
static void turns()
{
	std::mutex mutex;
	std::condition_variable condition;
	unsigned turn = 0, late = 0;
	const auto play = [&](unsigned mine) {
		std::unique_lock<std::mutex> lock(mutex);

		for (; turn < 2000; turn++, condition.notify_one())
			late += !condition.wait_for(lock, std::chrono::seconds(100),
				[&] { return turn % 2 == mine || turn >= 2000; });
	};
	std::thread other(play, 1);

	play(0);
	other.join();
	printf("%u late\n", late);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} all[] = {{"conditions", conditions}, {"locks", locks}, {"futures", futures},
		{"sleeps", sleeps}, {"c11", c11}, {"turns", turns}};

	for (const auto &one : all)
		if (argc == 2 && strcmp(argv[1], one.name) == 0) {
			one.run();
			return 0;
		}
	fprintf(stderr, "waits NAME\n");
	return 2;
}
