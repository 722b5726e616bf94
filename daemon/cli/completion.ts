import type { Verb } from './verb.ts';

/**
 * Creates the verb that prints a completion for bash.
 *
 * @param verbs returns every verb; the commands of a verb are taken from its help
 */
export function createCompletion(verbs: () => readonly Verb[]): Verb {
  return {
    name: 'completion',
    summary: 'prints a completion for bash',
    usage:
      'Usage: penstock completion\n\nWrite its output to /usr/share/bash-completion/completions/penstock.\n',
    run(_parameters, terminal) {
      terminal.print(writeBashCompletion(verbs()));
      return Promise.resolve();
    },
  };
}

/** Returns a completion script for bash that completes verbs, their commands and options. */
export function writeBashCompletion(verbs: readonly Verb[]): string {
  const cases = verbs.map(({ name, usage }) => `    ${name}) words="${listWords(name, usage).join(' ')}" ;;`);
  return `# bash completion of penstock
_penstock() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${verbs.map(({ name }) => name).join(' ')} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _penstock penstock
`;
}

function listWords(verb: string, usage: string): readonly string[] {
  const commands = [...usage.matchAll(new RegExp(`^ +penstock ${verb} ([a-z][a-z-]*)`, 'gm'))].map(
    ([, word = '']) => word,
  );
  const options = [...usage.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([word]) => word);
  return [...new Set([...commands, ...options, '--help'])];
}
