#include "expr.h"

#include <stdlib.h>

struct parser {
	const char *at;
};

static struct node *parse_sum(struct parser *parser);

static struct node *parse_number(struct parser *parser)
{
	int32_t value = 0;

	while (*parser->at >= '0' && *parser->at <= '9')
		value = value * 10 + *parser->at++ - '0';
	return node_new(NUMBER, value, NULL, NULL);
}

static struct node *parse_atom(struct parser *parser)
{
	struct node *node;

	if (*parser->at == '(') {
		parser->at++;
		node = parse_sum(parser);
		parser->at++;
		return node;
	}
	if (*parser->at == '-') {
		parser->at++;
		return node_new(NEGATE, 0, parse_atom(parser), NULL);
	}
	if (*parser->at >= 'a' && *parser->at <= 'z')
		return node_new(NAME, *parser->at++ - 'a', NULL, NULL);
	if (*parser->at < '0' || *parser->at > '9')
		abort();
	return parse_number(parser);
}

static struct node *parse_product(struct parser *parser)
{
	struct node *node = parse_atom(parser);

	while (*parser->at == '*') {
		parser->at++;
		node = node_new(MULTIPLY, 0, node, parse_atom(parser));
	}
	return node;
}

static struct node *parse_sum(struct parser *parser)
{
	struct node *node = parse_product(parser);

	while (*parser->at == '+' || *parser->at == '-') {
		enum kind kind = *parser->at++ == '+' ? ADD : SUBTRACT;

		node = node_new(kind, 0, node, parse_product(parser));
	}
	return node;
}

struct node *parse(const char *text)
{
	struct parser parser = {text};

	return parse_sum(&parser);
}
