import { createClient } from '../client/client-options.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalCommand } from '../client/client-commands.ts';
import { createNameSource } from './completion-names.ts';
import { COMPLETION_FILES, writeCompletion } from './completion-script.ts';
import type { CompletionShell } from './completion-script.ts';
import { listCompletions } from './completion-words.ts';
import type { CommandGroup } from '../command-group.ts';

/**
 * Creates the command that prints shell completion scripts and completes a command line.
 *
 * @param groups returns all command groups
 */
export function createCompletion(groups: () => readonly CommandGroup[]): CommandGroup {
  return createCommandGroup('completion', 'print a completion script for bash, zsh or fish', {
    bash: toCommand('bash', groups),
    zsh: toCommand('zsh', groups),
    fish: toCommand('fish', groups),
    words: {
      parameters: '[WORD...]',
      summary: 'print the completions of a command line whose last word is incomplete',
      text: 'Used by the completion scripts, also for names of assets, channels, drivers and packages.',
      examples: ['penstock completion words -- asset read hea'],
      runHere: async ({ words, terminal }) => {
        const found = await listCompletions(
          groups(),
          words,
          // A password would have to be asked for.
          createNameSource(({ user: _user, ...options }) => createClient(options, terminal)),
        );
        terminal.print(found.map((word) => `${word}\n`).join(''));
      },
    },
  });
}

function toCommand(shell: CompletionShell, groups: () => readonly CommandGroup[]): LocalCommand {
  return {
    parameters: '',
    summary: `print the completion script for ${shell}`,
    text: `The package installs it as /${COMPLETION_FILES[shell]}.`,
    runHere: ({ terminal }) => {
      terminal.print(writeCompletion(shell, groups()));
      return Promise.resolve();
    },
  };
}
