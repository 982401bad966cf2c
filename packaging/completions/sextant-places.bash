# Completion of the options of sextant-places for bash.
_sextant_places() {
    local word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --socket) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --data | --state) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W '--socket --data --state --version --help' -- "$word") ;;
    esac
}
complete -o filenames -F _sextant_places sextant-places
