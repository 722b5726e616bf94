import { promptYesNo } from '../terminal/prompt.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError, PartlyFailed, UsageError } from '../command-error.ts';
import { readImportFile, recognizeKuraFile } from './import-file.ts';
import type { Imported, Remark } from './imported.ts';
import type { SheetTarget } from './kura-sheet.ts';
import { findItem } from './merge.ts';
import { fetchPresent, planImport } from './plan.ts';
import type { Present } from './plan.ts';
import type { Options } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';
import { describePlanned } from '../configuration/change-text.ts';
import type { ChangePlan } from '../../interface/configuration/configuration.ts';
import { formatTable, toPrintable } from '../terminal/table.ts';

const COMMON = {
  'dry-run': { help: 'show what would be imported; change nothing' },
  yes: { help: 'skip confirmation' },
  replace: { help: 'replace drivers and assets with the same pid' },
  encoding: { value: 'NAME', help: 'encoding of the file, for example windows-1252', default: 'utf-8' },
} as const satisfies Options;
const TARGET = {
  asset: { value: 'PID', help: 'asset for the channels of a list', names: 'asset' },
  driver: { value: 'PID', help: 'driver of that asset, which must exist', names: 'driver' },
} as const satisfies Options;
const DEVICE = {
  'unit-id': { value: 'N', help: 'Modbus unit identifier of the device', default: '1' },
  'address-base': { value: 'N', help: 'number of the first register, 1 or 0', default: '1' },
  'word-order': { value: 'ORDER', help: 'low-first or high-first', default: 'low-first' },
} as const satisfies Options;
const TEXT =
  'Shows the resulting configuration and every row that is not imported, then asks for confirmation. The exit status is 5 if a row is not imported.';

/** Imports the exports of other products. */
export const importCommands = createCommandGroup('import', 'import the configuration of other products', {
  kura: {
    parameters: 'FILE',
    names: ['file'],
    summary: 'import a snapshot (XML) or a list of channels (CSV) of Eclipse Kura',
    text: TEXT,
    options: { ...TARGET, ...COMMON },
    examples: [
      'penstock import kura snapshot.xml --dry-run',
      'penstock import kura channels.csv --asset boiler --driver line1',
    ],
    run: (invocation) =>
      runImport(invocation, async (text, present) => {
        if (recognizeKuraFile(invocation.words[0] ?? '-', text) === 'SNAPSHOT') {
          const { convertKuraSnapshot } = await import('./kura-snapshot.ts');
          return convertKuraSnapshot(text);
        }
        const { convertKuraSheet } = await import('./kura-sheet.ts');
        return convertKuraSheet(text, getTarget(invocation, present));
      }),
  },
  kepware: {
    parameters: 'FILE',
    names: ['file'],
    summary: 'import the tags (CSV) of a KEPServerEX device',
    text: TEXT,
    options: { ...TARGET, ...DEVICE, ...COMMON },
    examples: ['penstock import kepware tags.csv --asset pump --driver plc --dry-run'],
    run: (invocation) =>
      runImport(invocation, async (text, present) => {
        const device = {
          unitId: readWholeNumber(invocation.options, 'unit-id', { maximum: 255 }) ?? 1,
          addressBase: readWholeNumber(invocation.options, 'address-base', { maximum: 1 }) === 0 ? 0 : 1,
          isLowWordFirst: isLowWordFirst(invocation),
        } as const;
        const { convertKepwareTags } = await import('./kepware-tags.ts');
        return convertKepwareTags(text, getTarget(invocation, present), device);
      }),
  },
  neuron: {
    parameters: 'FILE',
    names: ['file'],
    summary: 'import an export (JSON) of Neuron',
    text: TEXT,
    options: COMMON,
    examples: ['penstock import neuron neuron.json'],
    run: (invocation) =>
      runImport(invocation, async (text) => {
        const { convertNeuronExport } = await import('./neuron-export.ts');
        return convertNeuronExport(text);
      }),
  },
});

/** Shows the resulting changes, asks for confirmation, and imports them. */
async function runImport(
  invocation: Invocation,
  convert: (text: string, present: Present) => Promise<Imported>,
): Promise<void> {
  const { client, options, words, terminal, show } = invocation;
  const encoding = typeof options['encoding'] === 'string' ? options['encoding'] : 'utf-8';
  const text = await readImportFile(words[0] ?? '-', encoding);
  const present = await fetchPresent(client);
  const wanted = { imported: await convert(text, present), mayReplace: options['replace'] === true };
  const { imported, effects, apply } = await planImport(client, present, wanted);
  show(reportImport(imported, effects), formatReport);
  if (effects === undefined) {
    throw new CommandError({
      code: 'NOTHING_IMPORTED',
      detail: 'nothing to import; no changes made',
    });
  }
  if (options['dry-run'] !== true) {
    if (options['yes'] !== true) {
      await promptYesNo('Import this?', 'nothing was changed; repeat with --yes', terminal);
    }
    await apply();
    terminal.note('import complete\n');
  }
  const { length } = imported.untaken;
  if (length === 0) return;
  throw new PartlyFailed({ code: 'IMPORT_PARTIAL', detail: `${length} not imported (see the output)` });
}

function getTarget({ options }: Invocation, { document }: Present): SheetTarget {
  const { asset } = options;
  if (typeof asset !== 'string') throw new UsageError('--asset is missing: the asset for the channels');
  const driver = options['driver'] ?? findItem(document['assets'], asset)?.['driver'];
  if (typeof driver !== 'string') throw new UsageError('--driver is missing: the driver of the asset');
  const found = findItem(document['drivers'], driver);
  if (found === undefined) {
    throw new CommandError({ code: 'ITEM_UNKNOWN', detail: `unknown driver "${driver}"; add it first` });
  }
  const { type } = found;
  if (type === 'modbus' || type === 'opcua') return { asset, driver, type };
  const detail = `the driver "${driver}" has the type ${String(type)}; expected modbus or opcua`;
  throw new CommandError({ code: 'ITEM_UNKNOWN', detail });
}

function isLowWordFirst({ options }: Invocation): boolean {
  const order = options['word-order'] ?? 'low-first';
  if (order === 'low-first' || order === 'high-first') return order === 'low-first';
  throw new UsageError(`--word-order "${String(order)}": expected low-first or high-first`);
}

/** Effects of an import, printed by `--json`. */
interface ImportReport {
  /** Absent if nothing can be imported. */
  readonly plan: ChangePlan | undefined;
  /** Number of channels of each asset. */
  readonly channels: Readonly<Record<string, number>>;
  readonly untaken: readonly Remark[];
  readonly remarks: readonly Remark[];
}

/** Returns the effects of an import. */
function reportImport({ assets, untaken, remarks }: Imported, plan: ChangePlan | undefined): ImportReport {
  const channels = Object.fromEntries(
    assets.map(({ asset, channels: list }) => [String(asset['pid']), list.length]),
  );
  return { plan, channels, untaken, remarks };
}

/** Formats the effects of an import: the plan, the rows that are not imported, and the remarks. */
function formatReport({ plan, channels, untaken, remarks }: ImportReport): string {
  return [
    plan === undefined ? 'nothing to import\n' : formatPlan(plan, channels),
    formatRemarks('not imported', untaken),
    formatRemarks('imported in another form, or without counterpart', remarks),
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
      { title: 'LOCATION', show: ({ place }) => place },
      { title: 'TEXT', show: ({ text }) => text },
      { title: 'REASON', show: ({ reason }) => reason },
    ],
    remarks,
  );
  return `${remarks.length} ${title}:\n${table}`;
}
