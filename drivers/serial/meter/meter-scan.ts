import { createIssue, createReason, quoteError } from '../../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from '../sentences/fault-sentences.ts';
import { SERIAL_SCAN_SENTENCES } from '../sentences/scan-sentences.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { z } from '../../../daemon/base/schema.ts';
import { createNote, describeScan, nameSubject } from '../../../daemon/channel/discovery.ts';
import type { Proposal, Scanning, ScanNote, Settings } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SerialLine } from '../serial-line.ts';
import type { Identification } from './identification.ts';
import { describeDataSet, describeMeter, listCurrentSets, toMeterAsset } from './meter-channels.ts';
import type { FoundMeter } from './meter-channels.ts';
import type { MeterFraming } from './meter-framing.ts';
import { MeterReader } from './meter-readout.ts';
import type { MeterReaderOptions, Readout } from './meter-readout.ts';
import { NoResponse } from '../serial-errors.ts';

const ADDRESS = /^[0-9A-Za-z ]{1,32}$/;
const MAXIMUM_METERS = 64;

/** Schema of the options of a scan. */
export const optionsSchema = z.strictObject({
  meters: z
    .string()
    .max(2200)
    .transform((text, context) => {
      const meters = text.split(',').map((part) => part.trim());
      if (meters.length <= MAXIMUM_METERS && meters.every((meter) => ADDRESS.test(meter))) return meters;
      const reason = createReason(SERIAL_FAULTS, 'EXPECTED_METERS', { bound: MAXIMUM_METERS });
      context.addIssue(createIssue([], reason));
      return z.NEVER;
    })
    .optional()
    .describe('Device addresses of the meters on a line with several; default: the only meter'),
});

/** Options of a scan for meters. */
export type MeterScanOptions = Readonly<z.infer<typeof optionsSchema>>;

interface MeterScan {
  readonly line: SerialLine;
  readonly framing: MeterFraming;
  readonly responseTimeoutMs: number;
  readonly clock: Clock;
  readonly options: MeterScanOptions;
  readonly report: Scanning['report'];
  /** Ends the scan; what was found until then is returned. */
  readonly signal: AbortSignal;
  /** Makes one call over the line; `work` rejects only for errors of the line. */
  readonly call: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Result of the readouts of a line. */
export interface MeterScanResult {
  readonly found: readonly FoundMeter[];
  /** Failures of meters that identified themselves, or sent something else. */
  readonly notes: readonly ScanNote[];
  readonly hasIdentified: boolean;
  /** Settings that a driver needs for the readouts. */
  readonly settings: Settings;
}

const DEFAULT_DEADLINE_MS = 10_000;
const DEFAULT_FRAME_BYTES = 4096;
const MAXIMUM_FRAME_BYTES = 65_536;

/**
 * Reads out the meters of a line one after the other, and reports what they send.
 *
 * @throws {ConnectionError} if the line cannot be used
 */
export async function scanMeters(scan: MeterScan): Promise<MeterScanResult> {
  const { options, report, signal, clock, framing } = scan;
  const found: FoundMeter[] = [];
  const notes: ScanNote[] = [];
  let hasIdentified = false;
  let [longestMs, byteCount] = [0, 0];
  // In mode D meters have no addresses.
  const meters = framing.mode === 'D' ? [undefined] : (options.meters ?? [undefined]);
  for (const [index, meter] of meters.entries()) {
    if (signal.aborted) break;
    const { subject, progress } = nameMeter(meter);
    report({ type: 'progress', done: index, total: meters.length, ...progress });
    let identification: Identification | undefined;
    const onIdentified = (own: Identification): void => {
      // A damaged readout is repeated from the sign-on.
      if (identification === undefined) report({ type: 'found', ...subject, ...describeMeter(own) });
      identification = own;
      hasIdentified = true;
    };
    const startMs = clock.monotonicMs();
    const readout = await tryReadout({ ...scan, onIdentified }, meter);
    if (readout instanceof GatewayError) {
      // A line without a meter is nothing to mention, unless its address is known.
      const isSilent = readout instanceof NoResponse && identification === undefined;
      if (!isSilent || meter !== undefined) {
        const { code, detail: message } = readout;
        notes.push(createNote(quoteError({ code, message })));
      }
    } else if (readout !== undefined) {
      longestMs = Math.max(longestMs, clock.monotonicMs() - startMs);
      byteCount = Math.max(byteCount, readout.byteCount);
      const current = listCurrentSets(readout.sets);
      for (const set of current) report({ type: 'found', ...subject, ...describeDataSet(set) });
      found.push({ meter, identification, sets: readout.sets });
      const { length: count } = readout.sets;
      const others = count - current.length;
      if (others > 0) notes.push(noteOthers(meter, { others, count }));
    }
  }
  // The next telegram may come later than the one that was heard.
  const waitMs = framing.mode === 'D' ? scan.responseTimeoutMs : 0;
  return { found, notes, hasIdentified, settings: toSettings(Math.max(longestMs, waitMs), byteCount) };
}

function nameMeter(meter: string | undefined) {
  const sentences = SERIAL_SCAN_SENTENCES;
  if (meter === undefined) {
    return {
      subject: nameSubject(createReason(sentences, 'SCAN_METER', {})),
      progress: describeScan(createReason(sentences, 'SCAN_METER_READOUT', {})),
    };
  }
  return {
    subject: nameSubject(createReason(sentences, 'SCAN_METER_AT', { meter })),
    progress: describeScan(createReason(sentences, 'SCAN_METER_AT_READOUT', { meter })),
  };
}

function noteOthers(
  meter: string | undefined,
  counts: { readonly others: number; readonly count: number },
): ScanNote {
  const sentences = SERIAL_SCAN_SENTENCES;
  return createNote(
    meter === undefined
      ? createReason(sentences, 'SCAN_METER_VALUES_NOT_LISTED', counts)
      : createReason(sentences, 'SCAN_METER_AT_VALUES_NOT_LISTED', { meter, ...counts }),
  );
}

/** Reads out a meter; returns its failure, or undefined after the signal. */
async function tryReadout(
  { call, signal, ...options }: MeterScan & Pick<MeterReaderOptions, 'onIdentified'>,
  meter: string | undefined,
): Promise<Readout | GatewayError | undefined> {
  const reader = new MeterReader(options);
  try {
    return await call(async (callSignal) => {
      try {
        return await reader.readOut(meter, AbortSignal.any([callSignal, signal]));
      } catch (error) {
        if (!(error instanceof GatewayError) || error instanceof ConnectionError) throw error;
        return error;
      }
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Returns the proposal for the meters that were found. */
export function proposeMeters({ found, notes, settings }: MeterScanResult): Proposal {
  return {
    assets: found.map((meter) => toMeterAsset(meter)),
    notes,
    settings,
  };
}

// Twice of what was measured: a damaged readout is repeated, and texts may become longer.
function toSettings(longestMs: number, byteCount: number): Settings {
  const deadlineMs = Math.ceil((2 * longestMs) / DEFAULT_DEADLINE_MS) * DEFAULT_DEADLINE_MS;
  return {
    ...(deadlineMs > DEFAULT_DEADLINE_MS ? { callDeadlineMs: deadlineMs } : {}),
    ...(2 * byteCount > DEFAULT_FRAME_BYTES
      ? { maximumFrameBytes: Math.min(2 * byteCount, MAXIMUM_FRAME_BYTES) }
      : {}),
  };
}
