import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { CommandError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

/**
 * Prompts the user at a terminal for confirmation.
 *
 * @param refusal error message without a terminal: the reason and the required option
 * @throws {CommandError} `CONSENT_MISSING` without a terminal, or if the user declines
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
 * Prompts for a secret without echo; from a pipe, reads the first line.
 *
 * @throws {CommandError} `NO_INPUT` at the end of the input or on a stop signal
 */
export async function promptSecret(prompt: string, terminal: Terminal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin } = process;
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  // After the echo is off.
  terminal.note(prompt);
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new CommandError({ code: 'NO_INPUT', detail: 'no password given' })));
      lines.once('SIGINT', () => lines.close());
      terminal.stopSignal.addEventListener('abort', () => lines.close(), { once: true });
    });
  } finally {
    lines.close();
    if (stdin.isTTY) terminal.note('\n');
  }
}

/** Prompts for a new secret twice until both entries match; from a pipe, reads it once. */
export async function promptNewSecret(prompt: string, terminal: Terminal): Promise<string> {
  for (;;) {
    const first = await promptSecret(`${prompt}: `, terminal);
    if (!process.stdin.isTTY) return first;
    if ((await promptSecret('Again: ', terminal)) === first) return first;
    terminal.note('the entries do not match; try again\n');
  }
}
