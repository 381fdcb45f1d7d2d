/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The looks of a static flame graph; for svg.c. m1 to m5: more, weakly to strongly; l: less; g:
 * neither; o0 to o5: modules; t: what of a box is not filled; i: ink. Every fill stands out from
 * the ink by 4.5 to 1 at least, in both schemes, so that a name can lie across the edge of two.
 */
#ifndef FG_REPORT_SVG_STYLE_H
#define FG_REPORT_SVG_STYLE_H

#define SVG_FONT "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif"

static const char svg_style[] =
	"<style>\n"
	".fg text{font-family:" SVG_FONT ";font-size:11px;fill:#14171a}\n"
	".fg .b{fill:#ffffff;stroke:#dfe3e7}\n"
	".fg .s{fill:#5b6570;font-size:12px}.fg .w{font-size:12px;font-weight:700}\n"
	".fg .c{font-size:16px;font-weight:600}\n"
	".fg .g{fill:#ced3d9}.fg .t{fill-opacity:.38}.fg .i{fill:#14171a}\n"
	".fg .f{fill:none;stroke:#14171a;stroke-width:2}\n"
	".fg .m1{fill:#f0b58a}.fg .m2{fill:#e99f67}.fg .m3{fill:#e38a45}.fg .m4{fill:#dc7422}"
	".fg .m5{fill:#d55e00}\n"
	".fg .l1{fill:#a1c9e8}.fg .l2{fill:#88bbe3}.fg .l3{fill:#6eaddd}.fg .l4{fill:#559fd8}"
	".fg .l5{fill:#3c91d2}\n"
	".fg .o0{fill:#b7d0a6}.fg .o1{fill:#d4bbd9}.fg .o2{fill:#ddd095}.fg .o3{fill:#a6d0c8}"
	".fg .o4{fill:#e2b7c8}.fg .o5{fill:#bbbba6}\n"
	".fg .fail{fill:#fdeee4}.fg .pass{fill:#e5f3ea}.fg .warn{fill:#fbf2da}.fg "
	".info{fill:#dfe3e7}\n"
	"@media (prefers-color-scheme:dark){\n"
	".fg text,.fg .i{fill:#f2f4f6}.fg .f{stroke:#f2f4f6}\n"
	".fg .b{fill:#1c2024;stroke:#30363c}.fg .s{fill:#a3acb5}\n"
	".fg .g{fill:#484f57}.fg .t{fill-opacity:.45}\n"
	".fg .m1{fill:#7e411a}.fg .m2{fill:#8b4316}.fg .m3{fill:#994612}.fg .m4{fill:#a6480e}"
	".fg .m5{fill:#b44b0a}\n"
	".fg .l1{fill:#1f4c73}.fg .l2{fill:#205582}.fg .l3{fill:#215d91}.fg .l4{fill:#2266a0}"
	".fg .l5{fill:#236eaf}\n"
	".fg .o0{fill:#5c6c57}.fg .o1{fill:#6c6072}.fg .o2{fill:#706c4e}.fg .o3{fill:#536c69}"
	".fg .o4{fill:#735e69}.fg .o5{fill:#5e6057}\n"
	".fg .fail{fill:#3a2416}.fg .pass{fill:#182d21}.fg .warn{fill:#332a14}.fg "
	".info{fill:#30363c}\n"
	"}\n"
	"</style>\n"
	"<defs><pattern id=\"fg-gone\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	"patternTransform=\"rotate(45)\"><rect width=\"1.5\" height=\"6\" class=\"i\" "
	"fill-opacity=\".28\"/></pattern></defs>\n";

#endif
