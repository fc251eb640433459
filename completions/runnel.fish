# Completion of runnel for fish. Commands and options come from `runnel --help`, scenes from `runnel scenes`, so that there
# is no second list of them.

# The words that an option of a command takes; nothing where these are not a few.
function __runnel_choices -a program command option
    switch $option
        case --view
            printf '%s\n' orbit top turntable map
        case --overlay
            printf '%s\n' depth speed layers flooded links distance
        case --export
            printf '%s\n' ply obj glb gltf usda vtp vti npy nc tif
        case --export-unit
            printf '%s\n' m cm mm
        case --export-up
            printf '%s\n' z y
        case --unit
            printf '%s\n' m cm mm um km in ft
        case --up
            printf '%s\n' x -x y -y z -z
        case --as
            printf '%s\n' solid sheet ground
        case --only
            if test $command = bench
                $program bench --help | sed -n '/^Rows:/,$s/^  \([^ ]*\)  *\(.*\)/\1\t\2/p'
            else
                $program $command --list | sed 's/^\([^ ]*\)  */\1\t/'
            end
    end
end

function __runnel_commands -a program
    $program --help | sed -n 's/^  runnel \([a-z]*\).*/\1/p' | sort -u
end

function __runnel_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program $words[1]
    set -l command $words[2]
    if test (count $words) -eq 1
        __runnel_commands $program
        printf '%s\n' help --help --version
        return
    end
    set -l option $words[-1]
    set -l kept (string match -r -- '^--[a-z-]*=' $word) # --view=top
    if test -n "$kept"
        set option (string trim -r -c = -- $kept)
    end
    set -l takes ($program $command --help 2>/dev/null | sed -n "s/^  $option \([^ ][^ ]*\) .*/\1/p")
    if string match -q -- '--*' $option; and test -n "$takes"
        switch $takes[1]
            case FILE
                __fish_complete_path $word
            case DIR
                __fish_complete_directories $word
            case '*'
                if string match -q -- '*,*' $word # --export ply,obj
                    set kept (string match -r -- '^.*,' $word)
                end
                for choice in (__runnel_choices $program $command $option 2>/dev/null)
                    echo "$kept"$choice
                end
        end
    else if string match -q -- '-*' $word
        $program $command --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\)\( [^ ][^ ]*\)*  *\(.*\)/\1\t\3/p'
        printf '%s\n' --help
    else
        switch $command
            case help
                __runnel_commands $program
            case run view
                $program scenes | sed -n 's/^  \([^ ]*\)  *\(.*\)/\1\t\2/p'
                __fish_complete_path $word
            case render inspect
                __fish_complete_path $word
        end
    end
end

complete -c runnel -f -a '(__runnel_complete)'
