import { isDeepStrictEqual } from 'node:util';

import type { ClientCommand, Invocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { formatGrants, hasEnded, readOperation } from './grant-text.ts';
import type { Grant } from '../../interface/plant/grant.ts';
import { changeIdentity, readIdentity } from '../../interface/security/identities.ts';
import { hintUnmatched } from './unmatched-grants.ts';

// Of any number of concurrent changes one succeeds, so every round makes progress.
const MAXIMUM_ATTEMPTS = 50;

const RENUMBERED = {
  code: 'GRANTS_CHANGED',
  detail: 'the grants of the identity and their numbers have changed since; nothing was revoked',
} as const;

const HIDDEN = {
  code: 'GRANTS_HIDDEN',
  detail: 'the gateway does not show the grants of the identity; nothing was changed',
} as const;

/** Subcommands that add and revoke single grants of an identity. */
export const grantCommands: Readonly<Record<string, ClientCommand>> = {
  grant: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'grant an identity access to channels',
    options: {
      asset: {
        value: 'PATTERN',
        help: 'pid of an asset; * matches any characters',
        isRepeated: true,
        names: 'asset',
      },
      channel: { value: 'PATTERN', help: 'name of a channel (default: every channel)', isRepeated: true },
      operation: { value: 'NAME', help: 'READ or WRITE (default: READ)', isRepeated: true },
      until: { value: 'TIME', help: 'expiry time, for example 2026-12-01T18:00:00Z' },
      reason: { value: 'TEXT', help: 'reason, for example a permit number' },
    },
    text: 'Adds a grant to those of the identity. It expires automatically, also for open streams.',
    examples: [
      "penstock identity grant historian --asset 'line1-*'",
      'penstock identity grant scada --asset boiler --until 2026-12-01T18:00:00Z',
    ],
    async run(invocation) {
      const grant = readGrant(invocation);
      if (hasEnded(grant)) invocation.terminal.note(`the grant has already expired: ${grant.until ?? ''}\n`);
      await change(invocation, (grants) => [...grants, grant]);
      for (const hint of await hintUnmatched(invocation.client, [grant]))
        invocation.terminal.note(`${hint}\n`);
    },
  },
  revoke: {
    parameters: 'NAME [GRANT...]',
    names: ['identity'],
    summary: 'revoke grants of an identity by their numbers',
    options: { all: { help: 'revoke all grants' }, ended: { help: 'revoke expired grants' } },
    text: '"penstock identity show" lists the numbers. Open streams end at once.',
    examples: ['penstock identity revoke operator 2', 'penstock identity revoke operator --ended'],
    async run(invocation) {
      const { words, options } = invocation;
      const named = words.slice(1);
      if (named.length === 0 && options['all'] !== true && options['ended'] !== true) {
        throw new UsageError('expected the numbers of grants, --all or --ended');
      }
      let expected: readonly (Grant | undefined)[] | undefined;
      await change(invocation, (grants) => {
        const numbers = new Set(named.map((word) => readNumber(word, grants.length)));
        const found = [...numbers].map((number) => grants[number - 1]);
        expected ??= found;
        if (!isDeepStrictEqual(found, expected)) throw new CommandError(RENUMBERED);
        const isTaken = (grant: Grant, index: number): boolean =>
          options['all'] === true || (options['ended'] === true && hasEnded(grant)) || numbers.has(index + 1);
        return grants.filter((grant, index) => !isTaken(grant, index));
      });
    },
  },
};

function readGrant({ options }: Invocation): Grant {
  const assets = options['asset'] as readonly string[] | undefined;
  if (assets === undefined) throw new UsageError('--asset PATTERN is missing');
  const channels = options['channel'] as readonly string[] | undefined;
  const operations = options['operation'] as readonly string[] | undefined;
  const until = options['until'] as string | undefined;
  const reason = options['reason'] as string | undefined;
  return {
    assets,
    ...(channels === undefined ? {} : { channels }),
    operations: operations?.map((name) => readOperation('operation', name)) ?? ['READ'],
    ...(until === undefined ? {} : { until }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function readNumber(word: string, count: number): number {
  const number = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  if (number >= 1 && number <= count) return number;
  throw new UsageError(`${JSON.stringify(word)} is not the number of a grant; the identity has ${count}`);
}

// Option of each member of a grant.
const OPTION_OF: Readonly<Record<string, string>> = {
  assets: 'asset',
  channels: 'channel',
  operations: 'operation',
  until: 'until',
  reason: 'reason',
};

/** Names a rejected member of a grant by its option. */
function nameRefusedOption(error: unknown): unknown {
  if (!(error instanceof CommandError) || error.code !== 'STATUS_400') return error;
  const [, member = '', fault = ''] = /grants\[\d+\]\.(\w+)(?:\[\d+\])?"?:? (.*)$/s.exec(error.detail) ?? [];
  const option = OPTION_OF[member];
  return option === undefined ? error : new UsageError(`--${option}: ${fault}`);
}

/** Changes the grants of an identity; keeps concurrent changes of other users. */
async function change(
  { client, words: [userName = ''], show }: Invocation,
  edit: (grants: readonly Grant[]) => readonly Grant[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await client.exchange(readIdentity, { body: { userName } });
    const { grants } = read.body;
    if (grants === undefined) throw new CommandError(HIDDEN);
    const headers = { 'If-Match': read.headers.etag ?? '*' };
    try {
      const body = { userName, grants: edit(grants) };
      await client.exchange(changeIdentity, { body, headers });
      const changed = await client.call(readIdentity, {}, { userName });
      show(changed, (identity) => formatGrants(identity.grants ?? []));
      return;
    } catch (error) {
      const isStale = error instanceof CommandError && error.code === 'STATUS_412';
      if (!isStale || attempt === MAXIMUM_ATTEMPTS) throw nameRefusedOption(error);
    }
  }
}
