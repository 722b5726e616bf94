import { describePlanned } from '../change-text.ts';
import type { ChangePlan } from '../../interface/configuration.ts';
import { formatTable, toPrintable } from '../table.ts';
import type { Imported, Remark } from './imported.ts';

/** What an import does, as JSON has it. */
export interface ImportReport {
  /** Absent where nothing can be taken over. */
  readonly plan: ChangePlan | undefined;
  /** Channels of each asset. */
  readonly channels: Readonly<Record<string, number>>;
  readonly untaken: readonly Remark[];
  readonly remarks: readonly Remark[];
}

/** Returns what an import does. */
export function reportImport(
  { assets, untaken, remarks }: Imported,
  plan: ChangePlan | undefined,
): ImportReport {
  const channels = Object.fromEntries(
    assets.map(({ asset, channels: list }) => [String(asset['pid']), list.length]),
  );
  return { plan, channels, untaken, remarks };
}

/** Writes what an import does for people: the plan, then every row that is not taken over, then the remarks. */
export function formatReport({ plan, channels, untaken, remarks }: ImportReport): string {
  return [
    plan === undefined ? 'nothing can be taken over\n' : formatPlan(plan, channels),
    formatRemarks('not taken over', untaken),
    formatRemarks('taken over in another form, or without meaning here', remarks),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function formatPlan(plan: ChangePlan, channels: ImportReport['channels']): string {
  const counts = Object.entries(channels).map(([pid, count]) =>
    toPrintable(`${pid}: ${count} ${count === 1 ? 'channel' : 'channels'}`),
  );
  return `${describePlanned(plan)}${counts.map((line) => `${line}\n`).join('')}`;
}

function formatRemarks(title: string, remarks: readonly Remark[]): string {
  if (remarks.length === 0) return '';
  const table = formatTable<Remark>(
    [
      { title: 'PLACE', show: ({ place }) => place },
      { title: 'TEXT', show: ({ text }) => text },
      { title: 'REASON', show: ({ reason }) => reason },
    ],
    remarks,
  );
  return `${remarks.length} ${title}:\n${table}`;
}
