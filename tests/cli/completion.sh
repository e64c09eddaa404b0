#!/usr/bin/env bash
# The installed completion in a real bash: commands, options, values, methods, actions of the laboratory, and files.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() { if eval "$2"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1: ${found[*]}"; fi; }

cmake --install "$BUILD" --prefix "$folder/usr" >/dev/null || exit 1
share=$folder/usr/share
touch "$folder/train data.csv" "$folder/model.safetensors"
cd "$folder" || exit 1
PATH=$folder/usr/bin:$PATH
found=()
# shellcheck disable=SC1091
source "$share/bash-completion/completions/puad"
registered=$(complete -p puad)

# Completes the line whose words are given, the last one being typed, by the function that bash calls.
complete_line() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
    COMP_POINT=${#COMP_LINE}
    _puad puad "${!#}" "${*: -2:1}"
    found=("${COMPREPLY[@]}")
}
has() { printf '%s\n' "${found[@]}" | grep -qxF -- "$1"; }

check "the function is registered" '[ "$registered" = "complete -F _puad puad" ]'
complete_line puad ""
check "all commands" 'has fit && has score && has lab && has help && has report'
complete_line puad sco
check "only those that begin alike" '[ "${found[*]}" = score ]'
complete_line puad help op
check "commands after help" '[ "${found[*]}" = operate ]'
complete_line puad fit --label
check "options" '[ "${found[*]}" = "--label-column --labels-array" ] || [ "${found[*]}" = "--labels-array --label-column" ]'
complete_line puad score --
check "options of this command" 'has --fdr && has --explain && ! has --epochs'
complete_line puad fit --method pusv
check "methods" '[ "${found[*]}" = pusvdd ]'
complete_line puad fit --method = pusv
check "methods after an equals sign" '[ "${found[*]}" = pusvdd ]'
complete_line puad score m.safetensors new.csv --format ""
check "values" 'has csv && has jsonl'
complete_line puad list n
check "words that an argument may be" '[ "${found[*]}" = networks ]'
complete_line puad completion z
check "shells" '[ "${found[*]}" = zsh ]'
complete_line puad score mod
check "files" '[ "${found[*]}" = model.safetensors ]'
complete_line puad fit --output mod
check "files as values" '[ "${found[*]}" = model.safetensors ]'
complete_line puad fit --calibrate tr
check "no value without an equals sign" '[ "${found[*]}" = "train data.csv" ] && [ ${#found[@]} = 1 ]'
complete_line puad nothing ""
check "nothing for an unknown command" '[ ${#found[@]} = 0 ]'
if [ -x "$folder/usr/bin/puad-lab" ] || [ -x "$folder/usr/libexec/puad/puad-lab" ]; then
    complete_line puad lab fig
    check "actions of the laboratory" '[ "${found[*]}" = figure ]'
    complete_line puad lab run --dry
    check "options of an action" '[ "${found[*]}" = --dry-run ]'
fi
for file in zsh/site-functions/_puad fish/vendor_completions.d/puad.fish; do
    check "$file is installed" '[ -s "$share/$file" ]'
done
# Real shells: fish prints what it would complete; zsh, behind a terminal, completes the line that is typed.
if command -v fish >/dev/null; then
    in_fish() { found=("$(HOME=$folder fish -c "source '$share/fish/vendor_completions.d/puad.fish'; complete -C '$1'" | cut -f1 | tr '\n' ' ')"); }
    in_fish "puad sco"
    check "fish completes commands" '[ "${found[*]}" = "score " ]'
    in_fish "puad fit --method pusv"
    check "fish completes values" '[ "${found[*]}" = "pusvdd " ]'
fi
if command -v zsh >/dev/null; then
    check "zsh reads its script" 'zsh -n "$share/zsh/site-functions/_puad"'
    cat >typed.zsh <<'END'
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; puad() { echo called=\$1 }; echo re''ady"
while zpty -r inner line; do [[ $line == *ready* ]] && break; done
zpty -w inner "unfunction puad"
zpty -w -n inner $'puad oper\t'
zpty -w -n inner $'--version\n'
while zpty -r inner line; do print -r -- "$line"; [[ $line == *"("*")"* ]] && break; done
zpty -d inner
END
    found=("$(timeout 60 zsh -f typed.zsh "$share/zsh/site-functions")")
    check "zsh completes commands" '[[ "${found[*]}" == *"puad operate"* ]]'
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
