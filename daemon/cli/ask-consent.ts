import { createInterface } from 'node:readline';

import { CommandError } from './command-error.ts';
import type { Terminal } from './verb.ts';

/**
 * Asks a person at a terminal whether to go on.
 *
 * @param refusal why a command without a terminal goes no further, and what it needs instead
 * @throws {CommandError} without a terminal, and for any answer but yes
 */
export async function askConsent(question: string, refusal: string, terminal: Terminal): Promise<void> {
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
