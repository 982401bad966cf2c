#compdef sextant-places
_arguments \
    '--socket[create this socket if the service manager passes none]:path:_files' \
    '--data[read the data in this folder]:path:_files -/' \
    '--state[keep the places that programs add in this folder]:path:_files -/' \
    '--version[show the version]' \
    '(-h --help)'{-h,--help}'[show the options]'
