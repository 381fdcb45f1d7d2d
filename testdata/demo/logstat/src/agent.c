/* SPDX-License-Identifier: Apache-2.0 */
#include "agent.h"

#include <stddef.h>
#include <string.h>

enum word {
	W_FIREFOX, W_CHROME, W_SAFARI, W_EDGE, W_OPERA, W_TRIDENT, W_CURL, W_WGET, W_PYTHON, W_GO,
	W_GOOGLEBOT, W_BINGBOT, W_CRAWLER, W_SPIDER, W_MONITOR, W_WINDOWS, W_LINUX, W_ANDROID,
	W_MAC, W_IPHONE, W_IPAD, W_MOBILE, W_TABLET, WORDS
};

static const char *const words[WORDS] = {
	"firefox/", "chrome/", "safari/", "edg/", "opr/", "trident/", "curl/", "wget/",
	"python-requests", "go-http-client", "googlebot", "bingbot", "crawler", "spider",
	"uptime-monitor", "windows nt", "linux", "android", "mac os x", "iphone", "ipad", "mobile",
	"tablet",
};

#define HAS(set, word) ((set) >> (word)&1)

/* Letters without their case, digits and signs: 64 symbols. */
int agent_symbol(char c)
{
	unsigned char u = (unsigned char)c;

	if (u >= 'A' && u <= 'Z')
		u |= 0x20;
	return u >= 'a' && u <= 'z' ? u - 'a' : 26 + u % 38;
}

static int agent_state(struct agents *agents)
{
	return agents->count < AGENT_STATES ? agents->count++ : 0;
}

static void agent_add(struct agents *agents, enum word word)
{
	int state = 0;

	for (const char *c = words[word]; *c != '\0'; c++) {
		uint16_t *next = &agents->next[state][agent_symbol(*c)];

		if (*next == 0)
			*next = (uint16_t)agent_state(agents);
		state = *next;
	}
	agents->found[state] |= 1u << word;
}

/* Breadth first: where a state has no edge it takes that of its longest proper suffix. */
static void agent_complete(struct agents *agents)
{
	int queue[AGENT_STATES], suffix[AGENT_STATES] = {0}, head = 0, tail = 0;

	for (int symbol = 0; symbol < 64; symbol++)
		if (agents->next[0][symbol] != 0)
			queue[tail++] = agents->next[0][symbol];
	while (head < tail) {
		int state = queue[head++];

		agents->found[state] |= agents->found[suffix[state]];
		for (int symbol = 0; symbol < 64; symbol++) {
			int next = agents->next[state][symbol];
			uint16_t shorter = agents->next[suffix[state]][symbol];

			if (next == 0) {
				agents->next[state][symbol] = shorter;
				continue;
			}
			suffix[next] = shorter;
			queue[tail++] = next;
		}
	}
}

void agents_init(struct agents *agents)
{
	memset(agents, 0, sizeof(*agents));
	agents->count = 1;
	for (int word = 0; word < WORDS; word++)
		agent_add(agents, (enum word)word);
	agent_complete(agents);
}

uint32_t agent_scan(const struct agents *agents, struct span text)
{
	uint32_t found = 0;
	unsigned state = 0;

	for (size_t i = 0; i < text.length; i++) {
		unsigned u = (unsigned char)text.text[i];
		unsigned symbol;

		if (u >= 'A' && u <= 'Z')
			u |= 0x20;
		symbol = u >= 'a' && u <= 'z' ? u - 'a' : 26 + u % 38;
		state = agents->next[state][symbol];
		found |= agents->found[state];
	}
	return found;
}

const char *agent_family(uint32_t set)
{
	static const struct {
		enum word word;
		const char *name;
	} order[] = {
		{W_GOOGLEBOT, "Googlebot"}, {W_BINGBOT, "Bingbot"}, {W_CRAWLER, "other crawler"},
		{W_SPIDER, "other crawler"}, {W_MONITOR, "monitoring"}, {W_CURL, "curl"},
		{W_WGET, "Wget"}, {W_PYTHON, "Python"}, {W_GO, "Go"}, {W_EDGE, "Edge"},
		{W_OPERA, "Opera"}, {W_FIREFOX, "Firefox"}, {W_CHROME, "Chrome"},
		{W_SAFARI, "Safari"}, {W_TRIDENT, "Internet Explorer"},
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (HAS(set, order[i].word))
			return order[i].name;
	return "unknown";
}

const char *agent_system(uint32_t set)
{
	if (HAS(set, W_IPHONE) || HAS(set, W_IPAD))
		return "iOS";
	if (HAS(set, W_ANDROID))
		return HAS(set, W_MOBILE) ? "Android phone" : "Android tablet";
	if (HAS(set, W_WINDOWS))
		return "Windows";
	if (HAS(set, W_MAC))
		return "macOS";
	return HAS(set, W_LINUX) ? "Linux" : "other";
}
