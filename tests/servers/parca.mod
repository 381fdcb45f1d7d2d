// `go install` refuses Parca for its replace directives; a module that names it as a tool may build it.
module example.invalid/parca

go 1.26

tool github.com/parca-dev/parca/cmd/parca

require github.com/parca-dev/parca VERSION
