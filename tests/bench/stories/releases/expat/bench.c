/* SPDX-License-Identifier: Apache-2.0 */
#include "expat.h"
#include "text.h"

static unsigned elements, attributes, characters;

static void begin(void *data, const XML_Char *name, const XML_Char **attribute)
{
	elements++;
	for (; *attribute; attribute += 2)
		attributes++;
}

static void finish(void *data, const XML_Char *name)
{
	elements += name[0];
}

static void characters_of(void *data, const XML_Char *text, int length)
{
	characters += (unsigned)length;
}

static char *make_document(size_t items, size_t *length)
{
	char *document = malloc(items * 400 + 100), *words = text_make(items * 60, 3);
	size_t at = (size_t)sprintf(document, "<?xml version='1.0'?>\n<c:catalogue xmlns:c='urn:c'>\n");

	for (size_t i = 0; i < items; i++)
		at += (size_t)sprintf(document + at,
			"<c:item id='i%zu' c:shelf='s%zu' price='%zu.%02zu' left='%zu'><c:title>%.40s</c:title>&lt;%.20s&gt;</c:item>\n",
			i, i % 40, i % 97, i % 100, i % 7, words + i * 60, words + i * 60 + 40);
	at += (size_t)sprintf(document + at, "</c:catalogue>\n");
	free(words);
	*length = at;
	return document;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	size_t length;
	char *document = make_document(3000, &length);

	for (int i = 0; i < rounds; i++) {
		XML_Parser parser = XML_ParserCreateNS(NULL, '|');

		XML_SetHashSalt(parser, 12345);
		XML_SetElementHandler(parser, begin, finish);
		XML_SetCharacterDataHandler(parser, characters_of);
		for (size_t at = 0; at < length; at += 4096)
			if (XML_Parse(parser, document + at, (int)(length - at < 4096 ? length - at : 4096), at + 4096 >= length) !=
				XML_STATUS_OK) {
				fprintf(stderr, "%s\n", XML_ErrorString(XML_GetErrorCode(parser)));
				return 1;
			}
		XML_ParserFree(parser);
	}
	printf("%u %u %u\n", elements, attributes, characters);
	free(document);
	return 0;
}
