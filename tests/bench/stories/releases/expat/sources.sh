# shellcheck shell=bash
# With Debian's patches, as dpkg-source applies them.
sources() {
	mkdir expat && cp "$1"/expat/lib/*.[ch] expat/
	rm -f expat/xmltok_ns.o
	printf '%s\n' '#define BYTEORDER 1234' '#define XML_CONTEXT_BYTES 1024' '#define XML_DTD 1' '#define XML_NS 1' \
		'#define XML_GE 1' '#define HAVE_GETRANDOM 1' '#define PACKAGE_STRING "expat"' >expat/expat_config.h
}
