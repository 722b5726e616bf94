import { formatTable, toPrintable, wrapText } from '../table.ts';
import { findPage } from '../page.ts';
import type { ProposedAsset, ScanFinding, ScanResult } from '../../interface/scans.ts';
import type { Discovered } from './scan.ts';

/** Writes what a scan has found for people: the findings, the assets that it proposes, and what a person should know. */
export function formatDiscovered({ findings, result }: Discovered): string {
  const found =
    findings.length === 0
      ? 'Nothing was found.\n'
      : formatTable<ScanFinding>(
          [
            { title: 'AT', show: ({ subject }) => subject },
            { title: 'WHAT', show: ({ kind }) => kind.toLowerCase().replaceAll('_', ' ') },
            { title: 'FOUND', show: ({ text }) => text },
          ],
          groupBySubject(findings),
        );
  const parts = result === undefined ? [] : [formatNotes(result), formatAssets(result)];
  return [found, ...parts].filter((part) => part !== '').join('\n');
}

function formatAssets({ assets }: ScanResult): string {
  if (assets.length === 0) return '';
  return formatTable<ProposedAsset>(
    [
      { title: 'ASSET', show: ({ pid }) => pid },
      { title: 'TEMPLATE', show: ({ template }) => template ?? '', isOptional: true },
      { title: 'PARAMETERS', show: describeParameters, isOptional: true },
      { title: 'CHANNELS', show: countChannels, isOptional: true },
    ],
    assets,
  );
}

function describeParameters({ parameters = {} }: ProposedAsset): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

/** Those of a template are not counted here. */
function countChannels({ template, channels = [] }: ProposedAsset): string {
  return template === undefined ? String(channels.length) : '';
}

/** Returns what belongs to the same thing together, in the order in which the things were found. */
function groupBySubject(findings: readonly ScanFinding[]): readonly ScanFinding[] {
  const groups = Map.groupBy(findings, ({ subject }) => subject);
  return [...groups.values()].flat();
}

function formatNotes({ notes, isComplete }: ScanResult): string {
  const { columns } = findPage();
  const all = isComplete ? notes : [...notes, 'The scan ended before it was complete; there may be more.'];
  return all
    .map((note) => (columns === undefined ? `${toPrintable(note)}\n` : wrapText(toPrintable(note), columns)))
    .join('');
}
