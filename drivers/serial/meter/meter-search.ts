import { createReason } from '../../../daemon/base/fault-reason.ts';
import { createNote, describeScan } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { ScanText, Settings } from '../../../daemon/channel/discovery.ts';
import type { FoundDevice, SettingsSearch } from '../../../daemon/channel/driver.ts';
import { nameLine } from '../../link/serial-device.ts';
import { SERIAL_SCAN_SENTENCES } from '../sentences/scan-sentences.ts';
import { configSchema } from '../serial-config.ts';
import type { SerialConfig } from '../serial-config.ts';
import type { SerialLine } from '../serial-line.ts';
import { isMeterFraming } from './meter-framing.ts';
import type { MeterFraming } from './meter-framing.ts';
import { proposeMeters, scanMeters } from './meter-scan.ts';
import type { MeterScanOptions, MeterScanResult } from './meter-scan.ts';

/** One way in which meters communicate. */
interface Attempt {
  readonly framing: Settings;
  /** For meters that send without a request: longest wait for a telegram. */
  readonly responseTimeoutMs?: number;
  /** True if only a meter that identified itself before is worth it. */
  readonly isFallback?: boolean;
}

const LONGEST_FRAME = 65_536;
const FALLBACK: Attempt = { framing: { maximumBaudRate: 300 }, isFallback: true };
// The sign-on of the standard; the same for a head that does not follow a change of speed; lines with one speed, as RS-485.
const WITH_REQUEST: readonly Attempt[] = [{ framing: {} }, FALLBACK, { framing: { initialBaudRate: 9600 } }];
// EasyMeter, which sends every 2 s; the P1 port of DSMR, which sends every 1 or 10 s.
const WITHOUT_REQUEST: readonly Attempt[] = [
  { framing: { mode: 'D', initialBaudRate: 9600 }, responseTimeoutMs: 5000 },
  {
    framing: { mode: 'D', initialBaudRate: 115_200, characterFormat: '8N1' },
    responseTimeoutMs: 15_000,
  },
];
const LONGEST_WAIT_MS = 15_000;

/** Note for a line with another framing. */
export const ONLY_METERS = createNote(createReason(SERIAL_SCAN_SENTENCES, 'SCAN_ONLY_METERS', {}));
const NO_METER = createNote(createReason(SERIAL_SCAN_SENTENCES, 'SCAN_WITHOUT_METER', {}));

/** Completes the settings of a line with the framing of meters. */
export function addMeterFraming(given: Settings): Settings {
  return given['framing'] === undefined ? { ...given, framing: { type: 'IEC62056_21' } } : given;
}

/**
 * Searches a line for meters: one sign-on at each usual speed, then it listens for meters that send without a request.
 * What is given of the framing is kept.
 *
 * @param createLine creates the line of a configuration, not connected
 * @returns settings and meters; no settings if there are none
 * @throws {ConnectionError} if the line cannot be opened
 */
export async function searchMeters(
  given: Settings,
  search: SettingsSearch<MeterScanOptions>,
  createLine: (config: SerialConfig) => SerialLine,
): Promise<FoundDevice> {
  const { report, signal } = search;
  const { framing: known } = configSchema.parse(addMeterFraming(given));
  if (!isMeterFraming(known)) return { proposal: { assets: [], notes: [ONLY_METERS] } };
  const own = toSettings(given['framing']);
  const attempts = listAttempts(own);
  let last: MeterScanResult | undefined;
  for (const [index, { framing, responseTimeoutMs, isFallback = false }] of attempts.entries()) {
    if (signal.aborted || isFallback !== (last?.hasIdentified ?? false)) continue;
    const settings = {
      ...(responseTimeoutMs === undefined ? {} : { responseTimeoutMs }),
      ...given,
      framing: { type: 'IEC62056_21', ...framing, ...own },
    };
    const config = configSchema.parse({ ...settings, maximumFrameBytes: LONGEST_FRAME });
    if (!isMeterFraming(config.framing)) continue;
    const words = describeFraming(config.framing);
    report({ type: 'progress', done: index, total: attempts.length, ...words });
    last = await scanOnce({ config, framing: config.framing, line: createLine(config) }, search);
    if (last.found.length === 0) continue;
    const { mode, initialBaudRate } = config.framing;
    const fields = { mode, initialBaudRate };
    report({ type: 'found', subject: nameLine(config.device), kind: 'LINE', ...words, fields });
    const proposal = proposeMeters(last);
    return { settings: { ...last.settings, ...settings }, proposal };
  }
  const notes = last === undefined ? [] : proposeMeters(last).notes;
  return { proposal: { assets: [], notes: last?.hasIdentified === true ? notes : [...notes, NO_METER] } };
}

/** A line that was not connected yet. */
interface TriedLine {
  readonly config: SerialConfig;
  readonly framing: MeterFraming;
  readonly line: SerialLine;
}

async function scanOnce(
  { config, framing, line }: TriedLine,
  { options, report, signal, context }: SettingsSearch<MeterScanOptions>,
): Promise<MeterScanResult> {
  const { clock } = context;
  const { responseTimeoutMs } = config;
  try {
    await line.connect(signal, () => undefined);
    const call = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => work(signal);
    return await scanMeters({ line, framing, responseTimeoutMs, clock, options, report, signal, call });
  } catch (error) {
    if (!signal.aborted || error instanceof ConnectionError) throw error;
    return { found: [], notes: [], hasIdentified: false, settings: {} };
  } finally {
    await line.disconnect();
  }
}

/** Lists the ways that do not contradict what is given. */
function listAttempts(own: Settings): readonly Attempt[] {
  const isOf = (key: string): boolean => own[key] !== undefined;
  if (own['mode'] === 'D') return [{ framing: {}, responseTimeoutMs: LONGEST_WAIT_MS }];
  const fallback = isOf('maximumBaudRate') ? [] : [FALLBACK];
  if (isOf('initialBaudRate')) return [{ framing: {} }, ...fallback];
  if (['mode', 'maximumBaudRate', 'requestCharacter', 'wakeUp'].some((key) => isOf(key))) {
    return WITH_REQUEST.filter((attempt) => attempt !== FALLBACK || fallback.length > 0);
  }
  return [...WITH_REQUEST, ...WITHOUT_REQUEST];
}

function describeFraming(framing: MeterFraming): Required<ScanText> {
  const { mode, initialBaudRate, maximumBaudRate: bound, characterFormat } = framing;
  const sentences = SERIAL_SCAN_SENTENCES;
  const line = `${initialBaudRate} bit/s ${characterFormat}`;
  // A highest speed is not allowed in mode D.
  if (mode === 'D') return describeScan(createReason(sentences, 'SCAN_METER_LINE_SENDING', { line }));
  return describeScan(
    bound === undefined
      ? createReason(sentences, 'SCAN_METER_LINE', { line })
      : createReason(sentences, 'SCAN_METER_LINE_AT_MOST', { line, bound }),
  );
}

function toSettings(value: unknown): Settings {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
