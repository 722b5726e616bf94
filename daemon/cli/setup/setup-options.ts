import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';

import { listLocalNames } from '../../security/certificate/certificate-issuer.ts';
import type { ServerNames } from '../../security/certificate/certificate-issuer.ts';
import type { Grant } from '../../interface/plant/grant.ts';
import { UsageError, CommandError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

/** Target state of `penstock setup`. */
export interface SetupOptions {
  /** Host names and addresses for the server certificate. */
  readonly names: ServerNames;
  /** Clients that authenticate with a certificate. */
  readonly clients: readonly string[];
  /** Grants of new clients; empty: the permission for all assets. */
  readonly grants: readonly Grant[];
  /** Parent of the directories with the files of each client. */
  readonly output: string;
  /** True: replace certificates that setup did not create. */
  readonly isReplacing: boolean;
}

// RFC 1034, 3.5, as certificates carry host names (RFC 5280, 4.2.1.6).
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
// An identity has at least 3 characters, a common name at most 64 (RFC 5280, appendix A.1); the folder has the same name.
const CLIENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;

/**
 * Returns all names and addresses of the machine, and the additional ones.
 *
 * @throws {UsageError} for anything but a host name or an address
 */
export function collectNames(further: readonly string[]): ServerNames {
  const { hostNames, addresses } = listLocalNames();
  for (const name of further) {
    if (isIP(name) === 0 && !HOST_NAME.test(name)) {
      throw new UsageError(`--name ${JSON.stringify(name)}: expected a host name or an IP address`);
    }
  }
  const isAddress = (name: string): boolean => isIP(name) !== 0;
  const furtherNames = further.filter((name) => !isAddress(name)).map((name) => name.toLowerCase());
  return {
    hostNames: [...new Set([...hostNames, ...furtherNames])],
    addresses: [...new Set([...addresses, ...listAddresses(), ...further.filter(isAddress)])],
  };
}

/** @throws {UsageError} for names unsuitable for certificates or directories, and for repeated ones */
export function checkClientNames(names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    if (!CLIENT_NAME.test(name)) {
      const expected =
        'expected 3 to 64 letters, digits, dots, hyphens or underscores, a letter or digit first';
      throw new UsageError(`--client ${JSON.stringify(name)}: ${expected}`);
    }
    if (names.indexOf(name) !== index) throw new UsageError(`--client ${name} is given twice`);
  }
}

/** Lists the addresses of this machine for other machines; link-local ones are not stable. */
export function listAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
}

/** Returns true at a terminal, where prompts are possible. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Prompts for missing options; repeats the prompt after an invalid entry.
 *
 * @throws {CommandError} `NO_INPUT` at the end of the input or on a stop signal
 */
export async function promptForOptions(given: SetupOptions, terminal: Terminal): Promise<SetupOptions> {
  const { hostNames, addresses } = given.names;
  terminal.note(`The certificate of the gateway covers\n  ${[...hostNames, ...addresses].join('\n  ')}\n`);
  const names = await promptUntilValid(
    'Additional names or addresses, separated by spaces',
    terminal,
    (words) => collectNames([...hostNames, ...addresses, ...words]),
  );
  if (given.clients.length > 0) return { ...given, names };
  terminal.note('Each client, such as a SCADA system, authenticates with its own certificate.\n');
  const clients = await promptUntilValid('Names of clients, separated by spaces', terminal, (words) => {
    checkClientNames(words);
    return words;
  });
  return { ...given, names, clients };
}

async function promptUntilValid<T>(
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
