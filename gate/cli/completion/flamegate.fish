# SPDX-License-Identifier: Apache-2.0
# Completions of flamegate for fish, as `flamegate completion fish` prints them: what begins with `complete` is made from
# flamegate's own tables, but for the first. Names that come from the project are words to fish, which quotes them.

# __flamegate_at COMMAND [VERB]: the line has got to its options and operands
function __flamegate_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l wanted (count $argv)
    test (count $words) -ge $wanted
    and test "$words[1..$wanted]" = "$argv"
end

function __flamegate_before_name
    set -l words (commandline -opc)
    test (count $words) -eq 1
    or test (count $words) -eq 2 -a "$words[2]" = help
end

# __flamegate_before_verb WORD
function __flamegate_before_verb
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = $argv[1] -o "$words" = "help $argv[1]"
end

# __flamegate_wants COUNT WORDS OPTION...: behind a command of so many words fewer operands than COUNT stand before the
# cursor, where these options take arguments
function __flamegate_wants
    set -l takers $argv[3..-1]
    set -l operands 0
    set -l skip 0
    set -l ended 0
    set -l words (commandline -opc)
    set -e words[1..(math 1 + $argv[2])]
    for word in $words
        if test $skip -eq 1
            set skip 0
        else if test $ended -eq 0 -a "$word" = --
            set ended 1
        else if test $ended -eq 0; and string match -q -- '-*' "$word"
            contains -- "$word" $takers
            and set skip 1
        else
            set operands (math $operands + 1)
        end
    end
    test $operands -lt $argv[1]
end

# __flamegate_ask KIND: names that the project has
function __flamegate_ask
    set -l words (commandline -opc)
    set -e words[1]
    command flamegate completion --list $argv[1] -- $words </dev/null 2>/dev/null
end

complete -c flamegate -f
complete -c flamegate -n __flamegate_before_name -s h -l help -d 'the commands'
complete -c flamegate -n __flamegate_before_name -l version -d 'which flamegate this is'
complete -c flamegate -n 'test (count (commandline -opc)) -eq 1' -a help -d 'how a command is used'
