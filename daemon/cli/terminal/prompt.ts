import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { CommandError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

/**
 * Asks a person at a terminal whether to go on.
 *
 * @param refusal why a command without a terminal goes no further, and what it needs instead
 * @throws {CommandError} without a terminal, and for any answer but yes
 */
export async function promptYesNo(question: string, refusal: string, terminal: Terminal): Promise<void> {
  const { stdin } = process;
  if (!stdin.isTTY) throw new CommandError({ code: 'CONSENT_MISSING', detail: refusal });
  const lines = createInterface({ input: stdin, output: process.stderr, terminal: true });
  const answer = await new Promise<string>((resolve) => {
    lines.question(`${question} [y/N] `, resolve);
    for (const event of ['close', 'SIGINT'] as const) lines.once(event, () => resolve(''));
    terminal.stopSignal.addEventListener('abort', () => resolve(''), { once: true });
  });
  lines.close();
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  throw new CommandError({ code: 'CONSENT_MISSING', detail: 'nothing was changed' });
}

/**
 * Asks for a secret without showing what is typed; from a pipe, reads the first line.
 *
 * @throws {CommandError} when the input ends, or the command is told to stop
 */
export async function promptSecret(prompt: string, terminal: Terminal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin } = process;
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  // Only now: the terminal no longer shows what is typed.
  terminal.note(prompt);
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () =>
        reject(new CommandError({ code: 'NO_INPUT', detail: 'no password was given' })),
      );
      lines.once('SIGINT', () => lines.close());
      terminal.stopSignal.addEventListener('abort', () => lines.close(), { once: true });
    });
  } finally {
    lines.close();
    if (stdin.isTTY) terminal.note('\n');
  }
}

/** Asks for a new secret twice, until both are the same; from a pipe, reads it once. */
export async function promptNewSecret(prompt: string, terminal: Terminal): Promise<string> {
  for (;;) {
    const first = await promptSecret(`${prompt}: `, terminal);
    if (!process.stdin.isTTY) return first;
    if ((await promptSecret('Again: ', terminal)) === first) return first;
    terminal.note('the two differ; type it again\n');
  }
}
