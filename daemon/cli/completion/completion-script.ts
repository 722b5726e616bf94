import { listOptions } from '../client/client-commands.ts';
import type { CommandGroup } from '../command-group.ts';

/** Shell with a completion script. */
export type CompletionShell = 'bash' | 'zsh' | 'fish';

/** Installation path of each completion script, relative to the root. */
export const COMPLETION_FILES: Readonly<Record<CompletionShell, string>> = {
  bash: 'usr/share/bash-completion/completions/penstock',
  zsh: 'usr/share/zsh/vendor-completions/_penstock',
  fish: 'usr/share/fish/vendor_completions.d/penstock.fish',
};

/**
 * Returns the completion script of a shell. Commands, subcommands and options are part of it; names come from
 * `penstock completion words`.
 */
export function writeCompletion(shell: CompletionShell, groups: readonly CommandGroup[]): string {
  return WRITERS[shell](groups);
}

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

// Names must not go through `compgen -W`: it would expand them as the shell does.
function writeBash(groups: readonly CommandGroup[]): string {
  const commands = groups
    .filter(hasSubcommands)
    .map((group) => `      ${group.name}) words="${subcommandsOf(group).join(' ')}" ;;\n`);
  const options = groups.flatMap((group) =>
    Object.entries(group.commands)
      .filter(([, { settings }]) => settings === undefined)
      .map(([name, command]) => {
        const words = Object.keys(listOptions(command)).map((option) => `--${option}`);
        const pattern = name === '' ? `"${group.name} "*` : `"${group.name} ${name}"`;
        return `      ${pattern}) words="${words.join(' ')}" ;;\n`;
      }),
  );
  return `# bash completion of penstock
# Removes the quotes of a word; the last may be open.
_penstock_unquote() {
  local text="$1" part
  plain=""
  while [ -n "$text" ]; do
    case "$text" in
      \\\\?*) plain+="\${text:1:1}" text="\${text:2}" ;;
      \\'*) text="\${text:1}" part="\${text%%\\'*}" plain+="$part" text="\${text:\${#part}+1}" ;;
      \\"*)
        text="\${text:1}"
        while [ -n "$text" ] && [[ "$text" != \\"* ]]; do
          [[ "$text" == \\\\[\\"\\\\\\$\\\`]* ]] && text="\${text:1}"
          plain+="\${text:0:1}" text="\${text:1}"
        done
        text="\${text:1}" ;;
      *) plain+="\${text:0:1}" text="\${text:1}" ;;
    esac
  done
}
_penstock() {
  local line="$COMP_LINE" typed=() given=() words="" index word lead name plain
  COMPREPLY=()
  # Readline breaks words at ":" and "=" too; those without a blank between belong together.
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [ "$index" -gt 0 ] && [[ "$line" != [[:blank:]]* ]]; then
      typed[\${#typed[@]}-1]+="$word"
    else
      typed+=("$word")
    fi
    line="\${line#"\${line%%[![:blank:]]*}"}"
    line="\${line#"$word"}"
  done
  word="\${typed[\${#typed[@]}-1]}"
  if [ "\${#typed[@]}" -eq 2 ]; then
    words="help ${groups.map(({ name }) => name).join(' ')} --help --version"
  elif [ "\${#typed[@]}" -eq 3 ]; then
    case "\${typed[1]}" in
${commands.join('')}    esac
  fi
  if [ -z "$words" ] && [[ "$word" == -* ]]; then
    case "\${typed[1]} \${typed[2]}" in
${options.join('')}    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  for name in "\${typed[@]:1}"; do
    _penstock_unquote "$name"
    given+=("$plain")
  done
  # Readline replaces what follows the last break; inside of quotes there is none.
  lead=""
  case "$word" in
    [\\'\\"]*) ;;
    *) [[ "$COMP_WORDBREAKS" == *:* ]] && lead="\${word%"\${word##*[:=]}"}" ;;
  esac
  _penstock_unquote "$lead"
  while IFS= read -r name; do
    name="\${name#"$plain"}"
    case "$word" in
      \\'*) name="\${name//\\'/\\'\\\\\\'\\'}" ;;
      \\"*) name="\${name//\\\\/\\\\\\\\}" name="\${name//\\"/\\\\\\"}" name="\${name//\\$/\\\\\\$}" name="\${name//\\\`/\\\\\\\`}" ;;
      *) printf -v name %q "$name" ;;
    esac
    COMPREPLY+=("$name")
  done < <(penstock completion words -- "\${given[@]}" 2> /dev/null)
  # The path of a key goes on.
  if [ "\${#COMPREPLY[@]}" -eq 1 ] && [[ "\${COMPREPLY[0]}" == *. ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o default -F _penstock penstock
`;
}

function writeZsh(groups: readonly CommandGroup[]): string {
  const commands = groups.filter(hasSubcommands).map(
    (group) =>
      `      ${group.name}) found=(${describeAll(group)
        .map(([name, summary]) => quote(`${name}:${summary}`))
        .join(' ')}) ;;\n`,
  );
  return `#compdef penstock
_penstock() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${groups.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ')} 'help:show help')
  elif (( CURRENT == 3 )); then
    case "\${words[2]}" in
${commands.join('')}    esac
  fi
  if (( \${#found} )); then
    _describe word found
    return
  fi
  found=("\${(@f)$(penstock completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    # The path of a key goes on.
    local -a open=("\${(@M)found:#*.}") whole=("\${(@)found:#*.}")
    compadd -S '' -a open
    compadd -a whole
  else
    _files
  fi
}
_penstock "$@"
`;
}

function writeFish(groups: readonly CommandGroup[]): string {
  const first = groups.map(
    ({ name, summary }) =>
      `complete -c penstock -n '__penstock_is_word 1' -f -a ${name} -d ${quote(summary)}\n`,
  );
  const second = groups
    .filter(hasSubcommands)
    .flatMap((group) =>
      describeAll(group).map(
        ([name, summary]) =>
          `complete -c penstock -n '__penstock_is_word 2 ${group.name}' -f -a ${name} -d ${quote(summary)}\n`,
      ),
    );
  return `# fish completion of penstock
function __penstock_is_word
  set -l typed (commandline -opc)
  test (count $typed) -eq $argv[1]; and test (count $argv) -eq 1 -o "$typed[2]" = "$argv[2]"
end
function __penstock_words
  set -l typed (commandline -opc)
  set -l word (commandline -oct)
  set -l found (penstock completion words -- $typed[2..-1] "$word" 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$word"
  end
end
${first.join('')}complete -c penstock -n '__penstock_is_word 1' -f -a help -d 'show help'
${second.join('')}complete -c penstock -n 'test (count (commandline -opc)) -ge 2' -f -a '(__penstock_words)'
`;
}

function hasSubcommands({ commands }: CommandGroup): boolean {
  return commands[''] === undefined;
}

function subcommandsOf({ commands }: CommandGroup): readonly string[] {
  return Object.keys(commands);
}

function describeAll({ commands }: CommandGroup): readonly (readonly [name: string, summary: string])[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}

// Without quotes and backslashes, both shells quote the same way.
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '')}'`;
}
