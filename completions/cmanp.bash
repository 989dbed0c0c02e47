# Completion for bash: `source` this file, or install it as share/bash-completion/completions/cmanp. The program itself
# knows what may follow; where it offers nothing, bash offers files.
_cmanp() {
  local IFS=$'\n'
  COMPREPLY=($(cmanp help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
}
complete -o default -o bashdefault -F _cmanp cmanp
