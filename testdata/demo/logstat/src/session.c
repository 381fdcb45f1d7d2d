/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#define PAUSE_MS (30 * 60 * 1000)

void sessions_init(struct sessions *sessions)
{
	memset(sessions, 0, sizeof(*sessions));
}

void sessions_release(struct sessions *sessions)
{
	free(sessions->items);
}

static void session_end(struct sessions *sessions, const struct session *session)
{
	sessions->finished++;
	sessions->bounces += session->requests == 1;
	histogram_add(&sessions->minutes, (double)(session->last - session->first) / 60000);
	histogram_add(&sessions->requests, session->requests);
}

static uint32_t session_new(struct sessions *sessions)
{
	uint32_t id = sessions->free_list;

	if (id != 0) {
		sessions->free_list = sessions->items[id - 1].next;
		return id;
	}
	if (sessions->count == sessions->capacity) {
		sessions->capacity = sessions->capacity ? 2 * sessions->capacity : 1024;
		sessions->items = realloc(
			sessions->items, sessions->capacity * sizeof(*sessions->items));
		if (sessions->items == NULL)
			abort();
	}
	return (uint32_t)++sessions->count;
}

/* One chain at a time: an old session is ended soon after its time, not at once. */
void sessions_expire(struct sessions *sessions, int64_t before)
{
	uint32_t *link = &sessions->chains[sessions->sweep++ % SESSION_CHAINS];

	while (*link != 0) {
		uint32_t id = *link;
		struct session *session = &sessions->items[id - 1];

		if (session->last >= before) {
			link = &session->next;
			continue;
		}
		session_end(sessions, session);
		*link = session->next;
		session->next = sessions->free_list;
		sessions->free_list = id;
	}
}

void session_touch(struct sessions *sessions, uint64_t client, int64_t milliseconds)
{
	uint32_t *chain = &sessions->chains[client % SESSION_CHAINS];

	sessions_expire(sessions, milliseconds - PAUSE_MS);
	for (uint32_t id = *chain; id != 0; id = sessions->items[id - 1].next) {
		struct session *session = &sessions->items[id - 1];

		if (session->client == client && milliseconds - session->last < PAUSE_MS) {
			session->last = milliseconds;
			session->requests++;
			return;
		}
	}
	uint32_t id = session_new(sessions);
	sessions->items[id - 1] = (struct session){client, milliseconds, milliseconds, 1, *chain};
	*chain = id;
}

void sessions_finish(struct sessions *sessions)
{
	for (size_t i = 0; i < SESSION_CHAINS; i++)
		sessions_expire(sessions, INT64_MAX);
}
