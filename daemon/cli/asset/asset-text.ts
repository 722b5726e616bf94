import type { WriteResultRecord } from '../../interface/plant/assets.ts';
import type {
  Decoding,
  DecodingSetting,
  PlannedRequest,
  ReadPlan,
} from '../../interface/plant/commissioning.ts';
import type { listenToAsset } from '../../interface/plant/listening.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { formatTable, toPrintable } from '../terminal/table.ts';

const MAXIMUM_MEANINGS = 20;

/**
 * Formats results as a table.
 *
 * @param hint returns a suffix for the message of a failure
 */
export function formatResults(
  records: readonly WriteResultRecord[],
  hint: (record: WriteResultRecord) => string = () => '',
): string {
  return formatTable(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'VALUE', show: ({ value }) => (value === undefined ? undefined : formatValue(value)) },
      { title: 'LABEL', show: ({ label = '' }) => label, isOptional: true },
      { title: 'UNIT', show: ({ unit }) => unit },
      { title: 'TIME', show: ({ timestamp }) => formatLocalTime(timestamp) },
      { title: 'OUTCOME', show: formatOutcome, isOptional: true },
      { title: 'QUALITY', show: formatQuality, isOptional: true, tone: () => 'DOUBTFUL' },
      {
        title: 'FAILURE',
        show: (record) => `${record.channelStatus.exceptionMessage ?? ''}${hint(record)}`,
        tone: () => 'BAD',
      },
    ],
    records,
  );
}

const OUTCOMES: Readonly<Record<string, string>> = {
  VERIFIED: 'written and read back',
  ACKNOWLEDGED: 'written, confirmed by the device',
  REFUSED: 'refused by the device',
  NOT_SENT: 'not sent',
  UNKNOWN: 'sent; the outcome is unknown',
};

/** Describes the outcome of a write or of its dry run. */
function formatOutcome({
  outcome,
  requestedValue,
  readBack,
  dryRun,
  wholeStructure,
  channelStatus,
}: WriteResultRecord): string {
  // A text is never rounded: the device returned another one, such as the results of a method.
  const relation = typeof requestedValue === 'string' ? 'requested' : 'rounded from';
  const rounded = requestedValue === undefined ? '' : `; ${relation} ${formatValue(requestedValue)}`;
  if (dryRun === true) {
    return channelStatus.channelFlag === 'SUCCESS' ? `would be sent${rounded}` : 'would not be sent';
  }
  if (outcome === undefined) return '';
  const whole = wholeStructure === true ? '; the whole structure was written' : '';
  const words = `${OUTCOMES[outcome] ?? outcome}${rounded}${whole}`;
  const isShown = readBack !== undefined && outcome !== 'VERIFIED';
  return isShown ? `${words}; the device holds ${formatValue(readBack)}` : words;
}

function formatValue(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns a notable quality of a value; that of a failure is part of its message. */
function formatQuality({ quality, statusCode = '' }: WriteResultRecord): string {
  if (quality === 'UNCERTAIN') return `${quality} ${statusCode}`.trim();
  return quality === 'GOOD' ? statusCode : '';
}

/** Describes the requests of a read and their cost. */
export function describePlan({ isPlanned, requests, total, notRead }: ReadPlan): string {
  const missing =
    notRead.length === 0
      ? ''
      : `\n${formatTable(
          [
            { title: 'NOT READ', show: ({ name }) => name },
            { title: 'REASON', show: ({ reason }) => reason },
          ],
          notRead,
        )}`;
  if (!isPlanned) return `This driver has no read plan.\n${missing}`;
  const table = formatTable<Omit<PlannedRequest, 'channels'> & { readonly channels?: readonly string[] }>(
    [
      { title: 'REQUEST', show: ({ name }) => name },
      { title: 'CHANNELS', show: ({ channels = [] }) => channels.join(' ') },
      { title: 'SENT', show: ({ requestBytes }) => requestBytes },
      { title: 'RECEIVED', show: ({ answerBytes }) => answerBytes },
      { title: 'WIRE MS', show: ({ wireMs = '' }) => wireMs, isOptional: true },
      { title: 'MEASURED MS', show: ({ measuredMs = '' }) => measuredMs, isOptional: true },
      { title: 'NOT SENT', show: ({ notSent = '' }) => notSent, isOptional: true },
    ],
    [...requests, { ...total, name: `total of ${total.requests}` }],
  );
  return `${table}${missing}`;
}

/** Formats the possible interpretations of raw bytes. */
export function describeDecoding({ name, channelStatus, bytes, candidates = [] }: Decoding): string {
  if (bytes === undefined) {
    return `${name} could not be read: ${toPrintable(channelStatus.exceptionMessage ?? '')}\n`;
  }
  const meanings = candidates.flatMap(({ value, isConfigured, alternatives, ...setting }) =>
    [setting, ...alternatives].map((each, index) => ({
      value: formatValue(value),
      setting: formatSetting(each),
      isConfigured: isConfigured && index === 0,
    })),
  );
  const table = formatTable(
    [
      { title: 'VALUE', show: ({ value }) => value },
      { title: 'SETTINGS', show: ({ setting }) => setting },
      {
        title: 'CONFIGURED',
        show: ({ isConfigured }) => (isConfigured ? 'yes' : ''),
        isOptional: true,
        tone: () => 'GOOD',
      },
    ],
    meanings.slice(0, MAXIMUM_MEANINGS),
  );
  const more = meanings.length - MAXIMUM_MEANINGS;
  const rest = more > 0 ? `and ${more} more (see --json)\n` : '';
  return `${name}: raw bytes ${bytes}\n\n${table}${rest}`;
}

function formatSetting({ address, valueScale, valueOffset }: DecodingSetting): string {
  const fields = [
    ...Object.entries(address),
    ...(valueScale === 1 ? [] : [['valueScale', valueScale] as const]),
    ...(valueOffset === 0 ? [] : [['valueOffset', valueOffset] as const]),
  ];
  return fields.map(([key, value]) => `${key} ${formatValue(value)}`).join(', ');
}

/** Formats an event of `_listen`, one line per value. */
export function describeListened({ type, data }: AnswerOf<typeof listenToAsset>): string {
  if ('reason' in data) return `${type}: ${toPrintable(data.reason)}\n`;
  return data
    .map(({ name, value, label, unit = '', timestamp, channelStatus }) => {
      const text = value === undefined ? (channelStatus.exceptionMessage ?? '-') : formatValue(value);
      const named = label === undefined ? text : `${text} (${label})`;
      const line = `${formatLocalTime(timestamp)}  ${name}  ${named} ${unit}`.trimEnd();
      return `${toPrintable(line)}\n`;
    })
    .join('');
}
