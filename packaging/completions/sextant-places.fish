complete -c sextant-places -f
complete -c sextant-places -l socket -r -F -d 'Create this socket if the service manager passes none'
complete -c sextant-places -l data -x -a '(__fish_complete_directories)' -d 'Read the data in this folder'
complete -c sextant-places -l state -x -a '(__fish_complete_directories)' -d 'Keep the places that programs add in this folder'
complete -c sextant-places -l version -d 'Show the version'
complete -c sextant-places -s h -l help -d 'Show the options'
