/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look at a thread. Most find what the last one found: a thread whose CPU clock has not moved
 * is still in the same sleep, and its entry is at hand. Context: the thread of off_cpu.c.
 */
#include "gate/sampler/offcpu/off_cpu.h"

#include "gate/sampler/offcpu/off_cpu_walk.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/regions.h"
#include "gate/sampler/thread/slots.h"

#define MAX_SLEEPERS 8192

/* A thread as it was at its last look. */
struct sleeper {
	pid_t tid;
	bool has_usage; /* used_ns counts; without it only looks that find it asleep do */
	uint64_t wall_ns, cpu_ns, used_ns;
	int64_t owed_ns;        /* asleep, and not recorded yet */
	struct fg_entry *entry; /* where its sleep is recorded, NULL: it was not asleep */
	uint32_t epoch;         /* of the entry */
};

/* The directory lists threads in the order of their making:
 * one pass over both keeps them matched. */
struct fg_looker {
	struct fg_thread *own;
	struct fg_task_list list;
	uint32_t count, next, kept; /* known; where the next is looked for; seen in this round */
	struct sleeper known[MAX_SLEEPERS], seen[MAX_SLEEPERS];
};

size_t fg_looker_bytes(void)
{
	return sizeof(struct fg_looker);
}

struct fg_looker *fg_looker_open(void *memory, struct fg_thread *own, int tasks_fd)
{
	struct fg_looker *looker = memory;

	looker->own = own;
	looker->list.fd = tasks_fd;
	return looker;
}

/* ---- weights --------------------------------------------------------------------------------- */

static bool is_new(const struct sleeper *sleeper)
{
	return sleeper->wall_ns == 0;
}

/* Brings what is owed up to now. */
static void settle(
	struct sleeper *sleeper, int tasks_fd, bool asleep, uint64_t now, uint64_t period_ns)
{
	uint64_t used = 0, passed = now - sleeper->wall_ns;
	bool has_usage = fg_usage_read(tasks_fd, sleeper->tid, &used);

	if (is_new(sleeper))
		sleeper->owed_ns = asleep ? (int64_t)period_ns : 0;
	else if (has_usage && sleeper->has_usage)
		sleeper->owed_ns += (int64_t)passed - (int64_t)(used - sleeper->used_ns);
	else
		sleeper->owed_ns = asleep ? (int64_t)passed : 0;
	sleeper->has_usage = has_usage;
	sleeper->used_ns = used;
	sleeper->wall_ns = now;
}

/* Something is owed. */
static void pay(struct sleeper *sleeper)
{
	fg_entry_add(sleeper->entry, (uint64_t)sleeper->owed_ns);
	sleeper->owed_ns = 0;
}

/* ---- a look ---------------------------------------------------------------------------------- */

static bool same_place(const struct fg_place *a, const struct fg_place *b)
{
	return a->call == b->call && a->sp == b->sp && a->pc == b->pc;
}

/*
 * Still in the same sleep: it has neither run nor gone elsewhere while we walked. The clock says
 * both where it is fine-grained.
 */
static bool sleeps_on(int tasks_fd, const struct sleeper *sleeper, const struct fg_place *place)
{
	struct fg_place now;
	uint64_t cpu_ns;

	return fg_activity_read(tasks_fd, sleeper->tid, &now) == FG_ACTIVITY_ASLEEP &&
	       same_place(place, &now) && fg_thread_cpu_ns(sleeper->tid, &cpu_ns) &&
	       cpu_ns == sleeper->cpu_ns;
}

static void walk_stack(struct fg_thread *own, const struct fg_place *place, struct fg_walk *walk)
{
	uint32_t layout = fg_modules_layout();

	if (own->layout != layout) {
		fg_rule_cache_forget(own->rules);
		own->layout = layout;
	}
	*walk = (struct fg_walk){.pcs = own->pcs, .exact = own->exact};
	walk->depth = fg_unwind_sleeper(
		own->rules, place->pc, place->sp, own->pcs, own->exact, FG_MAX_DEPTH, &walk->end);
	walk->hash = fg_walk_hash(walk);
}

/* The region that the thread is in. */
static uint32_t context_of(pid_t tid)
{
	const struct fg_thread *slot;
	uint32_t context;

	if (!fg_slots_lock())
		return 0;
	slot = fg_slot_of_tid(tid);
	context = slot ? __atomic_load_n(&slot->context, __ATOMIC_RELAXED) : 0;
	fg_slots_unlock();
	return context;
}

/* Walks the stack of a thread that sleeps at place, and records its sleep. */
static bool record(struct fg_looker *looker, struct sleeper *sleeper, const struct fg_place *place)
{
	const struct fg_key key = {FG_KIND_OFF_CPU, fg_epoch(), context_of(sleeper->tid)};
	struct fg_entry *entry;
	struct fg_walk walk;

	walk_stack(looker->own, place, &walk);
	if (!sleeps_on(looker->list.fd, sleeper, place))
		return false;
	entry = fg_capture_entry(looker->own, &walk, &key);
	if (!entry)
		return false;
	sleeper->entry = entry;
	sleeper->epoch = key.epoch;
	pay(sleeper);
	fg_entry_publish(entry, walk.hash, &key);
	return true;
}

/* False when the thread is dead. */
static bool look_closely(
	struct fg_looker *looker, struct sleeper *sleeper, uint64_t now, uint64_t period_ns)
{
	enum fg_activity activity;
	struct fg_place place;

	activity = fg_activity_read(looker->list.fd, sleeper->tid, &place);
	settle(sleeper, looker->list.fd, activity == FG_ACTIVITY_ASLEEP, now, period_ns);
	if (activity == FG_ACTIVITY_UNKNOWN)
		fg_count(FG_COUNTER_LOOKS_FAILED);
	if (activity != FG_ACTIVITY_ASLEEP || sleeper->owed_ns <= 0)
		return activity != FG_ACTIVITY_DEAD;
	if (!fg_off_cpu_begin_walk()) {
		fg_count(FG_COUNTER_LOOKS_FAILED);
		return true;
	}
	if (!record(looker, sleeper, &place))
		fg_count(FG_COUNTER_LOOKS_FAILED);
	fg_off_cpu_end_walk();
	return true;
}

static bool look(struct fg_looker *looker, struct sleeper *sleeper, uint64_t period_ns)
{
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC), cpu_ns;

	if (!fg_thread_cpu_ns(sleeper->tid, &cpu_ns))
		return false;
	if (sleeper->entry && cpu_ns == sleeper->cpu_ns && sleeper->epoch == fg_epoch()) {
		sleeper->owed_ns = (int64_t)(now - sleeper->wall_ns);
		sleeper->wall_ns = now;
		pay(sleeper);
		return true;
	}
	sleeper->entry = NULL;
	sleeper->cpu_ns = cpu_ns;
	return look_closely(looker, sleeper, now, period_ns);
}

/* ---- a round --------------------------------------------------------------------------------- */

/* Its place among those seen in this round, as it was; NULL when there are too many. */
static struct sleeper *recall(struct fg_looker *looker, pid_t tid)
{
	struct sleeper *sleeper = &looker->seen[looker->kept];
	uint32_t at = looker->next;

	if (looker->kept == MAX_SLEEPERS)
		return NULL;
	looker->kept++;
	while (at < looker->count && looker->known[at].tid != tid)
		at++;
	if (at < looker->count) {
		*sleeper = looker->known[at];
		looker->next = at + 1;
	} else {
		*sleeper = (struct sleeper){.tid = tid};
	}
	return sleeper;
}

static void keep(struct fg_looker *looker)
{
	for (uint32_t i = 0; i < looker->kept; i++)
		looker->known[i] = looker->seen[i];
	looker->count = looker->kept;
	looker->kept = looker->next = 0;
}

static pid_t next_other(struct fg_looker *looker)
{
	pid_t tid;

	do
		tid = fg_task_next(&looker->list);
	while (tid && fg_off_cpu_is_own(tid));
	return tid;
}

static void rewind_list(struct fg_looker *looker)
{
	looker->list.at = looker->list.length = 0;
	FG_RAW3(SYS_lseek, looker->list.fd, 0, SEEK_SET);
}

bool fg_looker_round(struct fg_looker *looker, uint64_t period_ns)
{
	bool has_others = false;
	pid_t tid;

	rewind_list(looker);
	while ((tid = next_other(looker)) != 0) {
		struct sleeper *sleeper = recall(looker, tid);

		has_others = !sleeper || look(looker, sleeper, period_ns) || has_others;
	}
	keep(looker);
	return has_others;
}

bool fg_looker_skip(struct fg_looker *looker)
{
	struct fg_place ignored;
	pid_t tid;

	looker->count = 0;
	rewind_list(looker);
	while ((tid = next_other(looker)) != 0)
		if (fg_activity_read(looker->list.fd, tid, &ignored) != FG_ACTIVITY_DEAD)
			return true;
	return false;
}
