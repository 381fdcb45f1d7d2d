/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a made-up access log to stdout, gzip: the same bytes on every machine with the same zlib. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINES 255000
#define START_MS INT64_C(1709510400000) /* 2024-03-04, a Monday */

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * n >> 32);
}

/* Small numbers are likelier: the lesser of two, squared. */
static uint32_t skewed_below(uint32_t n)
{
	uint32_t a = random_below(n), b = random_below(n);
	uint64_t least = a < b ? a : b;

	return (uint32_t)(least * least / n);
}

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

static const char *const agents[] = {
	"Mozilla/5.0 (X11; Linux x86_64; rv:123.0) Gecko/20100101 Firefox/123.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
	"Chrome/122.0.0.0 Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
	"Gecko) Version/17.3 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
	"Chrome/122.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	"Version/17.2 Safari/605.1.15",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
	"Chrome/122.0.0.0 Safari/537.36 Edg/122.0.0.0",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	"python-requests/2.31.0", "curl/8.5.0", "Go-http-client/2.0", "uptime-monitor/4",
};

static const char *const words[] = {
	"red", "running", "shoes", "waterproof", "jackets", "for", "the", "winter", "cheap", "flights",
	"to", "lisbon", "wireless", "headphones", "reviews", "coffee", "grinder", "settings",
	"payments", "of", "invoices", "how", "it", "measured", "quickly", "garden", "chairs",
	"replacement", "batteries", "happiness", "organization", "with", "handles",
};

static const char *const referrers[] = {
	"https://www.example.com/search?q=shoes", "https://news.example.co.uk/2024/03/story.html",
	"https://shop.example.org/", "http://forum.hiking.example.net/thread/8823#p12",
	"https://m.social.example/feed", "https://mail.example.edu/",
};

static const char *const sections[] = {
	"products", "categories", "articles", "users", "orders", "images", "reviews", "static",
};

static const char *const probes[] = {
	"/wp-login.php", "/.git/config", "/app/.env", "/dump.sql.gz", "/..%2f..%2fetc/passwd",
	"/cgi-bin/test", "/backup-2023.tar.gz", "/%3Cscript%3Ealert(1)%3C/script%3E",
};

static char *append(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

static char *append_path(char *at)
{
	const char *section = sections[skewed_below(COUNT(sections))];

	at = append(at, random_below(3) == 0 ? "/api/v2/" : "/");
	at = append(at, section);
	switch (random_below(5)) {
	case 0:
		return at + sprintf(at, "/%u", skewed_below(90000));
	case 1:
		return at + sprintf(at, "/%u/%s", random_below(90000), sections[random_below(8)]);
	case 2:
		return at + sprintf(at, "/%08x%08x/large.jpg", random_below(1u << 31), random_below(1u << 31));
	case 3:
		return at + sprintf(at, "/%s%%20%s%%20%s", words[random_below(COUNT(words))],
				    words[random_below(COUNT(words))], words[random_below(COUNT(words))]);
	default:
		return at;
	}
}

/* Now and then with a letter changed or doubled. */
static char *append_word(char *at)
{
	const char *word = words[random_below(COUNT(words))];
	size_t length = strlen(word);

	memcpy(at, word, length);
	if (length > 3 && random_below(6) == 0)
		at[1 + random_below((uint32_t)length - 1)] = (char)('a' + random_below(26));
	return at + length;
}

static char *append_query(char *at)
{
	at = append(at, "?q=");
	for (uint32_t i = 0, n = 2 + random_below(5); i < n; i++) {
		if (i > 0)
			at = append(at, random_below(2) == 0 ? "%20" : "+");
		at = append_word(at);
	}
	at += sprintf(at, "&page=%u&sort=%s", 1 + skewed_below(20), random_below(2) ? "price" : "date");
	if (random_below(3) == 0)
		at += sprintf(at, "&session=%08x%08x", random_below(1u << 31), random_below(1u << 31));
	return at;
}

static void write_request(char *at)
{
	at = append(at, random_below(12) == 0 ? "POST " : "GET ");
	if (random_below(200) == 0) {
		at = append(at, probes[random_below(COUNT(probes))]);
	} else {
		at = append_path(at);
		if (random_below(3) == 0)
			at = append_query(at);
	}
	strcpy(at, " HTTP/1.1");
}

static void write_address(char *text, uint32_t client)
{
	static const uint32_t prefixes[] = {0x0a01, 0x2d21, 0x51a5, 0x6452, 0xac15, 0xc0a8, 0x5e10, 0x9b3c};
	uint32_t prefix = prefixes[client % COUNT(prefixes)];

	sprintf(text, "%u.%u.%u.%u", prefix >> 8, prefix & 255, client / 256 & 255, client & 255);
}

static void write_time(char *text, int64_t ms)
{
	int64_t seconds = (ms - START_MS) / 1000;

	sprintf(text, "2024-03-%02dT%02d:%02d:%02d.%03dZ", 4 + (int)(seconds / 86400),
		(int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60),
		(int)((ms - START_MS) % 1000));
}

static int pick_status(void)
{
	static const int rare[] = {301, 304, 400, 401, 403, 404, 404, 500, 502, 503};

	return random_below(10) == 0 ? rare[random_below(COUNT(rare))] : 200;
}

static void write_line(char *line, int64_t ms, uint32_t client)
{
	static const char *const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char time[64], address[32], request[1024];

	write_time(time, ms);
	write_address(address, client);
	write_request(request);
	sprintf(line,
		"{\"log\":\"%s - - [%.2s/%.3s/%.4s:%.8s +0000] \\\"%s\\\" %d %u \\\"%s\\\" \\\"%s\\\" "
		"%u.%03u\\n\",\"stream\":\"stdout\",\"time\":\"%s\"}\n",
		address, time + 8, months + 6, time, time + 11, request, pick_status(),
		200 + skewed_below(400000),
		random_below(2) == 0 ? referrers[skewed_below(COUNT(referrers))] : "-",
		agents[client * 7 % 101 % COUNT(agents)], skewed_below(3), skewed_below(1000), time);
}

#define VISITORS 64

/* Some are there at a time; each makes a number of requests and goes. */
static uint32_t next_client(void)
{
	static uint32_t visitors[VISITORS];
	uint32_t *visitor = &visitors[random_below(VISITORS)];

	if (random_below(9) == 0)
		*visitor = skewed_below(20000);
	return *visitor;
}

int main(void)
{
	char line[4096];
	int64_t ms = START_MS;
	gzFile out = gzdopen(1, "wb6");

	for (int i = 0; i < LINES; i++) {
		ms += skewed_below(12000);
		write_line(line, ms, next_client());
		gzputs(out, line);
		if (random_below(500) == 0)
			gzputs(out, line);
	}
	return gzclose(out) == Z_OK ? 0 : 1;
}
