# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# cppcheck: C++ that throws an exception for each file that it cannot parse; two processes at once too.
needs=(cppcheck)

prepare() {
	local i
	for ((i = 0; i < scale * 2; i++)); do
		awk -v file="$i" 'BEGIN {
			print "#include <vector>\nclass C { int *p; public: C() : p(new int[10]) {} };"
			for (f = 0; f < 25; f++) {
				printf "template <class T> T f%d(T x, int n) {\n\tstd::vector<T> v;\n\tint unused%d;\n", f, f
				printf "\tfor (int i = 0; i < n; i++) {\n\t\tif (i > %d && x) v.push_back(x * i + %d);\n", f, f
				printf "\t\telse if (i == %d) return v[i];\n\t}\n\tchar *leak = new char[n];\n", f
				printf "\treturn f%d(v.size(), %d) + n / %d;\n}\n", f ? f - 1 : 0, file, f % 3
			}
		}' >"file$i.cpp"
		printf 'int broken%d( { ] ) = ;\ntemplate <class T struct X { };\n' "$i" >"broken$i.cpp"
		printf 'void g() { switch (1) { case } else ) }\n#if\n' >"worse$i.cpp"
	done
}

work() {
	measured cppcheck --enable=all --error-exitcode=9 --std=c++17 .
}

filter() { cat; }
