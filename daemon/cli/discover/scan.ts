import type { ReceivedCode } from '../../base/error-codes.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import type {
  scanDevice,
  ScanFault,
  ScanFinding,
  ScanProgress,
  ScanResult,
  ProposedAsset,
} from '../../interface/plant/scans.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError } from '../command-error.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { toPrintable, formatTable, wrapText } from '../terminal/table.ts';
import { findPage } from '../terminal/page.ts';

/** Result of a scan. */
export interface Discovered {
  readonly findings: readonly ScanFinding[];
  /** Absent if the scan was stopped or failed. */
  readonly result?: ScanResult;
  /** Error of a failed scan. */
  readonly failure?: CommandError;
}

/** Event stream of a scan, which starts with the first request for an event. */
export type ScanEvents = AsyncIterable<AnswerOf<typeof scanDevice>>;

// The line must not wrap on narrow terminals.
const PROGRESS_CHARACTERS = 70;

/**
 * Runs a scan on the gateway and shows its progress in one line; Ctrl-C stops it.
 *
 * @throws {CommandError} if the gateway refuses the scan
 */
export async function runScan({ terminal }: Invocation, events: ScanEvents): Promise<Discovered> {
  const line = new ProgressLine(terminal);
  const findings: ScanFinding[] = [];
  const { stopSignal } = terminal;
  line.show('scanning; stop with Ctrl-C');
  try {
    for await (const { type, data } of events) {
      if (type === 'progress') line.show(describeProgress(data, findings.length));
      if (type === 'found') findings.push(data);
      if (type === 'result') return { findings, result: data };
      if (type === 'failed') return { findings, failure: toFailure(data) };
    }
  } catch (error) {
    if (!stopSignal.aborted) throw error;
  } finally {
    line.clear();
  }
  if (stopSignal.aborted) return { findings };
  const detail = 'the gateway stopped the scan before it was complete';
  return { findings, failure: new CommandError({ code: 'SCAN_CUT_OFF', detail }) };
}

function describeProgress({ done, total, text }: ScanProgress, found: number): string {
  const share = total === undefined ? `${done}` : `${done}/${total}`;
  return toPrintable(`${share}  ${text}  (${found} found; stop with Ctrl-C)`).slice(0, PROGRESS_CHARACTERS);
}

function toFailure({ code, message }: ScanFault): CommandError {
  return new CommandError({ code: code as ReceivedCode, detail: message });
}

/** Formats a scan: findings, notes and proposed assets. */
export function formatDiscovered({ findings, result }: Discovered): string {
  const found =
    findings.length === 0
      ? 'Nothing found.\n'
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

/** Counts channels; empty for assets with a template. */
function countChannels({ template, channels = [] }: ProposedAsset): string {
  return template === undefined ? String(channels.length) : '';
}

/** Groups findings by subject, in the order of discovery. */
function groupBySubject(findings: readonly ScanFinding[]): readonly ScanFinding[] {
  const groups = Map.groupBy(findings, ({ subject }) => subject);
  return [...groups.values()].flat();
}

function formatNotes({ notes, isComplete }: ScanResult): string {
  const { columns } = findPage();
  const all = isComplete ? notes : [...notes, 'The scan ended early; the results may be incomplete.'];
  return all
    .map((note) => (columns === undefined ? `${toPrintable(note)}\n` : wrapText(toPrintable(note), columns)))
    .join('');
}
