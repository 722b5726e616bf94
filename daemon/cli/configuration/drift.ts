import { prune, readDrift } from '../../interface/configuration/drift.ts';
import type { Drift, DriftedPart } from '../../interface/configuration/drift.ts';
import { CHANGE_OPTIONS, makeChange } from './change.ts';
import { nameItem } from './change-text.ts';
import type { ClientCommand } from '../client/client-commands.ts';
import { CommandError } from '../command-error.ts';
import { formatTable } from '../terminal/table.ts';

// Listed for information; no action needed.
const NO_DRIFT = new Set(['TAKEN_OVER', 'UNKNOWN']);

/** Shows how the configuration differs from the provision files; status 1 if it does. */
export const driftCommand: ClientCommand = {
  parameters: '',
  summary: 'show how the configuration differs from the provision files',
  text:
    'Compares with the files as of the last start or reload. The exit status is 1 if a part VANISHED from its file, ' +
    'or was CHANGED or REMOVED by other means. TAKEN_OVER parts and those of UNKNOWN origin do not count.',
  examples: ['penstock config drift', 'penstock config drift --json'],
  run: async ({ client, show }) => {
    const answer = await client.call(readDrift);
    show(answer, formatDrift);
    const count = answer.drift.filter(({ state }) => !NO_DRIFT.has(state)).length;
    if (count === 0) return;
    const detail = `${count} ${count === 1 ? 'part differs' : 'parts differ'} from the provision files`;
    throw new CommandError({ code: 'FINDINGS', detail });
  },
};

/** Removes parts that are no longer in their provision file. */
export const pruneCommand: ClientCommand = {
  parameters: '',
  summary: 'remove parts that are no longer in a provision file',
  text:
    'Removes the parts that "penstock config drift" lists as VANISHED, including identities, and nothing else. ' +
    'With --confirm-within identities are kept, because their removal cannot be reverted.',
  options: CHANGE_OPTIONS,
  examples: ['penstock config prune --dry-run', 'penstock config prune'],
  run: (invocation) => makeChange(invocation, { endpoint: prune }),
};

function formatDrift({ drift }: Drift): string {
  if (drift.length === 0) return 'the configuration matches the provision files\n';
  const parts = formatTable<DriftedPart>(
    [
      { title: 'PART', show: ({ item }) => nameItem(item) },
      { title: 'STATE', show: ({ state }) => state, tone: toTone },
      { title: 'FILE', show: ({ source }) => source ?? '-' },
    ],
    drift,
  );
  const differences = drift.flatMap(listRows);
  if (differences.length === 0) return parts;
  const table = formatTable<Row>(
    [
      { title: 'PART', show: ({ part }) => part },
      { title: 'KEY', show: ({ key }) => key },
      { title: 'IN THE FILE', show: ({ file }) => file },
      { title: 'ACTIVE', show: ({ inForce }) => inForce },
    ],
    differences,
  );
  return `${parts}\n${table}`;
}

function toTone({ state }: DriftedPart): 'GOOD' | 'DOUBTFUL' {
  return NO_DRIFT.has(state) ? 'GOOD' : 'DOUBTFUL';
}

interface Row {
  readonly part: string;
  readonly key: string;
  readonly file: string;
  readonly inForce: string;
}

function listRows({ item, differences, differenceCount }: DriftedPart): readonly Row[] {
  const part = nameItem(item);
  const rows = differences.map(({ key, file, inForce }) => ({
    part,
    key: key === '' ? '-' : key,
    file: formatValue(file),
    inForce: formatValue(inForce),
  }));
  const others = differenceCount - differences.length;
  if (others === 0) return rows;
  return [...rows, { part, key: `and ${others} more`, file: '', inForce: '' }];
}

const MAXIMUM_VALUE_LENGTH = 40;

function formatValue(value: unknown): string {
  if (value === undefined) return '-';
  const text = JSON.stringify(value);
  return text.length > MAXIMUM_VALUE_LENGTH ? `${text.slice(0, MAXIMUM_VALUE_LENGTH - 1)}…` : text;
}
