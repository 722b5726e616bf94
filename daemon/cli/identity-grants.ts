import type { ClientCommand, Invocation } from './client-verb.ts';
import { UsageError } from './command-error.ts';
import { formatGrants, hasEnded } from './grant-text.ts';
import type { GrantInfo } from './grant-text.ts';

const ROOT = '/services/identity/v1';

interface GranteeInfo {
  readonly userName: string;
  readonly grants: readonly GrantInfo[];
}

/** The commands that add and remove single grants of an identity. */
export const grantCommands: Readonly<Record<string, ClientCommand>> = {
  grant: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'gives an identity a right on some channels',
    options: {
      asset: {
        value: 'PATTERN',
        help: 'pid of an asset; * stands for any run of characters',
        isRepeated: true,
        names: 'asset',
      },
      channel: { value: 'PATTERN', help: 'name of a channel; without it, every channel', isRepeated: true },
      operation: { value: 'NAME', help: 'READ or WRITE; without it, READ', isRepeated: true },
      until: { value: 'TIME', help: 'when the right ends, such as 2026-12-01T18:00:00Z' },
      reason: { value: 'TEXT', help: 'why it is given, such as the number of a permit' },
    },
    text: 'The right is added to those that the identity has. At its end it stops by itself, for open streams as well.',
    examples: [
      "penstock identity grant historian --asset 'line1-*'",
      'penstock identity grant scada --asset boiler --until 2026-12-01T18:00:00Z',
    ],
    async run(invocation) {
      const grant = readGrant(invocation);
      const { grants } = await find(invocation);
      if (hasEnded(grant)) invocation.terminal.note(`the right has ended already: ${grant.until ?? ''}\n`);
      await replace(invocation, [...grants, grant]);
    },
  },
  revoke: {
    parameters: 'NAME [GRANT...]',
    names: ['identity'],
    summary: 'takes rights on channels from an identity, by their numbers',
    options: { all: { help: 'takes every one' }, ended: { help: 'takes those that have ended' } },
    text: 'The numbers are those of `penstock identity show`. Open streams stop at once.',
    examples: ['penstock identity revoke operator 2', 'penstock identity revoke operator --ended'],
    async run(invocation) {
      const { words, options } = invocation;
      const { grants } = await find(invocation);
      const numbers = new Set(words.slice(1).map((word) => readNumber(word, grants.length)));
      const isTaken = (grant: GrantInfo, index: number): boolean =>
        options['all'] === true || (options['ended'] === true && hasEnded(grant)) || numbers.has(index + 1);
      if (numbers.size === 0 && options['all'] !== true && options['ended'] !== true) {
        throw new UsageError('name the rights by their numbers, or give --all or --ended');
      }
      await replace(
        invocation,
        grants.filter((grant, index) => !isTaken(grant, index)),
      );
    },
  },
};

function readGrant({ options }: Invocation): GrantInfo {
  const assets = options['asset'] as readonly string[] | undefined;
  if (assets === undefined) throw new UsageError('--asset PATTERN is missing');
  const channels = options['channel'] as readonly string[] | undefined;
  const operations = options['operation'] as readonly string[] | undefined;
  const until = options['until'] as string | undefined;
  const reason = options['reason'] as string | undefined;
  return {
    assets,
    ...(channels === undefined ? {} : { channels }),
    operations: operations?.map((operation) => operation.toUpperCase()) ?? ['READ'],
    ...(until === undefined ? {} : { until }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function readNumber(word: string, count: number): number {
  const number = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  if (number >= 1 && number <= count) return number;
  throw new UsageError(`${JSON.stringify(word)} is not the number of a right; the identity has ${count}`);
}

async function find({ client, words: [userName] }: Invocation): Promise<GranteeInfo> {
  const { body } = await client.send('POST', `${ROOT}/identities/byName`, { body: { userName } });
  return body as GranteeInfo;
}

async function replace(
  { client, words: [userName], show }: Invocation,
  grants: readonly GrantInfo[],
): Promise<void> {
  const { body } = await client.send('PUT', `${ROOT}/identities`, { body: { userName, grants } });
  show(body as GranteeInfo, (changed) => formatGrants(changed.grants));
}
