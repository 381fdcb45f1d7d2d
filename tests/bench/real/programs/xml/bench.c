// SPDX-License-Identifier: Apache-2.0
// The fixed work of the program `xml`: a document is parsed into a tree, asked, copied, changed,
// written and freed, ROUNDS times. Most of that is making, linking and freeing of small objects.
// The text comes from a seed, so that every run does the same.
//
// usage: bench ROUNDS

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOOKS = 220, TEXT_MAX = 512 * 1024 };

static const char *const words[] = {
	"river",
	"stone",
	"of",
	"the",
	"light",
	"winter",
	"and",
	"glass",
	"a",
	"harbour",
	"without",
	"name",
	"letters",
	"to",
	"nobody",
	"&amp;",
	"seven",
	"&lt;north&gt;",
	"house",
	"over",
	"caf\xc3\xa9",
	"silence",
};
static const char *const queries[] = {
	"count(//book[@lang='en']/price[. > 20])",
	"string-length(string(/c:catalogue/book[last()]/title))",
	"count(//chapter[position() mod 3 = 1]/@pages)",
	"sum(//book[starts-with(@id, 'b1')]/price)",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static char text[TEXT_MAX];
static size_t length;
static unsigned long state = 20240304;

static unsigned draw(unsigned below)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % below;
}

static void put(const char *what)
{
	size_t n = strlen(what);

	if (length + n >= TEXT_MAX)
		abort();
	memcpy(text + length, what, n + 1);
	length += n;
}

static void put_number(unsigned n)
{
	char digits[16];

	snprintf(digits, sizeof digits, "%u", n);
	put(digits);
}

static void put_words(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		put(i ? " " : "");
		put(words[draw(COUNT(words))]);
	}
}

static void put_chapter(unsigned number)
{
	put("\t\t<chapter number='");
	put_number(number);
	put("' pages=\"");
	put_number(5 + draw(60));
	put("\" x:mark='");
	put_words(1 + draw(3));
	put("'>");
	put_words(3 + draw(12));
	put("<em>");
	put_words(2);
	put(draw(3) ? "</em></chapter>\n" : "</em><x:note kind='margin'/></chapter>\n");
}

static void put_book(unsigned number)
{
	unsigned chapters = 2 + draw(5);

	put("\t<book id='b");
	put_number(number);
	put(draw(3) ? "' lang='en'>\n" : "' lang='fr' x:rare='yes'>\n");
	put("\t\t<title>");
	put_words(2 + draw(6));
	put("</title>\n\t\t<author><first>");
	put_words(1);
	put("</first><last>");
	put_words(1);
	put("</last></author>\n\t\t<price currency='EUR'>");
	put_number(draw(60));
	put(".95</price>\n");
	for (unsigned i = 1; i <= chapters; i++)
		put_chapter(i);
	put(draw(4) ? "" : "\t\t<!-- not in print --><?shelf move?>\n");
	put(draw(5) ? "" : "\t\t<quote><![CDATA[<<as it was>> & so on]]></quote>\n");
	put("\t</book>\n");
}

static void put_document(void)
{
	put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<!DOCTYPE c:catalogue [<!ENTITY house \"a house\">]>\n"
	    "<c:catalogue xmlns:c=\"urn:c\" xmlns:x=\"urn:x\">\n");
	for (unsigned i = 0; i < BOOKS; i++)
		put_book(i);
	put("</c:catalogue>\n");
}

static double ask(xmlDoc *doc, const char *query)
{
	xmlXPathContext *context = xmlXPathNewContext(doc);
	xmlXPathObject *answer;
	double number;

	xmlXPathRegisterNs(context, BAD_CAST "c", BAD_CAST "urn:c");
	answer = xmlXPathEvalExpression(BAD_CAST query, context);
	if (!answer)
		abort();
	number = answer->floatval;
	xmlXPathFreeObject(answer);
	xmlXPathFreeContext(context);
	return number;
}

// Every third child of the root gets an attribute, every fifth goes.
static void change(xmlDoc *doc)
{
	xmlNode *next;
	unsigned i = 0;

	for (xmlNode *node = xmlDocGetRootElement(doc)->children; node; node = next, i++) {
		next = node->next;
		if (node->type == XML_ELEMENT_NODE && i % 3 == 1)
			xmlSetProp(node, BAD_CAST "shelf", BAD_CAST "north & south");
		if (i % 5 != 4)
			continue;
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
}

static unsigned long sum_of(const xmlChar *bytes, int n)
{
	unsigned long sum = 0;

	for (int i = 0; i < n; i += 64)
		sum = sum * 31 + bytes[i];
	return sum;
}

// Not a part of main: callgrind counts from here.
__attribute__((noinline)) static unsigned long one_round(void)
{
	xmlDoc *doc = xmlReadMemory(text, (int)length, "catalogue.xml", NULL, XML_PARSE_NONET);
	unsigned long sum = 0;
	xmlChar *written;
	xmlDoc *copy;
	int n;

	if (!doc)
		abort();
	for (size_t i = 0; i < COUNT(queries); i++)
		sum = sum * 31 + (unsigned long)ask(doc, queries[i]);
	copy = xmlCopyDoc(doc, 1);
	change(copy);
	xmlDocDumpMemory(copy, &written, &n);
	sum = sum * 31 + sum_of(written, n);
	xmlFree(written);
	xmlFreeDoc(copy);
	xmlFreeDoc(doc);
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;
	unsigned long sum = 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: bench ROUNDS\n");
		return 2;
	}
	put_document();
	for (int i = 0; i < rounds; i++)
		sum = sum * 31 + one_round();
	xmlCleanupParser();
	printf("%zu bytes, %d rounds, sum %lx\n", length, rounds, sum);
	return 0;
}
