import { listOptions } from '../client/client-verb.ts';
import type { Verb } from '../verb.ts';

/** A shell that has a completion. */
export type CompletionShell = 'bash' | 'zsh' | 'fish';

/** Where the completions of the shells are installed, below the root. */
export const COMPLETION_FILES: Readonly<Record<CompletionShell, string>> = {
  bash: 'usr/share/bash-completion/completions/penstock',
  zsh: 'usr/share/zsh/vendor-completions/_penstock',
  fish: 'usr/share/fish/vendor_completions.d/penstock.fish',
};

/**
 * Returns the completion of a shell. It knows verbs, commands and options itself, and asks `penstock completion words` for
 * names.
 */
export function writeCompletion(shell: CompletionShell, verbs: readonly Verb[]): string {
  return WRITERS[shell](verbs);
}

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

// Names are not given to `compgen -W`, which would expand them as the shell does.
function writeBash(verbs: readonly Verb[]): string {
  const commands = verbs
    .filter(hasCommands)
    .map((verb) => `      ${verb.name}) words="${commandsOf(verb).join(' ')}" ;;\n`);
  const options = verbs.flatMap((verb) =>
    Object.entries(verb.commands)
      .filter(([, { settings }]) => settings === undefined)
      .map(([name, command]) => {
        const words = Object.keys(listOptions(command)).map((option) => `--${option}`);
        const pattern = name === '' ? `"${verb.name} "*` : `"${verb.name} ${name}"`;
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
    words="help ${verbs.map(({ name }) => name).join(' ')} --help --version"
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

function writeZsh(verbs: readonly Verb[]): string {
  const commands = verbs.filter(hasCommands).map(
    (verb) =>
      `      ${verb.name}) found=(${describeAll(verb)
        .map(([name, summary]) => quote(`${name}:${summary}`))
        .join(' ')}) ;;\n`,
  );
  return `#compdef penstock
_penstock() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${verbs.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ')} 'help:prints help')
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

function writeFish(verbs: readonly Verb[]): string {
  const first = verbs.map(
    ({ name, summary }) =>
      `complete -c penstock -n '__penstock_is_word 1' -f -a ${name} -d ${quote(summary)}\n`,
  );
  const second = verbs
    .filter(hasCommands)
    .flatMap((verb) =>
      describeAll(verb).map(
        ([name, summary]) =>
          `complete -c penstock -n '__penstock_is_word 2 ${verb.name}' -f -a ${name} -d ${quote(summary)}\n`,
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
${first.join('')}complete -c penstock -n '__penstock_is_word 1' -f -a help -d 'prints help'
${second.join('')}complete -c penstock -n 'test (count (commandline -opc)) -ge 2' -f -a '(__penstock_words)'
`;
}

function hasCommands({ commands }: Verb): boolean {
  return commands[''] === undefined;
}

function commandsOf({ commands }: Verb): readonly string[] {
  return Object.keys(commands);
}

function describeAll({ commands }: Verb): readonly (readonly [name: string, summary: string])[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}

// Both shells quote alike what has neither.
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '')}'`;
}
