# Completion of runnel for bash. Commands and options come from `runnel --help`, scenes from `runnel scenes`, so that there
# is no second list of them.

# The words that an option of a command takes; nothing where these are not a few.
_runnel_choices() {
    case $2 in
    --view) echo orbit top turntable map ;;
    --overlay) echo depth speed layers flooded links distance ;;
    --export) echo ply obj glb gltf usda vtp vti npy nc tif ;;
    --export-unit) echo m cm mm ;;
    --export-up) echo z y ;;
    --unit) echo m cm mm um km in ft ;;
    --up) echo x -x y -y z -z ;;
    --as) echo solid sheet ground ;;
    --only)
        case $1 in
        bench) "$program" bench --help | sed -n '/^Rows:/,$s/^  \([^ ]*\) .*/\1/p' ;;
        *) "$program" "$1" --list | sed 's/ .*//' ;;
        esac
        ;;
    esac
}

_runnel_files() {
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}

_runnel() {
    local program=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]}
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} takes listed
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        listed=$("$program" --help 2>/dev/null | sed -n 's/^  runnel \([a-z]*\).*/\1/p' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$listed help --help --version" -- "$word")
        return
    fi
    # bash splits --view=top into three words.
    if [ "$word" = = ]; then word=""; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    takes=$("$program" "$command" --help 2>/dev/null | sed -n "s/^  $before \([^ ][^ ]*\) .*/\1/p")
    case $before:$takes in
    --*:FILE) _runnel_files -f ;;
    --*:DIR) _runnel_files -d ;;
    --*:?*)
        listed=$(_runnel_choices "$command" "$before" 2>/dev/null)
        local kept=""
        case $word in *,*) kept=${word%,*}, ;; esac # --export ply,obj
        mapfile -t COMPREPLY < <(compgen -P "$kept" -W "$listed" -- "${word##*,}")
        ;;
    *)
        if [[ $word == -* ]]; then
            listed=$("$program" "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
            mapfile -t COMPREPLY < <(compgen -W "$listed --help" -- "$word")
            return
        fi
        case $command in
        help) mapfile -t COMPREPLY < <(compgen -W "$("$program" --help | sed -n 's/^  runnel \([a-z]*\).*/\1/p')" -- "$word") ;;
        run | view)
            _runnel_files -f
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$("$program" scenes | sed -n 's/^  \([^ ]*\) .*/\1/p')" -- "$word")
            ;;
        render | inspect) _runnel_files -f ;;
        esac
        ;;
    esac
}
complete -F _runnel runnel
