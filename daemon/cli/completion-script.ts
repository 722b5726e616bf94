import { listOptions } from './client-verb.ts';
import type { Verb } from './verb.ts';

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
_penstock() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" name
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="help ${verbs.map(({ name }) => name).join(' ')} --help --version"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${commands.join('')}    esac
  fi
  if [ -z "$words" ] && [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${options.join('')}    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  while IFS= read -r name; do
    printf -v name %q "$name"
    COMPREPLY+=("$name")
  done < <(penstock completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
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
  found=("\${(@f)$(penstock completion words -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    compadd -a found
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
  set -l typed (commandline -opc) (commandline -ct)
  penstock completion words -- $typed[2..-1] 2> /dev/null
end
${first.join('')}complete -c penstock -n '__penstock_is_word 1' -f -a help -d 'prints help'
${second.join('')}complete -c penstock -n 'test (count (commandline -opc)) -ge 2' -a '(__penstock_words)'
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
