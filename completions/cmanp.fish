# Completion for fish: put this file into ~/.config/fish/completions. The program itself knows what may follow; fish
# offers files beside it.
complete -c cmanp -a '(set -l words (commandline -opc); cmanp help --complete $words[2..-1] (commandline -ct) 2> /dev/null)'
