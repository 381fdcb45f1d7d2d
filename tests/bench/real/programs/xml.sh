#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An allocation-heavy program: libxml2 (2.9.12 as the npm package libxmljs has it), documents parsed into
# trees, asked, copied, changed, written and freed. Usage: see common.sh.
set -u
program=xml
package=libxmljs@1.0.11
counted_function=one_round
functions_executed=100
planted_chains=(2 2 2 2)
commented=(dict.c xmlDictLookup)
declare -A refactors=([rename]=xmlStaticCopyNode,tree.c [split]=xmlParseAttValueInternal,parser.c
	[inline]=xmlParseEndTag2,parser.c [moved]=xmlFreeNodeList,tree.c [reorder]=,Makefile)

# npm checks the archive against the registry's checksum; nothing of the package is run.
fetch_sources() {
	cd "$1" && npm pack --silent --ignore-scripts "$package" >name && tar xzf "$(tail -n 1 name)" &&
		mv package/vendor/* . && rm -rf package ./*.tgz name
}

# Threads, what the benchmark does not use, and the dictionaries' random seed are left out.
sources() {
	local part
	mkdir include
	cp "$1"/libxml2/*.[ch] "$1"/libxml2/Copyright "$1"/libxml2.config/config.h .
	cp -R "$1/libxml2/include/libxml" include/
	cp "$1/libxml2.config/libxml/xmlversion.h" include/libxml/
	rm -f test*.c run*.c trio* elfgcchack.c
	edit replace '^#define HAVE_SRAND 1$' '' config.h
	edit replace '^#if 1(\n#if defined\(_REENTRANT\))' '#if 0$1' include/libxml/xmlversion.h
	for part in HTML LEGACY C14N CATALOG DOCB XPTR EXPR SCHEMAS MODULES; do
		edit replace "^#if 1(\\n#define LIBXML_${part}_ENABLED)" '#if 0$1' include/libxml/xmlversion.h
	done
}

refactor_rename() { edit rename xmlStaticCopyNode xmlDuplicateNode tree.c; }

# The plain characters of an attribute's value are passed over in a function of its own.
refactor_split() {
	edit replace '^(    \} else \{\n)(\twhile \(\(in < end\) && \(\*in != limit\) && \(\*in >= 0x20\) &&$)' '$1	const xmlChar *plain = xmlPassPlain(in, end, limit);
	col += (int) (plain - in);
	in = plain;
$2' parser.c
	edit above xmlParseAttValueInternal '__attribute__((noinline)) static const xmlChar *
xmlPassPlain(const xmlChar *in, const xmlChar *end, xmlChar limit)
{
    while ((end - in > 1) && (*in != limit) && (*in >= 0x20) && (*in <= 0x7f) && (*in != 38) && (*in != 60))
	in++;
    return (in);
}
' parser.c
}

# The compiler leaves it a function; here it must make it a part of its callers.
refactor_inline() { edit attribute xmlParseEndTag2 '__attribute__((always_inline)) inline' parser.c; }

refactor_moved() { edit move xmlFreeNodeList tree.c valid.c; }

refactor_reorder() { edit replace '^LAYOUT :=$' 'LAYOUT := -Wl,--sort-section=name' Makefile; }

# shellcheck source=tests/bench/real/programs/common.sh
. "$(dirname "$0")/common.sh"
main "$@"
