#include "ledger.h"

#include <stdlib.h>

#define LINES_IN_BLOCK 1024

static struct block {
	struct block *next;
	struct line lines[LINES_IN_BLOCK];
} *blocks, *current;
static size_t used; /* of the current one */

/* The next of those that are there already, or one more. */
static void next_block(void)
{
	struct block **link = current ? &current->next : &blocks;

	if (!*link && !(*link = calloc(1, sizeof(**link))))
		exit(1);
	current = *link;
	used = 0;
}

struct line *line_new(uint32_t account, int64_t amount)
{
	struct line *line;

	if (!current || used == LINES_IN_BLOCK)
		next_block();
	line = &current->lines[used++];
	*line = (struct line){.account = account, .amount = amount};
	return line;
}

void lines_release(struct line *lines)
{
	(void)lines;
	current = NULL;
}
