import { createInterface } from 'node:readline';

import { CommandError, UsageError } from '../command-error.ts';
import type { Terminal } from '../verb.ts';
import { checkClientNames, collectNames } from './wishes.ts';
import type { SetupWishes } from './wishes.ts';

/** Whether somebody is there who can be asked. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks for what the options leave open; a wrong answer is explained and asked for again.
 *
 * @throws {CommandError} when the input ends, or the command is told to stop
 */
export async function askWishes(given: SetupWishes, terminal: Terminal): Promise<SetupWishes> {
  const { hostNames, addresses } = given.names;
  terminal.note(`The certificate of the gateway is for\n  ${[...hostNames, ...addresses].join('\n  ')}\n`);
  const names = await askUntilValid('Further names or addresses, separated by spaces', terminal, (words) =>
    collectNames([...hostNames, ...addresses, ...words]),
  );
  if (given.clients.length > 0) return { ...given, names };
  terminal.note('A client such as a SCADA reads and writes assets with a certificate of its own.\n');
  const clients = await askUntilValid('Names of clients, separated by spaces', terminal, (words) => {
    checkClientNames(words);
    return words;
  });
  return { ...given, names, clients };
}

async function askUntilValid<T>(
  question: string,
  terminal: Terminal,
  read: (words: readonly string[]) => T,
): Promise<T> {
  for (;;) {
    const answer = await ask(`${question} [none]: `, terminal);
    try {
      return read(answer.split(/[\s,]+/).filter((word) => word !== ''));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      terminal.note(`${error.detail}\n`);
    }
  }
}

function ask(question: string, terminal: Terminal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  return new Promise<string>((resolve, reject) => {
    const stop = (): void =>
      reject(new CommandError({ code: 'NO_INPUT', detail: 'stopped; nothing was changed' }));
    lines.question(question, resolve);
    for (const event of ['close', 'SIGINT'] as const) lines.once(event, stop);
    terminal.stopSignal.addEventListener('abort', stop, { once: true });
  }).finally(() => lines.close());
}
