import { createClient } from '../client/client-options.ts';
import { createClientVerb } from '../client/client-verb.ts';
import type { LocalCommand } from '../client/client-verb.ts';
import { createNameSource } from './completion-names.ts';
import { COMPLETION_FILES, writeCompletion } from './completion-script.ts';
import type { CompletionShell } from './completion-script.ts';
import { listCompletions } from './completion-words.ts';
import type { Verb } from '../verb.ts';

/**
 * Creates the verb that prints completions for shells, and what can follow a command line.
 *
 * @param verbs returns every verb
 */
export function createCompletion(verbs: () => readonly Verb[]): Verb {
  return createClientVerb('completion', 'prints a completion for bash, zsh or fish', {
    bash: toCommand('bash', verbs),
    zsh: toCommand('zsh', verbs),
    fish: toCommand('fish', verbs),
    words: {
      parameters: '[WORD...]',
      summary: 'prints what can follow the words of a command line, the last of which is incomplete',
      text: 'The completions of the shells ask it, for names of assets, channels, drivers and packages too.',
      examples: ['penstock completion words -- asset read hea'],
      runHere: async ({ words, terminal }) => {
        const found = await listCompletions(
          verbs(),
          words,
          // A password would have to be asked for.
          createNameSource(({ user: _user, ...options }) => createClient(options, terminal)),
        );
        terminal.print(found.map((word) => `${word}\n`).join(''));
      },
    },
  });
}

function toCommand(shell: CompletionShell, verbs: () => readonly Verb[]): LocalCommand {
  return {
    parameters: '',
    summary: `prints the completion for ${shell}`,
    text: `The package has it in /${COMPLETION_FILES[shell]}.`,
    runHere: ({ terminal }) => {
      terminal.print(writeCompletion(shell, verbs()));
      return Promise.resolve();
    },
  };
}
