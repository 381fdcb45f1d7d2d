#include "words.h"

#include <string.h>

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *token_next(const char *text, struct token *token)
{
	memset(token, 0, sizeof(*token));
	while (*text && !is_letter(*text))
		text++;
	while (is_letter(*text) && token->length < sizeof(token->text) - 1)
		token->text[token->length++] = *text++;
	return token->length ? text : NULL;
}

static int ends_with(const struct token *token, const char *ending)
{
	size_t length = strlen(ending);

	return token->length > length + 3 && memcmp(token->text + token->length - length, ending, length) == 0;
}

void token_normalise(struct token *token)
{
	static const char *const dropped[] = {"ing", "ed", "s"};

	for (size_t i = 0; i < token->length; i++)
		if (token->text[i] >= 'A' && token->text[i] <= 'Z')
			token->text[i] = (char)(token->text[i] + 'a' - 'A');
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		if (ends_with(token, dropped[i])) {
			token->length -= strlen(dropped[i]);
			memset(token->text + token->length, 0, strlen(dropped[i]));
			break;
		}
	}
}
