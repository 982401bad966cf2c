# Completion of the options of sextant-fleet for bash.
_sextant_fleet() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    words='--state --destination --destination-file --configured --config --user --device --tolerance --accuracy --quiet-hours --quiet-place --batch --keepalive --spread --home-assistant --no-home-assistant --traccar-json --monitor --version --help'
    COMPREPLY=()
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --config | --destination-file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --state) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
    esac
}
complete -o filenames -F _sextant_fleet sextant-fleet
